"""Rows of `ashlar build` that several threads parse: whatever their number, the
table, the messages and the list of bad rows are the same, and the entries are
those that Python's csv and json find.

The inputs are random, and larger than the batches of lines that threads take.
"""

import csv
import io
import json
import os
import random
import re

import cli
from cli import CliTest

SEED = int(os.environ.get("ASHLAR_TEST_SEED", "1"))
CASES = 60 if cli.THOROUGH else 8
SAME = ["--identity=01", "--creation_time=1"]
# More than a batch has: LineReader::kBatchBytes.
LEAST_BYTES = 3 << 17
CSV = ["--input_format=csv"]
TIMES = re.compile(r", [0-9.]+ s, [0-9.,]+ .B/s")
CHARACTERS = "abcxyz019 ,;\"'\t\\_-\n\r\u00e9\u20ac"


def text(draw, most):
    return "".join(draw.choice(CHARACTERS)
                   for _ in range(draw.randrange(most)))


def quoted(column):
    return '"' + column.replace('"', '""') + '"'


def csv_column(draw, column):
    plain = not any(c in column for c in ',"\r\n')
    return column if plain and draw.random() < 0.5 else quoted(column)


def csv_row(draw, columns):
    end = "\r\n" if draw.random() < 0.3 else "\n"
    return ",".join(csv_column(draw, column) for column in columns) + end


BAD_CSV = ['a"b,c\n', 'a""b,"c\n",d\n', '"a"b"c,d\n', "\n", "one\n", "a,b,c\n",
           'x,"a\nb"c\n', 'a\rb,c\n', ',"\n"\n\n', '"a""\n"" b","\n",c\n']


def csv_rows(draw, number):
    """Returns the keys and values, and their text."""
    rows = []
    written = io.StringIO()
    while written.tell() < LEAST_BYTES:
        key = f"{draw.randrange(number):07d}{text(draw, 6)}"
        # Now and then, a row is longer than a batch.
        value = text(draw, 300000 if draw.random() < 0.0005 else 60)
        rows.append((key, value))
        written.write(csv_row(draw, (key, value)))
    return rows, written.getvalue()


def tsv_escape(column):
    return (column.replace("\\", "\\\\").replace("\t", "\\t")
            .replace("\n", "\\n").replace("\r", "\\r"))


def distinct(rows, policy):
    """Returns the rows that remain of each key, in order."""
    kept = {}
    for key, value in rows:
        if policy == "last" or key not in kept:
            kept[key] = value
    return sorted((key.encode(), value.encode())
                  for key, value in kept.items())


