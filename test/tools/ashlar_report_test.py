"""report: the page is well-formed and small, and shows every fault.

Its numbers agree with those of other commands.
"""

import datetime
import json
import os
import random
import re
import subprocess
import unittest
import xml.etree.ElementTree as ElementTree

import cli
import forged_table
from cli import GOLDEN, CliTest, hex_rows, numbered_rows

XHTML = "{http://www.w3.org/1999/xhtml}"
MOST_BYTES = 2_000_000
HOSTILE = [b"<script>alert(1)</script>", b"]]>", b"&amp;&#39;\"'<i>",
           b"\x00\xff\xfe\r\n\t", "\u202edrow".encode(), b"</title></style>",
           b"--><!--", b"a" * 5000]


class Page:
    """A page, read by a parser that accepts only well-formed XML."""

    def __init__(self, data):
        self.data = data
        self.root = ElementTree.fromstring(data)

    def of_class(self, word):
        return [element for element in self.root.iter()
                if word in element.get("class", "").split()]

    @property
    def verdict(self):
        return self.of_class("verdict")[0]

    @property
    def cells(self):
        maps = self.of_class("map")
        return list(maps[0]) if maps else []

    def rows(self, section, heads=1):
        """Returns the rows of the table in a section, with cells as text."""
        for element in self.root.iter(XHTML + "section"):
            if element.get("aria-labelledby") == section:
                return [["".join(cell.itertext()) for cell in row]
                        for row in element.iter(XHTML + "tr")][heads:]
        return []


def number(text):
    return int(text.replace(",", ""))


