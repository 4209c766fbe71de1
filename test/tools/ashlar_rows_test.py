"""Rows of `ashlar build`: what is malformed is refused by name, and the rest is
what Python's csv and json modules read.
"""

import csv
import gzip
import io
import json
import os
import random
import re

import cli
from cli import CliTest

CSV = ["--input_format=csv", "--noheader"]
NAMED = ["--input_format=csv", "--header"]
HEX = ["--input_format=hex"]
JSONL = ["--input_format=jsonl"]

NO_TAB = ("; expected key TAB value, with nothing after the TAB if the value "
          "is empty")
ESCAPE = "a backslash must begin \\t, \\n, \\r, \\\\ or \\xHH"
STRAY = ("a quote in a column that does not begin with one; expected the whole "
         "column in quotes, and quotes in it doubled")
AFTER = ("after a closing quote, expected the delimiter or the end of the row; "
         "a quote in a quoted column is doubled")
OPEN = "this quote is not closed before the end of the input"
CR = ("a CR without LF; expected the whole column in quotes, or CR LF as the "
      "end of the row")
HEADER = ("this looks like the names of columns; --header says that it is, "
          "--noheader makes a row of it")
MEMBERS = "; expected key, key_text, value, value_text, seq and type"
HEX_FORM = "expected hex(key) SPACE seq SPACE type SPACE hex(value)"
NAMES = "expected a line with the names of the columns"

