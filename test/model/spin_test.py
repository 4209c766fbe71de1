"""Checks the Promela models of the semaphore and the pool with spin.

Sound configurations must pass, and spin must find the fault of each faulty one:
a model that passes everything proves nothing. Without spin the tests are
skipped and say so; with ASHLAR_REQUIRE_INTEROP they fail.
"""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

FOLDER = pathlib.Path(__file__).parent

SEMAPHORE_PASSES = (
    "-DNA=3 -DNR=2", "-DNR=1 -DNT=3 -DINIT=0", "-DNR=3 -DINIT=0",
    "-DNA=2 -DNR=2 -DNT=2 -DINIT=0",
)
SEMAPHORE_FAILS = (
    "-DALG=1 -DNA=2 -DNR=2 -DINIT=0",  # std::counting_semaphore of GCC 12
    "-DALG=1",
    "-DALG=3",
    "-DNA=1 -DNR=1 -DINIT=0 -DFREE=1",
)
POOL_PASSES = ("-DNP=0", "-DNP=1", "-DNP=2", "-DNP=2 -DNT=3")
POOL_FAILS = (
    "-DGATE=1", "-DWITHDRAW=0 -DNP=0", "-DCOUNT=0", "-DSTOP=0",
)


def check(model, defines):
    """Returns True if spin searches all states and finds no fault."""
    with tempfile.TemporaryDirectory() as folder:
        def run(*command):
            return subprocess.run(
                command, cwd=folder, capture_output=True, text=True,
                check=False)
        spin = run("spin", *defines.split(), "-a", str(FOLDER / model))
        if spin.returncode != 0:
            raise AssertionError(spin.stdout + spin.stderr)
        built = run("gcc", "-O1", "-w", "-DSAFETY", "-DNOFAIR", "-DCOLLAPSE",
                    "-o", "pan", "pan.c")
        if built.returncode != 0:
            raise AssertionError(built.stderr)
        report = run("./pan", "-m1000000", "-w22").stdout
        if "max search depth too small" in report:
            raise AssertionError(report)
        return "errors: 0" in report


@unittest.skipUnless(
    shutil.which("spin") or "ASHLAR_REQUIRE_INTEROP" in os.environ,
    "spin is not installed")
class SpinTest(unittest.TestCase):
    def check_all(self, model, passes, fails):
        for defines in passes:
            with self.subTest(model=model, defines=defines):
                self.assertTrue(check(model, defines))
        for defines in fails:
            with self.subTest(model=model, defines=defines):
                self.assertFalse(check(model, defines))

    def test_semaphore(self):
        self.check_all("semaphore.pml", SEMAPHORE_PASSES, SEMAPHORE_FAILS)

    def test_pool(self):
        self.check_all("ticket_queue.pml", POOL_PASSES, POOL_FAILS)


if __name__ == "__main__":
    unittest.main()
