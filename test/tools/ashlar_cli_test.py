"""Flags, help, JSON and exit codes of the program."""

import json
import os
import re

import cli
from cli import CliTest, PROGRAM, ROOT, hex_rows, numbered_rows


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
            "unknown flag --nofrom; did you mean --from?":
                ["--nofrom", "a.sst"],
            "unknown flag --limt; did you mean --limit?": ["--limt=3", "a.sst"],
            "unknown flag --compresion_tpye; did you mean --compression_type?":
                ["build", "--compresion_tpye=zstd"],
            "unknown command 'scna'; did you mean 'scan'?": ["scna", "a.sst"],
            "unknown command 'verfy'; did you mean 'verify'?":
                ["help", "verfy"],
            "unknown flag --x": ["-x", "a.sst"],
            "get needs --key, --keys_file or a range; did you mean "
            "--key='key000001'?": ["get", "a.sst", "key000001"],
            "get needs --key, --keys_file or a range": ["get", "a.sst"],
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
            "--min_blob_size needs --embedded_blobs":
                ["build", "--out=b.sst", "--min_blob_size=4"],
            "--identity: 'x' is not hexadecimal of even length":
                ["build", "--out=b.sst", "--identity=x"],
            "--external goes with --input_format=hex only":
                ["build", "--out=b.sst", "--external"],
            "--header goes with --input_format=csv and tsv only":
                ["build", "--out=b.sst", "--input_format=hex", "--header"],
            "--crlf goes with --input_format=tsv and hex only: in csv, CR LF "
            "always ends a line":
                ["build", "--out=b.sst", "--input_format=csv", "--crlf"],
            "--bad_rows needs --max_bad_rows":
                ["build", "--out=b.sst", "--bad_rows=x"],
            "--bad_rows is a file that --out makes":
                ["build", "--out=x", "--max_bad_rows=1", "--bad_rows=x"],
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
            outcome = self.run_code(1, "check", "--nostrict", "--json", flag,
                                    "a.sst")
            self.assertEqual(json.loads(outcome.out)["exit_code"], 1)
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
            # What only the program's own form has.
            verdict = b"ok: 3 entries\n" if command == "check" else b""
            self.assertEqual(outcome.out + verdict, ours.out)
            self.assertEqual(outcome.err, ours.err)
            if command == "raw":
                self.assertEqual(text, dump.read_bytes())
        # As sst_dump: its default command, and its order of arguments.
        self.assertEqual(self.run_ok("--file=a.sst", program=str(link)).out,
                         self.run_ok("--command=check", "a.sst").out)
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

    def test_unused_flags_change_nothing(self):
        """The commands share code that reads these flags."""
        self.build_once("a.sst", numbered_rows(300))
        self.flip("a.sst", 20, to="bad.sst")
        for command, path in (("recompress", "bad.sst"), ("stats", "bad.sst"),
                              ("verify", "bad.sst")):
            plain = self.run_program(command, "--json", path)
            self.assertEqual(plain.code, 1)
            outcome = self.run_program(command, "--json", "--noverify_checksum",
                                       path)
            self.assertIn("does not use --verify_checksum", outcome.err)
            self.assertEqual((outcome.code, outcome.out),
                             (plain.code, plain.out))
        plain = self.run_ok("layout", "a.sst")
        self.assertEqual(self.run_ok("layout", "--hex", "a.sst").out, plain.out)

    def test_the_order_of_keys_may_be_named(self):
        self.build_once("a.sst", numbered_rows(3))
        for command in ("check", "scan", "stats", "recompress", "report",
                        "overlap", "space"):
            outcome = self.run_program(
                command, "--comparator=rocksdb.ReverseBytewiseComparator",
                "a.sst")
            self.assertNotIn("does not use", outcome.err, command)
            outcome = self.run_code(2, command, "--comparator=bogus", "a.sst")
            self.assertIn("ashlar: --comparator: ", outcome.err)

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
        merge_inputs preset data_only json jsonl out quiet strict checksums_only filter_keys max_errors escape progress
        comparator max_uncompressed_block output_format identity creation_time
        format_version compression_type bloom_bits filter checksum_type key
        keys_file input_format sorted on_duplicate memory overwrite external
        key_column value_column block_restart_interval parse_internal_key
        range_dels threads ribbon whole_key_filtering prefix_extractor
        target_rocksdb target_file_size block_size_deviation use_delta_encoding
        data_block_index_type data_block_hash_table_util_ratio
        separate_key_value_in_data_block embedded_blobs min_blob_size block_align
        super_block_alignment_size super_block_alignment_space_overhead_ratio
        index_block_restart_interval index_shortening metadata_block_size
        decouple_partitioned_filters compression_types compression_level_from
        compression_level_to verify_compression tmpdir show_sequence_number_type
        filter_probes prefix_separator prefix_length recursive strict_flags
        sample text color top ranges detect_filter_construct_corruption clean
        snapshots earliest_write_conflict_snapshot bottommost
        allow_ingest_behind preserve_seqno_after full_history_ts_low
        enforce_single_del_contracts merge_operator merge_delimiter
        target_file_size_is_upper_bound max_subcompactions rate_limit deeper
        max_compaction_bytes write_rate_limit bytes_per_sync
        strict_bytes_per_sync use_direct_writes use_fsync
        header crlf max_row_bytes max_bad_rows bad_rows dry_run delimiter null
        options options_from ignore_unknown_options
        limit hex cf snapshot db_paths each_table one_database
        sizes caches sampling_frequency unknown_block_size
        sample_for_compression sandbox
        """.split()
    COMMANDS = """check scan verify identify properties layout get raw
        recompress stats report diff space overlap salvage cache-sim compact
        rewrite build""".split()

    def test_help_names_what_is_specified(self):
        text = self.run_ok("--help").text
        self.assertLessEqual(max(map(len, text.splitlines())), 80)
        flags = re.findall(r"^  --(\w+)", text, re.MULTILINE)
        self.assertEqual(sorted(flags), sorted(self.SPECIFIED))
        commands = text.split("Commands:\n")[1].split("\n\n")[0]
        self.assertEqual(re.findall(r"^  ([\w-]+)", commands, re.MULTILINE),
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
        program = self.run_ok("--help").text
        for arguments in (["a.sst", "--help"], ["--file=a.sst", "--help"]):
            self.assertEqual(self.run_ok(*arguments).text, program)

    def test_help_of_scan_names_every_type(self):
        header = (ROOT / "table/internal_key.h").read_text()
        types = re.findall(r"(?m)^  kType\w+ = (0x\w\w),", header)
        self.assertGreater(len(types), 9)
        text = " ".join(self.run_ok("help", "scan").text.split())
        for number in types:
            self.assertRegex(text, rf"\b{int(number, 16)} [A-Za-z]")

    def test_flags_of_one_letter(self):
        self.build_once("a.sst", numbered_rows(5))
        self.assertEqual(self.run_ok("-h").text, self.run_ok("--help").text)
        self.assertEqual(self.run_ok("scan", "-h").text,
                         self.run_ok("help", "scan").text)
        self.assertEqual(self.run_ok("-V").text, self.run_ok("--version").text)
        for flags in (["-n", "2"], ["-n=2"]):
            self.assertEqual(self.run_ok("scan", *flags, "a.sst").text,
                             self.run_ok("scan", "--limit=2", "a.sst").text)

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


class JsonTest(CliTest):

    def test_every_command(self):
        self.build("a.sst", numbered_rows(500))
        (self.folder / "bad.sst").write_bytes(b"x" * 300)
        for command in HelpTest.COMMANDS:
            if command in ("diff", "salvage", "cache-sim", "rewrite", "build",
                           "compact"):
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


if __name__ == "__main__":
    cli.main()
