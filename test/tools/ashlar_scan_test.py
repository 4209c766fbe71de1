"""Entries that `scan` and `get` print: ranges, order, limits and filters."""

import json
import re

import cli
import forged_table
from cli import CliTest, GOLDEN, PROGRAM, hex_rows, numbered_rows


class ScanTest(CliTest):

    KEYS = [b"", b"a", b"a\x00", b"ab", b"b", b"\xff", b"\xff\xff"]

    def setUp(self):
        super().setUp()
        self.build_once(
            "a.sst", hex_rows([(key, 0, 1, b"v") for key in self.KEYS]))

    def keys(self, *flags):
        rows = self.run_ok("scan", "--output_format=canonical", *flags,
                           "a.sst").text.splitlines()
        return [bytes.fromhex(row.split(" ")[0]) for row in rows]

    def test_ranges(self):
        keys = self.KEYS
        for flags, expected in (
            ([], keys),
            (["--from="], keys),
            (["--from=a"], keys[1:]),
            (["--to="], []),
            (["--to=a"], keys[:1]),
            (["--from=a", "--to=b"], keys[1:4]),
            (["--from=b", "--to=a"], []),
            (["--from=ac"], keys[4:]),
            (["--prefix=a"], keys[1:4]),
            (["--prefix="], keys),
            (["--prefix=a", "--to=ab"], keys[1:3]),
            (["--prefix=x"], []),
            (["--input_key_hex", "--from=ffff"], keys[6:]),
            (["--input_key_hex", "--from=0xFFFF00"], []),
            (["--input_key_hex", "--to=FFFF"], keys[:6]),
            (["--input_key_hex", "--prefix=ff"], keys[5:]),
            (["--input_key_hex", "--prefix=FFFFFF"], []),
            (["--read_num=0"], keys),
            (["--read_num=1"], keys[:1]),
            (["--from=a", "--read_num=2"], keys[1:3]),
        ):
            self.assertEqual(self.keys(*flags), expected, flags)

    def test_ranges_at_the_ends(self):
        """The first key of these tables is not the smallest possible key."""
        keys = [b"b", b"c", b"d"]
        self.build("a.sst", hex_rows([(key, 0, 1, b"v") for key in keys]),
                   "--overwrite")
        for flags, expected in (
            (["--from=a", "--to=e"], keys),
            (["--from=b", "--to=d"], keys[:2]),
            (["--to=b"], []),
            (["--to=a"], []),
            (["--from=d"], keys[2:]),
            (["--from=e"], []),
        ):
            self.assertEqual(self.keys(*flags), expected, flags)

    def test_read_num_counts_over_all_inputs(self):
        for number in (1, 7, 9, 14, 20):
            outcome = self.run_ok("scan", "--output_format=canonical",
                                  f"--read_num={number}", "a.sst", "a.sst")
            self.assertEqual(outcome.out.count(b"\n"), min(number, 14))

    def test_prefix_in_reverse_order(self):
        entries = [(key, 0, 1, b"") for key in reversed(self.KEYS)]
        self.build("r.sst", hex_rows(entries),
                   "--comparator=rocksdb.ReverseBytewiseComparator")
        for prefix, expected in (("a", 3), ("b", 1), ("", 7), ("c", 0)):
            outcome = self.run_ok("scan", "--output_format=canonical",
                                  f"--prefix={prefix}", "r.sst")
            self.assertEqual(outcome.out.count(b"\n"), expected, prefix)
        outcome = self.run_ok("scan", "--output_format=canonical",
                              "--input_key_hex", "--prefix=ff", "r.sst")
        self.assertEqual(outcome.out.count(b"\n"), 2)

    def test_text(self):
        self.build("b.sst", hex_rows([(b"k", 7, 1, b"v\n"), (b"k", 3, 0, b""),
                                      (b"m", 9, 2, b"\x80")]))
        heading = ("Process b.sst\nSst file format: block-based\n"
                   "from [61] to [7A]\n")
        flags = ["scan", "--from=a", "--to=z", "b.sst"]
        self.assertEqual(
            self.run_ok(*flags).out,
            heading.encode() + b"'k' seq:7, type:1 => v\n\n"
            b"'k' seq:3, type:0 => \n'm' seq:9, type:2 => \x80\n")
        self.assertEqual(
            self.run_ok(*flags, "--escape=always", "--quiet").out,
            b"'k' seq:7, type:1 => v\\x0A\n"
            b"'k' seq:3, type:0 => \n'm' seq:9, type:2 => \\x80\n")
        self.assertEqual(
            self.run_ok("scan", "a.sst", "b.sst").text.count("from ["), 1)

    def test_count_is_compared(self):
        outcome = self.run_ok("check", "a.sst")
        self.assertEqual(
            outcome.text,
            "Process a.sst\nSst file format: block-based\nfrom [] to []\n"
            "ok: 7 entries\n")

    def test_head_is_quiet(self):
        self.build("big.sst", numbered_rows(30000))
        script = f"'{PROGRAM}' scan big.sst | head -1"
        outcome = self.run_ok("-c", script, program="/bin/sh")
        self.assertEqual((outcome.text, outcome.err), ("Process big.sst\n", ""))

    def test_full_device(self):
        with open("/dev/full", "wb") as full:
            for arguments in (["scan", "a.sst"], ["scan", "--json", "a.sst"],
                              ["--help"], ["--version"],
                              ["--version", "--json"],
                              ["properties", "a.sst"]):
                outcome = self.run_code(2, *arguments, stdout=full)
                self.assertEqual(outcome.err.splitlines()[0],
                                 "ashlar: write standard output: "
                                 "No space left on device")

    def test_show_summary(self):
        text = self.run_ok("check", "--show_summary", "--quiet", "a.sst",
                           "a.sst").text
        self.assertRegex(
            text, r"\Atotal number of files: 2\n"
            r"total number of data blocks: 2\ntotal data block size: \d+\n"
            r"total index block size: \d+\ntotal filter block size: \d+\n\Z")

    def test_list_meta_blocks(self):
        text = self.run_ok("check", "--list_meta_blocks", "a.sst").text
        self.assertRegex(text, r"\n  rocksdb\.properties: \d+ \d+\n")

    def test_property_filters(self):
        arguments = ["check", "--require_property_regex=# entries: 7$"]
        self.assertEqual(self.run_ok(*arguments, "a.sst").err, "")
        self.build("b.sst", numbered_rows(3))
        outcome = self.run_ok(*arguments, "a.sst", "b.sst")
        self.assertEqual(outcome.err,
                         "b.sst: skipped: its properties do not match\n")
        outcome = self.run_ok("check", "--exclude_property_regex=: 3$",
                              "--json", "a.sst", "b.sst")
        self.assertEqual(
            [file["status"] for file in json.loads(outcome.out)["files"]],
            ["ok", "skipped"])
        self.assertEqual(json.loads(outcome.out)["summary"],
                         {"files": 2, "ok": 1, "failed": 0, "skipped": 1,
                          "entries": 7})

    def test_what_is_skipped_is_not_sound(self):
        none = "--require_property_regex=nothing has this"
        for command in (["check", "a.sst"], ["identify", "a.sst", "a.sst"]):
            outcome = self.run_ok(*command, none)
            self.assertEqual(outcome.text,
                             "Process a.sst\n" * (len(command) - 1))
            self.assertEqual(outcome.err, "a.sst: skipped: its properties do "
                             "not match\n" * (len(command) - 1))
        self.assertIn("ok: ", self.run_ok("check", "a.sst").text)

    def test_keys_are_those_that_get_takes(self):
        for name in ("r119-ts.sst", "r119-ts-stripped.sst", "r119-types.sst"):
            path = GOLDEN / name
            keys = self.run_ok("scan", "--output_format=keys", path).out
            lines = keys.splitlines()
            self.assertEqual(len(lines), len(set(lines)), name)
            (self.folder / "keys").write_bytes(keys)
            document = json.loads(self.run_program(
                "get", "--json", "--keys_file=keys", path).out)
            # That of a deletion, if it has no value.
            results = document["files"][0]["results"]
            self.assertTrue(all("type" in found for found in results), name)
            self.assertEqual(len(results), len(lines))
            self.assertGreater(len(lines), 1)

    def test_the_ends_of_ranges_are_as_they_are_stored(self):
        rows = (b"61" + b"00" * 8 + b" 3 15 63" + b"00" * 8 + b"\n"
                b"62" + b"00" * 8 + b" 4 1 76\n")
        self.build("t.sst", rows,
                   "--options=persist_user_defined_timestamps=false",
                   "--comparator=leveldb.BytewiseComparator.u64ts")
        self.assertEqual(
            self.run_ok("scan", "--output_format=canonical", "t.sst").text,
            "62 4 1 76\n61 3 15 63\n")


