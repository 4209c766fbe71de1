"""compact: what RocksDB's compactions leave, whichever files it takes.

The cases of test/golden/compaction were run on RocksDB: each says which files
it compacted, and what it made of them. The program must make the same entries
of the same files.
"""

import json
import os
import random
import signal
import subprocess
import unittest

import cli
from cli import CliTest, GOLDEN, PROGRAM, hex_rows, numbered_rows, take_signals

CASES = GOLDEN / "compaction" / "cases.txt"
PUT, DELETION, MERGE, SINGLE, RANGE = 1, 0, 2, 7, 15
# Options of the cases that change no entry of a compaction into a deep level.
NEUTRAL = {"num_levels", "level0_file_num_compaction_trigger", "compression",
           "max_bytes_for_level_base", "target_file_size_base",
           "bottommost_compression"}
# Its range deletions count only within bounds that a MANIFEST has.
NEEDS_BOUNDS = {"r28-reread-truncated"}
SUPPORTED = {DELETION, PUT, SINGLE, RANGE, 20, 22}

# Oldest first.
OLD = [(b"a", 1, PUT, b"old"), (b"b", 2, PUT, b"x"), (b"c", 3, PUT, b"1"),
       (b"d", 9, PUT, b"z"), (b"b", 4, RANGE, b"c")]
NEW = [(b"a", 6, PUT, b"new"), (b"c", 5, MERGE, b"2"), (b"e", 8, DELETION, b"")]
APPEND = "--merge_operator=stringappend"


def lines_of(rows):
    """Returns rows as a scan prints them."""
    return hex_rows(rows).decode().splitlines()


class Case:
    """A case of cases.txt; its form is in test/support/compaction_cases.h."""

    def __init__(self, name):
        self.name, self.status = name, None
        self.options, self.snapshots, self.lists = {}, [], {}
        self.other_levels = []
        for word in ("pre", "action", "op", "in", "other", "out"):
            self.lists[word] = []

    def take(self, words, line):
        if words[0] == "option":
            self.options[words[1]] = words[2]
        elif words[0] == "snap":
            self.snapshots.append((words[1], int(words[2])))
        elif words[0] in ("pre", "action", "op"):
            self.lists[words[0]].append(line[len(words[0]) + 1:])
        elif words[0] in ("in", "other", "out"):
            self.files = self.lists[words[0]]
            self.files.append((int(words[3]), []))
            if words[0] == "other":
                self.other_levels.append(int(words[1]))
        elif words[0] in ("smallest", "largest") and (
                self.files is self.lists["other"]):
            # Of deeper files, the cases have the bounds alone.
            row = (bytes.fromhex(words[1]), int(words[2]), PUT, b"")
            if row not in self.files[-1][1]:
                self.files[-1][1].append(row)
        elif words[0] == "e":
            self.files[-1][1].extend(self.entries_of(words, self.files[-1][0]))
        elif words[0] == "status":
            self.status = words[1]

    @staticmethod
    def entries_of(words, least_sequence):
        """Yields what a line of entries stands for."""
        count, step = 1, 0
        if words[-1].startswith("x"):
            count, step = map(int, words.pop()[1:].split("+"))
        if len(words[1]) % 2 or len(words) < 4:
            words.insert(1, "")  # the empty key is no word
        key, value = bytes.fromhex(words[1]), b""
        if len(words) > 4:
            byte, _, times = words[4].partition("*")
            value = bytes.fromhex(byte) * int(times or 1)
        for i in range(count):
            # An ingested file has its sequence number in the metadata.
            sequence = max(int(words[2]) + i * step, least_sequence)
            number = b"%05d" % (int(key[-5:]) + i) if count > 1 else key[-5:]
            yield key[:-5] + number, sequence, int(words[3]), value

    def fits(self):
        """Returns whether flags can say all that the case says."""
        action = self.lists["action"]
        types = {row[2] for _, rows in self.lists["in"] for row in rows}
        # Where the output's level is the first, an engine knows more of each
        # key than flags can say.
        return (len(action) == 1 and action[0].startswith("files ") and
                not action[0].startswith("files 0") and
                all(level > int(action[0].split()[1])
                    for level in self.other_levels) and
                self.name not in NEEDS_BOUNDS and
                set(self.lists["pre"]) <= {"uts"} and types <= SUPPORTED and
                set(self.options) <= NEUTRAL | {"enforce_single_del_contracts",
                                                "allow_ingest_behind"})

    def flags(self):
        flags = [] if self.other_levels else ["--bottommost"]
        released = [op[4:] for op in self.lists["op"] if op.startswith("rel ")]
        live = [(name, number) for name, number in self.snapshots
                if name not in released]
        if live:
            numbers = sorted({number for _, number in live})
            flags.append("--snapshots=" + ",".join(map(str, numbers)))
        conflicts = [number for name, number in live
                     if name.startswith("wc:")]
        if conflicts:
            flags.append("--earliest_write_conflict_snapshot="
                         f"{min(conflicts)}")
        if "enforce_single_del_contracts" in self.options:
            flags.append("--noenforce_single_del_contracts")
        if "allow_ingest_behind" in self.options:
            flags.append("--allow_ingest_behind")
        flags += ["--full_history_ts_low=" + op[6:]
                  for op in self.lists["op"] if op.startswith("tslow ")]
        return flags

    def comparator(self):
        return (["--comparator=leveldb.BytewiseComparator.u64ts"]
                if "uts" in self.lists["pre"] else [])


