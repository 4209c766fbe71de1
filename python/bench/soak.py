#!/usr/bin/env python3
"""Writes many rows in no order as a set of tables, and reads all of them back.

    python/bench/soak.py [--rows=20000000] [--memory=128] [--folder=/tmp]

The rows come one batch at a time and are never in memory together: 16 bytes of
key and 100 of value, both made from the number of the row. Fails unless a scan
has each row once and in order, RocksDB (rocksdict) has the same rows after it
ingested the tables, multi_get finds what is there and nothing else, and writing
took at most 1.25 of the memory that it was allowed (MiB).
"""

import argparse
import os
import shutil
import sys
import tempfile
import time

import numpy
import pyarrow as pa
import rocksdict

import ashlar
from engine_rows import binary_column
from run import memory_of

BATCH_ROWS = 10000
STEP = 7368787  # a prime that no number of rows below it has as a factor
MOST_OF_MEMORY = 1.25
TABLE_BYTES = 64 << 20
VALUE_WORDS = 6


def mixed(numbers):
    """Returns other numbers, which look random (the finish of MurmurHash3)."""
    for factor in (0xff51afd7ed558ccd, 0xc4ceb9fe1a85ec53):
        numbers = (numbers ^ (numbers >> numpy.uint64(33))) * numpy.uint64(
            factor)
    return numbers ^ (numbers >> numpy.uint64(33))


def rows_of(numbers):
    """Returns keys, which sort as their numbers do, and values. About half of
    a value compresses."""
    numbers = numbers.astype(numpy.uint64)
    keys = numpy.empty((len(numbers), 2), '>u8')
    keys[:, 0], keys[:, 1] = numbers, mixed(numbers)
    values = numpy.full((len(numbers), 100), 7, numpy.uint8)
    words = numpy.empty((len(numbers), VALUE_WORDS), numpy.uint64)
    for place in range(VALUE_WORDS):
        words[:, place] = mixed(numbers * numpy.uint64(VALUE_WORDS) +
                                numpy.uint64(place))
    values[:, :8 * VALUE_WORDS] = words.view(numpy.uint8)
    return pa.record_batch({'key': binary_column(keys.view(numpy.uint8)),
                            'value': binary_column(values)})


def batches(rows, step):
    """Yields each row once: in order with a step of 1, else in no order."""
    for begin in range(0, rows, BATCH_ROWS):
        places = numpy.arange(begin, min(begin + BATCH_ROWS, rows))
        yield rows_of(places * step % rows)


def write(rows, folder, budget):
    def write_set(count):
        return ashlar.write_tables(
            batches(count, STEP), os.path.join(folder, 'set'), memory=budget,
            target_file_size=TABLE_BYTES, overwrite=True,
            temp_folder=folder)

    write_set(BATCH_ROWS)  # code and codecs are in memory once
    begin, cpu = time.perf_counter(), time.process_time()
    made, memory = memory_of(lambda: write_set(rows))
    print(f'{rows:,} rows, {len(made.tables)} tables, '
          f'{time.perf_counter() - begin:.0f} s, '
          f'{time.process_time() - cpu:.0f} s of CPU; memory '
          f'{memory >> 20} MiB, {memory / budget:.2f} of the budget',
          flush=True)
    assert made.entries == rows, made.entries
    assert memory <= MOST_OF_MEMORY * budget, memory
    return made


def check_scan(rows, view):
    found = pa.RecordBatchReader.from_stream(view.scan())
    seen = 0
    for batch in found:
        wanted = rows_of(numpy.arange(seen, seen + batch.num_rows))
        for name in ('key', 'value'):
            assert batch[name].equals(wanted[name]), (name, seen)
        seen += batch.num_rows
    assert seen == rows, seen
    print('scan: each row once, in order', flush=True)


def check_multi_get(rows, view):
    draw = numpy.random.default_rng(1)
    numbers = draw.integers(0, 2 * rows, min(rows, 200000))
    asked = rows_of(numbers)
    found = pa.array(view.multi_get(asked['key']))
    there = pa.array(numbers < rows)
    assert found.is_valid().equals(there)
    wanted = asked['value'].filter(there).cast(found.type)
    assert found.filter(there).equals(wanted)
    print('multi_get: what is there, and nothing else', flush=True)


def check_rocksdb(rows, folder, made):
    store = rocksdict.Rdict(os.path.join(folder, 'db'),
                            rocksdict.Options(raw_mode=True))
    try:
        store.ingest_external_file([table.path for table in made.tables])
        found = store.items()
        for wanted in batches(rows, 1):
            for key, value in zip(wanted['key'].to_pylist(),
                                  wanted['value'].to_pylist()):
                assert next(found) == (key, value), key
        assert next(found, None) is None
    finally:
        store.close()
    print('RocksDB: the same rows', flush=True)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument('--rows', type=int, default=20000000)
    parser.add_argument('--memory', type=int, default=128)
    parser.add_argument('--folder')
    args = parser.parse_args()
    if args.rows % STEP == 0:
        parser.error(f'--rows must not be a multiple of {STEP}')
    folder = tempfile.mkdtemp(prefix='ashlar-soak-', dir=args.folder)
    try:
        made = write(args.rows, folder, args.memory << 20)
        with ashlar.open_tables(made.manifest) as view:
            check_scan(args.rows, view)
            check_multi_get(args.rows, view)
        check_rocksdb(args.rows, folder, made)
    finally:
        shutil.rmtree(folder)
    return 0


if __name__ == '__main__':
    sys.exit(main())
