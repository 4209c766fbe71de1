"""--options and --options_from: options of new tables as RocksDB's texts."""

import json

import cli
from cli import CliTest, numbered_rows


class OptionTextsTest(CliTest):

    ROWS = numbered_rows(3000)
    # Which database wrote it: test/golden/README.md.
    OPTIONS = cli.GOLDEN / "options" / "OPTIONS-000007"
    FROM_FILE = f"--options_from={OPTIONS}"

    def made(self, *arguments):
        """Returns the JSON of `properties` of the table that is made."""
        self.run_ok(*arguments, "--out=made.sst", "--overwrite")
        self.run_ok("verify", "made.sst")
        document = json.loads(
            self.run_ok("properties", "--json", "made.sst").out)
        return document["files"][0]

    def built(self, *flags):
        (self.folder / "rows").write_bytes(self.ROWS)
        return self.made("build", "rows", "--input_format=hex", *flags)

    def assert_is_of_the_file(self, file):
        self.assertEqual(file["format_version"], 7)
        properties = file["properties"]
        self.assertEqual(properties["filter_policy_name"], "ribbonfilter")
        self.assertEqual(properties["prefix_extractor_name"],
                         "rocksdb.FixedPrefix.4")
        # LZ4, which the file names for the last level.
        self.assertEqual(properties["compression_name"], "BuiltinV2;04;")
        self.assertEqual(properties["user"]["rocksdb.block.based.table."
                                            "index.type"], "02000000")

    def test_options_of_a_database(self):
        self.assert_is_of_the_file(self.built(self.FROM_FILE))
        # The folder of the database does as well.
        self.assert_is_of_the_file(
            self.built(f"--options_from={self.OPTIONS.parent}"))

    def test_options_of_another_family(self):
        file = self.built(self.FROM_FILE, '--cf=we=ird #name\\["x"]')
        self.assertEqual(file["properties"]["filter_size"], 0)
        outcome = self.run_code(2, "build", "rows", "--out=x.sst",
                                self.FROM_FILE, "--cf=other")
        self.assertIn("there is no column family 'other'", outcome.err)
        self.assert_usage_error("--cf needs --options_from", "build", "rows",
                                "--out=x.sst", "--cf=other")

    def test_text_is_over_the_file_and_flags_are_over_both(self):
        text = "--options=format_version=5;filter_policy=bloomfilter:12"
        file = self.built(self.FROM_FILE, text)
        self.assertEqual(file["format_version"], 5)
        self.assertEqual(file["properties"]["filter_policy_name"],
                         "bloomfilter")
        file = self.built(self.FROM_FILE, text, "--format_version=4",
                          "--compression_type=none")
        self.assertEqual(file["format_version"], 4)
        self.assertEqual(file["properties"]["compression_name"],
                         "NoCompression")

    def test_text_gives_the_bytes_that_flags_give(self):
        same = "--identity=01"
        self.built(same, "--block_size=16384", "--compression_type=zlib",
                   "--compression_level=5", "--bloom_bits=8")
        by_flags = (self.folder / "made.sst").read_bytes()
        self.built(same, "--options=block_size=16K;filter_policy=bloomfilter:8;"
                   "compression=kZlibCompression;compression_opts={level=5}")
        self.assertEqual((self.folder / "made.sst").read_bytes(), by_flags)

    def test_copies_take_texts_too(self):
        self.build("old.sst", self.ROWS, "--block_restart_interval=4",
                   "--comparator=rocksdb.ReverseBytewiseComparator", "--nosorted")
        for command in ("rewrite", "compact", "salvage"):
            file = self.made(command, "old.sst", self.FROM_FILE)
            self.assert_is_of_the_file(file)
            # The order is that of the input.
            self.assertEqual(file["properties"]["comparator_name"],
                             "rocksdb.ReverseBytewiseComparator")
        # What a text does not say is kept of the input.
        text = "--options=filter_policy=nullptr"
        file = self.made("rewrite", "old.sst", text)
        self.assertEqual(file["properties"]["filter_size"], 0)
        self.assertEqual(file["format_version"], 6)

    def test_unknown_options(self):
        self.built()
        arguments = ("build", "rows", "--input_format=hex", "--out=made.sst",
                     "--overwrite", "--options=block_sise=1;block_size=8K")
        self.assert_usage_error("--options: byte 0 of the options: block_sise: "
                                "there is no such option", *arguments)
        outcome = self.run_ok(*arguments, "--ignore_unknown_options")
        self.assertIn("left out: byte 0 of the options: block_sise: there is "
                      "no such option", outcome.err)
        self.assert_usage_error(
            "--ignore_unknown_options needs --options or --options_from",
            "build", "rows", "--out=x.sst", "--ignore_unknown_options")
        self.assert_usage_error(
            "--options: byte 11 of the options: block_size is 'x', expected a "
            "whole number", "build", "rows", "--out=x.sst",
            "--options=block_size=x")


if __name__ == "__main__":
    cli.main()
