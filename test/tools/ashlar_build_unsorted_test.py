"""`ashlar build --nosorted`: rows in any order, in little memory.

Compares with rows sorted by Python: a build of those gives the same bytes.
"""

import functools
import os
import random
import resource
import signal
import subprocess
import unittest

import cli
from cli import CliTest, PROGRAM

# Gives the smallest possible buffers, and merges two runs at a time.
LEAST_MEMORY = "--memory=1"
REVERSE = "--comparator=rocksdb.ReverseBytewiseComparator"
TIMED = "--comparator=leveldb.BytewiseComparator.u64ts"


def escaped(data):
    """Returns the bytes in the form of tsv."""
    return b"".join(
        b"\\x%02x" % byte if byte < 0x20 or byte == 0x5c else bytes([byte])
        for byte in data)


def tsv(rows):
    return b"".join(escaped(key) + b"\t" + escaped(value) + b"\n"
                    for key, value in rows)


def keep(rule, rows, key_of):
    """Keeps one row per key of sorted rows; equal keys are in input order."""
    kept = {}
    for row in rows:
        if rule == "last" or key_of(row) not in kept:
            kept[key_of(row)] = row
    return list(kept.values())


def random_keys(draw):
    """Returns a function that draws long similar, short and empty keys."""
    common = bytes(draw.randrange(256) for _ in range(draw.choice((0, 3, 9))))
    number = draw.choice((50, 5000))

    def key():
        kind = draw.randrange(20)
        if kind == 0:
            return b""
        if kind == 1:
            return common[:draw.randrange(len(common) + 1)]
        if kind == 2:
            # The words of eight bytes, filled with zeros, are equal.
            return common + b"\0" * draw.randrange(12)
        if kind == 3:
            return common + bytes([draw.randrange(256)]) * draw.randrange(900)
        return common + b"%0*d" % (draw.choice((4, 16)),
                                   draw.randrange(number))
    return key


