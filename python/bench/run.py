#!/usr/bin/env python3
"""Compares the package with rocksdict, with the program and with the library.

    python python/bench/run.py write|sets|get|scan|all [--rows=N] [--rounds=N]
        [--codec=lz4] [--folder=/dev/shm] [--memory=5]
        [--library=<python_library_reads>]

Each round runs all parties by turns. A line has the medians of the times per
row, and the median of the ratios of the rounds with the 10th and the 90th
percentile. Keys have 16 bytes and values 100, which compress to about half.
"""

import argparse
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import pyarrow as pa
import rocksdict

import ashlar

SEED = 1


def make_table(rows):
    draw = random.Random(SEED)
    halves = [draw.randbytes(50) for _ in range(4096)]
    keys = pa.array([b'%016d' % (7 * i) for i in range(rows)])
    values = pa.array([halves[draw.randrange(4096)] + b'x' * 50
                       for _ in range(rows)])
    return pa.table({'key': keys, 'value': values})


def seconds_of(call):
    start = time.perf_counter()
    result = call()
    # A call that knows better how long it took returns that.
    if isinstance(result, float):
        return result
    return time.perf_counter() - start


def compare(title, rows, rounds, parties):
    """`parties` has calls by name; the first one is compared with the rest."""
    names = list(parties)
    times = {name: [] for name in names}
    for name in names:
        parties[name]()  # warm
    for i in range(rounds):
        for name in names[i % 2:] + names[:i % 2]:
            times[name].append(seconds_of(parties[name]))
    own = names[0]
    print(f'{title}: {own} {1e9 * statistics.median(times[own]) / rows:,.0f} '
          f'ns per row')
    for name in names[1:]:
        ratios = sorted(b / a for a, b in zip(times[own], times[name]))
        low, high = ratios[len(ratios) // 10], ratios[-1 - len(ratios) // 10]
        print(f'  {name} {1e9 * statistics.median(times[name]) / rows:,.0f} ns '
              f'per row; {own} is {statistics.median(ratios):.2f} times as '
              f'fast ({low:.2f} - {high:.2f})')
    sys.stdout.flush()


def rocks_options(codec):
    options = rocksdict.Options(raw_mode=True)
    options.set_compression_type(getattr(rocksdict.DBCompressionType, codec)())
    return options


def rocks_write(path, codec, keys, values):
    writer = rocksdict.SstFileWriter(rocks_options(codec))
    writer.open(path)
    for key, value in zip(keys, values):
        writer[key] = value
    writer.finish()


def bench_write(args):
    table = make_table(args.rows)
    folder = args.folder
    ours, theirs = folder + '/ours.sst', folder + '/theirs.sst'
    options = {'compression': args.codec, 'filter': 'none'}
    keys = table['key'].to_pylist()
    values = table['value'].to_pylist()
    compare(f'write, {args.codec}', args.rows, args.rounds, {
        'ashlar': lambda: ashlar.write_table(table, ours, options=options,
                                             sync=False) and None,
        'rocksdict': lambda: rocks_write(
            theirs, args.codec, table['key'].to_pylist(),
            table['value'].to_pylist()),
        'rocksdict of bytes': lambda: rocks_write(theirs, args.codec, keys,
                                                  values),
    })
    print(f'  bytes: {os.path.getsize(ours):,} and '
          f'{os.path.getsize(theirs):,}')


def bench_sets(args):
    table = make_table(args.rows)
    draw = random.Random(SEED)
    order = list(range(args.rows))
    draw.shuffle(order)
    table = table.take(pa.array(order)).combine_chunks()
    budget = args.memory << 20 or max(table.nbytes // 4, 1 << 20)
    folder, text = args.folder, args.folder + '/rows.tsv'
    with open(text, 'wb') as file:
        for key, value in zip(table['key'].to_pylist(),
                              table['value'].to_pylist()):
            file.write(key + b'\t' + value.replace(b'\\', b'/').replace(
                b'\t', b' ').replace(b'\n', b' ').replace(b'\r', b' ') + b'\n')
    # First: what this process has freed is not always given back, and would be
    # used again unseen.
    memory_of_a_set(table, budget, folder, args.codec)
    program = os.path.join(os.path.dirname(ashlar.__file__), 'bin', 'ashlar')

    def build():
        subprocess.run([program, 'build', '--nosorted', '--overwrite',
                        f'--memory={budget}', f'--tmpdir={folder}',
                        f'--compression_type={args.codec}',
                        '--target_file_size=64M', f'--out={folder}/p.sst',
                        text], check=True, stdout=subprocess.DEVNULL)

    compare(f'sets, {args.codec}, a budget of {budget >> 20} MiB', args.rows,
            args.rounds, {
                'ashlar': lambda: ashlar.write_tables(
                    table, folder + '/w.sst', memory=budget, overwrite=True,
                    target_file_size=64 << 20, temp_folder=folder,
                    options={'compression': args.codec}) and None,
                'the program': build,
            })


def memory_of_a_set(table, budget, folder, codec):
    """Prints the memory that write_tables takes more than the data do.

    A small set is written first: code and codecs are in memory once, whatever
    the budget, and take 3 MiB.
    """
    child = os.fork()
    if child == 0:
        ashlar.write_tables(table.slice(0, 2000), folder + '/w.sst',
                            memory=budget, overwrite=True, temp_folder=folder,
                            options={'compression': codec})
        _, more = memory_of(lambda: ashlar.write_tables(
            table, folder + '/w.sst', memory=budget, overwrite=True,
            target_file_size=64 << 20, temp_folder=folder,
            options={'compression': codec}))
        print(f'  memory: {more >> 20} MiB, {more / budget:.2f} of the budget',
              flush=True)
        os._exit(0)
    os.waitpid(child, 0)


def memory_of(call):
    """Returns what the call returns, and by how many bytes the memory of this
    process grew at most meanwhile."""
    with open('/proc/self/clear_refs', 'w') as file:
        file.write('5')
    before = resident('VmRSS')
    result = call()
    return result, resident('VmHWM') - before


def resident(name):
    with open('/proc/self/status') as file:
        for line in file:
            if line.startswith(name + ':'):
                return int(line.split()[1]) << 10
    return 0


class Library:
    """The program python_library_reads, which reads a table as C++ does."""

    def __init__(self, program, table, keys):
        self._child = subprocess.Popen([program, table, keys], text=True,
                                       stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE)

    def run(self, what):
        self._child.stdin.write(what + '\n')
        self._child.stdin.flush()
        return float(self._child.stdout.readline())


def bench_reads(args, what):
    table = make_table(args.rows)
    path = args.folder + '/r.sst'
    ashlar.write_table(table, path, options={'compression': args.codec})
    database = rocksdict.Rdict(args.folder + '/db', rocks_options(args.codec))
    database.ingest_external_file([path], _copying())
    draw = random.Random(SEED)
    picked = [draw.randrange(args.rows) for _ in range(100000)]
    keys = [table['key'][i].as_py() for i in picked]
    with open(args.folder + '/keys', 'wb') as file:
        file.write(b''.join(keys))
    library = args.library and Library(args.library, path,
                                       args.folder + '/keys')
    reader = ashlar.TableReader(path, cache_bytes=1 << 30)
    arrow_keys = pa.array(keys)
    if what == 'get':
        parties = {'ashlar': lambda: pa.array(
            reader.multi_get(arrow_keys)) and None,
                   'rocksdict': lambda: database[keys] and None}
        count = len(keys)
    else:
        parties = {'ashlar': lambda: sum(
            len(batch) for batch in pa.RecordBatchReader.from_stream(
                reader.scan())) and None,
                   'rocksdict': lambda: sum(1 for _ in database.items()) and
                   None}
        count = args.rows
    if library:
        parties['the library'] = lambda: library.run(what)
    compare(f'{what}, {args.codec}', count, args.rounds, parties)
    database.close()


def _copying():
    options = rocksdict.IngestExternalFileOptions()
    options.set_move_files(False)
    return options


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('what', choices=['write', 'sets', 'get', 'scan',
                                         'all'])
    parser.add_argument('--rows', type=int, default=1000000)
    parser.add_argument('--rounds', type=int, default=15)
    parser.add_argument('--codec', default='lz4')
    parser.add_argument('--memory', type=int, default=0,
                        help='MiB of a budget; default: a quarter of the rows')
    parser.add_argument('--folder')
    parser.add_argument('--library')
    args = parser.parse_args()
    print(f'seed {SEED}, {args.rows:,} rows, {args.rounds} rounds, load '
          f'{os.getloadavg()[0]:.1f}')
    folder = tempfile.mkdtemp(prefix='ashlar-bench-', dir=args.folder)
    args.folder = folder
    try:
        if args.what in ('write', 'all'):
            bench_write(args)
        if args.what in ('sets', 'all'):
            bench_sets(args)
        for what in ('get', 'scan'):
            if args.what in (what, 'all'):
                bench_reads(args, what)
                shutil.rmtree(folder + '/db')
    finally:
        shutil.rmtree(folder)


if __name__ == '__main__':
    main()
