"""Runs tools/bench/tour as a user does.

Every row must be there, missing ones must be named, and rounds must be kept and
dropped as it says. Times are not checked.

Arguments: the script, and the folder of the programs.
"""

import importlib.machinery
import importlib.util
import io
import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import types
import unittest

TOUR, PROGRAMS = (pathlib.Path(path) for path in sys.argv[1:3])
del sys.argv[1:3]
HAS_ROCKSDB = (PROGRAMS / "bench_rocksdb.so").exists()
HAS_SST_DUMP = (PROGRAMS / "rocksdb_sst_dump").exists()

READS = ("a key (Get)", "32 keys at once (MultiGet)", "a seek")
SMALL = "; a cache of 25 % of the file"
ROWS = {
    "building": ["a table, no codec", "a table, no codec, parallel_threads=2",
                 "a table, zstd", "a table, zstd, parallel_threads=2"],
    "reading": [READS[0], READS[1], "a key that is absent", READS[2],
                "a key, 2 threads", "a walk over all entries",
                *(read + SMALL for read in READS),
                "a key; zstd, a cache of 25 % of the file"],
    "cache": ["a hit", "a hit, 2 threads",
              "lookups, inserts and erasures mixed",
              "lookups, inserts and erasures mixed, 2 threads"],
    "program": ["build of rows, no codec", "build of rows, zstd",
                "verify --checksums_only, 1 thread; sst_dump verify",
                "verify, 1 thread; RocksDB has nothing like it",
                "check, 1 thread", "check, 2 threads", "scan", "properties"],
}
LIMITS = {"a table, no codec", "a table, zstd", "a walk over all entries",
          "a hit", "lookups, inserts and erasures mixed",
          "verify, 1 thread; RocksDB has nothing like it", "properties"}
FIGURE = re.compile(r"[\d,]+(\.\d+)?")


def run(*flags, programs=PROGRAMS, must_compare=False):
    """Runs the tour. With `must_compare` it fails if it compares nothing."""
    env = {name: value for name, value in os.environ.items()
           if name != "ASHLAR_REQUIRE_INTEROP"}
    if must_compare:
        env["ASHLAR_REQUIRE_INTEROP"] = "1"
    return subprocess.run(
        [sys.executable, "-B", TOUR, f"--bin={programs}", *flags],
        capture_output=True, text=True, check=False, env=env)


def load_tour():
    """Loads the script as a module, to call its parts."""
    sys.path.insert(0, str(TOUR.parent))
    loader = importlib.machinery.SourceFileLoader("tour", str(TOUR))
    module = importlib.util.module_from_spec(
        importlib.util.spec_from_loader("tour", loader))
    sys.modules["tour"] = module  # dataclasses looks for it there
    loader.exec_module(module)
    return module


def read_table(text):
    """Returns {part: {label: [unit, ours, theirs, ratio, limit, rounds]}}."""
    parts = {}
    for line in text.splitlines():
        if not line.startswith("| "):
            continue
        label, *cells = [cell.strip() for cell in line[2:-2].split(" | ")]
        if label.startswith("**"):
            part = parts[label.strip("*")] = {}
        elif label:
            part[label] = cells
    return parts


