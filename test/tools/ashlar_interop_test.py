"""Compares with RocksDB's own tool, sst_dump, on the same files."""

import json
import re
import shutil
import unittest

import cli
import forged_table
from cli import CliTest, GOLDEN, hex_rows, numbered_rows

SST_DUMP = shutil.which("sst_dump")
# Lines of `properties` that the installed sst_dump (7.8) does not have.
NEWER = re.compile(
    r"  (# data blocks compression |# uniform blocks|data uncompressed size|"
    r"user defined timestamps persisted|(largest|smallest) sequence number |"
    r"time stamp of newest key|format version: )")


@unittest.skipUnless(SST_DUMP, "sst_dump is not installed")
class InteropTest(CliTest):

    def rocksdb(self, *arguments):
        """Returns its output, without the line that contains an address."""
        outcome = self.run_program(*arguments, program=SST_DUMP)
        lines = outcome.out.split(b"\n", 1)
        self.assertTrue(lines[0].startswith(b"options.env is "))
        return lines[1]

    def assert_same(self, name, *arguments):
        # sst_dump's scan does not show range deletions.
        points = ["--norange_dels"] if "--command=scan" in arguments else []
        ours = self.run_ok(*arguments, *points, f"--file={name}").out
        self.assertEqual(ours, self.rocksdb(*arguments, f"--file={name}"),
                         (name, arguments))

    def test_golden_files(self):
        for path in sorted(GOLDEN.glob("r78-*.sst")):
            if self.run_program("check", path).code != 0:
                continue  # ashlar_golden_test.py covers refused tables
            shutil.copy(path, self.folder)
            for command in ("check", "identify"):
                self.assert_same(path.name, f"--command={command}")
            # sst_dump ends each key and value at the first zero byte.
            if b"\0" not in self.run_ok("scan", path.name).out:
                self.assert_same(path.name, "--command=scan")
            self.assert_same(path.name, "--command=scan", "--output_hex",
                             "--show_summary")

    def test_properties(self):
        for path in sorted(GOLDEN.glob("r78-*.sst")):
            theirs = self.rocksdb("--command=none", "--show_properties",
                                  f"--file={path}").decode("latin1")
            ours = self.run_ok("properties", path).out.decode("latin1")
            ours = [line for line in ours.splitlines()
                    if not NEWER.match(line)]
            self.assertEqual(ours, theirs.splitlines(), path.name)

    def test_meta_blocks(self):
        """The installed sst_dump lists meta blocks only in its raw dump."""
        for path in sorted(GOLDEN.glob("r78-*.sst")):
            shutil.copy(path, self.folder)
            self.rocksdb("--command=raw", f"--file={path.name}")
            dump = (self.folder / f"{path.stem}_dump.txt").read_text("latin1")
            theirs = [self.handle(bytes.fromhex(text)) for text in
                      re.findall(r"(?m)^  .* block handle: (\w+)$", dump)]
            ours = self.run_ok("check", "--quiet", "--list_meta_blocks",
                               path.name).text
            ours = [tuple(map(int, place)) for place in re.findall(
                r"(?m)^  (?!rocksdb\.hashindex).*: (\d+) (\d+)$", ours)]
            self.assertEqual(ours, theirs, path.name)

    def handle(self, data):
        offset, at = forged_table.read_varint(data, 0)
        return offset, forged_table.read_varint(data, at)[0]

    def test_what_we_write(self):
        for version in range(2, 6):
            for codec in ("none", "snappy", "lz4", "zstd"):
                name = f"{version}-{codec}.sst"
                self.build(name, numbered_rows(3000, value_size=50),
                           f"--format_version={version}",
                           f"--compression_type={codec}",
                           f"--checksum_type={version - 1}")
                self.assert_same(name, "--command=scan")
                self.assert_same(name, "--command=check",
                                 "--verify_checksum")
                self.assertIn(b"The file is ok\n", self.rocksdb(
                    "--command=verify", f"--file={name}"))
                self.assert_same(name, "--command=scan", "--read_num=7",
                                 "--from=key000010", "--to=key000015")

    def test_entry_types(self):
        self.build("t.sst", hex_rows([
            (b"a", 9, 0, b""), (b"a", 5, 1, b"old"), (b"b", 7, 7, b""),
            (b"c", 8, 2, b"+1"), (b"c", 1, 1, b"0")]), "--format_version=5")
        self.assert_same("t.sst", "--command=scan")

    def test_directory(self):
        (self.folder / "d").mkdir()
        for name in ("d/a.sst", "d/b.sst"):
            self.build(name, numbered_rows(10), "--format_version=5")
        theirs = self.rocksdb("--command=identify", "--file=d").decode()
        ours = self.run_ok("--command=identify", "--file=d").text
        self.assertEqual(sorted(ours.splitlines()),
                         sorted(theirs.splitlines()))

    def test_raw(self):
        """Equal, except what newer releases add: checksums, plain numbers."""
        newer = re.compile(
            rb"(?m)^  .* block checksum type: .*\n| offset:? \d+ size:? \d+$|"
            rb"^  %b.*\n" 
            % NEWER.pattern.strip().replace("|format version: ", "").encode())
        for path in sorted(GOLDEN.glob("r78-*.sst")):
            shutil.copy(path, self.folder)
            self.rocksdb("--command=raw", f"--file={path.name}")
            dump = path.stem + "_dump.txt"
            theirs = (self.folder / dump).read_bytes()
            ours = self.run_program("raw", "--out=-", path.name).out
            ours = re.sub(rb"(?s)Block Checksum Type Legend.*?\n\n", b"",
                          newer.sub(b"", ours))
            ours = re.sub(rb"(?m)^(  format version: \d+\n)\n", rb"\1  \n",
                          ours)
            if "types" in path.name:  # sst_dump cuts them where they overlap
                ours, theirs = (re.sub(rb"(?s)Range deletions:.*?\n\n", b"",
                                       text) for text in (ours, theirs))
            self.assertEqual(ours, theirs, path.name)

    def test_recompress(self):
        self.build("a.sst", numbered_rows(3000, value_size=50),
                   "--format_version=5")
        for codec in ("kNoCompression", "kZSTD"):
            flags = ["--command=recompress", f"--compression_types={codec}",
                     "--set_block_size=4096", "--file=a.sst"]
            theirs = self.rocksdb(*flags).decode()
            ours = json.loads(self.run_ok(*flags, "--json").out)
            run, = ours["files"][0]["runs"]
            self.assertEqual(
                int(re.search(r"Blocks: +(\d+)", theirs)[1]),
                run["blocks_compressed"] + run["blocks_rejected"] +
                run["blocks_bypassed"])

    def test_parse_internal_key(self):
        key = "0x6162FF0107000000000000"
        self.assertEqual(
            self.run_ok(f"--parse_internal_key={key}").out,
            self.run_program(f"--parse_internal_key={key}",
                             program=SST_DUMP).out)


if __name__ == "__main__":
    cli.main()
