"""Builds that verify themselves, with codecs and filters that go wrong.

ASHLAR_SPOIL chooses what goes wrong; test/support/spoiled_program.cc does it.
Other tests show that the library detects it. Here each command that writes a
table must ask for verification, report what it found, and leave no file.
"""

import json
import os

import cli
from cli import CliTest, hex_rows

ROWS = hex_rows([(b"key%06d" % i, 0, 1,
                  b"%d " % i + (b"spoil " if i == 2500 else b"value ") * 20)
                 for i in range(4000)])
VERIFY = "--verify_compression"
DETECT = "--detect_filter_construct_corruption"
RUN_AGAIN = "ashlar: hint: no file was made. Run it again"


class VerifiedBuildsTest(CliTest):

    def setUp(self):
        super().setUp()
        self.build_once("in.sst", ROWS)

    def make(self, command, *flags, spoil=""):
        """Runs the command, which writes o.sst or nothing."""
        source = ["--input_format=hex"] if command == "build" else ["in.sst"]
        return self.run_program(command, "--out=o.sst", "--overwrite", *flags,
                                *source, stdin=ROWS, env={"ASHLAR_SPOIL": spoil})

    def assert_fault(self, outcome, message):
        self.assertEqual(outcome.code, 2, outcome.err)
        self.assertRegex(outcome.err, message)
        self.assertIn(RUN_AGAIN, outcome.err)
        self.assertNotIn("salvage", outcome.err)
        self.assertEqual(os.listdir(self.folder), ["in.sst"])

    def test_blocks(self):
        for command in ("build", "rewrite", "salvage"):
            for threads in (1, 2):
                flags = ["--compression_type=lz4", "--block_size=1000",
                         f"--compression_parallel_threads={threads}"]
                with self.subTest(command=command, threads=threads):
                    self.assert_fault(
                        self.make(command, *flags, VERIFY, spoil="codec"),
                        r"sst: Corruption: o\.sst\S*: verify_compression failed in "
                        r"data block #\d+ offset \d+ size \d+: lz4 gives back "
                        r"other bytes: byte \d+ of \d+ is 0x53, expected 0x73")
                    # Without the flag, nothing is verified.
                    outcome = self.make(command, *flags, spoil="codec")
                    self.assertEqual(outcome.code, 0, outcome.err)
                    os.remove(self.folder / "o.sst")

    def test_blocks_of_many_files(self):
        outcome = self.make("build", VERIFY, "--compression_type=lz4",
                            "--target_file_size=3000", spoil="codec")
        self.assert_fault(outcome, "verify_compression failed in data block #")

    def test_recompress(self):
        flags = ["--compression_types=lz4,zstd", "in.sst"]
        outcome = self.run_code(2, "recompress", VERIFY, *flags,
                                env={"ASHLAR_SPOIL": "codec"})
        self.assertIn("verify_compression failed in data block #", outcome.err)
        self.run_ok("recompress", *flags, env={"ASHLAR_SPOIL": "codec"})

    def test_json_does_not_blame_the_input(self):
        outcome = self.make("rewrite", VERIFY, "--json", spoil="codec")
        document = json.loads(outcome.out)
        self.assertEqual(outcome.code, document["exit_code"])
        file, = document["files"]
        self.assertEqual(file["status"], "io_error")
        error, = file["errors"]
        self.assertEqual(error["code"], "Corruption")
        self.assertIn("verify_compression failed in", error["message"])

    def test_filters(self):
        forms = (["--filter=bloom"], ["--filter=ribbon"],
                 ["--filter=bloom", "--index_type=partitioned",
                  "--partition_filters", "--metadata_block_size=500"])
        messages = {
            "hash": r"its \d+ hashes changed in memory after they were "
                    r"collected",
            "filter": r"the filter that was built does not match \d+ of its "
                      r"\d+ hashes"}
        for spoil, message in messages.items():
            for command, form in (*(("build", form) for form in forms),
                                  ("rewrite", []), ("salvage", [])):
                with self.subTest(command=command, form=form, spoil=spoil):
                    block = ("filter-partition block #0" if len(form) > 1
                             else "filter block")
                    self.assert_fault(
                        self.make(command, DETECT, *form, spoil=spoil),
                        r"Corruption: o\.sst\S*: "
                        "detect_filter_construct_corruption failed in "
                        f"{block}: {message}")
                    outcome = self.make(command, *form, spoil=spoil)
                    self.assertEqual(outcome.code, 0, outcome.err)
                    os.remove(self.folder / "o.sst")

    def test_sound_tables_are_the_same(self):
        def made(*flags):
            self.run_ok("build", "--out=o.sst", "--overwrite", "--quiet",
                        "--input_format=hex", "--identity=01", *flags,
                        stdin=ROWS)
            return (self.folder / "o.sst").read_bytes()
        self.assertEqual(made(), made(VERIFY, DETECT))

    def test_what_there_is_nothing_to_do_for(self):
        for command in ("build", "rewrite"):
            for flags, reason in (
                    ([VERIFY, "--compression_type=none"],
                     "--verify_compression needs a codec, but the table is not "
                     "compressed"),
                    ([DETECT, "--filter=none"],
                     "--filter=none and --detect_filter_construct_corruption "
                     "exclude each other")):
                self.assert_usage_error(reason, command, "--out=o.sst", *flags,
                                        "in.sst")


if __name__ == "__main__":
    cli.main()
