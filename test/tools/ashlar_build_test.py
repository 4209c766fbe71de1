"""`ashlar build`: each input format, each error, and equal bytes."""

import json
import os
import re
import signal
import subprocess
import unittest

import cli
from cli import CliTest, PROGRAM, hex_rows, numbered_rows


class BuildTest(CliTest):

    def canonical(self, name):
        return self.run_ok("scan", "--output_format=canonical", name).out

    def entries(self, name):
        return [(bytes.fromhex(key), bytes.fromhex(value))
                for key, _, _, value in
                (row.split(" ") for row in
                 self.canonical(name).decode().splitlines())]

    def build_text(self, rows, *flags):
        outcome = self.run_ok("build", "--out=t.sst", "--overwrite", *flags,
                              stdin=rows)
        self.assertRegex(
            outcome.err, r"\Awrote t\.sst: \d+ entries, \d+ bytes, "
            r"ratio \d+\.\d\d, \d+\.\d\d s, \d+\.\d MB/s\n"
            r"(rows read: \d+, duplicates left out: \d+, bad rows skipped: 0"
            r"\n)?\Z")
        self.assertEqual(outcome.out, b"")
        return self.entries("t.sst")

    def assert_refused(self, message, rows, *flags):
        outcome = self.run_code(2, "build", "--out=t.sst", *flags, stdin=rows)
        said, *hints = outcome.err.splitlines()
        self.assertEqual(said, message)
        if "Not supported" not in said:  # which a change of a row cannot fix
            self.assertRegex(*hints, "^ashlar: hint: ")
        self.assertEqual(outcome.out, b"")
        self.assertEqual(os.listdir(self.folder), [])

    def test_tsv(self):
        self.assertEqual(
            self.build_text(b"\\x00\\xFf\t\\t\\n\\r\\\\\na\t\nb\t\nc\t1 2"),
            [(b"\x00\xff", b"\t\n\r\\"), (b"a", b""), (b"b", b""),
             (b"c", b"1 2")])
        self.assertEqual(self.build_text(b"\t\n"), [(b"", b"")])

    def test_csv(self):
        self.assertEqual(
            self.build_text(b'a,1\r\n"b\n,""",2\r\nc,\nd,""',
                            "-input_format", "csv", "--noheader"),
            [(b"a", b"1"), (b'b\n,"', b"2"), (b"c", b""), (b"d", b"")])
        self.assertEqual(
            self.build_text(b"v,x,k\n1,2,a\n3,4,b\n", "--input_format=csv",
                            "--key_column=k", "--value_column=v"),
            [(b"a", b"1"), (b"b", b"3")])

    def test_hex(self):
        hex_format = "--input_format=hex"
        rows = b"6b 5 1 76\n6b 4 0 \n6B 3 2 00ff\n6C 0 7 \n"
        self.run_ok("build", hex_format, "--out=t.sst", stdin=rows)
        self.assertEqual(self.canonical("t.sst"), rows.lower())
        (self.folder / "t.sst").unlink()
        for message, row in (
            ("expected hex(key) SPACE seq SPACE type SPACE hex(value)",
             b"6b 5 1"),
            ("expected hex(key) SPACE seq SPACE type SPACE hex(value)",
             b"6b 5 1  "),
            ("column 1: key is not hexadecimal of even length", b"6 5 1 76"),
            ("column 4: value is not hexadecimal of even length", b"6b 5 1 7z"),
            ("column 2: sequence is not a number from 0 to 2^56 - 1", b"6b x 1 "),
            ("column 2: sequence is not a number from 0 to 2^56 - 1",
             b"6b 72057594037927936 1 "),
            ("column 3: type is not a number from 0 to 255", b"6b 1 256 "),
        ):
            self.assert_refused(f"-:1: {message}", row, hex_format)
        self.assert_refused(
            "-:1: sequence number 5, expected 0: the file is for ingestion",
            b"6b 5 1 76\n", hex_format, "--external")
        self.assert_refused(
            "-:1: a deletion must have no value if the file is for ingestion",
            b"6b 0 0 76\n", hex_format, "--external")
        self.assert_refused(
            "-:1: Not supported: entries of type 17 cannot be in a file for "
            "ingestion",
            b"6b 0 17 76\n", hex_format, "--external")
        self.assert_refused(
            "-:1: bad wide-column entity: column 0 does not fit",
            b"6b 0 22 0101\n", hex_format, "--external")
        for kind, value, reason in (
            (3, b"76", "a value type that a table cannot hold"),
            (15, b"6a", "is not smaller than its end"),
            (0, b"76", "is a deletion, and has a value"),
            (20, b"76", "is a deletion, and has a value"),
        ):
            outcome = self.run_code(
                2, "build", hex_format, "--out=t.sst",
                stdin=b"6a 9 1 \n6b 5 %d %s\n" % (kind, value))
            self.assertTrue(outcome.err.startswith("-:2: "), outcome.err)
            self.assertIn(reason, outcome.err)
            self.assertEqual(os.listdir(self.folder), [])

    def test_every_type_comes_back(self):
        hex_format = "--input_format=hex"
        rows = (b"61 9 1 76\n61 8 0 \n62 9 2 76\n62 8 7 \n63 9 17 0001\n"
                b"64 9 18 76\n65 9 20 \n66 9 22 0101000176\n"
                b"67 9 24 760100000000000000\n"
                b"64 5 15 66\n61 3 15 7a\n61 7 15 7a\n")
        self.run_ok("build", hex_format, "--out=t.sst", stdin=rows)
        self.assertEqual(self.canonical("t.sst"), rows)
        self.run_ok("check", "t.sst")
        self.run_ok("verify", "t.sst")
        # Range deletions may be anywhere among the rows and need no order.
        lines = rows.splitlines(keepends=True)
        mixed = b"".join(lines[9:] + lines[:9])
        self.run_ok("build", hex_format, "--out=u.sst", stdin=mixed)
        self.assertEqual(self.canonical("u.sst"), rows)
        self.run_ok("build", hex_format, "--nosorted", "--out=v.sst",
                    stdin=b"".join(reversed(lines[:9])) + b"".join(lines[9:]))
        self.assertEqual(self.canonical("v.sst"), rows)
        layout = self.run_ok("layout", "t.sst").text
        self.assertEqual(
            len(re.findall(r"(?m)^ *\d+ +\d+ +range-del ", layout)), 1)
        text = self.run_ok("properties", "t.sst").text
        self.assertIn("# range deletions: 3\n", text)
        self.assertIn("# deletions: 6\n", text)
        self.assertIn("# entries: 12\n", text)

    def test_scan_shows_range_deletions(self):
        rows = b"62 9 1 76\n64 5 15 66\n61 7 15 63\n"
        self.run_ok("build", "--input_format=hex", "--out=t.sst", stdin=rows)
        points = "'b' seq:9, type:1 => v\n"
        first = "'d' seq:5, type:15 => f\n"
        second = "'a' seq:7, type:15 => c\n"
        for flags, expected in (
            ([], points + first + second),
            (["--norange_dels"], points),
            (["--from=c"], first),
            (["--to=d"], points + second),
            (["--prefix=e"], first),
            (["--prefix=b"], points + second),
            (["--read_num=1"], points),
        ):
            outcome = self.run_ok("scan", "--quiet", *flags, "t.sst")
            self.assertEqual(outcome.text, expected, flags)
        printed = self.run_ok("scan", "--json", "t.sst").out
        entries = json.loads(printed)["files"][0]["entries"]
        self.assertEqual([entry["type"] for entry in entries],
                         ["put", "range_delete", "range_delete"])
        printed = self.run_ok("scan", "--jsonl", "t.sst").out
        self.run_ok("build", "--input_format=jsonl", "--out=u.sst",
                    stdin=printed)
        self.assertEqual(self.canonical("u.sst"), rows)

    def test_get_knows_range_deletions_and_entities(self):
        rows = (b"61 9 1 76\n62 3 1 76\n"
                b"63 9 22 010200010161017669\n61 5 15 63\n")
        self.run_ok("build", "--input_format=hex", "--out=t.sst", stdin=rows)
        text = self.run_ok("get", "--quiet", "--key=a", "--key=b", "--key=bb",
                           "--key=c", "t.sst").text
        self.assertEqual(text, "'a' seq:9, type:1 => v\n"
                         "'b' seq:5, type:15 => \n'bb' seq:5, type:15 => \n"
                         "'c' seq:9, type:22 => :v a:i\n")
        outcome = self.run_ok("get", "--json", "--key=c", "t.sst")
        result = json.loads(outcome.out)["files"][0]["results"][0]
        self.assertEqual(result["value"], "76")
        self.assertEqual(result["columns"], [
            {"name": "", "value": "76"}, {"name": "61", "value": "69"}])

    def test_jsonl(self):
        jsonl = "--input_format=jsonl"
        self.run_ok("build", jsonl, "--out=t.sst", stdin=(
            b'{"key":"6b","value":"FF","seq":5,"type":"merge"}\n'
            b'{"key_text":"l\\u00e9","value_text":"x","type":1,"seq":3}\n'
            b'{"key_text":"m","value":""}\n'))
        self.assertEqual(self.canonical("t.sst"),
                         b"6b 5 2 ff\n6cc3a9 3 1 78\n6d 0 1 \n")
        printed = self.run_ok("scan", "--jsonl", "t.sst").out
        self.run_ok("build", jsonl, "--out=u.sst", stdin=printed)
        self.assertEqual(self.canonical("u.sst"), self.canonical("t.sst"))
        for name in os.listdir(self.folder):
            (self.folder / name).unlink()
        self.assert_refused("-:2: this row has a seq, but the first row has "
                            "none",
                            b'{"key":"6b","value":""}\n{"key":"6c","value":"","seq":1}\n',
                            jsonl)

    def test_order(self):
        self.assert_refused(
            "-:3: key 'a' belongs before 'b\\x0A' at -:2", b"A\t\nb\\n\t\na\t\n")
        self.assert_refused(
            "-:2: key 'a' comes twice, first at -:1", b"a\t1\na\t2\n")
        self.assert_refused(
            "-:2: key 'a' belongs before 'b' at -:1", b"b\t\na\t\n", "--on_duplicate=last")
        rows = b"b\t1\na\t2\nb\t3\na\t4\n"
        for rule, values in (("first", b"21"), ("last", b"43")):
            expected = [(b"a", values[:1]), (b"b", values[1:])]
            flag = f"--on_duplicate={rule}"
            self.assertEqual(self.build_text(rows, "--nosorted", flag),
                             expected)
            rows_in_order = b"".join(sorted(rows.splitlines(True)))
            self.assertEqual(self.build_text(rows_in_order, flag), expected)
        (self.folder / "t.sst").unlink()
        self.assert_refused(
            "-:4: key 'a' comes twice, first at -:2", rows, "--nosorted")

    def test_several_inputs(self):
        (self.folder / "one").write_bytes(b"a\t\nb\t")
        (self.folder / "two").write_bytes(b"b\t\n")
        outcome = self.run_code(2, "build", "--out=t.sst", "one", "two")
        self.assertEqual(
            outcome.err, "two:1: key 'b' comes twice, first at one:2\n"
            "ashlar: hint: --on_duplicate=first or last keeps one of the rows\n")
        self.run_ok("build", "--out=t.sst", "one", "-", stdin=b"c\t\n")
        self.assertEqual([key for key, _ in self.entries("t.sst")],
                         [b"a", b"b", b"c"])
        outcome = self.run_code(2, "build", "--out=u.sst", "one", "none")
        self.assertRegex(outcome.err, r"\Anone: IO error: .*No such file")
        self.assertNotIn("u.sst", os.listdir(self.folder))

    def test_existing_file_is_kept(self):
        out = self.folder / "t.sst"
        out.write_bytes(b"mine")
        outcome = self.run_code(2, "build", "--out=t.sst", stdin=b"a\t\n")
        self.assertEqual(outcome.err,
                         "ashlar: t.sst exists; --overwrite replaces it\n")
        # A failed build with --overwrite does not change the file either.
        self.run_code(2, "build", "--out=t.sst", "--overwrite",
                      stdin=b"b\t\na\t\n")
        self.assertEqual(out.read_bytes(), b"mine")
        self.assertEqual(os.listdir(self.folder), ["t.sst"])
        self.run_ok("build", "--out=t.sst", "--overwrite", stdin=b"a\t\n")

    def test_places_and_options_that_fail(self):
        for flag in ("--out=none/t.sst", "--out=/dev/null/t.sst"):
            outcome = self.run_code(2, "build", flag, stdin=b"a\t\n")
            self.assertIn("IO error: ", outcome.err)
        # One flag alone is refused by name, before anything is done. What the
        # library finds wrong with several options is a fault of the output.
        out_of_range = {"--format_version=9": "2 to 7",
                        "--bloom_bits=1000": "0.5 to 100",
                        "--block_restart_interval=0": "1 or more",
                        "--block_size=0": "1 to 268435456"}
        for flag, expected in out_of_range.items():
            name, value = flag.split("=")
            self.assert_usage_error(
                f"{name}: '{value}' is out of range, expected {expected}",
                "build", "--out=t.sst", flag, stdin=b"a\t\n")
        for flag in ("--super_block_alignment_size=4096",
                     "--compression_type=xpress"):
            outcome = self.run_program("build", "--out=t.sst", flag,
                                       stdin=b"a\t\n")
            self.assertEqual(outcome.code, 2, flag)
            self.assertTrue(outcome.err.startswith("t.sst: "), outcome.err)
        self.assertEqual(os.listdir(self.folder), [])

    def test_filters(self):
        rows = numbered_rows(3000)
        for flags, policy in ((["--ribbon"], "ribbonfilter"),
                              (["--filter=ribbon", "--bloom_bits=5"],
                               "ribbonfilter"),
                              (["--prefix_extractor=rocksdb.FixedPrefix.5"],
                               "bloomfilter"),
                              (["--prefix_extractor=rocksdb.CappedPrefix.4",
                                "--nowhole_key_filtering", "--ribbon"],
                               "ribbonfilter")):
            self.build("t.sst", rows, "--overwrite", *flags)
            self.run_ok("verify", "t.sst")
            shown = self.run_ok("properties", "t.sst").text
            self.assertIn(f"filter policy name: {policy}\n", shown)
            for flag in flags:
                if flag.startswith("--prefix_extractor="):
                    name = flag.split("=")[1]
                    self.assertIn(f"prefix extractor name: {name}\n", shown)

    def test_index_types(self):
        rows = numbered_rows(3000)
        prefix = "--prefix_extractor=rocksdb.CappedPrefix.4"
        forms = ((0, []), (0, ["--index_type=binary"]),
                 (1, ["--index_type=hash", prefix]),
                 (2, ["--index_type=partitioned"]),
                 (2, ["--partition_index"]),
                 (2, ["--index_type=partitioned", "--partition_index"]),
                 (3, ["--index_type=first_key"]))
        names = [self.build(f"{number}.sst", rows, *flags)
                 for number, (_, flags) in enumerate(forms)]
        self.assert_round_trip(names, rows)
        shown = self.run_ok("properties", *names).text
        self.assertEqual(
            re.findall("(?m)^  # rocksdb.block.based.table.index.type: (.*)$",
                       shown),
            [f"0x{number:02x}000000" for number, _ in forms])
        for name, (number, flags) in zip(names, forms):
            with self.subTest(flags):
                listed = self.run_ok("scan", "--read_num=1",
                                     "--list_meta_blocks", name).text
                self.assertEqual(number == 1,
                                 "rocksdb.hashindex.prefixes" in listed)

    def test_no_rows(self):
        outcome = self.run_code(2, "build", "--out=t.sst")
        self.assertTrue(outcome.err.startswith("t.sst: Invalid argument: "))
        self.assertEqual(os.listdir(self.folder), [])
        self.run_ok("build", "--out=t.sst", "--input_format=hex")
        self.assertEqual(self.canonical("t.sst"), b"")

    def test_equal_bytes(self):
        rows = numbered_rows(3000)
        flags = ["--identity=00ff", "--creation_time=1700000000"]
        self.build("a.sst", rows, *flags)
        self.build("b.sst", self.canonical("a.sst"), *flags)
        first = (self.folder / "a.sst").read_bytes()
        self.assertEqual((self.folder / "b.sst").read_bytes(), first)
        epoch = {"SOURCE_DATE_EPOCH": "1700000000"}
        self.run_ok("build", "--input_format=hex", "--out=c.sst", flags[0],
                    stdin=rows, env=epoch)
        self.assertEqual((self.folder / "c.sst").read_bytes(), first)
        self.build("d.sst", rows, "--identity=00fe", flags[1])
        self.assertNotEqual((self.folder / "d.sst").read_bytes(), first)
        self.run_ok("build", "--input_format=hex", "--out=e.sst", stdin=rows,
                    env=epoch)
        self.assertIn("file creation time: 1700000000\n",
                      self.run_ok("properties", "e.sst").text)

    def test_round_trip_of_each_form(self):
        rows = numbered_rows(2000, value_size=60)
        names = [
            self.build(f"{version}-{codec}", rows,
                       f"--format_version={version}",
                       f"--compression_type={codec}",
                       f"--checksum_type={version % 5}")
            for version in range(2, 8)
            for codec in ("none", "snappy", "zlib", "bzip2", "lz4", "lz4hc",
                          "zstd")]
        self.assert_round_trip(names, rows)

    def assert_round_trip(self, names, rows):
        """Builds and scans many tables at once, since a start takes longer."""
        lines = rows.decode().splitlines()
        for name, found in zip(names, self.scan_each(names)):
            self.assertEqual(found, lines, name)
        self.run_ok("check", *names)
        self.run_ok("verify", *names)

    def test_dictionaries(self):
        rows = numbered_rows(3000, value_size=60)
        made = {}
        for codec in ("snappy", "zlib", "bzip2", "lz4", "lz4hc", "zstd"):
            for flags in ((), ("--compression_zstd_max_train_bytes=100000",),
                          ("--compression_zstd_max_train_bytes=100000",
                           "--compression_use_zstd_finalize_dict"),
                          ("--compression_max_dict_buffer_bytes=20000",)):
                trains = any("zstd" in flag for flag in flags)
                if codec in ("snappy", "bzip2") or (trains and codec != "zstd"):
                    outcome = self.run_code(
                        2, "build", "--out=n.sst",
                        f"--compression_type={codec}",
                        "--compression_max_dict_bytes=4000", *flags,
                        stdin=b"a\t\n")
                    self.assertIn("does nothing with --compression_type=" +
                                  codec, outcome.err)
                    continue
                made[codec, flags] = self.build(
                    f"{len(made)}.sst", rows, "--block_size=500",
                    f"--compression_type={codec}",
                    "--compression_max_dict_bytes=4000", *flags)
        names = list(made.values())
        self.assert_round_trip(names, rows)
        dictionaries = {}
        for form, blocks in zip(made, self.layout_of_each(names)):
            found = [block for block in blocks
                     if block["kind"] == "dictionary"]
            self.assertEqual(len(found), 1)
            self.assertTrue(found[0]["ok"])
            begin = found[0]["offset"]
            dictionaries[form] = (self.folder / made[form]).read_bytes()[
                begin:begin + found[0]["size"]]
        # Raw, trained, finalised, and raw of fewer blocks.
        self.assertEqual(
            len({dictionary for (codec, _), dictionary in dictionaries.items()
                 if codec == "zstd"}), 4)
        outcome = self.run_code(
            2, "build", "--out=u.sst", "--compression_zstd_max_train_bytes=9",
            stdin=b"a\t\n")
        self.assertIn("needs --compression_max_dict_bytes", outcome.err)

    def test_codec_options(self):
        rows = numbered_rows(2000)

        def size(*flags):
            self.build("c.sst", rows, "--identity=01", "--overwrite", *flags)
            return (self.folder / "c.sst").stat().st_size

        def options():
            text = self.run_ok("properties", "c.sst").text
            return next(line for line in text.splitlines()
                        if "SST file compression options" in line)

        plain = size("--compression_type=zlib", "--block_size=65536")
        small = size("--compression_type=zlib", "--block_size=65536",
                     "--compression_window_bits=-9",
                     "--compression_strategy=2")
        self.assertGreater(small, plain)
        self.assertIn("window_bits=-9; ", options())
        self.assertIn("strategy=2; ", options())
        size("--compression_type=zstd", "--compression_checksum",
             "--compression_max_compressed_bytes_per_kb=0")
        self.assertIn("max_compressed_bytes_per_kb=0; checksum=1; ", options())
        outcome = self.run_code(
            2, "build", "--out=d.sst", "--compression_type=zlib",
            "--compression_window_bits=-15", stdin=b"a\tb\n")
        self.assertIn("--compression_window_bits: '-15' is out of range, "
                      "expected -14 to -9\n", outcome.err)

    def test_filters_that_fit_memory(self):
        sizes = []
        for flag in ("--nooptimize_filters_for_memory",
                     "--optimize_filters_for_memory"):
            self.build("f.sst", numbered_rows(3000), "--overwrite", flag)
            blocks = json.loads(self.run_ok("layout", "--json", "f.sst").out)
            sizes += [block["size"] for block in blocks["files"][0]["blocks"]
                      if block["kind"] == "filter"]
        # 3750 bytes of filter; a piece of 4096, minus both trailers.
        self.assertEqual(sizes, [3776 + 5, 4032 + 5])

    def test_versions_of_a_key(self):
        rows = hex_rows([(b"k", 9, 1, b"new"), (b"k", 5, 1, b"old"),
                         (b"k", 5, 0, b"")])
        self.build("t.sst", rows)
        self.assertEqual(self.canonical("t.sst"), rows)
        outcome = self.run_code(2, "build", "--input_format=hex",
                                "--out=u.sst", stdin=b"6b 5 1 \n6b 9 1 \n")
        self.assertIn("-:2: key 'k' belongs before 'k' at -:1", outcome.err)
        self.run_ok("build", "--input_format=hex", "--out=u.sst",
                    "--nosorted", stdin=b"6b 5 1 \n6b 9 1 \n")
        self.assertEqual(self.canonical("u.sst"), b"6b 9 1 \n6b 5 1 \n")

    def test_json(self):
        outcome = self.run_ok("build", "--json", "--out=t.sst",
                              stdin=b"a\t1\nb\t2\n")
        document = json.loads(outcome.out)
        self.assertEqual(outcome.err, "")
        file = document["files"][0]
        self.assertEqual((file["path"], file["num_entries"], file["status"]),
                         ("t.sst", 2, "ok"))
        self.assertEqual(file["size"],
                         (self.folder / "t.sst").stat().st_size)
        outcome = self.run_code(2, "build", "--json", "--out=u.sst",
                                stdin=b"b\t\na\t\n")
        document = json.loads(outcome.out)
        self.assertEqual(document["exit_code"], 2)
        self.assertEqual(document["files"][0]["errors"][0]["code"],
                         "Invalid argument")

    def test_interrupted(self):
        with subprocess.Popen(
                [PROGRAM, "build", "--out=t.sst", "--json"],
                cwd=self.folder, stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, preexec_fn=cli.take_signals) as run:
            # More than a pipe holds, so the program has begun to read.
            run.stdin.write(b"".join(b"%09d\t\n" % i for i in range(100000)))
            run.stdin.flush()
            run.send_signal(signal.SIGINT)
            run.stdin.close()
            document = json.loads(run.stdout.read())
            self.assertEqual(run.wait(), 130)
        self.assertIs(document["interrupted"], True)
        self.assertEqual(os.listdir(self.folder), [])

    def test_threads_change_nothing_in_the_file(self):
        rows = b"".join(b"%08d\tvalue %d\n" % (i, i * i)
                        for i in range(60000))
        files = set()
        for threads in (1, 2, 0, 5, 1024):
            self.run_ok(
                "build", "--quiet", "--out=t.sst", "--overwrite",
                "--identity=00", f"--compression_parallel_threads={threads}",
                stdin=rows)
            files.add((self.folder / "t.sst").read_bytes())
        self.assertEqual(len(files), 1)

    def test_levels_of_codecs_without_levels(self):
        for number, (codec, level, refused) in enumerate((
                ("none", 5, True), ("none", 32767, False),
                ("snappy", 0, True), ("bzip2", 0, True), ("zlib", 9, False),
                ("kLZ4HCCompression", 12, False), ("zstd", 5, False))):
            command = ["build", "--quiet", f"--out={number}.sst",
                       f"--compression_type={codec}",
                       f"--compression_level={level}"]
            if refused:
                self.assert_usage_error(
                    "--compression_level does nothing with "
                    f"--compression_type={codec}: it is for zlib, lz4, lz4hc "
                    "and zstd", *command, stdin=b"a\t\n")
            else:
                self.run_ok(*command, stdin=b"a\t\n")


if __name__ == "__main__":
    cli.main()
