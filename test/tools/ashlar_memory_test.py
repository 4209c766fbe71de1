"""The program when memory runs out.

In the program under test, the n-th allocation fails (failing_program.cc). A run
must end in one of two ways. Either it prints its usual output and exits with 0,
or it reports that there is no memory and exits with another code. In the second
case it leaves no new file, or a complete one. It never reports a sound table as
damaged. A set of tables that is replaced is afterwards the old or the new one,
and the next run leaves nothing else.

Each command runs with some of its allocations failing, spread evenly:
ASHLAR_ALLOCATION_RUNS says how many (default 15). With
ASHLAR_EVERY_ALLOCATION=1, each allocation fails in turn. The last line of
standard error has the number of runs with a fault.
"""

import json
import os
import resource
import shutil
import subprocess
import sys
import unittest

import cli
from cli import CliTest, GOLDEN, PROGRAM, numbered_rows

ROWS = numbered_rows(3000)
UNSORTED = b"".join(b"key%06d\tvalue %d\n" % (i * 7919 % 3001, i)
                    for i in range(3001))
MAKE = ["--out=o.sst", "--identity=01", "--creation_time=1"]

# A command, and its standard input.
COMMANDS = (
    (["check", "--threads=1", "a.sst"], b""),
    (["check", "--threads=2", "a.sst"], b""),
    (["check", "--show_properties", "--show_summary", "a.sst"], b""),
    (["scan", "--quiet", "a.sst"], b""),
    (["scan", "--json", "--from=key000100", "--to=key000200", "a.sst"], b""),
    (["verify", "--threads=1", "a.sst", "p.sst"], b""),
    (["verify", "--threads=2", "--json", "p.sst"], b""),
    (["identify", "a.sst"], b""),
    (["properties", "a.sst"], b""),
    (["layout", "p.sst"], b""),
    (["get", "--key=key000007", "--key=key001234", "a.sst", "p.sst"], b""),
    (["get", "--prefix=key00001", "a.sst"], b""),
    (["raw", "--out=o.txt", "r.sst"], b""),
    (["stats", "--filter_probes=100", "p.sst"], b""),
    (["space", "a.sst", "p.sst"], b""),
    (["space", "--prefix_length=5", "a.sst"], b""),
    (["overlap", "a.sst", "p.sst"], b""),
    (["diff", "a.sst", "p.sst"], b""),
    (["rewrite", *MAKE, "a.sst"], b""),
    (["rewrite", *MAKE, "--compression_parallel_threads=2", "p.sst"], b""),
    (["salvage", *MAKE, "a.sst"], b""),
    (["compact", "--threads=1", *MAKE, "a.sst", "p.sst"], b""),
    (["compact", "--threads=2", *MAKE, "a.sst", "p.sst"], b""),
    (["build", "--input_format=hex", *MAKE], ROWS),
    (["build", "--nosorted", "--memory=64K", "--tmpdir=.", *MAKE], UNSORTED),
    (["build", "--input_format=hex", "--compression_max_dict_bytes=4096",
      "--compression_zstd_max_train_bytes=65536", *MAKE], ROWS),
    (["recompress", "--compression_types=zstd", "--threads=1", "--tmpdir=.",
      "r.sst"], b""),
    (["report", "--out=o.html", "--sample=5", "--filter_probes=10", "r.sst"],
     b""),
    (["report", "--out=o.html", str(GOLDEN / "db" / "multi-cf")], b""),
    (["--help"], b""),
    (["--version"], b""),
)
# Their output contains times, so the test checks only that there is output.
TIMED = ("recompress", "report")
MOST_RUNS = int(os.environ.get("ASHLAR_ALLOCATION_RUNS", "15"))
runs = 0


