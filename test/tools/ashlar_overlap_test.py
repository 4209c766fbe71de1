"""Compares `overlap` with what `scan` prints of the same tables."""

import functools
import itertools
import json
import random

import cli
from cli import CliTest, hex_rows, numbered_rows

TIMED = "leveldb.BytewiseComparator.u64ts"
REVERSE = "rocksdb.ReverseBytewiseComparator"
RANGE_DELETION = 15


def order(comparator):
    """Returns a key function that sorts as the comparator does."""
    return functools.cmp_to_key(
        lambda a, b: ((a > b) - (a < b)) * (-1 if comparator == REVERSE else 1))


class Bounds:
    """The bounds of rows. Ends are (key, 0), or (key, -1) if exclusive."""

    def __init__(self, path, rows, comparator):
        self.path = path
        self.place = order(comparator)
        cut = 8 if comparator == TIMED else None
        begins, self.end = [], None
        for row in rows:
            key = bytes.fromhex(row["key"])[:cut and -cut]
            end = (key, 0)
            if row["type"] == "range_delete":
                end = (bytes.fromhex(row["value"])[:cut and -cut], -1)
                if not self.place(key) < self.place(end[0]):
                    continue
            begins.append(key)
            if self.end is None or self.later(end, self.end):
                self.end = end
        self.begin = min(begins, key=self.place, default=None)

    def later(self, a, b):
        return (self.place(a[0]), a[1]) > (self.place(b[0]), b[1])

    def members(self):
        if self.begin is None:
            return {}
        return {"smallest": self.begin.hex().upper(),
                "largest": self.end[0].hex().upper(),
                "largest_is_exclusive": self.end[1] != 0}

    def common(self, other):
        """Returns the bounds of the overlap of two, or None."""
        begin = max(self.begin, other.begin, key=self.place)
        end = other.end if self.later(self.end, other.end) else self.end
        if self.later((begin, 0), end):
            return None
        both = Bounds("", [], None)
        both.begin, both.end = begin, end
        return both.members()


