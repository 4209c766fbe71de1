"""Inputs of `ashlar build`: compressed ones, folders, several that are merged,
and a part of the keys.
"""

import gzip
import json
import os
import random

import cli
from cli import CliTest, hex_rows

SAME = ["--identity=01", "--creation_time=1"]


def rows(numbers, value="v"):
    return b"".join(b"key%06d\t%s %d\n" % (n, value.encode(), n)
                    for n in numbers)


def zstd(data, piece=1000):
    """Returns a zstd frame of blocks that are stored raw."""
    pieces = [data[i:i + piece] for i in range(0, len(data), piece)] or [b""]
    frame = b"\x28\xb5\x2f\xfd\xa0" + len(data).to_bytes(4, "little")
    for i, part in enumerate(pieces):
        last = i == len(pieces) - 1
        frame += (len(part) << 3 | int(last)).to_bytes(3, "little") + part
    return frame


class RowInputsTest(CliTest):

    def write(self, name, data):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
        return name

    def made(self, *arguments, stdin=None):
        """The bytes of the table that build makes."""
        self.run_ok("build", "--out=made.sst", "--overwrite", *SAME,
                    *arguments, stdin=stdin)
        return (self.folder / "made.sst").read_bytes()

    def scanned(self, name):
        return self.run_ok("scan", "--output_format=canonical",
                           name).text.splitlines()

    def test_compressed_inputs(self):
        text = rows(range(3000))
        plain = self.made(stdin=text)
        half = text.index(b"key001500")
        forms = {
            "gzip": gzip.compress(text),
            "zstd": zstd(text),
            "members": gzip.compress(text[:half]) + gzip.compress(b"") +
            gzip.compress(text[half:]),
            "frames": zstd(text[:half]) + zstd(b"") + zstd(text[half:]),
            "padded": gzip.compress(text) + bytes(700),
            # Frames that decoders skip.
            "skippable first": b"\x5f\x2a\x4d\x18\x02\0\0\0ab" + zstd(text),
            "skippable": zstd(text[:half]) + b"\x50\x2a\x4d\x18\x03\0\0\0abc" +
            zstd(text[half:]),
        }
        for name, data in forms.items():
            # The name says nothing.
            self.assertEqual(self.made(self.write(name + ".tsv", data)), plain,
                             name)
            self.assertEqual(self.made(stdin=data), plain, name)
        self.assertEqual(self.made(
            self.write("a", gzip.compress(text[:half])),
            self.write("b", text[half:])), plain)
        # Lines are counted in what is decompressed.
        bad = self.write("bad.gz", gzip.compress(text + b"no tab\n"))
        outcome = self.run_code(2, "build", "--out=x.sst", bad)
        self.assertIn("bad.gz:3001: no TAB", outcome.err)

    def test_an_input_that_ends_too_early_is_an_error(self):
        text = rows(range(400))
        for data in (gzip.compress(text), zstd(text, 700)):
            for part in range(1, 24):
                size = max(4, len(data) * part // 24)
                name = self.write("cut", data[:size])
                outcome = self.run_code(2, "build", "--out=x.sst", name)
                self.assertRegex(outcome.err, r"\Acut: Corruption: ends within "
                                 rf"a (gzip member|zstd frame), at offset "
                                 rf"{size}\n")
                self.assertNotIn("salvage", outcome.err)
            name = self.write("junk", data + b"junk")
            outcome = self.run_code(2, "build", "--out=x.sst", name)
            self.assertIn("junk: Corruption: about offset", outcome.err)
            flipped = bytearray(data)
            flipped[6 if data[0] == 0x28 else len(data) - 6] ^= 0x40
            self.run_code(2, "build", "--out=x.sst",
                          self.write("flip", flipped))
        self.assertNotIn("x.sst", os.listdir(self.folder))

    def test_files_of_columns_need_a_module(self):
        # ashlar_arrow_test.py reads such files, where pyarrow is installed.
        without = {"ASHLAR_ARROW_MODULE": "nowhere/module.so"}
        for name, data in (("a", b"PAR1...PAR1"), ("b", b"ARROW1\0\0..."),
                           ("c.parquet", b""), ("d.arrows", b"k\tv\n"),
                           ("e.feather", b"k\tv\n"), ("f.arrow", b"\0")):
            outcome = self.run_code(2, "build", "--out=x.sst",
                                    self.write(name, data), env=without)
            self.assertRegex(
                outcome.err, rf"\A{name}: Not supported: Arrow and Parquet are "
                "read by libashlar_arrow.so, which is not at "
                "nowhere/module.so; .*ASHLAR_PYARROW_ROOT.*pip install pyarrow")
        # A name of such a file can be overruled, and a folder has one format.
        self.made("--input_format=tsv", "d.arrows")
        outcome = self.run_code(2, "build", "--out=x.sst", "a", "b")
        self.assertIn("inputs of one run have one format; a is parquet, and b "
                      "is arrow", outcome.err)
        # A library of another kind is refused.
        self.write("module.so", b"no library")
        outcome = self.run_code(
            2, "build", "--out=x.sst", "a",
            env={"ASHLAR_ARROW_MODULE": str(self.folder / "module.so")})
        self.assertIn("a: Not supported: cannot load ", outcome.err)
        for flag in ("--header", "--null=x", "--delimiter=;", "--crlf"):
            outcome = self.run_code(2, "build", "--out=x.sst",
                                    "--input_format=parquet", flag, "a")
            self.assertIn(flag.split("=")[0] + " goes with", outcome.err)

    def test_folders(self):
        self.write("rows/part-1", rows(range(10, 20)))
        self.write("rows/part-0.gz", gzip.compress(rows(range(10))))
        for name in ("_SUCCESS", ".part-2.crc"):
            self.write("rows/" + name, b"no row")
        (self.folder / "rows" / "folder").mkdir()
        self.assertEqual(self.made("rows"), self.made(stdin=rows(range(20))))
        outcome = self.run_ok("build", "--out=made.sst", "--overwrite", "rows")
        self.assertIn("rows: folders in it that are not read: 1", outcome.err)
        (self.folder / "rows" / "part-9").symlink_to("nowhere")
        outcome = self.run_code(2, "build", "--out=x.sst", "rows")
        self.assertIn("rows/part-9", outcome.err)
        (self.folder / "rows" / "part-9").unlink()
        outcome = self.run_code(2, "build", "--out=x.sst", "-", "-", stdin=b"")
        self.assertIn("named twice", outcome.err)
        (self.folder / "none").mkdir()
        outcome = self.run_code(2, "build", "--out=x.sst", "none")
        self.assertIn("none: no file in it", outcome.err)
        # An output in the folder is not an input of the next run.
        outcome = self.run_code(2, "build", "--out=rows/part-1", "--overwrite",
                                "rows")
        self.assertIn("rows/part-1", outcome.err)

    def test_inputs_are_merged(self):
        source = random.Random(5)
        numbers = sorted(source.sample(range(5000), 900))
        parts = [[], [], [], [], []]
        for number in numbers:
            source.choice(parts[:4]).append(number)
        names = [self.write(f"part{i}", rows(part))
                 for i, part in enumerate(parts)]
        self.assertEqual(self.made("--merge_inputs", *names),
                         self.made(stdin=rows(numbers)))
        # Of equal keys, those of an earlier input come first.
        names = [self.write("first", rows([1, 3], "one")),
                 self.write("second", rows([2, 3], "two"))]
        self.run_code(2, "build", "--out=x.sst", "--merge_inputs", *names)
        for rule, value in (("first", "one"), ("last", "two")):
            self.made("--merge_inputs", f"--on_duplicate={rule}", *names)
            text = self.run_ok("get", "--key=key000003", "made.sst").text
            self.assertIn(f"=> {value} 3", text)
        # By internal keys, the newest first.
        names = [self.write("a.hex", hex_rows([(b"k", 3, 1, b"c"),
                                               (b"k", 1, 1, b"a")])),
                 self.write("b.hex", hex_rows([(b"j", 9, 1, b"j"),
                                               (b"k", 2, 1, b"b")]))]
        self.made("--merge_inputs", "--input_format=hex", *names)
        self.assertEqual([line.split()[1] for line in self.scanned("made.sst")],
                         ["9", "3", "2", "1"])
        # Range deletions may be anywhere in an input.
        names = [self.write("a.hex", hex_rows([(b"z", 5, 15, b"zz"),
                                               (b"a", 1, 1, b"1"),
                                               (b"b", 1, 1, b"1")])),
                 self.write("b.hex", hex_rows([(b"c", 1, 1, b"3")]))]
        self.made("--merge_inputs", "--input_format=hex", *names)
        self.assertEqual([line.split()[0] for line in self.scanned("made.sst")],
                         ["61", "62", "63", "7a"])
        # An input that is not sorted is named.
        bad = self.write("bad", rows([5, 4]))
        outcome = self.run_code(2, "build", "--out=x.sst", "--merge_inputs",
                                self.write("good", rows([1, 6])), bad)
        self.assertIn("bad:2: key 'key000004' belongs before 'key000005' at "
                      "bad:1", outcome.err)
        for flags in (["--nosorted"], ["--input_format=hex",
                                       "--target_file_size=1M"]):
            outcome = self.run_code(2, "build", "--out=x.sst",
                                    "--merge_inputs", *flags, *names)
            self.assertIn("--merge_inputs", outcome.err)

    def test_csv_inputs_with_headers_are_merged(self):
        names = [self.write("a.csv", b"value,key\n1,a\n3,c\n"),
                 self.write("b.csv", b"key,value\nb,2\n")]
        self.made("--merge_inputs", "--input_format=csv", "--header",
                  "--key_column=key", "--value_column=value", *names)
        self.assertEqual([bytes.fromhex(line.split()[0]) +
                          bytes.fromhex(line.split()[3])
                          for line in self.scanned("made.sst")],
                         [b"a1", b"b2", b"c3"])

    def test_parts_of_the_keys_make_the_whole(self):
        text = rows(range(1000))
        for flags in ([], ["--nosorted"]):
            self.made(*flags, stdin=text)
            whole = self.scanned("made.sst")
            parts = []
            borders = ["", "key000100", "key0005", "z"]
            for begin, end in zip(borders, borders[1:]):
                outcome = self.run_ok(
                    "build", "--json", "--out=part.sst", "--overwrite", *flags,
                    f"--from={begin}", f"--to={end}", stdin=text)
                parts += self.scanned("part.sst")
                file = json.loads(outcome.out)["files"][0]
                self.assertEqual(file["rows"]["read"], 1000)
                self.assertEqual(
                    file["rows"]["outside"] + file["num_entries"], 1000)
            self.assertEqual(parts, whole)
        outcome = self.run_code(2, "build", "--out=x.sst", "--from=b", "--to=b",
                                stdin=text)
        self.assertIn("--from is not before --to", outcome.err)
        outcome = self.run_ok("build", "--out=part.sst", "--overwrite",
                              "--prefix=key0009", stdin=text)
        self.assertIn("'build' does not use --prefix", outcome.err)
        self.assertEqual(len(self.scanned("part.sst")), 1000)
        outcome = self.run_ok("build", "--out=part.sst", "--overwrite",
                              "--to=key000007", stdin=text)
        self.assertIn("outside of the range: 993", outcome.err)

    def test_range_deletions_are_cut_at_the_ends_of_the_range(self):
        data = hex_rows([(b"b", 9, 15, b"m"), (b"c", 3, 1, b"v"),
                         (b"x", 4, 15, b"z")])
        for begin, end, expected in (
                ("a", "e", [(b"c", b"v"), (b"b", b"e")]),
                ("e", "zz", [(b"e", b"m"), (b"x", b"z")]),
                ("f", "h", [(b"f", b"h")]),
                ("m", "x", [])):
            self.assertLess(begin, end)
            self.made("--input_format=hex", f"--from={begin}", f"--to={end}",
                      stdin=data)
            found = [(bytes.fromhex(key), bytes.fromhex(value))
                     for key, _, _, value in
                     (line.split() for line in self.scanned("made.sst"))]
            self.assertEqual(found, expected)

    def test_progress(self):
        name = self.write("in.tsv", rows(range(5000)))
        for flags in ([], ["--nosorted"], ["--merge_inputs"]):
            outcome = self.run_ok("build", "--progress=always", "--overwrite",
                                  "--out=a.sst", *flags, name)
            self.assertRegex(outcome.err, r"(?m)\d+ %")
        self.run_ok("build", "--out=b.sst", name)
        outcome = self.run_ok("diff", "--progress=always", "a.sst", "b.sst")
        self.assertRegex(outcome.err, r"(?m)\d+ %")


if __name__ == "__main__":
    cli.main()
