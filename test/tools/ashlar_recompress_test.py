"""recompress: sizes and times of the same table in other codecs."""

import fcntl
import json
import os
import re
import subprocess
import unittest

import cli
from cli import CliTest, PROGRAM, hex_rows, numbered_rows

LINE = re.compile(
    r"Cx level: (-?\d+) Cx size: +(\d+) Uncx size: +(\d+) Ratio: +([\d.]+) "
    r"Write usec: +\d+  Read usec: +\d+  Cx count: +(\d+) \( *([\d.]+)%\) "
    r"Not cx for ratio: +(\d+) \( *[\d.]+%\) "
    r"Not cx otherwise: +(\d+) \( *[\d.]+%\)"
    r"(  Write cpu usec: \d+  Read cpu usec: \d+)?\n")


class RecompressTest(CliTest):

    def setUp(self):
        super().setUp()
        self.build("a.sst", numbered_rows(5000, value_size=60))

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
        self.assertEqual(lines[:3], [
            "Process a.sst\n", "Sst file format: block-based\n",
            "Compression: kNoCompression           Block Size: 4096  "
            "Threads: 2\n"])
        self.assertEqual(lines[4], "Compression: kZSTD                    "
                                   "Block Size: 4096  Threads: 2\n")
        self.assertEqual(len(lines), 8)
        levels = [LINE.fullmatch(line)[1] for line in
                  [lines[3], *lines[5:]]]
        self.assertEqual(levels, ["32767", "1", "2", "3"])
        self.assertEqual(os.listdir(self.folder), ["a.sst"])

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
        outcome = self.run_program(
            "recompress", "--compression_types=kXpressCompression,zstd",
            "--quiet", "a.sst")
        self.assertEqual(outcome.code, 2)
        first, _, last = outcome.text.splitlines(keepends=True)
        self.assertEqual(first,
                         "Unsupported compression type: kXpressCompression.\n")
        self.assertIsNone(LINE.fullmatch(last)[9])

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
        self.assertIn("ashlar: none of the codecs has such a compression "
                      "level\n", outcome.err)
        for reason, flags in {
            "--compression_types: 'x' is no codec's name":
                ["--compression_types=zstd,x"],
            "--compression_level_from and --compression_level_to go together":
                ["--compression_level_to=1"],
            "--compression_level_from is above --compression_level_to":
                ["--compression_level_from=2", "--compression_level_to=1"],
            "--compression_level excludes --compression_level_from and "
            "--compression_level_to":
                ["--compression_level_from=2", "--compression_level=1"],
            "--compression_parallel_threads: above 1024":
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

    def test_damage_while_comparing(self):
        self.build("b.sst", numbered_rows(100000))
        # So long a name that each line of progress fills the pipe.
        name = "./" * 1900 + "b.sst"
        reader, writer = os.pipe()
        fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
        with open(reader, "rb", buffering=0) as errors, subprocess.Popen(
                [PROGRAM, "recompress", "--compression_types=none",
                 "--verify_compression", "--progress=always", name],
                stdout=subprocess.DEVNULL, stderr=writer,
                cwd=self.folder) as run:
            os.close(writer)
            # All is written, and reading it back waits for us.
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
        outcome = self.run_program("recompress", "--tmpdir=/nowhere", "a.sst")
        self.assertEqual(outcome.code, 2)
        self.assertIn("a.sst: IO error: make a scratch file in /nowhere: ",
                      outcome.err)
        self.run_ok("recompress", "a.sst", env={"TMPDIR": str(self.folder)})
        self.assertEqual(os.listdir(self.folder), ["a.sst"])

    def test_damage_ends_the_file(self):
        data = bytearray((self.folder / "a.sst").read_bytes())
        data[100] ^= 1
        (self.folder / "bad.sst").write_bytes(data)
        outcome = self.run_program("recompress", "--json", "bad.sst", "a.sst")
        self.assertEqual(outcome.code, 1)
        self.assertIn("bad.sst: Corruption: block checksum mismatch in data "
                      "block #0 offset 0 ", outcome.err)
        bad, good = json.loads(outcome.out)["files"]
        self.assertEqual((bad["status"], bad["runs"]), ("corrupt", []))
        self.assertGreater(len(good["runs"]), 1)


if __name__ == "__main__":
    cli.main()
