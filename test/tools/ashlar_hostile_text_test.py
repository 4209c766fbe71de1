"""Names and keys that would control a terminal.

A table has an escape sequence in each of its strings and in its file name. No
command may write a control character, or a byte that is not UTF-8, to standard
error. The same holds for standard output, except for keys and values that the
user asked for as raw bytes.
"""

import json
import os
import unicodedata

import cli
import forged_table
from cli import CliTest, hex_rows

# Clears the screen in two ways, ends a line, and is not UTF-8.
EVIL = b"\x1b[2J\xc2\x9b2J\n\x7f\xff\r\t"
NAME = b"e\x1b[2J\xc2\x9b\nv\xff.sst"

PROPERTIES = {
    name: EVIL for name in (
        b"rocksdb.comparator", b"rocksdb.merge.operator",
        b"rocksdb.prefix.extractor.name", b"rocksdb.column.family.name",
        b"rocksdb.property.collectors", b"rocksdb.compression",
        b"rocksdb.compression_options", b"rocksdb.filter.policy",
        b"rocksdb.creating.db.identity", b"rocksdb.creating.session.identity",
        b"rocksdb.creating.host.identity")}
# One property per table, since a reader stops at the first that it cannot
# accept.
EACH = [{name: value} for name, value in PROPERTIES.items()]
EACH += [{b"rocksdb.block.based.table.index.type": EVIL},
         {b"rocksdb.num.entries": EVIL}, {b"mine" + EVIL: EVIL},
         {b"rocksdb.num.entries": forged_table.varint(99), b"a" + EVIL: b""}]

# Commands that take many tables, and commands that take one.
COMMANDS = (
    ["check"], ["check", "--show_properties", "--list_meta_blocks"],
    ["scan"], ["verify"], ["identify"], ["properties"], ["layout"],
    ["get", "--key=a\x1b[2J"], ["raw", "--overwrite"],
    ["recompress", "--compression_types=none"], ["stats"],
    ["stats", "--prefix_length=3"], ["space"], ["space", "--prefix_length=3"],
    ["overlap"], ["report", "--overwrite", "--filter_probes=10"])
COMMANDS_OF_ONE = (
    ["rewrite", "--overwrite", "--out=o\x1b[2J\x9b.sst"],
    ["salvage", "--overwrite", "--out=o\x1b[2J\x9b.sst"],
    ["compact", "--overwrite", "--out=o\x1b[2J\x9b.sst"])


def unprintable(text):
    """Returns the control characters of a text, except line ends."""
    return [c for c in text
            if unicodedata.category(c) == "Cc" and c != "\n"]


class HostileTextTest(CliTest):

    def setUp(self):
        super().setUp()
        rows = [(b"a" + EVIL + b"%02d" % i, 0, 1, EVIL) for i in range(30)]
        rows.append((b"b" + EVIL, 0, 15, b"c" + EVIL))
        self.build_once("plain.sst", hex_rows(rows), *forged_table.PLAIN,
                        "--block_size=300")
        self.plain = (self.folder / "plain.sst").read_bytes()
        self.path = os.path.join(os.fsencode(self.folder), NAME)
        self.name = os.fsdecode(NAME)

    def tables(self):
        yield "plain", self.plain
        yield "all", forged_table.with_properties(self.plain, PROPERTIES)
        for properties in EACH:
            yield (str(properties),
                   forged_table.with_properties(self.plain, properties))
        yield "block", forged_table.with_block(self.plain, b"x" + EVIL, EVIL)
        yield "filter", forged_table.with_block(
            self.plain, b"fullfilter." + EVIL, EVIL)
        at = self.plain.index(EVIL)
        yield "keys", self.plain[:at] + b"\x01" + self.plain[at + 1:]
        yield "cut", self.plain[:-7]
        yield "text", EVIL * 20

    def check_outcome(self, words, outcome, is_result_plain=True):
        outcome.out.decode("utf-8", "strict" if is_result_plain else "replace")
        self.assertEqual(unprintable(outcome.err), [], (words, outcome.err))
        self.assertNotIn("\ufffd", outcome.err)
        if is_result_plain:
            self.assertEqual(unprintable(outcome.text), [], words)

    def check_command(self, words, names):
        # Output as on a terminal.
        self.check_outcome(words, self.run_program(
            *words, *names, "--escape=always"))
        outcome = self.run_program(*words, *names, "--json")
        self.check_outcome(words, outcome)
        self.assertEqual(len(json.loads(outcome.out)["files"]), len(names))
        # Raw bytes, but only in results.
        self.check_outcome(words, self.run_program(*words, *names), False)

    def test_every_command(self):
        names = []
        for number, (which, table) in enumerate(self.tables()):
            name = b"%d%s" % (number, NAME)
            names.append(os.fsdecode(name))
            with open(os.path.join(os.fsencode(self.folder), name),
                      "wb") as file:
                file.write(table)
            for words in COMMANDS_OF_ONE:
                with self.subTest(which=which, words=words):
                    self.check_command(words, names[-1:])
        # Many tables at once: starting the program takes longer than a table.
        for words in COMMANDS:
            with self.subTest(words=words):
                self.check_command(words, names)

    def test_two_tables(self):
        with open(self.path, "wb") as file:
            file.write(forged_table.with_properties(self.plain, PROPERTIES))
        for words in (["diff"], ["overlap"], ["identify"]):
            for more in ([], ["--json"]):
                self.check_outcome(words, self.run_program(
                    *words, *more, "--escape=always", "plain.sst", self.name))

    def test_words_of_the_command_line(self):
        evil = os.fsdecode(EVIL)
        for words in (["check", evil], [evil], [f"--{evil}"], ["check", "--escape=" + evil],
                      ["check", "--read_num=" + evil], ["check", "--to=" + evil,
                      "--input_key_hex", "plain.sst"],
                      ["build", "--out=" + evil, "--prefix_extractor=" + evil],
                      ["build", "--out=" + evil, evil],
                      ["check", "--comparator=" + evil, "plain.sst"],
                      ["get", "--keys_file=" + evil, "plain.sst"],
                      ["check", "--env_uri=" + evil, "plain.sst"],
                      [f"--help={evil}"]):
            outcome = self.run_code(2, *words)
            self.check_outcome(words, outcome)

    def test_rows_of_build(self):
        for form in ("tsv", "csv", "hex", "jsonl"):
            for row in (EVIL, b"b\tx\na" + EVIL + b"\ty\n",
                        b'"' + EVIL, b'{"key":"' + EVIL + b'"}'):
                outcome = self.run_program(
                    "build", "--out=o.sst", f"--input_format={form}",
                    "--overwrite", *(["--noheader"] if form == "csv" else []),
                    stdin=row)
                self.check_outcome([form], outcome)


if __name__ == "__main__":
    cli.main()