class TourTest(unittest.TestCase):

    def check_table(self, text, has_rocksdb):
        parts = read_table(text)
        self.assertEqual({part: list(rows) for part, rows in parts.items()},
                         ROWS)
        for part, rows in parts.items():
            for label, cells in rows.items():
                unit, ours, theirs, ratio, limit, rounds = cells
                with self.subTest(label):
                    self.assertRegex(unit, "^(ns|us|ms)( per [a-z]+)?$")
                    self.assertRegex(ours, FIGURE)
                    self.assertEqual(limit != "-", label in LIMITS)
                    self.assertEqual(rounds, "1 + 0")
                    peer = has_rocksdb and "nothing like it" not in label and (
                        HAS_SST_DUMP or part != "program" or "build" in label)
                    self.assertEqual(bool(FIGURE.fullmatch(theirs)), peer)
                    self.assertEqual(ratio != "-", peer)

    def test_every_row(self):
        with tempfile.TemporaryDirectory() as folder:
            done = run("--quick", f"--db={folder}")
            self.assertEqual(list(pathlib.Path(folder).iterdir()), [])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check_table(done.stdout, HAS_ROCKSDB)
        for said in ("- Machine: ", "- Versions: ashlar ", "- limit: ",
                     "- Both have the same options.", "- Not compared: ",
                     "2,000 entries"):
            self.assertIn(said, done.stdout)
        self.assertEqual("Ashlar is slower than RocksDB" in done.stdout,
                         HAS_ROCKSDB)

    def test_without_rocksdb(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("ashlar", "bare_blocks", "cache_bench",
                         "table_bench"):
                # No links: the benchmarks look for RocksDB next to themselves.
                shutil.copy(PROGRAMS / name, folder)
            done = run("--quick", programs=folder)
            required = run("--quick", "--parts=cache", programs=folder,
                           must_compare=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check_table(done.stdout, False)
        self.assertIn("- No RocksDB is set up", done.stdout)
        self.assertEqual(required.returncode, 1)
        self.assertIn("nothing was compared with RocksDB", required.stderr)

    def test_parts(self):
        done = run("--quick", "--parts=cache")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(list(read_table(done.stdout)), ["cache"])
        done = run("--parts=cash")
        self.assertEqual(done.returncode, 2)
        self.assertIn("unknown part cash", done.stderr)

    def test_a_program_that_is_not_there(self):
        with tempfile.TemporaryDirectory() as folder:
            for part in ROWS:
                done = run("--quick", f"--parts={part}", programs=folder)
                self.assertEqual(done.returncode, 1, part)
                self.assertIn("make bench_programs", done.stderr)


class PartsTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.tour = load_tour()

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def make_tour(self):
        args = types.SimpleNamespace(
            bin=PROGRAMS, rounds=2, keep_disturbed=False, quick=True, seed=1,
            db=self.folder)
        return self.tour.Tour(args)

    def make_programs(self, tour):
        return sys.modules["tour_programs"].Programs(
            PROGRAMS, self.folder, tour.args)

    def engine(self, *seconds):
        return {"seconds": {"median": sorted(seconds)[len(seconds) // 2]},
                "round_seconds": list(seconds), "operations": 1000}

    def test_ratios_are_of_the_same_round(self):
        report = {"rounds": 3, "dropped": 4, "engines": {
            "ashlar": self.engine(1, 2, 3), "rocksdb": self.engine(3, 4, 3),
            "rocksdb:db": self.engine(9, 9, 9), "limit": self.engine(1, 1, 1)}}
        row = self.make_tour().row("label", "us per key", report, "ashlar",
                                   ["rocksdb", "rocksdb:db"])
        self.assertEqual((row.ours, row.theirs, row.limit), (2000, 3000, 1000))
        self.assertEqual(row.ratio, (2, 1, 3))
        self.assertEqual(row.rounds, "3 + 4")

    def test_a_row_without_an_undisturbed_round(self):
        row = self.make_tour().row("label", "us per key", None, "ashlar",
                                   ["rocksdb"])
        self.assertEqual(self.tour.cells(row),
                         ("label", "us per key", "-", "-", "-", "-", "-"))
        notes = list(self.tour.missing_and_lost([row]))
        self.assertIn("Missing: label (every round was disturbed)", notes[0])

    def test_rows_that_are_lost_are_named(self):
        fast, slow = (self.tour.Row(label, "ms", 1, 1, None, ratio)
                      for label, ratio in (("fast", (1.5, 1, 2)),
                                           ("slow", (0.5, 0.4, 2))))
        self.assertEqual(list(self.tour.missing_and_lost([fast, slow])),
                         ["Ashlar is slower than RocksDB at: slow (0.50)."])
        self.assertEqual(list(self.tour.missing_and_lost([fast])),
                         ["Ashlar is slower than RocksDB in no row."])

    def run_rounds(self, disturbed, keep=False):
        """Runs rounds of `true`, disturbed as `disturbed` says."""
        rounds = sys.modules["program_rounds"]
        answers = iter(disturbed)

        class Load:
            def disturbed(self):
                return next(answers)

        kept, rounds.RoundLoad = rounds.RoundLoad, Load
        args = self.make_tour().args
        args.keep_disturbed = keep
        try:
            with contextlib.redirect_stderr(io.StringIO()):
                return rounds.run_rounds({"ours": ["true"], "theirs": ["true"]},
                                         args)
        finally:
            rounds.RoundLoad = kept

    def test_disturbed_rounds_are_dropped(self):
        ran = self.run_rounds([True, False, True, False])
        self.assertEqual((ran.kept, ran.dropped), (2, 2))
        self.assertEqual([len(times) for times in ran.seconds.values()],
                         [2, 2])
        ran = self.run_rounds([True] * 6)  # three tries for each of two
        self.assertEqual((ran.kept, ran.dropped), (0, 6))
        ran = self.run_rounds([True, True], keep=True)
        self.assertEqual((ran.kept, ran.dropped), (2, 0))

    def test_a_program_that_fails(self):
        run_once = sys.modules["program_rounds"].run_once
        with self.assertRaisesRegex(SystemExit, "failed: false"):
            run_once(["false"])
        shown = io.StringIO()
        with self.assertRaises(SystemExit), contextlib.redirect_stderr(shown):
            run_once(["sh", "-c", "echo why >&2; exit 3"])
        self.assertEqual(shown.getvalue(), "why\n")

    def test_tables_that_differ(self):
        programs = self.make_programs(self.make_tour())
        programs.write_rows()
        rows = programs.rows.read_text().splitlines(True)
        for lines, table in ((rows, programs.table),
                             (rows[:-1], programs.peers_table)):
            programs.rows.write_text("".join(lines))
            sys.modules["program_rounds"].run_once(programs.ashlar(
                "build", f"--out={table}", "--quiet", programs.rows))
        with self.assertRaisesRegex(SystemExit, "only in the first: 1"):
            programs.check_same_entries()


if __name__ == "__main__":
    unittest.main()
