"""raw: writes the complete text of a table into a file."""

import json
import os
import re
import resource
import unittest

import cli
from cli import CliTest, GOLDEN, hex_rows, numbered_rows

ROWS = [(b"a\0b", 9, 1, b"x\0"), (b"k", 8, 2, b""), (b"k", 3, 0, b"")]


class RawTest(CliTest):

    def dump(self, name, *flags):
        text = self.run_ok("raw", "--out=-", *flags, name).out
        return text.decode("latin1")

    def test_entries(self):
        self.build("a.sst", hex_rows(ROWS + [(b"d", 7, 15, b"f")]))
        text = self.dump("a.sst")
        self.assertIn("\n  HEX    610062: 7800\n  ASCII  a \\0 b : x \\0 \n"
                      "  ------\n  HEX    6B: \n  ASCII  k : \n  ------\n",
                      text)
        self.assertIn("Range deletions:\n" + 38 * "-" + "\n  HEX    64: 66\n"
                      "  ASCII  d : f \n  ------\n\nData Block # 1 @ 00", text)
        text = self.dump("a.sst", "--show_sequence_number_type")
        self.assertIn("  HEX    6B  seq: 8  type: 2 : \n  ASCII  k : \n", text)
        text = self.dump("a.sst", "--output_hex")
        self.assertIn("  HEX    610062: 7800\n  ------\n", text)
        self.assertNotIn("ASCII", text)
        text = self.dump("a.sst", "--escape=always")
        self.assertIn("  ASCII  a \\0 b : x \\0 \n", text)

    def test_a_refused_line_removes_nothing(self):
        self.build("a.sst", numbered_rows(3))
        left = self.folder / "d.txt.tmp.1.2"
        left.write_bytes(b"")
        self.assert_usage_error("--out takes the dump of one file only", "raw",
                                "--clean", "--out=d.txt", "a.sst", "a.sst")
        self.assertTrue(left.exists())
        self.run_ok("raw", "--clean", "--out=d.txt", "a.sst")
        self.assertFalse(left.exists())

    def test_sections_and_sums(self):
        # Before version 6, checksums depend on the bytes alone.
        self.build("a.sst", numbered_rows(100), "--block_size=512",
                   "--compression_max_dict_bytes=4096", "--format_version=5")
        text = self.dump("a.sst")
        titles = re.findall(r"^([A-Z][\w ]+)(?::| # 1 @.*)$", text, re.M)
        self.assertEqual(titles, [
            "Footer Details", "Block Checksum Type Legend",
            "Metaindex Details", "Table Properties", "Index Details",
            "Compression Dictionary", "Data Block", "Data Block Summary"])
        blocks = json.loads(self.run_ok("layout", "--json", "a.sst").out)
        blocks = blocks["files"][0]["blocks"]
        data = [block for block in blocks if block["kind"] == "data"]
        sizes = [block["size"] for block in data]
        self.assertTrue(text.endswith(
            f"  # data blocks: {len(sizes)}\n"
            f"  min data block size: {min(sizes)}\n"
            f"  max data block size: {max(sizes)}\n"
            f"  avg data block size: {sum(sizes) / len(sizes):.6f}\n"))
        handles = re.findall(r"HEX .* offset (\d+) size (\d+)$", text, re.M)
        self.assertEqual(handles, [(str(block["offset"]), str(block["size"]))
                                   for block in data])
        for block in blocks:
            if block["kind"] == "footer":
                continue
            checksum = block["checksum"].lstrip("0")
            self.assertIn(f"  checksum value: 0x{checksum}  offset: "
                          f"{block['offset']}  size: {block['size']}  ", text)
        self.assertEqual(text.count("  ASCII  k e y 0 0 0 0 4 2 : "), 1)

    def test_checksums_are_those_of_the_bytes(self):
        def checksums(version):
            self.build("a.sst", numbered_rows(100), "--overwrite",
                       f"--format_version={version}", "--identity=01")
            text = self.dump("a.sst")
            return re.findall(r"Data block .* value: (\w+)", text)
        self.assertEqual(checksums(5), checksums(6))

    def test_limit_of_a_files_size(self):
        self.build("a.sst", numbered_rows(3000))
        outcome = self.run_code(
            2, "raw", "--out=b.txt", "a.sst",
            preexec_fn=lambda: resource.setrlimit(
                resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY)))
        self.assertIn("File too large", outcome.err)
        self.assertEqual(os.listdir(self.folder), ["a.sst"])

    def test_where_it_goes(self):
        self.build("a.sst", numbered_rows(3))
        os.rename(self.folder / "a.sst", self.folder / "b")
        self.build("a.sst", numbered_rows(3))
        plain = self.dump("a.sst")
        for overwrite in ([], ["--overwrite"]):
            outcome = self.run_ok("--command=raw", "--file=a.sst", *overwrite)
            self.assertEqual(
                outcome.text,
                "Process a.sst\nSst file format: block-based\n"
                "raw dump written to file a_dump.txt\n")
        (self.folder / "a_dump.txt").write_text("mine")
        outcome = self.run_program("raw", "a.sst")
        self.assertEqual((outcome.code, outcome.err), (
            2, "a_dump.txt: Invalid argument: it exists; --overwrite replaces "
               "it\n"))
        self.assertEqual((self.folder / "a_dump.txt").read_text(), "mine")
        self.run_ok("raw", "--overwrite", "a.sst")
        self.assertEqual((self.folder / "a_dump.txt").read_text(), plain)
        self.run_ok("raw", "b")
        self.assertEqual((self.folder / "b_dump.txt").read_text()[:6],
                         "Footer")
        self.run_ok("raw", "a.sst", "--out=x")
        outcome = self.run_program("raw", "a.sst", "--out=x")
        self.assertEqual((outcome.code, outcome.err), (
            2, "ashlar: x exists; --overwrite replaces it\n"))
        (self.folder / "x").write_text("old")
        self.run_ok("raw", "a.sst", "--out=x", "--overwrite")
        self.assertEqual((self.folder / "x").read_text(), plain)
        self.assert_usage_error("--out takes the dump of one file only",
                                "raw", "--out=y", "a.sst", "b")
        self.assert_usage_error("--out=- goes with neither --json nor --jsonl",
                                "raw", "--out=-", "--json", "a.sst")
        document = json.loads(
            self.run_ok("raw", "--json", "--overwrite", "a.sst").out)
        self.assertEqual(document["files"][0]["dump"], "a_dump.txt")
        self.assertEqual(sorted(os.listdir(self.folder)),
                         ["a.sst", "a_dump.txt", "b", "b_dump.txt", "x"])

    def test_default_names_keep_what_is_there(self):
        for name in ("a.sst", "a", "x.sst", "x_dump.txt"):
            self.build(name, numbered_rows(3))
        table = (self.folder / "x_dump.txt").read_bytes()
        for inputs, reason in (
                (("x.sst", "x_dump.txt"), "it is an input of this run"),
                (("x.sst",), "it exists; --overwrite replaces it"),
                (("a.sst", "a"), "this run already dumped a.sst into it")):
            outcome = self.run_program("raw", *inputs)
            self.assertEqual(outcome.code, 2)
            self.assertIn(f"_dump.txt: Invalid argument: {reason}\n",
                          outcome.err)
        self.assertEqual((self.folder / "x_dump.txt").read_bytes(), table)
        self.run_ok("raw", "--overwrite", "x.sst")

    def test_pipes_are_not_waited_for(self):
        self.build("a.sst", numbered_rows(3))
        os.mkfifo(self.folder / "a_dump.txt")
        outcome = self.run_code(2, "raw", "a.sst", timeout=300)
        self.assertIn("is a folder, device or pipe", outcome.err)
        for command in ("scan", "verify", "identify", "raw"):
            outcome = self.run_program(command, "a_dump.txt", timeout=300)
            self.assertEqual(outcome.code, 2, command)
            self.assertIn("a_dump.txt: IO error", outcome.err)

    def test_block_that_cannot_be_read(self):
        self.build("a.sst", numbered_rows(100), "--block_size=512")
        good = self.dump("a.sst")
        layout = json.loads(self.run_ok("layout", "--json", "a.sst").out)
        for block in layout["files"][0]["blocks"]:
            self.flip("a.sst", block["offset"] + block["size"] // 2,
                      to="bad.sst")
            outcome = self.run_program("raw", "--out=-", "bad.sst")
            self.assertEqual(outcome.code, 1, block)
            self.assertIn("bad.sst: Corruption: ", outcome.err)
            if block["kind"] != "data":
                continue
            skipped = re.sub(
                r"(?ms)(^  Data block [^\n]* offset: %d  [^\n]*\n-+\n).*?\n\n"
                % block["offset"],
                r"\1Error reading the block - Skipped \n\n", good)
            self.assertEqual(outcome.text, skipped)

    def test_what_is_no_table_leaves_nothing(self):
        (self.folder / "x.sst").write_bytes(b"no table" * 100)
        self.run_code(1, "raw", "x.sst")
        self.assertEqual(os.listdir(self.folder), ["x.sst"])

    @unittest.skipUnless((GOLDEN / "golden.tsv").exists(), "no golden files")
    def test_sequence_number_of_ingested_files(self):
        text = self.dump(GOLDEN / "r119-ingested-seqno.sst",
                         "--show_sequence_number_type")
        self.assertNotIn("  seq: 0  ", text)
        self.assertIn("  seq: 21  type: 1 : ", text)

    @unittest.skipUnless((GOLDEN / "golden.tsv").exists(), "no golden files")
    def test_golden_files(self):
        names = []
        for path in sorted(GOLDEN.glob("*.sst")):
            os.symlink(path, self.folder / path.name)
            names.append(path.name)
        # Many tables at once: starting the program takes longer than a table.
        outcome = self.run_program("raw", *names)
        self.assertNotIn("Corruption", outcome.err)
        dumps = {name: self.folder / name.replace(".sst", "_dump.txt")
                 for name in names}
        whole = [name for name in names
                 if f"\n{name}: " not in "\n" + outcome.err]
        self.assertEqual(outcome.code == 0, whole == names)
        self.assertGreater(len(whole), 200)
        scanned = []

        def scan(*arguments):
            scanned.append(self.run_program(*arguments))
            return scanned[0]

        rows = self.scan_each(whole, scan)
        compared = 0
        for name, rows_of_table in zip(whole, rows):
            if f"\n{name}: " in "\n" + scanned[0].err:
                continue
            compared += 1
            text = dumps[name].read_bytes()
            self.assertEqual(text.count(b"\n  ------\n") -
                             text.count(b" offset "),
                             len(rows_of_table), name)
        self.assertGreater(compared, 200)


if __name__ == "__main__":
    cli.main()