class MemoryTest(CliTest):

    def setUp(self):
        super().setUp()
        self.build("a.sst", ROWS, "--compression_type=zlib")
        self.build("p.sst", ROWS, "--index_type=partitioned",
                   "--partition_filters", "--block_size=1K")
        self.build("r.sst", numbered_rows(200))
        # gflags leaks a few bytes of its own when it throws.
        (self.folder / "leaks").write_text("leak:libgflags\n")
        self.before = sorted(os.listdir(self.folder))

    def run_with(self, command, stdin, failing=None, count=None):
        environment = {
            "LSAN_OPTIONS": "print_suppressions=0:suppressions=" +
                            str(self.folder / "leaks")}
        if failing is not None:
            global runs
            runs += 1
            environment["ASHLAR_FAIL_ALLOCATION"] = failing
        if count is not None:
            environment["ASHLAR_COUNT_ALLOCATIONS"] = str(count)
        for name in ("o.sst", "o.txt", "o.html"):
            (self.folder / name).unlink(missing_ok=True)
        # In its sandbox the program could not write the count.
        outcome = self.run_program(*command, "--nosandbox", stdin=stdin,
                                   env=environment, timeout=300)
        made = {path.name: path.read_bytes()
                for path in self.folder.iterdir()
                if path.name not in self.before and path != count}
        return outcome, made

    def judge(self, command, outcome, made, expected, expected_made):
        for word in ("Corruption", "salvage", "corrupted", "terminate",
                     "Sanitizer", "is not a valid SST file"):
            self.assertNotIn(word, outcome.err)
        if outcome.code == expected.code and not outcome.err.count(
                "Memory limit"):
            self.assertEqual(made.keys(), expected_made.keys())
            if command[0] not in TIMED:
                # Without the difference, because printing it would take long.
                self.assertTrue(outcome.out == expected.out, "other output")
                self.assertTrue(made == expected_made, "other files")
            return False
        self.assertIn("Memory limit: ", outcome.err)
        self.assertEqual(outcome.code, 2, outcome.err)
        # No file or a complete one: memory may run out after the file has its
        # name.
        if made:
            self.assertEqual(made.keys(), expected_made.keys())
            self.assertTrue(command[0] in TIMED or made == expected_made,
                            "a part")
        return True

    def test_every_command(self):
        with_all = "ASHLAR_EVERY_ALLOCATION" in os.environ
        count = self.folder / "count"
        for command, stdin in COMMANDS:
            expected, expected_made = self.run_with(command, stdin, None, count)
            self.assertIn(expected.code, (0, 1), expected.err)
            allocations = int(count.read_text())
            count.unlink()
            self.assertGreater(allocations, 100)
            step = 1 if with_all else max(1, allocations // MOST_RUNS)
            failures = 0
            for mode in ("", "+"):
                for number in range(1, allocations + 1, step):
                    failing = f"{number}{mode}"
                    with self.subTest(command=command, failing=failing):
                        outcome, made = self.run_with(command, stdin, failing)
                        failures += self.judge(command, outcome, made,
                                               expected, expected_made)
            self.assertGreater(failures, 5, command)


class SetTest(CliTest):
    """A set over another set: the last allocations are those of the commit."""

    # Long, so that each name of a table needs an allocation.
    NAME = "a-set-with-a-long-name"
    COMMAND = ["build", "--input_format=hex", "--target_file_size=4K",
               "--overwrite", "--identity=01", "--creation_time=1",
               f"--out=out/{NAME}.sst"]
    # The last allocations, those after the last row was read.
    LAST = 400

    def setUp(self):
        super().setUp()
        self.out = self.folder / "out"
        self.old = self.folder / "old"
        self.out.mkdir()
        self.assertEqual(self.run_set(numbered_rows(2500)).code, 0)
        shutil.copytree(self.out, self.old)

    def run_set(self, rows, *flags, **environment):
        return self.run_program(*self.COMMAND, *flags, stdin=rows,
                                env=environment)

    def read_set(self):
        """Returns the contents of the tables that the manifest lists."""
        text = (self.out / f"{self.NAME}-manifest.json").read_text("utf-8")
        return [(self.out / table["path"]).read_bytes()
                for table in json.loads(text)["files"]]

    def test_a_set_over_another(self):
        old = self.read_set()
        self.assertGreater(len(old), 2)
        count = self.folder / "count"
        outcome = self.run_set(ROWS, ASHLAR_COUNT_ALLOCATIONS=str(count))
        self.assertEqual(outcome.code, 0, outcome.err)
        new = self.read_set()
        allocations = int(count.read_text())
        step = 1 if "ASHLAR_EVERY_ALLOCATION" in os.environ else 7
        ends = set()
        for number in range(max(1, allocations - self.LAST), allocations + 1,
                            step):
            for mode in ("", "+"):
                with self.subTest(failing=f"{number}{mode}"):
                    ends.add(self.fail_at(f"{number}{mode}", old, new))
        self.assertEqual(ends, {"old", "new"})

    def fail_at(self, failing, old, new):
        shutil.rmtree(self.out)
        shutil.copytree(self.old, self.out)
        outcome = self.run_set(ROWS, ASHLAR_FAIL_ALLOCATION=failing)
        self.assertNotIn("terminate", outcome.err)
        if outcome.code != 0:
            self.assertEqual(outcome.code, 2, outcome.err)
            self.assertIn("Memory limit", outcome.err)
        found = self.read_set()
        self.assertTrue(found in (old, new), "neither set")
        outcome = self.run_set(ROWS, "--clean")
        self.assertEqual(outcome.code, 0, outcome.err)
        self.assertTrue(self.read_set() == new, "another set")
        self.assertEqual(len(os.listdir(self.out)), len(new) + 1)
        return "old" if found == old else "new"


@unittest.skipIf(os.environ.get("ASHLAR_SANITIZED"),
                 "sanitizers need address space without end")
class LimitTest(CliTest):
    """Same under a limit on the address space."""

    def test_address_space(self):
        self.build("a.sst", numbered_rows(60000, 400),
                   "--compression_type=none", "--block_size=16M")
        before = sorted(os.listdir(self.folder))
        rows = b"".join(b"key%08d\t%0400d\n" % (i, i) for i in range(60000))
        commands = (
            (["check", "a.sst"], b""), (["verify", "a.sst"], b""),
            (["scan", "--quiet", "a.sst"], b""),
            (["get", "--key=key000007", "a.sst"], b""),
            (["rewrite", *MAKE, "a.sst"], b""),
            (["salvage", *MAKE, "a.sst"], b""),
            (["build", "--nosorted", "--memory=256M", *MAKE], rows),
            (["stats", "a.sst"], b""), (["layout", "a.sst"], b""),
            (["raw", "--out=o.sst", "a.sst"], b""))
        least = next(mib for mib in range(8, 400) if self.run_limited(
            ["--version"], b"", mib).returncode == 0)
        codes = set()
        for command, stdin in commands:
            for mib in (least, *(least + 8 * i for i in range(1, 12))):
                with self.subTest(command=command, mib=mib):
                    run = self.run_limited(command, stdin, mib)
                    error = run.stderr.decode()
                    made = set(os.listdir(self.folder)) - set(before)
                    for word in ("Corruption", "salvage", "terminate"):
                        self.assertNotIn(word, error)
                    if run.returncode == 0:
                        self.assertNotIn("Memory limit", error)
                    else:
                        self.assertEqual(run.returncode, 2, error)
                        self.assertIn("Memory limit: ", error)
                        self.assertEqual(made, set())
                    codes.add(run.returncode)
                    (self.folder / "o.sst").unlink(missing_ok=True)
        self.assertEqual(codes, {0, 2})

    def run_limited(self, command, stdin, mib):
        limit = mib << 20
        return subprocess.run(
            [PROGRAM, *command], input=stdin, cwd=self.folder, timeout=300,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS,
                                                  (limit, limit)))


if __name__ == "__main__":
    try:
        cli.main()
    finally:
        print(f"runs with a fault: {runs}", file=sys.stderr)
