"""The tables on the program `ashlar`, which tools/bench/tables prints.

First makes its tables in --db, and reads each once, so that it is in the page
cache. All commands of a row run in rounds (program_rounds.py). Tables of
`program`:

  verify       two threads, and one, and the quick form, which asks filters
               about the first keys of blocks only; against bare_blocks, which
               reads the same data blocks, compares them with their checksums
               and decompresses them
  checksums    verify --checksums_only against RocksDB's verify
  check        two threads, against RocksDB's
  scan         one thread, to /dev/null, against RocksDB's
  recompress   zstd at --levels, two threads, against RocksDB with the number
               of threads with which it is fastest; both read back what they
               wrote
  properties   of a sparse file of 10 GB

RocksDB's program is its own sst_dump (rocksdb_sst_dump). For recompress it is
rocksdb_tool, because sst_dump does more work there. Removes the files that it
made.

Each round of `sorting` has two builds: one of rows in order, and one of the
same rows shuffled, with --nosorted. Both make the same bytes. The speed is that
of the shuffled build divided by that of the other, in each round, with the
least and the most. The memory is the peak of resident memory. Rows are
tab-separated: 16 digits and 100 bytes, which zstd compresses to half. They are
written to --db once and stay there; all other files are removed.
"""

import array
import base64
import contextlib
import filecmp
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import tempfile

from markdown_tables import DISTURBED, ROUNDS, header, row
from program_rounds import run_rounds, shown, spread, timed

# Bytes that have no special meaning in the rows' format.
PLAIN = bytes(b if b not in b"\t\n\r\\" else b + 128 for b in range(256))


class Bench:
    """Makes the tables, and the commands that work on them."""

    def __init__(self, args):
        self.args = args
        self.bin = pathlib.Path(args.bin)
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=args.db or None))
        self.made = {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder)

    def table(self, codec):
        """Makes a table of --num entries with keys of 16 and values of 100
        bytes. Half of each value is random."""
        if codec in self.made:
            return self.made[codec]
        path = self.folder / f"{codec}.sst"
        # Uses a separate process, because the peak memory of this one is
        # inherited by the programs that it starts.
        maker = os.fork()
        if maker == 0:
            try:
                self.make(codec, path)
            except BaseException:  # a child must not go on like its parent
                os._exit(1)
            os._exit(0)
        if os.waitpid(maker, 0)[1] != 0:
            raise SystemExit("cannot make a table")
        self.made[codec] = path
        return path

    @contextlib.contextmanager
    def rows_of(self, path, *flags):
        """Yields where to write the rows of a table that is built."""
        with subprocess.Popen(
                self.ashlar("build", f"--out={path}", "--quiet", *flags),
                stdin=subprocess.PIPE) as build:
            yield build.stdin
            build.stdin.close()
        if build.returncode != 0:
            raise SystemExit("cannot make a table")

    def make(self, codec, path):
        draw = random.Random(self.args.seed)
        step = 100000
        with self.rows_of(path, f"--compression_type={codec}",
                          "--format_version=5",
                          "--block_size=16384") as rows:
            for first in range(0, self.args.num, step):
                halves = draw.randbytes(50 * step).translate(PLAIN)
                rows.write(b"".join(
                    b"%016d\t%b%b\n" % (first + i, halves[50 * i:50 * i + 50],
                                        halves[50 * i:50 * i + 50])
                    for i in range(min(step, self.args.num - first))))
        path.read_bytes()

    def sparse(self):
        """Makes a table of 10 GB, whose values are zeros that take no disk
        space."""
        path = self.folder / "sparse.sst"
        zeros = bytes(1 << 20)
        with self.rows_of(path, "--compression_type=none") as rows:
            for i in range(10 << 10):
                rows.write(b"%016d\t%b\n" % (i, zeros))
        subprocess.run(["fallocate", "--dig-holes", path], check=True)
        return path

    def ashlar(self, *arguments):
        return [self.bin / "ashlar", *arguments]

    def sst_dump(self, command, path):
        return [self.bin / "rocksdb_sst_dump", f"--command={command}",
                f"--file={path}"]


def milliseconds(times):
    return f"{statistics.median(times) * 1000:,.0f}"


def compare(bench, label, ours, theirs, faster):
    """Returns a row. If `faster`, the ratio is their time to ours, and
    otherwise ours to theirs."""
    ran = run_rounds({"ours": ours, "theirs": theirs}, bench.args)
    if ran.kept == 0:
        return row(label, DISTURBED)
    a, b = ran.seconds["ours"], ran.seconds["theirs"]
    ratio = shown(spread(b, a) if faster else spread(a, b))
    row(label, milliseconds(a), milliseconds(b),
        ("x times as fast: " if faster else "time / time: ") + ratio, ran)


def columns():
    header("what", "Ashlar, ms", "the other, ms", "ratio", ROUNDS)


def table_verify(bench):
    columns()
    path = bench.table("zstd")
    for flags in (["--threads=2"], ["--threads=1"],
                  ["--threads=2", "--filter_keys=first"]):
        compare(bench, f"verify {' '.join(flags)} / bare blocks",
                bench.ashlar("verify", *flags, path),
                [bench.bin / "bare_blocks", flags[0], path],
                False)


def table_checksums(bench):
    columns()
    path = bench.table("zstd")
    for threads in (2, 1):
        compare(bench,
                f"verify --checksums_only --threads={threads} / verify",
                bench.ashlar("verify", "--checksums_only",
                             f"--threads={threads}", path),
                bench.sst_dump("verify", path), False)


