"""Compares `space` with what `scan` and `layout` print of the same tables."""

import functools
import json
import math
import random

import cli
from cli import CliTest, hex_rows, numbered_rows

BYTEWISE = "leveldb.BytewiseComparator"
REVERSE = "rocksdb.ReverseBytewiseComparator"
TIMED = "leveldb.BytewiseComparator.u64ts"
TAIL_BYTES = 8      # sequence number and type
TRAILER_BYTES = 5   # after each block
SUMS = ("entries", "key_bytes", "value_bytes", "stored_bytes")


def order(comparator):
    """Returns a key function that sorts as the comparator does."""
    return functools.cmp_to_key(
        lambda a, b: ((a > b) - (a < b)) * (-1 if comparator == REVERSE else 1))


def cut(blocks, count):
    """Turns (last, bytes) of blocks into [last, blocks, bytes] of ranges."""
    wanted = sum(size for _, size in blocks) / count if count else 0.0
    ranges, met, end, opened = [], 0, wanted, False
    for last, size in blocks:
        if not opened and (not ranges or ranges[-1][0] != last):
            ranges.append([last, 0, 0])
        ranges[-1][0] = last
        ranges[-1][1] += 1
        ranges[-1][2] += size
        met += size
        opened = met < end
        if not opened and wanted:
            end = wanted * (math.floor(met / wanted) + 1)
    return ranges


