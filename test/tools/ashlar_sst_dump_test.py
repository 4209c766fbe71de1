"""Compares with RocksDB's own sst_dump, release 11.8.1.

It judges tables that we write, in every form that it knows and Debian's 7.8
does not. It is compared with our program on tables that RocksDB wrote.

Arguments: our program, rocksdb_sst_dump, interop_write_tables.

Where the two programs print the same thing in different words, this file
translates one text into the other and compares all bytes. See THEIRS_AND_OURS.
"""

import os
import re
import shutil
import subprocess
import sys
import unittest

import cli
from cli import CliTest, GOLDEN, hex_rows, numbered_rows

JUDGE, WRITE_TABLES = (os.path.abspath(path) for path in sys.argv[2:4])
del sys.argv[2:4]

THEIRS_AND_OURS = """
- sst_dump begins with a line that has an address in it.
- sst_dump's scan leaves range deletions out (our --norange_dels does too).
- A property that a file does not have is 0 or the largest number to RocksDB.
  We print N/A.
- Of the time of sequence numbers we print the bytes that are stored.
- We add the format version to the properties, the number of blocks to the
  verdict of verify, and the inputs to the heading of identify.
- In raw, sst_dump shows the keys of a table that does not store timestamps
  with timestamps of zeros. We show the keys that are stored.
- sst_dump prints a user-defined timestamp as |timestamp:<number>. We print the
  bytes with which the key ends.
- With --output_hex sst_dump prints 0x before each name and value of a wide
  column, and the time of a timed put after a comma.
"""

# Forms that must occur among the tables of interop_write_tables: those that
# sst_dump 7.8 cannot read, and options whose blocks have their own form.
NEW_FORMS = """fv7 apart super32k super1m hint10 ribbon partfilter coupled
    twolevel firstkey hashsearch hash2 aligned piecesize prefixonly rawindex
    traineddict finaldict versions deletes merges large empty""".split()

VALUE, DELETION_AT, WIDE, TIMED = 1, 20, 22, 24
RANGE_DELETION = 15
LARGEST = "18446744073709551615"
TIMESTAMPED = (b"leveldb.BytewiseComparator.u64ts",
               b"rocksdb.ReverseBytewiseComparator.u64ts")


def read_varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return value, at


def times_as_rocksdb(data):
    """Returns the property of numbers and times as RocksDB prints it."""
    count, at = read_varint(data, 0)
    sequence = time = 0
    text = ""
    for _ in range(count):
        step, at = read_varint(data, at)
        sequence += step
        step, at = read_varint(data, at)
        time += step
        text += f"{sequence}->{time},"
    return text


def properties_as_rocksdb(ours, theirs):
    """Returns our text as RocksDB 11.8 prints the same properties.

    A property that the file lacks is printed as RocksDB did, if that is a
    default.
    """
    lines = []
    peers = iter(theirs.split(b"\n"))
    for line in ours.split(b"\n"):
        peer = next(peers, b"")
        name, colon, value = line.partition(b": ")
        if value == b"N/A" and peer in (
                name + colon + default for default in
                (b"0", LARGEST.encode())):
            line = peer
        if name == b"  Sequence number to time mapping" and (
                value.startswith(b"0x")):
            line = name + colon + times_as_rocksdb(
                bytes.fromhex(value[2:].decode())).encode()
        lines.append(line)
    return b"\n".join(lines)


def wide_columns_as_rocksdb(value):
    """Returns our hex text of the columns with RocksDB's 0x."""
    columns = []
    for column in value.split(b" "):
        name, _, content = column.partition(b":")
        columns.append(b":".join(b"0x" + text if text else b""
                                 for text in (name, content)))
    return b" ".join(columns)


