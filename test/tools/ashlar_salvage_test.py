"""salvage: what is left of a damaged table. stats: what a table contains."""

import base64
import json
import os
import unittest
import zlib

import cli
from cli import CliTest, GOLDEN, hex_rows, numbered_rows

# The table that TableBuilder makes of two points and two range deletions with
# leveldb.BytewiseComparator.u64ts and persist_user_defined_timestamps = false.
STRIPPED_TIMESTAMPS = (
    "c-nPT-EJF26rOP%d+j)O5;p|`5-t*o1oG7GPm(GaQKzlosuC%!)C#TEJIBtD+1c&PY;5NO"
    "ArJzoH#`Dwz!jpr09+#O5SNHYK;oiE<;<=fr&2rCjAzczch33F?2rl#XoX~BLMk+(UVfOm"
    "g}UX3;>MQ+{P##PSA9U{qqW!+@Hf*?a&~<0mS?1d>o5Nuze#9B-a55<QYk$k8?T0`v2g^t"
    "-RX3?jdJdIR(QQFV>QA(D2`bU8l~KZyQPEEB}o3h@-rtpRL9|w;R801xM7390B1HBNMIbo"
    "I87v;lR#TxMXYc?6w-n=-OXxIC=L^5rwKT`%~hIc7>dcvM5s|`vq{H?F=8FTbRq6~t4m=l"
    "(@3#l5D7VDf<MDiu6nHqV+A(W5{^M)TK%bou`sY7&owOFzG_XaT-0C;=Jep;?#-t6EA`{V"
    "rD(>ORy_6x!kS*Ydv&jsLG`X&-r3&SYZ;3mFq-x{d#xy#_*{h6A7BvUBqzpl--*#msD&Jq"
    "V}w8Nln#fW7dEK@Kl9JD835>BH}?oJeU~rr+`&)K^=Q!By}rHI3J(E$kVX#0cXakJ(Mq$V"
    "A+SgnLmC7Jg)NxgFo!bGYpdr?Ui_)z&i>{8#|PJT?;UhLynk=Ee|!JtwR(98Ev$&(yQh!;"
    "D0#0_9@t>kY0SoATbWSUl;c3It`w;eC$LpnrXay$tFdXO;H@uV<A8-(HfQmctIO!hl30px"
    "ilA|nces%Q-Ky5<Bu8Nq)W{x^$_kBj6j*kQHwdvx-WxQ(L@&;X)*IBh3&W6I?VxBqM_;dB"
    "plFeTQ*w}47pO4iz^S*EIU!FY#A5~?skl<BQxgSJo=Qqyo#OX00v2O00>uq!o-5=1QmK@Q"
    ")n0=t7&~(Z=87hjI!z<C;Ly-lHYl67)^VfZGYFA7S}RlRixyyt7&+&~pGgX}2E~9QXmdxj"
    "yR!u}N|hKQJ2Pm4@ngxKkKd$PjD!j#%UYt+XaJge8|B%D2NS$@q5DQu5W%dF>RQ27Xs4Jd"
    "*6-Bj;ip~=a~NmXj?PZ4I-}E_-bD&+ASBD%5f6t3?3Q<tW?kSI%e@3HCp3r>!xGm|gM}}i"
    "w7XB_kL2yb5R=HuXY-e)pW<1lzPmBEGu75DvQn6<vkUQPg{&9nl0;_(Aa%dfKRvQ`Zm!5!"
    "^pVA{=tnN*J2>CN`3cVK`ThLqYn|fz<b>!;k1t+of8&2aUOwC_`R{N4eErjnzrOt+Bx%T1")