# The input, its flags, and the line that refuses it.
BAD = (
    # tsv
    (b"a\tb\nc\n", [], "-:2: no TAB after the key" + NO_TAB),
    (b"a\tb\n\nc\td\n", [], "-:2: the line is empty" + NO_TAB),
    (b"a\tb\tc\n", [], "-:1: the row has 3 columns; expected 2 columns"),
    (b"a\tb\r\nc\td\r\n", [], "-:1: the line ends in CR LF; --crlf takes both "
     "for the end of a line, and \\r stands for a CR in a column"),
    (b"a\\", [], "-:1: column 1, byte 2 of it: " + ESCAPE),
    (b"\\q\t", [], "-:1: column 1, byte 1 of it: " + ESCAPE),
    (b"a\t12\\x1", [], "-:1: column 2, byte 3 of it: " + ESCAPE),
    (b"a\t\\xgg", [], "-:1: column 2, byte 1 of it: " + ESCAPE),
    (b"key\tvalue\na\tb\n", [], "-:1: " + HEADER),
    (b"ID\tValues\na\tb\n", [], "-:1: " + HEADER),
    (b"", ["--header"], "-:1: the input is empty; " + NAMES),
    (b"k\n", ["--header", "--max_bad_rows=9"], "-:1: no TAB after the key" +
     NO_TAB),
    ("a\tb\n".encode("utf-16"), [], "-:1: begins with a byte order mark of "
     "UTF-16; expected UTF-8"),
    # csv
    (b"user_id,payload\n1,x\n", ["--input_format=csv"], "-:1: " + HEADER),
    (b"a,1\nb\n", CSV, "-:2: the row has 1 column; expected 2 columns"),
    (b"a,1\n\nb,2\n", CSV, "-:2: the line is empty; expected 2 columns"),
    (b"a,1,2\n", CSV, "-:1: the row has 3 columns; expected 2 columns"),
    (b'"a\n', CSV, "-:1: column 1, byte 1 of the row: " + OPEN),
    (b'a,1\nb,"2\nc,3\n', CSV, "-:2: column 2, byte 3 of the row: " + OPEN),
    (b'"a\n",1\nb"c,2\n', CSV, "-:3: column 1, byte 2 of the row: " + STRAY),
    (b'"a"b,2\n', CSV, "-:1: column 1, byte 4 of the row: " + AFTER),
    (b'a,1\rb,2\n', CSV, "-:1: column 2, byte 4 of the row: " + CR),
    (b"a,\xc3\n", CSV, "-:1: column 2: byte 1 of it is not UTF-8"),
    (b"12345678\xff,\n", CSV, "-:1: column 1: byte 9 of it is not UTF-8"),
    (b"k,v\na,\xe9\n", NAMED, "-:2: column 2 ('v'): byte 1 of it is not UTF-8"),
    (b"", NAMED, "-:1: the input is empty; " + NAMES),
    (b"a,b\n", ["--input_format=csv", "--key_column=k"],
     "-:1: no column 'k' in the header"),
    (b"k,v,k\n", ["--input_format=csv", "--key_column=k"],
     "-:1: the header has column 'k' twice"),
    (b"a,k\nx\n", ["--input_format=csv", "--key_column=k"],
     "-:2: the row has 1 column; expected 2 columns"),
    (b'"k,v\na,b\n', [*NAMED, "--max_bad_rows=9"],
     "-:1: column 1, byte 1 of the row: " + OPEN),
    # hex
    (b"61 0 1 \r\n", HEX, "-:1: the line ends in CR LF; --crlf takes both for "
     "the end of a line"),
    (b"6b 5 1\n", HEX, "-:1: " + HEX_FORM),
    # jsonl
    (b"x\n", JSONL, "-:1: byte 1: not JSON: "),
    (b'{"key":"6b"\n', JSONL, "-:1: byte 12: not JSON: "),
    (b'{"key":"6b","value":""} x\n', JSONL, "-:1: byte 25: not JSON: "),
    (b'{"key_text":"\xff","value":""}\n', JSONL, "-:1: byte 14: not JSON: "),
    (b'{"key_text":"\\ud800","value":""}\n', JSONL, "-:1: byte 20: not JSON: "),
    (b'{"key":"6b","value":1e999}\n', JSONL,
     "-:1: number overflow parsing '1e999'"),
    (b"[1]\n", JSONL, "-:1: expected a JSON object, found array"),
    (b'{"value":""}\n', JSONL,
     "-:1: no key: expected a member 'key' or 'key_text'"),
    (b'{"key":"6b"}\n', JSONL,
     "-:1: no value: expected a member 'value' or 'value_text'"),
    (b'{"key":"6b","vlaue":""}\n', JSONL,
     "-:1: unknown member 'vlaue'" + MEMBERS),
    (b'{"key":"6b","key":"6c","value":""}\n', JSONL,
     "-:1: member 'key' comes twice"),
    (b'{"key":"6b","key_text":"l","value":""}\n', JSONL,
     "-:1: members 'key' and 'key_text' differ"),
    (b'{"key":"6"}\n', JSONL, "-:1: member 'key': expected a string of "
     "hexadecimal digits of even length"),
    (b'{"key":6}\n', JSONL, "-:1: member 'key': expected a string of "
     "hexadecimal digits of even length"),
    (b'{"key":"6b","value_text":1}\n', JSONL,
     "-:1: member 'value_text': expected a string"),
    (b'{"key":"6b","seq":-1}\n', JSONL,
     "-:1: member 'seq': expected a number from 0 to 2^56 - 1"),
    (b'{"key":"6b","seq":72057594037927936}\n', JSONL,
     "-:1: member 'seq': expected a number from 0 to 2^56 - 1"),
    (b'{"key":"6b","type":"x"}\n', JSONL, "-:1: member 'type': expected a "
     "known word or a number from 0 to 255"),
)


class RowsCase(CliTest):

    def rows_of(self, name="t.sst"):
        printed = self.run_ok("scan", "--output_format=canonical", name).text
        rows = [line.split(" ") for line in printed.splitlines()]
        return [(bytes.fromhex(row[0]), bytes.fromhex(row[3])) for row in rows]

    def built(self, text, *flags):
        self.outcome = self.run_ok("build", "--out=t.sst", "--overwrite",
                                   *flags, stdin=text)
        return self.rows_of()