def dump_as_rocksdb(ours):
    """Returns our dump of a table without stored timestamps.

    RocksDB shows each key with a timestamp of zeros.
    """
    def stamped(lines, zeros):
        end = 2 * len(bytes.fromhex(lines[2].decode()))
        return (lines[1] + lines[2] + b"00" * 8 + lines[3] +
                lines[4][:end] + zeros * 8 + lines[4][end:])
    parts = []
    index, block, entries = ours.partition(b"Data Block # 1 ")
    for text, zeros in ((index, b"\0 "), (entries, b"\\0 ")):
        parts.append(re.sub(
            rb"(?m)^(  HEX    )([0-9A-F]+)(: .*\n  ASCII  )(.*)$",
            lambda lines, zeros=zeros: stamped(lines, zeros), text))
    return block.join(parts)


ENTRY = re.compile(rb"'([0-9A-F]*)' seq:(\d+), type:(\d+) => (.*)", re.DOTALL)


def entry_as_rocksdb(line, timestamped):
    """Returns a line of our scan --output_hex as sst_dump prints the entry."""
    entry = ENTRY.fullmatch(line)
    if not entry:
        return line
    key, sequence, kind, value = entry.groups()
    if timestamped:
        key, stamp = key[:-16], bytes.fromhex(key[-16:].decode())
        key += b"|timestamp:%d" % int.from_bytes(stamp, "little")
    if int(kind) == WIDE:
        value = wide_columns_as_rocksdb(value)
    elif int(kind) == TIMED:
        value, time = value[:-16], bytes.fromhex(value[-16:].decode())
        value += b", %d" % int.from_bytes(time, "little")
    return b"'%b' seq:%b, type:%b => %b" % (key, sequence, kind, value)


class JudgedTest(CliTest):

    def judge(self, *arguments):
        """Returns what sst_dump prints, without the first line."""
        outcome = self.run_code(0, *arguments, program=JUDGE)
        self.assertEqual(outcome.err, "")
        first, rest = outcome.out.split(b"\n", 1)
        self.assertTrue(first.startswith(b"options.env is "), first)
        return rest

    def assert_same(self, theirs, ours, what):
        """Compares two texts and shows their first difference."""
        if theirs == ours:
            return
        theirs, ours = theirs.split(b"\n"), ours.split(b"\n")
        for at, pair in enumerate(zip(theirs, ours)):
            if pair[0] != pair[1]:
                self.fail(f"{what}, line {at + 1}:\nsst_dump: "
                          f"{pair[0][:300]}\nashlar:   {pair[1][:300]}")
        self.fail(f"{what}: sst_dump has {len(theirs)} lines, ashlar "
                  f"{len(ours)}")

    def assert_same_check(self, names):
        for flags in (["--command=check", "--verify_checksum"],
                      ["--command=identify"]):
            ours = self.run_ok(*flags, *names).out
            self.assert_same(
                self.judge(*flags, *names),
                re.sub(rb"(?m)^(List of valid SST files) found in .*:$",
                       rb"\1:", ours), flags)

    def assert_same_verdict(self, names):
        theirs = self.judge("--command=verify", *names)
        self.assertEqual(theirs.count(b"The file is ok\n"), len(names))
        ours = self.run_ok("verify", *names).out
        self.assert_same(theirs, re.sub(rb"(?m)^blocks: \d+ ok, 0 bad; .*\n",
                                        b"", ours), "verify")

    def assert_same_scan(self, names, *flags, timestamped=False):
        flags = ("--command=scan", "--output_hex", *flags)
        theirs = self.judge(*flags, *names)
        ours = self.run_ok(*flags, "--norange_dels", *names).out
        self.assert_same(
            theirs, b"\n".join(entry_as_rocksdb(line, timestamped)
                               for line in ours.split(b"\n")), flags)
        return theirs

    def assert_same_properties(self, names):
        theirs = self.judge("--command=none", "--show_properties", *names)
        ours = re.sub(rb"(?m)^  (format version|# embedded blobs|"
                      rb"embedded blobs size): .*\n", b"",
                      self.run_ok("properties", *names).out)
        self.assert_same(theirs, properties_as_rocksdb(ours, theirs),
                         "properties")

    def assert_same_meta_blocks(self, names):
        theirs = self.judge("--command=none", "--list_meta_blocks", *names)
        theirs = re.sub(rb"Process .*\n|Sst file format: .*\n|Meta Blocks:\n|"
                        rb"-+\n", b"", theirs)
        self.assertGreaterEqual(theirs.count(b"\n"), len(names))
        ours = self.run_ok("--command=check", "--quiet", "--list_meta_blocks",
                           *names).out
        self.assert_same(theirs, ours, "meta blocks")

    def assert_same_dump(self, names):
        """Compares the dumps that raw writes: all blocks, all entries."""
        self.judge("--command=raw", *names)
        dumps = {}
        for name in names:
            path = self.folder / name.replace(".sst", "_dump.txt")
            dumps[path] = path.read_bytes()
            path.unlink()
        self.run_ok("raw", *names)
        for path, theirs in dumps.items():
            ours = path.read_bytes()
            path.unlink()
            start = ours.index(b"Index Details:\n")
            head, blocks = ours[:start], ours[start:]
            if b"timestamps persisted: false" in head:
                blocks = dump_as_rocksdb(blocks)
            self.assert_same(theirs, properties_as_rocksdb(head, theirs) +
                             blocks, path.name)

    def assert_same_in_all(self, names, timestamped=False):
        self.assert_same_check(names)
        self.assert_same_verdict(names)
        self.assert_same_scan(names, timestamped=timestamped)
        self.assert_same_properties(names)
        self.assert_same_meta_blocks(names)
        self.assert_same_dump(names)


