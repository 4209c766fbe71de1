"""Flags, inputs, outputs and exit codes of the program."""

import json
import os
import re
import shutil
import signal
import subprocess
import unittest

import cli
import forged_table
from cli import (CliTest, GOLDEN, PROGRAM, hex_rows, numbered_rows,
                 take_signals)


class FlagTest(CliTest):

    def test_every_error_text(self):
        self.build_once("a.sst", numbered_rows(3))
        cases = {
            "unknown command 'foo'": ["foo", "a.sst"],
            "unknown command 'bar'": ["--command=bar", "a.sst"],
            "unknown flag --bar": ["--bar", "a.sst"],
            "unknown flag --flagfile": ["--flagfile=x", "a.sst"],
            "unknown flag --fromenv": ["--fromenv=x", "a.sst"],
            "unknown flag --tab_completion_word":
                ["--tab_completion_word", "x"],
            "unknown flag --nofrom": ["--nofrom", "a.sst"],
            "--read_num needs a value": ["check", "a.sst", "--read_num"],
            "--read_num: 'x' is not a whole number from 0 up, or too large":
                ["--read_num=x", "a.sst"],
            "--read_num: '-1' is not a whole number from 0 up, or too large":
                ["--read_num=-1", "a.sst"],
            "--compression_level: '1.5' is not a whole number in range":
                ["build", "--compression_level=1.5", "--out=b.sst"],
            "--bloom_bits: 'many' is not a number":
                ["build", "--bloom_bits=many", "--out=b.sst"],
            "--json: 'maybe' is neither true nor false":
                ["--json=maybe", "a.sst"],
            "--escape: 'x' is none of auto|always|never":
                ["--escape=x", "a.sst"],
            "--version takes no value": ["--version=1"],
            "no input: name a file or a directory": ["scan"],
            "'-': a table cannot be read from standard input": ["scan", "-"],
            "--from and --prefix exclude each other":
                ["scan", "--from=a", "--prefix=b", "a.sst"],
            "--from: '616' is not hexadecimal of even length":
                ["scan", "--input_key_hex", "--from=616", "a.sst"],
            "--to: 'zz' is not hexadecimal of even length":
                ["scan", "--input_key_hex", "--to=zz", "a.sst"],
            "key 'x' is not hexadecimal of even length":
                ["get", "--input_key_hex", "--key=x", "a.sst"],
            "get needs --key, --keys_file or a range": ["get", "a.sst"],
            "--keys_file: cannot read none":
                ["get", "--keys_file=none", "a.sst"],
            "--comparator: 'x' is none of leveldb.BytewiseComparator, "
            "rocksdb.ReverseBytewiseComparator, and these with .u64ts behind":
                ["scan", "--comparator=x", "a.sst"],
            "--output_format=canonical goes with neither --json nor --jsonl":
                ["scan", "--output_format=canonical", "--json", "a.sst"],
            "--json and --jsonl exclude each other":
                ["check", "--json", "--jsonl", "a.sst"],
            "--parse_internal_key: 'x' is not hexadecimal of even length":
                ["--parse_internal_key=x"],
            "--parse_internal_key: an internal key has at least 8 bytes, this "
            "has 1": ["--parse_internal_key=0x61"],
            "no output: --out names the file to make": ["build"],
            "--out: a table cannot go to standard output":
                ["build", "--out=-"],
            "--compression_parallel_threads: '1025' is out of range, expected "
            "at most 1024":
                ["build", "--out=b.sst", "--compression_parallel_threads=1025"],
            "--block_size: '1T' is out of range, expected 1 to 268435456":
                ["build", "--out=b.sst", "--block_size=1T"],
            "--set_block_size: '0' is out of range, expected 1 to 268435456":
                ["recompress", "--set_block_size", "0", "a.sst"],
            "--bloom_bits: 'nan' is out of range, expected 0.5 to 100":
                ["rewrite", "a.sst", "--out=b.sst", "--bloom_bits=nan"],
            "--super_block_alignment_size: '5K' is out of range, expected 0, "
            "or a power of two up to 1073741824":
                ["build", "--out=b.sst", "--super_block_alignment_size=5K"],
            "--compression_type: 'x' is not the name of a codec":
                ["build", "--out=b.sst", "--compression_type=x"],
            "--checksum_type: 'x' is not the name of a checksum":
                ["build", "--out=b.sst", "--checksum_type=x"],
            "--filter=none and --bloom_bits exclude each other":
                ["build", "--out=b.sst", "--filter=none", "--bloom_bits=5"],
            "--filter=none and --ribbon exclude each other":
                ["build", "--out=b.sst", "--filter=none", "--ribbon"],
            "--prefix_extractor: 'x' is not a built-in prefix extractor":
                ["build", "--out=b.sst", "--prefix_extractor=x"],
            "--index_type=hash needs --prefix_extractor":
                ["build", "--out=b.sst", "--index_type=hash"],
            "--partition_filters needs --index_type=partitioned":
                ["build", "--out=b.sst", "--index_type=first_key",
                 "--partition_filters"],
            "--partition_index and --index_type=first_key exclude each other":
                ["build", "--out=b.sst", "--index_type=first_key",
                 "--partition_index"],
            "--metadata_block_size needs --index_type=partitioned":
                ["build", "--out=b.sst", "--metadata_block_size=100"],
            "--decouple_partitioned_filters needs --partition_filters":
                ["build", "--out=b.sst", "--index_type=partitioned",
                 "--nodecouple_partitioned_filters"],
            "--data_block_hash_table_util_ratio needs "
            "--data_block_index_type=hash":
                ["build", "--out=b.sst",
                 "--data_block_hash_table_util_ratio=2"],
            "--super_block_alignment_space_overhead_ratio needs "
            "--super_block_alignment_size":
                ["build", "--out=b.sst",
                 "--super_block_alignment_space_overhead_ratio=4"],
            "--identity: 'x' is not hexadecimal of even length":
                ["build", "--out=b.sst", "--identity=x"],
            "--external goes with --input_format=hex only":
                ["build", "--out=b.sst", "--external"],
            "--key_column and --value_column go with --input_format=csv only":
                ["build", "--out=b.sst", "--key_column=k"],
        }
        for reason, arguments in cases.items():
            with self.subTest(reason):
                self.assert_usage_error(reason, *arguments)
        with self.subTest("SOURCE_DATE_EPOCH"):
            self.assert_usage_error(
                "SOURCE_DATE_EPOCH: 'x' is not a whole number", "build",
                "--out=b.sst", env={"SOURCE_DATE_EPOCH": "x"})
        outcome = self.run_code(2, "scan", "--require_property_regex=(",
                                "a.sst")
        self.assertTrue(
            outcome.err.startswith("ashlar: --require_property_regex: "))
        self.assertEqual(os.listdir(self.folder), ["a.sst"])

    def test_not_supported_places(self):
        self.build_once("a.sst", numbered_rows(3))
        for flag in ("--env_uri=hdfs://x", "--fs_uri=s3://x",
                     "--compression_manager=Mine"):
            outcome = self.run_code(2, "check", flag, "a.sst")
            self.assertIn("ashlar: Not supported: ", outcome.err)
        self.run_ok("check", "--env_uri=file://", "--fs_uri=", "a.sst")

    def test_spellings(self):
        self.build("a.sst", numbered_rows(9))
        expected = self.run_ok("scan", "--from=key000004", "--read_num=2",
                               "--output_hex", "a.sst").out
        self.assertIn(b"'6B6579303030303034' seq:0, type:1 => ", expected)
        self.assertEqual(expected.count(b"=>"), 2)
        flags = ["-from=key000004", "--read_num", "2", "--output_hex=t"]
        for arguments in (
            [*flags, "--command=scan", "--file=a.sst"],
            ["--command", "scan", "--file", "a.sst", *flags],
            ["-command=scan", *flags, "a.sst"],
            ["a.sst", "--command=check", "--command=scan", *flags],
            ["scan", *flags, "--", "a.sst"],
            [*flags, "scan", "a.sst"],
            ["scan", "--read_num=7", "--from=x", *flags, "a.sst"],
        ):
            outcome = self.run_ok(*arguments)
            self.assertEqual(outcome.out, expected, arguments)
        # The last of two contradicting flags applies.
        outcome = self.run_ok("scan", "--output_hex", "--nooutput_hex", "a.sst")
        self.assertIn(b"'key000004'", outcome.out)

    def test_dashes_end_flags(self):
        self.build("-x.sst", numbered_rows(1))
        self.run_ok("check", "--", "-x.sst")

    def test_same_under_the_other_name(self):
        self.build_once("a.sst", numbered_rows(3))
        link = self.folder / "sst_dump"
        os.symlink(PROGRAM, link)
        for command in ("scan", "check", "verify", "properties", "raw"):
            outcome = self.run_ok("--file=a.sst", f"--command={command}",
                                  program=str(link))
            dump = self.folder / "a_dump.txt"
            text = dump.read_bytes() if command == "raw" else b""
            dump.unlink(missing_ok=True)
            ours = self.run_ok(command, "a.sst")
            self.assertEqual(outcome.out, ours.out)
            self.assertEqual(outcome.err, ours.err)
            if command == "raw":
                self.assertEqual(text, dump.read_bytes())
        # As sst_dump: its default command, and its order of arguments.
        self.assertEqual(self.run_ok("--file=a.sst", program=str(link)).out,
                         self.run_ok("check", "a.sst").out)
        self.run_code(2, "--file=none.sst", "--command=verify",
                      program=str(link))

    def test_unused_flags_are_named(self):
        self.build_once("a.sst", numbered_rows(3))
        outcome = self.run_ok("check", "--output_hex", "--out=x", "a.sst")
        self.assertEqual(
            outcome.err,
            "ashlar: warning: 'check' does not use --output_hex\n"
            "ashlar: warning: 'check' does not use --out\n")
        for command, *flags in (
                ("recompress", "--block_align", "--block_restart_interval=4",
                 "--compression_types=kNoCompression"),
                ("raw", "--show_properties"),
                ("diff", "--noverify_checksum", "a.sst")):
            outcome = self.run_program(command, *flags, "a.sst")
            self.assertNotIn("does not use", outcome.err)

    def test_unused_flags_are_errors_where_asked(self):
        self.build_once("a.sst", numbered_rows(3))
        self.assert_usage_error("'check' does not use --output_hex", "check",
                                "--strict_flags", "--output_hex", "a.sst")
        self.run_ok("check", "--strict_flags", "--threads=2", "a.sst")

    def test_parse_internal_key(self):
        outcome = self.run_ok("--parse_internal_key=0x6162010500000000000000")
        self.assertEqual(outcome.text, "key='616201' seq:0, type:5\n")
        outcome = self.run_ok("--parse_internal_key", "610105000000000000")
        self.assertEqual(outcome.text, "key='61' seq:5, type:1\n")