class RowsTest(RowsCase):

    def test_every_malformed_row_is_refused(self):
        for text, flags, expected in BAD:
            with self.subTest(expected=expected):
                outcome = self.run_code(2, "build", "--out=t.sst", "--quiet",
                                        *flags, stdin=text)
                self.assertTrue(outcome.err.startswith(expected), outcome.err)
                if not expected.endswith("JSON: "):
                    self.assertEqual(outcome.err, expected + "\n")
                self.assertEqual(os.listdir(self.folder), [])

    def test_lines_may_end_in_cr_lf(self):
        self.assertEqual(self.built(b"a\t1\r\nb\t\\r\r\nc\t3\n", "--crlf"),
                         [(b"a", b"1"), (b"b", b"\r"), (b"c", b"3")])
        self.assertEqual(self.built(b"61 0 1 62\r\n", *HEX, "--crlf"),
                         [(b"a", b"b")])
        self.assertEqual(self.built(b'a,"1\r\n"\r\nb,2\r\n', *CSV),
                         [(b"a", b"1\r\n"), (b"b", b"2")])
        self.assertEqual(self.built(b'{"key":"61","value":"62"}\r\n', *JSONL),
                         [(b"a", b"b")])

    def test_a_byte_order_mark_is_skipped_and_said_once(self):
        mark = b"\xef\xbb\xbf"
        rows = {"a": b"a\t1\n", "b": b"b\t2\n"}
        for name, text in rows.items():
            (self.folder / name).write_bytes(mark + text)
        self.assertEqual(self.built(b"", "a", "b"),
                         [(b"a", b"1"), (b"b", b"2")])
        self.assertEqual(re.findall("(?m)^.*byte order.*$", self.outcome.err),
                         ["ashlar: warning: a: skipped a byte order mark "
                          "before the first row"])
        # A quote that opens the first column comes after it.
        self.assertEqual(self.built(mark + b'"a\n",1\n', *CSV),
                         [(b"a\n", b"1")])
        self.assertEqual(self.built(mark + b"61 0 1 \n", *HEX), [(b"a", b"")])
        # Anywhere else, it is part of the row.
        self.assertEqual(self.built(b"a\t" + mark + b"\n"), [(b"a", mark)])

    def test_headers(self):
        self.assertEqual(self.built(b"key\tvalue\na\tb\n", "--header"),
                         [(b"a", b"b")])
        self.assertEqual(self.built(b"key\tvalue\n", "--noheader"),
                         [(b"key", b"value")])
        self.assertEqual(self.built(b"k1,v\nz,x\n", "--input_format=csv"),
                         [(b"k1", b"v"), (b"z", b"x")])
        self.assertEqual(self.built(b"id\t\nk\tv\n"), [(b"id", b""), (b"k", b"v")])
        self.assertEqual(self.built(b"a\tb\nkey\tvalue\n"),
                         [(b"a", b"b"), (b"key", b"value")])
        self.assertEqual(self.built(b"k,v\na,b\n", *NAMED), [(b"a", b"b")])
        # Each input has one.
        for name in ("a", "b"):
            (self.folder / name).write_bytes(b"k,v\n%s,1\n" % name.encode())
        self.assertEqual(self.built(b"", *NAMED, "a", "b"),
                         [(b"a", b"1"), (b"b", b"1")])

    def test_bad_rows_are_skipped_and_listed(self):
        text = b"a\t1\nb\nc\t3\n\\q\t4\ne\t5\n"
        self.assertEqual(
            self.built(text, "--max_bad_rows=2", "--bad_rows=bad.tsv"),
            [(b"a", b"1"), (b"c", b"3"), (b"e", b"5")])
        self.assertIn("rows read: 3, duplicates left out: 0, bad rows "
                      "skipped: 2\n", self.outcome.err)
        listed = (self.folder / "bad.tsv").read_text().splitlines()
        self.assertEqual(listed[0], "input\tline\treason\trow")
        self.assertEqual(listed[1], "-\t2\tno TAB after the key" + NO_TAB +
                         "\tb")
        self.assertEqual(
            listed[2], "-\t4\tcolumn 1, byte 1 of it: " +
            ESCAPE.replace("\\", "\\\\") + "\t\\\\q\\x094")
        self.assertEqual(len(listed), 3)
        # One row too many: the list is there, the table is not.
        (self.folder / "t.sst").unlink()
        outcome = self.run_code(2, "build", "--out=t.sst", "--max_bad_rows=1",
                                "--bad_rows=bad.tsv", "--overwrite",
                                stdin=text)
        self.assertIn(f"-:4: column 1, byte 1 of it: {ESCAPE} (the first bad "
                      "row above --max_bad_rows=1)\n", outcome.err)
        self.assertEqual(os.listdir(self.folder), ["bad.tsv"])
        self.assertEqual(
            len((self.folder / "bad.tsv").read_text().splitlines()), 3)
        # No file is replaced without --overwrite, and no input at all.
        outcome = self.run_code(2, "build", "--out=t.sst", "--max_bad_rows=1",
                                "--bad_rows=bad.tsv", stdin=text)
        self.assertIn("bad.tsv exists; --overwrite", outcome.err)
        outcome = self.run_code(2, "build", "--out=t.sst", "--max_bad_rows=1",
                                "--bad_rows=bad.tsv", "--overwrite", "bad.tsv")
        self.assertIn("bad.tsv is an input", outcome.err)

    def test_the_list_of_bad_rows_is_no_file_of_the_table(self):
        (self.folder / "real").mkdir()
        (self.folder / "alias").symlink_to("real")
        for bad, out, *flags in (
                ("./t.sst", "t.sst"), (str(self.folder / "t.sst"), "t.sst"),
                ("alias/t.sst", "real/t.sst"),
                ("real/../t.sst", "t.sst"),
                ("t-manifest.json", "t.sst", "--target_file_size=1M"),
                ("alias/t-000001.sst", "real/t.sst", "--target_file_size=1M")):
            for more in ([], ["--overwrite"]):
                self.assert_usage_error(
                    "--bad_rows is a file that --out makes", "build",
                    f"--out={out}", f"--bad_rows={bad}", "--max_bad_rows=5",
                    *flags, *more, stdin=b"a\t1\nbad\n")
        self.assertEqual(sorted(os.listdir(self.folder)), ["alias", "real"])
        self.assertEqual(os.listdir(self.folder / "real"), [])
        for bad in ("t-manifest.json", "t-x.sst", "t-.sst"):
            self.run_ok("build", "--out=t.sst", f"--bad_rows={bad}",
                        "--max_bad_rows=5", "--overwrite",
                        stdin=b"a\t1\nbad\n")
        self.run_ok("check", "t.sst")

    def test_a_row_is_as_long_as_the_limit_allows(self):
        """Longer ones end the run, in each format, whatever is in memory."""
        forms = {  # how a row begins and ends, and its flags
            "tsv": (b"a\t", b"", []),
            "csv": (b"a,", b"", CSV),
            "quoted": (b'a,"\n', b'"', CSV),
            "jsonl": (b'{"key":"61","value":"', b'"}',
                      ["--input_format=jsonl"]),
            "hex": (b"61 0 1 ", b"", ["--input_format=hex"]),
        }
        for name, (begin, end, form) in forms.items():
            # 131072 bytes are read at once, and room for more doubles.
            for size in 40, 131072, 262144, 300_000:
                room = size - len(begin) - len(end)
                room -= room % 2  # two digits for a byte
                limit = len(begin) + room + len(end)
                row = begin + b"1" * room + end
                with self.subTest(name, size=size):
                    self.check_limit(row, limit, form)
                    self.check_limit(row, limit, [*form, "--threads=2"])

    def check_limit(self, row, limit, form):
        flags = [*form, f"--max_row_bytes={limit}"]
        for text in row, row + b"\n", b"\xef\xbb\xbf" + row:
            self.assertEqual(len(self.built(text, *flags)), 1)
        (self.folder / "t.sst").unlink()
        flags[-1] = f"--max_row_bytes={limit - 1}"
        # The last one has no end at all.
        for text in row, row + b"\n", row + b"1" * 500_000:
            outcome = self.run_code(2, "build", "--out=t.sst", *flags,
                                    "--max_bad_rows=9", stdin=text)
            self.assertIn(f"-:1: a row of more than {limit - 1} bytes",
                          outcome.err)
            self.assertEqual(os.listdir(self.folder), [])

    def test_the_row_that_is_too_long_is_named(self):
        # Rows before it are read, and the message has the number of the line.
        outcome = self.run_code(2, "build", "--out=t.sst",
                                "--max_row_bytes=20",
                                stdin=b"a\t1\nb\t1\nc\t%s\nd\t1\n" % (b"v" * 30))
        self.assertIn("-:3: a row of more than 20 bytes", outcome.err)
        # The sizes are those of the rows, not of what a file is packed to.
        (self.folder / "r.tsv.gz").write_bytes(
            gzip.compress(b"a\t%s\n" % (b"v" * 1_000_000)))
        outcome = self.run_code(2, "build", "--out=t.sst", "r.tsv.gz",
                                "--max_row_bytes=100K")
        self.assertIn("r.tsv.gz:1: a row of more than 102400 bytes",
                      outcome.err)

    def test_a_stray_quote_costs_one_row(self):
        self.assertEqual(
            self.built(b'a,1\nb"c,2\nd,"3\n,"\n"e"x,4\nf,5\n', *CSV,
                       "--max_bad_rows=2"),
            [(b"a", b"1"), (b"d", b"3\n,"), (b"f", b"5")])

    def test_json_that_is_deep_or_has_no_such_element(self):
        """Neither ends the program."""
        deep = '{"k":"a","v":' + "[" * 100000 + "]" * 100000 + "}\n"
        (self.folder / "deep.jsonl").write_text(deep)
        run = self.run_program("build", "--input_format=jsonl",
                               "--out=t.sst", "--key_column=k",
                               "deep.jsonl")
        self.assertEqual(run.code, 2, run.err)
        self.assertIn("more than 1000 arrays and objects", run.err)
        (self.folder / "rows.jsonl").write_text('{"a":["k"],"v":"x"}\n')
        for key in ("/a/99999999999999999999999", "/a/b", "/a/01"):
            run = self.run_program("build", "--input_format=jsonl",
                                   "--out=t.sst",
                                   f"--key_column={key}", "rows.jsonl")
            self.assertEqual(run.code, 2, run.err)
            self.assertIn("missing", run.err)

    def test_counts(self):
        text = b"b\t1\na\t2\nb\t3\nx\na\t4\na\t4\n"
        for rule in ("first", "last"):
            outcome = self.run_ok(
                "build", "--json", "--nosorted", f"--on_duplicate={rule}",
                "--out=t.sst", "--overwrite", "--max_bad_rows=9", stdin=text)
            file = json.loads(outcome.out)["files"][0]
            self.assertEqual(file["rows"],
                             {"read": 5, "duplicates": 3, "bad": 1,
                              "outside": 0})
            self.assertEqual(file["num_entries"], 2)
            self.assertIs(file["dry_run"], False)

    def test_dry_run(self):
        rows = b"".join(b"%06d\t%d\n" % (i, i * i) for i in range(3000))
        self.run_ok("build", "--out=t.sst", "--identity=01", stdin=rows)
        size = (self.folder / "t.sst").stat().st_size
        for flags in ([], ["--nosorted", "--memory=1"],
                      ["--target_file_size=4K"]):
            outcome = self.run_ok("build", "--dry_run", "--identity=01",
                                  *flags, stdin=rows)
            self.assertRegex(outcome.err, r"\Adry run, nothing written: 3000 "
                             rf"entries, {size} bytes, ratio ")
        outcome = self.run_ok("build", "--dry_run", "--out=t.sst", "--json",
                              stdin=rows)
        file = json.loads(outcome.out)["files"][0]
        self.assertEqual((file["dry_run"], file["num_entries"]), (True, 3000))
        outcome = self.run_code(2, "build", "--dry_run",
                                stdin=b"b\t\na\t\n")
        self.assertIn("-:2: key 'a' belongs before 'b' at -:1", outcome.err)
        self.assertEqual(os.listdir(self.folder), ["t.sst"])


