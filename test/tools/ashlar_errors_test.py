"""What each error message says: what is wrong, where, why, and what to do next.
"""

import os
import re
import resource

import cli
import forged_table
from cli import CliTest, GOLDEN, numbered_rows, without_rights_of_root

SALVAGE = "hint: .*'ashlar salvage --out=<new> <file>' saves what is readable"
LOOK = "hint: check the path"
ROOM = "hint: free some space, or set --out or --tmpdir to another file system"
OTHER = "hint: FILE looks like a file cut off, encrypted, or of another kind"
ALONE = "hint: read it with the application that wrote it"
LOG = (r"hint: FILE looks like a log \(WAL or MANIFEST\) of RocksDB: "
       "'ldb dump_wal' or 'ldb manifest_dump' reads it")


def log_record(kind, payload):
    return (b"\x8a\x12\xf3\x04" + len(payload).to_bytes(2, "little") +
            bytes([kind]) + payload)


def ends_with_magic(magic):
    return bytes(100) + magic.to_bytes(8, "little")


# A file, what `check` reports for it, the exit code, and the advice.
NO_TABLES = (
    (b"", r"Corruption: .*offset 0 size 0: .*has 0 bytes", 1,
     "hint: FILE looks like an empty file, .*: restore it from a backup"),
    (bytes(range(130, 150)), "Corruption: .*20 bytes; a table has at least 48", 1,
     OTHER),
    (bytes(range(255, -1, -1)) * 9, r"Corruption: .*offset 2251 size 53: bad "
     "table magic number: expected 0x88E241B785F4CFF7, found 0x1020304050607", 1,
     OTHER),
    (b"\x37\x8f\x24\0" + bytes(range(200)), "Corruption: ", 1,
     "hint: FILE looks like a blob file of RocksDB: its blob_dump reads it"),
    (log_record(1, b"\x01\x1aleveldb.BytewiseComparator"), "Corruption: ", 1,
     LOG),
    # A recyclable record: the number of its file is between header and payload.
    (log_record(5, b"put" * 20)[:7] + b"\x07\0\0\0" + b"put" * 20,
     "Corruption: ", 1, LOG),
    (b"\x1f\x8b\x08" + bytes(range(99)), "Corruption: ", 1,
     "hint: FILE looks like a gzip file: unpack it first"),
    (b"\x28\xb5\x2f\xfd" + bytes(range(99)), "Corruption: ", 1,
     "hint: FILE looks like a zstd file: unpack it first"),
    (b"PK\x03\x04" + bytes(range(99)), "Corruption: ", 1,
     "hint: FILE looks like a zip archive: unpack it first"),
    (b"some lines\nof text\n" * 9, "Corruption: ", 1,
     "hint: FILE looks like a text file: 'ashlar build' makes a table from it"),
    (bytes(range(100)) + bytes(4000), "Corruption: .*found 0x0", 1,
     "hint: FILE looks like a file that ends in zeros, .* from a backup"),
    (ends_with_magic(0x8242229663bf9564), "Not supported: .*plain table", 2,
     "hint: RocksDB's sst_dump reads plain tables"),
    (ends_with_magic(0x926789d0c5f17873), "Not supported: .*cuckoo table", 2,
     "hint: RocksDB's sst_dump reads cuckoo tables"),
    (bytes(100) + 2 * b"\xf0\x9f\xaa\xb3", "Not supported: .*Pebble table", 2,
     "hint: Pebble's 'pebble sstable' reads"),
)

