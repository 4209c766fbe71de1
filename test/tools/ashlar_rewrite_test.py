"""rewrite: the same entries in another form. diff: how two tables differ."""

import json
import os
import unittest

import cli
from cli import CliTest, GOLDEN, hex_rows, numbered_rows

MIXED = [(b"a", 9, 0, b""), (b"a", 5, 1, b"old"), (b"b", 7, 7, b""),
         (b"c", 8, 2, b"+1"), (b"c", 1, 1, b"0"), (b"b", 3, 15, b"d")]


class RewriteTest(CliTest):

    def rows(self, *names):
        return self.run_ok("scan", "--output_format=canonical", *names).out

    def properties(self, name):
        found, = self.properties_of_each([name])
        return found

    def properties_of_each(self, names):
        document = json.loads(self.run_ok("properties", "--json", *names).out)
        return [file["properties"] for file in document["files"]]

    def test_entries_stay(self):
        names = [self.build("a.sst", hex_rows(MIXED), "--format_version=3")]
        for flags in ([], ["--format_version=7"], ["--compression_type=lz4"],
                      ["--filter=none", "--block_size=64"],
                      ["--index_type=partitioned", "--partition_filters"]):
            names.append(f"{len(names)}.sst")
            self.run_ok("rewrite", "a.sst", f"--out={names[-1]}", *flags)
        rows, *others = self.scan_each(names)
        self.assertEqual(len(rows), len(MIXED))
        self.assertEqual(others, [rows] * 5)
        self.run_ok("verify", *names[1:])

    def test_what_is_kept(self):
        self.build("a.sst", numbered_rows(3000), "--format_version=4",
                   "--block_size=2048", "--creation_time=1234",
                   "--block_restart_interval=7",
                   "--index_block_restart_interval=3",
                   "--prefix_extractor=rocksdb.FixedPrefix.4")
        self.run_ok("rewrite", "a.sst", "--out=b.sst",
                    "--compression_type=zstd")
        a, b = self.properties("a.sst"), self.properties("b.sst")
        for name, value in a.items():
            if name not in ("db_session_id", "unique_id", "file_creation_time"):
                self.assertEqual(b[name], value, name)
        self.assertNotEqual(a["unique_id"], b["unique_id"])
        self.run_ok("rewrite", "a.sst", "--out=c.sst", "--format_version=6",
                    "--block_size=512", "--identity=01")
        c = self.properties("c.sst")
        self.assertGreater(c["num_data_blocks"], 3 * b["num_data_blocks"])
        self.run_ok("rewrite", "a.sst", "--out=d.sst", "--format_version=6",
                    "--block_size=512", "--identity=01")
        self.assertEqual((self.folder / "c.sst").read_bytes(),
                         (self.folder / "d.sst").read_bytes())

    def test_hash_index_by_the_kept_extractor(self):
        self.build("a.sst", numbered_rows(300),
                   "--prefix_extractor=rocksdb.FixedPrefix.4")
        self.run_ok("rewrite", "a.sst", "--out=b.sst", "--index_type=hash")
        self.assertEqual(self.properties("b.sst")["prefix_extractor_name"],
                         "rocksdb.FixedPrefix.4")
        layout = self.run_ok("layout", "--list_meta_blocks", "b.sst").text
        self.assertIn("rocksdb.hashindex.prefixes", layout)
        self.run_ok("salvage", "b.sst", "--out=c.sst", "--index_type=hash")
        self.run_ok("verify", "b.sst", "c.sst")
        # This table has no prefix extractor to keep.
        self.build("n.sst", numbered_rows(3))
        outcome = self.run_code(2, "rewrite", "n.sst", "--out=d.sst",
                                "--index_type=hash")
        self.assertIn("prefix_extractor is null", outcome.err)
        self.assertFalse((self.folder / "d.sst").exists())
        self.assert_usage_error("--index_type=hash needs --prefix_extractor",
                                "build", "--out=e.sst", "--index_type=hash")

    def test_block_size_stays(self):
        # Long shared prefixes: blocks are far smaller than keys and values.
        self.build("a.sst", hex_rows([(b"p" * 100 + b"%06d" % i, 0, 1, b"v" * 9)
                                      for i in range(5000)]))
        for size in (4096, 6000):
            self.run_ok("rewrite", "a.sst", "--out=0.sst", "--overwrite",
                        f"--block_size={size}")
            for i in range(4):
                self.run_ok("rewrite", f"{i}.sst", f"--out={i + 1}.sst",
                            "--overwrite")
            first, *blocks = [
                found["num_data_blocks"] for found in self.properties_of_each(
                    [f"{i}.sst" for i in range(5)])]
            self.assertEqual(blocks, [blocks[0]] * 4)
            self.assertAlmostEqual(blocks[0] / first, 1, delta=.1)

    def patched(self, name, old, new, *flags):
        self.build(name, numbered_rows(9), "--checksum_type=kNoChecksum",
                   *flags)
        data = (self.folder / name).read_bytes()
        self.assertEqual((data.count(old), len(new)), (1, len(old)))
        (self.folder / name).write_bytes(data.replace(old, new))

    def test_properties_that_cannot_be_kept(self):
        self.patched("a.sst", b"rocksdb.FixedPrefix.4",
                     b"rocksdb.OtherPrefix.4",
                     "--prefix_extractor=rocksdb.FixedPrefix.4")
        most = b"interval\xff\xff\xff\xff"
        self.patched("b.sst", most + b"\x07", most + b"\x0f",
                     f"--block_restart_interval={2**31 - 1}")
        for command in ("rewrite", "salvage"):
            outcome = self.run_ok(command, "a.sst", "--out=c.sst",
                                  "--overwrite")
            self.assertIn("ashlar: warning: a.sst: prefix_extractor "
                          "rocksdb.OtherPrefix.4 is not built in; the new "
                          "table has none\n", outcome.err)
            outcome = self.run_ok(command, "b.sst", "--out=c.sst",
                                  "--overwrite")
            self.assertIn("ashlar: warning: b.sst: block_restart_interval "
                          "4294967295 is out of range; the new table uses 16\n",
                          outcome.err)
            self.assertEqual(self.rows("c.sst"), self.rows("b.sst"))

    def test_creation_time(self):
        self.build("a.sst", numbered_rows(9), "--creation_time=5")
        self.run_ok("rewrite", "a.sst", "--out=b.sst",
                    env={"SOURCE_DATE_EPOCH": "7"})
        b = self.properties("b.sst")
        self.assertEqual((b["creation_time"], b["file_creation_time"]), (7, 7))

    @unittest.skipUnless((GOLDEN / "golden.tsv").exists(), "no golden files")
    def test_format_version_of_the_footer(self):
        for version, written in ((0, 2), (1, 2), (3, 3), (4, 4), (5, 5)):
            for command in ("rewrite", "salvage"):
                outcome = self.run_ok(
                    command, GOLDEN / f"r78-fv{version}-crc32c.sst",
                    "--out=b.sst", "--overwrite")
                found = json.loads(self.run_ok("identify", "--json",
                                               "b.sst").out)["files"][0]
                self.assertEqual(found["format_version"], written)
                self.assertEqual(f"format version {version} cannot be written; "
                                 "the new table has version 2" in outcome.err,
                                 version != written)

    @unittest.skipUnless((GOLDEN / "golden.tsv").exists(), "no golden files")
    def test_sequence_numbers_of_external_files(self):
        paths = sorted(GOLDEN.glob("peb-*.sst"))
        names = [path.name for path in paths]
        for path in paths:
            self.run_ok("rewrite", path, f"--out={path.name}")
        for name, rows, expected in zip(names, self.scan_each(names),
                                        self.scan_each(paths)):
            self.assertEqual(rows, expected, name)
        self.build("a.sst", numbered_rows(3), "--external")
        for path in ("a.sst", GOLDEN / "r78-fv5-crc32c.sst"):
            self.run_ok("rewrite", path, "--out=b.sst", "--overwrite")
            self.assertIn("external_sst_file", self.run_ok(
                "properties", "b.sst").text, path)

    def test_sizes_are_those_that_recompress_told(self):
        self.build("a.sst", numbered_rows(3000))
        for flags in (["--compression_level=1"],
                      ["--compression_max_dict_bytes=1000"]):
            flags.append("--block_size=3000")
            told = json.loads(self.run_ok(
                "recompress", "--compression_types=zstd", "--json", *flags,
                "a.sst").out)["files"][0]["runs"][0]
            self.run_ok("rewrite", "a.sst", "--out=b.sst", "--overwrite",
                        "--compression_type=zstd", *flags)
            self.assertEqual(self.properties("b.sst")["data_size"],
                             told["data_size"])

    def test_what_it_says(self):
        self.build("a.sst", numbered_rows(3))
        outcome = self.run_ok("rewrite", "a.sst", "--out=b.sst")
        self.assertRegex(outcome.err,
                         r"^wrote b.sst: 3 entries, \d+ bytes, ratio ")
        document = json.loads(self.run_ok("rewrite", "--json", "a.sst",
                                          "--out=c.sst").out)
        file = document["files"][0]
        self.assertEqual((file["path"], file["out"], file["num_entries"]),
                         ("a.sst", "c.sst", 3))
        outcome = self.run_program("rewrite", "a.sst", "--out=b.sst")
        self.assertEqual((outcome.code, outcome.err), (
            2, "ashlar: b.sst exists; --overwrite replaces it\n"))
        self.assert_usage_error("rewrite takes one file", "rewrite", "a.sst",
                                "b.sst", "--out=d.sst")
        self.assert_usage_error("no output: --out names the file to make",
                                "rewrite", "a.sst")

    def test_damage_leaves_nothing(self):
        self.build("a.sst", numbered_rows(3))
        self.flip("a.sst", 3)
        outcome = self.run_code(1, "rewrite", "a.sst", "--out=b.sst")
        self.assertIn("a.sst: Corruption: block checksum mismatch in data "
                      "block #0 ", outcome.err)
        self.assertEqual(os.listdir(self.folder), ["a.sst"])

    @unittest.skipUnless((GOLDEN / "golden.tsv").exists(), "no golden files")
    def test_golden_files(self):
        written = []
        for path in sorted(GOLDEN.glob("*.sst")):
            outcome = self.run_program("rewrite", path, f"--out={path.name}")
            self.assertNotIn("Corruption", outcome.err, path.name)
            if outcome.code != 0:
                self.assertEqual(outcome.code, 2)
                continue
            written.append(path)
        self.assertGreater(len(written), 200)
        # Many tables at once: starting the program takes longer than a table.
        names = [path.name for path in written]
        self.run_ok("verify", *names)
        for name, rows, expected in zip(names, self.scan_each(names),
                                        self.scan_each(written)):
            self.assertEqual(rows, expected, name)

    @unittest.skipUnless((GOLDEN / "golden.tsv").exists(), "no golden files")
    def test_embedded_blobs(self):
        """They stay embedded, the same ones, unless a flag says otherwise."""
        for path in [GOLDEN / "r119-embedded.sst",
                     *sorted((GOLDEN / "embedded").glob("*.sst"))]:
            if path.stem.endswith("-bad"):
                continue
            with self.subTest(path.name):
                rows = self.run_ok("scan", "--output_hex", path).text
                blobs = self.blobs_of(path)
                for flags, expected in (
                        ([], blobs), (["--embedded_blobs"], blobs),
                        (["--noembedded_blobs"], 0),
                        (["--min_blob_size=100000"], 0)):
                    self.run_ok("rewrite", path, "--out=b.sst", "--overwrite",
                                *flags)
                    self.run_ok("verify", "b.sst")
                    if flags != ["--embedded_blobs"] or blobs:
                        self.assertEqual(self.blobs_of("b.sst"), expected)
                    again = self.run_ok("scan", "--output_hex", "b.sst").text
                    self.assertEqual(again.split("\n")[1:],
                                     rows.split("\n")[1:])
        outcome = self.run_ok("rewrite", GOLDEN / "r119-embedded.sst",
                              "--format_version=6", "--out=b.sst",
                              "--overwrite")
        self.assertIn("embedded blobs do not go with a format version below 7",
                      outcome.err)
        self.assertEqual(self.blobs_of("b.sst"), 0)

    def blobs_of(self, path):
        table = json.loads(self.run_ok("properties", "--json", path).out)
        return table["files"][0]["properties"].get("embedded_blobs", 0)


