"""Damaged tables: every fault is found and named, and none crashes the program.
"""

import json
import random
import unittest

import cli
import forged_table
from cli import CliTest, hex_rows, numbered_rows

# Commands that take many tables, and commands that take one or two.
COMMANDS = (["check"], ["scan"], ["verify"], ["layout"], ["properties"],
            ["identify"], ["get", "--key=key000007"],
            ["verify", "--checksums_only"],
            ["raw"], ["stats"], ["report", "--overwrite"],
            ["overlap", "good.sst"], ["space"],
            ["recompress", "--compression_types=none,lz4"])
COMMANDS_OF_ONE = (["rewrite", "--out=out.sst", "--overwrite"],
                   ["salvage", "--out=out.sst", "--overwrite"],
                   ["compact", "--out=out.sst", "--overwrite", "--threads=1"],
                   ["diff", "good.sst"])


class DamageTest(CliTest):

    def setUp(self):
        super().setUp()
        self.build_once("good.sst", numbered_rows(120),
                        "--block_size=1000", "--identity=01")
        self.good = (self.folder / "good.sst").read_bytes()

    def damaged(self, data):
        (self.folder / "bad.sst").write_bytes(data)
        return "bad.sst"

    def blocks(self):
        document = json.loads(self.run_ok("layout", "--json", "good.sst").out)
        return document["files"][0]["blocks"]

    def test_layout_covers_the_file(self):
        end = 0
        for block in self.blocks():
            self.assertEqual(block["offset"], end)
            self.assertTrue(block["ok"])
            end += block["size"] + (0 if block["kind"] == "footer" else 5)
        self.assertEqual(end, len(self.good))
        text = self.run_ok("layout", "good.sst").text
        self.assertNotIn("gap", text)
        self.assertTrue(text.endswith(f"file size: {len(self.good)}\n"))

    def test_blocks_without_index_are_verified(self):
        """A walk over the bytes reaches what the index no longer does."""
        blocks = self.blocks()
        data_blocks = [block for block in blocks if block["kind"] == "data"]
        index = next(block for block in blocks if block["kind"] == "index")
        cut = self.good[:index["offset"]]
        bad = data_blocks[3]
        damaged = bytearray(cut)
        damaged[bad["offset"] + 9] ^= 0x10
        for data, count, lost in (
                (cut, len(data_blocks), []),
                (damaged, len(data_blocks) - 1,
                 [{"offset": bad["offset"], "size": bad["size"] + 5}])):
            name = self.damaged(data)
            outcome = self.run_program("verify", "--json", name)
            self.assertEqual(outcome.code, 1)
            file = json.loads(outcome.out)["files"][0]
            self.assertEqual(file["status"], "corrupt")
            self.assertEqual(file["blocks_found"], count)
            self.assertEqual(file["blocks_ok"], count)
            self.assertEqual(file["lost_bytes"], lost)
            outcome = self.run_program("layout", "--json", name)
            file = json.loads(outcome.out)["files"][0]
            self.assertEqual(
                [block["offset"] for block in file["blocks"]
                 if block["kind"] == "data"],
                [block["offset"] for block in data_blocks
                 if not lost or block is not bad])
            self.assertEqual(file["lost_bytes"], lost)
            outcome = self.run_program("verify", name)
            self.assertIn(f"found without the index: {count} data blocks\n",
                          outcome.text)
            self.assertEqual(outcome.text.count("no block: "), len(lost))
            self.assertIn("'ashlar salvage", outcome.err)
        # What is no table is not called a damaged one, and a file that is not
        # named as a table is not searched.
        for name, data in (("zeros.sst", bytes(100000)),
                           ("random.sst", random.Random(3).randbytes(100000)),
                           ("cut.dat", cut)):
            (self.folder / name).write_bytes(data)
            for command in ("verify", "layout"):
                outcome = self.run_program(command, "--json", name)
                file = json.loads(outcome.out)["files"][0]
                self.assertEqual(file["status"], "not_sst")
                self.assertNotIn("lost_bytes", file)
                self.assertEqual(file["errors_total"], 1)
        # A sound table is not searched.
        file = json.loads(self.run_ok("verify", "--json", "good.sst").out)
        self.assertNotIn("blocks_found", file["files"][0])

    def test_one_byte_of_each_block(self):
        blocks = self.blocks()
        kinds = {block["kind"] for block in blocks}
        self.assertEqual(kinds, {"data", "index", "filter", "properties",
                                 "meta-index", "footer"})
        for block in blocks:
            data = bytearray(self.good)
            data[block["offset"] + block["size"] // 2] ^= 0x40
            outcome = self.run_program("verify", "--json",
                                       self.damaged(data))
            self.assertEqual(outcome.code, 1, block)
            file = json.loads(outcome.out)["files"][0]
            faults = [error for error in file["errors"]
                      if error["offset"] == block["offset"]]
            self.assertEqual([error["block"] for error in faults],
                             [block["kind"]], file["errors"])
            if block["kind"] == "data":
                self.assertEqual(file["errors_total"], 1)
                self.assertEqual(file["blocks_bad"], 1)
                self.assertEqual(file["blocks_ok"], len(blocks) - 1)
                index = faults[0]["index"]
                text = self.run_program("--command=verify", "bad.sst")
                self.assertIn("bad.sst is corrupted: Corruption: ", text.err)
                text = self.run_program("verify", "bad.sst")
                self.assertEqual(text.err.count("block checksum mismatch"), 1)
                self.assertIn(
                    "bad.sst: Corruption: block checksum mismatch in data "
                    f"block #{index} offset {block['offset']} "
                    f"size {block['size']}: stored = ", text.err)
                self.assertIn(f"blocks: {len(blocks) - 1} ok, 1 bad; ",
                              text.text)

    def test_filter_beside_another_in_parts(self):
        rows = hex_rows((b"key%06d" % i + b"a" * 3000, 1, 1, b"v")
                        for i in range(60))
        form = [*forged_table.PLAIN, "--format_version=2", "--filter=bloom",
                "--block_size=500"]
        self.build("whole.sst", rows, *form)
        self.build("parts.sst", rows, *form, "--partition_filters",
                   "--index_type=partitioned", "--index_shortening=none")
        name = b"fullfilter.rocksdb.BuiltinBloomFilter"
        whole = forged_table.named_block(
            (self.folder / "whole.sst").read_bytes(), name)
        both = self.damaged(forged_table.with_block(
            (self.folder / "parts.sst").read_bytes(), name, whole))
        names = [block["name"] for block in json.loads(self.run_ok(
            "properties", "--json", "--list_meta_blocks", both).out)
                 ["files"][0]["meta_blocks"]]
        self.assertEqual([name.split(".")[0] for name in names],
                         ["fullfilter", "partitionedfilter", "rocksdb"])
        self.run_ok("verify", both)

    def assert_says_what_was_not_looked_at(self, name):
        skipped = ("whether the filter matches the keys after the first 8 of "
                   "each data block (--filter_keys=first)")
        quick = ("verify", "--filter_keys=first")
        self.assertIn(f"not checked: {skipped}\n",
                      self.run_ok(*quick, name).out.decode())
        file = json.loads(self.run_ok(*quick, "--json", name).out)["files"][0]
        self.assertEqual(file["not_looked_at"], skipped)

    def test_verdicts_that_leave_nothing_out(self):
        self.build("filtered.sst", numbered_rows(20))
        self.build("bare.sst", numbered_rows(20), "--filter=none")
        for flags in (["filtered.sst"], ["--filter_keys=all", "filtered.sst"],
                      ["--filter_keys=first", "bare.sst"]):
            self.assertNotIn(b"not checked", self.run_ok("verify", *flags).out)
            file = json.loads(
                self.run_ok("verify", "--json", *flags).out)["files"][0]
            self.assertNotIn("not_looked_at", file)

    def test_filter_of_which_bits_are_missing(self):
        self.build("filtered.sst", numbered_rows(200),
                   "--checksum_type=kNoChecksum")
        good = (self.folder / "filtered.sst").read_bytes()
        layout = json.loads(
            self.run_ok("layout", "--json", "filtered.sst").out)
        filters = [block for block in layout["files"][0]["blocks"]
                   if block["kind"] == "filter"]
        begin = filters[0]["offset"]
        end = begin + filters[0]["size"] - 5  # of the filter's bits
        name = self.damaged(good[:begin] + bytes(end - begin) + good[end:])
        quick = ("verify", "--filter_keys=first")
        self.assertEqual(self.run_program(*quick, name).code, 1)
        # A damaged byte that the few keys of the quick form do not use.
        for at in range(begin, end):
            name = self.damaged(good[:at] + b"\0" + good[at + 1:])
            outcome = self.run_program("verify", name)
            if (outcome.code == 1 and
                    self.run_program(*quick, name).code == 0):
                denied = "filter does not match a key in data block #"
                self.assertIn(denied, outcome.err)
                self.assert_says_what_was_not_looked_at(name)
                # These have no --filter_keys and always look up all keys.
                for command in ("stats", "report"):
                    outcome = self.run_program(command, name)
                    self.assertEqual(outcome.code, 1, command)
                    self.assertIn(denied, outcome.err)
                    self.assertIn(
                        "The filter must match every key" +
                        (" of those" if command == "report" else ""),
                        " ".join(self.run_ok("help", command).text.split()))
                return
        self.fail("each byte is of a first key")

    def test_one_byte_of_each_other_kind(self):
        """Damages blocks that others depend on. The others are still good."""
        rows = [(b"key%06d" % i, 0, 1, b"%0100d" % i) for i in range(400)]
        self.build("good.sst", hex_rows([*rows, (b"a", 0, 15, b"b")]),
                   "--block_size=1000", "--partition_index",
                   "--partition_filters", "--metadata_block_size=200",
                   "--compression_max_dict_bytes=500", "--identity=01",
                   "--overwrite")
        self.good = (self.folder / "good.sst").read_bytes()
        damaged = {}
        for block in self.blocks():
            damaged.setdefault(block["kind"], []).append(block)
        self.assertEqual(set(damaged), {
            "data", "index", "index-partition", "filter", "filter-partition",
            "dictionary", "range-del", "properties", "meta-index", "footer"})
        for kind, (block, *_) in damaged.items():
            data = bytearray(self.good)
            data[block["offset"] + block["size"] // 2] ^= 0x40
            outcome = self.run_program("verify", "--json", "--max_errors=0",
                                       self.damaged(data))
            self.assertEqual(outcome.code, 1, kind)
            file = json.loads(outcome.out)["files"][0]
            first, *others = file["errors"]
            self.assertEqual((first["block"], first["offset"]),
                             (kind, block["offset"]))
            if kind == "dictionary":
                # Reading these blocks needs the damaged one.
                for error in others:
                    self.assertIn("its dictionary cannot be read",
                                  error["message"])
                others = []
            self.assertEqual(others, [], kind)
            # Counts blocks that are still found. The block with their handles
            # may be damaged.
            if kind in ("data", "filter-partition", "range-del"):
                self.assertEqual(file["blocks_ok"],
                                 sum(map(len, damaged.values())) - 1)

    def test_truncated(self):
        names = []
        third = self.blocks()[2]
        two_blocks = third["offset"]
        sizes = []
        for part in range(0, 64, 1 if cli.THOROUGH else 4):
            names.append(f"bad{part}.sst")
            sizes.append(len(self.good) * part // 64)
            (self.folder / names[-1]).write_bytes(self.good[:sizes[-1]])
            for command in COMMANDS_OF_ONE:
                outcome = self.run_program(*command, names[-1])
                self.assertEqual(outcome.code, 1, (part, command))
        # Many tables at once: starting the program takes longer than a table.
        for command in COMMANDS:
            outcome = self.run_program(*command, *names)
            self.assertEqual(outcome.code, 1, command)
            for name in names:
                self.assertIn(f"\n{name}", "\n" + outcome.err, command)
            outcome = self.run_program(*command, "--json", *names)
            self.assertEqual(outcome.code, 1, command)
            files = json.loads(outcome.out)["files"][-len(names):]
            self.assertEqual([file["path"] for file in files], names)
            for file, size in zip(files, sizes):
                # A walk over the bytes finds what is left of a table. One
                # block may be there by chance.
                walks = command[0] in ("verify", "layout", "report")
                self.assertEqual(file["status"], "corrupt" if walks and
                                 size >= two_blocks else "not_sst",
                                 (command, size))
                self.assertNotEqual(file["errors"], [], command)

    def test_random_damage(self):
        source = random.Random(4711)
        names = []
        for number in range(40):
            data = bytearray(self.good)
            for _ in range(source.randint(1, 4)):
                data[source.randrange(len(data))] = source.randrange(256)
            names.append(f"bad{number}.sst")
            (self.folder / names[-1]).write_bytes(data)
            for command in (["salvage", "--out=out.sst", "--overwrite"],
                            ["rewrite", "--out=out.sst", "--overwrite"],
                            ["diff", "good.sst"]):
                self.assertLessEqual(
                    self.run_program(*command, names[-1]).code, 2)
        # These commands take many tables. Starting the program costs far more
        # than a table.
        for command in (["verify"], ["scan", "--noverify_checksum"],
                        ["layout", "--json"], ["raw"], ["stats"], ["overlap"],
                        ["space"], ["space", "--prefix_length=4", "--json"],
                        ["recompress", "--compression_types=lz4"]):
            outcome = self.run_program(*command, *names)
            self.assertLessEqual(outcome.code, 2, command)
            if "--json" in command:
                files = json.loads(outcome.out)["files"]
                self.assertEqual(len(files), len(names), command)

    def test_max_errors(self):
        data = bytearray(self.good)
        blocks = [block for block in self.blocks() if block["kind"] == "data"]
        for block in blocks:
            data[block["offset"]] ^= 1
        name = self.damaged(data)
        for limit in (0, 1, len(blocks)):
            outcome = self.run_program("verify", f"--max_errors={limit}", name)
            faults = outcome.err.count("bad.sst: Corruption: ")
            self.assertEqual(faults, limit or len(blocks))
            rest = len(blocks) - faults
            more = f"bad.sst: {rest} more faults not shown (--max_errors)\n"
            self.assertEqual(more in outcome.err, rest > 0)
        document = json.loads(
            self.run_program("verify", "--json", "--max_errors=1", name).out)
        file = document["files"][0]
        self.assertEqual(file["errors_total"], len(blocks))
        self.assertEqual(len(file["errors"]), 1)

    def test_scan_shows_what_is_before_the_damage(self):
        block = [block for block in self.blocks()
                 if block["kind"] == "data"][2]
        data = bytearray(self.good)
        data[block["offset"]] ^= 1
        outcome = self.run_code(1, "scan", "--output_format=canonical",
                                self.damaged(data))
        whole = self.run_ok("scan", "--output_format=canonical",
                            "good.sst").out
        self.assertGreater(len(outcome.out), 0)
        self.assertTrue(whole.startswith(outcome.out))
        next_key = whole[len(outcome.out):].split(b" ")[0].decode().upper()
        self.assertEqual(next_key, block["first_key"])

    def test_progress(self):
        outcome = self.run_ok("verify", "--progress=always", "good.sst")
        self.assertRegex(
            outcome.err,
            r"\ngood\.sst: 100 % \[#{20}\] (\d+\.\d) of \1 MB, \d+ MB/s, "
            r"0:00 left\n$")
        self.assertEqual(self.run_ok("verify", "good.sst").err, "")
        for command in ("check", "verify", "stats"):
            outcome = self.run_ok(command, "--progress=always", "good.sst",
                                  "good.sst")
            self.assertRegex(outcome.err,
                             r"(?m)^2/2 good\.sst: \d+ % \[[#.]{20}\] ")


if __name__ == "__main__":
    cli.main()