class KeyOrderTest(CliTest):

    WARNING = ("ashlar: warning: {}: comparator example.BytewiseComparator is "
               "not built in: the order of keys is not checked\n")

    def unknown_order(self):
        """Writes a table whose comparator has an unknown name."""
        self.build("a.sst", numbered_rows(100), "--format_version=5",
                   "--checksum_type=kNoChecksum", "--compression_type=none")
        path = self.folder / "a.sst"
        table = path.read_bytes()
        self.assertEqual(table.count(b"leveldb.BytewiseComparator"), 1)
        path.write_bytes(table.replace(b"leveldb.", b"example."))
        return path

    def test_unknown_order_is_walked_with_a_warning(self):
        path = self.unknown_order()
        rows = self.run_ok("scan", "--output_format=canonical", path)
        self.assertEqual(rows.text.count("\n"), 100)
        for command in ("scan", "check", "verify", "layout", "properties",
                        "space"):
            outcome = self.run_program(command, path)
            self.assertEqual(outcome.code, 0, command)
            self.assertEqual(outcome.err, self.WARNING.format(path))

    def test_unknown_order_refuses_what_needs_it(self):
        path = self.unknown_order()
        for arguments in (["scan", "--from=a"], ["check", "--to=z"],
                          ["scan", "--prefix=a"], ["get", "--key=a"],
                          ["space", "--from=a"], ["overlap"]):
            outcome = self.run_code(2, *arguments, path)
            self.assertIn("Not supported: ", outcome.err)
            self.assertIn("comparator example.BytewiseComparator is not "
                          "built in", outcome.err)

    def test_range_deletions_with_timestamps(self):
        stamp = bytes(8)
        self.build("t.sst", hex_rows([(b"b" + stamp, 0, 15, b"d" + stamp)]),
                   "--comparator=leveldb.BytewiseComparator.u64ts")
        for flag, shown in (("--to=b", 0), ("--to=bb", 1), ("--from=c", 1),
                            ("--from=d", 0), ("--prefix=c", 1),
                            ("--prefix=a", 0), ("--prefix=e", 0)):
            text = self.run_ok("scan", "--quiet", flag, "t.sst").text
            self.assertEqual(text.count("type:15"), shown, flag)

    def test_get_shows_timestamps(self):
        key = b"key".hex()
        newer, older = "09" + "00" * 7, "0200000000000000"
        rows = (f"{key}{newer} 7 1 6e6577\n" f"{key}{older} 3 1 6f6c64\n")
        self.build("t.sst", rows.encode(),
                   "--comparator=leveldb.BytewiseComparator.u64ts")
        text = self.run_ok("get", "--key=key", "--output_hex", "--quiet",
                           "t.sst").text
        self.assertEqual(
            text, f"'{(key + newer).upper()}' seq:7, type:1 => 6E6577\n")
        found = json.loads(self.run_ok("get", "--key=key", "--json",
                                       "t.sst").out)["files"][0]["results"][0]
        self.assertEqual(found["timestamp"], newer)
        self.assertEqual(found["key"], key.upper())


