"""The golden tables.

Each scans to its recorded dump, or is refused with the reason. No damaged table
passes as sound.
"""

import hashlib
import json
import os
import re
import unittest

import cli
from cli import CliTest, GOLDEN

# Tables that this release does not read: file name and message.
REFUSED = (
    (r"custom-codec", r"compression manager 'GoldenCustom'"),
)

# Damaged or unusual, but no reason for a reader to refuse them.
HARMLESS = """block-uniform-bit cfid-5 dup-userkey foot-reserved16 fv1
    largest-seqno-9 no-comparator no-compression-prop-zstd no-ext-both
    no-global-seqno ok seq-nonzero""".split()
# A reader may accept or refuse these.
OPEN = "meta-extra num-entries-wrong num-entries-zero other-comparator " \
    "types-bad".split()
# Valid, but of a future or unknown kind, and not damaged.
UNSUPPORTED = "compression-unknownmgr foot-reserved8 foot-version8 " \
    "index-type-9".split()


def manifest():
    with open(GOLDEN / "golden.tsv", encoding="utf-8") as rows:
        names, *table = [row.rstrip("\n").split("\t") for row in rows]
    names[0] = names[0].lstrip("#")
    return [dict(zip(names, row)) for row in table]


@unittest.skipUnless((GOLDEN / "golden.tsv").exists(), "no golden files")
class GoldenTest(CliTest):

    def test_each_scans_to_its_dump_or_is_refused(self):
        refused = [row for row in manifest()
                   if any(re.search(pattern, row["file"])
                          for pattern, _ in REFUSED)]
        read = [row for row in manifest() if row not in refused]
        self.assertEqual(len(read), 423)
        # Many tables at once: starting the program takes longer than a table.
        for at in range(0, len(read), 16):
            some = read[at:at + 16]
            lines = self.run_ok(
                "scan", "--output_format=canonical",
                *[GOLDEN / row["file"] for row in some]).out.splitlines(True)
            for row in some:
                entries = int(row["entries"])
                # Dumps have references to embedded blobs as they are stored.
                if "embedded blobs" in row["options"]:
                    self.assertNotIn(b" 17 ", b"".join(lines[:entries]))
                    del lines[:entries]
                    continue
                with self.subTest(row["file"]):
                    digest = hashlib.sha256(b"".join(lines[:entries]))
                    self.assertEqual(digest.hexdigest(), row["sha256_dump"])
                del lines[:entries]
            self.assertEqual(lines, [])
        for row in refused:
            name = row["file"]
            with self.subTest(name):
                outcome = self.run_code(
                    2, "scan", "--output_format=canonical", GOLDEN / name)
                self.assertIn(": Not supported: ", outcome.err)
                self.assertTrue(
                    any(re.search(pattern, name) and
                        re.search(reason, outcome.err)
                        for pattern, reason in REFUSED), outcome.err)

    def test_layout_says_the_same_in_text_and_json(self):
        for name in ("r119-types.sst", "r119-fv2-none.sst", "ldb-bloom.ldb",
                     "r119-superalign.sst", "bad/data-flip.sst"):
            text, document = (
                self.run_program("layout", GOLDEN / name, *flags).text
                for flags in ((), ("--json",)))
            heading, *rows = text.split("total data: ")[0].splitlines()[2:]
            columns = ["offset", "size", "kind", "codec", "raw_size", "ratio",
                       "checksum", "ok", "first_key"]
            self.assertEqual(heading.split(), columns)
            # Kinds have one or two words. Two spaces or more end a column.
            rows = [re.split(" {2,}", row.strip()) for row in rows]
            rows = [row for row in rows if row[2] not in ("gap", "OVERLAP")]
            blocks = json.loads(document)["files"][0]["blocks"]
            self.assertEqual(len(rows), len(blocks), name)
            for row, block in zip(rows, blocks):
                raw, size = block["raw_size"], block["size"]
                footer = block["kind"] == "footer"
                self.assertEqual(row[:8], [
                    str(block["offset"]), str(size), block["kind"],
                    block["codec"], str(raw) if raw else "-",
                    f"{raw / size:.2f}" if raw else "-",
                    "-" if footer else block["checksum"],
                    "ok" if block["ok"] else "BAD"], name)
                if block["kind"] == "data" and block["ok"]:
                    self.assertEqual(
                        re.sub(rb"\\x(..)", lambda m: bytes.fromhex(
                            m[1].decode()), row[8].encode()).hex().upper(),
                        block["first_key"], name)

    def test_no_command_calls_a_good_file_damaged(self):
        names = [row["file"] for row in manifest()]
        for command in ("verify", "layout", "identify", "properties",
                        "check"):
            outcome = self.run_program(
                command, "--json", *[GOLDEN / name for name in names])
            self.assertNotIn("Corruption", outcome.err)
            files = json.loads(outcome.out)["files"]
            self.assertEqual(len(files), len(names))
            for name, file in zip(names, files):
                self.assertIn(file["status"], ("ok", "unsupported", "io_error"))
                if command == "identify" and "custom-codec" not in name:
                    self.assertIs(file["valid"], True, name)

    def test_verdicts(self):
        folder = GOLDEN / "verdicts"
        lines = (folder / "verdicts.tsv").read_text().splitlines()[1:]
        self.assertEqual(len(lines), len(list(folder.glob("*.sst"))))
        for line in lines:
            name, verdict, fault = line.split("\t")
            with self.subTest(name):
                outcome = self.run_program("verify", folder / name)
                sound = verdict == "sound"
                self.assertEqual(outcome.code, 0 if sound else 1)
                self.assertEqual("The file is ok" in outcome.text, sound)
                self.assertIn("" if sound else fault, outcome.err)

    def both_forms(self, words, names):
        """Returns the results of two runs over many files.

        These are the exit code and errors of the first, and the status of each
        file in the document of the second.
        """
        outcome = self.run_program(*words, *names)
        document = json.loads(self.run_program(*words, "--json", *names).out)
        self.assertEqual([file["path"] for file in document["files"]], names)
        statuses = {file["path"]: file["status"]
                    for file in document["files"]}
        for name, status in statuses.items():
            # Each file is named if its part of the run failed.
            self.assertEqual(f"\n{name}: " in "\n" + outcome.err,
                             status != "ok", (words, name, status))
        self.assertEqual(outcome.code == 0,
                         set(statuses.values()) == {"ok"}, words)
        self.assertLessEqual(outcome.code, 2, words)
        return outcome.code, statuses

    def test_damaged(self):
        names = {}
        for path in sorted((GOLDEN / "bad").glob("*.sst")):
            os.symlink(path, self.folder / path.name)
            expected = (None if path.stem in OPEN else
                        "ok" if path.stem in HARMLESS else
                        "unsupported" if path.stem in UNSUPPORTED else
                        "corrupt")
            names.setdefault(expected, []).append(path.name)
        self.assertEqual(set(names), {None, "ok", "unsupported", "corrupt"})
        # Many tables at once: starting the program takes longer than a table.
        codes = {"ok": 0, "corrupt": 1, "unsupported": 2}
        for expected, some in names.items():
            for command in ("check", "verify"):
                code, statuses = self.both_forms([command], some)
                if (expected == "corrupt" or
                        expected is not None and command == "check"):
                    self.assertEqual(code, codes[expected], command)
                    self.assertEqual(statuses, dict.fromkeys(some, expected))
        every = sum(names.values(), [])
        for words in (["layout"], ["identify"], ["properties"],
                      ["raw", "--overwrite"], ["recompress"], ["stats"]):
            self.both_forms(words, every)
        for name in every:
            for command in ("rewrite", "salvage"):
                with self.subTest(name, command=command):
                    outcome = self.run_program(command, "--out=o",
                                               "--overwrite", name)
                    self.assertLessEqual(outcome.code, 2)
                    if outcome.code != 0:
                        self.assertIn(f"{name}: ", outcome.err)

    def test_properties_that_name_what_is_not_supported(self):
        for name, reason in (
            ("r119-custom-codec.sst", "GoldenCustom"),
            ("bad/compression-unknownmgr.sst", "Nobody"),
            ("bad/index-type-9.sst", "index type 9"),
        ):
            outcome = self.run_program("properties", GOLDEN / name)
            self.assertEqual(outcome.code, 2, name)
            self.assertRegex(outcome.err, f"Not supported: .*{reason}")
            self.assertRegex(outcome.text, r"(?m)^\s*# entries: [1-9]")
            outcome = self.run_program("properties", "--json", GOLDEN / name)
            file = json.loads(outcome.out)["files"][0]
            self.assertEqual(file["status"], "unsupported")
            self.assertIn("properties", file)

    def test_newer_version_is_not_damage(self):
        path = GOLDEN / "bad" / "foot-version8.sst"
        for command in ("identify", "verify", "properties", "check"):
            outcome = self.run_code(2, command, path)
            self.assertIn("Not supported: ", outcome.err)
            self.assertIn("format_version 8 is newer than this program reads",
                          outcome.err)

    def test_blob_references(self):
        path = GOLDEN / "r78-db-blob.sst"
        text = self.run_ok("scan", "--decode_blob_index", path).text
        self.assertIn("'key000000' seq:1, type:17 => [blob ref] file:10 "
                      "offset:71 size:200 compression: NoCompression\n", text)

    def test_embedded_blobs(self):
        path = GOLDEN / "r119-embedded.sst"
        text = self.run_ok("layout", path).text
        self.assertRegex(text, r"(?m)^ *\d+ +\d+ +blob +NoCompression .* ok$")
        self.assertNotIn(" gap ", text)
        # Each blob has its own checksum.
        line = next(row for row in text.splitlines() if " blob " in row)
        offset = int(line.split()[0])
        bad = bytearray(path.read_bytes())
        bad[offset] ^= 1
        damaged = self.folder / "embedded.sst"
        damaged.write_bytes(bad)
        outcome = self.run_code(1, "verify", damaged)
        self.assertIn(f"block checksum mismatch in blob block #0 offset "
                      f"{offset} ", outcome.err)

    def test_wide_columns(self):
        path = GOLDEN / "r119-embedded.sst"
        text = self.run_ok("scan", path).text
        self.assertIn("'user0000000503' seq:0, type:22 => :000000000000 "
                      "col:small zz:000000\n", text)
        text = self.run_ok("scan", "--output_hex", path).text
        self.assertIn("' seq:0, type:22 => :303030303030303030303030 "
                      "636F6C:736D616C6C 7A7A:303030303030\n", text)


if __name__ == "__main__":
    cli.main()