def table_check(bench):
    columns()
    for codec in ("zstd", "none"):
        path = bench.table(codec)
        for threads in (2, 1):
            compare(bench, f"check --threads={threads}, {codec}",
                    bench.ashlar("check", f"--threads={threads}", path),
                    bench.sst_dump("check", path), True)


def table_scan(bench):
    columns()
    for codec in ("none", "zstd"):
        path = bench.table(codec)
        compare(bench, f"scan, {codec}", bench.ashlar("scan", path),
                bench.sst_dump("scan", path), True)


def table_recompress(bench):
    header("what", "Ashlar, ms", "RocksDB, ms", "its threads",
           "x times as fast", "Ashlar, MB at most", "RocksDB, MB at most",
           ROUNDS)
    path = bench.table("zstd")
    for level in bench.args.levels.split(","):
        commands = {"ours": bench.ashlar(
            "recompress", "--compression_types=zstd", "--threads=2",
            f"--compression_level={level}", path)}
        for threads in (1, 2, 3):
            commands[threads] = [bench.bin / "rocksdb_tool", "recompress",
                                 path, str(threads), level]
        ran = run_rounds(commands, bench.args)
        label = f"recompress, zstd {level}"
        if ran.kept == 0:
            row(label, DISTURBED)
            continue
        seconds, memory = ran.seconds, ran.memory
        best = min((1, 2, 3), key=lambda n: statistics.median(seconds[n]))
        row(label, milliseconds(seconds["ours"]), milliseconds(seconds[best]),
            best, shown(spread(seconds[best], seconds["ours"])),
            f"{memory['ours'] / 1e6:.0f}", f"{memory[best] / 1e6:.0f}", ran)


def table_properties(bench):
    header("what", "ms", ROUNDS)
    path = bench.sparse()
    ran = run_rounds({"ours": bench.ashlar("properties", path),
                      "start": bench.ashlar("--version")}, bench.args)
    for name, label in (("ours", "properties of 10 GB"),
                        ("start", "--version, for comparison")):
        row(label, f"{statistics.median(ran.seconds[name]) * 1000:.1f}"
            if ran.kept else DISTURBED, ran)


PROGRAM = {
    "verify": table_verify,
    "checksums": table_checksums,
    "check": table_check,
    "scan": table_scan,
    "recompress": table_recompress,
    "properties": table_properties,
}


# --- sorting -----------------------------------------------------------------

VALUE, VARYING = 100, 66


def write_rows(path, numbers, pool):
    with open(path + ".new", "w", encoding="ascii") as f:
        rest = "v" * (VALUE - VARYING)
        for start in range(0, len(numbers), 10000):
            rows = []
            for n in numbers[start:start + 10000]:
                at = n * 2654435761 % (len(pool) - VARYING)
                rows.append(f"{n:016d}\t{pool[at:at + VARYING]}{rest}\n")
            f.write("".join(rows))
    os.rename(path + ".new", path)


def make_rows(folder, count):
    """Returns the paths of rows in order, and of the same rows shuffled."""
    start = os.path.join(folder, f"rows-{count}-")
    paths = [start + kind + ".tsv" for kind in ("sorted", "shuffled")]
    draw = random.Random(7)
    pool = base64.b64encode(draw.randbytes(1 << 20)).decode()
    numbers = array.array("I", range(count))
    if not os.path.exists(paths[0]):
        write_rows(paths[0], numbers, pool)
    if not os.path.exists(paths[1]):
        draw.shuffle(numbers)
        write_rows(paths[1], numbers, pool)
    return paths


def timed_build(args, rows, out, *flags):
    """Returns seconds, CPU seconds, and the peak of resident bytes."""
    seconds, usage = timed(
        [f"{args.bin}/ashlar", "build", "--quiet", "--overwrite",
         "--identity=00", f"--out={out}", *flags, rows])
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def table_sorting(args):
    folder = args.db or "/tmp"
    in_order, shuffled = make_rows(folder, args.num)
    if args.only_rows:
        return
    outs = [os.path.join(folder, name) for name in ("a.sst", "b.sst")]
    plain, sorting = [], []
    for _ in range(args.rounds):
        plain.append(timed_build(args, in_order, outs[0]))
        sorting.append(timed_build(args, shuffled, outs[1], "--nosorted",
                                   f"--memory={args.memory}",
                                   f"--tmpdir={folder}"))
        if not filecmp.cmp(*outs, shallow=False):
            raise SystemExit("the two tables differ")
        for out in outs:
            os.unlink(out)
    speeds = [a[0] / b[0] for a, b in zip(plain, sorting)]
    most = max(run[2] for run in sorting)
    header("rows", "memory", "in order, s", "CPU s", "shuffled, s", "CPU s",
           "speed", "resident, MiB", "over memory", "rounds")

    def median(runs, column):
        return f"{statistics.median(run[column] for run in runs):.2f}"

    row(
        f"{args.num:,}", f"{args.memory >> 20} MiB", median(plain, 0),
        median(plain, 1), median(sorting, 0), median(sorting, 1),
        f"{statistics.median(speeds):.2f} "
        f"({min(speeds):.2f} - {max(speeds):.2f})",
        f"{most / (1 << 20):.0f}", f"{most / args.memory:.2f}", args.rounds)
