"""report of a database: its numbers are those of the MANIFEST and the sums of
what reports of its tables say; the page is small and shows every fault.
"""

import json
import os
import re
import shutil
import subprocess

import cli
import forged_database
from ashlar_report_test import HOSTILE, MOST_BYTES, XHTML, Page, number
from cli import GOLDEN, CliTest, hex_rows, numbered_rows

DATABASES = GOLDEN / "db"
WEIRD = "we=ird #name\\[\"日\"]"
MOST_BOXES = 1000
MOST_LANES = 20


def listed(name):
    """What RocksDB says of a database, and of its families by their names."""
    text = (DATABASES / f"{name}.json").read_text(encoding="utf-8")
    database = json.loads(text)
    return database, {family["name"]: family
                      for family in database["column_families"]}


def path_of(database, file):
    folder = database / "second" if file["path_id"] else database
    return folder / f"{file['number']:06}.sst"


def bounds(file):
    """Returns the first user key, the last one, and whether that is only the
    end of a range deletion."""
    largest = bytes.fromhex(file["largest"])
    return (bytes.fromhex(file["smallest"])[:-8], largest[:-8],
            largest[-8:] == b"\x0f" + 7 * b"\xff")


def overlap(one, other, reverse):
    def precede(a, b):
        last, first = bounds(a)[1], bounds(b)[0]
        if last == first:
            return bounds(a)[2]
        return (last > first) if reverse else (last < first)
    return not precede(one, other) and not precede(other, one)