class OverlapTest(CliTest):

    def overlap(self, *arguments):
        return json.loads(self.run_ok("overlap", "--json", *arguments).out)

    def bounds_of(self, names, comparators):
        """Returns the bounds of each table by name, from all its rows."""
        rows, path = {}, None
        for line in self.run_ok("scan", "--jsonl", *names).out.splitlines():
            row = json.loads(line)
            if "path" in row:
                path = row["path"]
                rows.setdefault(path, [])
            elif "key" in row:
                rows[path].append(row)
        return {name: Bounds(name, rows[name], comparators[name])
                for name in names}

    def random_table(self, name, source, comparator):
        tail = source.randbytes(8) if comparator == TIMED else b""

        near = bytes(source.choices(b"ab\xff", k=source.randint(0, 3)))

        def key():
            return near + bytes(source.choices(b"ab\xff",
                                               k=source.randint(0, 2)))
        points = {key() for _ in range(source.choice((0, 1, 1, 2, 9)))}
        rows = [(point + tail, 0, 1, b"v")
                for point in sorted(points, key=order(comparator))]
        for _ in range(source.choice((0, 0, 1, 2))):
            begin, end = sorted((key(), key()), key=order(comparator))
            if begin != end:
                rows.append((begin + tail, 0, RANGE_DELETION, end + tail))
        self.build(name, hex_rows(rows), "--block_size=30",
                   f"--comparator={comparator}")

    def test_random_tables(self):
        source = random.Random(17)
        comparators = {}
        for i in range(48):
            name = f"{i:02}.sst"
            comparators[name] = source.choice(
                ("leveldb.BytewiseComparator", REVERSE, TIMED))
            self.random_table(name, source, comparators[name])
        bounds = self.bounds_of(list(comparators), comparators)
        batches = set()
        for _ in range(30):
            wanted = source.choice((set(comparators.values()),
                                    {source.choice(sorted(comparators.values()))}))
            some = [name for name in comparators if comparators[name] in wanted]
            source.shuffle(some)
            some = some[:source.choice((1, 2, 3, 4, 9, 30))]
            batches.add(self.check(some, bounds, comparators))
        self.assertEqual(batches, {"yes", "in_order", "no"})

    def check(self, names, bounds, comparators):
        document = self.overlap("--top=0", *names)
        for file in document["files"]:
            told = {name: file[name] for name in
                    ("smallest", "largest", "largest_is_exclusive")
                    if name in file}
            self.assertEqual(told, bounds[file["path"]].members())
            self.assertEqual(file["comparator"], comparators[file["path"]])
        overlap = document["overlap"]
        pairs = {}
        for a, b in itertools.combinations(names, 2):
            if comparators[a] == comparators[b]:
                if bounds[a].begin is None or bounds[b].begin is None:
                    continue
                common = bounds[a].common(bounds[b])
                if common is not None:
                    pairs[frozenset((a, b))] = common
        told = {frozenset((pair.pop("first"), pair.pop("second"))): pair
                for pair in overlap["pairs"]}
        self.assertEqual(told, pairs)
        self.assertEqual(overlap["pairs_total"], len(pairs))
        self.assertEqual(len(overlap["pairs"]), len(pairs))
        empty = [name for name in names if bounds[name].begin is None]
        self.assertEqual(overlap["empty"], empty)
        alone, groups = self.groups(set(names) - set(empty), pairs)
        self.assertEqual(set(overlap["alone"]), alone)
        self.assertEqual({frozenset(group["files"])
                          for group in overlap["groups"]}, groups)
        self.check_groups(overlap["groups"], bounds, comparators)
        used = {comparators[name] for name in names}
        batch = "in_order" if pairs else "yes"
        # If a table has no keys, its comparator does not matter.
        if empty or len(used) > 1 or (pairs and used == {TIMED}):
            batch = "no"
        self.assertEqual(overlap["one_batch"], batch)
        return batch

    def check_groups(self, groups, bounds, comparators):
        for group in groups:
            files = [bounds[name] for name in group["files"]]
            self.assertEqual({comparators[name] for name in group["files"]},
                             {group["comparator"]})
            places = [file.place(file.begin) for file in files]
            self.assertEqual(places, sorted(places))
            self.assertEqual(group["smallest"], files[0].begin.hex().upper())
            last = files[0]
            for file in files:
                last = file if file.later(file.end, last.end) else last
            self.assertEqual((group["largest"], group["largest_is_exclusive"]),
                             (last.end[0].hex().upper(), last.end[1] != 0))

    @staticmethod
    def groups(names, pairs):
        """Returns names without overlap, and groups connected by overlaps."""
        groups = {name: frozenset([name]) for name in names}
        for pair in pairs:
            joined = frozenset().union(*(groups[name] for name in pair))
            groups.update({name: joined for name in joined})
        found = set(groups.values())
        return ({name for group in found if len(group) == 1 for name in group},
                {group for group in found if len(group) > 1})

    def build_some(self):
        for name, first, last in (("a", b"k1", b"k3"), ("b", b"k3", b"k4"),
                                  ("d", b"k8", b"k9")):
            self.run_ok("build", f"--out={name}.sst",
                        stdin=first + b"\t\n" + last + b"\t\n")
        self.build("c.sst", hex_rows([(b"k5", 0, RANGE_DELETION, b"k8")]))
        return ["a.sst", "b.sst", "c.sst", "d.sst"]

    def test_text(self):
        names = self.build_some()
        text = self.run_ok("overlap", *names).text
        self.assertEqual(text, """\
Process a.sst
Sst file format: block-based
keys: 'k1' to 'k3'
Process b.sst
Sst file format: block-based
keys: 'k3' to 'k4'
Process c.sst
Sst file format: block-based
keys: 'k5' to before 'k8'
Process d.sst
Sst file format: block-based
keys: 'k8' to 'k9'
overlap: 2 files, 'k1' to 'k4'
  a.sst: 'k1' to 'k3'
  b.sst: 'k3' to 'k4'
no overlap: 2 files
  c.sst: 'k5' to before 'k8'
  d.sst: 'k8' to 'k9'
pairs that overlap: 1
  a.sst and b.sst: 'k3' to 'k3'
files: 4, of them without overlap: 2, groups that overlap: 1, pairs: 1
one call of IngestExternalFile: yes, but they overlap: of a key the last file \
named wins; 1 file not made for it (allow_db_generated_files)
""")
        outcome = self.run_ok("overlap", "--quiet", "--output_hex", "d.sst")
        self.assertEqual(outcome.text, """\
keys: '6B38' to '6B39'
no overlap: 1 file
  d.sst: '6B38' to '6B39'
files: 1, of them without overlap: 1, groups that overlap: 0, pairs: 0
""")
        self.build("e.sst", b"")
        self.assertEqual(self.overlap("a.sst", "e.sst")["overlap"]["one_batch"],
                         "no")
        self.build("r.sst", numbered_rows(1), f"--comparator={REVERSE}")
        text = self.run_ok("overlap", "a.sst", "a.sst", "e.sst", "r.sst").text
        self.assertIn("\nkeys: none\n", text)
        self.assertIn("\ncomparator leveldb.BytewiseComparator:\noverlap: 2 "
                      "files, 'k1' to 'k3'\n", text)
        self.assertIn(f"\ncomparator {REVERSE}:\nno overlap: 1 file\n", text)
        self.assertIn("\nno entries: 1 file\n  e.sst\n", text)
        self.assertIn("\none call of IngestExternalFile: no, some have no "
                      "entries, their comparators differ, they overlap; ",
                      text)

    def test_pairs_are_bounded(self):
        names = 8 * [self.build_some()[0]]
        text = self.run_ok("overlap", "--top=3", *names).text
        self.assertEqual(text.count("  a.sst and a.sst: 'k1' to 'k3'\n"), 3)
        self.assertIn("pairs that overlap: 28\n", text)
        self.assertIn("\n  25 more not shown (--top)\n", text)
        overlap = self.overlap("--top=3", *names)["overlap"]
        self.assertEqual((len(overlap["pairs"]), overlap["pairs_total"]),
                         (3, 28))

    def test_others_go_on(self):
        names = self.build_some()
        (self.folder / "text.sst").write_bytes(b"no table at all " * 9)
        self.flip("d.sst", 0, to="bad.sst")
        outcome = self.run_code(1, "overlap", "--json", "text.sst", "bad.sst",
                                "--recursive", ".")
        self.assertIn("bad.sst: Corruption: block checksum mismatch in data "
                      "block #0 offset 0 ", outcome.err)
        document = json.loads(outcome.out)
        self.assertEqual([file["status"] for file in document["files"]],
                         ["not_sst", "corrupt", "ok", "ok", "corrupt", "ok",
                          "ok", "not_sst"])
        self.assertEqual(document["overlap"]["groups"][0]["files"],
                         ["./a.sst", "./b.sst"])
        self.assertEqual(document["overlap"]["alone"], ["./c.sst", "./d.sst"])
        self.assertEqual(document["overlap"]["one_batch"], "no")
        outcome = self.run_code(2, "overlap", "c.sst", "none", "d.sst")
        self.assertIn(b"IngestExternalFile: no, not all could be read",
                      outcome.out)
        self.assertIn(b"IngestExternalFile: yes",
                      self.run_ok("overlap", "c.sst", "d.sst").out)

    def test_what_lies_between_is_not_read(self):
        self.build("a.sst", numbered_rows(500), "--block_size=500")
        layout = json.loads(self.run_ok("layout", "--json", "a.sst").out)
        data = [block for block in layout["files"][0]["blocks"]
                if block["kind"] == "data"]
        self.flip("a.sst", *(block["offset"] for block in data[1:-1]))
        file = self.overlap("a.sst")["files"][0]
        self.assertEqual(bytes.fromhex(file["smallest"]), b"key000000")
        self.assertEqual(bytes.fromhex(file["largest"]), b"key000499")


if __name__ == "__main__":
    cli.main()
