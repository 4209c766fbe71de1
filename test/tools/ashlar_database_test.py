"""Commands that take a folder as a database."""

import json
import os
import shutil
import subprocess
import threading

import cli
import forged_database
from cli import CliTest, GOLDEN, PROGRAM

DATABASES = GOLDEN / "db"


class DatabaseTest(CliTest):

    def get(self, database, *flags, code=0):
        outcome = self.run_program("get", "--json", *flags, database)
        self.assertEqual(outcome.code, code, outcome.err)
        return json.loads(outcome.text)["files"][0]

    def listed(self, name, family):
        """What RocksDB says of the tables of a family, in reading order."""
        text = (DATABASES / f"{name}.json").read_text(encoding="utf-8")
        for each in json.loads(text)["column_families"]:
            if each["name"] == family:
                return each["files"]
        return self.fail(family)

    def entries(self, database, files):
        """Returns the entries of each table by itself, by key: a list of
        (file, level, seq, type)."""
        by_key = {}
        for file in files:
            name = f"{file['number']:06}.sst"
            folder = database / "second" if file["path_id"] else database
            rows = self.run_program("scan", "--jsonl", folder / name)
            for line in rows.text.splitlines():
                row = json.loads(line)
                if row.get("type", "range_delete") != "range_delete":
                    by_key.setdefault(row["key"], []).append(
                        (name, file["level"], row["seq"], row["type"]))
        return by_key

    def test_versions_are_those_of_each_table(self):
        for name, family, flags in (
                ("multi-cf", "default", []),
                ("atomic", "default", []),
                ("features", "default", ["--db_paths=@,@/second"])):
            database = DATABASES / name
            flags = [flag.replace("@", str(database)) for flag in flags]
            files = self.listed(name, family)
            expected = self.entries(database, files)
            # Stored numbers of ingested files are others.
            by_name = {f"{file['number']:06}.sst": file for file in files}
            keys = list(expected)
            self.assertGreater(len(keys), 10)
            outcome = self.run_program("get", "--json", "--input_key_hex",
                                       *flags,
                                       *[f"--key={key}" for key in keys],
                                       database)
            shown = json.loads(outcome.text)["files"][0]
            self.assertEqual(shown["status"], "ok")
            self.assertEqual([result["key"] for result in shown["results"]],
                             keys)
            all_found = all(result["found"] for result in shown["results"])
            self.assertEqual(outcome.code, 0 if all_found else 1)
            for result in shown["results"]:
                versions = result["versions"]
                points = [each for each in versions
                          if each["type"] != "range_delete"]
                self.assertEqual(
                    [(each["file"], each["level"], each["type"])
                     for each in points],
                    [(file, level, kind)
                     for file, level, _, kind in expected[result["key"]]])
                for each in points:
                    file = by_name[each["file"]]
                    self.assertLessEqual(file["smallest_seq"], each["seq"])
                    self.assertLessEqual(each["seq"], file["largest_seq"])
                # The newest version decides, unless a range deletion does.
                if result["found"]:
                    newest = max(each["seq"] for each in versions)
                    seen = [operand["seq"]
                            for operand in result.get("operands", ())]
                    self.assertEqual(max(seen + [result["seq"]]), newest)

    def test_versions_of_keys_with_timestamps(self):
        database = DATABASES / "features"
        flags = ["--cf=udt-kept", f"--db_paths={database},{database}/second"]
        found = self.get(database, *flags, "--key=p00001")["results"][0]
        self.assertEqual([(each["file"], each["seq"])
                          for each in found["versions"]],
                         [("000027.sst", 188), ("000020.sst", 96),
                          ("000015.sst", 6)])

    def test_snapshots(self):
        database = DATABASES / "multi-cf"
        newest = self.get(database, "--key=k00001")["results"][0]
        self.assertEqual((newest["type"], newest["seq"]), ("delete", 484))
        before = self.get(database, "--key=k00001", "--snapshot=483")
        self.assertEqual(before["results"][0]["seq"], 483)
        self.assertEqual(before["results"][0]["versions"], newest["versions"])
        nothing = self.get(database, "--key=k00001", "--snapshot=3", code=1)
        self.assertFalse(nothing["results"][0]["found"])
        outcome = self.run_program("get", "--key=k00001",
                                   "--snapshot=72057594037927936", database)
        self.assertEqual(outcome.code, 2)
        self.assertIn("the largest sequence number is", outcome.err)

    def test_text(self):
        outcome = self.run_ok("get", "--key=k00001", DATABASES / "multi-cf")
        self.assertEqual(outcome.text.splitlines()[1:], [
            "'k00001' seq:484, type:0 => ",
            "  level 0, 000033.sst: seq:484, delete, 0 bytes",
            "  level 0, 000031.sst: seq:483, put, 9 bytes",
            "  level 6, 000015.sst: seq:4, put, 10 bytes"])

    def test_families(self):
        outcome = self.run_program("get", "--key=x", "--cf=nope",
                                   DATABASES / "multi-cf")
        self.assertEqual(outcome.code, 2)
        self.assertIn("no column family is named 'nope': it has default, users",
                      outcome.err)
        other = self.listed("multi-cf", "users")
        self.assertTrue(other)
        found = self.get(DATABASES / "multi-cf", "--cf=users",
                         "--input_key_hex",
                         "--key=" + other[0]["smallest"][:-16])
        self.assertTrue(found["results"][0]["versions"])

    def test_what_is_not_read_is_said(self):
        copy = self.folder / "db"
        shutil.copytree(DATABASES / "multi-cf", copy)
        (copy / "000100.log").write_bytes(b"entries")
        (copy / "000001.log").write_bytes(b"old")
        manifest = copy / "MANIFEST-000041"
        manifest.write_bytes(manifest.read_bytes() + b"torn")
        outcome = self.run_ok("get", "--key=k00001", copy)
        self.assertIn("and may have newer entries: 1", outcome.err)
        self.assertIn("bytes at its end were not written whole", outcome.err)

    def test_logs_elsewhere(self):
        copy = self.folder / "db"
        shutil.copytree(DATABASES / "multi-cf", copy)
        for options in copy.glob("OPTIONS-*"):
            options.unlink()
        logs = self.folder / "the #1 logs"
        logs.mkdir()
        for number in (100, 101, 1):  # the last one is too old
            (logs / f"{number:06}.log").write_bytes(b"entries")
        (copy / "OPTIONS-000098").write_text("[DBOptions]\n  wal_dir=/none\n")
        newest = copy / "OPTIONS-000099"
        escaped = str(logs).replace("#", "\\#")
        newest.write_text(f"[DBOptions]\n  wal_dir={escaped}\n  x=y\n")
        outcome = self.run_ok("get", "--key=k00001", copy)
        self.assertIn("and may have newer entries: 2", outcome.err)
        (copy / "000100.log").write_bytes(b"entries")
        outcome = self.run_ok("get", "--key=k00001", copy)
        for place, count in ((copy, 1), (logs, 2)):
            self.assertIn(f"write-ahead logs in {place} that are not read, and "
                          f"may have newer entries: {count}", outcome.err)
        # The folder itself is not counted twice.
        for same in ("", f"{copy}/", f"{copy}/../db"):
            newest.write_text(f"[DBOptions]\n  wal_dir={same}\n")
            outcome = self.run_ok("get", "--key=k00001", copy)
            self.assertIn("and may have newer entries: 1", outcome.err)
        newest.write_text("wal_dir=/nowhere/logs\n")
        outcome = self.run_ok("get", "--key=k00001", copy)
        self.assertIn("its write-ahead logs in /nowhere/logs were not counted: "
                      "IO error: wal_dir of its OPTIONS file: open "
                      "/nowhere/logs", outcome.err)
        self.assertIn(f"write-ahead logs in {copy} that are not read, and may "
                      "have newer entries: 1", outcome.err)

    def test_damage(self):
        outcome = self.run_program("get", "--key=x", DATABASES / "atomic-badcrc")
        self.assertEqual(outcome.code, 1)
        self.assertIn("record at offset 638: checksum mismatch", outcome.err)
        self.assertIn("hint: --each_table looks into each table", outcome.err)
        copy = self.folder / "db"
        shutil.copytree(DATABASES / "multi-cf", copy)
        (copy / "000045.sst").unlink()
        # Only a key that needs the table is a fault.
        outcome = self.run_program("get", "--key=k99999", copy)
        self.assertEqual(outcome.code, 2)
        self.assertIn("000045.sst", outcome.err)
        self.assertIn("key 'k99999'", outcome.err)
        self.assertEqual(self.get(copy, "--key=k00001")["status"], "ok")
        both = self.get(copy, "--key=k99999", "--key=k00001", code=2)
        self.assertEqual([each["seq"] for each in both["results"]], [484])
        with open(copy / "000033.sst", "ab") as file:
            file.write(b"x")
        outcome = self.run_program("get", "--key=k00001", copy)
        self.assertEqual(outcome.code, 1)
        self.assertIn("and the MANIFEST says", outcome.err)

    def test_paths(self):
        database = DATABASES / "features"
        key = self.listed("features", "default")[1]["smallest"][:-16]
        outcome = self.run_program("get", "--input_key_hex", f"--key={key}",
                                   database)
        self.assertEqual(outcome.code, 2)
        self.assertIn("000029.sst is in path 1 of the database", outcome.err)
        key = self.listed("features", "default")[0]["smallest"][:-16]
        outcome = self.run_program("get", "--input_key_hex", f"--key={key}",
                                   f"--db_paths=,{database}/second", database)
        self.assertEqual(outcome.code, 2)
        self.assertIn("--db_paths: path 0 is empty", outcome.err)

    def rows(self, *flags):
        """The rows that a scan prints: (key, seq, type, value)."""
        text = self.run_ok("scan", "--output_format=canonical", *flags).text
        return [tuple(line.upper().split(" ")) for line in text.splitlines()]

    def test_scan_shows_what_get_finds(self):
        database = DATABASES / "multi-cf"
        keys = set()
        for table in database.glob("*.sst"):
            keys.update(row[0] for row in self.rows(table))
        for snapshot in ("3", "200", "483", "72057594037927935"):
            flags = [f"--snapshot={snapshot}"]
            found = {}
            outcome = self.run_program("get", "--json", "--input_key_hex",
                                       *flags,
                                       *[f"--key={key}" for key in keys],
                                       database)
            for result in json.loads(outcome.text)["files"][0]["results"]:
                if result.get("type") == "put":  # and not deleted
                    found[result["key"]] = (str(result["seq"]),
                                            result["value"])
            rows = self.rows(*flags, database)
            self.assertEqual([row[0] for row in rows], sorted(found))
            self.assertEqual({row[0]: (row[1], row[3]) for row in rows},
                             found)

    def test_scan_in_all_forms(self):
        database = DATABASES / "multi-cf"
        every = self.rows(database)
        self.assertEqual(len(every), 95)
        first, last = every[20][0], every[30][0]
        self.assertEqual(
            self.rows("--input_key_hex", f"--from={first}", f"--to={last}",
                      database), every[20:30])
        self.assertEqual(self.rows("--limit=7", database), every[:7])
        self.assertEqual(self.rows("--prefix=k0001", database),
                         [row for row in every
                          if row[0].startswith("6B30303031")])
        text = self.run_ok("scan", "--output_format=tsv", database).text
        self.assertEqual(
            text.splitlines(),
            [bytes.fromhex(key).decode() + "\t" + bytes.fromhex(value).decode()
             for key, _, _, value in every])
        text = self.run_ok("scan", "--output_format=count", database).text
        self.assertEqual(text, "95\n")
        document = json.loads(self.run_ok("scan", "--json", database).text)
        self.assertEqual(document["summary"]["entries"], 95)
        self.assertEqual(len(document["files"]), 1)
        # As sst_dump, each table by itself.
        text = self.run_ok("--command=scan", f"--file={database}").text
        self.assertGreater(text.count("Process "), 5)

    def test_prefixes_in_reverse_order(self):
        database = DATABASES / "multi-cf"
        every = self.rows("--cf=users", database)
        self.assertEqual(every, sorted(every, reverse=True))
        for length in (4, 7, 8):
            for prefix in {row[0][:2 * length] for row in every[::7]}:
                self.assertEqual(
                    self.rows("--cf=users", "--input_key_hex",
                              f"--prefix={prefix}", database),
                    [row for row in every if row[0].startswith(prefix)])

    def run_beside_a_writer(self, database, change, *arguments):
        """Runs the program, and calls change() after it has read the MANIFEST
        and before it opens a table: when it reads the OPTIONS file, which is a
        pipe here."""
        pipe = database / "OPTIONS-000099"
        os.mkfifo(pipe)
        with subprocess.Popen([PROGRAM, *map(str, arguments), database],
                              cwd=self.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as process:

            def release():
                # If the program ends without reading it.
                process.wait()
                if pipe.exists():
                    os.close(os.open(pipe, os.O_RDONLY | os.O_NONBLOCK))

            waiting = threading.Thread(target=release)
            waiting.start()
            with open(pipe, "wb"):
                pipe.unlink()
                change()
            out, err = process.communicate()
            waiting.join()
        return process.returncode, out.decode(), err.decode()

    def live(self, removed, added):
        """Makes a database of the tables 1 and 2. Returns it and a function
        that does what a writer does after a compaction."""
        database = self.folder / f"live{len(list(self.folder.iterdir()))}"
        database.mkdir()
        sizes = {}
        for number, rows in ((1, "61 1 1 31\n"), (2, "62 2 1 32\n"),
                             (3, "61 1 1 31\n62 2 1 32\n")):
            name = f"{number:06}.sst"
            self.build(database / name, rows.encode())
            sizes[number] = (database / name).stat().st_size
        fields = {number: forged_database.new_table(
            number % 2, number, sizes[number], first, last, 2)
            for number, first, last in ((1, b"a", b"a"), (2, b"b", b"b"),
                                        (3, b"a", b"b"))}
        forged_database.write(database, [fields[1], fields[2]])

        def change():
            left = {1, 2} - set(removed) | set(added)
            forged_database.write(database, [fields[n] for n in sorted(left)])
            for number in removed:
                (database / f"{number:06}.sst").unlink()

        return database, change

    def test_a_table_that_a_writer_removes(self):
        # The program reads the MANIFEST again.
        for command in (["scan", "--output_format=tsv"],
                        ["get", "--key=a", "--key=b", "--quiet"],
                        ["get", "--from=a", "--quiet"]):
            database, change = self.live([1, 2], [3])
            code, out, err = self.run_beside_a_writer(database, change,
                                                      *command)
            self.assertEqual(code, 0, err)
            if command[0] == "scan":
                self.assertEqual(out, "a\t1\nb\t2\n")
            else:
                self.assertEqual(out.count("level 1, 000003.sst"), 2)
        # Sums are of the tables that it saw first, but for those that are gone.
        for command in (["report", "--json", "--overwrite"],
                        ["space", "--json"], ["stats", "--json"]):
            database, change = self.live([2], [])
            code, out, err = self.run_beside_a_writer(database, change,
                                                      *command)
            self.assertEqual(code, 0, err)
            self.assertIn("000002.sst: a writer removed it while the database "
                          "was read; it is not counted", err)
            file = json.loads(out)["files"][0]
            self.assertEqual(file["status"], "ok")
            self.assertEqual([level["files"] for level in file["levels"]], [1])
        # A table that is lost is a fault.
        for command in (["report", "--overwrite"], ["scan"]):
            database, change = self.live([], [])
            code, _, err = self.run_beside_a_writer(
                database, (database / "000002.sst").unlink, *command)
            self.assertEqual(code, 2, err)
            self.assertIn("000002.sst: No such file", err)

    def test_what_does_nothing_with_a_database_is_said(self):
        outcome = self.run_ok("space", "--show_summary",
                              DATABASES / "multi-cf")
        self.assertIn("--show_summary does nothing with a database",
                      outcome.err)

    def test_scan_names_a_missing_table(self):
        copy = self.folder / "db"
        shutil.copytree(DATABASES / "multi-cf", copy)
        (copy / "000045.sst").unlink()
        outcome = self.run_program("scan", copy)
        self.assertEqual(outcome.code, 2)
        self.assertIn("000045.sst", outcome.err)
        self.assertIn("hint: the MANIFEST of the database names this file",
                      outcome.err)
        # A range that the table has no key of does not need it.
        self.run_ok("scan", "--to=k00001", copy)

    def test_diff(self):
        database = DATABASES / "multi-cf"
        outcome = self.run_ok("diff", database, database)
        self.assertEqual(outcome.text, "only in the first: 0, only in the "
                         "second: 0, other values: 0, other properties: 0\n")
        other = DATABASES / "atomic"
        both = {row[0]: row[2:] for row in self.rows(database)}
        theirs = {row[0]: row[2:] for row in self.rows(other)}
        outcome = self.run_program("diff", "--json", database, other)
        self.assertEqual(outcome.code, 1)
        found = json.loads(outcome.text)["files"][1]
        self.assertEqual(found["only_in_first"], len(both.keys() -
                                                     theirs.keys()))
        self.assertEqual(found["only_in_second"], len(theirs.keys() -
                                                      both.keys()))
        self.assertFalse(found["equal"])
        # Older and newer entries of the same keys.
        copy = self.folder / "db"
        shutil.copytree(database, copy)
        outcome = self.run_program("diff", "--cf=users", database, copy)
        self.assertEqual(outcome.code, 0)
        outcome = self.run_program("diff", database, copy / "000015.sst")
        self.assertEqual(outcome.code, 2)
        self.assertIn("is a database", outcome.err)

    def test_sums_by_level(self):
        database = DATABASES / "multi-cf"
        files = self.listed("multi-cf", "default")
        by_level = {}
        for file in files:
            level = by_level.setdefault(file["level"], [])
            level.append(database / f"{file['number']:06}.sst")
        document = json.loads(self.run_ok("space", "--json", database).text)
        stats = json.loads(self.run_ok("stats", "--json", database).text)
        space = document["files"][0]
        self.assertEqual([level["level"] for level in space["levels"]],
                         sorted(by_level))
        for level, of_stats in zip(space["levels"],
                                   stats["files"][0]["levels"]):
            tables = by_level[level["level"]]
            alone = json.loads(self.run_ok("space", "--json", *tables).text)
            for name in ("data_blocks", "data_bytes", "file_bytes"):
                self.assertEqual(level[name], alone["space"][name])
            self.assertEqual(level["files"], len(tables))
            self.assertEqual(of_stats["files"], len(tables))
            self.assertEqual(of_stats["file_bytes"], level["file_bytes"])
            each = json.loads(self.run_ok("stats", "--json", *tables).text)
            types = {}
            for file in each["files"]:
                for name, count in file["types"].items():
                    types[name] = types.get(name, 0) + count
            self.assertEqual(of_stats["types"], types)
        tables = sum(by_level.values(), [])
        alone = json.loads(self.run_ok("space", "--json", *tables).text)
        self.assertEqual(space["ranges"], alone["space"]["ranges"])
        text = self.run_ok("space", database).text
        self.assertEqual(text.count("keys up to"), 1)
        self.assertEqual(text.count("Sst file format"), 1)

    def test_flags_of_databases_need_one(self):
        table = DATABASES / "multi-cf" / "000015.sst"
        for flag in ("--cf=users", "--db_paths=x", "--snapshot=3",
                     "--merge_operator=max"):
            outcome = self.run_program("scan", flag, table)
            self.assertEqual(outcome.code, 2, flag)
            self.assertIn("needs a folder that is a database", outcome.err)
        outcome = self.run_program("diff", "--cf=users", table, table)
        self.assertIn("needs a folder that is a database", outcome.err)
        self.run_program("get", "--key=k00001", "--snapshot=400", table)

    def test_each_table(self):
        outcome = self.run_program("get", "--json", "--each_table",
                                   "--key=k00001", DATABASES / "multi-cf")
        files = json.loads(outcome.text)["files"]
        self.assertEqual(len(files), 12)
        self.assertNotIn("versions", files[0]["results"][0])

    def test_get_shows_a_range(self):
        for name, family in (("multi-cf", "default"), ("multi-cf", "users"),
                             ("atomic", "default")):
            database = DATABASES / name
            keys = set()
            for file in self.listed(name, family):
                rows = self.rows(database / f"{file['number']:06}.sst")
                keys.update(row[0] for row in rows if row[2] != "15")
            flags = [f"--cf={family}", "--input_key_hex", "--snapshot=400"]
            outcome = self.run_program(
                "get", "--json", *flags, *[f"--key={key}" for key in keys],
                database)
            by_key = {result["key"].upper(): result for result in
                      json.loads(outcome.text)["files"][0]["results"]}
            # What filters say is not asked where the range has the key.
            for result in by_key.values():
                result.pop("filter")
                result.pop("data_blocks_read")
            order = sorted(keys, reverse=family == "users")
            first, last = order[4], order[-3]
            for more, expected in (
                    ([f"--from={first}"], order[4:]),
                    ([f"--from={first}", f"--to={last}"], order[4:-3]),
                    ([f"--from={first}", "--limit=3"], order[4:7]),
                    ([f"--to={last}", f"--key={last}", f"--key={first}"],
                     [first])):
                outcome = self.run_program("get", "--json", *flags, *more,
                                           database)
                results = json.loads(outcome.text)["files"][0]["results"]
                self.assertEqual([each["key"].upper() for each in results],
                                 expected)
                for each in results:
                    each.pop("filter")
                    each.pop("data_blocks_read")
                    self.assertEqual(each, by_key[each["key"].upper()])
        text = self.run_ok("get", "--from=k00001", "--limit=1",
                           DATABASES / "multi-cf").text
        self.assertEqual(text.splitlines()[1:],
                         self.run_ok("get", "--key=k00001",
                                     DATABASES / "multi-cf").text
                         .splitlines()[1:])

    def test_limit_counts_over_all_inputs(self):
        table = DATABASES / "multi-cf" / "000015.sst"
        for flags in (["--from=k"], ["--key=k00001", "--key=k00002",
                                     "--key=k00003", "--key=k00004"]):
            outcome = self.run_program("get", "--json", "--limit=3", *flags,
                                       table, DATABASES / "multi-cf")
            files = json.loads(outcome.text)["files"]
            self.assertEqual([len(file["results"]) for file in files], [3, 0])


if __name__ == "__main__":
    cli.main()