class OracleTest(RowsCase):
    """Random text, often malformed: Python's parsers say what it means."""

    def compare(self, texts, flags):
        """Expects these rows of each text, or that it is refused, if None.

        Each text is an input, and there are two runs for all of them: starting
        the program takes longer.
        """
        names = [f"{number:03}" for number in range(len(texts))]
        for name, (text, _) in zip(names, texts):
            (self.folder / name).write_bytes(text)
        flags = ["--nosorted", "--on_duplicate=last", *flags]
        self.built(b"", *flags, "--max_bad_rows=9999", "--bad_rows=bad",
                   *names)
        refused = {line.split("\t")[0] for line in
                   (self.folder / "bad").read_text().splitlines()[1:]}
        sound = []
        expected = {}
        for name, (text, rows) in zip(names, texts):
            self.assertEqual(name in refused, rows is None, text)
            if rows is not None:
                sound.append(name)
                expected.update(rows)
        self.assertGreater(len(sound), len(names) // 4)
        self.assertEqual(self.built(b"", *flags, *sound),
                         sorted(expected.items()))

    @staticmethod
    def read_csv(text):
        """Returns the rows of Python's strict reader, or None."""
        try:
            rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
        except csv.Error:
            return None
        # Two things are errors here and none for the module: a quote in a
        # column without quotes, and a CR alone as the end of a line.
        plain = re.sub(r'(?s)(^|[,\n])"(?:[^"]|"")*"', r"\1q", text)
        for line in plain.split("\n"):
            if '"' in line or "\r" in line.removesuffix("\r"):
                return None
        return rows if all(len(row) == 2 for row in rows) else None

    def test_csv(self):
        draw = random.Random(24)
        pieces = ['"', '""', ",", "\n", "\r\n", "a", "b", "é", " ", '"x"',
                  '"y,\n"', "z,z\n"]
        texts = []
        for _ in range(900):
            if draw.randrange(2):
                text = "".join(draw.choices(pieces, k=draw.randrange(1, 12)))
            else:
                rows = [["".join(draw.choices('ab",\n\ré ', k=3))
                         for _ in range(2)] for _ in range(3)]
                stream = io.StringIO(newline="")
                csv.writer(stream).writerows(rows)
                text = stream.getvalue()
            rows = self.read_csv(text)
            if rows is not None:
                rows = [(key.encode(), value.encode()) for key, value in rows]
            texts.append((text.encode(), rows))
        self.compare(texts, CSV)

    @staticmethod
    def read_json(text, names):
        """Returns the one row of the text, or None."""
        def unique(pairs):
            if len(dict(pairs)) != len(pairs):
                raise ValueError("twice")
            return dict(pairs)

        def refuse(word):
            raise ValueError(word)

        try:
            row = json.loads(text, object_pairs_hook=unique,
                             parse_constant=refuse)
            if not isinstance(row, dict) or set(row) != set(names):
                return None
            # Fails for half a surrogate, as UTF-8 has none.
            return [tuple(row[name].encode() for name in names)]
        except (ValueError, AttributeError):
            return None

    def test_jsonl(self):
        draw = random.Random(24)
        names = ("key_text", "value_text")
        texts = []
        for _ in range(900):
            row = dict(zip(names, ("".join(draw.choices('ké"\\\n\u2028😀', k=3)),
                                   "".join(draw.choices("v\0\t'é", k=2)))))
            text = json.dumps(row, ensure_ascii=draw.randrange(2) == 0)
            if draw.randrange(2) == 0:
                at = draw.randrange(len(text))
                text = text[:at] + draw.choice(
                    ['"', "\\", "{", ",", "", "1", "\\u12"]) + text[at + 1:]
            texts.append((text.encode(), self.read_json(text, names)))
        self.compare(texts, JSONL)

    def test_tsv(self):
        """Any bytes, escaped in any way, come back."""
        draw = random.Random(24)
        short = {0x09: b"\\t", 0x0a: b"\\n", 0x0d: b"\\r", 0x5c: b"\\\\"}
        texts = []
        for _ in range(300):
            row = [bytes(draw.choices(range(256), k=draw.randrange(6)))
                   for _ in range(2)]
            columns = []
            for data in row:
                text = b""
                for byte in data:
                    plain = bytes([byte]) if byte not in short else short[byte]
                    form = draw.choice((b"\\x%02x", b"\\x%02X", None))
                    text += form % byte if form else plain
                columns.append(text)
            text = b"\t".join(columns) + b"\n"
            if text[:2] not in (b"\xff\xfe", b"\xfe\xff"):
                texts.append((text, [tuple(row)]))
        self.compare(texts, ["--noheader"])


if __name__ == "__main__":
    cli.main()
