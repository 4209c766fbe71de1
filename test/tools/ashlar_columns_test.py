"""Columns of `ashlar build`: keys of several columns, and values of one column
or in JSON. The functions of docs/key_encodings.md read the keys.
"""

import base64
import csv
import io
import json
import random
import re
import struct

import cli
from cli import CliTest, ROOT

CSV = ["--input_format=csv"]
JSONL = ["--input_format=jsonl"]


def functions_of_the_page():
    """Returns the names that the Python code of the page defines."""
    page = (ROOT / "docs" / "key_encodings.md").read_text(encoding="utf-8")
    code = page.split("## 3. Reading keys in Python\n")[1]
    lines = [line[4:] for line in code.splitlines()
             if line.startswith("    ") or not line]
    names = {}
    exec("\n".join(lines), names)  # pylint: disable=exec-used
    return names


PAGE = functions_of_the_page()


class ColumnsTest(CliTest):

    def rows_of(self):
        printed = self.run_ok("scan", "--output_format=canonical",
                              "t.sst").text
        rows = [line.split(" ") for line in printed.splitlines()]
        return [(bytes.fromhex(row[0]), bytes.fromhex(row[3])) for row in rows]

    def built(self, text, *flags):
        self.run_ok("build", "--out=t.sst", "--overwrite", "--quiet", *flags,
                    stdin=text)
        return self.rows_of()

    def assert_refused(self, expected, text, *flags):
        outcome = self.run_code(2, "build", "--out=u.sst", "--quiet", *flags,
                                stdin=text)
        self.assertEqual(outcome.err, expected + "\n")

    def test_examples_of_the_page(self):
        for value, column, expected in (
                ("258", "u32be", "00000102"), ("258", "u32be:desc", "FFFFFEFD"),
                ("-1", "i32be", "7FFFFFFF"), ("0", "i32be", "80000000"),
                ("1", "i32be", "80000001"), ("-1.5", "f32be", "403FFFFF"),
                ("0.0", "f32be", "80000000"), ("1.5", "f32be", "BFC00000"),
                ("a", "text:terminated", "610001"),
                ("a\0b", "bytes:terminated", "6100FF620001"),
                ("a", "text:terminated:desc", "9EFFFE"),
                ("ab", "text:length", "000000026162"),
                ("6162", "hex:length", "000000026162"),
                ("YWI=", "base64", "6162")):
            with self.subTest(column=column):
                self.assertEqual(
                    self.built(f"{value},\n".encode(), *CSV, "--noheader",
                               f"--key_column=1:{column}", "--value_column=2"),
                    [(bytes.fromhex(expected), b"")])
        self.assertEqual(
            self.built(b"tenant,id\neu,7\n", *CSV,
                       "--key_column=tenant,id:u64be"),
            [(bytes.fromhex("657500010000000000000007"), b"{}")])

    def test_keys_sort_as_rows_do_and_are_read_again(self):
        draw = random.Random(24)
        rows = {}
        while len(rows) < 400:
            key = (draw.choice(("", "a", "ab", "a\0", "a\1", "é", "b")),
                   draw.choice((0, 1, 2**64 - 1, draw.randrange(2**64))),
                   draw.choice((0, -1, 2**63 - 1, -2**63,
                                draw.randrange(-2**63, 2**63))),
                   draw.choice((0.0, -1.5, 1e300, 5e-324,
                                draw.uniform(-9, 9))),
                   bytes(draw.choices(b"\0\1\xff", k=draw.randrange(4))))
            rows[key] = str(len(rows))
        text = io.StringIO(newline="")
        writer = csv.writer(text)
        writer.writerow(["v", "e", "d", "c", "b", "a"])
        for (a, b, c, d, e), value in rows.items():
            writer.writerow([value, e.hex(), repr(d), c, b, a])
        made = self.built(
            text.getvalue().encode(), *CSV, "--nosorted",
            "--key_column=a:text:terminated,b:u64be:desc,c:i64be,d:f64be:desc,"
            "e:hex:length", "--value_column=v")

        def read(name, key):
            return PAGE["read_" + name](key)

        def read_descending(name, key):
            value, rest = read(name, PAGE["invert"](key))
            return value, PAGE["invert"](rest)

        found = []
        for key, value in made:
            a, key = read("terminated", key)
            b, key = read_descending("u64be", key)
            c, key = read("i64be", key)
            d, key = read_descending("f64be", key)
            e, key = read("length", key)
            self.assertEqual(key, b"")
            found.append(((a.decode(), b, c, d, e), value.decode()))
        self.assertEqual(found, sorted(rows.items(), key=lambda row: (
            row[0][0].encode(), -row[0][1], row[0][2], -row[0][3],
            len(row[0][4]), row[0][4])))

    def test_values(self):
        text = b'id,name,price\n1,"a ""b"" \\",2.50\n2,,-0\n'
        key = "--key_column=id:u32be"
        self.assertEqual(
            [value for _, value in self.built(text, *CSV, key)],
            [b'{"name":"a \\"b\\" \\\\","price":"2.50"}',
             b'{"name":"","price":"-0"}'])
        self.assertEqual(
            [value for _, value in self.built(
                text, *CSV, key, "--value_column=price:f64be,name")],
            [b'{"price":2.50,"name":"a \\"b\\" \\\\"}',
             b'{"price":-0,"name":""}'])
        self.assertEqual(
            [struct.unpack(">I", value)[0] for _, value in self.built(
                b"9\t7\n", "--key_column=1", "--value_column=2:u32be")], [7])
        # A control character and text of any kind make JSON.
        value, = [value for _, value in self.built(
            "k,v\na,\"\x01\n\té\u2028\"\n".encode(), *CSV, "--key_column=k")]
        self.assertEqual(json.loads(value), {"v": "\x01\n\té\u2028"})

    def test_nulls(self):
        text = b'k,a,b\n1,NULL,"NULL"\nNULL,x,y\n'
        flags = [*CSV, "--key_column=k", "--null=NULL"]
        self.assertEqual(self.built(text, *flags, "--max_bad_rows=1"),
                         [(b"1", b'{"a":null,"b":"NULL"}')])
        self.assert_refused("-:3: column 1 ('k'): null; expected a value",
                            text, *flags)
        self.assert_refused("-:2: column 2 ('a'): null; expected a value",
                            text, *flags, "--value_column=a")
        self.assertEqual(
            self.built(b"k\tv\n1\t\\N\n2\t\\\\N\n", "--header", "--null=\\N",
                       "--key_column=k"),
            [(b"1", b'{"v":null}'), (b"2", b'{"v":"\\\\N"}')])

    def test_delimiter(self):
        self.assertEqual(self.built(b'a;"1;\n,"\nb;2\n', *CSV, "--noheader",
                                    "--delimiter=;"),
                         [(b"a", b"1;\n,"), (b"b", b"2")])
        self.assertEqual(self.built(b'a\t"1\t"\n', *CSV, "--noheader",
                                    "--delimiter=\\t"), [(b"a", b"1\t")])

    def test_jsonl(self):
        rows = (b'{"u":{"id":7,"x":[1,"\xc3\xa9"]},"n":"eu","v":1.5}\n'
                b'{"v":null,"n":"us","u":{"id":"18446744073709551615"}}\n')
        keys = [b"eu\0\1" + (7).to_bytes(8, "big"), b"us\0\1" + b"\xff" * 8]
        flags = [*JSONL, "--key_column=n,/u/id:u64be"]
        self.assertEqual(self.built(rows, *flags), [
            (keys[0], b'{"u":{"x":[1,"\xc3\xa9"]},"v":1.5}'),
            (keys[1], b'{"u":{},"v":null}')])
        self.assertEqual(self.built(rows, *flags, "--value_column=v,n"), [
            (keys[0], b'{"n":"eu","v":1.5}'),
            (keys[1], b'{"n":"us","v":null}')])
        self.assert_refused("-:2: member 'v': null; expected a value", rows,
                            *flags, "--value_column=v:f64be")
        self.assert_refused("-:1: member 'x': missing", rows, *JSONL,
                            "--key_column=x")
        self.assert_refused("-:1: member 'u': expected a string, found object",
                            rows, *JSONL, "--key_column=u")
        self.assert_refused("-:1: member '/u/id': expected a string, found "
                            "number", rows, *JSONL, "--key_column=/u/id")

    def test_malformed_columns(self):
        def whole(least, most):
            return f"expected a whole number from {least} to {most}"

        for column, expected, values in (
                ("u32be", whole(0, 2**32 - 1),
                 ("", "-1", "+1", " 1", "1.0", "4294967296", "0x1")),
                ("u64be", whole(0, 2**64 - 1), ("18446744073709551616",)),
                ("i32be", whole(-2**31, 2**31 - 1),
                 ("2147483648", "-2147483649", "--1")),
                ("i64be", whole(-2**63, 2**63 - 1), ("9223372036854775808",)),
                ("f32be", "expected a number that fits into a 4-byte float",
                 ("", "nan", "inf", "1e39", "1.", ".5", "01", "1e", "0x1p3")),
                ("f64be", "expected a number that fits into an 8-byte double",
                 ("1e309", "NaN", "1,5")),
                ("hex", "expected hexadecimal digits, two for each byte",
                 ("6", "6g")),
                ("base64", "expected base64, with padding",
                 ("YWI", "YW=I", "YWJ=", "Y===", "=", "YWI=\n"))):
            text = io.StringIO(newline="")
            csv.writer(text).writerows((value, "") for value in values)
            self.run_ok("build", "--out=t.sst", "--overwrite", *CSV,
                        "--noheader", f"--key_column=1:{column}",
                        "--value_column=2", "--bad_rows=bad", "--quiet",
                        "--max_bad_rows=99", "--nosorted",
                        "--on_duplicate=last",
                        stdin=text.getvalue().encode() + self.good(column))
            listed = (self.folder / "bad").read_text().splitlines()[1:]
            self.assertEqual([line.split("\t")[2] for line in listed],
                             ["column 1: " + expected] * len(values), column)
        self.assert_refused("-:1: there is no column 3; the row has 2",
                            b"a,b\n", *CSV, "--noheader", "--key_column=3",
                            "--value_column=1")
        self.assert_refused("-:1: the header has column 'v' twice", b"k,v,v\n",
                            *CSV, "--key_column=k")

    @staticmethod
    def good(column):
        value = {"hex": "61", "base64": base64.b64encode(b"a").decode()}
        return f"{value.get(column, 1)},\n".encode()

    def test_flags_that_make_no_sense(self):
        words = ("'x': unknown type 'u64', expected bytes, u32be, u64be, "
                 "i32be, i64be, f32be or f64be, or text, hex or base64")
        for expected, flags in (
                ("--key_column: column " + words, ["--key_column=x:u64"]),
                ("--key_column: column 'x': bytes in descending order need "
                 "'terminated' or 'length' before 'desc'", ["--key_column=x:text:desc"]),
                ("--key_column: column 'x' comes twice", ["--key_column=x,x"]),
                ("--key_column: a column without a name", ["--key_column=x,"]),
                ("--key_column: columns are counted from 1",
                 ["--key_column=0"]),
                ("--value_column needs --key_column", ["--value_column=x"]),
                ("--value_column: several columns are one JSON object, in "
                 "which 'b' can be text or a number only",
                 ["--key_column=k", "--value_column=a,b:hex"]),
                ("--noheader leaves columns without names; --key_column and "
                 "--value_column must have numbers, and only one value",
                 ["--key_column=1", "--noheader"]),
                ("--delimiter: 'ab' is not one ASCII character, such as ';' or "
                 "\\t, other than a quote or a line break",
                 ["--noheader", "--delimiter=ab"]),
                ("--key_column and --value_column do nothing with "
                 "--input_format=hex",
                 ["--input_format=hex", "--key_column=x"]),
                ("--delimiter goes with --input_format=csv only",
                 ["--input_format=tsv", "--delimiter=;"]),
                ("--null goes with --input_format=csv and tsv only",
                 ["--input_format=jsonl", "--null=x"]),
                ("--key_column: '/a~2': ~ must begin ~0 or ~1 in a JSON "
                 "pointer", ["--input_format=jsonl", "--key_column=/a~2"])):
            with self.subTest(expected=expected):
                self.assert_usage_error(expected, "build", "--out=u.sst",
                                        *CSV, *flags)

    def test_help_names_the_page(self):
        self.assertRegex(self.run_ok("help", "build").text,
                         re.compile(r"docs/key_encodings\.md"))


if __name__ == "__main__":
    cli.main()
