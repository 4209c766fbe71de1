"""Commands that take a folder of tables without a CURRENT as a database.

A model of lists and dictionaries is the judge.
"""

import json
import random
import shutil
import signal
import subprocess

import cli
from cli import CliTest, GOLDEN

DELETION, VALUE, MERGE, SINGLE_DELETION, RANGE_DELETION = 0, 1, 2, 7, 15
BLOB_INDEX, ENTITY, TIMED_VALUE = 17, 22, 24
NEWEST = (1 << 56) - 1


def key_of(number):
    return f"key{number:02}"


class TableFolderTest(CliTest):

    def make(self, path, entries):
        """Makes a table of these entries: (key, sequence, type, value)."""
        rows = sorted(entries, key=lambda row: (row[0], -row[1], -row[2]))
        text = "".join(f"{key.encode().hex()} {sequence} {kind} "
                       f"{value.encode().hex()}\n"
                       for key, sequence, kind, value in rows)
        self.run_ok("build", "--input_format=hex", f"--out={path}",
                    stdin=text.encode())

    def random_folder(self, seed):
        """Makes tables of random entries. Returns the entries of each, by the
        names of the tables, the last first. Any table may have any sequence
        numbers; only a few numbers are used twice."""
        chance = random.Random(seed)
        folder = self.folder / f"tables{seed}"
        folder.mkdir()
        tables = []
        numbers = list(range(1, 200))
        chance.shuffle(numbers)
        for at in range(chance.randrange(2, 6)):
            entries = {}
            for _ in range(chance.randrange(1, 25)):
                kind = chance.choice([VALUE, VALUE, VALUE, DELETION,
                                      SINGLE_DELETION, MERGE, MERGE,
                                      RANGE_DELETION])
                first = chance.randrange(20)
                value = f"v{chance.randrange(1000)}"
                if kind == RANGE_DELETION:
                    value = key_of(first + chance.randrange(1, 8))
                if kind in (DELETION, SINGLE_DELETION):
                    value = ""
                sequence = (0 if kind == VALUE and chance.random() < 0.3 else
                            numbers.pop())
                entries[(key_of(first), sequence)] = (kind, value)
            tables.append((f"{2 * at + 8:06}.sst",
                           [(*key, *rest) for key, rest in entries.items()]))
            self.make(folder / tables[-1][0], tables[-1][1])
        return folder, tables[::-1]

    @staticmethod
    def state(tables, key, snapshot):
        """What a reader sees of the key: (operands, base), newest first."""
        deletion = max([row[1] for _, rows in tables for row in rows
                        if row[2] == RANGE_DELETION and
                        row[0] <= key < row[3] and row[1] <= snapshot],
                       default=0)
        versions = [row for _, rows in tables for row in rows
                    if row[0] == key and row[2] != RANGE_DELETION and
                    row[1] <= snapshot]
        # The last name comes first, and counts where numbers are equal.
        versions.sort(key=lambda row: -row[1])
        operands = []
        for row in versions:
            if row[1] < deletion or row[2] in (DELETION, SINGLE_DELETION):
                return operands, None
            if row[2] == VALUE:
                return operands, row
            operands.append(row)
        return operands, None

    @staticmethod
    def keys(tables):
        return sorted({row[0] for _, rows in tables for row in rows
                       if row[2] != RANGE_DELETION})

    def check_scan(self, folder, tables, snapshot):
        expected = []
        for key in self.keys(tables):
            operands, base = self.state(tables, key, snapshot)
            expected += [(key, *row[1:]) for row in operands]
            if base:
                expected.append(base)
        text = self.run_ok("scan", "--output_format=canonical",
                           f"--snapshot={snapshot}", folder).text
        rows = [line.split(" ") for line in text.splitlines()]
        self.assertEqual([(bytes.fromhex(row[0]).decode(), int(row[1]),
                           int(row[2]), bytes.fromhex(row[3]).decode())
                          for row in rows], expected)

    def check_get(self, folder, tables, snapshot):
        keys = self.keys(tables)
        outcome = self.run_program("get", "--json", f"--snapshot={snapshot}",
                                   "--from=k", folder)
        results = json.loads(outcome.text)["files"][0]["results"]
        self.assertEqual([bytes.fromhex(each["key"]).decode()
                          for each in results], keys)
        for key, result in zip(keys, results):
            operands, base = self.state(tables, key, snapshot)
            self.assertEqual([(each["seq"], bytes.fromhex(each["value"]))
                              for each in result.get("operands", ())],
                             [(row[1], row[3].encode()) for row in operands])
            if base:
                self.assertEqual(result["type"], "put")
                self.assertEqual(result["seq"], base[1])
                self.assertEqual(bytes.fromhex(result["value"]),
                                 base[3].encode())
            else:
                self.assertNotEqual(result.get("type"), "put")
            versions = [(name, row[1]) for name, rows in tables for row in rows
                        if row[0] == key and row[2] != RANGE_DELETION or
                        row[2] == RANGE_DELETION and row[0] <= key < row[3]]
            self.assertEqual(
                sorted((each["file"], each["seq"])
                       for each in result["versions"]), sorted(versions))
            numbers = [each["seq"] for each in result["versions"]]
            self.assertEqual(numbers, sorted(numbers, reverse=True))

    def test_random_folders(self):
        for seed in range(40):
            folder, tables = self.random_folder(seed)
            for snapshot in (NEWEST, 100, 0):
                with self.subTest(seed=seed, snapshot=snapshot):
                    self.check_scan(folder, tables, snapshot)
                    self.check_get(folder, tables, snapshot)

    def test_largest_number_wins_whatever_table_has_it(self):
        folder = self.folder / "t"
        folder.mkdir()
        # Each table has a version between two of the other.
        self.make(folder / "000009.sst",
                  [("a", 1, VALUE, "first"), ("a", 9, MERGE, "+9"),
                   ("b", 100, VALUE, "far")])
        self.make(folder / "000010.sst", [("a", 5, MERGE, "+5")])
        outcome = self.run_ok("get", "--key=a", folder)
        self.assertIn("no CURRENT names a MANIFEST", outcome.err)
        self.assertEqual(outcome.text.splitlines()[1:], [
            "'a' seq:9, type:2 => +9",
            "'a' seq:5, type:2 => +5",
            "'a' seq:1, type:1 => first",
            "  level 0, 000009.sst: seq:9, merge, 2 bytes",
            "  level 0, 000010.sst: seq:5, merge, 2 bytes",
            "  level 0, 000009.sst: seq:1, put, 5 bytes"])
        joined = self.run_ok("scan", "--merge_operator=stringappend",
                             "--output_format=tsv", folder).text
        self.assertEqual(joined, "a\tfirst,+5,+9\nb\tfar\n")

    def test_equal_numbers_are_said(self):
        folder = self.folder / "t"
        folder.mkdir()
        # 10 is behind 9, although its name sorts before it as text.
        self.make(folder / "9.sst", [("a", 0, VALUE, "old"),
                                     ("same", 0, VALUE, "x")])
        self.make(folder / "10.sst", [("a", 0, VALUE, "new"),
                                      ("same", 0, VALUE, "x"),
                                      ("z", 7, VALUE, "last")])
        outcome = self.run_ok("scan", "--output_format=tsv", folder)
        self.assertEqual(outcome.text, "a\tnew\nsame\tx\nz\tlast\n")
        self.assertIn(
            "keys with different entries of one sequence number: 1. Which is "
            "newer is unknown: of 'a', number 0, the entry of 10.sst counts, "
            "and that of 9.sst does not", outcome.err)
        outcome = self.run_ok("get", "--key=a", folder)
        self.assertIn("=> new", outcome.text)
        self.assertIn("entry of 10.sst counts", outcome.err)
        # Equal entries, and keys that are not asked for, are no news.
        for flags in (["get", "--key=same"], ["scan", "--from=b"],
                      ["get", "--key=z"]):
            self.assertNotIn("different entries",
                             self.run_ok(*flags, folder).err)
        outcome = self.run_ok("diff", folder, folder)
        self.assertEqual(outcome.err.count("entry of 10.sst counts"), 2)

    def test_entries_of_copies_count_once(self):
        """As where the output of a compaction lies beside its inputs."""
        folder = self.folder / "t"
        folder.mkdir()
        rows = [("a", 9, MERGE, "+"), ("a", 7, MERGE, "-"), ("a", 0, VALUE, "x")]
        for name, some in (("4", rows[:2]), ("5", rows[2:]), ("6", rows)):
            self.make(folder / f"{name}.sst", some)
        outcome = self.run_ok("get", "--json", "--key=a", folder)
        result = json.loads(outcome.text)["files"][0]["results"][0]
        self.assertEqual([each["seq"] for each in result["operands"]], [9, 7])
        self.assertEqual(len(result["versions"]), 6)
        self.assertNotIn("different entries", outcome.err)
        text = self.run_ok("scan", "--output_format=canonical", folder).text
        self.assertEqual(len(text.splitlines()), 3)

    def test_operands_of_copies_are_joined_once(self):
        rows = [("a", 9, MERGE, "+"), ("a", 7, VALUE, "x")]
        for name, tables in (("m", "45"), ("m2", "4")):
            folder = self.folder / name
            folder.mkdir()
            for table in tables:
                self.make(folder / f"{table}.sst", rows)
        join = ["--merge_operator=stringappend", "--output_format=tsv"]
        self.assertEqual(self.run_ok("scan", *join, "m").text, "a\tx,+\n")
        for flags in ([], join[:1]):
            self.assertIn("other values: 0",
                          self.run_ok("diff", *flags, "m", "m2").text)

    def test_one_entry_of_a_number_counts(self):
        """Whatever the entries are, get and scan take the same one."""
        for name, older, newer, shown, joined in (
                ("base", [("a", 5, VALUE, "x")], [("a", 5, MERGE, "+")],
                 ["+"], "+"),
                ("operands", [("a", 5, MERGE, "-"), ("a", 4, VALUE, "x")],
                 [("a", 5, MERGE, "+")], ["+", "x"], "x,+")):
            folder = self.folder / name
            folder.mkdir()
            self.make(folder / "1.sst", older)
            self.make(folder / "2.sst", newer)
            counts = "the entry of 2.sst counts, and that of 1.sst does not"
            outcome = self.run_ok("get", "--key=a", folder)
            self.assertEqual([line.split(" => ")[1]
                              for line in outcome.text.splitlines()
                              if " => " in line], shown)
            self.assertIn(counts, outcome.err)
            outcome = self.run_ok("scan", "--output_format=canonical", folder)
            self.assertEqual([bytes.fromhex(line.split(" ")[3]).decode()
                              for line in outcome.text.splitlines()], shown)
            self.assertIn(counts, outcome.err)
            outcome = self.run_ok("scan", "--merge_operator=stringappend",
                                  "--output_format=tsv", folder)
            self.assertEqual(outcome.text, f"a\t{joined}\n")

    def test_one_warning_counts_all_keys(self):
        folder = self.folder / "w"
        folder.mkdir()
        for table, value in ((1, "old"), (2, "new")):
            self.make(folder / f"{table}.sst",
                      [(f"{i:04}", 5, MERGE, value) for i in range(3000)])
        for flags in (["get", "--from=0", "--limit=300"],
                      ["get"] + [f"--key={i:04}" for i in range(300)],
                      ["scan", "--to=0300"]):
            outcome = self.run_ok(*flags, folder)
            self.assertEqual(outcome.err.count("different entries"), 1)
            self.assertIn("one sequence number: 300.", outcome.err)
        # What was not counted to the end is not said. The output is larger than
        # a pipe holds, so the program is interrupted on its way.
        with subprocess.Popen([cli.PROGRAM, "get", "--from=0", str(folder)],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              preexec_fn=cli.take_signals) as run:
            run.stdout.readline()
            run.send_signal(signal.SIGINT)
            _, errors = run.communicate(timeout=120)
        self.assertIn(b"interrupted", errors)
        self.assertNotIn(b"different entries", errors)

    def test_timed_value_beneath_operands(self):
        folder = self.folder / "t"
        folder.mkdir()
        timed = "x" + "\x07" + "\x00" * 7
        self.make(folder / "1.sst", [("a", 9, MERGE, "+"),
                                     ("a", 7, TIMED_VALUE, timed)])
        text = self.run_ok("scan", "--output_format=canonical", folder).text
        self.assertEqual(text, "61 9 2 2b\n61 7 1 78\n")

    def test_range_deletions_without_a_number(self):
        folder = self.folder / "t"
        folder.mkdir()
        self.make(folder / "1.sst", [("a", 5, VALUE, "x"), ("b", 0, VALUE, "y")])
        self.make(folder / "2.sst", [("a", 0, RANGE_DELETION, "c")])
        outcome = self.run_ok("scan", "--output_format=tsv", folder)
        self.assertEqual(outcome.text, "a\tx\nb\ty\n")
        self.assertIn("range deletions with sequence number 0, which delete "
                      "nothing: 1", outcome.err)
        # Nor does one hide entries with its own number.
        self.make(folder / "3.sst", [("a", 5, RANGE_DELETION, "c")])
        outcome = self.run_ok("scan", "--output_format=tsv", folder)
        self.assertEqual(outcome.text, "a\tx\n")

    def test_references_beneath_operands(self):
        """They are shown as they are, since nobody fetches the blobs."""
        reference = "\x01\x05\x09\x03\x00"
        # Column a has x, and column b the reference.
        entity = "\x02\x02\x02\x02\x02\x01\x11\x01\x01\x01\x05abx" + reference
        entries = [("a", 5, MERGE, "+"), ("a", 4, BLOB_INDEX, reference),
                   ("b", 9, MERGE, "+"), ("b", 8, MERGE, "-"),
                   ("b", 2, ENTITY, entity),
                   ("c", 3, BLOB_INDEX, reference),
                   ("d", 3, ENTITY, entity), ("e", 3, VALUE, reference)]
        for name, changes in (("t", {}),
                              ("u", {("a", 4): (VALUE, "x"),
                                     ("b", 2): (ENTITY, entity[:-1] + "\x01"),
                                     ("d", 3): (ENTITY, entity[:-1] + "\x01")
                                     })):
            folder = self.folder / name
            folder.mkdir()
            changed = [(*row[:2], *changes.get(row[:2], row[2:]))
                       for row in entries]
            self.make(folder / "1.sst", changed[::2])
            self.make(folder / "2.sst", changed[1::2])
            text = self.run_ok("scan", "--output_format=canonical", folder).text
            self.assertEqual(
                [tuple(line.split(" ")) for line in text.splitlines()],
                [(key.encode().hex(), str(sequence), str(kind),
                  value.encode().hex())
                 for key, sequence, kind, value in changed])
        outcome = self.run_program("diff", "t", "u")
        self.assertEqual(outcome.code, 1)
        self.assertIn("other values: 3,", outcome.text)
        self.run_ok("diff", "t", "t")
        outcome = self.run_program("scan", "--merge_operator=stringappend", "t")
        self.assertEqual(outcome.code, 2)
        self.assertIn("a blob index is beneath merge operands", outcome.err)

    def test_tables_for_ingestion(self):
        folder = self.folder / "t"
        folder.mkdir()
        self.make(folder / "000001.sst", [("a", 4, VALUE, "4")])
        self.run_ok("build", f"--out={folder}/000002.sst", stdin=b"a\tput\n")
        outcome = self.run_ok("scan", "--output_format=tsv", folder)
        self.assertEqual(outcome.text, "a\t4\n")
        self.assertIn("count as the oldest: 1", outcome.err)
        # By themselves, they have an order: that of their names.
        (folder / "000001.sst").unlink()
        self.run_ok("build", f"--out={folder}/000003.sst", stdin=b"a\tsecond\n")
        outcome = self.run_ok("scan", "--output_format=tsv", folder)
        self.assertEqual(outcome.text, "a\tsecond\n")
        self.assertNotIn("count as the oldest", outcome.err)

    def test_a_database_that_has_lost_its_current(self):
        source = GOLDEN / "db" / "atomic"
        text = (GOLDEN / "db" / "atomic.json").read_text(encoding="utf-8")
        families = json.loads(text)["column_families"]
        copy = self.folder / "db"
        copy.mkdir()
        for family in families:
            for file in family["files"]:
                name = f"{file['number']:06}.sst"
                shutil.copy(source / name, copy / name)
        rows = 0
        for family in families:
            flags = ["--output_format=tsv", "--cf=" + family["name"]]
            expected = self.run_ok("scan", *flags, source).text.splitlines()
            found = self.run_ok("scan", *flags, copy).text.splitlines()
            self.assertEqual(len(found), len(expected))
            for row, other in zip(found, expected):
                self.assertEqual(row.split("\t")[0], other.split("\t")[0])
                # Only the MANIFEST knows the numbers of ingested tables.
                if "\ting" not in other:
                    self.assertEqual(row, other)
                    rows += 1
        self.assertGreater(rows, 15)
        outcome = self.run_program("scan", "--cf=x", copy)
        self.assertEqual(outcome.code, 2)
        self.assertIn("no column family is named 'x': it has", outcome.err)
        self.run_ok("diff", copy, copy)

    def test_tables_that_name_no_family(self):
        source = GOLDEN / "db" / "multi-cf"
        copy = self.folder / "db"
        copy.mkdir()
        for table in source.glob("*.sst"):
            shutil.copy(table, copy / table.name)
        # Those that were ingested name none. One has the order of "users".
        for family, count in (("default", 10), ("users", 10)):
            outcome = self.run_ok("scan", "--output_format=count",
                                  f"--cf={family}", copy)
            self.assertIn("count for each with their comparator: ", outcome.err)
            self.assertGreater(int(outcome.text), count)

    def test_other_commands(self):
        folder = self.folder / "t"
        folder.mkdir()
        for name in ("000004.sst", "000005.sst"):
            self.make(folder / name, [(name, 3, VALUE, "x")])
        for command in ("space", "stats"):
            apart = json.loads(self.run_ok(command, "--json", folder).text)
            self.assertEqual(len(apart["files"]), 2)
            one = json.loads(self.run_ok(command, "--json", "--one_database",
                                         folder).text)
            self.assertEqual(len(one["files"]), 1)
            self.assertEqual(one["files"][0]["levels"][0]["files"], 2)
        self.run_ok("report", folder)
        self.assertTrue((self.folder / "000004_report.html").exists())
        self.run_ok("report", "--one_database", folder)
        page = (self.folder / "t_report.html").read_text(encoding="utf-8")
        self.assertIn("none: without a CURRENT, all tables count as one level",
                      page)
        outcome = self.run_program("stats", "--each_table", "--one_database",
                                   folder)
        self.assertEqual(outcome.code, 2)
        self.assertIn("exclude each other", outcome.err)
        outcome = self.run_program("stats", "--recursive", "--one_database",
                                   folder)
        self.assertEqual(outcome.code, 2)
        self.assertIn("exclude each other", outcome.err)
        outcome = self.run_program("space", "--cf=x", folder)
        self.assertEqual(outcome.code, 2)
        self.assertIn("--one_database takes one without a CURRENT", outcome.err)
        for flags in (["space", "--recursive", "--cf=x", folder],
                      ["space", "--cf=x", folder / "000004.sst"]):
            outcome = self.run_program(*flags)
            self.assertEqual(outcome.code, 2)
            self.assertNotIn("--one_database", outcome.err)
        # As before, each table by itself.
        for flags in (["scan", "--each_table", folder],
                      ["scan", "--recursive", folder],
                      ["--command=scan", f"--file={folder}"]):
            self.assertEqual(
                self.run_ok(*flags).text.count("Sst file format"), 2)

    def test_faults(self):
        folder = self.folder / "t"
        folder.mkdir()
        outcome = self.run_program("scan", folder)
        self.assertEqual(outcome.code, 1)
        self.assertIn("no .sst file in it", outcome.err)
        self.make(folder / "000004.sst", [("a", 3, VALUE, "x")])
        (folder / "000005.sst").write_bytes(b"damaged")
        outcome = self.run_program("get", "--key=a", folder)
        self.assertEqual(outcome.code, 1)
        self.assertIn("000005.sst", outcome.err)
        (folder / "000005.sst").unlink()
        self.run_ok("build", "--comparator=rocksdb.ReverseBytewiseComparator",
                    f"--out={folder}/000005.sst", stdin=b"a\tx\n")
        outcome = self.run_program("get", "--key=a", folder)
        self.assertEqual(outcome.code, 2)
        self.assertIn("000005.sst: its comparator is rocksdb.Reverse",
                      outcome.err)


if __name__ == "__main__":
    cli.main()
