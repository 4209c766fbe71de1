"""`--target_file_size`: tables that share no key, and their manifest."""

import fcntl
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import unittest

import cli
from cli import CliTest, PROGRAM, hex_rows, without_rights_of_root

HEX = "--input_format=hex"
TIMED = "--comparator=leveldb.BytewiseComparator.u64ts"


def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82f63b78 if crc & 1 else 0)
    return crc ^ 0xffffffff


def parsed(lines):
    """Parses rows of the canonical dump: (key, sequence, type, value)."""
    return [(bytes.fromhex(key), int(sequence), int(kind),
             bytes.fromhex(value)) for key, sequence, kind, value in
            (line.split(" ") for line in lines)]


def deleted_at(rows, key):
    """Returns the sequence numbers of the range deletions over a key."""
    return sorted(row[1] for row in rows
                  if row[2] == 15 and row[0] <= key < row[3])


class TableSetTest(CliTest):

    def rows_of_each(self, files):
        """Returns the rows of each table that a manifest lists."""
        return [parsed(lines) for lines in
                self.scan_each([file["path"] for file in files])]

    def make(self, rows, *flags, command="build", name="t.sst", **more):
        self.run_ok(command, f"--out={name}", "--quiet", *flags, stdin=rows,
                    **more)
        with open(self.folder / "t-manifest.json", encoding="utf-8") as f:
            return json.load(f)["files"]

    def assert_is_cut_well(self, files, first=1):
        """Checks that tables are sound, fit the manifest and do not overlap.

        Returns the rows of each table.
        """
        self.assertEqual(
            sorted(os.listdir(self.folder)),
            sorted([file["path"] for file in files] + ["t-manifest.json"]))
        self.run_ok("verify", *(file["path"] for file in files))
        found = self.rows_of_each(files)
        end = None
        for number, (file, rows) in enumerate(zip(files, found), first):
            self.assertEqual(file["path"], f"t-{number:06d}.sst")
            data = (self.folder / file["path"]).read_bytes()
            self.assertEqual(file["bytes"], len(data))
            self.assertEqual(file["entries"], len(rows))
            smallest = bytes.fromhex(file["smallest"])
            largest = bytes.fromhex(file["largest"])
            points = [row[0] for row in rows if row[2] != 15]
            ends = [row[3] for row in rows if row[2] == 15]
            self.assertEqual(smallest, min(row[0] for row in rows))
            self.assertEqual(largest, max(points + ends))
            exclusive = bool(ends) and max(ends) > max(points, default=b"")
            self.assertIs(file["largest_is_exclusive"], exclusive)
            if end is not None:
                self.assertLessEqual(end, smallest + b"\0" * exclusive_before)
                self.assertTrue(end < smallest or exclusive_before)
            end, exclusive_before = largest, exclusive
        return found

    def test_sorted_rows(self):
        rows = b"".join(b"%06d\t%0100d\n" % (i, i * i) for i in range(20000))
        size = 30000
        files = self.make(rows, f"--target_file_size={size}",
                          "--compression_parallel_threads=1")
        self.assertGreater(len(files), 5)
        found = self.assert_is_cut_well(files)
        for file in files[:-1]:
            self.assertGreater(file["bytes"], size * 0.9)
            self.assertLess(file["bytes"], size * 1.1 + 4096)
        data = (self.folder / files[0]["path"]).read_bytes()
        self.assertEqual(files[0]["checksum"], "%08X" % crc32c(data))
        self.assertEqual(sum(found, []), [
            (b"%06d" % i, 0, 1, b"%0100d" % (i * i)) for i in range(20000)])
        _, *numbers = self.run_ok(
            "properties", *(file["path"] for file in files)).text.split(
                "unique ID: ")
        numbers = {number.split("\n")[0] for number in numbers}
        self.assertEqual(len(numbers), len(files))

    def test_one_file(self):
        for rows, entries in ((b"a\t\nb\t\n", 2),):
            files = self.make(rows, "--target_file_size=1000000")
            self.assertEqual([file["entries"] for file in files], [entries])
            self.assert_is_cut_well(files)

    def test_versions_and_range_deletions(self):
        for seed in range(6):
            draw = random.Random(seed)
            rows = []
            for i in range(draw.choice((300, 1500))):
                key = b"k%04d" % i
                # Some keys have more versions than fit into a file.
                count = draw.choice((1, 1, 1, 2, draw.choice((3, 80))))
                for version in range(count):
                    rows.append((key, 1000 - version, 1,
                                 draw.randbytes(draw.randrange(200))))
            deletions = []
            for i in range(draw.choice((0, 1, 30))):
                begin, end = sorted(
                    b"%c%04d" % (draw.choice(b"jkkkkkl"), draw.randrange(1500))
                    for _ in range(2))
                if begin < end:
                    deletions.append((begin, 2000 + i, 15, end))
            mixed = rows + deletions
            flags = [HEX, f"--target_file_size={draw.choice((1, 9000))}",
                     "--tmpdir=/tmp"]
            if draw.randrange(2) == 0:
                draw.shuffle(mixed)
                flags.append("--nosorted")
            if draw.randrange(2) == 0:
                flags.append("--memory=1")
            with self.subTest(seed=seed):
                files = self.make(hex_rows(mixed), *flags)
                found = self.assert_is_cut_well(files)
                self.assertGreater(len(files), 3)
                self.assertEqual(
                    [row for table in found for row in table if row[2] != 15],
                    rows)
                # All versions of a key are in the same file.
                for table, other in zip(found, found[1:]):
                    keys = {row[0] for row in table if row[2] != 15}
                    self.assertFalse(
                        keys & {row[0] for row in other if row[2] != 15})
                pieces = [row for table in found for row in table]
                probes = {row[0] for row in rows} | {
                    key for row in pieces if row[2] == 15
                    for key in (row[0], row[3], row[0] + b"\0")}
                for key in probes:
                    self.assertEqual(deleted_at(pieces, key),
                                     deleted_at(deletions, key), key)
            for name in os.listdir(self.folder):
                (self.folder / name).unlink()

    def test_range_deletions_alone(self):
        files = self.make(b"61 5 15 63\n62 4 15 64\n", HEX,
                          "--target_file_size=10")
        self.assertEqual([(file["smallest"], file["largest"],
                           file["largest_is_exclusive"]) for file in files],
                         [("61", "64", True)])

    def test_timestamps(self):
        def timed(key, time):
            return key + time.to_bytes(8, "little")

        # Files reach their size at any version of a key.
        rows = [(timed(b"k%03d" % (i // 20), 100 - i % 20), 0, 1,
                 random.Random(i).randbytes(150 + i * i % 97))
                for i in range(2000)]
        deletions = [(timed(b"k005", 7), 0, 15, timed(b"k090", 7))]
        files = self.make(hex_rows(rows + deletions), HEX, TIMED, "--external",
                          "--target_file_size=20000")
        self.assertGreater(len(files), 5)
        found = self.rows_of_each(files)
        points = [[row for row in table if row[2] != 15] for table in found]
        self.assertEqual(sum(points, []), rows)
        for table, other in zip(points, points[1:]):
            self.assertLess(table[-1][0][:-8], other[0][0][:-8])
        pieces = [row for table in found for row in table if row[2] == 15]
        self.assertEqual(pieces[0][0], timed(b"k005", 7))
        self.assertEqual(pieces[-1][3], timed(b"k090", 7))
        for piece, other in zip(pieces, pieces[1:]):
            self.assertEqual(piece[3], other[0])

    def test_equal_bytes(self):
        rows = b"".join(b"%06d\t%0100d\n" % (i, i * i) for i in range(9000))
        made = set()
        first = 1
        for threads in (1, 2, 5):
            files = self.make(rows, "--target_file_size=30000", "--overwrite",
                              "--identity=01",
                              f"--compression_parallel_threads={threads}")
            self.assertGreater(len(files), 3)
            made.add(tuple(file["checksum"] for file in files))
            # The names of a run follow the names that it replaces.
            self.assertEqual(
                [file["path"] for file in files],
                [f"t-{first + i:06d}.sst" for i in range(len(files))])
            first += len(files)
        self.assertEqual(len(made), 1)
        # Tables of a set share one identity and differ in their number.
        text = self.run_ok(
            "properties", *(file["path"] for file in files)).text
        self.assertEqual(
            re.findall("(?m)^  original file number: (.*)$", text),
            [str(number) for number in range(1, len(files) + 1)])

    def test_another_order(self):
        rows = [(b"%06d" % i, 0, 1, b"%0100d" % (i * i))
                for i in reversed(range(3000))]
        deletions = [(b"002000", 0, 15, b"001000"), (b"000100", 0, 15, b"00")]
        files = self.make(
            hex_rows(rows + deletions), HEX, "--target_file_size=20000",
            "--external", "--comparator=rocksdb.ReverseBytewiseComparator")
        self.assertGreater(len(files), 3)
        found = self.rows_of_each(files)
        self.assertEqual([row for table in found for row in table
                          if row[2] != 15], rows)
        for file, other in zip(files, files[1:]):
            # Keys descend. If a range deletion is cut, both files contain the
            # cut.
            if file["largest_is_exclusive"]:
                self.assertGreaterEqual(file["largest"], other["smallest"])
            else:
                self.assertGreater(file["largest"], other["smallest"])
        for file, table in zip(files, found):
            keys = [row[0] for row in table]
            ends = [row[3] for row in table if row[2] == 15]
            self.assertEqual(bytes.fromhex(file["smallest"]), max(keys))
            points = [row[0] for row in table if row[2] != 15]
            self.assertEqual(bytes.fromhex(file["largest"]),
                             min(points + ends))
        pieces = [row for table in found for row in table if row[2] == 15]
        for row in rows:
            self.assertEqual(
                sum(begin >= row[0] > end for begin, _, _, end in pieces),
                sum(begin >= row[0] > end for begin, _, _, end in deletions),
                row[0])

    LEFT = ("ashlar: warning: {0} is left over from an earlier run and not "
            "needed; --clean removes it\n")

    def test_what_a_killed_run_leaves(self):
        rows = b"".join(b"%06d\t%0100d\n" % (i, i * i) for i in range(40000))
        few, size = rows[:5000], "--target_file_size=50000"
        with subprocess.Popen(
                [PROGRAM, "build", "--out=t.sst", size], cwd=self.folder,
                stdin=subprocess.PIPE) as run:
            # More than a pipe holds and one read takes, so the run has begun.
            run.stdin.write(rows)
            run.stdin.flush()
            name, = os.listdir(self.folder)
            # While the run lives, other runs do not touch or report its folder.
            self.assertEqual(self.run_ok(
                "build", "--out=t.sst", size, "--quiet", "--clean",
                stdin=few).err, "")
            run.kill()
        before = sorted(os.listdir(self.folder))
        self.assertEqual(before, ["t-000001.sst", "t-manifest.json", name])
        again = ["build", "--out=t.sst", size, "--quiet", "--overwrite"]
        left = self.LEFT.format(name)
        self.assertEqual(self.run_ok(*again, stdin=few).err, left)
        # Locks the folder as a living run, or as a run that tests the lock.
        lock = os.open(self.folder / name / "lock", os.O_RDONLY)
        self.addCleanup(os.close, lock)
        for operation, said in ((fcntl.LOCK_EX, ""), (fcntl.LOCK_SH, left)):
            fcntl.flock(lock, operation)
            self.assertEqual(self.run_ok(*again, stdin=few).err, said)
        self.assertEqual(self.run_ok(*again, "--clean", stdin=few).err, "")
        self.assertIn(name, os.listdir(self.folder))
        fcntl.flock(lock, fcntl.LOCK_UN)
        # Folders with other names do not belong to this set.
        for other in ("t.tmp.abc", "u.tmp.abcdef", "xt.tmp.abcdef"):
            (self.folder / name).rename(self.folder / other)
            self.assertEqual(self.run_ok(*again, "--clean", stdin=few).err, "")
            (self.folder / other).rename(self.folder / name)
        # A file that no run makes stays, and so does its folder.
        (self.folder / name / "notes").write_bytes(b"mine")
        self.assertEqual(
            self.run_ok(*again, "--clean", stdin=few).err,
            f"ashlar: warning: {name} is kept: it has notes, which this "
            "program did not make\n")
        self.assertEqual(sorted(os.listdir(self.folder / name)),
                         ["lock", "notes"])
        (self.folder / name / "notes").unlink()
        self.build("in.sst", b"61 0 1 \n")
        self.assertEqual(
            self.run_ok("rewrite", *again[1:], "--clean", "in.sst",
                        "--out=u.sst").err, "")
        self.assertEqual(
            self.run_ok(*again, "--clean", stdin=few).err,
            f"ashlar: warning: removed {name}, left over from an earlier run\n")
        self.assertNotIn(name, os.listdir(self.folder))

    def test_left_folders_that_tell_nothing(self):
        again = ["build", "--out=t.sst", "--target_file_size=9", "--quiet",
                 "--overwrite", "--clean"]
        folder = self.folder / "t.tmp.backup"
        folder.mkdir(0)
        outcome = self.run_program(*again, stdin=b"a\t\n",
                                   preexec_fn=without_rights_of_root)
        self.assertEqual((outcome.code, outcome.err), (
            0, "ashlar: warning: open t.tmp.backup: Permission denied: it may "
               "be left over from an earlier run\n"))
        # A folder without a lock belongs to the user, whatever it contains.
        folder.chmod(0o700)
        for name in ("t-000001.sst", "journal"):
            (folder / name).write_bytes(b"mine")
        for _ in range(2):
            self.assertEqual(self.run_ok(*again, stdin=b"a\t\n").err, "")
        self.assertEqual(sorted(os.listdir(folder)),
                         ["journal", "t-000001.sst"])
        # A run begins and ends with an empty folder.
        for name in os.listdir(folder):
            (folder / name).unlink()
        self.assertEqual(self.run_ok(*again[:-1], stdin=b"a\t\n").err,
                         self.LEFT.format("t.tmp.backup"))
        self.run_ok(*again, stdin=b"a\t\n")
        self.assertFalse(folder.exists())

    def plant_journal(self, *lines):
        folder = self.folder / "t.tmp.abcdef"
        folder.mkdir()
        (folder / "lock").write_bytes(b"")
        (folder / "journal").write_bytes(
            "".join(line + "\n" for line in lines).encode())

    def line(self, word, name):
        status = os.stat(self.folder / name)
        return (f"{word} {name[2:8]} {status.st_ino} {status.st_size} "
                f"{status.st_mtime_ns}")

    def test_journals(self):
        """Removes only what the journal means, and what no manifest lists."""
        first, last = "ashlar set journal 1", "end"
        again = ["build", "--out=t.sst", "--target_file_size=9", "--quiet"]
        self.run_ok(*again, stdin=b"a\t\n")
        manifest = (self.folder / "t-manifest.json").read_bytes()
        for name in ("t-000005.sst", "t-000006.sst", "u-000005.sst"):
            (self.folder / name).write_bytes(b"mine")
        made = self.line("made", "t-000005.sst")
        # A damaged journal, or one of another version, has no effect.
        for lines in ([], [first], [first, made], [made, last],
                      ["ashlar set journal 2", made, last],
                      [first, made, last, ""], [first, made + " 1", last],
                      [first, made.replace("made", "make"), last],
                      [first, made.replace(" 000005", " ../u-000005"), last],
                      [first, made.replace(" 000005", " "), last],
                      [first, made[:-1] + "x", last]):
            with self.subTest(lines=lines):
                self.plant_journal(*lines)
                outcome = self.run_code(2, *again, "--clean", stdin=b"a\t\n")
                self.assertTrue(outcome.err.startswith(
                    "ashlar: warning: t.tmp.abcdef and the files that it lists "
                    "are kept: t.tmp.abcdef/journal: is not a journal of this "
                    "program\n"), outcome.err)
                shutil.rmtree(self.folder / "t.tmp.abcdef")
        # An unreadable manifest lists nothing, but any table may belong to it.
        self.plant_journal(first, made, last)
        for damaged in (manifest[:-9], b"", b"[]", b"{}",
                        manifest.replace(b"ashlar/1", b"ashlar/2"),
                        manifest.replace(b"t-000001", b"u-000001"),
                        b"[" * 100000, None):
            with self.subTest(damaged=damaged and damaged[:20]):
                (self.folder / "t-manifest.json").unlink()
                if damaged is not None:
                    (self.folder / "t-manifest.json").write_bytes(damaged)
                outcome = self.run_code(2, *again, "--clean", stdin=b"a\t\n")
                self.assertTrue(outcome.err.startswith(
                    "ashlar: warning: t.tmp.abcdef and the files that it lists "
                    "are kept: t-manifest.json"), outcome.err)
                if damaged is None:
                    (self.folder / "t-manifest.json").write_bytes(b"")
        (self.folder / "t-manifest.json").write_bytes(manifest)
        shutil.rmtree(self.folder / "t.tmp.abcdef")
        # Another file of that name, and a table that the manifest lists.
        self.plant_journal(first, made, self.line("replaced", "t-000006.sst"),
                           self.line("replaced", "t-000001.sst"), last)
        (self.folder / "t-000005.sst").write_bytes(b"mine")
        os.utime(self.folder / "t-000005.sst", ns=(1, 1))
        outcome = self.run_program(*again, stdin=b"a\t\n")
        self.assertEqual(
            outcome.err,
            "ashlar: warning: t-000005.sst is kept: it is not the file that "
            "the run made there\nashlar: warning: t.tmp.abcdef: finished "
            "what an earlier run left: removed t-000006.sst\nashlar: "
            "t-manifest.json exists; --overwrite replaces it\n")
        self.assertEqual(
            sorted(os.listdir(self.folder)),
            ["t-000001.sst", "t-000005.sst", "t-manifest.json", "u-000005.sst"])

    def test_manifests_that_are_replaced(self):
        """Only tables that the old manifest lists are removed."""
        again = ["build", "--out=t.sst", "--target_file_size=9", "--quiet",
                 "--overwrite"]
        self.run_ok(*again, stdin=b"a\t\n")
        (self.folder / "t-000003.sst").write_bytes(b"mine")
        outcome = self.run_ok(*again, stdin=b"a\t\n")
        self.assertEqual(outcome.err, "ashlar: warning: t-000003.sst is kept: "
                                      "no manifest lists it\n")
        self.assertEqual(sorted(os.listdir(self.folder)), [
            "t-000003.sst", "t-000004.sst", "t-manifest.json"])
        # An unreadable manifest is replaced, and no table is removed.
        (self.folder / "t-manifest.json").write_bytes(b"{")
        outcome = self.run_ok(*again, stdin=b"a\t\n")
        self.assertEqual(
            outcome.err,
            "ashlar: warning: no table of the old set was removed: "
            "t-manifest.json: is not a manifest of this program\nashlar: "
            "warning: t-000003.sst, t-000004.sst are kept: no manifest lists "
            "them\n")
        # Same for a link: its target may belong to another set.
        (self.folder / "t-manifest.json").rename(self.folder / "other")
        os.symlink("other", self.folder / "t-manifest.json")
        outcome = self.run_ok(*again, stdin=b"a\t\n")
        self.assertIn("t-manifest.json: is a symbolic link\n", outcome.err)
        self.assertFalse((self.folder / "t-manifest.json").is_symlink())
        self.assertTrue((self.folder / "t-000005.sst").exists())
        # If the manifest is a pipe, the run makes nothing.
        (self.folder / "t-manifest.json").unlink()
        os.mkfifo(self.folder / "t-manifest.json")
        outcome = self.run_code(2, *again, stdin=b"a\t\n")
        self.assertIn("t-manifest.json: is a folder, device or pipe",
                      outcome.err)
        # Numbers continue, and there is a last number.
        (self.folder / "t-manifest.json").unlink()
        (self.folder / "t-999999999999999999.sst").write_bytes(b"mine")
        outcome = self.run_program(*again, stdin=b"a\t\n")
        self.assertEqual(outcome.code, 2)
        self.assertIn("t-999999999999999999.sst has a number so large that no "
                      "numbers are left for new tables", outcome.err)

    def test_names_that_are_not_text(self):
        name = b"\xfft.sst"
        command = [PROGRAM.encode(), b"build", b"--out=" + name, b"--quiet",
                   b"--target_file_size=9", b"--overwrite"]
        for number in (1, 2):
            subprocess.run(command, input=b"a\t\n", cwd=self.folder, check=True)
            self.assertEqual(
                sorted(os.listdir(os.fsencode(self.folder))),
                [b"\xfft-00000%d.sst" % number, b"\xfft-manifest.json"])

    def test_two_runs_at_once(self):
        """Each of two runs commits completely, one after the other."""
        for _ in range(3):
            runs = [subprocess.Popen(
                [PROGRAM, "build", "--out=t.sst", "--target_file_size=1",
                 "--block_size=64", "--overwrite", "--quiet"],
                cwd=self.folder, stdin=subprocess.PIPE) for _ in range(4)]
            for number, run in enumerate(runs):
                run.stdin.write(b"".join(b"%d%06d\t%0100d\n" % (number, i, i)
                                         for i in range(9)))
                run.stdin.close()
            self.assertEqual([run.wait() for run in runs], [0] * 4)
            with open(self.folder / "t-manifest.json",
                      encoding="utf-8") as file:
                files = json.load(file)["files"]
            names = [table["path"] for table in files]
            self.assertEqual(sorted(os.listdir(self.folder)),
                             sorted([*names, "t-manifest.json"]))
            self.assertEqual(len({row[0][0] for rows in
                                  self.rows_of_each(files)
                                  for row in rows}), 1)

    def test_the_lock_of_the_commit(self):
        again = ["build", "--out=t.sst", "--target_file_size=9", "--quiet",
                 "--overwrite"]
        # A lock left by a killed run: the next run takes it.
        (self.folder / "t.tmp.lock").write_bytes(b"")
        self.assertEqual(self.run_ok(*again, stdin=b"a\t\n").err, "")
        self.assertFalse((self.folder / "t.tmp.lock").exists())
        # A file that no run of this program made.
        (self.folder / "t.tmp.lock").write_bytes(b"mine")
        outcome = self.run_program(*again, stdin=b"a\t\n")
        self.assertEqual(outcome.code, 2)
        self.assertIn("t.tmp.lock is not a lock file of this program, which "
                      "would be empty; remove it or choose another "
                      "path", outcome.err)
        self.assertEqual(sorted(os.listdir(self.folder)),
                         ["t-000001.sst", "t-manifest.json", "t.tmp.lock"])
        # If a run has the lock, the next one waits for it.
        (self.folder / "t.tmp.lock").write_bytes(b"")
        lock = os.open(self.folder / "t.tmp.lock", os.O_RDWR)
        fcntl.flock(lock, fcntl.LOCK_EX)
        with subprocess.Popen([PROGRAM, *again], cwd=self.folder,
                              stdin=subprocess.PIPE) as run:
            run.stdin.write(b"b\t\n")
            run.stdin.close()
            # The run makes everything else first, and then waits for the lock.
            while not any("000001.sst" in name and ".tmp." not in name
                          for place in self.folder.glob("t.tmp.??????")
                          for name in os.listdir(place)):
                self.assertIsNone(run.poll())
            self.assertIn("t-000001.sst", os.listdir(self.folder))
            (self.folder / "t.tmp.lock").unlink()
            os.close(lock)
            self.assertEqual(run.wait(), 0)
        self.assertEqual(sorted(os.listdir(self.folder)),
                         ["t-000002.sst", "t-manifest.json"])

    def test_folders_that_cannot_be_listed(self):
        self.run_ok("build", "--out=d.sst", stdin=b"a\t\n")
        folder = self.folder / "d"
        folder.mkdir()
        self.addCleanup(folder.chmod, 0o700)
        folder.chmod(0o300)  # tables can still be made there
        again = ["build", "--out=d/t.sst", "--target_file_size=9"]
        for command in (again, [*again, "--overwrite"],
                        ["rewrite", *again[1:], "d.sst"]):
            outcome = self.run_program(*command, stdin=b"a\t\n",
                                       preexec_fn=without_rights_of_root)
            self.assertEqual((outcome.code, outcome.err), (
                2, "ashlar: open d/: Permission denied\nashlar: hint: check "
                   "the permissions of the file and of the folders above it\n"))
        folder.chmod(0o700)
        self.assertEqual(os.listdir(folder), [])
        outcome = self.run_program("build", "--out=no/t.sst",
                                   "--target_file_size=9", stdin=b"a\t\n")
        self.assertRegex(outcome.err, r"\Ano/t\.sst: IO error: .*No such file")

    def test_order_is_checked(self):
        for flags, row in (([], b"%06d\t\n"), ([HEX], b"%012d 0 1 \n")):
            rows = [row % i for i in range(3000)]
            rows[2500] = row % 7
            outcome = self.run_code(
                2, "build", "--out=t.sst", "--target_file_size=100", *flags,
                stdin=b"".join(rows))
            self.assertRegex(outcome.err, r"\A-:2501: key '.*' belongs before "
                             r"'.*' at -:2500\nashlar: hint: --nosorted sorts "
                             r"the rows\n\Z")
            rows[2500] = rows[2499]
            outcome = self.run_program(
                "build", "--out=t.sst", "--target_file_size=100", *flags,
                stdin=b"".join(rows))
            self.assertRegex(outcome.err, r"\A-:2501: key '.*' comes twice, "
                             r"first at -:2500\n")
            self.assertEqual(os.listdir(self.folder), [])

    def test_malformed_range_deletions(self):
        for row, reason in ((b"62 5 15 61\n", "is not smaller than its end"),
                            (b"62 5 15 62\n", "is not smaller than its end")):
            outcome = self.run_program(
                "build", "--out=t.sst", HEX, "--target_file_size=100",
                stdin=b"61 1 1 \n" + row)
            self.assertTrue(outcome.err.startswith("-:2: "), outcome.err)
            self.assertIn(reason, outcome.err)
        outcome = self.run_program(
            "build", "--out=t.sst", HEX, "--target_file_size=100",
            "--external", stdin=b"62 5 15 63\n")
        self.assertIn("-:1: sequence number 5, expected 0: the file is for "
                      "ingestion",
                      outcome.err)
        self.assertEqual(os.listdir(self.folder), [])

    def test_names_that_are_taken(self):
        rows = b"a\t\nb\t\n"
        for name in ("t-manifest.json", "t-000001.sst", "t-1000000.sst"):
            (self.folder / name).write_bytes(b"mine")
            outcome = self.run_code(2, "build", "--out=t.sst",
                                    "--target_file_size=100", stdin=rows)
            self.assertEqual(
                outcome.err,
                f"ashlar: {name} exists; --overwrite replaces it\n")
            self.assertEqual(os.listdir(self.folder), [name])
            (self.folder / name).unlink()
        for name in ("t-01.sst", "t-00000x.sst", "u-000001.sst", "t.sst"):
            (self.folder / name).write_bytes(b"mine")
        self.make(rows, "--target_file_size=100")
        # An input is never overwritten.
        (self.folder / "t-000001.sst").write_bytes(rows)
        outcome = self.run_program(
            "build", "--out=t.sst", "--target_file_size=100", "--overwrite",
            "t-000001.sst")
        self.assertEqual(
            outcome.err, "ashlar: t-000001.sst is an input, which is never "
                         "overwritten\n")
        self.make(rows, "--target_file_size=100", "--overwrite")

    def test_failures_leave_nothing(self):
        rows = b"".join(b"%06d\t%0100d\n" % (i, i * i) for i in range(20000))
        # The limit is exceeded by a file after the first.
        big = b"z\t" + random.Random(1).randbytes(400000).hex().encode() + b"\n"
        outcome = self.run_code(
            2, "build", "--out=t.sst", "--target_file_size=50000",
            stdin=rows + big, restore_signals=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE,
                                                  (200000, 200000)))
        self.assertIn("File too large", outcome.err)
        self.assertEqual(os.listdir(self.folder), [])
        outcome = self.run_code(2, "build", "--out=none/t.sst",
                                "--target_file_size=9", stdin=rows)
        self.assertRegex(outcome.err, "none/t.sst: IO error: .*No such file")
        with subprocess.Popen(
                [PROGRAM, "build", "--out=t.sst", "--target_file_size=50000"],
                cwd=self.folder, stdin=subprocess.PIPE,
                stderr=subprocess.PIPE, preexec_fn=cli.take_signals) as run:
            run.stdin.write(rows)
            run.stdin.flush()
            run.send_signal(signal.SIGINT)
            run.stdin.close()
            run.stderr.read()
            self.assertEqual(run.wait(), 130)
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_set_is_replaced_whole(self):
        rows = b"".join(b"%06d\t%0100d\n" % (i, i * i) for i in range(9000))
        many = self.make(rows, "--target_file_size=30000")
        few = self.make(rows, "--target_file_size=100000", "--overwrite")
        self.assertLess(len(few), len(many))
        self.assert_is_cut_well(few, first=len(many) + 1)

    def test_a_set_that_cannot_be_replaced_stays(self):
        rows = b"".join(b"%06d\t%0100d\n" % (i, i * i) for i in range(9000))
        # Long enough that the manifest's temporary name is too long.
        stem = "a" * 232
        before = [f"{stem}-{n:06d}.sst" for n in (1, 2, 30)]
        for name in before:
            (self.folder / name).write_bytes(name.encode())
        outcome = self.run_code(
            2, "build", f"--out={stem}.sst", "--target_file_size=30000",
            "--overwrite", stdin=rows)
        self.assertIn("File name too long", outcome.err)
        self.assertEqual(sorted(os.listdir(self.folder)), before)
        for name in before:
            self.assertEqual((self.folder / name).read_bytes(), name.encode())

    def test_what_is_told(self):
        rows = b"".join(b"%06d\t%0100d\n" % (i, i * i) for i in range(9000))
        flags = ["--out=t.sst", "--target_file_size=30000", "--overwrite"]
        outcome = self.run_ok("build", *flags, stdin=rows)
        self.assertRegex(
            outcome.err, r"\Awrote \d+ files, t-000001\.sst to t-00\d{4}\.sst:"
            r" 9000 entries, \d+ bytes, ratio .*\n\Z")
        document = json.loads(
            self.run_ok("build", *flags, "--json", stdin=rows).out)
        told = document["files"][0]
        self.assertEqual(told["num_entries"], 9000)
        self.assertEqual(told["manifest"], "t-manifest.json")
        with open(self.folder / "t-manifest.json", encoding="utf-8") as f:
            self.assertEqual(told["tables"], json.load(f)["files"])
        self.assertEqual(document["summary"]["entries"], 9000)

    def test_rewrite(self):
        rows = hex_rows(
            [(b"k%04d" % (i // 3), 90 - i % 3, 1, b"%0100d" % (i * i))
             for i in range(3000)] + [(b"k0100", 95, 15, b"k0900")])
        with self.subTest():
            self.build("whole.sst", rows)
            files = self.make(b"", "--target_file_size=9000", "whole.sst",
                              command="rewrite")
            whole, = self.rows_of_each([{"path": "whole.sst"}])
            (self.folder / "whole.sst").unlink()
            self.assertGreater(len(files), 3)
            found = sum(self.assert_is_cut_well(files), [])
            self.assertEqual([row for row in found if row[2] != 15],
                             [row for row in whole if row[2] != 15])
            for key in {row[0] for row in found}:
                self.assertEqual(deleted_at(found, key),
                                 deleted_at(whole, key))


if __name__ == "__main__":
    cli.main()