class LimitsTest(CliTest):
    """--max_uncompressed_block applies to every command that reads the file."""

    LIMIT = "--max_uncompressed_block=100"

    def setUp(self):
        super().setUp()
        self.build_once("t.sst", numbered_rows(2000), *forged_table.PLAIN)
        listed = self.run_ok("check", "--list_meta_blocks", "t.sst").text
        place = re.search(r"rocksdb\.properties: (\d+) (\d+)", listed)
        table = (self.folder / "t.sst").read_bytes()
        (self.folder / "a.sst").write_bytes(
            forged_table.with_snappy_properties(table, *map(int, place.groups())))

    def test_commands(self):
        for command in ("check", "scan", "verify", "properties", "layout"):
            self.run_ok(command, "a.sst")
            outcome = self.run_program(command, self.LIMIT, "a.sst")
            self.assertEqual(outcome.code, 1, command)
            self.assertIn("a.sst: Corruption: ", outcome.err)

    def test_what_is_printed_besides(self):
        shown = "# entries: 2000"
        arguments = ["scan", "--show_properties", "a.sst"]
        self.assertIn(shown, self.run_ok(*arguments).text)
        outcome = self.run_code(1, *arguments, self.LIMIT)
        self.assertNotIn(shown, outcome.text)

    def test_property_filter(self):
        exclude = "--exclude_property_regex=# entries: 2000"
        self.assertIn("skipped", self.run_ok("check", exclude, "a.sst").err)
        outcome = self.run_code(1, "check", exclude, self.LIMIT, "a.sst")
        self.assertNotIn("skipped", outcome.err)


