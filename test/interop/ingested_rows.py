#!/usr/bin/env python3
"""Rows of CSV that `ashlar build` sorts, and that RocksDB then ingests.

    test/interop/ingested_rows.py <ashlar> <rocksdb_ingest> [<rows> [<seed>]]

The rows are quoted in all ways, in any order, and a tenth of them have a key
that another one has. Python's csv writes them and reads them again, and says
which entries the database must have: of each key the last. It ends with the
numbers of rows and entries, or with the first difference.
"""

import csv
import os
import pathlib
import random
import subprocess
import sys
import tempfile

MEMORY = "64M"  # so that many rows do not fit
WORDS = ["plain", 'a "quoted" word', "comma, comma", "two\nlines", "", "cr\rlf",
         "\u00fcml\u00e4ut", "\u20ac 5", "tab\tbed", "x" * 60, '"', "'", " "]


def write_rows(path, count, seed):
    draw = random.Random(seed)
    with open(path, "w", encoding="utf-8", newline="") as file:
        # The last one quotes only what needs it: with "\n" as the line's end,
        # it would leave a CR in a column without quotes.
        writers = [csv.writer(file, quoting=csv.QUOTE_ALL,
                              lineterminator="\n"),
                   csv.writer(file, quoting=csv.QUOTE_ALL),
                   csv.writer(file, quoting=csv.QUOTE_MINIMAL)]
        writers[0].writerow(["id", "note", "ignored"])
        for i in range(count):
            number = draw.randrange(count * 5)
            word = WORDS[number % len(WORDS)]
            draw.choice(writers).writerow(
                [f"{number:09d}{word[:4]}", f"{word} {i}", word])


def expected_entries(path):
    """Returns the number of rows, and the value of each key."""
    entries = {}
    rows = 0
    with open(path, encoding="utf-8", newline="") as file:
        reader = csv.reader(file)
        next(reader)
        for key, value, _ in reader:
            entries[key.encode()] = value.encode()
            rows += 1
    return rows, entries


def compare(path, entries):
    """Compares what the database has, in order, with what it must have."""
    with open(path, "rb") as file:
        for key in sorted(entries):
            value = entries[key]
            record = (len(key).to_bytes(4, "little") +
                      len(value).to_bytes(4, "little") + key + value)
            found = file.read(len(record))
            if found != record:
                raise SystemExit(f"ingested_rows: expected {record}, "
                                 f"found {found}")
        if file.read(1):
            raise SystemExit("ingested_rows: there are more entries")


def check(program, ingest, count, seed, folder):
    rows = folder / "rows.csv"
    write_rows(rows, count, seed)
    print(f"{rows.stat().st_size:,} bytes of CSV, seed {seed}", flush=True)
    made = subprocess.run(
        [program, "build", "--nosorted", "--input_format=csv", "--header",
         "--key_column=id", "--value_column=note", "--on_duplicate=last",
         f"--memory={MEMORY}", f"--tmpdir={folder}", "--out=rows.sst", rows],
        cwd=folder, check=True, capture_output=True, text=True)
    print(made.stdout + made.stderr, end="", flush=True)
    subprocess.run([ingest, folder / "rows.sst", folder / "db",
                    folder / "entries"], check=True)
    found, entries = expected_entries(rows)
    compare(folder / "entries", entries)
    if found != count or len(entries) == count:
        raise SystemExit("ingested_rows: the rows are not what they should be")
    print(f"equal: {found:,} rows, {len(entries):,} entries")


def main():
    program, ingest = map(os.path.abspath, sys.argv[1:3])
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 5000000
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    with tempfile.TemporaryDirectory() as folder:
        check(program, ingest, count, seed, pathlib.Path(folder))


if __name__ == "__main__":
    main()