# Tables from other writers.
GOLDEN_TABLES = (
    ("r119-custom-codec.sst", "Not supported: .* in index block .*compression "
     r"manager 'GoldenCustom' \(type 0x8A\): no codec of that name was given",
     2, ALONE),
    ("bad/foot-version8.sst", "Not supported: .*format_version 8 is newer than "
     "this program reads", 2, "hint: read it with a later release of ashlar"),
    ("bad/foot-reserved8.sst", "Not supported: .*the reserved bytes are not "
     "zero, so a later release wrote the file", 2,
     "hint: read it with a later release of ashlar"),
    ("bad/data-flip.sst", r"Corruption: block checksum mismatch in data block "
     r"#\d+ offset \d+ size \d+: stored = \d+, computed = \d+", 1,
     "hint: 'ashlar verify' lists all damage; "),
    ("bad/data-flip.sst", "Corruption: ", 1, SALVAGE),
    ("bad/no-props.sst", "Corruption: missing entry in meta-index block offset "
     r"\d+ size \d+: expected rocksdb\.properties", 1, SALVAGE),
)

# Rows of `build`, its flags, the message, and the advice.
ONE = "--on_duplicate=first or last keeps one of the rows"
MEND = ("correct the row; 'ashlar help build' describes rows of "
        "--input_format={}")
ROWS = (
    (b"b\t\na\t\n", [], "-:2: key 'a' belongs before 'b' at -:1",
     "--nosorted sorts the rows"),
    (b"b\t\nb\t\n", [], "-:2: key 'b' comes twice, first at -:1", ONE),
    (b"b\t\nb\t\n", ["--nosorted"], "-:2: key 'b' comes twice, first at -:1", ONE),
    (b"a\\q\t1\n", [], "-:1: .*", MEND.format("tsv")),
    (b"6b 1 1 \nzz 0 1 \n", ["--input_format=hex"], "-:2: .*",
     MEND.format("hex")),
    (b"6b 1 1 \n", ["--input_format=hex", "--external"], "-:1: .*",
     MEND.format("hex")),
    (b'{"key":"61","value":""}\n{"key":61}\n', ["--input_format=jsonl"], "-:2: .*",
     MEND.format("jsonl")),
    (b'a,b\n"c,d\n', ["--input_format=csv", "--noheader"], "-:2: .*", MEND.format("csv")),
    (b"k,v\na,b\n", ["--input_format=csv", "--key_column=x"], "-:1: .*x.*",
     MEND.format("csv")),
)