class ThreadsTest(CliTest):

    def test_output_does_not_depend_on_threads(self):
        """Good and damaged files and folders: threads share a file's blocks."""
        (self.folder / "mixed").mkdir()
        for path in sorted((GOLDEN / "bad").glob("*.sst")):
            shutil.copy(path, self.folder / "mixed")
        self.damage_some(self.folder / "mixed")
        files = sorted((self.folder / "mixed").iterdir())
        # The threads and the result of a file do not depend on the other files
        # of a run. Starting the program takes longer than checking a file, so
        # 16 files share a run.
        inputs = [files[at:at + 16] for at in range(0, len(files), 16)]
        inputs += [[self.folder / "mixed"], [GOLDEN]]
        for command in ("check", "verify"):
            for paths in inputs:
                for form in ("--jsonl", "--max_errors=0"):
                    one, eight = (
                        self.run_program(command, form, f"--threads={threads}",
                                         "--readahead_size=2000", *paths)
                        for threads in (1, 8))
                    self.assertEqual(one.out, eight.out, (command, paths))
                    self.assertEqual(one.err, eight.err, (command, paths))
                    self.assertEqual(one.code, eight.code, (command, paths))

    def damage_some(self, folder):
        """Writes files of many blocks with several faults each."""
        for i, name in enumerate(("r119-part-fv7", "r119-comp-zstd-fv6",
                                  "r119-hashsearch-fv7", "peb-zstd",
                                  "r119-embedded", "r119-ts")):
            data = bytearray((GOLDEN / f"{name}.sst").read_bytes())
            for at in range(700 + 100 * i, len(data) - 200, len(data) // 9):
                data[at] ^= 0x40
            (folder / f"{name}.sst").write_bytes(data)


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


class HelpTest(CliTest):

    SPECIFIED = """command file from to prefix input_key_hex output_hex
        read_num verify_checksum show_properties show_summary
        list_meta_blocks decode_blob_index readahead_size block_size
        compression_level compression_max_dict_buffer_bytes
        compression_max_dict_bytes compression_parallel_threads compression_use_zstd_finalize_dict
        compression_zstd_max_train_bytes compression_window_bits
        compression_strategy compression_max_compressed_bytes_per_kb
        compression_checksum optimize_filters_for_memory
        enable_index_compression index_type partition_index partition_filters require_property_regex
        exclude_property_regex env_uri fs_uri compression_manager help version
        json jsonl out quiet strict checksums_only filter_keys max_errors escape progress
        comparator max_uncompressed_block output_format identity creation_time
        format_version compression_type bloom_bits filter checksum_type key
        keys_file input_format sorted on_duplicate memory overwrite external
        key_column value_column block_restart_interval parse_internal_key
        range_dels threads ribbon whole_key_filtering prefix_extractor
        target_rocksdb target_file_size block_size_deviation use_delta_encoding
        data_block_index_type data_block_hash_table_util_ratio
        separate_key_value_in_data_block block_align
        super_block_alignment_size super_block_alignment_space_overhead_ratio
        index_block_restart_interval index_shortening metadata_block_size
        decouple_partitioned_filters compression_types compression_level_from
        compression_level_to verify_compression tmpdir show_sequence_number_type
        filter_probes prefix_separator prefix_length recursive strict_flags
        sample text color top ranges detect_filter_construct_corruption clean
        """.split()
    COMMANDS = """check scan verify identify properties layout get raw
        recompress stats report diff space overlap salvage rewrite build""".split()

    def test_help_names_what_is_specified(self):
        text = self.run_ok("--help").text
        self.assertLessEqual(max(map(len, text.splitlines())), 80)
        flags = re.findall(r"^  --(\w+)", text, re.MULTILINE)
        self.assertEqual(sorted(flags), sorted(self.SPECIFIED))
        commands = text.split("Commands:\n")[1].split("\n\n")[0]
        self.assertEqual(re.findall(r"^  (\w+)", commands, re.MULTILINE),
                         self.COMMANDS)
        for word in ("Exit codes:", "Examples:"):
            self.assertIn(word, text)

    def test_help_of_each_command(self):
        for command in self.COMMANDS:
            text = self.run_ok("help", command).text
            self.assertTrue(text.startswith(f"Usage: ashlar {command} "))
            self.assertLessEqual(max(map(len, text.splitlines())), 80)
            self.assertEqual(self.run_ok(f"--help={command}").text, text)
            self.assertEqual(self.run_ok(command, "--help").text, text)
        self.assert_usage_error("unknown command 'x'", "--help=x")

    def test_version(self):
        text = self.run_ok("--version").text
        self.assertRegex(text, r"^ashlar \d+\.\d+\.\d+\ncompiler: ")
        self.assertIn("codecs: NoCompression, ", text)
        self.assertRegex(text, r"(?m)^codecs: .*, ZSTD \d+\.\d+\.\d+$")
        for line in (r"CRC32C: (sse4\.2|armv8|portable)",
                     r"XXH3: (avx512|avx2|sse2|neon|portable)",
                     r"io_uring: (yes|no)", "format versions written: 2 to 7",
                     "format versions read: 0 to 7"):
            self.assertRegex(text, f"(?m)^{line}$")
        document = json.loads(self.run_ok("--version", "--json").text)
        for codec, version in document["codec_versions"].items():
            self.assertIn(f"{codec} {version}", text)
        self.assertIn(f"\nXXH3: {document['xxh3']}\n", text)
        self.assertEqual(document["schema"], "ashlar/1")
        self.assertIn("NoCompression", document["codecs"])


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
            "Process a.sst\nSst file format: block-based\nfrom [] to []\n")

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


