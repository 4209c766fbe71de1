"""Flags that RocksDB's tool has too: every spelling shows what it should.

Many of them are given to one run, since starting the program is what takes
time: all in one spelling, then each left out or the other way.
"""

import itertools
import re

import cli
from cli import CliTest, GOLDEN

BUILD = ["build", "--out=o.sst", "--overwrite", "--quiet", "--identity=01"]
TRY = ["recompress", "a.sst"]
CHECK = ["check", "a.sst"]

# Words of a run, and flags with values of which each changes what it leaves.
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
# The same of flags that are true or false.
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
# They change nothing that can be seen from outside.
UNSEEN = {"readahead_size", "verify_compression"}
ON_UNLESS_SAID = {"verify_checksum", "enable_index_compression"}


class SpellingsTest(CliTest):

    def setUp(self):
        super().setUp()
        self.rows = b"".join(b"key%06d\tvalue of %d\n" % (i, i * i)
                             for i in range(2000))
        for name, kind in (("a", "none"), ("b", "bloom")):
            self.run_ok("build", f"--out={name}.sst", f"--filter={kind}",
                        "--compression_type=none", stdin=self.rows)
        bad = bytearray((self.folder / "a.sst").read_bytes())
        at = bad.index(b"value of 3600")
        bad[at] ^= 1
        (self.folder / "bad.sst").write_bytes(bad)

    def outcome(self, *arguments):
        """All that a run leaves, but for how long it took."""
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
        """What other conflicts there are, ashlar_cli_test.py lists."""
        for flag in ("from", "to"):
            self.assert_usage_error(
                "--compression_level_from and --compression_level_to go "
                "together", *TRY, f"--compression_level_{flag}=1")


if __name__ == "__main__":
    cli.main()