class ReportTest(CliTest):

    def page(self, *arguments, code=0):
        outcome = self.run_program("report", "--out=-", *arguments)
        self.assertEqual(outcome.code, code, outcome.err)
        self.assertLess(len(outcome.out), MOST_BYTES)
        self.assertEqual(re.findall(rb"https?://(?!www\.w3\.org/1999/xhtml)",
                                    outcome.out), [])
        return Page(outcome.out)

    def json_of(self, command, name):
        return json.loads(
            self.run_program(command, "--json", name).out)["files"][0]

    def build_usual(self, *flags):
        return self.build_once(
            "good.sst", numbered_rows(2000), "--block_size=500",
            "--identity=01", *flags)

    def test_says_what_stats_and_layout_say(self):
        self.build_usual("--partition_index", "--partition_filters")
        page = self.page("--sample=0", "good.sst")
        self.assertIn("sound", "".join(page.verdict.itertext()))
        stats = self.json_of("stats", "good.sst")
        kinds = {row[0]: (number(row[1]), number(row[2]))
                 for row in page.rows("kinds")}
        self.assertEqual(kinds, {
            kind: (total["blocks"], total["bytes"])
            for kind, total in stats["kinds"].items()})
        types = {row[0]: number(row[1]) for row in page.rows("types")}
        self.assertEqual(types, stats["types"])
        percentiles = [
            [float(cell.text.replace(",", "")) for cell in row]
            for table in page.of_class("percentiles")
            for row in list(table.iter(XHTML + "tr"))[1:]]
        self.assertEqual(
            percentiles,
            [[stats[name][key] for key in ("min", "p50", "p90", "p99", "max")]
             for name in ("key_size", "value_size", "entries_per_block",
                          "raw_size", "stored_size", "ratio")])
        text = "".join(page.root.itertext())
        filters = stats["filter"]
        self.assertIn("%.2f" % filters["bits_per_key"], text)
        self.assertIn("%.3f %%" % (100 * filters["bloom_rate"]), text)
        self.assertIn("%.3f %%" % (100 * filters["measured_rate"]), text)
        blocks = self.json_of("layout", "good.sst")["blocks"]
        self.assertEqual(len(page.cells), len(blocks))
        for cell, block in zip(page.cells, blocks):
            self.assertIn(f"offset {block['offset']:,},", cell.get("title"))

    def test_sample(self):
        self.build_usual()
        blocks = len([block for block
                      in self.json_of("layout", "good.sst")["blocks"]
                      if block["kind"] == "data"])
        page = self.page("--sample=7", "good.sst")
        self.assertIn(f"Of {blocks} data blocks 7 were",
                      "".join(page.verdict.itertext()))
        self.assertEqual(
            len([cell for cell in page.cells
                 if "no" in cell.get("class").split()]), blocks - 7 + 1)
        self.assertLess(sum(number(row[1]) for row in page.rows("types")), 2000)
        kinds = {row[0]: number(row[1]) for row in page.rows("kinds")}
        self.assertEqual(kinds["data"], blocks)

    def test_codecs_are_compared(self):
        # Values repeat in other blocks, but rarely in the same one.
        source = random.Random(11)
        values = [source.randbytes(50).hex().encode() for _ in range(100)]
        self.build("good.sst", hex_rows(
            (b"key%06d" % i, 0, 1, source.choice(values))
            for i in range(3000)), "--compression_type=none")
        rows = {row[0]: row for row in self.page("good.sst").rows("codecs")}
        share = {name: float(row[1].split()[0]) for name, row in rows.items()}
        self.assertGreater(share["as stored"], 99)
        self.assertGreater(share["NoCompression"], 99)
        self.assertLess(share["ZSTD 3"], 70)
        self.assertLess(share["ZSTD 3 + dictionary"], share["ZSTD 3"])
        self.assertLess(share["Zlib 6"], share["Snappy"])

    def test_best_trade_offs_are_at_the_top_right(self):
        self.build_usual()
        page = self.page("good.sst")
        field = page.of_class("points")[0]
        dots, speeds, shares, labels = [], [], [], []
        for item in field:
            words = item.get("class").split()
            at = {name: float(value.rstrip("%")) for name, value in (
                part.split(":") for part in item.get("style").split(";"))}
            text = "".join(item.itertext())
            if words[0] in ("best", "other"):
                name, numbers = item.get("title").rsplit(": ", 1)
                share, speed = re.fullmatch(
                    r"([0-9.]+) %, ([0-9]+) MB/s", numbers).groups()
                dots.append((at["left"], at["bottom"], float(share),
                             float(speed), name, words[0] == "best"))
            elif words[0] == "speed":
                speeds.append((at["left"], float(text)))
            elif words[0] == "share":
                shares.append((at["bottom"], float(text.split()[0])))
            elif words[0] == "name":
                labels.append((at, text, words[1:]))
        self.assertGreater(len(dots), 3)
        for one in dots:
            for other in dots:
                if one[3] > other[3]:  # faster
                    self.assertGreaterEqual(one[0], other[0])
                if one[2] < other[2]:  # smaller
                    self.assertGreater(one[1], other[1])
        for ticks in (speeds, shares):
            self.assertGreater(len(ticks), 1)
        self.assertEqual(speeds, sorted(speeds))
        # Smaller is higher.
        self.assertEqual([tick[1] for tick in sorted(shares)],
                         sorted((tick[1] for tick in shares), reverse=True))
        for bottom, share in shares:
            for dot in dots:
                if dot[2] < share - 0.1:
                    self.assertGreater(dot[1], bottom)
                elif dot[2] > share + 0.1:
                    self.assertLess(dot[1], bottom)
        best = {dot[4].replace(" + dictionary", "+") for dot in dots if dot[5]}
        self.assertTrue(labels)
        self.assertLessEqual({text for _, text, _ in labels}, best)
        self.check_labels_are_apart(labels, dots)

    def check_labels_are_apart(self, labels, dots):
        """Places labels as the style does on a narrow screen."""
        width, height, letter, line, dot = 297, 230, 6.2, 15, 5
        taken = [(left * width / 100 - dot, left * width / 100 + dot,
                  bottom * height / 100 - dot, bottom * height / 100 + dot)
                 for left, bottom, *_ in dots]
        for at, text, words in labels:
            x, y = at["left"] * width / 100, at["bottom"] * height / 100
            size = letter * len(text)
            left = (x + 8 if "right" in words else x - 8 - size
                    if "left" in words else x - size / 2)
            middle = y + (14 if "above" in words else
                          -14 if "below" in words else 10 if "up" in words else
                          -10 if "down" in words else 0)
            box = (left, left + size, middle - line / 2, middle + line / 2)
            for other in taken:
                self.assertFalse(
                    box[0] < other[1] and other[0] < box[1] and
                    box[2] < other[3] and other[2] < box[3], (text, other))
            taken.append(box)

    def test_blocks_beyond_a_damaged_index(self):
        self.build_usual()
        blocks = self.json_of("layout", "good.sst")["blocks"]
        data_blocks = [block for block in blocks if block["kind"] == "data"]
        index, = (block for block in blocks if block["kind"] == "index")
        self.flip("good.sst", index["offset"] + 9, to="bad.sst")
        good = (self.folder / "good.sst").read_bytes()
        # A part of a block more than the first half of them.
        half = data_blocks[:len(data_blocks) // 2]
        end = half[-1]["offset"] + half[-1]["size"] + 5
        (self.folder / "cut.sst").write_bytes(good[:end + 100])
        for name, expected, lost in (("bad.sst", data_blocks, 0),
                                     ("cut.sst", half, 100)):
            for flags in ([], ["--sample=3"]):
                page = self.page(*flags, name, code=1)
                cells = [cell.get("title") for cell in page.cells
                         if cell.get("title").startswith("data block ")]
                self.assertEqual(len(cells), len(expected))
                for cell, block in zip(cells, expected):
                    self.assertIn(f"offset {block['offset']:,},", cell)
                verdict = "".join(page.verdict.itertext())
                self.assertIn(f"{len(expected)} of the data blocks were found "
                              f"in this way, and {lost} B belong to no block",
                              verdict)
            outcome = self.run_program("report", "--json", "--overwrite",
                                       "--sample=0", "--out=x.html", name)
            report = json.loads(outcome.text)["files"][0]
            self.assertEqual(report["found_blocks"], len(expected))
            self.assertEqual(report["lost_bytes_total"], lost)
            parts = report["key_space"]["parts"]
            self.assertAlmostEqual(
                sum(part["bytes"] for part in parts),
                sum(block["size"] + 5 for block in expected), delta=1)
        self.assertIn("end of the table is damaged or missing", verdict)
        page = self.page("good.sst")
        self.assertNotIn("found in this way",
                         "".join(page.verdict.itertext()))

    def test_dates_and_hint(self):
        path = GOLDEN / "db" / "multi-cf" / "000015.sst"
        properties = json.loads(self.run_ok(
            "properties", "--json", path).out)["files"][0]["properties"]
        page = self.page(path)
        rows = {row[0]: row[1] for row in page.rows("properties", 0)}
        for label, name in (("creation time", "creation_time"),
                            ("file creation time", "file_creation_time"),
                            ("time stamp of earliest key",
                             "oldest_key_time")):
            seconds = properties[name]
            date = datetime.datetime.fromtimestamp(seconds,
                                                   datetime.timezone.utc)
            self.assertEqual(rows[label], f"{date:%Y-%m-%d %H:%M:%S} UTC"
                             if seconds else "unknown")
        self.assertTrue([row for row in rows.values()
                         if row.endswith(" UTC")])
        hint, = page.of_class("detail")
        self.assertIn("Point at a cell", hint.text)

    def test_hostile_times(self):
        self.build_once("plain.sst", numbered_rows(9), *forged_table.PLAIN)
        plain = (self.folder / "plain.sst").read_bytes()
        for seconds, shown in (
                (0, "unknown"), (1, "1970-01-01 00:00:01 UTC"),
                (951782400 + 86399, "2000-02-29 23:59:59 UTC"),
                (253402300799, "9999-12-31 23:59:59 UTC"),
                (253402300800, "253402300800"),
                (2**64 - 1, str(2**64 - 1))):
            (self.folder / "t.sst").write_bytes(forged_table.with_properties(
                plain, {b"rocksdb.creation.time":
                        forged_table.varint(seconds)}))
            rows = {row[0]: row[1] for row
                    in self.page("t.sst").rows("properties", 0)}
            self.assertEqual(rows["creation time"], shown)

    def test_one_byte_of_each_block(self):
        self.build_usual()
        good = (self.folder / "good.sst").read_bytes()
        seen = set()
        for block in self.json_of("layout", "good.sst")["blocks"]:
            if block["kind"] in seen:
                continue
            seen.add(block["kind"])
            data = bytearray(good)
            data[block["offset"] + block["size"] // 2] ^= 0x40
            (self.folder / "bad.sst").write_bytes(data)
            # Even if no data block is decoded.
            page = self.page("--sample=1", "bad.sst", code=1)
            self.assertIn("bad", page.verdict.get("class"), block)
            verdict = "".join(page.verdict.itertext())
            self.assertIn(f"offset {block['offset']:,}, ", verdict)
            if block["kind"] != "footer":
                self.assertTrue(
                    [cell for cell in page.cells
                     if "DAMAGED" in cell.get("title")
                     and "bad" in cell.get("class").split()], block)

    def test_golden_files(self):
        for name in ("r119-rangedel-only", "r119-reverse", "r119-ts",
                     "r119-ts-stripped", "r119-types", "r119-userprops",
                     "r119-embedded", "r119-partfilter-ribbon", "ldb-bloom",
                     "r119-superalign", "peb-zstd", "r119-one"):
            suffix = ".ldb" if name.startswith("ldb") else ".sst"
            page = self.page(GOLDEN / (name + suffix))
            self.assertIn("ok", page.verdict.get("class"), name)

    def test_bad_golden_files(self):
        names = []
        for path in sorted((GOLDEN / "bad").glob("*.sst")):
            os.symlink(path, self.folder / path.name)
            names.append(path.name)
        # Many tables at once: starting the program takes longer than a table.
        verified, reported = (
            {file["path"]: file["status"] for file in json.loads(
                self.run_program(*words, "--json", *names).out)["files"]}
            for words in (["verify"], ["report"]))
        self.assertEqual(list(verified), names)
        self.assertEqual(reported, verified)
        for name in names:
            page = Page((self.folder / name.replace(".sst", "_report.html"))
                        .read_bytes())
            self.assertEqual("ok" in page.verdict.get("class").split(),
                             verified[name] == "ok", name)

    def test_hostile_keys_and_names(self):
        rows = hex_rows((key, i, 1, key) for i, key
                        in enumerate(sorted(HOSTILE), 1))
        name = "<img src=x onerror=y>&\".sst"
        self.build(name, rows, "--block_size=1")
        page = self.page(name)
        for word in (b"<script>alert", b"<img", b"<i>", b"</title></style>"):
            self.assertNotIn(word, page.data)
        self.assertNotIn("\u202e".encode(), page.data)
        self.assertEqual(len(list(page.root.iter(XHTML + "script"))), 1)
        self.assertIn("<img src=x onerror=y>&\".sst",
                      "".join(page.root.itertext()))

    def test_page_stays_small(self):
        # One entry per block, every other block damaged, and keys that grow
        # when they are escaped.
        count = 8000
        self.build("many.sst",
                   hex_rows((b"%06d" % i + b"<" * 300, 0, 1, b"v")
                            for i in range(count)), "--block_size=1",
                   "--compression_type=none")
        data = bytearray((self.folder / "many.sst").read_bytes())
        blocks = self.json_of("layout", "many.sst")["blocks"]
        self.assertGreaterEqual(len(blocks), count)
        for block in blocks[0:count:2]:
            data[block["offset"] + 3] ^= 1
        (self.folder / "bad.sst").write_bytes(data)
        for arguments, code in ((("many.sst",), 0), (("bad.sst",), 1),
                                (("--sample=0", "bad.sst"), 1)):
            page = self.page(*arguments, code=code)
            self.assertLessEqual(len(page.cells), 1200)
            self.assertGreaterEqual(len(page.cells), 300)
        self.assertIn("more faults", "".join(page.verdict.itertext()))

    def test_page_is_drawn_from_the_document(self):
        program = os.environ.get("ASHLAR_DRAW_PAGE")
        if program is None:
            self.skipTest("ASHLAR_DRAW_PAGE is not set")
        self.build_usual("--partition_index", "--partition_filters")
        good = (self.folder / "good.sst").read_bytes()
        data = bytearray(good)
        for place in range(100, len(data) - 2000, 700):
            data[place] ^= 1
        (self.folder / "bad.sst").write_bytes(data)
        (self.folder / "text.sst").write_bytes(b"no table at all, " * 30)
        for name in ("r119-types", "r119-ts", "r119-userprops", "r119-one"):
            os.symlink(GOLDEN / (name + ".sst"), self.folder / (name + ".sst"))
        for path in sorted(self.folder.glob("*.sst")):
            for flags in ((), ("--sample=2", "--max_errors=1")):
                outcome = self.run_program("report", "--json", "--overwrite",
                                           "--out=x.html", *flags, path.name)
                page = subprocess.run(
                    [program], input=outcome.out, stdout=subprocess.PIPE,
                    check=True).stdout
                self.assertEqual((self.folder / "x.html").read_bytes(), page,
                                 path.name)

    def test_document_agrees_with_other_commands(self):
        self.build_usual("--partition_index", "--partition_filters")
        os.symlink(GOLDEN / "r119-userprops.sst", self.folder / "user.sst")
        for name in ("good.sst", "user.sst"):
            outcome = self.run_ok("report", "--json", "--sample=0",
                                  "--overwrite", "--out=x.html", name)
            report = json.loads(outcome.out)["files"][0]
            for command, extras in (("stats", ()), ("properties", ()),
                                    ("identify", ("valid",)), ("verify", (
                                        "bytes_checked",))):
                other = self.json_of(command, name)
                for member in extras:
                    del other[member]
                self.assertEqual(
                    {key: report.get(key) for key in other}, other, command)
            verdict = Page((self.folder / "x.html").read_bytes()).verdict
            self.assertIn(
                f"{report['blocks_ok']:,} blocks are sound, "
                f"{report['blocks_bad']:,} are not",
                "".join(verdict.itertext()))
            blocks = self.json_of("layout", name)["blocks"]
            cells = [cell for cell in report["map"]["cells"]
                     if "blocks" in cell]
            self.assertEqual(
                [(cell["offset"], cell["kind"]) for cell in cells],
                [(block["offset"], block["kind"]) for block in blocks])
            self.assertEqual(
                sum(cell["bytes"] for cell in report["map"]["cells"]),
                report["file_bytes"])
            for measure, bins in report["histograms"].items():
                self.assertEqual(bins[0]["low"], report[measure]["min"])
                self.assertEqual(bins[-1]["high"], report[measure]["max"])
            entries = sum(bin["count"]
                          for bin in report["histograms"]["key_size"])
            self.assertEqual(entries, sum(report["types"].values()))
            parts = report["key_space"]["parts"]
            self.assertEqual(len(parts), 120)
            self.assertAlmostEqual(sum(part["bytes"] for part in parts),
                                   report["kinds"]["data"]["bytes"], delta=1)

    def test_where_it_is_written(self):
        self.build_usual()
        outcome = self.run_ok("report", "good.sst")
        self.assertIn("report written to file good_report.html", outcome.text)
        default = self.folder / "good_report.html"
        Page(default.read_bytes())
        default.write_bytes(b"mine")
        outcome = self.run_code(2, "report", "good.sst")
        self.assertIn("exists; --overwrite replaces it", outcome.err)
        self.assertEqual(default.read_bytes(), b"mine")
        self.run_ok("report", "--overwrite", "good.sst")
        Page(default.read_bytes())
        self.run_code(2, "report", "--out=good.sst", "--overwrite",
                      "good.sst")
        document = json.loads(
            self.run_ok("report", "--json", "--out=x.html", "good.sst").out)
        self.assertEqual(document["files"][0]["report"], "x.html")
        Page((self.folder / "x.html").read_bytes())
        self.assertEqual(
            sorted(path.name for path in self.folder.iterdir()),
            ["good.sst", "good_report.html", "x.html"])

    def test_usage(self):
        self.build_usual()
        self.assert_usage_error("--out takes the report of one file or database only",
                                "report", "--out=x", "good.sst", "good.sst")
        self.assert_usage_error("--out=- goes with neither --json nor --jsonl",
                                "report", "--out=-", "--json", "good.sst")

    def test_no_table(self):
        (self.folder / "x.sst").write_bytes(b"no table at all, " * 30)
        page = self.page("x.sst", code=1)
        self.assertIn("Not an SST file", "".join(page.verdict.itertext()))
        self.run_code(2, "report", "absent.sst")
        self.assertFalse((self.folder / "absent_report.html").exists())

    def test_threads_change_nothing(self):
        self.build_usual()
        pages = []
        for threads in (1, 4):
            page = self.page(f"--threads={threads}", "good.sst")
            for section in list(page.root.iter(XHTML + "section")):
                if section.get("aria-labelledby") == "codecs":
                    section.clear()  # contains speeds
            pages.append(ElementTree.tostring(page.root))
        self.assertEqual(*pages)


if __name__ == "__main__":
    cli.main()
