"""Runs cache_bench as a user does: each benchmark must do what its name says.

Argument: the program. Counts are checked, times are not.
"""

import json
import re
import subprocess
import sys
import unittest

PROGRAM = None
OPS = 3008  # whole batches of 32
THREADS = 3
CACHE_SIZE = 4 << 20
VALUE_BYTES = 4096
HITS = ("hit", "hit_hint", "hit_batch", "hot_key", "hot_key_hint")


def run(*flags):
    return subprocess.run(
        [PROGRAM, f"--ops_per_thread={OPS}", f"--cache_size={CACHE_SIZE}",
         f"--value_bytes={VALUE_BYTES}", f"--threads={THREADS}",
         "--num_shard_bits=0", "--rounds=1", "--keep_disturbed", *flags],
        capture_output=True, text=True, check=False,
    )


def report(*flags):
    done = run("--json", *flags)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)


class CacheBenchTest(unittest.TestCase):
    def test_all_engines_do_the_same_operations(self):
        for cache_type in ("hyper_clock_cache", "lru_cache"):
            document = report(
                "--benchmarks=mixed,pinned_insert," + ",".join(HITS),
                f"--cache_type={cache_type}",
            )
            self.assertEqual(document["schema"], "ashlar-cache-bench/1")
            for entry in document["benchmarks"]:
                for engine, run_ in entry["engines"].items():
                    self.check(entry["benchmark"], engine, run_)

    def check(self, benchmark, engine, run_):
        where = f"{benchmark} of {engine}"
        self.assertEqual(run_["operations"], OPS * THREADS, where)
        if benchmark in HITS:
            self.assertEqual(run_["lookups"], OPS * THREADS, where)
            self.assertEqual(run_["found"], run_["lookups"], where)
        if benchmark == "mixed":
            # 92 of 100, and every engine gets the same numbers.
            self.assertAlmostEqual(
                run_["lookups"] / run_["operations"], 0.92, delta=0.02)
            self.assertEqual(
                run_["latency_ns"]["count"], OPS * THREADS, where)
        if engine == "limit":
            return
        if benchmark in HITS:
            self.assertEqual(
                run_["entries"], CACHE_SIZE // VALUE_BYTES * 9 // 10, where)
        if benchmark == "mixed":
            self.assertGreater(run_["found"], run_["lookups"] // 4, where)
            self.assertLess(run_["found"], run_["lookups"], where)
        if benchmark == "pinned_insert":
            self.assertGreaterEqual(
                run_["entries"], CACHE_SIZE // VALUE_BYTES, where)

    def test_help_begins_with_the_unit(self):
        """By this word the program knows what a unit in a value means."""
        text = " ".join(run("--help").stdout.split())
        found = re.findall(r" -(\w+) \((\w+)", text)
        self.assertGreater(len(found), 20)
        for flag, word in found:
            for part, unit in (("value_bytes", "bytes"), ("cache_size", "bytes"),
                               ("_percent", "percent"), ("_ms", "milliseconds")):
                if part in flag:
                    self.assertEqual(word, unit, flag)

    def test_all_that_was_inserted_is_found_while_the_cache_grows(self):
        document = report(
            "--benchmarks=growth", "--value_bytes=256", "--hit_fill=0.5",
            "--engines=ashlar:auto_hyper_clock_cache,ashlar,ashlar:lru_cache",
        )
        for engine, run_ in document["benchmarks"][0]["engines"].items():
            self.assertGreater(run_["lookups"], 0, engine)
            self.assertEqual(run_["found"], run_["lookups"], engine)
            self.assertGreater(run_["latency_ns"]["count"], 0, engine)
            self.assertEqual(
                run_["entries"], CACHE_SIZE // 256 // 2, engine)
        alone = run("--benchmarks=growth", "--threads=1")
        self.assertIn("--threads of 2 or more", alone.stderr)

    def test_mixed_draws_the_same_operations_for_every_engine(self):
        entry = report("--engines=ashlar,ashlar:lru_cache,rocksdb,limit")
        lookups = {run_["lookups"] for run_ in
                   entry["benchmarks"][0]["engines"].values()}
        self.assertEqual(len(lookups), 1)

    def test_entrants_with_types_and_threads_of_their_own(self):
        document = report(
            "--benchmarks=hot_key",
            "--engines=ashlar,ashlar@1,ashlar:lru_cache@2,limit@1",
        )
        engines = document["benchmarks"][0]["engines"]
        for name, threads in {
            "ashlar": THREADS, "ashlar@1": 1, "ashlar:lru_cache@2": 2,
            "limit@1": 1,
        }.items():
            self.assertEqual(engines[name]["operations"], OPS * threads, name)
        self.assertIn("lru_cache", document["engines"]["ashlar:lru_cache@2"])
        ratios = document["benchmarks"][0]["ratios"]
        self.assertIn("ashlar is x times as fast as ashlar@1", ratios)
        self.assertIn("time of ashlar@1 / limit@1", ratios)
        self.assertNotIn("time of ashlar / limit@1", ratios)

    def test_records_in_the_fifo_cache(self):
        document = report(
            "--benchmarks=record,discard", "--cache_type=fifo_cache",
            "--engines=ashlar@1,ashlar@4,limit@1,limit:erase_oldest@1,"
            "limit:mutexed_lru@4",
        )
        for entry in document["benchmarks"]:
            # As many for all threads together as others do in each.
            for engine, run_ in entry["engines"].items():
                self.assertEqual(run_["operations"], OPS, engine)
            for name in ("ashlar@4 / ashlar@1", "ashlar@1 / limit@1",
                         "ashlar@1 / limit:erase_oldest@1"):
                self.assertIn("CPU time of " + name, entry["ratios"])
            self.assertIn("time of ashlar@4 / limit:mutexed_lru@4",
                          entry["ratios"])
        self.assertIn("fifo_cache of 4194304 bytes after a write buffer of 64",
                      document["engines"]["ashlar@4"])
        many = run("--benchmarks=record", "--cache_type=fifo_cache",
                   "--engines=limit@2")
        self.assertEqual(many.returncode, 1)
        self.assertIn("a bare table is for one thread", many.stderr)

    def test_a_larger_cache_hits_more(self):
        ratios = []
        for resident in ("0.05", "1"):
            entry = report("--engines=ashlar", f"--resident_ratio={resident}",
                           "--pinned_ratio=0")
            run_ = entry["benchmarks"][0]["engines"]["ashlar"]
            ratios.append(run_["found"] / run_["lookups"])
        self.assertLess(ratios[0], 0.6)
        self.assertGreater(ratios[1], 0.8)

    def test_erasures_alone_empty_the_cache(self):
        entry = report(
            "--engines=ashlar,rocksdb", "--lookup_insert_percent=0",
            "--insert_percent=0", "--blind_insert_percent=0",
            "--lookup_percent=0", "--erase_percent=100", "--skew=0",
            "--resident_ratio=1", "--ops_per_thread=30000",
        )
        for run_ in entry["benchmarks"][0]["engines"].values():
            self.assertEqual(run_["lookups"], 0)
            self.assertLess(run_["entries"], 5)

    def test_an_empty_cache_where_nothing_is_populated(self):
        entry = report(
            "--engines=ashlar", "--nopopulate_cache", "--nohistograms",
            "--lookup_insert_percent=0", "--insert_percent=0",
            "--blind_insert_percent=0", "--lookup_percent=100",
            "--erase_percent=0",
        )
        run_ = entry["benchmarks"][0]["engines"]["ashlar"]
        self.assertEqual([run_["found"], run_["entries"]], [0, 0])
        self.assertNotIn("latency_ns", run_)

    def test_real_values_and_statistics(self):
        for lean in ("--lean", "--nolean"):
            entry = report("--engines=ashlar,rocksdb,limit", "--real_values",
                           lean, "--gather_stats", "--gather_stats_sleep_ms=1")
            for run_ in entry["benchmarks"][0]["engines"].values():
                self.assertEqual(run_["operations"], OPS * THREADS)
                self.assertGreater(run_["gather_stats_ns"]["count"], 0)

    def test_lines_for_people(self):
        done = run("--engines=ashlar")
        self.assertRegex(
            done.stdout,
            r"  \d+ operations/s: [\d.]+ ns each, over in [\d.]+ s\n"
            rf"  \d+ operations/s in each of {THREADS} threads; "
            r"[\d.]+ CPU seconds, [\d.]+ CPU ns each\n"
            r"  found [\d.]+ of what was looked up: \d+ of \d+\n"
            r"  \d+ entries, charged \d+ bytes, "
            r"in a table of [\d.]+ bytes per entry\n"
            r"  operations, ns each: mean [\d.]+, deviation [\d.]+, "
            rf"least \d+, most \d+, of {OPS * THREADS}\n"
            r"    50% below [\d.]+, 75% below [\d.]+, 99% below [\d.]+, "
            r"99.9% below [\d.]+, 99.99% below [\d.]+\n",
        )

    def test_keys_that_do_not_fit_are_an_error(self):
        done = run("--engines=ashlar:lru_cache", "--benchmarks=hit",
                   "--hit_fill=1")
        if done.returncode != 0:
            self.assertRegex(done.stderr, r"only \d+ of 1024 keys are resident")
        done = run("--engines=ashlar:lru_cache", "--benchmarks=hit",
                   "--hit_fill=0.99", "--num_shard_bits=6")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"only \d+ of 1013 keys are resident")

    def test_usage_errors(self):
        for flag, reason in {
            "--benchmarks=miss": "unknown benchmark miss",
            "--engines=leveldb": "unknown engine leveldb",
            "--engines=ashlar@two": "unknown number of threads",
            "--engines=ashlar:clock": "engine ashlar has no cache type clock",
            "--engines=ashlar,ashlar": "engine ashlar is listed twice",
            "--engines=ashlar:fifo_cache": "has no benchmark mixed",
            "--benchmarks=record": "has no benchmark record",
            "--cache_type=fifo_cache": "has no cache type fifo_cache",
            "--engines=": "there is no engine to run",
            "--erase_percent=2": "must add up to 100",
            "--threads=0": "must be 1 or more",
            "--resident_ratio=0": "must be above 0",
            "--cache_size=1000": "--cache_size must be",
        }.items():
            done = run(flag)
            self.assertEqual(done.returncode, 2, flag)
            if flag == "--cache_type=fifo_cache" and "skipped" in done.stderr:
                continue  # another engine refuses the type, for its own reason
            self.assertIn(reason, done.stderr)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