class RowThreadsTest(CliTest):

    def setUp(self):
        super().setUp()
        csv.field_size_limit(1 << 30)
        self.draw = random.Random(SEED)

    def outcome(self, threads, *arguments):
        """Returns all that a run says and leaves behind."""
        for name in ("made.sst", "bad.tsv"):
            (self.folder / name).unlink(missing_ok=True)
        order = [] if "--sorted" in arguments else ["--nosorted"]
        run = self.run_program("build", "--out=made.sst",
                               f"--threads={threads}", *order, *SAME,
                               *arguments)
        left = [(self.folder / name).read_bytes()
                if (self.folder / name).exists() else None
                for name in ("made.sst", "bad.tsv")]
        said = [TIMES.sub("", told) for told in (run.text, run.err)]
        return run.code, *said, left

    def same_outcome(self, *arguments):
        alone = self.outcome(1, *arguments)
        for threads in (2, 3, 4):
            code, out, err, left = self.outcome(threads, *arguments)
            self.assertEqual((code, out, err), alone[:3],
                             (SEED, threads, arguments))
            # The difference of two tables says nothing.
            self.assertTrue(left == alone[3], (SEED, threads, arguments))
        return alone

    def entries(self):
        shown = self.run_ok("scan", "--output_format=canonical", "made.sst")
        rows = (line.split(" ") for line in shown.text.splitlines())
        return [(bytes.fromhex(key), bytes.fromhex(value))
                for key, _, _, value in rows]

    def write(self, name, data):
        (self.folder / name).write_text(data, encoding="utf-8", newline="")
        return name

    def test_csv(self):
        for case in range(CASES):
            written, data = csv_rows(self.draw, 5000)
            # The oracle of what is in the text.
            rows = list(map(tuple, csv.reader(io.StringIO(data, newline=""))))
            self.assertEqual(rows, written)
            policy = ("first", "last")[case % 2]
            flags = [*CSV, "--noheader", f"--on_duplicate={policy}"]
            code, _, err, _ = self.same_outcome(*flags,
                                                self.write("rows.csv", data))
            self.assertEqual(code, 0, err)
            self.assertEqual(self.entries(), distinct(rows, policy))

    def test_composite_keys(self):
        for _ in range(CASES // 4):
            rows, data = csv_rows(self.draw, 5000)
            name = self.write("rows.csv", "name,note\n" + data)
            code, _, err, _ = self.same_outcome(
                *CSV, "--key_column=name,note", "--on_duplicate=first", name)
            self.assertEqual(code, 0, err)
            objects = [json.loads(value) for _, value in self.entries()]
            self.assertEqual(objects, [{}] * len(set(rows)))

    def test_sorted_rows(self):
        for bad in (False, True):
            rows, _ = csv_rows(self.draw, 10 ** 7)
            kept = distinct(rows, "first")
            lines = [f"{tsv_escape(k.decode())}\t{tsv_escape(v.decode())}\n"
                     for k, v in kept]
            if bad:
                at = len(lines) - 10
                lines[at], lines[at + 1] = lines[at + 1], lines[at]
            code, _, err, _ = self.same_outcome(
                "--sorted", self.write("rows.tsv", "".join(lines)))
            self.assertEqual(code, 2 if bad else 0, err)
            if bad:
                self.assertIn(f"rows.tsv:{at + 2}: ", err)
            else:
                self.assertEqual(self.entries(), kept)

    def test_other_formats(self):
        for case in range(CASES):
            rows, _ = csv_rows(self.draw, 5000)
            if case % 2:
                flags = ["--input_format=jsonl", "--key_column=k",
                         "--value_column=v"]
                data = "".join(json.dumps({"k": k, "v": v}) + "\n"
                               for k, v in rows)
            else:
                flags = []
                data = "".join(f"{tsv_escape(k)}\t{tsv_escape(v)}\n"
                               for k, v in rows)
            code, _, err, _ = self.same_outcome(
                *flags, "--on_duplicate=last", self.write("rows", data))
            self.assertEqual(code, 0, err)
            self.assertEqual(self.entries(), distinct(rows, "last"))

    def test_bad_rows(self):
        """All that is not well-formed, anywhere, with and without a limit."""
        for case in range(CASES):
            _, data = csv_rows(self.draw, 10 ** 7)
            lines = data.splitlines(keepends=True)
            for _ in range(self.draw.choice((1, 20, 400))):
                lines.insert(self.draw.randrange(len(lines) // 2, len(lines)),
                             self.draw.choice(BAD_CSV))
            name = self.write("rows.csv", "".join(lines))
            most = self.draw.choice((0, 10, 10 ** 6))
            kept = ["--bad_rows=bad.tsv"] if case % 3 else []
            self.same_outcome(*CSV, "--noheader", "--on_duplicate=last",
                              f"--max_bad_rows={most}", *kept, name)

    def test_faults_come_in_order(self):
        """A row's fault comes before that of the input after it, and of two
        rows the first one is reported."""
        _, data = csv_rows(self.draw, 10 ** 7)
        rows = data.encode()
        for tail in (b'bad\n"', b"bad\nworse,\xff\n", b'k,"\n'):
            (self.folder / "rows.csv").write_bytes(rows + tail)
            code, _, err, _ = self.same_outcome(*CSV, "--noheader",
                                                "--on_duplicate=last",
                                                "rows.csv")
            self.assertEqual(code, 2, err)
            line = rows.count(b"\n") + 1
            self.assertIn(f"rows.csv:{line}: ", err)

    def test_columns_that_are_not_there(self):
        """Whatever is wrong with the first line ends the run, although more
        lines than a batch has follow."""
        data = "id,name\n" + "".join(f"{i:06d},x1y\n" for i in range(60000))
        name = self.write("rows.csv", data)
        for header, key, value, said in (
                ("--header", "nosuch", "name", "no column 'nosuch'"),
                ("--header", "id", "nosuch", "no column 'nosuch'"),
                ("--noheader", "5", "2", "there is no column 5"),
                ("--noheader", "1", "7", "there is no column 7")):
            code, _, err, _ = self.same_outcome(
                *CSV, header, f"--key_column={key}", f"--value_column={value}",
                name)
            self.assertEqual(code, 2, err)
            self.assertIn("rows.csv:1: " + said, err)
        # The input before it had more columns.
        wide = self.write("wide.csv", "id,a,b,name\n1,2,3,4\n")
        code, _, err, _ = self.same_outcome(
            *CSV, "--header", "--key_column=id", "--value_column=name", wide,
            self.write("late.csv", data.replace("name", "other", 1)))
        self.assertEqual(code, 2, err)
        self.assertIn("late.csv:1: no column 'name'", err)

    def test_small_lines_that_make_much(self):
        """Each batch has far more rows, or larger ones, than usual."""
        rows = [(str(i), "") for i in range(200000)]
        data = "".join(f"{key}\t\n" for key, _ in rows)
        code, _, err, _ = self.same_outcome(self.write("rows.tsv", data))
        self.assertEqual(code, 0, err)
        self.assertEqual(self.entries(), distinct(rows, "last"))
        column = "n" * 3000
        data = f"k,{column}\n" + "".join(f"{i},2\n" for i in range(20000))
        code, _, err, _ = self.same_outcome(
            *CSV, "--header", "--key_column=k", self.write("rows.csv", data))
        self.assertEqual(code, 0, err)
        expected = [(str(i), f'{{"{column}":"2"}}') for i in range(20000)]
        self.assertTrue(self.entries() == distinct(expected, "last"))

    def test_many_bad_lines(self):
        """They are counted and listed, though a batch has more of them than it
        keeps at once."""
        count = 300000
        name = self.write("rows.tsv", "k\tv\n" + "\n" * count)
        code, _, err, left = self.same_outcome(
            "--max_bad_rows=10000000", "--bad_rows=bad.tsv", name)
        self.assertEqual(code, 0, err)
        listed = left[1].splitlines()
        self.assertEqual(sum(b"rows.tsv" in line for line in listed), count)
        self.assertIn(f"bad rows skipped: {count}", err)

    def test_unused_columns_are_not_sorted(self):
        """The size of an input says little about its entries: those that fit
        need no scratch file, whatever else their lines have."""
        data = "".join(f"{i * 7919 % 200000:06d},{'v' * 70},{'u' * 220}\n"
                       for i in range(200000))
        code, _, err, _ = self.same_outcome(
            *CSV, "--noheader", "--key_column=1", "--value_column=2",
            "--memory=64M", "--tmpdir=/nonexistent",
            self.write("rows.csv", data))
        self.assertEqual(code, 0, err)

    def test_duplicates_are_placed(self):
        rows, data = csv_rows(self.draw, 10 ** 9)
        key = rows[len(rows) // 2][0]
        data += csv_row(self.draw, (key, "again"))
        code, _, err, _ = self.same_outcome(
            *CSV, "--noheader", "--memory=64K", self.write("rows.csv", data))
        self.assertEqual(code, 2, err)
        last = data.count("\n", 0, len(data) - 1)
        last -= "again".count("\n")
        self.assertIn("comes twice, first at rows.csv:", err)
        self.assertIn(f"rows.csv:{last + 1}: ", err)

    def test_several_inputs(self):
        """A header of each, byte order marks, and inputs of a few lines."""
        names = []
        rows = []
        for i in range(6):
            found, data = csv_rows(self.draw, 5000)
            if i % 2:
                found, data = found[:1], csv_row(self.draw, found[0])
            rows += found
            mark = "\ufeff" if i % 3 == 0 else ""
            names.append(self.write(f"{i}.csv", mark + "k,v\n" + data))
        code, _, err, _ = self.same_outcome(
            *CSV, "--header", "--key_column=k", "--value_column=v",
            "--on_duplicate=last", *names)
        self.assertEqual(code, 0, err)
        self.assertEqual(self.entries(), distinct(rows, "last"))


if __name__ == "__main__":
    cli.main()