def read_cases():
    cases = []
    for line in CASES.read_text("utf-8").splitlines():
        words = line.split()
        if words[0] == "case":
            cases.append(Case(words[1]))
        else:
            cases[-1].take(words, line)
    return [case for case in cases if case.fits()]


@unittest.skipUnless(CASES.exists(), "no golden files")
class CasesTest(CliTest):

    def test_entries_are_those_of_rocksdb(self):
        expected, names = [], []
        for case in read_cases():
            with self.subTest(case=case.name):
                inputs = [self.build_once(f"{case.name}-{i}.sst",
                                          hex_rows(rows), *case.comparator())
                          for i, (_, rows) in enumerate(case.lists["in"])]
                levels = {}
                for i, (_, rows) in enumerate(case.lists["other"]):
                    levels.setdefault(case.other_levels[i], []).append(
                        self.build_once(f"{case.name}-other-{i}.sst",
                                        hex_rows(rows), *case.comparator()))
                inputs += ["--deeper=" + ",".join(map(str, files))
                           for _, files in sorted(levels.items())]
                name = f"{case.name}.sst"
                command = ["compact", "--threads=1", "--quiet",
                           f"--out={name}", *case.flags(), *inputs]
                if case.status == "corruption":
                    outcome = self.run_code(1, *command)
                    self.assertIn("Corruption: ", outcome.err)
                    self.assertFalse((self.folder / name).exists())
                    continue
                self.run_ok(*command)
                # Files of subcompactions come in any order.
                files = sorted((rows for _, rows in case.lists["out"]),
                               key=lambda rows: (rows[0][0], -rows[0][1]))
                rows = [row for rows in files for row in rows]
                points = [row for row in rows if row[2] != RANGE]
                # Each file has the range deletions that it is under.
                ranges = sorted({row for row in rows if row[2] == RANGE})
                expected.append((lines_of(points), lines_of(ranges)))
                names.append(name)
        self.assertGreater(len(names), 60)
        for name, (points, ranges), rows in zip(names, expected,
                                                self.scan_each(names)):
            with self.subTest(case=name):
                self.assertEqual(rows[:len(points)], points)
                self.assertEqual(sorted(rows[len(points):]), sorted(ranges))


