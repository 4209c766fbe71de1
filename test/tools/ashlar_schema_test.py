"""The output of `--json` and `--jsonl` fits the schema, and covers all of it.
"""

import copy
import json
import os
import re
import shutil
import signal
import subprocess

import cli
import traces
from cli import CliTest, GOLDEN, PROGRAM, ROOT, hex_rows, numbered_rows
from json_schema import Schema, subschemas

SCHEMA = ROOT / "tools" / "ashlar" / "schema" / "ashlar-1.schema.json"
EXTRAS = ["--show_properties", "--list_meta_blocks", "--show_summary"]
LINE, DEFS = "#/$defs/line", "#/$defs/"
# The places of the schema that no document below reaches.
CANNOT_BE_SHOWN = {
    # Needs a machine without memory.
    DEFS + 'error/properties/code="Memory limit"',
    DEFS + 'file/properties/status="memory_limit"',
}
# Members that a document may lack, for example because only some files have
# them.
OPTIONAL = set("""
    after baseline blocks chart checksum_type column_family_id
    column_family_name compaction comparator_name compression_name
    compression_options embedded_blob_bytes embedded_blobs entries_per_block
    filter filter_policy_name first_key format_version key_largest_seqno
    key_smallest_seqno key_space last levels merge_operator_name meta_blocks
    newest_key_time not_looked_at num_data_blocks_compression_bypassed
    num_data_blocks_compression_rejected num_uniform_blocks ok
    overlapped_bytes prefix_extractor_name properties
    property_collectors_names ratio raw_size readable_by_rocksdb report
    rocksdb_version size stored_size trials unique_id
    unreferenced_blob_bytes value versions write_ahead_logs""".split())


def unique(pairs):
    """Returns an object. Fails if a name occurs twice."""
    names = [name for name, _ in pairs]
    if len(set(names)) != len(names):
        raise ValueError(f"a name comes twice in {names}")
    return dict(pairs)


def parse(text):
    """Parses JSON, without the extensions that only Python accepts."""
    def refuse(word):
        raise ValueError(word)
    return json.loads(text, object_pairs_hook=unique, parse_constant=refuse)


def shortened(value):
    """Returns the value with only the first item of each list."""
    if isinstance(value, dict):
        return {name: shortened(member) for name, member in value.items()}
    return [shortened(value[0])] if isinstance(value, list) and value else value