class OurTablesTest(JudgedTest):
    """Tables from our writers."""

    def test_all_pairs_of_options(self):
        subprocess.run([WRITE_TABLES, "--pairs", self.folder], check=True)
        names = sorted(path.name for path in self.folder.glob("*.sst"))
        self.assertGreater(len(names), 70)
        labels = {label for name in names for label in name[:-4].split("-")}
        self.assertEqual([form for form in NEW_FORMS if form not in labels], [])
        # fv6 is the default and occurs in no name.
        self.assertTrue(any("fv" not in name for name in names))
        self.assert_same_in_all(names)
        theirs = self.judge("--command=scan", "--output_hex", *names)
        expected = b"".join(
            b"Process %b\nSst file format: block-based\n" % name.encode() +
            self.expected_entries(name) for name in names)
        # sst_dump prints this line once, before the first entry.
        self.assert_same(theirs.replace(b"from [] to []\n", b"", 1), expected,
                         "what was written")

    def expected_entries(self, name):
        """Returns the rows of the table as sst_dump prints them."""
        lines = []
        rows = (self.folder / name.replace(".sst", ".rows")).read_bytes()
        for row in rows.splitlines():
            key, sequence, kind, value = row.split(b" ")
            lines.append(b"'%b' seq:%b, type:%b => %b\n" %
                         (key, sequence, kind, value))
        return b"".join(lines)

    def test_all_types_of_entries(self):
        # Version 1, 2 columns: "" of 1 byte and "n" of 2 bytes; the values.
        columns = bytes([1, 2, 0, 1, 1]) + b"n" + bytes([2]) + b"dv2"
        rows = hex_rows([
            (b"a", 9, 0, b""), (b"a", 5, VALUE, b"old"), (b"b", 7, 7, b""),
            (b"c", 8, 2, b"+1"), (b"c", 1, VALUE, b"0"),
            (b"d", 3, WIDE, columns),
            (b"e", 4, TIMED, b"timed" + (77).to_bytes(8, "little")),
            (b"a", 2, RANGE_DELETION, b"c")])
        names = []
        for version in ("2", "4", "6", "7"):
            for flags in ([], ["--separate_key_value_in_data_block"],
                          ["--index_type=partitioned", "--metadata_block_size=1",
                           "--partition_filters", "--block_size=1"]):
                names.append(self.build(
                    f"{version}-{len(names)}.sst", rows, *flags,
                    f"--format_version={version}"))
        self.assert_same_in_all(names)
        scan = self.assert_same_scan(names[:1])
        self.assertIn(b"'64' seq:3, type:22 => :0x64 0x6E:0x7632\n", scan)
        self.assertIn(b"'65' seq:4, type:24 => 74696D6564, 77\n", scan)

    def test_other_orders(self):
        ascending = [(b"key%04d" % i, 0, VALUE, b"v%d" % i)
                     for i in range(2000)]
        for version in ("5", "6", "7"):
            name = self.build(
                "down.sst", hex_rows(ascending[::-1]), "--overwrite",
                "--comparator=rocksdb.ReverseBytewiseComparator",
                f"--format_version={version}",
                "--index_type=first_key" if version == "7" else "--ribbon")
            self.assert_same_in_all([name])

    def test_timestamps(self):
        def stamped(order, up):
            keys = range(500) if up else reversed(range(500))
            return hex_rows([
                (b"key%04d" % i + stamp.to_bytes(8, "little"), 0, kind,
                 b"v" if kind == VALUE else b"")
                for i in keys
                for stamp, kind in ((1 << 40, VALUE), (700, DELETION_AT),
                                    (1, VALUE))])
        for order in TIMESTAMPED:
            for version in ("5", "6", "7"):
                name = self.build(
                    "stamped.sst", stamped(order, order == TIMESTAMPED[0]),
                    f"--comparator={order.decode()}", "--overwrite",
                    f"--format_version={version}", "--block_size=1024",
                    "--index_type=partitioned", "--partition_filters")
                self.assert_same_in_all([name], timestamped=True)
                self.assertIn(b"|timestamp:1099511627776'",
                              self.judge("--command=scan", name))

    def test_timestamps_that_are_not_stored(self):
        for version in ("6", "7"):
            for flags in ([], ["--index_type=partitioned",
                               "--partition_filters"],
                          ["--separate_key_value_in_data_block"]):
                self.run_ok("rewrite", GOLDEN / "r119-ts-stripped.sst",
                            "--out=new.sst", "--overwrite", "--quiet",
                            f"--format_version={version}", *flags)
                self.assertIn("user defined timestamps persisted: false",
                              self.run_ok("properties", "new.sst").text)
                self.assert_same_in_all(["new.sst"], timestamped=True)

    def test_a_set_of_files(self):
        self.build("set.sst", numbered_rows(20000, value_size=50),
                   "--format_version=7", "--target_file_size=200000",
                   "--compression_type=none",
                   "--super_block_alignment_size=65536",
                   "--separate_key_value_in_data_block")
        names = sorted(path.name for path in self.folder.glob("set-*.sst"))
        self.assertGreater(len(names), 2)
        self.assert_same_in_all(names)

    def test_parts_of_a_table(self):
        for version in ("6", "7"):
            name = self.build(f"{version}.sst", numbered_rows(3000),
                              f"--format_version={version}",
                              "--separate_key_value_in_data_block")
            for flags in (["--from=key000010", "--to=key000015"],
                          ["--prefix=key0012"], ["--read_num=7"],
                          ["--from=0x6B6579303032", "--input_key_hex"],
                          ["--to=key000003", "--show_summary"]):
                scan = self.assert_same_scan([name], *flags)
                self.assertGreater(scan.count(b"\n'"), 2, flags)

    def test_what_is_not_as_it_was_written(self):
        """sst_dump finds a damaged byte, so its success means something."""
        name = self.build("t.sst", numbered_rows(3000), "--format_version=7")
        data = bytearray((self.folder / name).read_bytes())
        data[2000] ^= 1
        (self.folder / "bad.sst").write_bytes(data)
        for flags in (["--command=verify"],
                      ["--command=check", "--verify_checksum"]):
            outcome = self.run_program(*flags, "bad.sst", program=JUDGE)
            self.assertNotIn("The file is ok", outcome.text)
            self.assertRegex(outcome.err + outcome.text, "(?i)corruption")