class ErrorsTest(CliTest):

    def setUp(self):
        super().setUp()
        self.build_once("a.sst", numbered_rows(300), "--compression_type=none",
                        "--filter=none")

    def assert_says(self, path, fault, code, advice, *arguments, **more):
        outcome = self.run_program(*arguments, **more)
        self.assertEqual(outcome.code, code, outcome.err)
        self.assertRegex(outcome.err, rf"(?m)\A{re.escape(str(path))}: {fault}")
        self.assertRegex(outcome.err, "(?m)^ashlar: " + advice.replace(
            "FILE", re.escape(str(path))))
        # The hint comes once, at the end, and only in output for people.
        self.assertNotIn("hint:", outcome.err.splitlines()[0])
        self.assertNotIn("hint:", self.run_program(
            *arguments, "--quiet", **more).err)
        return outcome

    def test_what_is_no_table(self):
        for contents, fault, code, advice in NO_TABLES:
            with self.subTest(advice=advice):
                (self.folder / "x.sst").write_bytes(contents)
                self.assert_says("x.sst", fault, code, advice, "check", "x.sst")
        # Other commands give the same advice. Many files at once: a start takes
        # longer.
        names = [f"{number}.sst" for number in range(len(NO_TABLES))]
        for name, (contents, *_) in zip(names, NO_TABLES):
            (self.folder / name).write_bytes(contents)
        for command in ("scan", "stats", "properties", "layout"):
            outcome = self.run_program(command, *names)
            for name, (_, fault, _, advice) in zip(names, NO_TABLES):
                with self.subTest(command=command, advice=advice):
                    self.assertRegex(outcome.err, rf"(?m)^{name}: {fault}")
                    self.assertRegex(outcome.err, "(?m)^ashlar: " +
                                     advice.replace("FILE", name))

    def test_tables_of_other_writers(self):
        for name, fault, code, advice in GOLDEN_TABLES:
            with self.subTest(name=name):
                path = GOLDEN / name
                self.assert_says(path, fault, code, advice, "check", path)

    def test_what_is_not_built_in(self):
        self.build("b.sst", numbered_rows(3), *forged_table.PLAIN)
        (self.folder / "x.sst").write_bytes(forged_table.with_properties(
            (self.folder / "b.sst").read_bytes(),
            {b"rocksdb.comparator": b"mine"}))
        self.assert_says("x.sst", "Not supported: .*comparator mine is not "
                         "built in", 2, "hint: 'ashlar --version' lists the "
                         "codecs of this build", "get", "--key=k", "x.sst")
        path = GOLDEN / "r119-custom-codec.sst"
        self.assert_says(path, "Not supported: ", 2, ALONE, "verify", path)

    def test_advice_does_not_depend_on_the_text(self):
        # Each name, which the message shows, has the words of another cause.
        # For "verify_compression failed" the exit code would change too.
        plain = ends_with_magic(0x8242229663bf9564)
        damaged = (GOLDEN / "bad" / "data-flip.sst").read_bytes()
        limit = "above the limit of 1073741824 holds more than 1073741824 "
        files = (
            ("is newer than this program", plain, 2, "RocksDB's sst_dump "
             "reads plain tables"),
            ("Pebble table", plain, 2, "RocksDB's sst_dump reads plain tables"),
            ("is not built in", plain, 2, "RocksDB's sst_dump reads plain "
             "tables"),
            ("plain table", ends_with_magic(0x926789d0c5f17873), 2,
             "RocksDB's sst_dump reads cuckoo tables"),
            (limit, damaged, 1, "'ashlar verify' lists all damage; "),
            ("verify_compression failed", damaged, 1,
             "'ashlar verify' lists all damage; "),
            ("detect_filter_construct_corruption failed", damaged, 1,
             "'ashlar verify' lists all damage; "),
        )
        for name, contents, code, advice in files:
            with self.subTest(name=name):
                (self.folder / name).write_bytes(contents)
                outcome = self.run_program("check", name)
                self.assertEqual(outcome.code, code, outcome.err)
                fault, hint = outcome.err.splitlines()
                self.assertTrue(fault.startswith(f"{name}: "), fault)
                self.assertTrue(hint.startswith(f"ashlar: hint: {advice}"),
                                hint)
        rows = (
            (b"comes twice\t\na\t\n", "-:2: key 'a' belongs before "
             "'comes twice' at -:1", "--nosorted sorts the rows"),
            (b"belongs before\t\nbelongs before\t\n",
             "-:2: key 'belongs before' comes twice, first at -:1", ONE),
            (b"k\tcomes twice\\q\n", "-:1: .*", MEND.format("tsv")),
        )
        for text, line, advice in rows:
            with self.subTest(line=line):
                outcome = self.run_program("build", "--out=b.sst", stdin=text)
                self.assertEqual(outcome.code, 2)
                fault, hint = outcome.err.splitlines()
                self.assertRegex(fault, rf"\A{line}\Z")
                self.assertEqual(hint, "ashlar: hint: " + advice)

    def test_damage_is_told_once(self):
        bad = GOLDEN / "bad" / "data-flip.sst"
        outcome = self.run_program("verify", bad, bad, "a.sst")
        self.assertEqual(outcome.err.count("hint: "), 1)
        # verify advises to salvage. salvage has already saved what it can, so
        # it gives no advice.
        self.assertIn("\nashlar: hint: 'ashlar salvage ", outcome.err)
        outcome = self.run_code(1, "salvage", "--out=o.sst", bad)
        self.assertNotIn("hint: ", outcome.err)
        self.assertNotIn("hint: ", self.run_ok("check", "a.sst").err)

    def test_cut_off_tables(self):
        data = (self.folder / "a.sst").read_bytes()
        names = []
        for cut in range(1, 64):
            names.append(f"x{cut}.sst")
            (self.folder / names[-1]).write_bytes(data[:len(data) * cut // 64])
        # Many tables at once: starting the program takes longer than a table.
        outcome = self.run_code(1, "check", *names)
        for name in names:
            self.assertRegex(outcome.err, rf"(?m)^{name}: Corruption: bad "
                             r"footer in footer block offset \d+ size \d+: ")
            self.assertIn(f"\nashlar: hint: {name} looks like ", outcome.err)

    def test_paths(self):
        (self.folder / "d").mkdir()
        self.assert_says("none.sst", "IO error: .*No such file", 2, LOOK,
                         "check", "none.sst")
        self.assert_says("a.sst/b.sst", "IO error: .*Not a directory", 2, LOOK,
                         "check", "a.sst/b.sst")
        self.assert_says("d", "NotFound: no .sst file in it", 1,
                         "hint: name the files if they do not end in .sst", "check", "d")
        self.assert_says("none/b.sst", "IO error: .*No such file", 2, LOOK,
                         "build", "--out=none/b.sst", stdin=b"a\t\n")
        os.chmod(self.folder / "a.sst", 0)
        self.assert_says("a.sst", "IO error: .*Permission denied", 2,
                         "hint: check the permissions of the file", "check",
                         "a.sst", preexec_fn=without_rights_of_root)

    def test_no_room(self):
        with open("/dev/full", "wb") as full:
            outcome = self.run_program("scan", "a.sst", stdout=full)
        self.assertEqual(outcome.code, 2)
        self.assertRegex(outcome.err, r"\Aashlar: write standard output: No "
                         rf"space left on device\nashlar: {ROOM}")
        outcome = self.run_code(
            2, "build", "--out=b.sst", "--compression_type=none",
            stdin=b"".join(b"%09d\t%0100d\n" % (i, i) for i in range(9999)),
            restore_signals=False, preexec_fn=lambda: resource.setrlimit(
                resource.RLIMIT_FSIZE, (100000, 100000)))
        self.assertRegex(outcome.err, r"b\.sst.*: File too large\n"
                         r"ashlar: hint: raise the limit of file sizes")
        self.assertEqual(os.listdir(self.folder), ["a.sst"])

    def test_rows(self):
        for rows, flags, line, advice in ROWS:
            with self.subTest(line=line):
                for quiet in ([], ["--quiet"]):
                    outcome = self.run_code(2, "build", "--out=b.sst", *flags,
                                            *quiet, stdin=rows)
                    said = outcome.err.splitlines()
                    self.assertRegex(said[0], rf"\A{line}\Z")
                    self.assertEqual(said[1:], [] if quiet else
                                     ["ashlar: hint: " + advice])
                    self.assertEqual(os.listdir(self.folder), ["a.sst"])

    def test_options_that_no_row_can_mend(self):
        outcome = self.run_code(2, "build", "--out=b.sst", "--block_align",
                                "--compression_type=zstd", stdin=b"a\t\n")
        self.assertNotIn("hint", outcome.err)

    def test_blocks_above_the_limit(self):
        limit = "--max_uncompressed_block=2000"
        raise_it = ("hint: if you trust the file, raise the limit for large "
                    "blocks: --max_uncompressed_block$")
        for codec in ("zstd", "zlib", "snappy"):
            self.build(f"{codec}.sst", numbered_rows(300), "--block_size=4096",
                       f"--compression_type={codec}")
            for command in (["check"], ["verify"], ["salvage", "--out=o"]):
                outcome = self.run_code(1, *command, limit, f"{codec}.sst")
                self.assertIn(" uncompressed bytes, above the limit of 2000\n",
                              outcome.err)
                self.assertRegex(outcome.err, "(?m)^ashlar: " + raise_it)
                self.assertNotIn("'ashlar salvage", outcome.err)
                (self.folder / "o").unlink(missing_ok=True)


if __name__ == "__main__":
    cli.main()