class SchemaTest(CliTest):

    def setUp(self):
        super().setUp()
        self.schema = Schema(parse(SCHEMA.read_text(encoding="utf-8")))
        self.documents = []

    def assert_fits(self, value, place="#", about=None):
        errors = self.schema.errors(value, place)
        if place == "#" and "command" in value:
            # By the command's own definition, which gives better errors.
            for file in value["files"] if errors else ():
                errors += self.schema.errors(
                    file, f"{DEFS}{value['command']}_file")
        self.assertEqual(errors[:9], [], about)

    def take(self, *arguments, **more):
        """Returns the document that a run prints, after checking it."""
        outcome = self.run_program(*arguments, "--json", **more)
        return self.take_text(outcome.out, outcome.code, arguments)

    def take_text(self, text, code, about):
        document = parse(text)
        self.assert_fits(document, about=about)
        self.assertEqual(document.get("exit_code", 0), code, about)
        self.assertTrue(text.endswith(b"}\n"), about)
        self.documents.append(document)
        return document

    def take_lines(self, text, code, about):
        lines = [parse(line) for line in text.splitlines()]
        self.assert_fits(lines[0], DEFS + "first_line", about)
        self.assert_fits(lines[-1], DEFS + "last_line", about)
        self.assertEqual(lines[-1]["exit_code"], code, about)
        command = lines[0]["command"]
        of_file = "scan_end" if command == "scan" else command + "_file"
        for line in lines[1:-1]:
            self.assert_fits(line, LINE, about)
            if "status" in line:
                self.assert_fits(line, DEFS + of_file, about)
        return lines

    def link_golden(self, pattern):
        """Links golden files under short names into the test's folder.

        Some commands write dumps next to their input.
        """
        names = []
        for path in sorted(GOLDEN.glob(pattern)):
            if path.suffix in (".sst", ".ldb"):
                os.symlink(path, self.folder / path.name)
                names.append(path.name)
        self.assertNotEqual(names, [])
        return names

    def write_no_tables(self):
        """Writes files that are no tables, or of another kind.

        Returns their names.
        """
        contents = {"empty": b"", "text": b"no table at all, " * 30}
        for name, magic in (("plain", 0x8242229663bf9564),
                            ("cuckoo", 0x926789d0c5f17873)):
            contents[name] = bytes(100) + magic.to_bytes(8, "little")
        contents["pebble"] = bytes(100) + 2 * b"\xf0\x9f\xaa\xb3"
        for name, data in contents.items():
            (self.folder / name).write_bytes(data)
        (self.folder / "folder").mkdir()
        return [*contents, "folder", "missing"]

    def write_damaged(self, name, *places):
        """Writes a copy of a.sst with other bytes at these offsets."""
        data = bytearray((self.folder / "a.sst").read_bytes())
        for place, byte in places:
            data[place] = byte if byte is not None else data[place] ^ 1
        (self.folder / name).write_bytes(data)
        return name

    def blocks(self, kind):
        document = parse(self.run_ok("layout", "--json", "a.sst").out)
        return [block for block in document["files"][0]["blocks"]
                if block["kind"] == kind]

    def middle(self, block):
        return block["offset"] + block["size"] // 2, None

    # --- What is printed ------------------------------------------------------

    def take_all(self):
        self.take_golden()
        self.take_blocks()
        self.take_values()
        self.take_made_tables()
        self.take_unreferenced()
        self.take_salvaged()
        self.take_diff()
        self.take_traces()
        self.take_interrupted()
        self.take_refusals()
        self.take("--version")

    def take_refusals(self):
        """Runs that do not begin."""
        for arguments in (["check"], ["--x=1"], ["check", "--nostrict"],
                          ["check", "--env_uri=s3://", "a.sst"]):
            document = self.take(*arguments)
            self.assert_fits(document, LINE)
            self.assert_fits(document, DEFS + "refusal")

    def take_unreferenced(self):
        """A table without checksums; no entry refers to its second blob."""
        self.run_ok("build", "--input_format=hex", "--out=blobs.sst",
                    "--embedded_blobs", "--min_blob_size=100",
                    "--format_version=7", "--checksum_type=kNoChecksum",
                    "--compression_type=none",
                    stdin=numbered_rows(2, value_size=100))
        second = b"\x01\x00\x69\x64\x00"  # offset 105, size 100
        path = self.folder / "blobs.sst"
        data = path.read_bytes()
        self.assertEqual(data.count(second), 1)
        path.write_bytes(data.replace(second, b"\x01\x00\x00\x64\x00"))
        self.take("verify", "blobs.sst")
        text = self.run_ok("verify", "blobs.sst").text
        self.assertIn("unreferenced: 105 bytes among the data blocks", text)

    def take_golden(self):
        self.inputs = [*self.link_golden("*.*"), *self.link_golden("bad/*"),
                       *self.write_no_tables()]
        # Those of many releases are alike.
        others = [name for name in self.inputs if not name.startswith("jni-")]
        some = [*others[::12], *others[-50:], "jni-5.3.6-newest.sst"]
        for command, inputs, *flags in (
                ("check", self.inputs, "--noverify_checksum"),
                ("verify", self.inputs),
                ("verify", self.inputs, "--filter_keys=first"),
                ("identify", self.inputs),
                ("properties", self.inputs, *EXTRAS),
                ("layout", self.inputs, "--max_errors=1"),
                ("stats", some, "--filter_probes=50", "--prefix_length=2"),
                ("get", self.inputs, "--key=key000003", "--key=zzz"),
                ("scan", some), ("scan", ["r119-ts.sst"], "--read_num=5"),
                ("scan", ["r119-types.sst"], "--text"),
                ("raw", some), ("recompress", ["r119-one.sst", "text"]),
                ("report", ["r119-one.sst", "r119-one.sst", "text"]),
                ("report", ["r119-types.sst", "data-flip.sst",
                            "dup-userkey.sst", "foot-base0.sst"],
                 "--overwrite"),
                ("space", [*some, "r119-reverse.sst"], *EXTRAS),
                ("space", ["r119-types.sst"], "--prefix_length=2"),
                ("overlap", ["r119-one.sst", "r119-one.sst"]),
                ("overlap", ["r119-one.sst"]),
                ("overlap", [*some, "r119-reverse.sst"], *EXTRAS)):
            self.take(command, *inputs, *flags)
        few = ["r119-types.sst", "data-flip.sst", "text", "missing"]
        for command in ("check", "scan", "verify", "identify", "properties",
                        "layout", "raw"):
            self.take(command, *few, *EXTRAS, "--nostrict")
        for command in ("scan", "space", "overlap"):
            outcome = self.run_program(command, "--jsonl", *few)
            self.take_lines(outcome.out, outcome.code, few)

    def take_blocks(self):
        """Blocks of a codec that no writer uses, and of an unknown one."""
        self.build("a.sst", numbered_rows(9), "--block_size=50")
        ends = [block["offset"] + block["size"]
                for block in self.blocks("data")]
        name = self.write_damaged("b.sst", (ends[0], 6), (ends[1], 0x40))
        codecs = [block["codec"] for block
                  in self.take("layout", name)["files"][0]["blocks"]]
        self.assertEqual(codecs[:2], ["Xpress", "ZSTDNotFinal"])
        # A block of zeros, and no footer that leads past it.
        data = (self.folder / "a.sst").read_bytes()
        (self.folder / "c.sst").write_bytes(
            data[:ends[0]] + bytes(40) + data[ends[0] + 40:-60])
        found = self.take("verify", "c.sst")["files"][0]
        self.assertTrue(found["lost_bytes"])

    def take_values(self):
        self.take("get", "r119-types.sst", "r119-db-versions.sst",
                  "r78-db-versions.sst", "r119-ts.sst",
                  *self.keys_of("r119-types.sst"),
                  *self.keys_of("r119-db-versions.sst"),
                  *self.keys_of("r119-ts.sst", 8), "--input_key_hex")
        database = GOLDEN / "db" / "multi-cf"
        self.take("get", database, "--key=k99999")
        for command in ("scan", "space", "stats", "report"):
            self.take(command, database)
        self.take_damaged_database(database)
        self.take("diff", database, GOLDEN / "db" / "atomic")

    def take_damaged_database(self, database):
        damaged = self.folder / "db"
        shutil.copytree(database, damaged)
        (damaged / "000045.sst").unlink()
        path = damaged / "000027.sst"
        data = bytearray(path.read_bytes())
        data[20] ^= 1
        path.write_bytes(data)
        self.take("report", damaged)
        self.take("report", damaged, "--cf=nope", "--overwrite")

    def keys_of(self, name, timestamp=0):
        rows = self.run_ok("scan", "--output_format=canonical", name).text
        keys = [row.split()[0] for row in rows.splitlines()]
        return ["--key=" + key[:len(key) - 2 * timestamp]
                for key in dict.fromkeys(keys)]

    def take_made_tables(self):
        rows = b"".join(b"%06d\tvalue %d\n" % (i, i) for i in range(3000))
        sizes = ["--target_file_size=9000", "--block_size=400"]
        for flags in ([], ["--overwrite", "--nosorted"], ["--out=none/a"],
                      ["--out=set.sst", *sizes],
                      ["--out=v", "--input_format=jsonl"]):
            self.take("build", "--out=t.sst", *flags, stdin=rows)
        self.take("build", "--out=e.sst", "--quiet", stdin=b"")
        self.take("rewrite", "--out=w.sst", "t.sst", *EXTRAS)
        self.take("rewrite", "--out=w2.sst", "t.sst", *sizes)
        self.take("rewrite", "--out=w3.sst", "text")
        self.take("compact", "--out=c.sst", "t.sst", "w.sst")
        self.take("compact", "--out=c2.sst", "t.sst", *sizes)
        self.take("compact", "--out=c3.sst", "t.sst", "text")
        self.take("compact", "--out=none/c", "t.sst")
        outcome = self.run_ok("compact", "--jsonl", "--out=c4.sst", "t.sst")
        self.take_lines(outcome.out, outcome.code, "compact")
        self.take("recompress", "t.sst", "e.sst", "text",
                  "--compression_level_from=-3", "--compression_level_to=1",
                  "--compression_types=zstd,lz4,none",
                  "--compression_max_dict_bytes=500", *EXTRAS)
        self.take("report", "--out=t.html", "t.sst", *EXTRAS)
        self.take("stats", "t.sst", "e.sst", "--filter_probes=50")
        self.take("overlap", "t.sst", "e.sst")
        for name in ("set", "w2"):
            path = self.folder / f"{name}-manifest.json"
            self.take_text(path.read_bytes(), 0, path)

    def take_salvaged(self):
        self.build("a.sst", numbered_rows(200), "--block_size=600",
                   "--overwrite")
        data = self.blocks("data")
        self.salvage(self.middle(data[1]), self.middle(data[-1]))
        self.salvage(*[self.middle(block) for block in data])
        self.salvage(self.middle(*self.blocks("properties")), flags=[
            "--comparator=rocksdb.ReverseBytewiseComparator"])
        self.take("salvage", "--out=s.sst", "--overwrite", "a.sst", *EXTRAS)
        self.build("a.sst", hex_rows([(b"k", 99 - i, 1, b"%050d" % i)
                                      for i in range(50)]),
                   "--overwrite", "--block_size=200",
                   "--compression_type=none")
        self.salvage(self.middle(self.blocks("data")[3]))
        self.salvage(self.middle(self.blocks("data")[3]),
                     self.middle(*self.blocks("index")))
        self.build("a.sst", hex_rows([(b"a", 9, 1, b"1"), (b"b", 3, 15, b"d")]),
                   "--overwrite")
        self.salvage(self.middle(*self.blocks("range-del")))
        self.take("salvage", "--out=s.sst", "--overwrite", "text")

    def salvage(self, *places, flags=()):
        name = self.write_damaged("bad.sst", *places)
        self.take("salvage", "--out=s.sst", "--overwrite", name, *EXTRAS,
                  *flags)

    def take_diff(self):
        for second in ("t.sst", "w.sst", "e.sst", "r119-types.sst",
                       "r119-reverse.sst", "data-flip.sst", "missing"):
            self.take("diff", "t.sst", second)
            self.take("diff", second, "t.sst")

    def take_traces(self):
        """Traces with every kind of block and caller, and no traces."""
        levels = [0, 62, 63, -1]
        (self.folder / "all.trace").write_bytes(traces.header() + b"".join(
            traces.access(i % 7, kind=kind, caller=caller,
                          level=levels[i % len(levels)])
            for kind in traces.KINDS
            for i, caller in enumerate(traces.CALLERS)))
        (self.folder / "cut.trace").write_bytes(
            traces.header() + traces.access(1) + b"x")
        (self.folder / "none.trace").write_bytes(traces.header())
        (self.folder / "bad.trace").write_bytes(
            traces.header() + traces.access(1) + traces.frame(3, b""))
        (self.folder / "ours.trace").write_bytes(
            (ROOT / "test/fuzz/corpus/block_cache_trace/seed-ours")
            .read_bytes())
        names = [name + ".trace" for name in ("all", "cut", "none", "bad",
                                              "ours")]
        caches = "--caches=clock,clock_admission,lru,lru_pools"
        self.take("cache-sim", *names, "text", "missing", caches)
        self.take("cache-sim", "all.trace", "--out=chart.svg")
        outcome = self.run_program("cache-sim", "--jsonl", "--overwrite",
                                   "--out=chart.svg", *names)
        self.take_lines(outcome.out, outcome.code, "cache-sim")

    def take_interrupted(self):
        self.build("a.sst", numbered_rows(20000), "--overwrite")
        # The program blocks on the full pipe until the signal is sent.
        for form, take in (("--json", self.take_text),
                           ("--jsonl", self.take_lines)):
            with self.start("scan", form, "a.sst", "a.sst") as run:
                head = run.stdout.read(1)
                run.send_signal(signal.SIGINT)
                text = head + run.stdout.read()
                self.assertEqual(run.wait(), 130)
            take(text, 130, form)
        # The status line is so long that a few lines fill the pipe.
        with self.start("rewrite", "--json", "--out=i.sst", "--progress=always",
                        "./" * 1900 + "a.sst", stderr=subprocess.PIPE) as run:
            run.stderr.read(1)
            run.send_signal(signal.SIGINT)
            run.stderr.read()
            self.take_text(run.stdout.read(), run.wait(), "rewrite")
        with self.start("build", "--json", "--out=i.sst",
                        stdin=subprocess.PIPE) as run:
            # More than a pipe holds, so the program has begun to read.
            run.stdin.write(b"".join(b"%09d\t\n" % i for i in range(100000)))
            run.stdin.flush()
            run.send_signal(signal.SIGINT)
            run.stdin.close()
            self.take_text(run.stdout.read(), run.wait(), "build")
        self.assertEqual([document["interrupted"]
                          for document in self.documents[-3:]], [True] * 3)

    def start(self, *arguments, **more):
        return subprocess.Popen([PROGRAM, *arguments], cwd=self.folder,
                                stdout=subprocess.PIPE,
                                preexec_fn=cli.take_signals, **more)

    # --- Tests ----------------------------------------------------------------

    def test_documents(self):
        self.take_all()
        commands = re.findall(r"(?m)^  ([a-z-]+) +\S", self.run_ok(
            "--help").text.split("\nCommands:\n")[1].split("\n\n")[0])
        self.assertEqual(sorted(commands), sorted(
            {document["command"] for document in self.documents
             if "command" in document}))
        self.refuse_changed_documents()
        # The commands that occur in first lines are those of documents.
        told = set(self.schema.places())
        told = {place for place in told
                if not place.startswith(DEFS + "first_line/")}
        self.assertEqual("\n".join(sorted(told - self.schema.used)),
                         "\n".join(sorted(CANNOT_BE_SHOWN)))

    def refuse_changed_documents(self):
        """Refuses names and values outside the schema, one at a time."""
        shapes = {}
        for document in self.documents:
            place = "#"
            for file in document.get("files", ()):
                place = DEFS + document.get("command", "manifest") + "_file"
                if "command" not in document:
                    place = DEFS + "table"
                elif place != DEFS + "properties_file":
                    file.pop("properties", None)
                # Releases differ in the properties that they write.
                shape = (place, *sorted(file), *file.get("properties", ()))
                shapes.setdefault(shape, file)
            document["files"] = document.get("files", [])[:0]
            if place.endswith("_file"):
                shapes.setdefault(("#", *sorted(document["summary"]),
                                   *sorted(document)), document)
        lost = set()
        for (place, *_), value in shapes.items():
            lost |= self.refuse_changes(shortened(value), place)
        self.assertEqual(sorted(lost), sorted(OPTIONAL))

    def refuse_changes(self, document, place):
        """Returns the names of members that may be missing."""
        may_be_left_out = set()
        for path in list(self.paths(document)):
            changed = copy.deepcopy(document)
            parent = changed
            for step in path[:-1]:
                parent = parent[step]
            name = path[-1]
            value = parent[name]
            wrong = [None, {"surprise": 1}, [[]],
                     7 if isinstance(value, bool) else True]
            if isinstance(value, int):
                wrong += [2**64, -2**32]
            for other in wrong:
                parent[name] = other
                self.refuse(changed, place, path, other)
            if not isinstance(name, str) or path[-2:-1] == ("user",):
                continue
            del parent[name]
            if path[-2:-1] not in (("kinds",), ("types",)):
                if self.schema.fits(changed, place):
                    may_be_left_out.add(name)
            parent[name + "x"] = value
            self.refuse(changed, place, path, "x")
        return may_be_left_out

    def refuse(self, value, place, *about):
        self.assertFalse(self.schema.fits(value, place), about)

    def paths(self, value, path=()):
        """Yields the path of each member; in a list, of its first item."""
        if isinstance(value, dict):
            for name, member in value.items():
                yield (*path, name)
                yield from self.paths(member, (*path, name))
        elif isinstance(value, list) and value:
            yield (*path, 0)
            yield from self.paths(value[0], (*path, 0))

    def test_lines(self):
        inputs = [*self.link_golden("r119-*s.sst"), *self.link_golden("bad/*"),
                  *self.write_no_tables()]
        for command, *flags in (
                ("scan",), ("scan", "--read_num=7"), ("scan", *EXTRAS),
                ("scan", "--norange_dels"), ("check", *EXTRAS), ("verify",),
                ("identify",), ("properties",), ("layout",), ("raw",),
                ("stats", "--filter_probes=9"), ("get", "--key=key000003")):
            outcome = self.run_program(command, "--jsonl", *flags, *inputs)
            lines = self.take_lines(outcome.out, outcome.code, command)
            self.assertEqual(lines[-1]["summary"]["files"], len(
                [line for line in lines if "status" in line]))
        for arguments in (
                ["rewrite", "--out=w.sst"], ["salvage", "--out=s.sst"],
                ["compact", "--out=c.sst", "--merge_operator=put"],
                ["report", "--out=r.html"], ["diff", "r119-types.sst"],
                ["space", "r119-one.sst"], ["overlap", "r119-one.sst"],
                ["recompress", "--compression_types=lz4"]):
            outcome = self.run_program(*arguments, "--jsonl", "r119-types.sst")
            self.take_lines(outcome.out, outcome.code, arguments)

    def test_keywords_are_known(self):
        with self.assertRaisesRegex(ValueError, "#/items/typo: "):
            list(subschemas({"items": {"typo": 1}}))

    def test_schemas_are_stricter_than_the_standard(self):
        for schema, good, bad in (
                ({"type": "integer"}, 1, 1.0),
                ({"pattern": "^a$"}, "a", "a\n"),
                ({"const": 1}, 1, True), ({"enum": [0, 1]}, 1, True),
                ({"oneOf": [{"minimum": 1}, {"maximum": 1}]}, 2, 1)):
            schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
            self.assertTrue(Schema(schema).fits(good), schema)
            self.assertFalse(Schema(schema).fits(bad), schema)

    def test_members_that_no_part_speaks_of_are_refused(self):
        schema = Schema({
            "properties": {"a": {}}, "unevaluatedProperties": False,
            "allOf": [{"$ref": "#/$defs/b"}],
            "anyOf": [{"properties": {"c": {"const": 1}}, "required": ["c"]},
                      {"properties": {"d": {}}, "required": ["d"]}],
            "if": {"properties": {"e": {"const": 1}}, "required": ["e"]},
            "then": {"properties": {"f": {}}},
            "$defs": {"b": {"properties": {"b": {}}}}})
        for good in ({"a": 0, "b": 0, "c": 1}, {"d": 0},
                     {"c": 1, "d": 0, "e": 1, "f": 0}):
            self.assertTrue(schema.fits(good), good)
        for bad in ({"c": 1, "x": 0}, {"c": 0, "d": 0}, {"c": 1, "e": 0},
                    {"c": 1, "f": 0}):
            self.assertFalse(schema.fits(bad), bad)


if __name__ == "__main__":
    cli.main()
