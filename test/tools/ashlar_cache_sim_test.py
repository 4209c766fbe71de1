"""cache-sim, as an operator uses it: counts against a list of blocks, traces
that are cut off, damaged or compressed, and a chart that can be read.
"""

import collections
import json
import random
import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree

import cli
import traces
from cli import CliTest, GOLDEN, ROOT

SVG = "{http://www.w3.org/2000/svg}"
TRACE = str(GOLDEN / "trace" / "trace.bin")
OURS = str(ROOT / "test/fuzz/corpus/block_cache_trace/seed-ours")


def lru_misses(accesses, capacity):
    """Yields each access that misses in a list of blocks, the last used first.

    Each access is (block, size, ...).
    """
    blocks, used = collections.OrderedDict(), 0
    for access in accesses:
        block, size = access[:2]
        if block in blocks:
            blocks.move_to_end(block)
            continue
        yield access
        blocks[block] = size
        used += size
        while used > capacity:
            used -= blocks.popitem(last=False)[1]


class CacheSimTest(CliTest):

    def write(self, name, *accesses, end=b""):
        data = traces.header() + b"".join(
            traces.access(*access) for access in accesses) + end
        (self.folder / name).write_bytes(data)
        return name

    def report(self, *arguments, code=0):
        outcome = self.run_code(code, "cache-sim", "--json", *arguments)
        return json.loads(outcome.out)

    def file(self, *arguments, code=0):
        file, = self.report(*arguments, code=code)["files"]
        return file

    def test_misses_are_those_of_a_list(self):
        """Charges of the cache's own table are small beside these blocks."""
        seed = 7
        draw = random.Random(seed)
        levels = {block: draw.choice([-1, 0, 1, 6]) for block in range(300)}
        kinds = {block: draw.choice(list(traces.KINDS))
                 for block in range(300)}
        accesses = []
        for _ in range(3000):
            block = min(draw.randrange(300), draw.randrange(300))
            accesses.append((block, 1 << 30, kinds[block],
                             draw.choice(traces.CALLERS), levels[block],
                             draw.random() < 0.5))
        # Room for 20, 100 and 250 blocks, and for what the table needs.
        sizes = [(blocks << 30) + (1 << 20) for blocks in (20, 100, 250)]
        name = self.write("t", *accesses)
        file = self.file("--caches=lru,clock", name,
                         "--sizes=" + ",".join(map(str, sizes)))
        self.assertEqual(file["trace"]["accesses"], 3000)
        self.assertEqual(file["trace"]["recorded_misses"],
                         sum(not access[5] for access in accesses))
        self.assertEqual([result["cache"] for result in file["results"]],
                         ["lru"] * 3 + ["clock"] * 3)
        for i, size in enumerate(sizes):
            misses = list(lru_misses(accesses, size))
            result = file["results"][i]
            self.assertEqual(result["size"], size)
            self.assertEqual(result["misses"], len(misses))
            self.assertAlmostEqual(result["miss_ratio"], len(misses) / 3000,
                                   places=5)
            for member, name, column in (("by_kind", "kind", 2),
                                         ("by_caller", "caller", 3),
                                         ("by_level", "level", 4)):
                asked = collections.Counter(a[column] for a in accesses)
                missed = collections.Counter(a[column] for a in misses)
                recorded = collections.Counter(
                    a[column] for a in accesses if not a[5])
                rows = {row[name]: row for row in file[member]}
                self.assertEqual({key: row["accesses"]
                                  for key, row in rows.items()}, asked)
                for key, row in rows.items():
                    self.assertEqual(row["misses"][i], missed[key], key)
                    self.assertEqual(row["recorded_misses"], recorded[key])

    def test_reuse_distances(self):
        # Of 1000 bytes each: a b c, then a again after b and c.
        loop = [(block, 1000) for block in (1, 2, 3)] * 10
        reuse = self.file(self.write("t", *loop))["reuse"]
        self.assertEqual(reuse["first_uses"], 3)
        distance, = reuse["distances"]
        self.assertEqual(distance["accesses"], 27)
        self.assertGreaterEqual(distance["up_to"], 3000)
        self.assertLess(distance["up_to"], 3000 * 1.2)
        self.assertAlmostEqual(distance["lru_miss_ratio"], 0.1)
        sampled = self.file("t", "--sampling_frequency=100")
        distance, = sampled["reuse"]["distances"]
        self.assertGreaterEqual(distance["up_to"], 300000)
        self.assertEqual(sampled["trace"]["sampling_frequency"], 100)

    def test_the_golden_trace(self):
        file = self.file(TRACE, "--sizes=1M")
        self.assertEqual(file["trace"]["rocksdb_version"], "11.8")
        self.assertEqual(file["trace"]["accesses"], 50)
        self.assertEqual(file["trace"]["recorded_misses"], 22)
        self.assertEqual(file["trace"]["unknown_sizes"], 13)
        self.assertEqual({row["caller"]: row["accesses"]
                          for row in file["by_caller"]},
                         {"user_get": 16, "user_multi_get": 6,
                          "user_iterator": 5, "prefetch": 2, "compaction": 20,
                          "compaction_refill": 1})
        self.assertEqual({row["level"]: row["accesses"]
                          for row in file["by_level"]}, {0: 44, 6: 6})

    def test_the_text(self):
        text = self.run_ok("cache-sim", TRACE, "--sizes=16K,1M").text
        for pattern in (
                r"(?m)^trace of RocksDB 11\.8: 50 accesses to 28 blocks ",
                r"(?m)^blocks of unknown size: 13 \(26\.0 %\) of the accesses",
                r"(?m)^missed when it was recorded: 22 \(44\.0 %\)$",
                r"(?m)^ +size +clock +lru$",
                r"(?m)^16 KiB +28 \(56\.0 %\) +28 \(56\.0 %\)$",
                r"(?m)^misses of clock, by caller$",
                r"(?m)^caller +accesses +recorded +16 KiB +1 MiB$",
                r"(?m)^compaction +20 +12 \(60\.0 %\)",
                r"(?m)^data +27 +20 \(74\.1 %\)",
                r"(?m)^6 +6 +3 \(50\.0 %\)",
                r"(?m)^reuse distances; first uses of a block: 28 \(56\.0 %\)",
                r"(?m)^ +1 KiB +13 \(26\.0 %\) +36 \(72\.0 %\)$"):
            self.assertRegex(text, pattern)
        self.assertNotIn("unknown size", self.run_ok(
            "cache-sim", self.write("t", (1, 5))).text)

    def test_unknown_sizes(self):
        name = self.write("t", (1, 0), (2, 0), (1, 0))
        for size in (1000, 100000):
            trace = self.file(name, f"--unknown_block_size={size}")["trace"]
            self.assertEqual(trace["block_bytes"], 2 * size)
            self.assertEqual(trace["unknown_block_size"], size)

    def test_traces_of_ashlar(self):
        trace = self.file(OURS)["trace"]
        self.assertEqual(trace["format"], "ashlar")
        self.assertEqual(trace["sampling_frequency"], 2)
        self.assertEqual(trace["accesses"], 3)
        self.assertIn("one block in 2 is in the trace",
                      self.run_ok("cache-sim", OURS).text)
        self.assertEqual(self.file(OURS, "--sampling_frequency=9")
                         ["trace"]["sampling_frequency"], 9)

    def test_cut_off_traces_count_up_to_there(self):
        name = self.write("t", (1, 5), (1, 5), end=b"123")
        at = (self.folder / name).stat().st_size - 3
        outcome = self.run_ok("cache-sim", "--json", name)
        file, = json.loads(outcome.out)["files"]
        self.assertEqual(file["status"], "ok")
        self.assertTrue(file["trace"]["cut_off"])
        self.assertEqual(file["trace"]["accesses"], 2)
        self.assertRegex(outcome.err, rf"warning: t: byte {at}: .*cut off")
        self.assertNotIn("hint", outcome.err)

    def test_damage_is_a_fault_after_what_comes_before(self):
        name = self.write("t", (1, 5), (1, 5), end=traces.frame(4, b"xyz"))
        at = (self.folder / name).stat().st_size - 16
        file = self.file(name, code=1)
        self.assertEqual(file["status"], "corrupt")
        self.assertEqual(file["trace"]["accesses"], 2)
        self.assertFalse(file["trace"]["cut_off"])
        self.assertRegex(file["errors"][0]["message"],
                         f"^byte {at}: a record of type 4")
        outcome = self.run_code(1, "cache-sim", name)
        self.assertRegex(outcome.err, f"(?m)^t: Corruption: byte {at}: ")
        self.assertIn("2 accesses", outcome.text)
        self.assertNotIn("salvage", outcome.err)

    def test_other_files(self):
        (self.folder / "text").write_bytes(b"no trace")
        (self.folder / "queries").write_bytes(
            traces.frame(1, b"feedcafedeadbeef\tTrace Version: 0.2\t"))
        files = self.report("text", "queries", "absent", code=2)["files"]
        self.assertEqual([file["errors"][0]["code"] for file in files],
                         ["Corruption", "Not supported", "IO error"])
        self.assertTrue(all("trace" not in file for file in files))
        outcome = self.run_code(1, "cache-sim", "text")
        self.assertIn("not a block cache trace", outcome.err)
        self.assertIn("hint: 'ashlar help cache-sim'", outcome.err)

    def test_a_trace_without_accesses(self):
        file = self.file(self.write("t"))
        self.assertEqual(file["trace"]["accesses"], 0)
        self.assertEqual(file["reuse"]["distances"], [])
        self.assertIn("0 accesses", self.run_ok(
            "cache-sim", "t", "--out=c.svg").text)
        ElementTree.parse(self.folder / "c.svg")

    def test_compressed_traces(self):
        if shutil.which("zstd") is None:
            self.skipTest("there is no zstd")
        name = self.write("t", *[(i % 50, 1000) for i in range(5000)])
        subprocess.run(["zstd", "-q", name, "-o", "other"], check=True,
                       cwd=self.folder)
        plain, packed = self.file(name), self.file("other")
        for file in (plain, packed):
            del file["path"], file["size"]
        self.assertEqual(plain, packed)

    def test_usage_errors(self):
        no_size = "is not a size of a cache, such as 512M or 1GiB"
        for reason, *flags in (
                (f"--sizes: '0' {no_size}", "--sizes=0"),
                (f"--sizes: '' {no_size}", "--sizes=1M,"),
                (f"--sizes: '5x' {no_size}", "--sizes=1M,5x"),
                ("--caches: unknown cache 'fifo'", "--caches=lru,fifo"),
                ("--caches: cache 'lru' is listed twice", "--caches=lru,lru"),
                ("--caches: unknown cache ''", "--caches="),
                ("--unknown_block_size must be 1 or more",
                 "--unknown_block_size=0"),
                (f"'{self.folder}' is a folder: cache-sim reads files of "
                 "traces", str(self.folder))):
            self.assert_usage_error(reason, "cache-sim", TRACE, *flags)
        self.assert_usage_error(
            "no input: name a file or a directory", "cache-sim")
        outcome = self.run_code(2, "cache-sim", TRACE, "--out=-", "--json")
        self.assertIn("--out=- goes with neither --json nor --jsonl",
                      outcome.err)

    # --- The chart ------------------------------------------------------------

    def chart(self, *arguments):
        self.run_ok("cache-sim", "--out=c.svg", "--overwrite", *arguments)
        with open(self.folder / "c.svg", encoding="utf-8") as f:
            text = f.read()
        # The page loads nothing from other sites.
        self.assertEqual(text.count("http"), 1)
        return ElementTree.fromstring(text)

    def test_the_chart(self):
        draw = random.Random(3)
        name = self.write("t", *[
            (min(draw.randrange(2000), draw.randrange(2000)), 4000,
             draw.choice(["data", "index"])) for _ in range(5000)])
        root = self.chart(name, "--sizes=1M,4M", "--caches=lru,clock")
        words = [text.text for text in root.iter(f"{SVG}text")]
        for word in ("t", "data", "index", "lru", "clock", "accesses",
                     "misses", "size of the cache", "1 MiB", "0 %", "100 %"):
            self.assertIn(word, words)
        self.assertNotIn("filter", words)
        # A mark per cache and size, at its misses, which are shares.
        marks = list(root.iter(f"{SVG}circle"))
        file = self.file(name, "--sizes=1M,4M", "--caches=lru,clock")
        self.assertEqual(len(marks), 4)
        for mark, result in zip(marks, file["results"]):
            title = mark.find(f"{SVG}title").text
            self.assertTrue(title.startswith(
                f"{result['cache']}, {result['size']} bytes: "), title)
            share = float(title.split(": ")[1].split(" ")[0])
            self.assertAlmostEqual(share, 100 * result["miss_ratio"], delta=0.1)
        # Bars of all reuses add up to those that are no first use.
        bars = [rect for rect in root.iter(f"{SVG}rect") if len(rect) == 1]
        self.assertAlmostEqual(
            sum(map(self.share, bars)),
            100 - 100 * file["reuse"]["first_uses"] / 5000, delta=0.5)
        self.check_stacks(bars)

    def share(self, bar):
        """Returns the percentage that the bar says it shows."""
        return float(bar.find(f"{SVG}title").text.split(": ")[1].split(" ")[0])

    def check_stacks(self, bars):
        """Bars of one bin stand on each other, and are as high as they say."""
        heights = [float(bar.get("height")) / self.share(bar) for bar in bars
                   if self.share(bar) > 1]
        self.assertLess(max(heights), 1.02 * min(heights))
        stacks = collections.defaultdict(list)
        for bar in bars:
            top = float(bar.get("y"))
            stacks[bar.get("x")].append((top, top + float(bar.get("height"))))
        self.assertIn(2, map(len, stacks.values()))
        floor = max(bottom for stack in stacks.values() for _, bottom in stack)
        for stack in stacks.values():
            stack.sort(reverse=True)
            below = floor
            for top, bottom in stack:
                self.assertAlmostEqual(bottom, below, delta=0.05)
                below = top

    def test_labels_do_not_collide(self):
        wide = self.write("wide", (1, 20), (1, 20), (1, 20))
        many = self.write("many", *[(i % 900, 5000) for i in range(3000)])
        one = self.write("one", (1, 1 << 30), (1, 1 << 30))
        for name, sizes in ((wide, "1,1T"), (wide, "8T"),
                            (many, "1M"), (one, "1G"), (one, "3"),
                            (TRACE, "1M,4G")):
            root = self.chart(name, "--sizes=" + sizes)
            width, height = (float(root.get(side))
                             for side in ("width", "height"))
            boxes = [self.box(text) for text in root.iter(f"{SVG}text")
                     if text.get("transform") is None]
            for i, (left, top, right, bottom, words) in enumerate(boxes):
                self.assertGreaterEqual(left, 0, words)
                self.assertLessEqual(right, width, words)
                self.assertLessEqual(bottom, height, words)
                for other in boxes[:i]:
                    apart = (right < other[0] or other[2] < left
                             or bottom <= other[1] or other[3] <= top)
                    self.assertTrue(apart, (name, sizes, words, other))

    def box(self, text):
        """Returns about where the words are."""
        size = {"small": 10, "title": 16, "panel": 13}.get(
            text.get("class"), 12)
        width = 0.56 * size * len(text.text)
        x, y = float(text.get("x")), float(text.get("y"))
        left = x - width * {"middle": 0.5, "end": 1}.get(
            text.get("text-anchor"), 0)
        return left, y - size, left + width, y, text.text

    def test_the_chart_is_for_light_and_dark_pages(self):
        root = self.chart(TRACE)
        style = root.find(f"{SVG}style").text
        light, dark = style.split("@media (prefers-color-scheme: dark)")
        used = {name for item in root.iter() if item.get("class")
                for name in item.get("class").split()}
        for part, page_is_light in ((light, True), (dark, False)):
            page = self.luminance(self.colour(part, ".page", "fill"))
            self.assertEqual(page > 0.5, page_is_light)
            for name in used - {"page", "grid", "title", "panel"}:
                is_line = name.startswith("s") and name[1:].isdigit()
                kind = "stroke" if is_line or name == "axis" else "fill"
                ink = self.luminance(self.colour(part, "." + name, kind))
                high, low = max(ink, page), min(ink, page)
                self.assertGreater((high + 0.05) / (low + 0.05), 2.7, name)

    def colour(self, style, name, kind):
        found = re.search(
            rf"{re.escape(name)} {{[^}}]*{kind}: #([0-9a-f]{{6}})", style)
        self.assertIsNotNone(found, (name, kind))
        return found[1]

    def luminance(self, colour):
        parts = [int(colour[i:i + 2], 16) / 255 for i in (0, 2, 4)]
        linear = [part / 12.92 if part <= 0.04045
                  else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return sum(weight * part for weight, part
                   in zip((0.2126, 0.7152, 0.0722), linear))

    def test_where_the_chart_is_written(self):
        self.run_ok("cache-sim", TRACE, "--out=c.svg")
        self.run_code(2, "cache-sim", TRACE, "--out=c.svg")
        self.run_ok("cache-sim", TRACE, "--out=c.svg", "--overwrite")
        shutil.copy(TRACE, self.folder / "t")
        self.run_code(2, "cache-sim", "t", "--out=t", "--overwrite")
        self.assertEqual((self.folder / "t").read_bytes(),
                         (GOLDEN / "trace" / "trace.bin").read_bytes())
        document = self.report(TRACE, "--out=d.svg")
        self.assertEqual(document["chart"], "d.svg")
        outcome = self.run_ok("cache-sim", TRACE, OURS, "--out=-")
        self.assertEqual(outcome.text.count("<svg"), 1)
        # Without a sound trace there is no chart.
        self.run_code(2, "cache-sim", "absent", "--out=e.svg")
        self.assertFalse((self.folder / "e.svg").exists())

    def test_names_are_text(self):
        name = self.write("<b>&\u00e9", (1, 5), (1, 5))
        root = self.chart(name)
        self.assertIn("<b>&??", [text.text for text in root.iter(f"{SVG}text")])

    def test_progress(self):
        name = self.write("t", (1, 5), (1, 5))
        outcome = self.run_ok("cache-sim", name, "--progress=always")
        self.assertIn("t: ", outcome.err)


if __name__ == "__main__":
    cli.main()