class Table:
    """The entries of a table by block, as (key, key bytes, value bytes)."""

    def __init__(self, blocks, entries, comparator):
        self.place = order(comparator)
        self.sizes = [block["size"] + TRAILER_BYTES for block in blocks]
        firsts = [block["first_key"] for block in blocks]
        self.blocks = []
        for entry in entries:
            if entry["key"] == dict(enumerate(firsts)).get(len(self.blocks)):
                self.blocks.append([])
            key = bytes.fromhex(entry["key"])
            bare = key[:-8] if comparator == TIMED else key
            self.blocks[-1].append((bare, len(key), len(entry["value"]) // 2))
        assert len(self.blocks) == len(blocks)

    def prefixes(self, prefix_of, wanted=lambda key: True):
        """Returns the values named in SUMS for each prefix."""
        found = {}
        for size, entries in zip(self.sizes, self.blocks):
            whole = sum(TAIL_BYTES + k + v for _, k, v in entries)
            before = given = 0
            runs = []
            for key, key_bytes, value_bytes in entries:
                name = prefix_of(key) if wanted(key) else None
                if not runs or runs[-1][0] != name:
                    runs.append((name, [0, 0, 0, 0]))
                for i, more in enumerate((1, key_bytes, value_bytes)):
                    runs[-1][1][i] += more
            for name, sums in runs:
                before += TAIL_BYTES * sums[0] + sums[1] + sums[2]
                sums[3] = size * before // whole - given
                given += sums[3]
                if name is not None:
                    row = found.setdefault(name, [0, 0, 0, 0])
                    row[:] = map(sum, zip(row, sums))
        return found


class SpaceTest(CliTest):

    def space(self, *arguments):
        return json.loads(self.run_ok("space", "--json", *arguments).out)

    def random_table(self, name, source, comparator):
        tail = source.randbytes(8) if comparator == TIMED else b""
        letters = source.choice((b"ab:", b"ab:\xff\0"))
        keys = {bytes(source.choices(letters, k=source.randint(0, 9)))
                for _ in range(source.choice((1, 30, 200)))}
        rows = [(key + tail, 0, 1, bytes(source.choices(b"xy", k=source.choice(
            (0, 1, 30, 500))))) for key in sorted(keys, key=order(comparator))]
        rows.append((b"a" + tail, 0, 15, b"b" + tail) if comparator != REVERSE
                    else (b"b", 0, 15, b"a"))
        self.build(name, hex_rows(rows),
                   f"--block_size={source.choice((50, 300, 2000))}",
                   f"--comparator={comparator}",
                   f"--compression_type={source.choice(('none', 'zstd'))}",
                   *source.choice(([], ["--partition_index",
                                        "--metadata_block_size=100"])))

    def setUp(self):
        super().setUp()
        self.source = random.Random(29)

    def build_tables(self):
        """Builds random tables and reads their contents with other commands."""
        self.comparators = {
            f"{i}.sst": comparator for i, comparator in
            enumerate(5 * [BYTEWISE] + 3 * [REVERSE] + 3 * [TIMED])}
        for name, comparator in self.comparators.items():
            self.random_table(name, self.source, comparator)
        names = list(self.comparators)
        entries, path = {}, None
        for line in self.run_ok("scan", "--jsonl", "--norange_dels",
                                *names).out.splitlines():
            row = json.loads(line)
            if "path" in row:
                path = row["path"]
                entries.setdefault(path, [])
            elif "key" in row:
                entries[path].append(row)
        layout = json.loads(self.run_ok("layout", "--json", *names).out)
        self.tables = {
            file["path"]: Table(
                [block for block in file["blocks"] if block["kind"] == "data"],
                entries[file["path"]], self.comparators[file["path"]])
            for file in layout["files"]}
        # One set of files for each comparator.
        self.sets = [[name for name in names
                      if self.comparators[name] == comparator]
                     for comparator in (BYTEWISE, REVERSE, TIMED)]

    def random_flags(self, names):
        """Returns flags for a random range, and a function for its keys."""
        place = self.tables[names[0]].place

        def key():
            table = self.tables[self.source.choice(names)]
            key = self.source.choice(self.source.choice(table.blocks))[0]
            return key[:self.source.randint(0, 4)]
        begin, end = sorted((key(), key()), key=place)
        hexadecimal = ["--input_key_hex"]
        return self.source.choice((
            ([], lambda key: True),
            ([*hexadecimal, f"--from={begin.hex()}", f"--to={end.hex()}"],
             lambda key: place(begin) <= place(key) < place(end)),
            ([*hexadecimal, f"--prefix={end.hex()}"],
             lambda key: key.startswith(end))))

    def test_ranges(self):
        self.build_tables()
        for names in self.sets:
            every = self.check_every_block(names)
            for _ in range(8):
                flags, wanted = self.random_flags(names)
                count = self.source.choice((0, 1, 2, 3, 16, 1000))
                document = self.space(f"--ranges={count}", *flags, *names)
                place = self.tables[names[0]].place
                blocks = []
                for file in document["files"]:
                    some = [(last, size) for last, size, of in
                            every[file["path"]] if any(map(wanted, of))]
                    self.check_ranges(file, every[file["path"]], some, count,
                                      bool(flags))
                    blocks += self.told(file) if flags else some
                if not flags:
                    blocks.sort(key=lambda block: place(block[0]))
                    self.assertEqual(self.rows(document["space"]),
                                     cut(blocks, count))
                for name in ("data_blocks", "data_bytes", "file_bytes"):
                    self.assertEqual(
                        document["space"][name],
                        sum(file[name] for file in document["files"]))

    def check_every_block(self, names):
        """Returns the blocks of each file as (last, bytes, keys)."""
        every = {}
        for file in self.space("--ranges=0", *names)["files"]:
            table = self.tables[file["path"]]
            rows = self.rows(file)
            self.assertEqual([row[1:] for row in rows],
                             [[1, size] for size in table.sizes])
            for (last, _, _), keys, after in zip(
                    rows, table.blocks, [*table.blocks[1:], None]):
                self.assertLessEqual(table.place(keys[-1][0]),
                                     table.place(last))
                if after:
                    self.assertLess(table.place(last), table.place(after[0][0]))
            every[file["path"]] = [
                (row[0], row[2], [key for key, _, _ in keys])
                for row, keys in zip(rows, table.blocks)]
        return every

    @staticmethod
    def rows(file):
        return [[bytes.fromhex(row["last"]), row["blocks"], row["bytes"]]
                for row in file["ranges"]]

    @staticmethod
    def told(file):
        return [(row[0], row[2]) for row in SpaceTest.rows(file)]

    def check_ranges(self, file, every, some, count, flags):
        """`some` are the blocks with keys in the range.

        The blocks next to them may count too.
        """
        rows = self.rows(file)
        self.assertEqual(sum(row[1] for row in rows), file["data_blocks"])
        self.assertEqual(sum(row[2] for row in rows), file["data_bytes"])
        if not flags:
            self.assertEqual(rows, cut(some, count))
        elif some:
            self.assertLessEqual(file["data_blocks"], len(some) + 2)
            first = every.index(next(one for one in every
                                     if one[0] == some[0][0]))
            with_more = every[max(0, first - 1):first + len(some) + 1]
            self.assertIn(
                rows, [cut([(last, size) for last, size, _ in with_more[i:j]],
                           count)
                       for i in (0, 1) for j in (None, -1)] +
                [cut(some, count)])
        else:
            self.assertLessEqual(file["data_blocks"], 1)

    def test_prefixes(self):
        self.build_tables()
        for names in self.sets:
            for _ in range(8):
                flags, wanted = self.random_flags(names)
                length = self.source.choice((0, 1, 2, 5))
                separator = self.source.choice(("", ":", "a:"))
                if not length and not separator:
                    continue

                def prefix_of(key, length=length, separator=separator.encode()):
                    key = key[:length or None]
                    return key.split(separator)[0] if separator else key
                top = self.source.choice((0, 1, 4))
                document = self.space(
                    f"--prefix_length={length}", f"--top={top}",
                    f"--prefix_separator={separator}", *flags, *names)
                together = {}
                for file in document["files"]:
                    found = self.tables[file["path"]].prefixes(prefix_of,
                                                               wanted)
                    self.check_prefixes(file, found, top)
                    for name, sums in found.items():
                        row = together.setdefault(name, [0, 0, 0, 0])
                        row[:] = map(sum, zip(row, sums))
                self.check_prefixes(document["space"], together, top)

    def check_prefixes(self, file, found, top):
        largest = sorted(found.items(), key=lambda row: (-row[1][3], row[0]))
        shown = largest[:top or None]
        self.assertEqual(
            [(bytes.fromhex(row["prefix"]), [row[name] for name in SUMS])
             for row in file["prefixes"]], shown)
        rest = [sum(sums[i] for _, sums in largest[len(shown):])
                for i in range(len(SUMS))]
        self.assertEqual([file["others"][name] for name in SUMS], rest)

    def test_whole_table_is_shared_out(self):
        self.build("a.sst", numbered_rows(5000), "--block_size=300")
        properties = json.loads(self.run_ok("properties", "--json", "a.sst").out)
        properties = properties["files"][0]["properties"]
        file = self.space("--prefix_length=7", "a.sst")["files"][0]
        rows = [*file["prefixes"], file["others"]]
        self.assertEqual([sum(row[name] for row in rows) for name in SUMS],
                         [5000, 45000, 100000, properties["data_size"]])
        self.assertEqual((file["data_blocks"], file["data_bytes"]),
                         (properties["num_data_blocks"],
                          properties["data_size"]))

    def test_text(self):
        self.build("a.sst", hex_rows(
            [(b"a:%d" % i, 0, 1, b"v" * 98) for i in range(3)] +
            [(b"b:0", 0, 1, b"v" * 98), (b"c", 0, 1, b"v" * 50)]),
            "--block_size=100", "--compression_type=none")
        size = (self.folder / "a.sst").stat().st_size
        sizes = [block["size"] + 5 for block in json.loads(
            self.run_ok("layout", "--json", "a.sst").out)["files"][0]["blocks"]
            if block["kind"] == "data"]
        self.assertEqual(sizes, [125, 125, 125, 125, 75])
        heading = "Process a.sst\nSst file format: block-based\n"
        total = f"total: 5 data blocks, 575 bytes of {size}\n"
        ranges = """\
blocks  bytes    share  keys up to
     3    375  65.22 %  'b'
     2    200  34.78 %  'c'
"""
        text = self.run_ok("space", "--ranges=2", "a.sst").text
        self.assertEqual(text, heading + ranges + total)
        text = self.run_ok("space", "--quiet", "--ranges=1", "--output_hex",
                           "--prefix=c", "a.sst").text
        self.assertEqual(text.splitlines()[1].split()[-1], "'63'")
        prefixes = """\
entries  key bytes  value bytes  stored bytes    share  prefix
      3          9          294           375  65.22 %  'a'
      2          4          148           200  34.78 %  others
"""
        text = self.run_ok("space", "--prefix_separator=:", "--top=1",
                           "a.sst").text
        self.assertEqual(text, heading + prefixes + total)
        text = self.run_ok("space", "--quiet", "--ranges=1", "a.sst",
                           "a.sst").text
        self.assertTrue(text.endswith(f"""\
All 2 files
blocks  bytes     share  keys up to
    10   1150  100.00 %  'c'
total: 10 data blocks, 1150 bytes of {2 * size}
"""), text)

    def test_ranges_do_not_read_data_blocks(self):
        self.build("a.sst", numbered_rows(500), "--block_size=500")
        before = self.space("a.sst")["files"][0]["ranges"]
        self.assertEqual(len(before), 16)
        self.flip("a.sst", 0)
        self.assertEqual(self.space("a.sst")["files"][0]["ranges"], before)
        outcome = self.run_code(1, "space", "--prefix_length=1", "a.sst")
        self.assertIn("a.sst: Corruption: block checksum mismatch in data "
                      "block #0 offset 0 ", outcome.err)
        self.assertIn(" others\n" if " others\n" in outcome.text else " 'k'\n",
                      outcome.text)

    def test_more_prefixes_than_memory_has(self):
        """Light prefixes are dropped. Heavy ones that come late are kept."""
        # Prefix "a" begins before all others and continues after them.
        rows = [(b"a", 0, 1, b"")]
        rows += [(b"a!%06d" % i, 0, 1, b"") for i in range(70000)]
        rows += [(b"a:%02d" % i, 0, 1, b"v" * 500) for i in range(20)]
        rows += [(b"x%02d" % i, 0, 1, b"v" * 500) for i in range(19)]
        self.build("a.sst", hex_rows(rows), "--compression_type=none")
        file = self.space("--prefix_separator=:", "a.sst")["files"][0]
        self.assertEqual(
            sorted((row["prefix"], row["entries"])
                   for row in file["prefixes"]),
            [("61", 21)] + [((b"x%02d" % i).hex().upper(), 1)
                            for i in range(19)])
        self.assertEqual(file["others"]["entries"], 70000)
        self.assertEqual(file["others"]["key_bytes"], 560000)

    def test_orders_that_differ(self):
        self.build("a.sst", numbered_rows(9))
        self.build("r.sst", numbered_rows(1), f"--comparator={REVERSE}")
        text = self.run_ok("space", "a.sst", "r.sst").text
        self.assertIn("All 2 files\nno ranges: comparators differ or are not known\n",
                      text)
        self.assertEqual(self.space("a.sst", "r.sst")["space"]["ranges"], [])

    def test_usage(self):
        for flag in ("--prefix_length=1", "--prefix_separator=x"):
            self.assert_usage_error(
                "--ranges goes with neither --prefix_length nor "
                "--prefix_separator", "space", "--ranges=3", flag, "a.sst")


if __name__ == "__main__":
    cli.main()