class CompactTest(CliTest):

    def setUp(self):
        super().setUp()
        self.build_once("old.sst", hex_rows(OLD))
        self.build_once("new.sst", hex_rows(NEW))

    def compact(self, *arguments, code=0, **more):
        return self.run_code(code, "compact", "--threads=1", *arguments, **more)

    def rows_of(self, *arguments):
        """Returns the rows that a compaction of these arguments leaves."""
        self.compact("--out=o.sst", "--overwrite", "--quiet", *arguments)
        rows, = self.scan_each(["o.sst"])
        return rows

    def document(self, *arguments, code=0):
        return json.loads(self.compact("--json", *arguments, code=code).out)

    def names(self):
        return sorted(os.listdir(self.folder))

    def assert_nothing_made(self):
        self.assertEqual(self.names(), ["new.sst", "old.sst"])

    def test_what_flags_leave(self):
        keep_all = [(b"a", 6, PUT, b"new"), (b"c", 5, PUT, b"1,2"),
                    (b"d", 9, PUT, b"z"), (b"e", 8, DELETION, b""),
                    (b"b", 4, RANGE, b"c")]
        for flags, rows in (
                ([], keep_all),
                (["--bottommost"], [(b"a", 0, PUT, b"new"),
                                    (b"c", 0, PUT, b"1,2"),
                                    (b"d", 0, PUT, b"z")]),
                (["--bottommost", "--allow_ingest_behind"], keep_all[:-1]),
                (["--bottommost", "--preserve_seqno_after=5"],
                 [(b"a", 6, PUT, b"new"), (b"c", 0, PUT, b"1,2"),
                  (b"d", 9, PUT, b"z")]),
                (["--snapshots=4"],
                 [(b"a", 6, PUT, b"new"), (b"a", 1, PUT, b"old"),
                  (b"c", 5, MERGE, b"2"), (b"c", 3, PUT, b"1"),
                  (b"d", 9, PUT, b"z"), (b"e", 8, DELETION, b""),
                  (b"b", 4, RANGE, b"c")]),
                (["--snapshots=2"],
                 [(b"a", 6, PUT, b"new"), (b"a", 1, PUT, b"old"),
                  (b"b", 2, PUT, b"x"), (b"c", 5, PUT, b"1,2"),
                  (b"d", 9, PUT, b"z"), (b"e", 8, DELETION, b""),
                  (b"b", 4, RANGE, b"c")]),
                (["--from=c"], keep_all[1:-1]),
                (["--input_key_hex", "--from=63", "--to=64"], keep_all[1:2])):
            with self.subTest(flags=flags):
                self.assertEqual(self.rows_of("old.sst", "new.sst", APPEND,
                                              *flags), lines_of(rows))

    def test_merge_operators(self):
        self.build_once("m.sst", hex_rows([
            (b"k", 3, MERGE, (5).to_bytes(8, "little")),
            (b"k", 2, MERGE, (300).to_bytes(8, "little")),
            (b"k", 1, PUT, (7).to_bytes(8, "little"))]))
        for flags, value in (
                (["--merge_operator=uint64add"], (312).to_bytes(8, "little")),
                (["--merge_operator=UInt64AddOperator"],
                 (312).to_bytes(8, "little")),
                (["--merge_operator=put"], (5).to_bytes(8, "little")),
                (["--merge_operator=max"], (300).to_bytes(8, "little")),
                ([APPEND, "--merge_delimiter=; "],
                 b"; ".join(n.to_bytes(8, "little") for n in (7, 300, 5)))):
            with self.subTest(flags=flags):
                self.assertEqual(self.rows_of("m.sst", *flags),
                                 lines_of([(b"k", 3, PUT, value)]))
        properties, = json.loads(self.run_ok("properties", "--json",
                                             "o.sst").out)["files"]
        self.assertEqual(properties["properties"]["merge_operator_name"],
                         "StringAppendOperator")

    def test_operand_without_operator_names_the_flag(self):
        outcome = self.compact("--out=o.sst", "old.sst", "new.sst", code=2)
        self.assertIn("--merge_operator names what joins operands", outcome.err)
        self.assert_nothing_made()
        # The output of a compaction says which operator made it.
        self.compact("--out=m.sst", "new.sst", APPEND)
        outcome = self.compact("--out=o.sst", "m.sst", code=2)
        self.assertIn("m.sst was written with StringAppendOperator",
                      outcome.err)
        # An operand that is hidden needs no operator.
        self.build("put.sst", hex_rows([(b"c", 7, PUT, b"3")]))
        self.compact("--out=o.sst", "new.sst", "put.sst")
        # Without operands, other invalid options are not explained by them.
        outcome = self.compact("--out=o2.sst", "new.sst", "--index_type=hash",
                               code=2)
        self.assertNotIn("merge_operator", outcome.err)

    def test_single_deletion_above_a_deletion(self):
        self.build("s.sst", hex_rows([(b"k", 3, SINGLE, b""),
                                      (b"k", 2, DELETION, b""),
                                      (b"k", 1, PUT, b"x")]))
        outcome = self.compact("--out=o.sst", "s.sst", code=1)
        self.assertIn("Corruption: ", outcome.err)
        self.assertEqual(
            self.rows_of("s.sst", "--noenforce_single_del_contracts"), [])

    def test_rate_limit(self):
        # A lower bound: a busy machine may take longer.
        self.build("a.sst", numbered_rows(6000, 40), "--compression_type=none")
        size = (self.folder / "a.sst").stat().st_size
        rate = 2 * size
        found = self.document("--out=o.sst", "a.sst", f"--rate_limit={rate}")
        # The bytes of the first tenth of a second need no wait.
        self.assertGreater(found["compaction"]["seconds"], .2)
        found = self.document("--out=p.sst", "a.sst",
                              "--earliest_write_conflict_snapshot=3",
                              "--snapshots=3", "--rate_limit=1G")
        self.assertEqual(*self.scan_each(["o.sst", "p.sst"]))

    def test_how_outputs_are_written(self):
        rows = numbered_rows(3000, 40)
        self.build("a.sst", rows, "--compression_type=none")
        size = (self.folder / "a.sst").stat().st_size
        plain = self.rows_of("a.sst", "--compression_type=none")
        for set_of_tables in ([], ["--target_file_size=20K"]):
            found = self.document("--out=w.sst", "--overwrite", "a.sst",
                                  "--compression_type=none",
                                  f"--write_rate_limit={2 * size}",
                                  *set_of_tables)
            # A lower bound: a busy machine may take longer.
            self.assertGreater(found["compaction"]["seconds"], .2)
        for flags in (["--bytes_per_sync=4K"], ["--use_fsync"],
                      ["--bytes_per_sync=4K", "--strict_bytes_per_sync"]):
            with self.subTest(flags=flags):
                self.assertEqual(self.rows_of("a.sst", *flags), plain)
        # A file system in memory may have no direct I/O.
        outcome = self.run_program("compact", "--threads=1", "--out=o.sst",
                               "--overwrite", "--use_direct_writes", "a.sst")
        if outcome.code == 0:
            found, = self.scan_each(["o.sst"])
            self.assertEqual(found, plain)
        else:
            self.assertIn("Not implemented: ", outcome.err)

    def test_deeper_tables_say_what_may_go(self):
        below = [(b"b", 0, PUT, b"0"), (b"e", 0, PUT, b"0")]
        self.build("below.sst", hex_rows(below))
        keep = [(b"a", 6, PUT, b"new"), (b"c", 5, PUT, b"1,2"),
                (b"d", 9, PUT, b"z")]
        deletion, deleted = (b"e", 8, DELETION, b""), (b"b", 4, RANGE, b"c")
        for name, rows, left in (
                # Of the keys that the inputs have.
                ("all", below, keep + [deletion, deleted]),
                ("e", below[1:], keep + [deletion]),
                ("b", below[:1], keep + [deleted]),
                ("c", [(b"c", 0, PUT, b"0")], keep),
                # Beside all keys: nothing is beneath.
                ("z", [(b"z", 0, PUT, b"0")],
                 [(key, 0, kind, value) for key, _, kind, value in keep])):
            with self.subTest(below=name):
                self.build(f"{name}.sst", hex_rows(rows))
                self.assertEqual(
                    self.rows_of("old.sst", "new.sst", APPEND,
                                 f"--deeper={name}.sst"), lines_of(left))
        # Two of one level, and two levels.
        for flags in (["--deeper=b.sst,e.sst"],
                      ["--deeper=b.sst", "--deeper=e.sst"]):
            self.assertEqual(self.rows_of("old.sst", "new.sst", APPEND, *flags),
                             lines_of(keep + [deletion, deleted]))

    def test_outputs_end_where_deeper_tables_do(self):
        self.build("a.sst", numbered_rows(3000, 40), "--compression_type=none")
        rows = numbered_rows(3000, 40).splitlines(keepends=True)
        for name, part in (("x", rows[:1100]), ("y", rows[1100:])):
            self.build(f"{name}.sst", b"".join(part))
        first_of_y = rows[1100].split()[0].decode()
        # A builder with workers learns the size of its output later.
        found = self.document("--out=s.sst", "a.sst", "--deeper=x.sst,y.sst",
                              "--compression_type=none",
                              "--compression_parallel_threads=1",
                              "--target_file_size=60K")
        tables = found["compaction"]["tables"]
        begins = [table["smallest"] for table in tables]
        self.assertIn(first_of_y.upper(), begins)
        # No more of the deeper tables than is asked for.
        found = self.document("--out=s.sst", "--overwrite", "a.sst",
                              "--deeper=x.sst,y.sst", "--compression_type=none",
                              "--target_file_size=1G",
                              "--max_compaction_bytes=1K")
        self.assertEqual(len(found["compaction"]["tables"]), 2)

    def test_deeper_tables_that_do_not_fit(self):
        self.build("below.sst", hex_rows([(b"a", 1, PUT, b""),
                                          (b"k", 1, PUT, b"")]))
        self.build("over.sst", hex_rows([(b"b", 1, PUT, b"")]))
        for flags, message in (
                (["--deeper=below.sst,over.sst"],
                 "below.sst: each --deeper names one level, whose tables do "
                 "not overlap"),
                (["--deeper=,"], "--deeper: ',' names no table"),
                (["--deeper=none.sst"], "none.sst"),
                (["--deeper=below.sst", "--bottommost"], "exclude each other"),
                (["--deeper=old.sst"], "old.sst is named twice"),
                (["--max_compaction_bytes=1"],
                 "--max_compaction_bytes needs --target_file_size and "
                 "--deeper"),
                (["--strict_bytes_per_sync"],
                 "--strict_bytes_per_sync needs --bytes_per_sync")):
            with self.subTest(flags=flags):
                outcome = self.run_program("compact", "--out=o.sst", "old.sst",
                                       *flags)
                self.assertNotEqual(outcome.code, 0)
                self.assertIn(message, outcome.err)
                self.assertFalse((self.folder / "o.sst").exists())
        # A deeper table is not written over.
        outcome = self.run_program("compact", "--out=below.sst", "--overwrite",
                               "old.sst", "--deeper=below.sst")
        self.assertEqual(outcome.code, 2)

    def test_tables_for_ingestion_are_ordered_by_place(self):
        for name, value in (("1", "x"), ("2", "y"), ("3", "z")):
            self.run_ok("build", f"--out={name}.sst", "--quiet",
                        stdin=f"k\t{value}\nk{name}\t{value}\n".encode())
        self.run_ok("build", "--out=d.sst", "--input_format=hex", "--external",
                    "--quiet", stdin=hex_rows([(b"k", 0, RANGE, b"k2")]))
        for order, rows in (
                (["1", "2", "3"], [("k", 3, 1, "z"), ("k1", 1, 1, "x"),
                                   ("k2", 2, 1, "y"), ("k3", 3, 1, "z")]),
                (["3", "2", "1"], [("k", 3, 1, "x"), ("k1", 3, 1, "x"),
                                   ("k2", 2, 1, "y"), ("k3", 1, 1, "z")]),
                (["1", "d", "2"], [("k", 3, 1, "y"), ("k2", 3, 1, "y"),
                                   ("k", 2, 15, "k2")]),
                (["old", "1"], None)):
            with self.subTest(order=order):
                found = self.rows_of(*(name + ".sst" for name in order))
                if rows is not None:
                    self.assertEqual(found, lines_of(
                        [(key.encode(), number, kind, value.encode())
                         for key, number, kind, value in rows]))
                else:  # above all numbers of the table before it
                    self.assertIn("6b 10 1 78", found)
        # A table with numbers behind one without would be taken for older.
        outcome = self.compact("--out=n.sst", "1.sst", "old.sst", code=2)
        self.assertIn("name tables with sequence numbers before those without",
                      outcome.err)
        # Numbers that are large enough are no problem.
        self.build("late.sst", hex_rows([(b"k", 2, PUT, b"late")]))
        self.assertEqual(self.rows_of("1.sst", "late.sst"), lines_of(
            [(b"k", 2, PUT, b"late"), (b"k1", 1, PUT, b"x")]))
        # A folder's tables come in the order of their names.
        (self.folder / "in").mkdir()
        for name in "123":
            (self.folder / f"{name}.sst").rename(self.folder / "in" /
                                                 f"{name}.sst")
        self.assertIn("6b 3 1 7a", self.rows_of("in"))

    def test_the_later_of_two_equal_keys_is_taken(self):
        for name in "xy":
            self.build(f"{name}.sst", hex_rows([(b"k", 5, PUT, name.encode())]))
        self.assertEqual(self.rows_of("x.sst", "y.sst"), ["6b 5 1 79"])
        self.assertEqual(self.rows_of("y.sst", "x.sst"), ["6b 5 1 78"])

    def test_what_it_prints(self):
        outcome = self.compact("old.sst", "new.sst", APPEND, "--out=o.sst",
                               "--bottommost")
        sizes = {name: (self.folder / name).stat().st_size
                 for name in ("old.sst", "new.sst", "o.sst")}
        self.assertEqual(
            outcome.text,
            "input: 2 files, 7 entries, 1 range deletion, "
            f"{sizes['old.sst'] + sizes['new.sst']} bytes\n"
            f"output: 1 file, 3 entries, {sizes['o.sst']} bytes\n"
            "dropped, hidden by a newer version: 1\n"
            "dropped, deletions that hide nothing: 1\n"
            "dropped, under a range deletion: 1\n"
            "dropped, range deletions: 1\n"
            "merged, operands and values: 1; results: 1\n")
        self.assertRegex(outcome.err, r"^wrote o\.sst: 3 entries, ")
        outcome = self.compact("old.sst", "--out=q.sst", "--quiet")
        self.assertEqual((outcome.out, outcome.err), (b"", ""))
        document = self.document("old.sst", "new.sst", APPEND, "--out=j.sst")
        self.assertEqual([file["path"] for file in document["files"]],
                         ["old.sst", "new.sst"])
        found = document["compaction"]
        self.assertEqual(found["dropped"], {
            "hidden": 1, "obsolete": 0, "range_deleted": 1,
            "single_deletions": 0, "single_deleted": 0, "range_deletions": 0})
        self.assertEqual(
            [found[name] for name in (
                "input_files", "input_entries", "input_range_deletions",
                "output_files", "output_entries", "output_range_deletions",
                "out", "num_entries")], [2, 7, 1, 1, 4, 1, "j.sst", 5])
        self.assertEqual(found["output_bytes"],
                         (self.folder / "j.sst").stat().st_size)
        self.assertEqual(document["summary"]["entries"], 5)

    def test_nothing_left(self):
        self.build("d.sst", hex_rows([(b"k", 5, DELETION, b"")]))
        self.compact("--bottommost", "--out=o.sst", "d.sst")
        found = self.document("--bottommost", "--out=s.sst", "d.sst",
                              "--target_file_size=1K")
        self.assertEqual(found["compaction"]["output_entries"], 0)
        self.assertEqual(self.scan_each(["o.sst", "s-000001.sst"]), [[], []])
        self.run_ok("verify", "o.sst", "s-000001.sst")

    def test_origin(self):
        self.build("1.sst", hex_rows([(b"k", 1, PUT, b"x")]),
                   "--creation_time=500", "--block_size=1K",
                   "--format_version=4")
        self.build("2.sst", hex_rows([(b"l", 2, PUT, b"x")]),
                   "--creation_time=900", "--format_version=5")
        self.compact("--out=o.sst", "1.sst", "2.sst")
        self.compact("--out=t.sst", "1.sst", "2.sst", "--creation_time=7")
        first, second = json.loads(self.run_ok(
            "properties", "--json", "o.sst", "t.sst").out)["files"]
        # The time of the oldest input, the form of the newest.
        self.assertEqual(first["properties"]["creation_time"], 500)
        self.assertEqual(first["format_version"], 5)
        self.assertEqual(second["properties"]["creation_time"], 7)

    def test_set_of_tables(self):
        rows = [(b"key%06d" % i, i + 1, PUT, b"%040d" % i)
                for i in range(4000)]
        self.build("a.sst", hex_rows(rows[::2]), "--compression_type=none")
        self.build("b.sst", hex_rows(rows[1::2]), "--compression_type=none")
        serial = None
        for flags in (["--threads=1"],
                      ["--threads=1", "--max_subcompactions=4"],
                      ["--threads=3", "--max_subcompactions=4"],
                      ["--threads=2", "--max_subcompactions=3"],
                      ["--threads=2", "--target_file_size_is_upper_bound"],
                      ["--threads=2", "--rate_limit=1G"]):
            with self.subTest(flags=flags):
                document = json.loads(self.run_ok(
                    "compact", "--json", "--out=s.sst", "--overwrite",
                    "--target_file_size=20K", "--compression_type=none",
                    "--compression_parallel_threads=1", "a.sst", "b.sst",
                    *flags).out)
                manifest = json.loads(
                    (self.folder / "s-manifest.json").read_text("utf-8"))
                files = manifest["files"]
                self.assertEqual(document["compaction"]["tables"], files)
                self.assertGreater(len(files), 8)
                for one, other in zip(files, files[1:]):
                    self.assertLess(one["largest"], other["smallest"])
                names = [file["path"] for file in files]
                self.assertEqual(names, sorted(names))
                found = [row for table in self.scan_each(names)
                         for row in table]
                serial = serial or found
                self.assertEqual(found, lines_of(rows))
                self.assertEqual(
                    sum(file["entries"] for file in files), len(rows))
                self.assertEqual(sorted([*names, "s-manifest.json"]), [
                    name for name in self.names() if name.startswith("s")])
        # What was there is not replaced without --overwrite.
        before = self.names()
        outcome = self.compact("--out=s.sst", "--target_file_size=20K", "a.sst",
                               code=2)
        self.assertIn("exists; --overwrite replaces it", outcome.err)
        # A table of the set is not an input and an output.
        outcome = self.compact("--out=s.sst", "--target_file_size=20K",
                               "--overwrite", names[0], code=2)
        self.assertIn("is an input, which is never overwritten", outcome.err)
        self.assertEqual(self.names(), before)

    def test_equal_bytes(self):
        self.build("a.sst", numbered_rows(3000))
        made = []
        for name in ("1", "2"):
            self.compact("a.sst", "--identity=01", "--target_file_size=4K",
                         "--threads=2", f"--out={name}.sst")
            made.append([path.read_bytes() for path in
                         sorted(self.folder.glob(f"{name}-0*.sst"))])
        self.assertGreater(len(made[0]), 2)
        self.assertEqual(*made)

    def test_flags_that_do_not_go_together(self):
        for reason, flags in (
                ("no output: --out names the file to make", []),
                ("no input: name a file or a directory", ["--out=o.sst"])):
            inputs = [] if "input" in reason else ["old.sst"]
            self.assert_usage_error(reason, "compact", *flags, *inputs)
        for reason, flag in (
                ("--merge_operator: 'join' is none of uint64add, stringappend, "
                 "max, put", "--merge_operator=join"),
                ("--merge_delimiter needs --merge_operator=stringappend",
                 "--merge_delimiter=|"),
                ("--snapshots: 3 comes after 4; name the oldest first",
                 "--snapshots=4,3"),
                ("--snapshots: 4 comes after 4; name the oldest first",
                 "--snapshots=4,4"),
                ("--snapshots: 'x' is not a sequence number", "--snapshots=x"),
                ("--snapshots: '' is not a sequence number", "--snapshots=,1"),
                ("--snapshots: a number is missing at the end",
                 "--snapshots=1,"),
                ("--snapshots: '72057594037927936' is not a sequence number",
                 "--snapshots=72057594037927936"),
                ("--earliest_write_conflict_snapshot: 5 is none of --snapshots",
                 "--earliest_write_conflict_snapshot=5"),
                ("--preserve_seqno_after: 72057594037927936 is larger than all "
                 "sequence numbers", "--preserve_seqno_after=72057594037927936"),
                ("--max_subcompactions needs --target_file_size",
                 "--max_subcompactions=2"),
                ("--target_file_size_is_upper_bound needs --target_file_size",
                 "--target_file_size_is_upper_bound"),
                ("--from: 'xyz' is not hexadecimal of even length",
                 "--input_key_hex --from=xyz")):
            with self.subTest(flag=flag):
                self.assert_usage_error(reason, "compact", "--out=o.sst",
                                        "old.sst", *flag.split())
        for ends in ("--from=z --to=a", "--from=b --to=b"):
            outcome = self.run_code(2, "compact", "--out=o.sst", "old.sst",
                                    *ends.split())
            self.assertIn("--from is not before --to", outcome.err)
            self.assertFalse((self.folder / "o.sst").exists())
        for reason, flags in (
                ("--max_subcompactions: 0 is not from 1 to 1024",
                 ["--max_subcompactions=0"]),
                ("--max_subcompactions: 1025 is not from 1 to 1024",
                 ["--max_subcompactions=1025"]),
                ("--identity and --max_subcompactions exclude each other: "
                 "which table is made first depends on the threads",
                 ["--max_subcompactions=2", "--identity=01"])):
            self.assert_usage_error(reason, "compact", "--out=o.sst", "old.sst",
                                    "--target_file_size=1K", *flags)
        os.link(self.folder / "old.sst", self.folder / "link.sst")
        self.assert_usage_error(
            "link.sst is named twice: its entries must be taken once",
            "compact", "--out=o.sst", "old.sst", "link.sst")
        (self.folder / "link.sst").unlink()
        outcome = self.compact("--out=o.sst", "old.sst",
                               "--full_history_ts_low=5", code=2)
        self.assertIn("--full_history_ts_low: keys of the comparator "
                      "leveldb.BytewiseComparator have no timestamps",
                      outcome.err)
        self.assert_nothing_made()

    def test_inputs_that_cannot_be_compacted(self):
        (self.folder / "text.sst").write_bytes(b"no table at all" * 20)
        data = (self.folder / "old.sst").read_bytes()
        (self.folder / "cut.sst").write_bytes(data[:-9])
        self.build_once("r.sst", hex_rows([(b"b", 1, PUT, b"")]),
                        "--comparator=rocksdb.ReverseBytewiseComparator")
        (self.folder / "empty").mkdir()
        before = self.names()
        # All are named, not the first only.
        document = self.document("--out=o.sst", "text.sst", "old.sst",
                                 "missing.sst", "cut.sst", "r.sst", "empty",
                                 code=2)
        self.assertEqual(
            [(file["path"], file["status"], file["errors_total"])
             for file in document["files"]],
            [("text.sst", "not_sst", 1), ("old.sst", "ok", 0),
             ("missing.sst", "io_error", 1), ("cut.sst", "not_sst", 1),
             ("r.sst", "unsupported", 1), ("empty", "not_sst", 1)])
        self.assertNotIn("compaction", document)
        self.assertIn("its comparator is rocksdb.ReverseBytewiseComparator",
                      document["files"][4]["errors"][0]["message"])
        self.assertEqual(self.names(), before)

    def test_damage_is_found_and_named(self):
        self.build("a.sst", numbered_rows(3000), "--compression_type=none")
        blocks, = self.layout_of_each(["a.sst"])
        middle = [block for block in blocks if block["kind"] == "data"][5]
        self.flip("a.sst", middle["offset"] + 9)
        before = self.names()
        for flags in ([], ["--target_file_size=10K"],
                      ["--target_file_size=10K", "--max_subcompactions=3"]):
            for threads in ("1", "2"):
                document = json.loads(self.run_code(
                    1, "compact", "--json", "--out=o.sst", "old.sst", "a.sst",
                    "new.sst", APPEND, f"--threads={threads}", *flags).out)
                self.assertEqual([file["status"] for file in document["files"]],
                                 ["ok", "corrupt", "ok"])
                self.assertEqual(self.names(), before)

    def test_where_it_may_write(self):
        outcome = self.compact("--out=old.sst", "--overwrite", "old.sst",
                               code=2)
        self.assertIn("is an input, which is never overwritten", outcome.err)
        # Nor one that a folder stands for.
        outcome = self.compact("--out=old.sst", "--overwrite", APPEND, ".",
                               code=2)
        self.assertIn("is an input, which is never overwritten", outcome.err)
        outcome = self.compact("--out=new.sst", "old.sst", code=2)
        self.assertIn("exists; --overwrite replaces it", outcome.err)
        self.compact("--out=none/o.sst", "old.sst", code=2)
        self.assert_nothing_made()
        self.compact("--out=new.sst", "--overwrite", "old.sst")
        rows, = self.scan_each(["new.sst"])
        self.assertEqual(rows, lines_of([OLD[0], *OLD[2:]]))

    def test_interrupted(self):
        # Long names of the output make progress lines that fill the pipe: the
        # program waits, and cannot finish before the signal.
        self.build("a.sst", numbered_rows(300000))
        before = self.names()
        name = "./" * 1900 + "o.sst"
        for flags in ([], ["--target_file_size=500K"],
                      ["--target_file_size=500K", "--max_subcompactions=4"],
                      # It would take minutes if a signal did not end the limit.
                      ["--write_rate_limit=20K", "--compression_type=none"]):
            for number in (signal.SIGINT, signal.SIGTERM):
                with subprocess.Popen(
                        [PROGRAM, "compact", "--progress=always", "--json",
                         f"--out={name}", "a.sst", *flags],
                        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                        cwd=self.folder, preexec_fn=take_signals) as run:
                    head = run.stderr.read(1)
                    run.send_signal(number)
                    text = (head + run.stderr.read()).decode()
                    document = json.loads(run.stdout.read())
                    self.assertEqual(run.wait(), 130, flags)
                self.assertRegex(text, r"\nashlar: interrupted after about "
                                       r"[1-9]?[0-9] % of the entries\n$")
                self.assertNotIn("Incomplete", text)
                self.assertIs(document["interrupted"], True)
                self.assertNotIn("compaction", document)
                self.assertEqual(self.names(), before)

    def test_many_inputs_against_a_model(self):
        """Compares with a few lines of Python that know no snapshots."""
        rng = random.Random(23)
        for round_ in range(6):
            sequence, tables, newest, ranges = 0, [], {}, []
            for i in range(rng.randrange(2, 12)):
                rows = {}
                for _ in range(rng.randrange(1, 60)):
                    sequence += 1
                    key = b"k%03d" % rng.randrange(80)
                    kind = rng.choice((PUT, PUT, DELETION))
                    value = b"%d" % sequence if kind == PUT else b""
                    rows[key, -sequence] = (key, sequence, kind, value)
                    newest[key] = (sequence, kind, value)
                found = [rows[place] for place in sorted(rows)]
                if rng.random() < .5:
                    sequence += 1
                    low = rng.randrange(80)
                    bounds = (b"k%03d" % low,
                              b"k%03d" % (low + rng.randrange(1, 20)))
                    ranges.append((sequence, *bounds))
                    found.append((bounds[0], sequence, RANGE, bounds[1]))
                tables.append(self.build(f"m{round_}-{i}.sst",
                                         hex_rows(found)))
            expected = [
                (key, 0, PUT, value)
                for key, (number, kind, value) in sorted(newest.items())
                if kind == PUT and not any(
                    number < deleted and low <= key < high
                    for deleted, low, high in ranges)]
            self.assertEqual(self.rows_of("--bottommost", *tables),
                             lines_of(expected))


if __name__ == "__main__":
    cli.main()
