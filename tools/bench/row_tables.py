"""The tables on rows that are built into tables, which tools/bench/tables
prints.

  csv   `ashlar build --nosorted` of shuffled rows of CSV, half of them quoted,
        against DuckDB, which sorts the same file into tab-separated rows,
        while RocksDB's SstFileWriter makes a table of them at the same time
        (rocksdb_tool). Two threads each. --python names an interpreter that has
        the package duckdb.
  tsv   `ashlar build` of the same rows in order, tab-separated, against the
        library alone, which has them in memory already (sorted_rows), with
        --parallel_threads of 1, 2 and 0, the default

Keys have 16 digits, values 50 bytes, of which zstd leaves less than half. The
rows and the tables are in --db, which may be a folder in memory; all are removed.
"""

import os
import pathlib
import random
import statistics
import subprocess
import tempfile

from markdown_tables import DISTURBED, ROUNDS, header, row
from program_rounds import (TRIES_PER_ROUND, Rounds, RoundLoad, run_once,
                            run_rounds, spread)

# Sorts as much as it can in memory, as a user would have it.
DUCKDB = """
import duckdb, sys
base = duckdb.connect()
base.execute("SET threads = 2")
base.execute("SET memory_limit = '4GB'")
base.execute("SET temp_directory = '" + sys.argv[2] + "'")
base.execute("COPY (SELECT key, value FROM read_csv('" + sys.argv[1] + "', "
             "header = true, delim = ',', quote = '\\"', "
             "columns = {'key': 'VARCHAR', 'value': 'VARCHAR'}) ORDER BY key) "
             "TO '/dev/stdout' (FORMAT csv, DELIMITER '\\t', HEADER false, "
             "QUOTE '')")
"""
WORDS = 4000
VALUE_BYTES = 50


class Rows:
    """Makes the files of rows, and removes them."""

    def __init__(self, args):
        self.args = args
        self.bin = pathlib.Path(args.bin)
        self.folder = tempfile.TemporaryDirectory(dir=args.db or None)
        self.csv = os.path.join(self.folder.name, "rows.csv")
        self.tsv = os.path.join(self.folder.name, "rows.tsv")
        # A process of its own: what programs use at most begins with what the
        # process had that starts them.
        maker = os.fork()
        if maker == 0:
            try:
                self.make()
            except BaseException:  # a child must not go on like its parent
                os._exit(1)
            os._exit(0)
        if os.waitpid(maker, 0)[1] != 0:
            raise SystemExit("cannot make the rows")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.folder.cleanup()

    def make(self):
        draw = random.Random(self.args.seed)
        letters = "abcdefghijklmnopqrstuvwxyz"
        words = ["".join(draw.choices(letters, k=draw.randint(3, 9)))
                 for _ in range(WORDS)]
        pool = " ".join(draw.choices(words, k=1 << 20))
        numbers = list(range(self.args.num))
        with open(self.tsv, "w", encoding="ascii") as tsv:
            starts = [draw.randrange(len(pool) - VALUE_BYTES) for _ in numbers]
            tsv.writelines(
                f"{n:016d}\t{pool[starts[n]:starts[n] + VALUE_BYTES]}\n"
                for n in numbers)
        draw.shuffle(numbers)
        with open(self.csv, "w", encoding="ascii") as csv:
            csv.write("key,value\n")
            csv.writelines(
                '{:016d},"{}"\n'.format(
                    n, pool[starts[n]:starts[n] + VALUE_BYTES]) if n % 2 else
                f"{n:016d},{pool[starts[n]:starts[n] + VALUE_BYTES]}\n"
                for n in numbers)

    def path(self, name):
        return os.path.join(self.folder.name, name)


def table_csv(rows):
    args = rows.args
    ours = [rows.bin / "ashlar", "build", "--nosorted", "--input_format=csv",
            "--header", "--key_column=key", "--value_column=value",
            f"--memory={args.memory}", f"--tmpdir={rows.folder.name}",
            "--quiet", "--overwrite",
            f"--out={rows.path('a.sst')}", rows.csv]
    script = rows.path("sort.py")
    pathlib.Path(script).write_text(DUCKDB, encoding="ascii")
    theirs = ["bash", "-c", 'set -o pipefail; "$1" "$2" "$3" "$4" | '
              '"$5" build /dev/stdin "$6" zstd', "sort", args.python, script,
              rows.csv, rows.folder.name, rows.bin / "rocksdb_tool",
              rows.path("b.sst")]
    ran = run_rounds({"ours": ours, "theirs": theirs}, args)
    subprocess.run([rows.bin / "ashlar", "diff", "--data_only",
                    rows.path("a.sst"), rows.path("b.sst")],
                   stdout=subprocess.DEVNULL, check=True)
    header("rows", "Ashlar, s", "MiB", "DuckDB and RocksDB, s",
           "time / time", ROUNDS)
    if ran.kept == 0:
        row(f"{args.num:,} of CSV", DISTURBED)
        return
    a, b = ran.seconds["ours"], ran.seconds["theirs"]
    row(f"{args.num:,} of CSV", f"{statistics.median(a):.2f}",
        f"{ran.memory['ours'] / (1 << 20):.0f}",
        f"{statistics.median(b):.2f}", shown3(spread(a, b)), ran)


def shown3(ratio):
    return "{:.3f} ({:.3f} - {:.3f})".format(*ratio)


def library_seconds(rows, threads):
    done = subprocess.run(
        [rows.bin / "sorted_rows", rows.tsv, rows.path("l.sst"), str(threads)],
        capture_output=True, text=True, check=True)
    return float(done.stdout)


def table_tsv(rows):
    args = rows.args
    program = [rows.bin / "ashlar", "build", "--quiet", "--overwrite",
               f"--out={rows.path('s.sst')}", rows.tsv]
    header("parallel_threads", "program, s", "library alone, s",
           "library's time / program's", ROUNDS)
    for threads in (1, 2, 0):
        run_once(program)
        library_seconds(rows, threads)
        kept = Rounds({"program": [], "library": []}, {})
        for i in range(args.rounds * TRIES_PER_ROUND):
            if kept.kept == args.rounds:
                break
            load = RoundLoad()
            took = {}
            for name in ("program", "library")[::1 if i % 2 else -1]:
                took[name] = (run_once(program)[0] if name == "program" else
                              library_seconds(rows, threads))
            if load.disturbed() and not args.keep_disturbed:
                kept.dropped += 1
                continue
            kept.kept += 1
            for name, seconds in took.items():
                kept.seconds[name].append(seconds)
        if kept.kept == 0:
            row(threads, DISTURBED)
            continue
        of_program, of_library = kept.seconds["program"], kept.seconds["library"]
        row(threads, f"{statistics.median(of_program):.3f}",
            f"{statistics.median(of_library):.3f}",
            shown3(spread(of_library, of_program)), kept)
