"""Flags that RocksDB's tool has too: every spelling has its documented effect.

One run gets many flags, since starting the program takes most of the time:
first all flags in one spelling, then each flag omitted or changed.
"""

import itertools
import re

import cli
from cli import CliTest, GOLDEN, hex_rows

BUILD = ["build", "--out=o.sst", "--overwrite", "--quiet", "--identity=01"]
TRY = ["recompress", "a.sst"]
CHECK = ["check", "a.sst"]

# Arguments of a run, and flags with values. Each flag but those in UNSEEN
# changes the outcome.
VALUES = (
    (["--quiet"],
     {"command": "scan", "file": "a.sst", "from": "key000005",
      "to": "key000009", "read_num": "6", "readahead_size": "100"},
     ["b.sst"]),
    (["scan", "a.sst", "b.sst", GOLDEN / "r78-db-blob.sst", "--quiet"],
     {"prefix": "key00001", "require_property_regex": "# entries: 2000$",
      "exclude_property_regex": "filter policy name: bloom"}, []),
    (BUILD,
     {"block_size": "500", "compression_level": "9",
      "compression_max_dict_bytes": "4096",
      "compression_zstd_max_train_bytes": "40000",
      "compression_max_dict_buffer_bytes": "5000"}, []),
    (BUILD, {"set_block_size": "500"}, []),
    (TRY,
     {"compression_types": "lz4,LZ4,kZSTD", "compression_level_from": "1",
      "compression_level_to": "2", "compression_parallel_threads": "7"}, []),
    (CHECK, {"env_uri": "x://"}, []),
    (CHECK, {"fs_uri": "x://"}, []),
    (TRY, {"compression_manager": "Mine"}, []),
    (CHECK, {"parse_internal_key": "0x610105000000000000"}, []),
)
# Same for flags that are true or false.
SWITCHES = (
    (["scan", "--from=00", GOLDEN / "r78-db-blob.sst", "bad.sst"],
     ["input_key_hex", "output_hex", "verify_checksum", "show_properties",
      "show_summary", "list_meta_blocks", "decode_blob_index"]),
    (["raw", "--out=-", "a.sst"], ["show_sequence_number_type"]),
    (["build", "--out=o.sst", "--identity=01",
      "--compression_max_dict_bytes=4096",
      "--compression_zstd_max_train_bytes=40000"],
     ["compression_use_zstd_finalize_dict", "enable_index_compression"]),
    ([*TRY, "--compression_types=zstd"], ["verify_compression"]),
)
# These flags change nothing that can be seen from outside.
UNSEEN = {"readahead_size", "verify_compression"}
ON_UNLESS_SAID = {"verify_checksum", "enable_index_compression"}