class SalvageTest(CliTest):

    # Caches the blocks of tables, by the tables' bytes.
    layouts = {}

    def setUp(self):
        super().setUp()
        self.build_once("a.sst", numbered_rows(200), "--block_size=600",
                        "--compression_type=none")
        self.take("a.sst")

    def rows(self, *names):
        return self.run_ok("scan", "--output_format=canonical",
                           *names).text.splitlines()

    def damage(self, *blocks):
        data = bytearray(self.good)
        for block in blocks:
            data[block["offset"] + block["size"] // 2] ^= 1
        (self.folder / "bad.sst").write_bytes(data)

    def salvage(self, *flags):
        outcome = self.run_code(1, "salvage", "--out=b.sst", "--overwrite",
                                "bad.sst", *flags)
        return outcome

    def data_blocks(self):
        return [block for block in self.blocks if block["kind"] == "data"]

    def test_all_but_the_damaged_blocks(self):
        data = self.data_blocks()
        firsts = [block["first_key"].lower() for block in data] + ["zz"]
        rows = self.rows("a.sst")
        for lost in ([0], [2], [len(data) - 1], [1, 2, 5]):
            self.damage(*[data[i] for i in lost])
            outcome = self.salvage("--json")
            expected = [row for row in rows if not any(
                firsts[i] <= row.split()[0] < firsts[i + 1] for i in lost)]
            self.assertEqual(self.rows("b.sst"), expected)
            file = json.loads(outcome.out)["files"][0]
            self.assertEqual(file["num_entries"], len(expected))
            self.assertEqual([row["index"] for row in file["lost"]], lost)
            kept = {row.split()[0] for row in expected}
            for entry in file["lost"]:
                after = entry.get("after", "").lower()
                last = entry.get("last", "ff").lower()
                for row in rows:
                    key = row.split()[0]
                    if after < key <= last:
                        self.assertNotIn(key, kept)
            self.run_ok("verify", "b.sst")

    def take(self, name):
        """Sets the table to damage."""
        self.good = (self.folder / name).read_bytes()
        if self.good not in self.layouts:
            self.layouts[self.good], = self.layout_of_each([name])
        self.blocks = self.layouts[self.good]

    def of_kind(self, kind):
        return [block for block in self.blocks if block["kind"] == kind]

    def lost_bytes(self, outcome):
        return json.loads(outcome.out)["files"][0]["lost_bytes"]

    def lost(self, outcome):
        return json.loads(outcome.out)["files"][0]["lost"]

    def test_partitions_without_properties(self):
        names = []
        for version in (2, 3, 4, 6, 7):
            for value in (b"v", b"0123456789" * 9):
                names.append(self.build(
                    f"{version}-{len(value)}", hex_rows(
                        [(b"key%06d" % i, 0, 1, value) for i in range(200)]),
                    "--index_type=partitioned", "--block_size=100",
                    "--metadata_block_size=100", "--index_shortening=none",
                    f"--format_version={version}"))
        layouts = self.layout_of_each(names)
        for name, blocks in zip(names, layouts):
            with self.subTest(name):
                self.good = (self.folder / name).read_bytes()
                self.blocks = blocks
                parts = self.of_kind("index-partition")
                self.assertGreater(len(parts), 2)
                self.damage(*self.of_kind("properties"))
                self.assertEqual(self.lost(self.salvage("--json")), [])
                os.rename(self.folder / "b.sst", self.folder / f"{name}-whole")
                os.rename(self.folder / "bad.sst", self.folder / f"{name}-bad")
                # The other partitions show the form of the index, and the
                # blocks of this one are found without it.
                self.damage(*self.of_kind("properties"), parts[0])
                self.assertEqual(self.lost(self.salvage("--json")), [])
                os.rename(self.folder / "b.sst", self.folder / f"{name}-part")
                self.damage(*self.of_kind("properties"),
                            *self.of_kind("data"))
                outcome = self.salvage("--json")
                self.assertEqual(self.lost(outcome), [])
                first = self.lost_bytes(outcome)[0]
                self.assertEqual(first["offset"], 0)
                self.assertGreaterEqual(
                    first["size"],
                    self.of_kind("data")[0]["size"])
        # Many tables at once: starting the program takes longer than a table.
        rows, whole, part = (self.scan_each([name + end for name in names])
                             for end in ("", "-whole", "-part"))
        self.assertEqual(whole, rows)
        self.assertEqual(part, rows)
        self.run_program("raw", *(f"{name}-bad" for name in names))
        for name, blocks in zip(names, layouts):
            raw = (self.folder / f"{name}-bad_dump.txt").read_text()
            self.assertEqual(
                raw.count("Data Block # "),
                sum(block["kind"] == "data" for block in blocks))

    def test_versions_of_one_key_in_many_blocks(self):
        self.build("a.sst", hex_rows([(b"k", 99 - i, 1, b"%050d" % i)
                                      for i in range(50)]),
                   "--overwrite", "--block_size=200",
                   "--compression_type=none")
        self.take("a.sst")
        for extra in ([], self.of_kind("properties")):
            self.damage(self.of_kind("data")[3], *extra)
            lost, = self.lost(self.salvage("--json"))
            self.assertEqual((lost["from"], lost["last"]), ("6B", "6B"))
            self.assertNotIn("after", lost)
            self.assertIn(": keys from 'k' up to 'k'\n", self.salvage().text)

    # What it names is found without it: the index, and range deletions too.
    def test_metaindex(self):
        rows = [(b"a", 9, 1, b"1"), (b"b", 3, 15, b"d")]
        for version in (5, 6):
            self.build("a.sst", hex_rows(rows), "--overwrite",
                       f"--format_version={version}")
            self.take("a.sst")
            block, = self.of_kind("meta-index")
            self.damage(block)
            outcome = self.salvage("--json")
            self.assertEqual(self.lost(outcome), [])
            self.assertEqual(len(self.rows("b.sst")), 2)

    def test_types_that_no_data_block_holds(self):
        self.build("a.sst", numbered_rows(9), "--overwrite", "--filter=none",
                   "--checksum_type=kNoChecksum", "--compression_type=none",
                   "--block_restart_interval=1", "--block_size=64")
        data = bytearray((self.folder / "a.sst").read_bytes())
        data[data.index(b"key000004") + 9] = 15
        # Hides the properties, and so the order of keys. If the order is known,
        # the check of the order already refuses the entry.
        data = data.replace(b"rocksdb.properties", b"rocksdb.propertieS")
        (self.folder / "bad.sst").write_bytes(data)
        outcome = self.salvage("--json")
        self.assertIn("is of a type that its block cannot hold", outcome.err)
        self.assertEqual(len(self.rows("b.sst")), 8)
        self.run_ok("verify", "b.sst")

    def test_ends_of_ranges_get_their_timestamps_back(self):
        table = zlib.decompress(base64.b85decode(STRIPPED_TIMESTAMPS))
        (self.folder / "s.sst").write_bytes(table)
        rows = self.rows("s.sst")
        self.assertEqual(len([row for row in rows if " 15 " in row]), 2)
        self.run_ok("salvage", "s.sst", "--out=t.sst")
        self.assertEqual(self.rows("t.sst"), rows)

    def test_text(self):
        block = self.data_blocks()[2]
        self.damage(block)
        outcome = self.salvage()
        self.assertRegex(
            outcome.text,
            r"(?m)^lost: data block #2 offset %d size %d: keys above "
            r"'key\d+' up to 'key\d+'$" % (block["offset"], block["size"]))
        self.assertRegex(outcome.err, r"(?m)^bad.sst: Corruption: block "
                                      r"checksum mismatch in data block #2 ")
        self.assertRegex(outcome.err, r"(?m)^wrote b.sst: \d+ entries, ")

    def test_damage_elsewhere_loses_nothing(self):
        rows = self.rows("a.sst")
        for block in self.blocks:
            if block["kind"] in ("filter", "properties"):
                self.damage(block)
                self.salvage()
                self.assertEqual(self.rows("b.sst"), rows, block["kind"])

    def test_partitions(self):
        self.build("a.sst", numbered_rows(200), "--block_size=600",
                   "--overwrite", "--index_type=partitioned",
                   "--metadata_block_size=100")
        self.good = (self.folder / "a.sst").read_bytes()
        layout = json.loads(self.run_ok("layout", "--json", "a.sst").out)
        self.blocks = layout["files"][0]["blocks"]
        parts = [block for block in self.blocks
                 if block["kind"] == "index-partition"]
        self.assertGreater(len(parts), 2)
        self.damage(parts[1])
        outcome = self.salvage("--json")
        self.assertEqual(self.lost(outcome), [])
        file = json.loads(outcome.out)["files"][0]
        self.assertGreater(file["blocks_found"], 1)
        self.assertEqual(self.rows("b.sst"), self.rows("a.sst"))

    def test_range_deletions_and_versions(self):
        entries = [(b"a", 9, 0, b""), (b"a", 5, 1, b"old"), (b"b", 7, 7, b""),
                   (b"b", 3, 15, b"d")]
        self.build("a.sst", hex_rows(entries), "--overwrite")
        self.good = (self.folder / "a.sst").read_bytes()
        outcome = self.run_ok("salvage", "a.sst", "--out=b.sst", "--quiet")
        self.assertEqual(outcome.text, "")
        self.assertEqual(self.rows("b.sst"), self.rows("a.sst"))
        layout = json.loads(self.run_ok("layout", "--json", "a.sst").out)
        self.damage(*[block for block in layout["files"][0]["blocks"]
                      if block["kind"] == "range-del"])
        self.assertIn("keys that a range deletion hid may be visible again",
                      self.salvage().text)
        self.assertEqual(len(self.rows("b.sst")), 3)

    # The block of range deletions follows the index, which older footers name.
    def test_range_deletions_after_a_damaged_index(self):
        rows = [(b"key%06d" % i, 9, 1, b"v" * 50) for i in range(300)]
        rows.append((b"key000010", 10, 15, b"key000200"))
        for version in range(2, 8):
            self.build("a.sst", hex_rows(rows), "--overwrite",
                       f"--format_version={version}")
            self.take("a.sst")
            block, = self.of_kind("range-del")
            self.damage(block, *self.of_kind("index"),
                        *self.of_kind("meta-index"))
            outcome = self.salvage("--json")
            self.assertEqual(len(self.rows("b.sst")), 300)
            self.assertTrue(any(
                lost["offset"] <= block["offset"] and
                block["offset"] + block["size"] + 5 <=
                lost["offset"] + lost["size"]
                for lost in self.lost_bytes(outcome)), (version, outcome.out))
            self.assertEqual(self.lost(outcome), [{
                "block": "range-del", "index": 0, "offset": 0, "size": 0,
                "only_range_deletions": True}], version)
            self.assertIn("lost: range-del block: keys that a range deletion "
                          "hid may be visible again\n", self.salvage().text)

    def test_nothing_to_save(self):
        (self.folder / "bad.sst").write_bytes(b"x" * 1000)
        self.salvage()
        self.assertEqual(sorted(os.listdir(self.folder)),
                         ["a.sst", "bad.sst"])
        self.assert_usage_error("salvage takes one file", "salvage", "a.sst",
                                "bad.sst", "--out=d.sst")

    def test_what_is_left_out_is_a_fault(self):
        # Another order of the keys, which no properties contradict any more.
        self.damage(*[block for block in self.blocks
                      if block["kind"] == "properties"])
        outcome = self.salvage("--comparator="
                               "rocksdb.ReverseBytewiseComparator", "--json")
        file = json.loads(outcome.out)["files"][0]
        self.assertEqual((file["num_entries"], file["entries_left_out"]),
                         (1, 199))
        self.assertIn("bad.sst: Corruption: 199 entries left out, the first "
                      "because: ", outcome.err)
        self.assertNotIn("(--comparator", outcome.err)
        self.assertIn("warning: bad.sst: the properties are lost; salvage "
                      "assumes that keys are in the order of "
                      "leveldb.BytewiseComparator (--comparator sets another)",
                      self.salvage().err)

    def test_comparator_of_the_file(self):
        outcome = self.run_code(
            2, "salvage", "a.sst", "--out=b.sst",
            "--comparator=rocksdb.ReverseBytewiseComparator")
        self.assertIn("does not match the given one", outcome.err)
        self.assertEqual(os.listdir(self.folder), ["a.sst"])

    def test_faults_of_others_lose_nothing(self):
        # Takes the filter of a table with other keys.
        self.build("a.sst", numbered_rows(200), "--identity=01", "--overwrite",
                   "--format_version=5", "--compression_type=none")
        self.build("c.sst", numbered_rows(200).replace(b"6b65", b"6b66"),
                   "--identity=01", "--format_version=5",
                   "--compression_type=none")
        layout = json.loads(self.run_ok("layout", "--json", "a.sst").out)
        data = bytearray((self.folder / "a.sst").read_bytes())
        other = (self.folder / "c.sst").read_bytes()
        self.assertEqual(len(data), len(other))
        block, = [block for block in layout["files"][0]["blocks"]
                  if block["kind"] == "filter"]
        where = slice(block["offset"], block["offset"] + block["size"] + 5)
        data[where] = other[where]
        (self.folder / "bad.sst").write_bytes(data)
        outcome = self.salvage("--json")
        self.assertIn("filter does not match a key", outcome.err)
        file = json.loads(outcome.out)["files"][0]
        self.assertEqual((file["lost"], file["entries_left_out"]), ([], 0))
        self.assertEqual(self.rows("b.sst"), self.rows("a.sst"))
        self.assertNotIn("Skipped", self.run_program("raw", "--out=-",
                                                     "bad.sst").text)

    def test_index_is_lost(self):
        index, = self.of_kind("index")
        self.damage(index)
        outcome = self.salvage("--json")
        file = json.loads(outcome.out)["files"][0]
        self.assertEqual(file["lost"], [])
        self.assertEqual(file["lost_bytes"], [])
        self.assertEqual(file["blocks_found"], len(self.data_blocks()))
        self.assertEqual(self.rows("b.sst"), self.rows("a.sst"))

    def test_all_but_the_data_blocks_is_cut_off(self):
        last = self.data_blocks()[-1]
        (self.folder / "bad.sst").write_bytes(
            self.good[:last["offset"] + last["size"] + 5])
        outcome = self.salvage()
        self.assertIn("found without the index: %d data blocks" %
                      len(self.data_blocks()), outcome.text)
        self.assertEqual(self.rows("b.sst"), self.rows("a.sst"))

    # The keys around a damaged block tell what was in it.
    def test_lost_bytes_and_the_keys_around_them(self):
        index, = self.of_kind("index")
        data = self.data_blocks()
        self.damage(index, data[2], data[3])
        rows = self.rows("a.sst")
        outcome = self.salvage("--json")
        kept = self.rows("b.sst")
        at, = [i for i in range(len(kept))
               if kept[:i + 1] != rows[:i + 1]][:1]
        size = data[4]["offset"] - data[2]["offset"]
        self.assertEqual(self.lost_bytes(outcome), [{
            "offset": data[2]["offset"], "size": size,
            "after": kept[at - 1].split()[0].upper(),
            "before": kept[at].split()[0].upper()}])
        self.assertRegex(
            self.salvage().text,
            r"(?m)^lost: %d bytes at offset %d, after key 'key\d+', before "
            r"key 'key\d+'$" % (size, data[2]["offset"]))

    # Without context checksums, a block is sound wherever it lies.
    def test_copy_of_another_block(self):
        for version in (2, 5, 6):
            self.build("a.sst", numbered_rows(200), "--overwrite",
                       "--block_size=600", "--compression_type=none",
                       f"--format_version={version}")
            self.take("a.sst")
            data = self.data_blocks()
            source, target = data[6], data[2]
            self.assertEqual(source["size"], target["size"])
            size = source["size"] + 5
            bad = bytearray(self.good)
            bad[target["offset"]:target["offset"] + size] = self.good[
                source["offset"]:source["offset"] + size]
            (self.folder / "bad.sst").write_bytes(bad)
            file = json.loads(self.salvage("--json").out)["files"][0]
            rows = self.rows("a.sst")
            first, end = (data[i]["first_key"].lower() for i in (2, 3))
            self.assertEqual(self.rows("b.sst"), [
                row for row in rows if not first <= row.split()[0] < end])
            self.assertEqual(file["entries_left_out"], 0)
            self.assertEqual([row["index"] for row in file["lost"]], [2])

    def test_empty_table(self):
        self.build("e.sst", b"")
        self.run_ok("salvage", "e.sst", "--out=b.sst")
        self.assertEqual(self.rows("b.sst"), [])

    def test_where_it_may_write(self):
        os.link(self.folder / "a.sst", self.folder / "link.sst")
        for command in ("salvage", "rewrite", "raw"):
            for out, reason in (
                    ("a.sst", " is an input, which is never overwritten"),
                    ("link.sst", " is an input, which is never overwritten"),
                    (".", " is a folder")):
                outcome = self.run_program(command, "a.sst", "--overwrite",
                                           f"--out={out}")
                self.assertEqual((outcome.code, outcome.err),
                                 (2, f"ashlar: {out}{reason}\n"))
            if command != "raw":
                outcome = self.run_code(2, command, "a.sst", "--out=b.sst",
                                        "--require_property_regex=x")
                self.assertIn("does not go with " + command, outcome.err)
        self.assertEqual((self.folder / "a.sst").read_bytes(), self.good)

    @unittest.skipUnless((GOLDEN / "golden.tsv").exists(), "no golden files")
    def test_sequence_numbers_of_external_files(self):
        outcome = self.run_code(
            1, "salvage", GOLDEN / "bad" / "dup-userkey.sst", "--out=b.sst")
        self.assertIn("Corruption: 20 entries left out, the first because: "
                      "entry 2: ", outcome.err)
        for name in ("bad/seq-nonzero.sst", "peb-plain.sst",
                     "r78-fv5-crc32c.sst"):
            path = GOLDEN / name
            self.run_ok("salvage", path, "--out=b.sst", "--overwrite")
            rows = self.rows("b.sst")
            self.assertEqual(rows, self.rows(path), name)
            self.assertGreater(len(rows), 30)

    @unittest.skipUnless((GOLDEN / "golden.tsv").exists(), "no golden files")
    def test_golden_files(self):
        saved = []
        for path in sorted(GOLDEN.glob("r119-*.sst")):
            outcome = self.run_program("salvage", path, f"--out={path.name}")
            # Not a table with an unknown codec.
            if "custom-codec" in path.name:
                continue
            self.assertEqual(outcome.code, 0, (path.name, outcome.err))
            saved.append(path)
        # Many tables at once: starting the program takes longer than a table.
        names = [path.name for path in saved]
        for name, rows, expected in zip(names, self.scan_each(names),
                                        self.scan_each(saved)):
            self.assertEqual(rows, expected, name)


    @unittest.skipUnless((GOLDEN / "golden.tsv").exists(), "no golden files")
    def test_embedded_blob_that_is_damaged(self):
        path = GOLDEN / "embedded" / "emb-zero-min-bad.sst"
        outcome = self.run_code(1, "salvage", path, "--out=b.sst")
        self.assertIn("1 entries left out, the first because: key 'c' seq:0, "
                      "type:17 has an embedded blob that cannot be read",
                      outcome.err)
        self.run_ok("verify", "b.sst")
        self.assertEqual(len(self.rows("b.sst")), 2)


@unittest.skipUnless((GOLDEN / "golden.tsv").exists(), "no golden files")
class GoldenDamageTest(CliTest):
    """Whatever is damaged: nothing is made up, and every loss is reported."""

    # Tables with another order, without checksums, or not suitable for a copy.
    OTHERS = ("reverse", "fv2-none", "fv5-none", "fv7-none", "rdict-fv6-none",
              "embedded", "custom", "-ts", "r119-big")

    def salvage(self, data, blocks, out):
        """Damages these blocks and returns what salvage reports as lost."""
        data = bytearray(data)
        for block in blocks:
            data[block["offset"] + block["size"] // 3] ^= 1
        (self.folder / "bad.sst").write_bytes(data)
        outcome = self.run_code(1, "salvage", "--json", f"--out={out}",
                                "bad.sst")
        return json.loads(outcome.out)["files"][0]["lost"]

    @staticmethod
    def lies_in(row, lost):
        key, _, kind, *_ = row.split()
        if lost.get("only_range_deletions"):
            return kind == "15"
        if kind == "15" and lost["block"] != "meta-index":
            return False
        return (key >= lost.get("from", "").lower() and
                ("after" not in lost or key > lost["after"].lower()) and
                ("last" not in lost or key <= lost["last"].lower()))

    def check(self, rows, saved, lost):
        self.assertEqual(set(saved) - set(rows), set())
        for row in set(rows) - set(saved):
            self.assertTrue(any(self.lies_in(row, entry) for entry in lost),
                            (row, lost))
        for row in saved:
            # Except other versions of the key where a loss begins or ends.
            key = row.split()[0]
            self.assertFalse(any(
                self.lies_in(row, entry) and not (
                    "from" in entry and key == entry["from"].lower()) and not (
                    "after" not in entry and key == entry.get("last", "-").lower())
                for entry in lost), (row, lost))

    @staticmethod
    def damages_of(path, blocks):
        """Returns lists of blocks to damage together, each list once."""
        data = [block for block in blocks if block["kind"] == "data"]
        parts = [block for block in blocks
                 if block["kind"] == "index-partition"]
        damages = [data[i::3] for i in range(min(3, len(data)))]
        damages += [[block] for block in parts[:1] + parts[1::3]]
        damages += [[block] for block in blocks
                    if block["kind"] in ("index", "range-del")]
        for block in blocks:
            if (block["kind"] in ("properties", "meta-index") and
                    "ingested-seqno" not in path.name):
                damages += [[block], [block] + data[1::3]]
        return [damage for i, damage in enumerate(damages)
                if damage not in damages[:i]]

    def test_all(self):
        tables = sorted(GOLDEN.glob("*.sst")) + sorted(GOLDEN.glob("*.ldb"))
        # Every fifth table: all of them take minutes under ASan.
        tables = [path for path in tables[::5]
                  if not any(name in path.name for name in self.OTHERS)]
        # Many tables at once: starting the program takes longer than a table.
        rows = self.scan_each(tables, self.run_program)
        layouts = self.layout_of_each(tables)
        salvaged = []
        for path, rows_of_table, blocks in zip(tables, rows, layouts):
            blocks = [block for block in blocks if block["size"] != 0]
            content = path.read_bytes()
            for damage in self.damages_of(path, blocks):
                case = (path.name, [(block["kind"], block.get("index"))
                                    for block in damage])
                with self.subTest(case):
                    out = f"{len(salvaged)}.sst"
                    lost = self.salvage(content, damage, out)
                    salvaged.append((case, rows_of_table, out, lost))
        # A salvage that finds nothing makes no table.
        made = [out for _, _, out, _ in salvaged
                if (self.folder / out).exists()]
        saved = dict(zip(made, self.scan_each(made, self.run_program)))
        for case, rows_of_table, out, lost in salvaged:
            with self.subTest(case):
                self.check(rows_of_table, saved.get(out, []), lost)


class StatsTest(CliTest):

    def stats(self, *arguments):
        document = json.loads(self.run_ok("stats", "--json", *arguments).out)
        return document["files"][0]

    def test_counts(self):
        self.build("a.sst", hex_rows(
            [(b"u%d:%03d" % (i // 100, i), 9, 1, b"v" * (i % 10))
             for i in range(500)] +
            [(b"v", 3, 0, b""), (b"a", 1, 15, b"b")]),
            "--compression_type=none", "--block_size=1000")
        stats = self.stats("a.sst", "--prefix_separator=:")
        self.assertEqual(stats["types"],
                         {"put": 500, "delete": 1, "range_delete": 1})
        self.assertEqual(stats["key_size"],
                         {"min": 1, "p50": 6, "p90": 6, "p99": 6, "max": 6})
        self.assertEqual(stats["value_size"],
                         {"min": 0, "p50": 4, "p90": 8, "p99": 9, "max": 9})
        self.assertEqual(stats["ratio"]["p50"], 1)
        self.assertEqual(sum(kind["bytes"] for kind in
                             stats["kinds"].values()), stats["size"])
        self.assertEqual(stats["prefixes"], [
            {"prefix": (b"u%d" % i).hex().upper(), "entries": 100,
             "bytes": 100 * 6 + 450} for i in range(5)] + [
            {"prefix": "76", "entries": 1, "bytes": 1}])
        text = self.run_ok("stats", "a.sst", "--prefix_length=2").text
        self.assertIn("entries by type:\n  delete: 1\n  put: 500\n"
                      "  range_delete: 1\nkey size: min 1, 50 % 6, 90 % 6, "
                      "99 % 6, max 6\n", text)
        self.assertIn("heaviest prefixes:\n  'u0': 100 entries, 1050 bytes\n",
                      text)

    def test_filter(self):
        for bits, low, high in ((5, .06, .14), (10, .006, .014)):
            self.build("a.sst", numbered_rows(20000), "--overwrite",
                       f"--bloom_bits={bits}")
            rates = self.stats("a.sst", "--filter_probes=20000")["filter"]
            self.assertAlmostEqual(rates["bits_per_key"], bits, delta=.1)
            for rate in ("bloom_rate", "measured_rate"):
                self.assertGreater(rates[rate], low)
                self.assertLess(rates[rate], high)
            self.assertEqual(rates["probes"], 20000)
        self.build("a.sst", numbered_rows(200), "--overwrite", "--filter=none")
        self.assertNotIn("filter", self.stats("a.sst"))

    def test_filter_of_a_file_that_lies(self):
        self.build("a.sst", numbered_rows(200), "--checksum_type=kNoChecksum")
        data = (self.folder / "a.sst").read_bytes()
        begin = data.index(b"filter_entries") + 14
        self.assertEqual(data[begin:begin + 2], b"\xc8\x01")  # 200
        (self.folder / "a.sst").write_bytes(
            data[:begin] + b"\xff\x7f" + data[begin + 2:])
        rates = self.stats("a.sst", "--filter_probes=9")["filter"]
        self.assertLess(rates["bits_per_key"], .25)
        self.assertGreater(rates["bloom_rate"], .98)

    def test_filter_whose_keys_are_not_counted(self):
        self.build("a.sst", hex_rows(
            [(b"%05d" % (i // 4), 9 - i % 4, 1, b"") for i in range(8000)]),
            "--checksum_type=kNoChecksum")
        data = (self.folder / "a.sst").read_bytes()
        counted = self.stats("a.sst", "--filter_probes=9")["filter"]
        (self.folder / "a.sst").write_bytes(
            data.replace(b"filter_entries", b"filter_unknown"))
        guessed = self.stats("a.sst", "--filter_probes=9")["filter"]
        self.assertAlmostEqual(guessed["bits_per_key"],
                               counted["bits_per_key"])
        self.assertIn('"num_filter_entries":0,', self.run_ok(
            "properties", "--json", "a.sst").text)

    def test_filter_of_long_keys(self):
        self.build("a.sst", hex_rows([(b"%02000d" % i, 9, 1, b"")
                                      for i in range(100)]))
        self.assertIn(
            " bits per key; absent keys that pass: not measured, all keys are "
            "longer than 1024 bytes, computed for a Bloom filter ",
            self.run_ok("stats", "a.sst").text)
        rates = self.stats("a.sst")["filter"]
        self.assertEqual(sorted(rates),
                         ["bits_per_key", "bloom_rate", "probes"])

    def test_prefixes_that_are_keys_too(self):
        keys = [b"a", b"a-b/x", b"a/1", b"a/2", b"b"]
        for comparator, order in (("leveldb.BytewiseComparator", keys),
                                  ("rocksdb.ReverseBytewiseComparator",
                                   keys[::-1])):
            self.build("a.sst", hex_rows([(key, 1, 1, b"") for key in order]),
                       "--overwrite", f"--comparator={comparator}")
            self.assertEqual(
                self.stats("a.sst", "--prefix_separator=/")["prefixes"],
                [{"prefix": prefix.hex().upper(), "entries": entries,
                  "bytes": size} for prefix, entries, size in
                 ((b"a", 3, 7), (b"a-b", 1, 5), (b"b", 1, 1))])
        self.build("a.sst", hex_rows(
            [(key, 1, 1, b"") for key in (b"a", b"a/", b"a//x", b"a/b")]),
            "--overwrite")
        self.assertEqual(
            [(entry["prefix"], entry["entries"]) for entry in
             self.stats("a.sst", "--prefix_separator=//")["prefixes"]],
            [("61", 2), ("612F62", 1), ("612F", 1)])

    def test_same_each_time(self):
        self.build("a.sst", numbered_rows(5000))
        self.assertEqual(self.run_ok("stats", "a.sst").out,
                         self.run_ok("stats", "a.sst").out)
        self.assert_usage_error(
            "--prefix_length and --prefix_separator exclude each other",
            "stats", "a.sst", "--prefix_length=1", "--prefix_separator=:")


if __name__ == "__main__":
    cli.main()