class DatabaseReportTest(CliTest):

    def report(self, database, *flags, code=0):
        """Returns what --json says of a database, and its page."""
        outcome = self.run_program("report", "--json", "--out=x.html",
                                   "--overwrite", *flags, database)
        self.assertEqual(outcome.code, code, outcome.err)
        data = (self.folder / "x.html").read_bytes()
        self.assertLess(len(data), MOST_BYTES)
        self.assertEqual(re.findall(rb"https?://(?!www\.w3\.org/1999/xhtml)",
                                    data), [])
        return json.loads(outcome.text)["files"][0], Page(data)

    def cases(self):
        """Yields name, family and flags of sound databases."""
        for name, family, *flags in (
                ("multi-cf", "default"), ("multi-cf", "users"),
                ("multi-cf", WEIRD), ("multi-cf", "late"),
                ("atomic", "default"), ("options", "default"),
                ("features", "default", "--db_paths=@,@/second")):
            yield name, family, [f"--cf={family}", *(
                flag.replace("@", str(DATABASES / name)) for flag in flags)]

    def test_facts_are_those_of_rocksdb(self):
        for name, family, flags in self.cases():
            database, families = listed(name)
            files = families[family]["files"]
            found, page = self.report(DATABASES / name, *flags)
            facts = found["database"]
            self.assertEqual(
                (facts["name"], facts["column_family"], facts["comparator"],
                 facts["db_id"], facts["last_sequence"],
                 facts["column_families"]),
                (name, family, families[family]["comparator"],
                 database["db_id"], database["last_sequence"], len(families)))
            current = (DATABASES / name / "CURRENT").read_text()
            self.assertEqual(facts["manifest"] + "\n", current)
            blobs = families[family]["blob_files"]
            self.assertEqual(facts["blob_files"], len(blobs))
            self.assertEqual(found["tables"], len(files))
            self.assertEqual(found["file_bytes"],
                             sum(file["size"] for file in files))
            by_level = {}
            for file in files:
                by_level.setdefault(file["level"], []).append(file["size"])
            self.assertEqual(
                [(level["level"], level["files"], level["file_bytes"])
                 for level in found["levels"]],
                [(level, len(sizes), sum(sizes))
                 for level, sizes in sorted(by_level.items())])
            rows = page.rows("levels")
            self.assertEqual([row[:2] for row in rows],
                             [[f"level {level}", str(len(sizes))]
                              for level, sizes in sorted(by_level.items())])
            text = "".join(page.root.itertext())
            self.assertIn(facts["manifest"], text)
            self.assertIn(facts["comparator"], text)
            self.assertIn("ok", page.verdict.get("class"))

    def test_sums_are_those_of_the_tables(self):
        for name, family, flags in self.cases():
            files = listed(name)[1][family]["files"]
            found, page = self.report(DATABASES / name, *flags, "--sample=0")
            sums = {member: 0 for member in (
                "blocks_ok", "blocks_bad", "data_blocks", "decoded_blocks")}
            kinds, types, levels = {}, {}, {}
            keys = []
            for file in files:
                outcome = self.run_ok("report", "--json", "--sample=0",
                                      "--overwrite", "--out=t.html",
                                      path_of(DATABASES / name, file))
                alone = json.loads(outcome.text)["files"][0]
                for member in sums:
                    sums[member] += alone[member]
                for kind, total in alone["kinds"].items():
                    blocks, size = kinds.get(kind, (0, 0))
                    kinds[kind] = (blocks + total["blocks"],
                                   size + total["bytes"])
                for word, count in alone["types"].items():
                    types[word] = types.get(word, 0) + count
                if "key_size" in alone:
                    keys.append(alone["key_size"])
                level = levels.setdefault(file["level"], [0] * 4)
                for i, members in enumerate((
                        ["num_entries"], ["num_deletions"], ["data_size"],
                        ["raw_key_size", "raw_value_size"])):
                    level[i] += sum(alone["properties"][member]
                                    for member in members)
            self.assertEqual({member: found[member] for member in sums}, sums)
            self.assertEqual({kind: (total["blocks"], total["bytes"])
                              for kind, total in found["kinds"].items()}, kinds)
            self.assertEqual(found["types"], types)
            if keys:
                self.assertEqual(found["key_size"]["min"],
                                 min(sizes["min"] for sizes in keys))
                self.assertEqual(found["key_size"]["max"],
                                 max(sizes["max"] for sizes in keys))
            self.assertEqual(
                {level["level"]: [level["entries"], level["deletions"],
                                  level["data_bytes"], level["raw_bytes"]]
                 for level in found["levels"]}, levels)
            self.assertEqual({row[0]: number(row[1])
                              for row in page.rows("types")}, types)
            self.check_lists(found, files)

    def check_lists(self, found, files):
        by_size = sorted(files, key=lambda file: (-file["size"],
                                                  file["number"]))
        self.assertEqual(
            [(table["file"], table["level"], table["file_bytes"])
             for table in found["largest_tables"]],
            [(f"{file['number']:06}.sst", file["level"], file["size"])
             for file in by_size[:10]])
        deletions = [table["deletions"] for table in found["most_deletions"]]
        self.assertEqual(deletions, sorted(deletions, reverse=True))
        if len(files) <= 10:
            self.assertEqual(sum(deletions), sum(
                level["deletions"] for level in found["levels"]))
        self.assertNotIn(0, deletions)

    def test_places_are_those_of_the_keys(self):
        for name, family, flags in self.cases():
            description = listed(name)[1][family]
            reverse = "Reverse" in description["comparator"]
            files = description["files"]
            found, _ = self.report(DATABASES / name, *flags)
            levels = sorted({file["level"] for file in files})
            of_level = {level: [file for file in files
                                if file["level"] == level] for level in levels}
            for upper, lower, level in zip(levels, levels[1:],
                                           found["levels"]):
                self.assertEqual(level["overlapped_bytes"], sum(
                    below["size"] for file in of_level[upper]
                    for below in of_level[lower]
                    if overlap(file, below, reverse)))
            if levels:
                self.assertNotIn("overlapped_bytes", found["levels"][-1])
            boxes = found["level_map"]["boxes"]
            self.assertEqual(
                sorted((box["file"], box["level"], box["tables"])
                       for box in boxes),
                sorted((f"{file['number']:06}.sst", file["level"], 1)
                       for file in files))
            by_name = {f"{file['number']:06}.sst": file for file in files}
            for box in boxes:
                file = by_name[box["file"]]
                self.assertEqual(
                    (bytes.fromhex(box["smallest"]),
                     bytes.fromhex(box["largest"])), bounds(file)[:2])
                self.assertLess(box["begin"], box["end"])
                self.assertLessEqual(box["end"], found["level_map"]["places"])
                for other in boxes:
                    meet = (box["begin"] < other["end"] and
                            other["begin"] < box["end"])
                    self.assertEqual(meet, overlap(
                        file, by_name[other["file"]], reverse))
                    if meet and box is not other:
                        self.assertNotEqual((box["level"], box["lane"]),
                                            (other["level"], other["lane"]))

    def test_exclusive_ends(self):
        """Tables that end where a range deletion ends, before the key at which
        the next one begins."""
        self.build_once("one.sst", numbered_rows(10))
        path = self.folder / "one.sst"
        size = path.stat().st_size
        forged = self.folder / "forged"
        forged_database.write(forged, [
            forged_database.new_table(1, 10, size, b"a", b"k", 0, True),
            forged_database.new_table(1, 11, size, b"k", b"p", 0, True),
            forged_database.new_table(2, 12, size, b"b", b"c"),
            forged_database.new_table(2, 13, size, b"k", b"l"),
            forged_database.new_table(2, 14, size, b"p", b"q")])
        forged_database.link_tables(forged, path, range(10, 15))
        found, _ = self.report(forged)
        self.assertEqual(found["levels"][0]["overlapped_bytes"], 2 * size)
        boxes = found["level_map"]["boxes"]
        self.assertEqual([box["lane"] for box in boxes], [0] * 5)
        self.assertLessEqual(boxes[0]["end"], boxes[1]["begin"])
        self.assertLessEqual(boxes[1]["end"], boxes[4]["begin"])

    def test_common_properties(self):
        database = DATABASES / "multi-cf"
        found, page = self.report(database)
        by_label = {}
        for file in listed("multi-cf")[1]["default"]["files"]:
            text = self.run_ok("properties", path_of(database, file)).text
            text = text.split("  Raw user collected properties")[0]
            for label, value in re.findall("(?m)^  ([^:]+): (.*)$", text):
                by_label.setdefault(label, set()).add(value)
        self.assertGreater(len(by_label), 30)
        self.assertEqual(
            {each["label"]: each["text"]
             for each in found["common_properties"]},
            {label: values.pop() for label, values in by_label.items()
             if len(values) == 1})
        self.assertEqual(set(found["differing_properties"]),
                         {label for label, values in by_label.items()
                          if len(values) > 1})
        text = "".join(page.root.itertext())
        self.assertIn("They differ in: ", text)

    def copied(self):
        copy = self.folder / "db"
        shutil.copytree(DATABASES / "multi-cf", copy)
        return copy

    def test_faults_name_their_tables(self):
        copy = self.copied()
        (copy / "000045.sst").unlink()
        self.flip(copy / "000027.sst", 20)
        with open(copy / "000033.sst", "ab") as file:
            file.write(b"x")
        (copy / "000099.log").write_bytes(b"entries")
        # Even if no block of theirs is decoded.
        for flags in ([], ["--sample=1"]):
            outcome = self.run_code(2, "report", "--overwrite", *flags, copy)
            self.assertIn("Corruption: 000027.sst: ", outcome.err)
            found, page = self.report(copy, *flags, code=2)
            self.assertEqual(found["tables"], 7)
            self.assertEqual(found["bad_tables"], 3)
            self.assertEqual(found["database"]["write_ahead_logs"], 1)
            self.assertEqual({fault["file"] for fault in found["faults"]},
                             {"000045.sst", "000027.sst", "000033.sst"})
            self.assertEqual(found["faults_total"], len(found["faults"]))
            self.assertEqual(
                sorted(box["file"] for box in found["level_map"]["boxes"]
                       if box["bad_tables"]),
                ["000027.sst", "000033.sst", "000045.sst"])
            verdict = "".join(page.verdict.itertext())
            self.assertIn("bad", page.verdict.get("class").split())
            self.assertIn("3 of 7 tables are damaged", verdict)
            for word in ("000045.sst", "000027.sst, data block 0",
                         "000033.sst", "the MANIFEST says 1441",
                         "1 write-ahead log"):
                self.assertIn(word, verdict)
            self.assertEqual(len([box for box in page.of_class("box")
                                  if "DAMAGED" in box.get("title", "")]), 3)

    def test_faults_of_sums_name_their_tables(self):
        copy = self.copied()
        self.flip(copy / "000027.sst", 20)
        for command in (["stats"], ["space", "--prefix_length=2"]):
            outcome = self.run_code(1, *command, copy)
            self.assertIn(f"{copy}: Corruption: 000027.sst: block checksum",
                          outcome.err)
            outcome = self.run_code(1, *command, copy / "000027.sst")
            self.assertIn("000027.sst: Corruption: block checksum",
                          outcome.err)

    def test_prefixes_are_summed_over_tables_that_overlap(self):
        folder = self.folder / "forged"
        folder.mkdir()
        counts = [[20 if i == 0 else 20 + 2 * i for i in range(12)],
                  [90 if i == 0 else 20 + 2 * i for i in range(12)]]
        fields = []
        for table, number in zip(counts, (10, 11)):
            path = folder / f"{number:06}.sst"
            self.build(path, hex_rows(
                [(b"p%02d:%03d" % (prefix, i), number, 1, b"")
                 for prefix, count in enumerate(table) for i in range(count)]))
            fields.append(forged_database.new_table(
                0, number, path.stat().st_size, b"p00:000", b"p11:041", number))
        forged_database.write(folder, fields)
        document = json.loads(self.run_ok(
            "stats", "--json", "--prefix_separator=:", folder).out)
        level, = document["files"][0]["levels"]
        both = {b"p%02d" % i: counts[0][i] + counts[1][i] for i in range(12)}
        heaviest = sorted(both.items(), key=lambda each: (-each[1], each[0]))
        self.assertEqual(
            [(bytes.fromhex(each["prefix"]), each["entries"])
             for each in level["prefixes"]], heaviest[:10])
        self.assertIn((b"p00", 110), heaviest[:10])

    def test_tables_in_folders_that_are_not_named(self):
        found, page = self.report(DATABASES / "features", code=2)
        files = listed("features")[1]["default"]["files"]
        elsewhere = [file for file in files if file["path_id"]]
        self.assertTrue(elsewhere)
        self.assertEqual((found["tables"], found["bad_tables"]),
                         (len(files), len(elsewhere)))
        verdict = "".join(page.verdict.itertext())
        self.assertIn("odd", page.verdict.get("class").split())
        self.assertIn("cannot be read by this program", verdict)
        self.assertIn("name all of its paths with --db_paths", verdict)

    def test_no_database_no_page(self):
        for flags, word in (([DATABASES / "atomic-badcrc"], "checksum"),
                            ([DATABASES / "atomic", "--cf=x"], "named 'x'")):
            outcome = self.run_program("report", *flags)
            self.assertIn(outcome.code, (1, 2))
            self.assertIn(word, outcome.err)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_where_pages_are_written(self):
        copy = self.copied()
        outcome = self.run_ok("report", "db/")
        self.assertIn("report written to file db_report.html", outcome.text)
        self.run_code(2, "report", "db")  # the page exists
        self.run_ok("report", ".", "--out=../x.html", cwd=copy)
        document = json.loads(self.run_ok("report", "--json", "--overwrite",
                                          copy / "." / "..", "--each_table",
                                          "--recursive").text)
        self.assertEqual(len(document["files"]), 12)
        # Each table by itself: still in the current folder.
        self.assertTrue((self.folder / "000015_report.html").exists())
        self.assertEqual(list(copy.glob("*.html")), [])
        # A table that is named has its page next to it.
        self.run_ok("report", copy / "000015.sst")
        self.assertTrue((copy / "000015_report.html").exists())

    def test_name_of_a_folder_without_a_name(self):
        copy = self.copied()
        self.run_ok("report", ".", cwd=copy)
        Page((copy / "db_report.html").read_bytes())

    def run_program(self, *arguments, cwd=None, **more):
        if cwd is None:
            return super().run_program(*arguments, **more)
        folder, self.folder = self.folder, cwd
        try:
            return super().run_program(*arguments, **more)
        finally:
            self.folder = folder

    def test_no_page_is_written_twice(self):
        for name in ("one", "two"):
            (self.folder / name).mkdir()
            self.build_once(f"{name}/a.sst", numbered_rows(10))
        outcome = self.run_code(2, "report", "--overwrite", "one", "./two")
        self.assertIn("a_report.html is the page of one/a.sst", outcome.err)
        (self.folder / "a_report.html").unlink()
        outcome = self.run_code(2, "report", "--recursive", "--overwrite", ".")
        self.assertIn("a_report.html is the page of ./one/a.sst", outcome.err)
        self.build_once("a.sst", numbered_rows(10))
        outcome = self.run_code(2, "report", "--overwrite", "one", "./a.sst")
        self.assertIn("is the page of one/a.sst", outcome.err)
        shutil.copytree(DATABASES / "multi-cf", self.folder / "one" / "db")
        shutil.copytree(DATABASES / "multi-cf", self.folder / "two" / "db")
        outcome = self.run_code(2, "report", "--overwrite", "one/db", "two/db")
        self.assertIn("db_report.html is the page of one/db", outcome.err)

    def test_files_of_the_database_are_never_overwritten(self):
        copy = self.copied()
        before = {path.name: path.read_bytes() for path in copy.iterdir()}
        os.symlink(copy / "CURRENT", self.folder / "link")
        for name in ("db/000015.sst", "db/CURRENT", "db/../db/OPTIONS-000043",
                     "link"):
            outcome = self.run_program("report", "--overwrite",
                                       f"--out={name}", "db")
            if (self.folder / name).exists():
                self.assertEqual(outcome.code, 2, name)
                self.assertIn("whose files are never overwritten", outcome.err)
        for name, data in before.items():
            self.assertEqual((copy / name).read_bytes(), data, name)
        self.assert_usage_error(
            "--out takes the report of one file or database only", "report",
            "--out=x", "db", "db")

    def test_many_tables(self):
        count = 3000
        self.build_once("one.sst", numbered_rows(300), "--block_size=500")
        path = self.folder / "one.sst"
        size = path.stat().st_size
        fields = []
        for i in range(count):
            key = b"%06d" % i + b"<" * 300
            # 100 tables of level 0 that all overlap.
            fields.append(forged_database.new_table(
                0 if i < 100 else 1, 10 + i, size,
                b"0" if i < 100 else key,
                b"9" if i < 100 else key + b"<", i))
        forged = self.folder / "forged"
        forged_database.write(forged, fields)
        forged_database.link_tables(forged, path, range(10, 10 + count))
        found, page = self.report(forged, "--sample=500")
        self.assertEqual(found["tables"], count)
        self.assertEqual(found["decoded_blocks"], 500)
        boxes = found["level_map"]["boxes"]
        self.assertLessEqual(len(boxes), MOST_BOXES)
        self.assertGreater(len(boxes), MOST_BOXES // 2)
        self.assertEqual(sum(box["tables"] for box in boxes), count)
        self.assertEqual(sum(box["file_bytes"] for box in boxes),
                         count * size)
        self.assertLess(max(box["lane"] for box in boxes), MOST_LANES)
        self.assertEqual(
            {level["level"]: level["files"] for level in found["levels"]},
            {0: 100, 1: count - 100})
        self.assertEqual(len(found["largest_tables"]), 10)
        # Every table is damaged.
        self.flip("one.sst", 5)
        found, page = self.report(forged, code=1)
        self.assertEqual(found["bad_tables"], count)
        self.assertEqual(len(found["faults"]), 200)
        self.assertGreaterEqual(found["faults_total"], count)
        self.assertIn("more faults", "".join(page.verdict.itertext()))

    def test_sample_is_spread_over_all_tables(self):
        self.build_once("one.sst", numbered_rows(300), "--block_size=500")
        path = self.folder / "one.sst"
        forged = self.folder / "forged"
        forged_database.write(forged, [
            forged_database.new_table(1, i, path.stat().st_size,
                                      b"%06d" % i, b"%06dx" % i)
            for i in range(10, 20)])
        forged_database.link_tables(forged, path, range(10, 20))
        found, page = self.report(forged, "--sample=10")
        self.assertEqual(found["decoded_blocks"], 10)
        # The same block of each table.
        self.assertEqual(found["raw_size"]["min"], found["raw_size"]["max"])
        self.assertIn("figures come from this sample",
                      "".join(page.verdict.itertext()))
        for wanted in (1, 35, 1 << 40, (1 << 64) - 1):
            found, _ = self.report(forged, f"--sample={wanted}")
            self.assertEqual(found["decoded_blocks"],
                             min(wanted, found["data_blocks"]))

    def test_hostile_names_and_keys(self):
        name = "<img src=x onerror=y>&\u202e\x1b[2J"
        rows = [(key, i, 1, key) for i, key in enumerate(sorted(HOSTILE), 1)]
        self.build("one.sst", hex_rows(rows))
        path = self.folder / "one.sst"
        keys = sorted(HOSTILE)
        family = b"<script>alert(1)</script>\xff\x1b[2J"
        forged = self.folder / name
        forged_database.write(forged, [
            forged_database.new_table(0, 10 + i, path.stat().st_size, key,
                                      keys[-1], i)
            for i, key in enumerate(keys)], family,
            identity=b"</style><i>\x1b]0;")
        forged_database.link_tables(forged, path, range(10, 10 + len(keys)))
        outcome = self.run_ok("report", "--cf=" + os.fsdecode(family), name)
        self.assertNotIn("\x1b", outcome.err + outcome.text)
        page = Page((self.folder / f"{name}_report.html").read_bytes())
        for word in (b"<script>alert", b"<img", b"<i>", b"</title></style>",
                     b"\x1b", "\u202e".encode()):
            self.assertNotIn(word, page.data)
        self.assertEqual(len(list(page.root.iter(XHTML + "script"))), 1)
        text = "".join(page.root.itertext())
        self.assertIn("<script>alert(1)</script>", text)
        self.assertIn("</style><i>\\x1B]0;", text)

    def test_page_is_drawn_from_the_document(self):
        program = os.environ.get("ASHLAR_DRAW_PAGE")
        if program is None:
            self.skipTest("ASHLAR_DRAW_PAGE is not set")
        for name, _, flags in self.cases():
            outcome = self.run_ok("report", "--json", "--overwrite",
                                  "--out=x.html", *flags, DATABASES / name)
            drawn = subprocess.run([program], input=outcome.out,
                                   stdout=subprocess.PIPE, check=True).stdout
            self.assertEqual((self.folder / "x.html").read_bytes(), drawn)


if __name__ == "__main__":
    cli.main()
