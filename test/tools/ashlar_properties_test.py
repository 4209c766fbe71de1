"""Properties as JSON and text, whatever names and bytes a file has."""

import json

import cli
import forged_table
from cli import CliTest, GOLDEN, ROOT, numbered_rows
from json_schema import Schema

SCHEMA = ROOT / "tools" / "ashlar" / "schema" / "ashlar-1.schema.json"
# Text that a program could mistake for something else.
LOOKS = [b"true", b"false", b"N/A", b"12", b"-1", b"1e3", b"null", b"0x",
         b"", b'"', b"\\", b"{}", b"a\n  # entries: 9", b"\xff\xfe",
         b"\xed\xa0\x80", b"\0", "\u00e9\u2028".encode()]
# Stored names of text properties, and their names in JSON.
TEXTS = {
    "rocksdb.filter.policy": "filter_policy_name",
    "rocksdb.prefix.extractor.name": "prefix_extractor_name",
    "rocksdb.column.family.name": "column_family_name",
    "rocksdb.merge.operator": "merge_operator_name",
    "rocksdb.property.collectors": "property_collectors_names",
    "rocksdb.compression_options": "compression_options",
    "rocksdb.creating.db.identity": "db_id",
    "rocksdb.creating.session.identity": "db_session_id",
    "rocksdb.creating.host.identity": "db_host_id",
}
# Names of fields, of JSON's own members, and names that differ only in bytes
# that are not UTF-8.
NAMES = [b"num_entries", b"user", b"path", b"# entries", b"rocksdb.", b"0",
         b"0x", b"0xFF", b"0xff", b"\xff", b"\xfe", b"\xff\xfe", b"\xef\xbf\xbd",
         b'"', b"\\", b"\\xFF", b"\n", b"\0", b"true", b"rocksdb.num.entriesx",
         "\u00e9".encode()]


def unique(pairs):
    assert len(dict(pairs)) == len(pairs), pairs
    return dict(pairs)


class PropertiesTest(CliTest):

    def setUp(self):
        super().setUp()
        self.build_once("a.sst", numbered_rows(9), *forged_table.PLAIN)
        self.table = (self.folder / "a.sst").read_bytes()
        self.schema = Schema(json.loads(SCHEMA.read_text(encoding="utf-8")))

    def forge(self, properties):
        (self.folder / "b.sst").write_bytes(
            forged_table.with_properties(self.table, properties))

    def file_of(self, name, *flags, command="properties"):
        outcome = self.run_ok(command, "--json", *flags, name)
        document = json.loads(outcome.out, object_pairs_hook=unique)
        self.assertEqual(self.schema.errors(document), [], name)
        return document["files"][0]

    def test_text_is_text_whatever_it_looks_like(self):
        before = self.file_of("a.sst")["properties"]
        for value in LOOKS:
            self.forge({name.encode(): value for name in TEXTS})
            # First with the command `properties`, then with another command.
            for flags in ({}, {"command": "check"}):
                after = self.file_of("b.sst", *(
                    ["--show_properties"] if flags else []),
                                     **flags)["properties"]
                for stored, name in TEXTS.items():
                    shown = value.decode("utf-8", "replace") if value else None
                    if name.startswith("db_"):
                        shown = shown or ""
                    if value == b"\xed\xa0\x80":
                        shown = 3 * "\ufffd"
                    self.assertEqual(after.pop(name, None), shown,
                                     (stored, value))
                for name in ("unique_id", "index_size", "estimated_table_size",
                             *TEXTS.values()):
                    after.pop(name, None)
                self.assertEqual(after, {
                    name: number for name, number in before.items()
                    if name in after})

    def test_user_properties_are_bytes_by_names_that_differ(self):
        values = {name: b"%d" % i for i, name in enumerate(NAMES)}
        self.forge(values)
        properties = self.file_of("b.sst")["properties"]
        self.assertEqual(properties["num_entries"], 9)
        user = properties["user"]
        for name, value in values.items():
            try:
                shown = name.decode()
            except UnicodeDecodeError:
                shown = None
            if shown is None or shown.startswith("0x"):
                shown = "0x" + name.hex().upper()
            self.assertEqual(user.pop(shown), value.hex(), name)
        # RocksDB counts the others as collected too.
        self.assertEqual([name for name in user
                          if not name.startswith("rocksdb.")], [])

    def test_text_does_not_steer_a_terminal(self):
        self.forge({b"rocksdb.merge.operator": b"x\n  # entries: 8",
                    b"y\n  # entries: 7\x1b[2J": b"v"})
        for arguments in (["properties"], ["check", "--show_properties"],
                          ["raw", "--out=-"]):
            lines = self.run_ok(*arguments, "--escape=always",
                                "b.sst").text.splitlines()
            self.assertEqual([line for line in lines if "# entries:" in line
                              and not line.startswith("  # y")
                              and "merge operator" not in line],
                             ["  # entries: 9"], arguments)
            self.assertIn("  merge operator name: x\\x0A  # entries: 8", lines)
        self.assertIn("  # y\\x0A  # entries: 7\\x1B[2J: 0x76",
                      self.run_ok("properties", "--escape=always",
                                  "b.sst").text.splitlines())
        # An error message contains the value found, in one line and escaped.
        self.forge({b"rocksdb.comparator": b"c\n\x1b[2J\x7f"})
        self.assertEqual(
            self.run_ok("check", "b.sst").err,
            "ashlar: warning: b.sst: comparator c\\x0A\\x1B[2J\\x7F is not "
            "built in: the order of keys is not checked\n")
        # Control characters of one byte and of two, and letters.
        self.forge({b"rocksdb.comparator":
                    b"\x9b2J\xc2\x9b2J\xc2\x80\xc2\xa0\xc3\xa9\xe4\xb8\xad"})
        self.assertIn("comparator \\x9B2J\\xC2\\x9B2J\\xC2\\x80\u00a0\u00e9"
                      "\u4e2d is not built in",
                      self.run_ok("check", "b.sst").err)

    def test_tables_without_properties(self):
        name = GOLDEN / "ldb-plain.ldb"
        outcome = self.run_ok("properties", name)
        self.assertEqual(outcome.text,
                         f"Process {name}\nSst file format: block-based\n")
        self.assertEqual(
            outcome.err,
            f"ashlar: warning: {name}: a LevelDB table has no properties; "
            "'ashlar stats' counts what is in it\n")
        file = self.file_of(name)
        self.assertEqual((file["status"], file["format_version"],
                          file["errors"]), ("ok", 0, []))
        self.assertNotIn("properties", file)
        # In any other table this is a fault.
        name = GOLDEN / "bad" / "no-props.sst"
        outcome = self.run_code(1, "properties", "--json", name)
        self.assertEqual(json.loads(outcome.out)["files"][0]["status"],
                         "corrupt")


if __name__ == "__main__":
    cli.main()
