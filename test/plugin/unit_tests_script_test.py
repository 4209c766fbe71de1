"""tools/interop/rocksdb_unit_tests must notice each way in which a test ends.

The test programs here are scripts that print what GoogleTest prints. With
Ashlar's tables ASHLAR_ROCKSDB_REPORT is set, and they behave otherwise. Nothing
is preloaded: the adapter is an empty file, so the dynamic linker passes it over
with a warning.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "tools/interop/rocksdb_unit_tests"
# A stand-in for a test program of RocksDB. It lists a disabled test, as
# GoogleTest does, to show that the script never asks for one.
PROGRAM = '''#!{python}
import os, sys, time
tests = {tests}
if "--gtest_list_tests" in sys.argv:
    print("Suite.  # TypeParam = int")
    for name in tests:
        print("  " + name)
    print("  DISABLED_Never")
    sys.exit()
filters = [word for word in sys.argv if word.startswith("--gtest_filter=")]
wanted = filters[0].split("=", 1)[1].split(":")
folder = os.environ["TEST_TMPDIR"]
assert os.path.isdir(folder)
report = os.environ.get("ASHLAR_ROCKSDB_REPORT")
ashlar = report is not None
alone = len(wanted) == 1
def end(name, how="      OK"):
    print("[ " + how + " ] Suite." + name + " (3 ms)", flush=True)
def fail(name):
    print("/a/b/c.cc:12: Failure\\nValue of: it\\n")
    end(name, " FAILED ")
failed = False
for name, body in tests.items():
    if "Suite." + name not in wanted:
        continue
    print("[ RUN      ] Suite." + name, flush=True)
    exec(body)
if report:
    with open(report, "a") as file:
        file.write('{{"program": "x", "built": 3, "built_by_stock": 1, '
                   '"read": {read}, "read_by_stock": 0, '
                   '"reasons": {{"plain table": 1}}}}\\n')
{at_exit}
'''
PASSES = "end(name)"
FAILS = "fail(name)"
FAILS_ON_ASHLAR = "fail(name) if ashlar else end(name)"
FAILS_IN_COMPANY = "end(name) if alone or not ashlar else fail(name)"
CRASHES_ON_ASHLAR = "os.abort() if ashlar else end(name)"
HANGS_ON_ASHLAR = "time.sleep(1000) if ashlar else end(name)"
SKIPPED = "end(name, ' SKIPPED')"
GLUED = "print('no newline', end=''); end(name)"
READS_OK = "print('[ RUN      ] is what a test may print'); end(name)"


class UnitTestsScriptTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.build = self.folder / "build"
        self.build.mkdir()
        (self.build / "librocksdb.so").touch()
        self.adapter = self.folder / "adapter.so"
        self.adapter.touch()
        self.listed = self.folder / "listed.txt"
        self.listed.touch()
        (self.folder / "scratch").mkdir()

    def make(self, tests, read=9, at_exit="", name="any_test"):
        program = self.build / name
        program.write_text(PROGRAM.format(
            python=sys.executable, tests=repr(tests), read=read,
            at_exit=at_exit))
        program.chmod(0o755)

    def command(self, *flags):
        return [sys.executable, "-B", SCRIPT, f"--build={self.build}",
                f"--results={self.folder / 'results'}",
                f"--scratch={self.folder / 'scratch'}",
                f"--listed={self.listed}", "--programs=any_test",
                f"--preload={self.adapter}", *flags]

    def run_script(self, *flags):
        result = subprocess.run(self.command(*flags), capture_output=True,
                                text=True)
        self.assertNotIn("Traceback", result.stderr)
        self.assertEqual(list((self.folder / "scratch").iterdir()), [])
        return result

    def cells(self, result, program="any_test"):
        line = re.search(rf"^{program} .*$", result.stdout, re.M).group(0)
        return line.split(None, 6)[1:]

    def test_all_pass(self):
        self.make({"A": PASSES, "B": GLUED, "C": READS_OK})
        result = self.run_script()
        self.assertEqual(self.cells(result),
                         ["3", "3", "3", "0", "0", "92.3 %"])
        self.assertIn("fell back:        1 plain table", result.stdout)
        self.assertEqual(result.returncode, 0)

    def test_what_stock_fails_does_not_count(self):
        self.make({"A": PASSES, "B": FAILS, "C": SKIPPED})
        result = self.run_script()
        self.assertEqual(self.cells(result)[:5], ["3", "1", "1", "0", "0"])
        self.assertEqual(result.returncode, 0)

    def test_each_way_to_fail_counts(self):
        for body in (FAILS_ON_ASHLAR, CRASHES_ON_ASHLAR, HANGS_ON_ASHLAR):
            with self.subTest(body):
                self.make({"A": PASSES, "B": body, "C": PASSES})
                result = self.run_script("--test-seconds=2")
                self.assertEqual(self.cells(result)[:5],
                                 ["3", "3", "2", "0", "1"])
                self.assertIn("any_test Suite.B", result.stdout)
                self.assertEqual(result.returncode, 1)

    def test_cause_is_shown_and_log_kept(self):
        self.make({"A": FAILS_ON_ASHLAR, "B": FAILS_ON_ASHLAR})
        result = self.run_script()
        self.assertIn("2 failed: c.cc:12: Failure Value of: it", result.stdout)
        log = self.folder / "results/logs/any_test/Suite.A.ashlar.log"
        self.assertIn("Value of: it", log.read_text())

    def test_what_passes_alone_is_unsteady(self):
        self.make({"A": PASSES, "B": FAILS_IN_COMPANY})
        result = self.run_script()
        self.assertEqual(self.cells(result)[:5], ["2", "2", "2", "0", "0"])
        self.assertIn("unsteady: any_test Suite.B", result.stdout)
        self.assertEqual(result.returncode, 0)

    def test_crash_after_the_last_test(self):
        self.make({"A": PASSES, "B": PASSES},
                  at_exit="if ashlar: os.abort()")
        result = self.run_script()
        self.assertEqual(result.returncode, 1)

    def test_program_that_does_not_start(self):
        self.make({"A": PASSES, "B": PASSES},
                  at_exit="")
        program = self.build / "any_test"
        program.write_text(program.read_text().replace(
            "failed = False", "if ashlar: sys.exit(127)"))
        result = self.run_script()
        self.assertEqual(self.cells(result)[:5], ["2", "2", "0", "0", "2"])
        self.assertEqual(result.returncode, 1)

    def test_a_low_share_counts(self):
        self.make({"A": PASSES}, read=0)
        result = self.run_script()
        self.assertIn("below 90 %: any_test", result.stdout)
        self.assertEqual(result.returncode, 1)

    def test_resumes(self):
        ran = self.folder / "ran"
        body = f"open({str(ran)!r}, 'a').write('x'); end(name)"
        self.make({"A": body, "B": body})
        self.run_script("--filter=*.A")
        self.assertEqual(ran.read_text(), "xx")
        self.run_script()
        self.assertEqual(ran.read_text(), "xxxx")
        # Another adapter: its results are not known.
        (self.folder / "adapter.so").write_text("")
        self.run_script()
        self.assertEqual(ran.read_text(), "xxxxxx")

    def test_sample_is_spread_evenly(self):
        self.make({name: PASSES for name in "ABCDEFG"})
        for most, taken in ((1, "1"), (2, "2"), (3, "3"), (4, "4"), (7, "7"),
                            (99, "7"), (0, "7")):
            result = self.run_script(f"--most={most}")
            self.assertEqual(self.cells(result)[0], taken, most)

    def test_a_signal_leaves_nothing_behind(self):
        running = self.folder / "running"
        self.make({"A": f"open({str(running)!r}, 'w').write(str(os.getpid())); "
                        "time.sleep(1000)"})
        script = subprocess.Popen(self.command(), stdout=subprocess.PIPE)
        while not running.exists() or not running.read_text():
            self.assertIsNone(script.poll())
        script.terminate()
        script.communicate()
        self.assertEqual(list((self.folder / "scratch").iterdir()), [])
        pid = int(running.read_text())
        with self.assertRaises(ProcessLookupError):
            while True:
                os.kill(pid, 0)

    def test_stock_only(self):
        self.make({"A": PASSES, "B": FAILS_ON_ASHLAR})
        result = self.run_script("--stock")
        self.assertEqual(self.cells(result)[:5], ["2", "2", "0", "0", "0"])
        self.assertEqual(result.returncode, 0)

    def test_listed_tests_need_not_pass(self):
        self.make({"A": FAILS_ON_ASHLAR, "B": PASSES})
        self.listed.write_text("# why\nany_test Suite.? looks at a counter\n"
                               "any_test Suite.C is gone\n"
                               "other_test Suite.C did not run\n")
        result = self.run_script()
        self.assertEqual(self.cells(result)[:5], ["2", "2", "1", "1", "0"])
        self.assertEqual(re.findall("listed without need: (.*)", result.stdout),
                         ["any_test Suite.C"])
        self.assertEqual(result.returncode, 0)

    def test_lines_of_other_programs_do_not_count(self):
        self.make({"A": FAILS_ON_ASHLAR})
        self.listed.write_text("other_test Suite.A looks at a counter\n")
        self.assertEqual(self.cells(self.run_script())[3:5], ["0", "1"])

    def test_listed_without_reason(self):
        self.make({"A": PASSES})
        self.listed.write_text("any_test Suite.A\n")
        self.assertNotEqual(self.run_script().returncode, 0)

    def test_table_is_written(self):
        self.make({"A": PASSES})
        table = self.folder / "table.md"
        self.run_script(f"--table={table}")
        self.assertEqual(
            table.read_text().splitlines()[2:],
            ["| any_test | 1 | 1 | 1 | 0 | 0 | 92.3 % |",
             "| all | 1 | 1 | 1 | 0 | 0 | 92.3 % |"])


if __name__ == "__main__":
    unittest.main()