class JsonTest(CliTest):

    def test_every_command(self):
        self.build("a.sst", numbered_rows(500))
        (self.folder / "bad.sst").write_bytes(b"x" * 300)
        for command in HelpTest.COMMANDS:
            if command in ("diff", "salvage", "rewrite", "build"):
                continue  # each has a test of its own
            flags = ["--key=key000001"] if command == "get" else []
            outcome = self.run_code(2, command, "--json", *flags, "a.sst",
                                    "bad.sst", "none.sst")
            document = json.loads(outcome.out)
            self.assertEqual(document["schema"], "ashlar/1")
            self.assertEqual(document["command"], command)
            good, bad, absent = document["files"]
            self.assertEqual(good["status"], "ok")
            self.assertEqual(good["errors"], [])
            self.assertEqual(good["format_version"], 6)
            self.assertEqual(good["readable_by_rocksdb"], "8.6")
            self.assertEqual(bad["status"], "not_sst")
            self.assertGreaterEqual(bad["errors_total"], 1)
            self.assertEqual(bad["errors"][0]["code"], "Corruption")
            self.assertEqual(absent["errors"][0]["code"], "IO error")
            self.assertEqual(document["summary"]["files"], 3)
            lines = self.run_program(command, "--jsonl", *flags, "a.sst",
                                     "bad.sst").out.splitlines()
            for line in lines:
                json.loads(line)
            self.assertIn("summary", json.loads(lines[-1]))

    def test_scan(self):
        self.build("a.sst", hex_rows([(b"k\xff", 3, 1, b"v"),
                                      (b"l", 2, 7, b"")]))
        entries = [
            {"key": "6BFF", "seq": 3, "type": "put", "value": "76"},
            {"key": "6C", "seq": 2, "type": "single_delete", "value": ""}]
        document = json.loads(self.run_ok("scan", "--json", "a.sst").out)
        self.assertEqual(document["files"][0]["entries"], entries)
        self.assertEqual(document["summary"]["entries"], 2)
        lines = self.run_ok("scan", "--jsonl", "a.sst").out.splitlines()
        self.assertEqual([json.loads(line) for line in lines[2:4]], entries)
        self.assertEqual(
            self.run_ok("scan", "--output_format=jsonl", "a.sst").out,
            b"\n".join(lines) + b"\n")

    def test_scan_with_text(self):
        rows = [(b"a", 3, 1, "\u00e9\n\"".encode()), (b"b\xff", 2, 1, b"v"),
                (b"c", 1, 1, b"\xff"), (b"d", 1, 15, b"e")]
        self.build("a.sst", hex_rows(rows))
        lines = self.run_ok("scan", "--jsonl", "--text", "a.sst").out
        found = [json.loads(line) for line in lines.splitlines()[2:-2]]
        self.assertEqual([(row.get("key_text"), row.get("value_text"))
                          for row in found],
                         [("a", "\u00e9\n\""), (None, "v"), ("c", None),
                          ("d", "e")])
        # It is an additional member: without it nothing else changes.
        for row in found:
            row.pop("key_text", None)
            row.pop("value_text", None)
        document = json.loads(self.run_ok("scan", "--json", "a.sst").out)
        self.assertEqual(document["files"][0]["entries"], found)
        self.assert_usage_error("--text goes with --json or --jsonl", "scan",
                                "--text", "a.sst")

    def test_names_that_are_no_utf8(self):
        name = b"t\xff\xc3\xa9\".sst"
        path = os.path.join(os.fsencode(self.folder), name)
        os.rename(self.folder / self.build("a.sst", numbered_rows(1)), path)
        outcome = self.run_ok("check", "--json", os.fsdecode(name))
        self.assertEqual(json.loads(outcome.out)["files"][0]["path"],
                         "t\ufffd\u00e9\".sst")

    def test_interrupted(self):
        self.build_once("a.sst", numbered_rows(20000))
        # The program blocks on the full pipe until the signal is sent.
        with subprocess.Popen([PROGRAM, "scan", "--json", "a.sst", "a.sst"],
                              stdout=subprocess.PIPE, cwd=self.folder,
                              preexec_fn=take_signals) as run:
            head = run.stdout.read(1)
            run.send_signal(signal.SIGINT)
            document = json.loads(head + run.stdout.read())
            self.assertEqual(run.wait(), 130)
        self.assertIs(document["interrupted"], True)
        self.assertEqual(document["exit_code"], 130)
        summary = document["summary"]
        self.assertEqual([summary[name] for name in ("files", "ok", "failed")],
                         [1, 0, 0])
        self.assertEqual(document["files"][0]["status"], "skipped")

    def test_two_interruptions_end_it(self):
        self.build_once("a.sst", numbered_rows(20000))
        with subprocess.Popen([PROGRAM, "scan", "a.sst", "a.sst"],
                              stdout=subprocess.PIPE, cwd=self.folder,
                              preexec_fn=take_signals) as run:
            run.stdout.read(1)
            # Nothing reads the pipe any more, so one signal would not end the
            # program.
            run.send_signal(signal.SIGINT)
            run.send_signal(signal.SIGTERM)
            self.assertIn(run.wait(300), (-signal.SIGINT, -signal.SIGTERM))

    def test_what_the_parent_ignores(self):
        self.build_once("a.sst", numbered_rows(20000))
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with subprocess.Popen(
                    [PROGRAM, "scan", "a.sst"], stdout=subprocess.PIPE,
                    cwd=self.folder, preexec_fn=lambda: signal.signal(
                        number, signal.SIG_IGN)) as run:
                head = run.stdout.read(1)
                run.send_signal(number)
                rows = (head + run.stdout.read()).splitlines()
                self.assertEqual(run.wait(), 0)
            self.assertGreaterEqual(len(rows), 20000)

    def test_pipes_that_nobody_reads(self):
        self.build_once("a.sst", numbered_rows(20000))
        with subprocess.Popen([PROGRAM, "scan", "a.sst"], cwd=self.folder,
                              stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as run:
            run.stdout.read(1)
            run.stdout.close()
            self.assertEqual((run.stderr.read(), run.wait()), (b"", 2))
        reader, writer = os.pipe()
        os.close(reader)
        try:
            for command in ("rewrite", "salvage", "raw"):
                run = subprocess.run(
                    [PROGRAM, command, "--progress=always", "--out=b",
                     "a.sst"], cwd=self.folder, stdout=subprocess.DEVNULL,
                    stderr=writer, check=False)
                self.assertEqual(run.returncode, 0, command)
                self.assertEqual(sorted(os.listdir(self.folder)),
                                 ["a.sst", "b"])
                (self.folder / "b").unlink()
        finally:
            os.close(writer)

    def test_interrupted_commands_leave_nothing_and_say_how_far(self):
        self.build("a.sst", numbered_rows(300000))
        # The name is so long that the progress lines fill the pipe. So the
        # program waits, and cannot finish before the signal.
        name = "./" * 1900 + "a.sst"
        for number, *command in (
                (signal.SIGINT, "rewrite", "--out=b.sst"),
                (signal.SIGTERM, "raw", "--out=b.txt"),
                (signal.SIGHUP, "salvage", "--out=b.sst"),
                (signal.SIGINT, "recompress")):
            with subprocess.Popen(
                    [PROGRAM, *command, "--progress=always", name],
                    stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                    cwd=self.folder, preexec_fn=take_signals) as run:
                head = run.stderr.read(1)
                run.send_signal(number)
                text = (head + run.stderr.read()).decode()
                self.assertEqual(run.wait(), 130, command)
            self.assertRegex(
                text, r"\nashlar: interrupted in file 1 of 1, .*a\.sst, after "
                      r"about [1-9]?[0-9] % of it\n$")
            self.assertEqual(os.listdir(self.folder), ["a.sst"])


if __name__ == "__main__":
    cli.main()
