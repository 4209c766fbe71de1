"""Runs cache_sim as a user does.

Argument: the program. The test or the program itself makes the traces.
"""

import json
import os
import struct
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

PROGRAM = None
LOOP = "loop:keys=100,accesses=1000"
ZIPF = "zipf:keys=1000,accesses=20000"
SVG = "{http://www.w3.org/2000/svg}"


def run(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True,
                          check=False)


def report(*arguments):
    done = run("--json", *arguments)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)


class CacheSimTest(unittest.TestCase):
    def setUp(self):
        # pylint: disable=consider-using-with
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, name, content):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as f:
            f.write(content)
        return path

    def test_a_loop_that_fits_or_not(self):
        document = report("--caches=lru,model_lirs,model_opt",
                          "--sizes=50%,100", LOOP)
        self.assertEqual(document["schema"], "ashlar-cache-sim/1")
        trace, = document["traces"]
        self.assertEqual([trace["accesses"], trace["distinct_keys"]],
                         [1000, 100])
        half, whole = trace["sizes"]
        self.assertEqual([half["entries"], half["size"]], [50, "50%"])
        self.assertEqual(half["miss_ratio"]["lru"]["mean"], 1)
        self.assertAlmostEqual(half["miss_ratio"]["model_lirs"]["mean"],
                               1 - 49 * 9 / 1000)
        for ratio in whole["miss_ratio"].values():
            self.assertAlmostEqual(ratio["mean"], 0.1)
        over_all = document["over_all"]
        self.assertEqual(over_all["lru"]["mean_gain"], 0)
        self.assertAlmostEqual(over_all["model_lirs"]["mean_gain"], 0.441 / 2)
        self.assertEqual(over_all["model_lirs"]["worst_at"], f"{LOOP} 100")

    def test_counts_have_units(self):
        plain = report("--sizes=2000", "--seeds=1",
                       "zipf:keys=5000,accesses=20000")
        units = report("--sizes=2K", "--seeds=1", "zipf:keys=5K,accesses=20K")
        for document in (plain, units):
            for trace in document["traces"]:
                trace["sizes"] = [size["miss_ratio"]
                                  for size in trace["sizes"]]
        self.assertEqual(plain["traces"][0]["sizes"],
                         units["traces"][0]["sizes"])
        path = self.write("a.u64", struct.pack("<5000Q", *range(5000)))
        self.assertEqual(*(report("--sizes=9", "--seeds=1", limit, path)
                           ["traces"] for limit in ("--limit=2K",
                                                    "--limit=2000")))
        for bad in ("2KiB", "5G", "-1", "1.5K", "0K"):
            done = run(f"--sizes={bad}", LOOP)
            self.assertEqual(done.returncode, 2)
            self.assertIn("expected a size: a number of entries, such as 5000 "
                          "or 5K", done.stderr)

    def test_two_tiers(self):
        # The first tier holds a third of a loop, and the second more than the
        # rest.
        def tiers(*flags):
            trace, = report("--sizes=40", "--seeds=1", *flags,
                            "--caches=tiered,tiered_admission", LOOP)["traces"]
            return trace["sizes"][0]["miss_ratio"]
        everything = tiers("--second_tier=3", "--second_tier_policy=all")
        for ratio in everything.values():
            self.assertAlmostEqual(ratio["mean"], 0.1)
        second_time = tiers("--second_tier=3",
                            "--second_tier_policy=placeholder")
        self.assertGreater(second_time["tiered"]["mean"], 0.1)
        self.assertLess(second_time["tiered"]["mean"], 0.4)
        none_fits = tiers("--second_tier=1", "--second_tier_policy=all")
        self.assertGreater(none_fits["tiered"]["mean"], 0.5)
        self.assertGreater(none_fits["tiered"]["mean_saved"], 0.9)
        done = run("--caches=tiered", "--sizes=40", LOOP)
        self.assertIn("saved to the second tier", done.stdout)
        for flag in ("--second_tier=0", "--second_tier_policy=some"):
            self.assertEqual(run(flag, LOOP).returncode, 2)
        # With admission, blocks of a scan are not compressed, even if the scan
        # accesses each of them twice.
        scans = ("hotscan:keys=1000,skew=0.9,accesses=100000,every=5000,"
                 "scan=4000,new=1,touches=2,seed=1")
        trace, = report("--sizes=500", "--seeds=2",
                        "--caches=tiered,tiered_admission", scans)["traces"]
        ratio = trace["sizes"][0]["miss_ratio"]
        self.assertLess(ratio["tiered_admission"]["mean_saved"],
                        ratio["tiered"]["mean_saved"] / 3)

    def test_the_same_trace_in_every_form(self):
        keys = [7, 8, 7, 9, 7, 8, 2**64 - 1, 7] * 50
        paths = [
            self.write("a.u64", struct.pack(f"<{len(keys)}Q", *keys)),
            self.write("b.oracleGeneral.bin", b"".join(
                struct.pack("<IQIq", i, key, 1, -1)
                for i, key in enumerate(keys))),
            self.write("c.csv", "".join(f"{key}\n" for key in keys).encode()),
            self.write("d.txt", "key,size\n".encode() + "".join(
                f'1,"{key}"\n' for key in keys).encode()),
        ]
        reports = [report("--sizes=2", path)["traces"] for path in paths[:3]]
        reports.append(report("--sizes=2", "--format=csv", "--csv_column=2",
                              "--csv_header", paths[3])["traces"])
        for name, (trace,) in zip("abcd", reports):
            self.assertEqual(trace["name"], name)
            self.assertEqual(trace["sizes"], reports[0][0]["sizes"])
            self.assertEqual(trace["accesses"], len(keys))
            self.assertEqual(trace["distinct_keys"], 4)
        trace, = report("--sizes=2", "--limit=3", paths[0])["traces"]
        self.assertEqual(trace["accesses"], 3)

    def test_a_trace_of_the_block_cache(self):
        # Two chunks and the end, by docs/block_cache_trace.md, version 1.
        def chunk(count, payload):
            head = struct.pack("<II", len(payload), count)
            return head + struct.pack("<I", masked(head + payload)) + payload

        def masked(data):
            crc = 0xffffffff
            for byte in data:
                crc ^= byte
                for _ in range(8):
                    crc = crc >> 1 ^ (0x82f63b78 if crc & 1 else 0)
            crc ^= 0xffffffff
            return ((crc >> 15 | crc << 17) + 0xa282ead8) & 0xffffffff

        file = b"ABCDEFGH"
        header = b"\x89ashbct\n" + struct.pack("<IIQ", 1, 100, 5)
        header += struct.pack("<I", masked(header))
        # Blocks 5, 5, 6 of a file, then block 5 of it once more.
        first = chunk(3, b"\x02\x02\0" + file + b"\x05" + b"\x03\x02\0\0"
                      + b"\x02\x02\0\x03")
        second = chunk(1, b"\x03\x08\0" + file + b"\x05")
        end = chunk(0, struct.pack("<QQ", 4, 0))
        path = self.write("a.blocktrace", header + first + second + end)
        trace, = report("--sizes=2", "--caches=lru", path)["traces"]
        self.assertEqual(trace["accesses"], 4)
        self.assertEqual(trace["distinct_keys"], 2)
        self.assertEqual(trace["sizes"][0]["miss_ratio"]["lru"]["mean"], 0.5)
        for name, content, reason in (
            ("cut", header + first, f"byte {len(header + first)}: "),
            ("bad", header + first[:-1] + b"x" + end,
             f"byte {len(header)}: checksum mismatch"),
            ("new", header[:8] + b"\3" + header[9:], "of version 3"),
            ("other", bytes(28), "not a block cache trace"),
        ):
            path = self.write(name + ".blocktrace", content)
            done = run(path)
            self.assertEqual(done.returncode, 2 if name == "new" else 1, name)
            self.assertIn(path, done.stderr)
            self.assertIn(reason, done.stderr)

    def test_hot_keys_are_shown_apart(self):
        trace = "hotscan:keys=100,accesses=2000,every=1000,scan=500"
        hot, = report("--sizes=200", "--caches=lru", trace)["traces"]
        ratio = hot["sizes"][0]["miss_ratio"]["lru"]
        self.assertAlmostEqual(ratio["mean_of_hot"], 0.1)
        self.assertAlmostEqual(ratio["mean"], 1200 / 3000)
        self.assertRegex(run("--sizes=200", trace).stdout,
                         r"hotscan:\S+ hot +200 +200 +0\.1000 ")

    def test_the_table(self):
        done = run("--caches=clock,lru", "--sizes=1%,20%", "--reference=lru",
                   "--seeds=2", LOOP, ZIPF)
        self.assertEqual(done.stderr, "")
        lines = done.stdout.splitlines()
        self.assertRegex(lines[0], r"^miss ratio +size +entries +clock +lru$")
        self.assertRegex(lines[1], r"^loop:\S+ +1% +1 +1\.0000 +1\.0000$")
        self.assertRegex(lines[4], r"^zipf:\S+ +20% +\d+ +0\.\d{4} +0\.\d{4}$")
        self.assertRegex(lines[6], r"^over all +mean miss +vs lru +worst")
        self.assertRegex(lines[8], r"^lru +\d\.\d{4} +\+0\.00 %")

    def test_threads_and_seeds(self):
        flags = ("--caches=clock,model_wtinylfu,models", "--sizes=5%", ZIPF)
        self.assertEqual(run(*flags).returncode, 2)  # a duplicate name
        flags = ("--caches=clock,models", "--sizes=5%", ZIPF)
        alone = report("--jobs=1", *flags)
        self.assertEqual(alone, report("--jobs=7", *flags))
        clock = alone["traces"][0]["sizes"][0]["miss_ratio"]["clock"]
        self.assertLess(clock["least"], clock["mean"])
        self.assertGreater(clock["most"], clock["mean"])
        other = report("--first_seed=10", *flags)
        self.assertNotEqual(alone["traces"], other["traces"])

    def test_shards(self):
        flags = ("--caches=lru", "--sizes=10%", "--seeds=1", ZIPF)
        self.assertNotEqual(report(*flags)["traces"],
                            report("--num_shard_bits=2", *flags)["traces"])

    def test_curves(self):
        path = os.path.join(self.folder, "out.svg")
        done = run("--caches=clock,models", "--sizes=1%,5%,300", f"--svg={path}",
                   LOOP, ZIPF)
        self.assertEqual(done.returncode, 0, done.stderr)
        root = ElementTree.parse(path).getroot()
        curves = root.findall(f"{SVG}polyline")
        self.assertEqual(len(curves), 2 * 11)
        self.assertEqual(len(curves[0].get("points").split()), 3)
        texts = [text.text for text in root.findall(f"{SVG}text")]
        for words in ("clock", "model_lirs", LOOP, ZIPF, "5%", "miss ratio",
                      "cache size (100 keys)"):
            self.assertIn(words, texts)
        # Sizes ascend, whatever their order in the arguments.
        xs = [float(point.split(",")[0])
              for point in curves[-1].get("points").split()]
        self.assertEqual(xs, sorted(xs))
        # The page loads nothing from other sites.
        with open(path, encoding="utf-8") as f:
            self.assertEqual(f.read().count("http"), 1)

    def test_names_in_curves_are_text(self):
        path = os.path.join(self.folder, "out.svg")
        trace = self.write("<b>&\x01\u00e9.u64", struct.pack("<2Q", 1, 2))
        done = run("--json", "--sizes=1", f"--svg={path}", trace)
        self.assertEqual(done.returncode, 0, done.stderr)
        json.loads(done.stdout)
        texts = [text.text for text in
                 ElementTree.parse(path).getroot().findall(f"{SVG}text")]
        self.assertIn("<b>&???", texts)

    def test_progress(self):
        done = run("--progress=always", "--sizes=10%", ZIPF, LOOP)
        self.assertIn("1/2 zipf:", done.stderr)
        self.assertRegex(done.stderr, r"2/2 loop:\S+ 100 % \[#{20}\] "
                         r"[\d.]+ M accesses/s, 0:00 left")
        self.assertEqual(run("--sizes=10%", LOOP).stderr, "")

    def test_help(self):
        done = run("--help")
        self.assertEqual(done.returncode, 0)
        for words in ("Usage: cache_sim", "model_wtinylfu", "oracleGeneral",
                      "hotscan:", "--num_shard_bits=0", "--svg=",
                      "Exit codes:"):
            self.assertIn(words, done.stdout)
        self.assertNotIn("--flagfile", done.stdout)

    def test_damaged_traces(self):
        for name, content, reason in (
            ("a.u64", b"123456789", "1 bytes at byte 8 are not a whole record"),
            ("a.oracleGeneral", bytes(25), "are not a whole record of 24"),
            ("a.csv", b"x\n\"y\n", "line 2: a quote is not closed"),
            ("a.u64.zst", b"\x28\xb5\x2f\xfd\x04",
             "the file ends inside a zstd frame"),
        ):
            path = self.write(name, content)
            done = run(LOOP, path)
            self.assertEqual(done.returncode, 1, name)
            self.assertEqual(done.stdout, "", name)
            self.assertIn(path, done.stderr)
            self.assertIn(reason, done.stderr)

    def test_usage_errors(self):
        for arguments, reason in (
            ([], "there is no trace"),
            ([os.path.join(self.folder, "absent.u64")], "No such file"),
            ([self.write("a.what", b"")],
             "unknown format; name it with --format"),
            ([self.write("empty.u64", b"")], "the file has no accesses"),
            (["--format=x", LOOP, self.write("b.u64", b"")],
             "unknown format; name it with --format"),
            (["zipf:keys=0"], "keys is 1 to"),
            (["--caches=x", LOOP], "unknown cache x"),
            (["--caches=", LOOP], "expected one or more caches, found none"),
            (["--sizes=0", LOOP], "expected a size"),
            (["--seeds=0", LOOP], "must be 1 or more"),
            (["--reference=lru", "--caches=clock", LOOP],
             "--reference is not one of --caches"),
            (["--progress=yes", LOOP], "--progress is"),
            (["--num_shard_bits=77", LOOP], "num_shard_bits"),
            ([f"--svg={self.folder}", "--sizes=1", LOOP], self.folder),
        ):
            done = run(*arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(reason, done.stderr)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