def refused(path):
    """Returns True if RocksDB 11 refuses the table.

    It refuses any table of format 0, tables of format 1 with a codec other than
    Snappy and ZSTD, and tables of an unknown codec.
    """
    return bool(re.match(r"r78-.*fv0|r78-comp-(?!snappy|zstd).*-fv1|"
                         r"r119-custom-codec", path.name))


class TheirTablesTest(JudgedTest):
    """Tables of RocksDB: both programs must see the same contents.

    This release and older ones wrote them.
    """

    def setUp(self):
        super().setUp()
        if not (GOLDEN / "golden.tsv").exists():
            self.skipTest("no golden files")

    def names(self, timestamped):
        """Copies golden files, since raw writes next to its input.

        Returns the names of the copies.
        """
        names = []
        for path in sorted([*GOLDEN.glob("r78-*.sst"),
                            *GOLDEN.glob("r119-*.sst")]):
            if refused(path) or ("-ts" in path.name) != timestamped:
                continue
            if path.name == "r119-embedded.sst" or "types" in path.name:
                continue  # these have tests of their own
            shutil.copy(path, self.folder)
            names.append(path.name)
        return names

    def test_golden_files(self):
        names = self.names(timestamped=False)
        self.assertGreater(len(names), 200)
        self.assert_same_in_all(names)

    def test_golden_files_with_timestamps(self):
        names = self.names(timestamped=True)
        self.assertGreaterEqual(len(names), 2)
        self.assert_same_in_all(names, timestamped=True)

    def test_range_deletions_that_overlap(self):
        """sst_dump cuts overlapping range deletions; our dump does not."""
        names = ["r78-types.sst", "r119-types.sst"]
        for name in names:
            shutil.copy(GOLDEN / name, self.folder)
        self.assert_same_check(names)
        self.assert_same_verdict(names)
        self.assert_same_scan(names)
        self.assert_same_properties(names)
        self.assert_same_meta_blocks(names)

    def test_embedded_blobs(self):
        """sst_dump's scan shows references, and omits columns that are one."""
        name = "r119-embedded.sst"
        shutil.copy(GOLDEN / name, self.folder)
        self.assert_same_check([name])
        self.assert_same_verdict([name])
        self.assert_same_properties([name])
        self.assert_same_meta_blocks([name])
        outcome = self.run_program("--command=scan", "--output_hex", name,
                                   program=JUDGE)
        theirs = outcome.out.split(b"\n")[1:]
        cut = set(re.findall(r"(?m)^'([0-9A-F]+)' seq:\d+, type:22",
                             outcome.err))
        self.assertGreater(len(cut), 0)
        references = {line.split(b"'")[1].decode() for line in theirs
                      if b", type:17 " in line}
        self.assertGreater(len(references), 0)
        theirs = [line for line in theirs if b", type:17 " not in line]
        ours = self.run_ok("scan", "--output_hex", name).out.split(b"\n")
        for line in ours:
            if line[1:].split(b"'")[0].decode() in references:
                self.assertIn(b", type:1 => ", line)
        ours = [entry_as_rocksdb(line, False) for line in ours
                if line[1:].split(b"'")[0].decode() not in cut | references]
        self.assertEqual(ours, theirs)

    def test_what_rocksdb_no_longer_reads(self):
        paths = [path for path in sorted(GOLDEN.glob("*.sst"))
                 if refused(path)]
        self.assertGreater(len(paths), 5)
        for path in paths:
            outcome = self.run_program("--command=check", path, program=JUDGE)
            self.assertRegex(outcome.err, "is not a valid SST file|"
                             "Corruption: Error decompressing", path)

    def test_damaged_files(self):
        """We must not call a file sound if RocksDB finds it damaged."""
        seen = 0
        for path in sorted((GOLDEN / "bad").glob("*.sst")):
            ours = self.run_program("verify", path)
            if ours.code != 0:
                continue
            seen += 1
            with self.subTest(path.name):
                for flags in (["--command=verify"],
                              ["--command=check", "--verify_checksum"]):
                    theirs = self.run_code(0, *flags, path, program=JUDGE)
                    self.assertEqual(theirs.err, "")
        self.assertGreater(seen, 5)


if __name__ == "__main__":
    cli.main()
