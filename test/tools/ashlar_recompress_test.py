"""recompress: sizes and times of the same table with other codecs."""

import fcntl
import json
import os
import re
import subprocess
import unittest

import cli
from cli import CliTest, GOLDEN, PROGRAM, hex_rows, numbered_rows

LINE = re.compile(
    r"Cx level: (-?\d+) Cx size: +(\d+) Uncx size: +(\d+) Ratio: +([\d.]+) "
    r"Write usec: +\d+  Read usec: +\d+  Cx count: +(\d+) \( *([\d.]+)%\) "
    r"Not cx for ratio: +(\d+) \( *[\d.]+%\) "
    r"Not cx otherwise: +(\d+) \( *[\d.]+%\)"
    r"(  Write cpu usec: \d+  Read cpu usec: \d+)?\n")


BASELINE = re.compile(
    r"Baseline: (\w+) +Cx size: +(\d+) Uncx size: +(\d+) Ratio: +([\d.]+)  "
    r"Blocks: (\d+)( of (\d+))?\n")


class RecompressTest(CliTest):

    def setUp(self):
        super().setUp()
        self.build_once("a.sst", numbered_rows(5000, value_size=60))

    def runs(self, *flags, name="a.sst"):
        document = json.loads(self.run_ok("recompress", "--json", *flags,
                                          name).out)
        return document["files"][0]["runs"]

    def test_text(self):
        outcome = self.run_ok(
            "--command=recompress", "--file=a.sst", "--set_block_size=4096",
            "--compression_types=kNoCompression,kZSTD,zstd",
            "--compression_level_from=1", "--compression_level_to=3",
            "--compression_parallel_threads=2")
        lines = outcome.text.splitlines(keepends=True)
        self.assertEqual(lines[:2], [
            "Process a.sst\n", "Sst file format: block-based\n"])
        self.assertRegex(lines.pop(2), BASELINE)
        self.assertEqual(lines[2], "Compression: kNoCompression           "
                                   "Block Size: 4096  Threads: 2\n")
        self.assertEqual(lines[4], "Compression: kZSTD                    "
                                   "Block Size: 4096  Threads: 2\n")
        self.assertEqual(len(lines), 8)
        levels = [LINE.fullmatch(line)[1] for line in
                  [lines[3], *lines[5:]]]
        self.assertEqual(levels, ["32767", "1", "2", "3"])
        self.assertEqual(os.listdir(self.folder), ["a.sst"])

    def test_baseline_is_the_file_as_stored(self):
        """A file that is rebuilt with its own options has the same numbers."""
        rows = self.run_ok("scan", "--output_format=canonical", "a.sst").out
        for codec, flags in (
                ("kZSTD", ["--compression_type=zstd"]),
                ("kSnappyCompression", ["--compression_type=snappy",
                                        "--format_version=7"]),
                ("kNoCompression", ["--compression_type=none",
                                    "--format_version=7"]),
                ("kZSTD", ["--compression_type=zstd", "--index_type=partitioned",
                           "--metadata_block_size=200"])):
            self.build("b.sst", rows, "--overwrite", "--block_size=2000",
                       *flags)
            recompress = ["recompress", f"--compression_types={codec}",
                          "--block_size=2000"]
            text = self.run_ok(*recompress, "b.sst").text.splitlines(True)
            stored, made = BASELINE.fullmatch(text[2]), LINE.fullmatch(text[4])
            self.assertEqual(stored[1], codec)
            self.assertEqual(stored.group(2, 3, 4), made.group(2, 3, 4), flags)
            self.assertIsNone(stored[6])
            file, = json.loads(self.run_ok(*recompress, "--json",
                                           "b.sst").out)["files"]
            baseline, run = file["baseline"], file["runs"][0]
            for name in ("codec", "data_size", "uncompressed_size", "ratio"):
                self.assertEqual(baseline[name], run[name], (flags, name))
            self.assertEqual((baseline["blocks"], baseline["file_blocks"]),
                             (int(stored[5]), int(stored[5])))
        self.assertNotIn("Baseline", self.run_ok(
            *recompress, "--quiet", "b.sst").text)

    def test_baseline_leaves_out_padding(self):
        rows = self.run_ok("scan", "--output_format=canonical", "a.sst").out
        for flags in (["--block_align"],
                      ["--super_block_alignment_size=16384",
                       "--super_block_alignment_space_overhead_ratio=4"]):
            self.build("b.sst", rows, "--overwrite", "--compression_type=none",
                       "--block_size=2048", *flags)
            found = [json.loads(self.run_ok(
                "recompress", "--json", "--compression_types=none", *sample,
                "b.sst").out)["files"][0]["baseline"]
                for sample in ([], ["--sample=100000"])]
            self.assertEqual(found[0], found[1], flags)

    def test_baseline_of_other_files(self):
        for name, *codecs in (
                ("ldb-snappy.ldb", "unknown", "Snappy"),
                ("ldb-plain.ldb", "unknown", "NoCompression"),
                ("r119-comp-mixed.sst", "NoCompression", "NoCompression"),
                ("r119-comp-zlib-fv6.sst", "Zlib", "Zlib"),
                ("r119-comp-lz4hc-fv7.sst", "LZ4HC", "LZ4HC"),
                ("r119-part-fv7.sst", "NoCompression", "NoCompression")):
            path = GOLDEN / name
            for sample, codec in zip(([], ["--sample=1000"]), codecs):
                found, = json.loads(self.run_ok(
                    "recompress", "--json", "--compression_types=none",
                    *sample, path).out)["files"]
                layout, = json.loads(self.run_ok("layout", "--json",
                                                 path).out)["files"]
                data = [block for block in layout["blocks"]
                        if block["kind"] == "data"]
                baseline = found["baseline"]
                expected = (sum(block["size"] + 5 for block in data),
                            sum(block["raw_size"] for block in data), len(data))
                self.assertEqual(
                    (baseline["data_size"], baseline["uncompressed_size"],
                     baseline["blocks"]), expected, name)
                self.assertEqual(baseline["codec"], codec, name)

    def test_sample(self):
        self.build("b.sst", numbered_rows(5000, value_size=60),
                   "--block_size=512")
        flags = ["--compression_types=none,zstd", "--block_size=512", "--json"]
        def sizes(file):
            return [(run["uncompressed_size"], run["data_size"])
                    for run in file["runs"]]
        def recompressed(*more):
            file, = json.loads(self.run_ok("recompress", *flags, *more,
                                           "b.sst").out)["files"]
            return file
        whole = recompressed()
        for everything in ("--sample=0", "--sample=1000000"):
            self.assertEqual(sizes(recompressed(everything)), sizes(whole))
        for wanted in (1, 2, 16, 64):
            some = recompressed(f"--sample={wanted}")
            baseline = some["baseline"]
            self.assertEqual(baseline["file_blocks"],
                             whole["baseline"]["blocks"])
            self.assertLessEqual(baseline["blocks"], max(wanted, 2))
            self.assertGreater(baseline["blocks"], wanted / 2)
            # About the size of these blocks; the difference is where blocks are
            # cut.
            self.assertAlmostEqual(
                sizes(some)[0][0] / baseline["uncompressed_size"], 1, 1)
            if wanted == 64:
                self.assertAlmostEqual(baseline["ratio"],
                                       whole["baseline"]["ratio"], 0)
        text = self.run_ok("recompress", "--compression_types=zstd",
                           "--sample=16", "b.sst").text
        found = BASELINE.search(text)
        self.assertEqual(int(found[7]), whole["baseline"]["blocks"])
        # Damage is reported wherever it is.
        self.flip("b.sst", 5000)
        outcome = self.run_code(1, "recompress", "--sample=2", "b.sst")
        self.assertIn("Corruption: block checksum mismatch", outcome.err)
        self.assertNotIn("Cx size", outcome.text)

    def test_sample_of_keys_with_timestamps(self):
        for name in ("r119-ts.sst", "r119-ts-stripped.sst", "r119-reverse.sst"):
            self.assertGreater(self.runs("--sample=4", name=GOLDEN / name)[0][
                "uncompressed_size"], 0)

    def test_default_is_every_codec(self):
        version = json.loads(self.run_ok("--version", "--json").out)
        runs = self.runs()
        self.assertEqual([run["codec"] for run in runs], version["codecs"])
        for run in runs:
            self.assertEqual((run["level"], run["block_size"]),
                             (32767, 16384))
        plain = runs[0]
        self.assertEqual(plain["data_size"], plain["uncompressed_size"] +
                         5 * (plain["blocks_rejected"] +
                              plain["blocks_bypassed"]))
        self.assertLess(runs[-1]["data_size"], plain["data_size"])

    def test_sizes_are_those_of_a_table_so_built(self):
        rows = self.run_ok("scan", "--output_format=canonical", "a.sst").out
        for flags in (["--block_size=1000"], ["--compression_level=9"],
                      ["--compression_max_dict_bytes=2048"],
                      ["--noenable_index_compression"],
                      ["--compression_max_compressed_bytes_per_kb=0"]):
            if "--block_size=1000" not in flags:
                flags.append("--block_size=16384")
            run, = self.runs("--compression_types=zstd", *flags)
            self.build("b.sst", rows, "--overwrite", "--compression_type=zstd",
                       "--filter=none", *flags)
            made = json.loads(self.run_ok("properties", "--json", "b.sst").out)
            made = made["files"][0]["properties"]
            self.assertEqual(
                (run["data_size"], run["index_size"],
                 run["blocks_compressed"] + run["blocks_rejected"] +
                 run["blocks_bypassed"]),
                (made["data_size"], made["index_size"],
                 made["num_data_blocks"]), flags)
            if "per_kb" in flags[0]:
                self.assertEqual(run["blocks_compressed"], 0)

    def test_same_whatever_the_threads(self):
        def sizes(*flags):
            return [{name: value for name, value in run.items()
                     if not name.endswith("_us") and name != "threads"}
                    for run in self.runs(*flags)]
        one = sizes("--threads=1")
        for flags in (["--threads=8"], ["--compression_parallel_threads=1"],
                      ["--compression_parallel_threads=3"], []):
            self.assertEqual(sizes(*flags), one)
        self.assertEqual(self.runs("--threads=5")[0]["threads"], 5)
        self.assertEqual(self.runs("--threads=4000000000")[0]["threads"], 32)

    def test_codec_that_is_not_there(self):
        outcome = self.run_code(
            2, "recompress", "--compression_types=kXpressCompression,zstd",
            "--quiet", "a.sst")
        first, _, last = outcome.text.splitlines(keepends=True)
        self.assertEqual(first,
                         "Unsupported compression type: kXpressCompression.\n")
        self.assertIsNone(LINE.fullmatch(last)[9])
        outcome = self.run_code(
            2, "recompress", "--compression_types=kXpressCompression,zstd",
            "--json", "a.sst")
        file, = json.loads(outcome.out)["files"]
        self.assertEqual(file["errors"], [
            {"code": "Not supported",
             "message": "compression kXpressCompression"}])
        self.assertEqual(len(file["runs"]), 1)
        self.assertEqual(json.loads(outcome.out)["summary"]["failed"], 1)

    def test_levels(self):
        levels = [run["level"] for run in self.runs(
            "--compression_types=snappy,zlib", "--compression_level=2")]
        self.assertEqual(levels, [32767, 2])
        outcome = self.run_ok(
            "recompress", "--compression_types=zlib", "--json",
            "--compression_level_from=8", "--compression_level_to=30", "a.sst")
        self.assertIn("ashlar: warning: kZlibCompression has levels -1 to 9 "
                      "only\n", outcome.err)
        self.assertEqual(
            [run["level"] for run in
             json.loads(outcome.out)["files"][0]["runs"]], [8, 9])
        outcome = self.run_program(
            "recompress", "--compression_types=zlib,lz4hc",
            "--compression_level=100", "a.sst")
        self.assertEqual((outcome.code, outcome.text), (2, ""))
        self.assertIn("ashlar: none of the codecs has this compression "
                      "level\n", outcome.err)
        for reason, flags in {
            "--compression_types: 'x' is not the name of a codec":
                ["--compression_types=zstd,x"],
            "--compression_level_from and --compression_level_to go together":
                ["--compression_level_to=1"],
            "--compression_level_from is above --compression_level_to":
                ["--compression_level_from=2", "--compression_level_to=1"],
            "--compression_level excludes --compression_level_from and "
            "--compression_level_to":
                ["--compression_level_from=2", "--compression_level=1"],
            "--compression_parallel_threads: '1025' is out of range, expected "
            "at most 1024":
                ["--compression_parallel_threads=1025"],
        }.items():
            self.assert_usage_error(reason, "recompress", *flags, "a.sst")

    def test_all_kinds_of_entries(self):
        self.build("t.sst", hex_rows([
            (b"a", 9, 0, b""), (b"a", 5, 1, b"old"), (b"b", 7, 7, b""),
            (b"c", 8, 2, b"+1"), (b"c", 1, 1, b"0"), (b"b", 3, 15, b"d")]))
        run, = self.runs("--compression_types=none", "--verify_compression",
                         name="t.sst")
        self.assertEqual(run["blocks_rejected"] + run["blocks_bypassed"], 1)
        self.build("ts.sst", b"61" + b"00" * 8 + b" 7 1 6e\n",
                   "--comparator=leveldb.BytewiseComparator.u64ts")
        self.runs("--verify_compression", name="ts.sst")

    def test_one_bar_for_all_codecs(self):
        for flags, parts in (([], 2), (["--verify_compression"], 3)):
            outcome = self.run_ok(
                "recompress", "--progress=always",
                "--compression_types=none,snappy,zstd", "--block_size=64",
                "--compression_level_from=2", "--compression_level_to=3",
                *flags, "a.sst")
            lines = re.findall(r"a\.sst: (.*): (\d+) % .* of ([0-9.]+) MB",
                               outcome.err)
            names = [name for name, _, _ in lines]
            self.assertEqual(list(dict.fromkeys(names)),
                             ["NoCompression", "Snappy", "ZSTD level 2",
                              "ZSTD level 3"])
            # It never goes back, and ends once.
            percents = [int(percent) for _, percent, _ in lines]
            self.assertEqual(percents, sorted(percents))
            self.assertEqual(percents[-1], 100)
            for name in set(names):
                mine = [percent for each, percent in zip(names, percents)
                        if each == name]
                self.assertLessEqual(mine[-1] - mine[0], 25)
            self.assertEqual(len({total for _, _, total in lines}), 1)
            size = (self.folder / "a.sst").stat().st_size
            self.assertAlmostEqual(float(lines[0][2]), 4 * parts * size / 1e6,
                                   delta=0.06)

    def test_damage_while_comparing(self):
        self.build("b.sst", numbered_rows(100000))
        # The name is so long that each progress line fills the pipe.
        name = "./" * 1900 + "b.sst"
        reader, writer = os.pipe()
        fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
        with open(reader, "rb", buffering=0) as errors, subprocess.Popen(
                [PROGRAM, "recompress", "--compression_types=none",
                 "--verify_compression", "--progress=always", name],
                stdout=subprocess.DEVNULL, stderr=writer,
                cwd=self.folder) as run:
            os.close(writer)
            # All blocks are written, and reading them back waits for this test.
            while b"\n" not in (text := errors.read(1000)):
                self.assertNotEqual(text, b"")
            with open(self.folder / "b.sst", "r+b") as file:
                file.seek(100)
                file.write(b"!!")
            text += errors.read()
            self.assertEqual(run.wait(), 1)
        self.assertIn(b"Corruption: block checksum mismatch in data block #0 ",
                      text)

    def test_scratch_folder(self):
        outcome = self.run_code(2, "recompress", "--tmpdir=/nowhere", "a.sst")
        self.assertIn("a.sst: IO error: make a scratch file in /nowhere: ",
                      outcome.err)
        self.run_ok("recompress", "a.sst", env={"TMPDIR": str(self.folder)})
        self.assertEqual(os.listdir(self.folder), ["a.sst"])

    def test_damage_ends_the_file(self):
        self.flip("a.sst", 100, to="bad.sst")
        outcome = self.run_code(1, "recompress", "--json", "bad.sst", "a.sst")
        self.assertIn("bad.sst: Corruption: block checksum mismatch in data "
                      "block #0 offset 0 ", outcome.err)
        bad, good = json.loads(outcome.out)["files"]
        self.assertEqual((bad["status"], bad["runs"]), ("corrupt", []))
        self.assertGreater(len(good["runs"]), 1)


if __name__ == "__main__":
    cli.main()