class SpellingsTest(CliTest):

    def setUp(self):
        super().setUp()
        rows = [(b"key%06d" % i, b"value of %d" % (i * i))
                for i in range(2000)]
        self.rows = b"".join(b"%s\t%s\n" % row for row in rows)
        for name, kind in (("a", "none"), ("b", "bloom")):
            self.build_once(
                f"{name}.sst", hex_rows([(key, 0, 1, value)
                                         for key, value in rows]),
                f"--filter={kind}", "--compression_type=none")
        bad = bytearray((self.folder / "a.sst").read_bytes())
        at = bad.index(b"value of 3600")
        bad[at] ^= 1
        (self.folder / "bad.sst").write_bytes(bad)

    def outcome(self, *arguments):
        """Returns everything that a run produces, except times."""
        made = self.folder / "o.sst"
        made.unlink(missing_ok=True)
        outcome = self.run_program(*arguments, stdin=self.rows)
        self.assertNotIn("does not use", outcome.err)
        return (outcome.code, re.sub(rb"usec: +\d+", b"", outcome.out),
                re.sub(r"wrote .*", "", outcome.err),
                made.read_bytes() if made.exists() else b"")

    def test_values(self):
        for before, flags, after in VALUES:
            def given(names, spell, words=(before, flags, after)):
                spelled = [spell(name, words[1][name]) for name in names]
                return self.outcome(*words[0], *itertools.chain(*spelled),
                                    *words[2])
            expected = given(flags, lambda name, value: [f"--{name}={value}"])
            for spell in (lambda name, value: [f"-{name}={value}"],
                          lambda name, value: [f"--{name}", value],
                          lambda name, value: [f"-{name}", value]):
                self.assertEqual(given(flags, spell), expected)
            for left_out in flags.keys() - UNSEEN:
                others = [name for name in flags if name != left_out]
                self.assertNotEqual(given(others, spell), expected, left_out)

    def test_switches(self):
        truth = itertools.cycle(("true", "t", "1", "yes"))
        untruth = itertools.cycle(("false", "f", "0", "no"))
        for words, flags in SWITCHES:
            on = self.outcome(*words, *(f"--{flag}" for flag in flags))
            off = self.outcome(*words, *(f"--no{flag}" for flag in flags))
            for expected, single, values in ((on, "-{}", truth),
                                             (off, "-no{}", untruth)):
                self.assertEqual(expected, self.outcome(
                    *words, *map(single.format, flags)))
                self.assertEqual(expected, self.outcome(
                    *words, *(f"{dashes}{flag}={next(values)}" for dashes, flag
                              in zip(itertools.cycle(("--", "-")), flags))))
            self.assertEqual(self.outcome(*words), self.outcome(
                *words, *(f"--{flag}={flag in ON_UNLESS_SAID}".lower()
                          for flag in flags)))
            for other in set(flags) - UNSEEN:
                self.assertNotEqual(on, self.outcome(
                    *words, *(f"--{flag}" for flag in flags), f"--no{other}"),
                    other)

    def test_every_word_of_truth(self):
        words = [f"--output_hex={word}" for word in
                 ("true", "false", "t", "f", "1", "0", "yes", "no")]
        printed = [self.outcome("scan", "--quiet", word, "a.sst")
                   for word in words]
        self.assertEqual(printed, 4 * printed[:2])
        self.assertNotEqual(*printed[:2])

    def test_help_and_version(self):
        for flag in ("help", "version"):
            self.assertEqual(self.outcome(f"-{flag}"), self.outcome(f"--{flag}"))
            self.assertEqual(self.outcome(f"--{flag}")[0], 0)

    def test_levels_go_together(self):
        """ashlar_cli_test.py lists the other conflicts."""
        for flag in ("from", "to"):
            self.assert_usage_error(
                "--compression_level_from and --compression_level_to go "
                "together", *TRY, f"--compression_level_{flag}=1")


# <bytes> and <n>: the text, and its value.
BYTES = {"4096": 4096, "4096B": 4096, "4K": 4096, "4k": 4096, "4KiB": 4096,
         "4kib": 4096, "4KB": 4000, "1M": 1 << 20, "1MiB": 1 << 20,
         "1MB": 10**6, "1G": 1 << 30, "1GiB": 1 << 30, "1GB": 10**9,
         "1T": 1 << 40, "1TiB": 1 << 40, "1TB": 10**12,
         "16777215T": 16777215 << 40, "0K": 0}
COUNTS = {"7": 7, "1K": 1000, "1k": 1000, "2M": 2 * 10**6, "1G": 10**9}
NO_BYTES = ("", "K", "-1", "+1", "1.5K", "1 K", "1Ki", "1X", "1KK", "0x10",
            "16777216T", "18446744073709551616", "99999999T", "1e3", "4096 ")
NO_COUNTS = ("", "K", "-1", "1KiB", "1KB", "1X", "1.5M", "18446744073709552K")