class DiffTest(CliTest):

    def test_equal(self):
        self.build("a.sst", hex_rows(MIXED))
        self.build("b.sst", hex_rows(MIXED))
        outcome = self.run_ok("diff", "a.sst", "b.sst", "--quiet")
        self.assertEqual((outcome.text, outcome.err), ("", ""))
        document = json.loads(self.run_ok("diff", "--json", "a.sst",
                                          "b.sst").out)
        self.assertIs(document["files"][1]["equal"], True)

    def test_entries(self):
        self.build("a.sst", hex_rows(MIXED))
        self.build("b.sst", hex_rows([
            (b"a", 9, 0, b""), (b"a", 5, 1, b"new"), (b"b", 8, 7, b""),
            (b"c", 8, 2, b"+1"), (b"b", 3, 15, b"e"), (b"z", 1, 1, b"!")]))
        outcome = self.run_code(1, "diff", "a.sst", "b.sst")
        lines = outcome.text.splitlines()
        self.assertEqual(lines[:8], [
            "- 'a' seq:5, type:1 => old", "+ 'a' seq:5, type:1 => new",
            "+ 'b' seq:8, type:7 => ", "- 'b' seq:7, type:7 => ",
            "- 'c' seq:1, type:1 => 0", "+ 'z' seq:1, type:1 => !",
            "- 'b' seq:3, type:15 => d", "+ 'b' seq:3, type:15 => e"])
        self.assertRegex(lines[-1], r"^only in the first: 3, only in the "
                                    r"second: 3, other values: 1, ")
        text = self.run_program("diff", "a.sst", "b.sst", "--max_errors=2",
                                "--quiet").text
        self.assertTrue(text.startswith(
            "\n".join([*lines[:3], "5 more entries not shown "
                                   "(--max_errors)\n"])), text)

    def test_range_deletions_whose_ends_have_escapes(self):
        for name, end in (("a.sst", b"\xff"), ("b.sst", b"\\xFF")):
            self.build(name, hex_rows([(b"A", 3, 15, end)]), "--identity=01")
        for flag in ("--escape=always", "--json", "--output_hex"):
            outcome = self.run_program("diff", "a.sst", "b.sst", flag)
            self.assertEqual(outcome.code, 1, flag)
        self.assertIn("- 'A' seq:3, type:15 => \\\\xFF\n"
                      "+ 'A' seq:3, type:15 => \\xFF\n".encode(), self.run_program(
                          "diff", "b.sst", "a.sst", "--escape=always").out)

    def test_properties(self):
        self.build("a.sst", numbered_rows(100))
        self.build("b.sst", numbered_rows(100), "--filter=none")
        outcome = self.run_code(1, "diff", "a.sst", "b.sst", "--quiet")
        self.assertIn("- filter policy name: bloomfilter\n"
                      "+ filter policy name: N/A\n", outcome.text)
        self.assertNotIn("unique ID", outcome.text)

    def test_names_with_line_ends(self):
        self.build("a.sst", numbered_rows(3), "--checksum_type=kNoChecksum")
        data = (self.folder / "a.sst").read_bytes()
        (self.folder / "b.sst").write_bytes(
            data.replace(b"nullptr", b"\nb:\nc\n\n"))
        outcome = self.run_code(1, "diff", "--json", "a.sst", "b.sst")
        self.assertEqual(
            json.loads(outcome.out)["files"][1]["other_properties"],
            [{"name": name, "first": "nullptr", "second": "\nb:\nc\n\n"}
             for name in ("merge operator name", "prefix extractor name")])

    def test_damage_ends_the_comparison(self):
        rows = numbered_rows(200)
        self.build("a.sst", rows, "--block_size=600")
        self.build("b.sst", rows, "--block_size=600")
        layout = json.loads(self.run_ok("layout", "--json", "a.sst").out)
        block = [block for block in layout["files"][0]["blocks"]
                 if block["kind"] == "data"][2]
        self.flip("a.sst", block["offset"], to="bad.sst")
        for files in (["bad.sst", "b.sst"], ["b.sst", "bad.sst"]):
            outcome = self.run_program("diff", *files)
            self.assertEqual((outcome.code, outcome.text), (1, ""))
            self.assertIn("bad.sst: Corruption: block checksum mismatch in "
                          "data block #2 ", outcome.err)
            document = json.loads(self.run_program("diff", "--json",
                                                   *files).out)
            self.assertEqual({file["path"]: file["status"]
                              for file in document["files"]},
                             {"bad.sst": "corrupt", "b.sst": "ok"})
            self.assertNotIn("equal", document["files"][1])

    def test_flags_that_have_no_use(self):
        self.build("a.sst", numbered_rows(3))
        for flag in ("show_summary", "list_meta_blocks",
                     "require_property_regex=x", "exclude_property_regex=x"):
            outcome = self.run_ok("diff", f"--{flag}", "a.sst", "a.sst",
                                  "--quiet")
            self.assertEqual(
                (outcome.text, outcome.err),
                ("", "ashlar: warning: 'diff' does not use "
                     f"--{flag.split('=')[0]}\n"))
        self.assert_usage_error("--json and --jsonl exclude each other",
                                "diff", "--json", "--jsonl", "a.sst", "a.sst")
        self.assert_usage_error(
            "'-': a table cannot be read from standard input",
            "diff", "-", "a.sst")

    def test_what_cannot_be_compared(self):
        self.build("a.sst", numbered_rows(3))
        self.build("r.sst", hex_rows([(b"b", 0, 1, b""), (b"a", 0, 1, b"")]),
                   "--comparator=rocksdb.ReverseBytewiseComparator")
        self.assert_usage_error("diff takes two files, or two folders that are "
                                "databases", "diff", "a.sst")
        outcome = self.run_program("diff", "a.sst", "r.sst")
        self.assertEqual(outcome.code, 2)
        self.assertIn("the two files have different comparators", outcome.err)
        outcome = self.run_program("diff", "a.sst", "none.sst")
        self.assertEqual(outcome.code, 2)
        self.assertIn("none.sst: IO error: ", outcome.err)


if __name__ == "__main__":
    cli.main()