class UnsortedBuildTest(CliTest):

    def made(self, name, rows, *flags, **more):
        """Builds a table from the rows and returns its bytes."""
        self.run_ok("build", f"--out={name}", "--overwrite", "--quiet",
                    "--identity=aa", *flags, stdin=rows, **more)
        return (self.folder / name).read_bytes()

    def assert_same_table(self, rows, in_order, *flags):
        expected = self.made("sorted.sst", in_order, *flags)
        for memory in (LEAST_MEMORY, "--memory=2000000",
                       "--memory=100000000"):
            self.assertEqual(
                self.made("t.sst", rows, "--nosorted", memory, *flags),
                expected, memory)

    def test_random_rows(self):
        for seed in range(6):
            draw = random.Random(seed)
            key = random_keys(draw)
            rows = [(key(), b"%d " % i + b"v" * draw.randrange(60))
                    for i in range(draw.choice((1, 300, 9000)))]
            # Python's sort keeps the order of equal rows.
            for flags, reverse in (([], False), ([REVERSE], True)):
                in_order = sorted(rows, key=lambda row: row[0],
                                  reverse=reverse)
                for rule in ("first", "last"):
                    with self.subTest(seed=seed, flags=flags, rule=rule):
                        self.assert_same_table(
                            tsv(rows),
                            tsv(keep(rule, in_order, lambda row: row[0])),
                            f"--on_duplicate={rule}", *flags)

    def test_random_versions(self):
        def compare(a, b):
            if a[0] != b[0]:
                return -1 if a[0] < b[0] else 1
            tail_a, tail_b = a[1:3], b[1:3]
            return 0 if tail_a == tail_b else -1 if tail_a > tail_b else 1

        def whole_key(row):
            return row[:3]

        for seed in range(4):
            draw = random.Random(seed)
            key = random_keys(draw)
            rows = []
            for i in range(draw.choice((300, 9000))):
                kind = draw.choice((0, 1, 1, 2, 7))
                value = b"" if kind in (0, 7) else b"%d" % i
                rows.append((key(), draw.choice((0, 7, 1000 + i)), kind,
                             value))
            in_order = sorted(rows, key=functools.cmp_to_key(compare))
            deletions = [(b"a%03d" % draw.randrange(900), i, 15, b"b")
                         for i in range(20)]
            mixed = rows + deletions
            draw.shuffle(mixed)
            # The order of equal rows is that of the shuffled input.
            in_order = sorted((row for row in mixed if row[2] != 15),
                              key=functools.cmp_to_key(compare))
            deletions = [row for row in mixed if row[2] == 15]
            for rule in ("first", "last"):
                with self.subTest(seed=seed, rule=rule):
                    self.assert_same_table(
                        cli.hex_rows(mixed),
                        cli.hex_rows(keep(rule, in_order, whole_key) +
                                     deletions),
                        "--input_format=hex", f"--on_duplicate={rule}")

    def test_any_number_of_threads(self):
        # More than the pieces in which a buffer of this memory is sorted.
        rows = b"".join(b"%09d\t%d\n" % (i * 7919 % 100003, i)
                        for i in range(150000))
        for memory in (LEAST_MEMORY, "--memory=2M", "--memory=100M"):
            made = {self.made("t.sst", rows, "--nosorted", memory,
                              "--on_duplicate=last", f"--threads={threads}")
                    for threads in (0, 1, 2, 3, 9)}
            self.assertEqual(len(made), 1, memory)

    def test_every_type_for_ingestion(self):
        rows = [(b"%05d" % (i * 7919 % 10007), 0, i % 3, b"v" * (i % 3 > 0))
                for i in range(5000)]
        self.assert_same_table(cli.hex_rows(rows), cli.hex_rows(sorted(rows)),
                               "--input_format=hex", "--external")

    def test_timestamps(self):
        rows = [(b"k%03d" % (i * 7 % 500) +
                 (i * 31 % 997).to_bytes(8, "little"), b"%d" % i)
                for i in range(3000)]
        in_order = sorted(rows, key=lambda row: (
            row[0][:-8], -int.from_bytes(row[0][-8:], "little")))
        self.assert_same_table(
            tsv(rows), tsv(keep("last", in_order, lambda row: row[0])), TIMED,
            "--on_duplicate=last")
        outcome = self.run_code(2, "build", "--out=u.sst", "--nosorted", TIMED,
                                stdin=tsv(rows[:5]) + b"short\tv\n")
        self.assertTrue(outcome.err.startswith("-:6: "), outcome.err)
        self.assertFalse((self.folder / "u.sst").exists())

    def test_few_open_files(self):
        rows = b"".join(b"%07d\t\n" % (i * 7919 % 100003)
                        for i in range(100003))
        in_order = b"".join(b"%07d\t\n" % i for i in range(100003))
        self.assertEqual(
            self.made("t.sst", rows, "--nosorted", LEAST_MEMORY,
                      preexec_fn=lambda: resource.setrlimit(
                          resource.RLIMIT_NOFILE, (40, 40))),
            self.made("u.sst", in_order))

    def test_a_row_larger_than_memory(self):
        large = b"b\t" + b"v" * 3000000 + b"\n"
        rows = [b"%04d\tw\n" % (i * 7 % 2000) for i in range(2000)]
        self.assertEqual(
            self.made("t.sst", b"".join(rows[:1500]) + large +
                      b"".join(rows[1500:]), "--nosorted", LEAST_MEMORY),
            self.made("u.sst", b"".join(sorted(rows)) + large))

    def test_more_memory_than_there_is(self):
        rows = [b"%04d\tw\n" % (i * 7 % 2000) for i in range(2000)]
        expected = self.made("u.sst", b"".join(sorted(rows)))
        # A sanitizer could give out terabytes of address space, and would take
        # seconds to prepare them. This option limits an allocation to a GiB.
        options = (os.environ.get("ASAN_OPTIONS", "") +
                   ":allocator_may_return_null=1:max_allocation_size_mb=1024")
        for memory in (2**64 - 1, 2**60):
            self.assertEqual(
                self.made("t.sst", b"".join(rows), "--nosorted",
                          f"--memory={memory}", env={"ASAN_OPTIONS": options}),
                expected)

    def test_places_of_duplicates(self):
        rows = [b"%06d\t\n" % (i * 7919 % 30011) for i in range(30011)]
        (self.folder / "one").write_bytes(b"".join(rows[:20000]))
        (self.folder / "none").write_bytes(b"")
        (self.folder / "two").write_bytes(b"".join(rows[20000:]) + rows[19999])
        for memory in (LEAST_MEMORY, "--memory=100000000"):
            outcome = self.run_code(2, "build", "--out=t.sst", "--nosorted",
                                    "--quiet", memory, "one", "none", "two")
            key = rows[19999].decode().strip()
            self.assertEqual(
                outcome.err, f"two:10012: key '{key}' comes twice, first at "
                "one:20000\n")
        self.assertEqual(sorted(os.listdir(self.folder)),
                         ["none", "one", "two"])

    def assert_sorting_fails(self, reason, *flags, **more):
        rows = b"".join(b"%08d\t\n" % (i * 7919 % 60013) for i in range(60013))
        outcome = self.run_code(2, "build", "--out=t.sst", "--nosorted",
                                LEAST_MEMORY, *flags, stdin=rows, **more)
        self.assertRegex(
            outcome.err, r"\A" + reason + r"; rows that --memory does not "
            r"hold are sorted there; --tmpdir sets another folder\n\Z")
        self.assertEqual(os.listdir(self.folder), [])

    def test_scratch_files_that_fail(self):
        self.assert_sorting_fails(
            r"none: IO error: .*make a scratch file in.*No such file.*",
            "--tmpdir=none")
        self.assert_sorting_fails(
            r"/dev/null: IO error: .*make a scratch file in.*Not a dir.*",
            env={"TMPDIR": "/dev/null"})
        # A full disk is reported at the same place as this limit.
        self.assert_sorting_fails(
            r"\.: IO error: .*write scratch file in \.: File too large",
            "--tmpdir=.", restore_signals=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE,
                                                  (200000, 200000)))
        # Rows that fit into memory need no scratch file.
        self.run_ok("build", "--out=t.sst", "--nosorted", "--tmpdir=none",
                    stdin=b"b\t\na\t\n")

    def test_interrupted(self):
        with subprocess.Popen(
                [PROGRAM, "build", "--out=t.sst", "--nosorted", "--tmpdir=.",
                 LEAST_MEMORY], cwd=self.folder, stdin=subprocess.PIPE,
                stderr=subprocess.PIPE, preexec_fn=cli.take_signals) as run:
            # More than a pipe holds, so the program has begun to write runs.
            run.stdin.write(b"".join(b"%09d\t\n" % (i * 7919 % 100003)
                                     for i in range(100000)))
            run.stdin.flush()
            run.send_signal(signal.SIGINT)
            run.stdin.close()
            run.stderr.read()
            self.assertEqual(run.wait(), 130)
        self.assertEqual(os.listdir(self.folder), [])


if __name__ == "__main__":
    cli.main()