class GetTest(CliTest):

    def setUp(self):
        super().setUp()
        self.build_once("a.sst", hex_rows([
            (b"d", 9, 0, b""), (b"d", 5, 1, b"old"), (b"k", 7, 1, b"v"),
            (b"m", 9, 2, b"+2"), (b"m", 8, 2, b"+1"), (b"m", 1, 1, b"0"),
            (b"n", 4, 2, b"+"), (b"s", 2, 7, b"")]))

    def test_text(self):
        for key, expected in (
            ("k", "'k' seq:7, type:1 => v\n"),
            ("d", "'d' seq:9, type:0 => \n"),
            ("s", "'s' seq:2, type:7 => \n"),
            ("n", "'n' seq:4, type:2 => +\n"),
            ("m", "'m' seq:9, type:2 => +2\n'm' seq:8, type:2 => +1\n"
                  "'m' seq:1, type:1 => 0\n"),
        ):
            outcome = self.run_ok("get", "--quiet", f"--key={key}", "a.sst")
            self.assertEqual(outcome.text, expected)
        outcome = self.run_code(1, "get", "--quiet", "--key=x", "--key=k",
                                "--key", "\n", "a.sst")
        self.assertEqual(outcome.text, "'k' seq:7, type:1 => v\n")
        self.assertEqual(outcome.err, "a.sst: NotFound: 'x'\n"
                                      "a.sst: NotFound: '\\x0A'\n")

    def test_ranges(self):
        def keys(*flags, code=0):
            outcome = self.run_program("get", "--json", *flags, "a.sst")
            self.assertEqual(outcome.code, code)
            return "".join(bytes.fromhex(row["key"]).decode() for row in
                           json.loads(outcome.out)["files"][0]["results"])
        # All keys of the table, each once.
        self.assertEqual(keys("--from="), "dkmns")
        self.assertEqual(keys("--from=k", "--to=n"), "km")
        self.assertEqual(keys("--prefix=m"), "m")
        self.assertEqual(keys("--input_key_hex", "--to=6D"), "dk")
        self.assertEqual(keys("--from=x"), "")
        self.assertEqual(
            self.run_ok("get", "--quiet", "--prefix=d", "a.sst").text,
            "'d' seq:9, type:0 => \n")
        # Of the named keys, those in the range.
        named = ["--key=x", "--key=s", "--key=k", "--key=a"]
        self.assertEqual(keys(*named, "--from=k", "--to=t"), "sk")
        self.assertEqual(keys(*named, "--to=b", code=1), "a")
        self.assertEqual(keys(*named, "--prefix=s"), "s")
        self.assert_usage_error("--from and --prefix exclude each other", "get",
                                "--from=a", "--prefix=a", "a.sst")
        (self.folder / "none").write_bytes(b"")
        self.assert_usage_error("--keys_file: no key in none", "get",
                                "--keys_file=none", "--from=a", "a.sst")

    def test_many_keys(self):
        count = 1000
        self.build("b.sst", hex_rows([
            (b"%05d" % (i // 3), 3000 - i, (1, 2)[i % 3 == 0], b"v%d" % i)
            for i in range(3 * count)]), "--block_size=200")
        # Each row is a merge operand and the value below it.
        expected = "".join(
            f"'{i:05}' seq:{3000 - 3 * i}, type:2 => v{3 * i}\n"
            f"'{i:05}' seq:{2999 - 3 * i}, type:1 => v{3 * i + 1}\n"
            for i in range(count))
        self.assertEqual(self.run_ok("get", "--quiet", "--from=", "b.sst").text,
                         expected)
        (self.folder / "keys").write_text(
            "".join(f"{i:05}\n" for i in range(count)))
        get = ["get", "--quiet", "--keys_file=keys"]
        self.assertEqual(self.run_ok(*get, "b.sst").text, expected)
        # A damaged block makes lookups of its own keys fail, and no others.
        self.flip("b.sst", 3000)
        outcome = self.run_code(1, *get, "--max_errors=0", "b.sst")
        failed = outcome.err.count("Corruption: block checksum mismatch")
        self.assertEqual(len(outcome.text.splitlines()), 2 * (count - failed))
        self.assertLess(0, failed)

    def test_keys_file_and_json(self):
        (self.folder / "keys").write_text("6B\n6D\n78")
        outcome = self.run_code(1, "get", "--json", "--input_key_hex",
                                "--keys_file=keys", "a.sst")
        results = json.loads(outcome.out)["files"][0]["results"]
        self.assertEqual([row["key"] for row in results], ["6B", "6D", "78"])
        self.assertEqual([row["found"] for row in results],
                         [True, True, False])
        self.assertEqual(results[0]["type"], "put")
        self.assertEqual(results[0]["seq"], 7)
        self.assertEqual(results[0]["value"], "76")
        self.assertEqual(results[0]["filter"], "maybe")
        self.assertEqual(results[0]["data_blocks_read"], 1)
        self.assertEqual([row["value"] for row in results[1]["operands"]],
                         ["2B32", "2B31"])


if __name__ == "__main__":
    cli.main()