class QuantityTest(CliTest):

    def test_bytes(self):
        rows = b"".join(b"key%06d\tvalue %d\n" % (i, i) for i in range(3000))
        made = {}
        for text, number in BYTES.items():
            if not 1 <= number <= 2**28:
                continue
            for word in (text, str(number)):
                self.run_ok("build", f"--block_size={word}", "--identity=01",
                            "--out=o.sst", "--overwrite", stdin=rows)
                made[word] = (self.folder / "o.sst").read_bytes()
            self.assertEqual(made[text], made[str(number)], text)
        self.assertNotEqual(made["4K"], made["4KB"])
        self.assertNotEqual(made["4K"], made["1M"])

    def test_every_flag_of_bytes(self):
        """Each takes a unit, and names itself if the text is not valid."""
        text = self.run_ok("--help").text
        flags = re.findall(r"^  --(\w+)=<bytes>", text, re.MULTILINE)
        self.assertGreaterEqual(set(flags), {
            "memory", "block_size", "readahead_size", "target_file_size",
            "max_uncompressed_block", "metadata_block_size", "prefix_length"})
        for flag in flags:
            for bad in NO_BYTES:
                self.assert_usage_error(
                    f"--{flag}: '{bad}' is not a number of bytes, such as "
                    "4096, 16KiB or 128M, or too large", "check",
                    f"--{flag}={bad}", "a.sst")
            self.assertNotIn("number", self.run_program(
                "check", f"--{flag}=1K", "a.sst").err)
        # Values that are too large only for this flag.
        self.assert_usage_error(
            "--compression_max_dict_bytes: '4G' is not a number of bytes, such "
            "as 4096, 16KiB or 128M, or too large", "build",
            "--compression_max_dict_bytes=4G", "--out=o.sst")

    def test_counts(self):
        rows = b"".join(b"key%06d\tv\n" % i for i in range(2500))
        self.run_ok("build", "--out=a.sst", stdin=rows)
        for text, number in COUNTS.items():
            printed = self.run_ok("scan", "--quiet", f"--read_num={text}",
                                  "a.sst").out
            self.assertEqual(printed.count(b"\n"), min(number, 2500), text)
        flags = re.findall(r"^  --(\w+)=<n>", self.run_ok("--help").text,
                           re.MULTILINE)
        self.assertIn("max_errors", flags)
        for bad in NO_COUNTS:
            self.assert_usage_error(
                f"--read_num: '{bad}' is not a whole number from 0 up, or too "
                "large", "check", f"--read_num={bad}", "a.sst")

    def test_help_says_what_a_unit_is(self):
        for words in (["--help"], ["help", "build"], ["--help=man"]):
            text = self.run_ok(*words).text.replace("\n", " ")
            self.assertIn("powers of 1024", text)
            self.assertIn("134217728 bytes", text)
            self.assertIn("5000000", text)


