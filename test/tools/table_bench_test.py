"""Runs table_bench as a user does: each benchmark must do what its name says.

Argument: the program. Counts are checked, times are not.
"""

import json
import re
import subprocess
import sys
import unittest

PROGRAM = None
NUM = 3000
READS = 500


def run(*flags):
    return subprocess.run(
        [PROGRAM, *flags], capture_output=True, text=True, check=False
    )


def report(*flags):
    done = run(
        f"--num={NUM}", f"--reads={READS}", "--rounds=1",
        "--keep_disturbed", "--json", *flags,
    )
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)


class TableBenchTest(unittest.TestCase):
    def test_every_benchmark_counts_what_it_reads(self):
        names = (
            "fillseq,filterbuild,readseq,readreverse,readrandom,"
            "readmissing,seekrandom,fwdrange,readwhilewriting,"
            "fwdrangewhilewriting,multireadrandom,blockinsert,verify"
        )
        for codec in ("none", "lz4", "zstd"):
            document = report(
                f"--benchmarks={names}", f"--compression_type={codec}"
            )
            self.assertEqual(document["schema"], "ashlar-bench/1")
            for entry in document["benchmarks"]:
                for engine, run_ in entry["engines"].items():
                    self.check(entry["benchmark"], engine, run_)

    def test_numbers_have_units(self):
        document = report("--benchmarks=fillseq", "--num=2K",
                          "--block_size", "16KiB", "--engines=ashlar")
        entry, = document["benchmarks"]
        self.assertEqual(entry["engines"]["ashlar"]["operations"], 2000)
        self.assertNotEqual(run("--num=2X").returncode, 0)

    def test_workers_and_mapped_files(self):
        document = report(
            "--benchmarks=fillseq,readseq", "--workers=2", "--mmap_read",
            "--engines=ashlar"
        )
        for entry in document["benchmarks"]:
            for engine, run_ in entry["engines"].items():
                self.check(entry["benchmark"], engine, run_)

    def test_engines_with_threads_of_their_own(self):
        document = report(
            "--benchmarks=fillseq,readseq", "--workers=1",
            "--engines=ashlar,ashlar:1,ashlar:3", "--compression_type=lz4"
        )
        engines = document["engines"]
        self.assertIn("workers of a build: 1, its own", engines["ashlar"])
        self.assertIn("serial builds", engines["ashlar:1"])
        self.assertIn("workers of a build: 3, its own", engines["ashlar:3"])
        fill, read = document["benchmarks"]
        for engine in engines:
            self.assertEqual(fill["engines"][engine]["operations"], NUM)
            self.assertEqual(read["engines"][engine]["found"], NUM)
        sizes = {run_["file_bytes"] for run_ in fill["engines"].values()}
        self.assertEqual(len(sizes), 1)
        for what in ("wall", "CPU"):
            self.assertIn(f"{what} time of ashlar / ashlar:1", fill["ratios"])

    def test_many_builders(self):
        one = report("--benchmarks=fillseq", "--engines=ashlar")
        size = one["benchmarks"][0]["engines"]["ashlar"]["file_bytes"]
        for sink in ("file", "null"):
            for crew in ("--pool_threads=2", "--workers=2"):
                document = report(
                    "--benchmarks=multifillseq", "--builders=3", crew,
                    "--engines=ashlar,ashlar:1", f"--sink={sink}"
                )
                entry = document["benchmarks"][0]
                for engine, run_ in entry["engines"].items():
                    if not engine.startswith("ashlar"):
                        continue
                    self.assertEqual(run_["operations"], 3 * NUM)
                    self.assertEqual(run_["file_bytes"], 3 * size)
                    share = entry["ratios"][
                        f"done by the slowest when the first was done, {engine}"
                    ]
                    self.assertTrue(0 <= share["median"] <= 1)
                    stall = entry["ratios"][
                        f"longest stall in seconds, {engine}"]
                    self.assertGreater(stall["most"], 0)

    def test_compactions_get_the_same_tables(self):
        document = report(
            "--benchmarks=compact,readmerged", "--tables=3",
            "--target_file_size=32K", "--compression_type=lz4",
            "--engines=ashlar,ashlar:tables,ashlar:sub2,rocksdb,rocksdb:sub2"
        )
        for entry in document["benchmarks"]:
            self.assertIn("ashlar:sub2", entry["engines"])
            for engine, run_ in entry["engines"].items():
                where = f"{entry['benchmark']} of {engine}"
                self.assertEqual(run_["operations"], NUM, where)
                self.assertEqual(run_["found"], NUM, where)

    def test_merged_seeks_find_the_same(self):
        document = report("--benchmarks=seekmerged", "--tables=3",
                          "--reads=50",
                          "--engines=ashlar,ashlar:tables,rocksdb")
        for engine, run_ in document["benchmarks"][0]["engines"].items():
            self.assertEqual(run_["operations"], 50, engine)
            self.assertEqual(run_["found"], 50 * 20, engine)

    def check(self, benchmark, engine, run_):
        where = f"{benchmark} of {engine}"
        if engine not in ("ashlar", "rocksdb", "rocksdb:db"):
            return
        if benchmark in ("fillseq", "filterbuild", "readseq", "readreverse"):
            self.assertEqual(run_["operations"], NUM, where)
        if benchmark in ("readseq", "readreverse"):
            self.assertEqual(run_["found"], NUM, where)
            self.assertEqual(run_["bytes"], NUM * 116, where)
        if benchmark in ("readrandom", "seekrandom", "readwhilewriting"):
            self.assertEqual(run_["found"], READS, where)
            self.assertEqual(run_["bytes"], READS * 116, where)
        if benchmark.endswith("whilewriting"):
            self.assertGreater(run_["written_bytes"], 0, where)
        if benchmark == "multireadrandom":
            self.assertGreaterEqual(run_["found"], READS, where)
            self.assertEqual(run_["bytes"], run_["found"] * 116, where)
        if benchmark == "blockinsert":
            self.assertEqual(run_["operations"], READS, where)
            # Without the trailer.
            self.assertGreater(run_["bytes"], READS * 3500, where)
            self.assertLess(run_["bytes"], READS * 4300, where)
        if benchmark.startswith("fwdrange"):
            self.assertEqual(run_["found"], READS, where)
            self.assertGreater(run_["bytes"], READS * 116 * 8, where)
            self.assertLessEqual(run_["bytes"], READS * 116 * 10, where)
        if benchmark == "readmissing":
            self.assertEqual(run_["operations"], READS, where)
            self.assertEqual(run_["found"], 0, where)

    def test_the_better_of_rocksdbs_readers_is_told(self):
        document = report("--benchmarks=fillseq,readrandom,blockinsert")
        fill, read, insert = document["benchmarks"]
        self.assertNotIn("rocksdb:db", fill["engines"])
        self.assertNotIn("rocksdb:db", insert["engines"])
        if "rocksdb" not in document["engines"]:
            return  # no RocksDB is set up
        self.assertIn("read-only database", document["engines"]["rocksdb:db"])
        self.assertEqual(fill["fastest_rocksdb"], "rocksdb")
        fastest = read["fastest_rocksdb"]
        times = {name: read["engines"][name]["seconds"]["median"]
                 for name in ("rocksdb", "rocksdb:db")}
        self.assertEqual(fastest, min(times, key=times.get))
        self.assertIn("ashlar is x times as fast as the fastest, " + fastest,
                      read["ratios"])

    def test_without_words_for_entries(self):
        document = report("--benchmarks=readrandom,blockinsert",
                          "--engines=ashlar,ashlar:nowords,rocksdb")
        self.assertIn("without entry words",
                      document["engines"]["ashlar:nowords"])
        for entry in document["benchmarks"]:
            self.assertIn("ashlar is x times as fast as ashlar:nowords",
                          entry["ratios"])
            if "fastest_rocksdb" in entry:
                self.assertIn("ashlar:nowords is x times as fast as the "
                              "fastest, " + entry["fastest_rocksdb"],
                              entry["ratios"])

    def test_what_counting_costs(self):
        document = report("--benchmarks=readrandom",
                          "--engines=ashlar,ashlar:stats,ashlar:perf")
        engines = document["engines"]
        self.assertIn("with statistics", engines["ashlar:stats"])
        self.assertIn("with a perf context", engines["ashlar:perf"])
        self.assertNotIn("with ", engines["ashlar"].replace(
            "with a word for each entry", ""))
        for name in ("ashlar:stats", "ashlar:perf"):
            self.assertIn("ashlar is x times as fast as " + name,
                          document["benchmarks"][0]["ratios"])

    def test_allocations_are_counted(self):
        document = report("--benchmarks=readrandom,readseq",
                          "--engines=ashlar,rocksdb")
        read, scan = document["benchmarks"]
        for engine, run_ in read["engines"].items():
            # At least what is allocated for the whole run.
            self.assertGreater(run_["allocations"], 0, engine)
            self.assertLess(run_["allocations"], 3 * READS, engine)
        self.assertNotIn("allocations", scan["engines"]["ashlar"])

    def test_hot_keys(self):
        # True if no range begins so near the end that it is cut short.
        for flags, whole in {
            ("--skew=64.512",): True,
            ("--hot_keys=600",): True,
            ("--hot_keys=600", "--spread_keys"): False,
            ("--skew=none", "--hot_keys=1"): False,
            (f"--skew=1.{NUM}",): False,
        }.items():
            document = report("--benchmarks=fwdrange", "--reads=60000",
                              "--engines=ashlar,rocksdb", *flags)
            for engine, run_ in document["benchmarks"][0]["engines"].items():
                self.assertEqual(run_["bytes"] == 60000 * 116 * 10, whole,
                                 (flags, engine))

    def test_large_batches_over_few_keys(self):
        # More keys than RocksDB's file readers take at once.
        for flags in ("--hot_keys=5", "--hot_keys=500"):
            document = report("--benchmarks=multireadrandom", flags,
                              "--reads=2000", "--batch_size=200")
            for engine, run_ in document["benchmarks"][0]["engines"].items():
                self.assertEqual(run_["found"], 2000, (flags, engine))

    def test_cold_reads(self):
        ways = ("ashlar", "ashlar:gets", "ashlar:multiread", "ashlar:reads")
        document = report("--benchmarks=multireadrandom", "--reads=64",
                          "--batch_size=64", "--cold", "--cache_size=0",
                          "--engines=" + ",".join(ways))
        engines = document["benchmarks"][0]["engines"]
        for way in ways:
            self.assertEqual(engines[way]["found"], 64, way)
        # Both read the blocks of these keys, and not the whole file.
        self.assertEqual(engines[ways[2]]["bytes"], engines[ways[3]]["bytes"])
        self.assertGreater(engines[ways[2]]["bytes"], 64 * 1000)
        self.assertLess(engines[ways[2]]["bytes"], 64 * 4400)
        walks = report("--benchmarks=readseq,readreverse", "--cold",
                       "--cache_size=0", "--readahead_size=64K",
                       "--engines=ashlar,ashlar:async")
        for entry in walks["benchmarks"]:
            for engine, run_ in entry["engines"].items():
                self.assertEqual(run_["found"], NUM, engine)

    def test_a_cache_that_holds_a_part(self):
        document = report(
            "--benchmarks=readrandom,multireadrandom,seekrandom,blockinsert",
            "--cache_percent=25", "--compression_type=zstd", "--batch_size=10",
        )
        for entry in document["benchmarks"][:3]:
            for engine, run_ in entry["engines"].items():
                self.assertEqual(run_["found"], READS, engine)
        self.assertIn("25.0", document["engines"]["ashlar"])

    def test_a_second_tier_holds_what_the_first_has_not(self):
        done = run(
            f"--num={NUM}", f"--reads={READS}", "--rounds=1",
            "--keep_disturbed", "--json", "--benchmarks=readrandom",
            "--engines=ashlar,ashlar:onetier,rocksdb,rocksdb:onetier",
            "--cache_size=65536", "--compressed_secondary_cache_size=300000",
            "--cache_report",
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        document = json.loads(done.stdout)
        engines = document["engines"]
        for engine, run_ in document["benchmarks"][0]["engines"].items():
            self.assertEqual(run_["found"], READS, engine)
            self.assertEqual("second tier of 0 MiB, lz4" in engines[engine],
                             not engine.endswith(":onetier"), engine)
        self.assertIn("second tier, CompressedSecondaryCache", done.stderr)
        # Ours only: by role and age, with both tiers and with one.
        self.assertEqual(done.stderr.count("\nDataBlock "), 2, done.stderr)
        shares = [float(share) for share in
                  re.findall(r"first tier, ([\d.]+) % in the second",
                             done.stderr)]
        if "rocksdb" not in engines:
            return  # no RocksDB is set up
        self.assertEqual(len(shares), 3, done.stderr)
        by_name = dict(zip([name for name in engines
                            if name.startswith("rocksdb")], shares))
        self.assertEqual(by_name["rocksdb:onetier"], 0)
        self.assertGreater(by_name["rocksdb"], 30)
        self.assertGreater(by_name["rocksdb:db"], 30)

    def test_random_keys_and_threads(self):
        document = report(
            "--benchmarks=readrandom,readmissing", "--key_kind=random",
            "--key_size=30", "--threads=2", "--engines=ashlar",
        )
        found = [e["engines"]["ashlar"]["found"]
                 for e in document["benchmarks"]]
        self.assertEqual(found, [READS, 0])

    def test_own_cost_is_told_on_a_null_sink(self):
        document = report("--sink=null", "--engines=ashlar")
        ratios = document["benchmarks"][0]["ratios"]
        self.assertIn("own cost of ashlar / copy", ratios)
        self.assertEqual(
            document["benchmarks"][0]["engines"]["ashlar"]["operations"], NUM
        )

    def test_lines_are_those_of_db_bench(self):
        done = run(
            f"--num={NUM}", "--rounds=1", "--keep_disturbed",
            "--engines=ashlar", "--benchmarks=fillseq",
        )
        self.assertRegex(
            done.stdout,
            r"fillseq +: +[\d.]+ micros/op \d+ ops/sec [\d.]+ seconds "
            rf"{NUM} operations; +[\d.]+ MB/s; [\d.]+ CPU seconds, "
            r"[\d.]+ MiB peak \[ashlar\]",
        )

    def test_opened_tables(self):
        names = ("open", "openget", "openall", "reopen", "lsmget")
        document = report(
            f"--benchmarks={','.join(names)}", "--tables=3",
            "--cache_size=8M", "--compression_type=zstd",
            "--engines=ashlar,ashlar:at_open,ashlar:at_first_use,rocksdb")
        engines = document["engines"]
        self.assertIn("loaded index_at_first_use", engines["ashlar"])
        self.assertIn("loaded at_open", engines["ashlar:at_open"])
        heap = {}
        for entry in document["benchmarks"]:
            name = entry["benchmark"]
            for engine, run_ in entry["engines"].items():
                where = f"{name} of {engine}"
                gets = {"openget": 3, "openall": 3, "lsmget": READS}
                self.assertEqual(run_["found"], gets.get(name, 0), where)
                self.assertEqual(run_["operations"],
                                 READS if name == "lsmget" else 3, where)
                heap[name, engine] = run_["heap_bytes_per_table"]
            for what in ("time", "memory") if "rocksdb" in engines else ():
                if what == "time" or name != "lsmget":
                    self.assertIn(f"{what} of ashlar:at_open / rocksdb",
                                  entry["ratios"], name)
        if heap["open", "ashlar"] == 0:
            return  # this C library does not tell
        # A filter of 10 bits for 3,000 keys, and an index of 88 blocks.
        late, default, early = (
            heap["open", "ashlar" + name]
            for name in (":at_first_use", "", ":at_open"))
        self.assertGreater(default, late + 3700)
        self.assertGreater(early, default + 700)
        # After a read, all readers have all parts.
        self.assertGreater(heap["openget", "ashlar:at_first_use"], late + 3700)
        # In the cache, the parts are not the reader's.
        self.assertLess(heap["reopen", "ashlar:at_open"], late + 3700)

    def test_opened_tables_with_metadata_in_the_cache(self):
        document = report(
            "--benchmarks=open,lsmget", "--tables=3", "--cache_size=8M",
            "--load_index_and_filter=at_open",
            "--cache_index_and_filter_blocks", "--engines=ashlar,rocksdb")
        for engine, words in document["engines"].items():
            self.assertIn("index and filter in the block cache", words, engine)
        for engine, run_ in document["benchmarks"][1]["engines"].items():
            self.assertEqual(run_["found"], READS, engine)

    def test_opened_tables_need_room_in_the_cache(self):
        for benchmark, reason in {
            "reopen": "the cache does not hold all indexes and filters",
            "lsmget": "the cache does not hold every block",
        }.items():
            done = run(f"--num={NUM}", f"--reads={READS}", "--rounds=1",
                       "--keep_disturbed", f"--benchmarks={benchmark}",
                       "--tables=8", "--cache_size=4K", "--engines=ashlar")
            self.assertEqual(done.returncode, 1, benchmark)
            self.assertIn(reason, done.stderr)

    def test_usage_errors(self):
        for flag, reason in {
            "--benchmarks=fillrandom": "unknown benchmark fillrandom",
            "--engines=leveldb": "unknown engine leveldb",
            "--engines=ashlar:two": "unknown engine ashlar:two",
            "--engines=limit:2": "unknown engine limit:2",
            "--engines=limit:onetier": "unknown engine limit:onetier",
            "--engines=ashlar:db": "unknown engine ashlar:db",
            "--engines=rocksdb:gets": "unknown engine rocksdb:gets",
            "--tables=0": "must be 1 or more",
            "--load_index_and_filter=kAtOpen": "must be at_open, index_at_",
            "--engines=rocksdb:at_open": "unknown engine rocksdb:at_open",
            "--cold": "--cold needs --cache_size=0",
            "--skew=64": "--skew must be none or P.R",
            "--skew=0.512": "--skew must be none or P.R",
            "--skew=64.512x": "--skew must be none or P.R",
            "--cache_type=clock": "--cache_type must be",
            "--batch_size=0": "must be 1 or more",
            "--builders=0": "must be 1 or more",
            "--sink=pipe": "--sink must be file or null",
            "--compression_type=zip": "is no codec of this build",
            "--key_size=2": "--num does not fit",
            "--threads=0": "must be 1 or more",
            "--db=/dev/null/folder": "cannot make folder",
        }.items():
            done = run(f"--num={NUM}", flag)
            if "rocksdb" in flag and "rocksdb is skipped" in done.stderr:
                continue  # only the engine itself knows its readers
            self.assertEqual(done.returncode, 2, flag)
            self.assertIn(reason, done.stderr)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
