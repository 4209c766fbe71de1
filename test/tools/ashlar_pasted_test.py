"""What the program prints can be used again: as a key on the command line, as
rows of `build`, or by a program that reads its errors.
"""

import csv
import io
import json
import random

import cli
from cli import CliTest, hex_rows, numbered_rows

ANY_BYTE = [bytes([byte]) for byte in range(256)]
ESCAPE = "a backslash must begin \\t, \\n, \\r, \\\\ or \\xHH"


class PastedTest(CliTest):

    def entries(self, name):
        printed = self.run_ok("scan", "--output_format=canonical", name).text
        rows = [line.split(" ") for line in printed.splitlines()]
        return [(bytes.fromhex(row[0]), bytes.fromhex(row[3])) for row in rows]

    def test_one_escape_syntax(self):
        # The text \xC3, the byte 0xC3, and escapes as text.
        keys = sorted([b"\\xC3", b"\\\\", b"a\tb", b"\\t", *ANY_BYTE,
                       b"".join(ANY_BYTE)])
        self.build("a.sst", hex_rows([(key, 0, 1, b"v") for key in keys]))
        printed = self.run_ok("scan", "--output_format=keys", "a.sst").text
        shown = printed.splitlines()
        self.assertEqual(len(set(shown)), len(keys))
        self.assertTrue(printed.isascii())
        self.assertEqual(shown[keys.index(b"\\xC3")], "\\\\xC3")
        self.assertEqual(shown[keys.index(b"\xc3")], "\\xC3")
        # Each comes back as a key.
        found = self.run_ok("get", "--quiet", "--escape=always", "a.sst",
                            *(f"--key={text}" for text in shown)).text
        self.assertEqual(found, "".join(f"'{text}' seq:0, type:1 => v\n"
                                        for text in shown))
        (self.folder / "keys").write_text(printed)
        self.assertEqual(self.run_ok("get", "--quiet", "--escape=always",
                                     "--keys_file=keys", "a.sst").text, found)
        for text in (shown[0], shown[100], shown[-1], "\\t", "\\n", "\\r"):
            for flag, kept in (("--from", lambda key, at: key >= at),
                               ("--to", lambda key, at: key < at),
                               ("--prefix", bytes.startswith)):
                at = text.encode().decode("unicode_escape").encode("latin-1")
                self.assertEqual(
                    self.run_ok("scan", "--output_format=count",
                                f"{flag}={text}", "a.sst").text,
                    f"{sum(kept(key, at) for key in keys)}\n", (flag, text))

    def test_escapes_that_are_wrong(self):
        self.build_once("a.sst", numbered_rows(3))
        for text in ("\\", "a\\q", "\\x1", "\\xg0", "\\X41"):
            for flag in ("from", "to", "prefix"):
                self.assert_usage_error(f"--{flag}: '{text}': {ESCAPE}",
                                        "scan", f"--{flag}={text}", "a.sst")
            self.assert_usage_error(f"key '{text}': {ESCAPE}", "get",
                                    f"--key={text}", "a.sst")
            self.assert_usage_error(f"--from: '{text}': {ESCAPE}", "compact",
                                    "--out=b.sst", f"--from={text}", "a.sst")

    def test_messages_have_keys_that_can_be_pasted(self):
        outcome = self.run_code(2, "build", "--out=b.sst", "--quiet",
                                stdin=b"b\\\\\t\na\\xff\t\n")
        self.assertEqual(outcome.err, "-:2: key 'a\\xFF' belongs before "
                         "'b\\\\' at -:1\n")

    def test_hex(self):
        self.build("a.sst", hex_rows([(b"k\xff", 0, 1, b"v\0")]))
        self.assertEqual(
            self.run_ok("get", "--quiet", "--hex", "--key=0x6bff",
                        "a.sst").text, "'6BFF' seq:0, type:1 => 7600\n")
        self.assertEqual(
            self.run_ok("scan", "--quiet", "--hex", "--from=6b", "--to=6c",
                        "a.sst").text, "'6BFF' seq:0, type:1 => 7600\n")
        self.assert_usage_error("--output_format=tsv and --hex exclude each "
                                "other", "scan", "--hex",
                                "--output_format=tsv", "a.sst")

    def test_rows_come_back(self):
        draw = random.Random(24)
        rows = {}
        texts = {}
        for _ in range(300):
            key = bytes(draw.choices(range(256), k=draw.randrange(6)))
            rows[key] = bytes(draw.choices(range(256), k=draw.randrange(6)))
            key = "".join(draw.choices('kK",\n\r\tüé😀\0 ', k=draw.randrange(6)))
            texts[key] = "".join(draw.choices('vV",\n\r 1', k=3))
        texts = {key.encode(): value.encode() for key, value in texts.items()}
        for number, made in enumerate((rows, texts)):
            name = f"{number}.sst"
            self.build(name, hex_rows(
                [(key, 0, 1, value) for key, value in sorted(made.items())]))
            printed = self.run_ok("scan", "--output_format=tsv", name).out
            self.assertTrue(printed.isascii())
            self.run_ok("build", "--out=t.sst", "--overwrite", "--noheader",
                        stdin=printed)
            self.assertEqual(self.entries("t.sst"), sorted(made.items()))
        printed = self.run_ok("scan", "--output_format=csv", "1.sst").out
        self.run_ok("build", "--out=t.sst", "--overwrite", "--header",
                    "--input_format=csv", stdin=printed)
        self.assertEqual(self.entries("t.sst"), sorted(texts.items()))
        read = list(csv.reader(io.StringIO(printed.decode(), newline=""),
                               strict=True))
        self.assertEqual(read[0], ["key", "value"])
        self.assertEqual([(key.encode(), value.encode())
                          for key, value in read[1:]], sorted(texts.items()))
        printed = self.run_ok("scan", "--output_format=csv", "--output_hex",
                              "0.sst").text
        self.assertEqual(
            [tuple(map(bytes.fromhex, line.split(",")))
             for line in printed.splitlines()[1:]], sorted(rows.items()))
        self.run_ok("build", "--out=t.sst", "--overwrite", "--header",
                    "--input_format=csv", "--key_column=key:hex",
                    "--value_column=value:hex", stdin=printed.encode())
        self.assertEqual(self.entries("t.sst"), sorted(rows.items()))

    def test_what_a_form_cannot_show(self):
        self.build("a.sst", hex_rows([
            (b"a", 9, 1, b"1"), (b"b", 8, 0, b""), (b"c", 7, 2, b"m"),
            (b"d", 6, 1, b"\xff"), (b"e", 5, 15, b"f")]))
        outcome = self.run_code(2, "scan", "--output_format=tsv", "a.sst")
        self.assertEqual(outcome.text, "a\t1\nd\t\\xFF\n")
        shown = ("; --output_format=canonical and jsonl show all entries")
        self.assertEqual(outcome.err.splitlines(), [
            "a.sst: Not supported: tsv has no form for entry 'b' seq:8, type:0 "
            "(delete)" + shown,
            "a.sst: Not supported: tsv has no form for entry 'c' seq:7, type:2 "
            "(merge)" + shown,
            "a.sst: Not supported: tsv has no form for entry 'e' seq:5, "
            "type:15 (range_delete)" + shown])
        outcome = self.run_code(2, "scan", "--output_format=csv", "a.sst")
        self.assertEqual(outcome.text, "key,value\na,1\n")
        self.assertIn("a.sst: Not supported: csv has no form for bytes that "
                      "are not UTF-8, in entry 'd' seq:6, type:1; "
                      "--output_format=tsv and --output_hex show any bytes\n",
                      outcome.err)

    def test_keys_and_counts(self):
        self.build("a.sst", hex_rows([
            (b"a", 9, 1, b"1"), (b"a", 8, 0, b""), (b"b", 7, 2, b"m"),
            (b"c", 5, 15, b"f")]))
        self.build("b.sst", numbered_rows(2500))

        def scanned(form, *arguments):
            return self.run_ok("scan", f"--output_format={form}",
                               *arguments).text

        self.assertEqual(scanned("keys", "a.sst"), "a\nb\n")
        self.assertEqual(scanned("keys", "--output_hex", "a.sst"), "61\n62\n")
        self.assertEqual(scanned("count", "a.sst", "b.sst"), "3\n2500\n")
        self.assertEqual(scanned("count", "--from=b", "a.sst"), "1\n")
        self.assertEqual(scanned("keys", "--limit=1", "a.sst"), "a\n")
        self.assertEqual(scanned("count", "--limit=7", "a.sst", "b.sst"),
                         "3\n4\n")
        self.assertEqual(scanned("text", "--limit=2", "--quiet", "b.sst"),
                         scanned("text", "--read_num=2", "--quiet", "b.sst"))
        self.assert_usage_error("--limit and --read_num exclude each other",
                                "scan", "--limit=1", "--read_num=2", "b.sst")

    def test_check_ends_with_a_verdict(self):
        self.build("a.sst", numbered_rows(2500))
        self.build("b.sst", numbered_rows(1))

        def last(*arguments):
            return self.run_program("check", *arguments).text.splitlines()[-1]

        self.assertEqual(last("a.sst"), "ok: 2,500 entries")
        # sst_dump does not print it.
        for flags in (["--command=check"], []):
            self.assertNotIn("ok: ", self.run_ok(*flags, "a.sst").text)
        self.assertEqual(last("a.sst", "b.sst"), "ok: 2,501 entries")
        self.assertEqual(last("b.sst"), "ok: 1 entry")
        self.assertEqual(last("--limit=7", "a.sst"), "ok: 7 entries read")
        self.assertEqual(last("--from=x", "a.sst"), "ok: 0 entries read")
        self.flip("a.sst", 100, to="bad.sst")
        for arguments in (["bad.sst", "b.sst"], ["b.sst", "none.sst"]):
            self.assertNotIn("ok: ", self.run_program("check",
                                                      *arguments).text)
        self.assertEqual(self.run_ok("check", "--quiet", "b.sst").text, "")

    def test_errors_in_json_have_the_same_members(self):
        self.build_once("a.sst", numbered_rows(3))
        (self.folder / "b.sst").write_bytes(b"no table")
        refusals = (
            (["check", "--json"], "Invalid argument",
             "no input: name a file or a directory"),
            (["nothing", "--json"], "Invalid argument",
             "unknown command 'nothing'"),
            (["--json", "check", "a.sst", "--x=1"], "Invalid argument",
             "unknown flag --x"),
            (["scan", "--jsonl", "--from=\\", "a.sst"], "Invalid argument",
             f"--from: '\\': {ESCAPE}"),
            (["scan", "--output_format=jsonl", "-"], "Invalid argument",
             "'-': a table cannot be read from standard input"),
            (["rewrite", "--json", "--out=a.sst", "b.sst"], "Invalid argument",
             "a.sst exists; --overwrite replaces it"),
            (["check", "--json", "--env_uri=s3://", "a.sst"], "Not supported",
             "--env_uri: 's3://'"))
        for arguments, code, message in refusals:
            outcome = self.run_code(2, *arguments)
            document = json.loads(outcome.out)
            self.assertEqual(document["errors"],
                             [{"code": code, "message": message}])
            self.assertEqual((document["errors_total"], document["exit_code"],
                              document["schema"]), (1, 2, "ashlar/1"))
        # As the faults of a file have them.
        document = json.loads(self.run_code(1, "check", "--json",
                                            "b.sst").out)
        for error in document["files"][0]["errors"]:
            self.assertLessEqual({"code", "message"}, set(error))
        self.assertEqual(document["files"][0]["errors_total"], 1)
        outcome = self.run_code(1, "check", "--json", "--nostrict")
        self.assertEqual(json.loads(outcome.out)["exit_code"], 1)


if __name__ == "__main__":
    cli.main()