# The command, its flags, and the message.
MAKERS = ["build", "--out=o.sst"]
CONFLICTS = (
    (MAKERS, "--filter=bloom --ribbon",
     "--filter=bloom and --ribbon exclude each other"),
    (MAKERS, "--filter=ribbon --noribbon",
     "--filter=ribbon and --noribbon exclude each other"),
    (MAKERS, "--filter=none --optimize_filters_for_memory",
     "--filter=none and --optimize_filters_for_memory exclude each other"),
    (MAKERS, "--filter=none --nowhole_key_filtering",
     "--filter=none and --whole_key_filtering exclude each other"),
    (MAKERS, "--filter=none --index_type=partitioned --partition_filters",
     "--filter=none and --partition_filters exclude each other"),
    (MAKERS, "--nopartition_index --index_type=partitioned",
     "--nopartition_index and --index_type=partitioned exclude each other"),
    (MAKERS, "--compression_type=zlib --compression_checksum",
     "--compression_checksum does nothing with --compression_type=zlib: it is "
     "for zstd"),
    (MAKERS, "--compression_type=zstd --compression_window_bits=-10",
     "--compression_window_bits does nothing with --compression_type=zstd: it "
     "is for zlib"),
    (MAKERS, "--compression_type=lz4 --compression_strategy=1",
     "--compression_strategy does nothing with --compression_type=lz4: it is "
     "for zlib"),
    (MAKERS, "--compression_type=lz4 --compression_max_dict_bytes=4K "
     "--compression_zstd_max_train_bytes=64K",
     "--compression_zstd_max_train_bytes does nothing with "
     "--compression_type=lz4: it is for zstd"),
    (MAKERS, "--compression_type=snappy --compression_max_dict_bytes=4K",
     "--compression_max_dict_bytes does nothing with "
     "--compression_type=snappy: it is for zlib, lz4, lz4hc and zstd"),
    (MAKERS, "--compression_type=snappy --compression_level=3",
     "--compression_level does nothing with --compression_type=snappy: it is "
     "for zlib, lz4, lz4hc and zstd"),
    (MAKERS, "--compression_type=none --compression_level=3",
     "--compression_level does nothing with --compression_type=none: it is "
     "for zlib, lz4, lz4hc and zstd"),
    (MAKERS, "--compression_type=none "
     "--compression_max_compressed_bytes_per_kb=800",
     "--compression_max_compressed_bytes_per_kb does nothing with "
     "--compression_type=none: it is for codecs that compress"),
    (MAKERS, "--compression_type=none --noenable_index_compression",
     "--enable_index_compression does nothing with --compression_type=none: "
     "it is for codecs that compress"),
    (MAKERS, "--compression_zstd_max_train_bytes=64K",
     "--compression_zstd_max_train_bytes needs --compression_max_dict_bytes"),
    (MAKERS, "--compression_max_dict_buffer_bytes=64K",
     "--compression_max_dict_buffer_bytes needs --compression_max_dict_bytes"),
    (MAKERS, "--compression_max_dict_bytes=4K "
     "--compression_use_zstd_finalize_dict",
     "--compression_use_zstd_finalize_dict needs "
     "--compression_zstd_max_train_bytes"),
    (MAKERS, "--memory=1G",
     "--memory needs --nosorted: sorted rows are not held in memory"),
    (MAKERS, "--threads=2 --merge_inputs",
     "--merge_inputs and --threads exclude each other"),
    (MAKERS, "--tmpdir=/tmp",
     "--tmpdir needs --nosorted: sorted rows are not held in memory"),
    (["rewrite", "--out=o.sst", "a.sst"], "--filter=bloom --ribbon",
     "--filter=bloom and --ribbon exclude each other"),
    (["salvage", "--out=o.sst", "a.sst"],
     "--compression_type=lz4 --compression_checksum",
     "--compression_checksum does nothing with --compression_type=lz4: it is "
     "for zstd"),
    (TRY, "--threads=2 --compression_parallel_threads=2",
     "--threads and --compression_parallel_threads exclude each other"),
    (TRY, "--compression_types=lz4,zstd --compression_strategy=1",
     "--compression_strategy does nothing with --compression_types=lz4,zstd: "
     "it is for zlib"),
    (["scan", "a.sst"], "--json --output_format=jsonl",
     "--json and --output_format=jsonl exclude each other"),
    (["scan", "a.sst"], "--output_format=canonical --output_hex",
     "--output_format=canonical and --output_hex exclude each other"),
    (["scan", "a.sst"], "--output_format=canonical --decode_blob_index",
     "--output_format=canonical and --decode_blob_index exclude each other"),
    (["verify", "a.sst"], "--checksums_only --filter_keys=all",
     "--checksums_only and --filter_keys exclude each other"),
    (["raw", "a.sst"], "--out=- --overwrite",
     "--overwrite does nothing with --out=-, which is standard output"),
    (["report", "a.sst"], "--out=- --overwrite",
     "--overwrite does nothing with --out=-, which is standard output"),
    (["space", "a.sst"], "--top=5",
     "--top needs --prefix_length or --prefix_separator"),
)
# Combinations that sst_dump accepts, and flags that say the same twice, are not
# refused.
ACCEPTED = (
    (TRY, "--compression_types=snappy --compression_level=3 "
     "--compression_max_dict_bytes=4096 "
     "--compression_zstd_max_train_bytes=9999 "
     "--compression_max_dict_buffer_bytes=1 "
     "--compression_use_zstd_finalize_dict --noenable_index_compression"),
    (TRY, "--compression_types=zlib,zstd --compression_strategy=1"),
    (MAKERS, "--filter=ribbon --ribbon"),
    (MAKERS, "--noribbon --filter=bloom"),
    (MAKERS, "--compression_type=snappy --compression_level=32767"),
    (MAKERS, "--partition_index --index_type=partitioned"),
    (MAKERS, "--nosorted --memory=64M --tmpdir=/tmp --threads=2"),
    (MAKERS, "--threads=2"),
    (MAKERS, "--identity=01 --target_file_size=1M "
     "--compression_parallel_threads=4"),
    (MAKERS, "--input_format=jsonl --target_file_size=1M --memory=64M"),
    (["scan", "a.sst"], "--json --output_hex"),
    (["check", "a.sst"], "--input_key_hex"),
)


class ConflictTest(CliTest):

    def setUp(self):
        super().setUp()
        self.run_ok("build", "--out=a.sst", stdin=b"a\tb\n")

    def test_conflicts_are_named(self):
        for words, flags, reason in CONFLICTS:
            for given in (flags.split(), flags.split()[::-1]):
                with self.subTest(flags):
                    self.assert_usage_error(reason, *words, *given,
                                            stdin=b"a\tb\n")
        self.assertEqual([path.name for path in self.folder.iterdir()],
                         ["a.sst"])

    def test_one_of_two_is_no_conflict(self):
        for words, flags in ACCEPTED:
            with self.subTest(flags):
                stdin = (b'{"key":"61","value":""}\n' if "jsonl" in flags and
                         words is MAKERS else b"a\tb\n")
                outcome = self.run_program(*words, *flags.split(),
                                           "--overwrite" if words is MAKERS
                                           else "--quiet", stdin=stdin)
                self.assertNotEqual(outcome.code, 2, outcome.err)


if __name__ == "__main__":
    cli.main()
