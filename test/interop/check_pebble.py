"""Compares what Ashlar and Pebble read, in both directions; see run_pebble.

check_pebble.py <ashlar> <pebble> <folder>: the two programs, and an empty
folder. Pebble writes tables and their contents. Ashlar must read the same
contents and find no fault. Then Ashlar writes tables of the same rows, if it
can write such rows, and Pebble must read them.
"""

import pathlib
import random
import subprocess
import sys

# --bloom_bits is missing: Pebble takes any filter of format 2 for the legacy
# one, and stops with a division by zero at the current one.
FILTERS = ['--filter=none']
# The types that `ashlar build` writes.
WRITTEN_TYPES = {'0', '1', '2', '7', '15'}


def run(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True,
                          check=False)
    return done.returncode, done.stdout, done.stderr.decode(errors='replace')


def describe(expected, found):
    want, got = expected.split(b'\n'), found.split(b'\n')
    for at, (w, g) in enumerate(zip(want, got)):
        if w != g:
            return f'row {at}: expected {w[:200]}, found {g[:200]}'
    return f'expected {len(want) - 1} rows, found {len(got) - 1}'


def scan(ashlar, table):
    return run(ashlar, 'scan', '--output_format=canonical', table)


def check_theirs(ashlar, table):
    code, found, errors = scan(ashlar, table)
    if code != 0:
        raise AssertionError(errors)
    expected = table.with_suffix('.rows').read_bytes()
    if found != expected:
        raise AssertionError(describe(expected, found))
    code, output, errors = run(ashlar, 'verify', table)
    if code != 0:
        raise AssertionError(f'verify: {output.decode()}{errors}')


def our_flags(rng):
    """Returns flags for Pebble: format 2, two checksums, three codecs."""
    return ['--format_version=2',
            '--checksum_type=' + rng.choice(['kCRC32c', 'kxxHash64']),
            '--compression_type=' + rng.choice(['none', 'snappy', 'zstd']),
            '--block_size=' + rng.choice(['1', '512', '4096']),
            '--block_restart_interval=' + rng.choice(['1', '4', '16']),
            rng.choice(FILTERS)]


def write_ours(ashlar, rows, path, flags):
    """Returns False if Ashlar does not write the type of a row."""
    kinds = {line.split(' ')[2] for line in rows.read_text().splitlines()}
    if not kinds <= WRITTEN_TYPES:
        return False
    code, output, errors = run(ashlar, 'build', '--input_format=hex', '--quiet',
                               *flags, f'--out={path}', rows)
    if code != 0:
        raise AssertionError(f'build: {output.decode()}{errors}')
    return True


def check_ours(pebble, path, rows):
    code, _, errors = run(pebble, 'dump', path)
    if code != 0:
        raise AssertionError(f'Pebble: {errors}')
    found = pathlib.Path(f'{path}.rows').read_bytes()
    if found != rows.read_bytes():
        raise AssertionError('Pebble: ' + describe(rows.read_bytes(), found))


def main():
    ashlar, pebble = sys.argv[1:3]
    folder = pathlib.Path(sys.argv[3])
    code, _, errors = run(pebble, 'write', folder)
    if code != 0:
        sys.exit(errors)
    counts = {'read': 0, 'written': 0, 'failed': 0}
    rng = random.Random(1)
    for table in sorted(folder.glob('*.sst')):
        try:
            check_theirs(ashlar, table)
            counts['read'] += 1
        except AssertionError as error:
            counts['failed'] += 1
            print(f"Pebble's {table.name}: {error}")
        flags = our_flags(rng)
        try:
            rows, ours = table.with_suffix('.rows'), table.with_suffix('.ours')
            if write_ours(ashlar, rows, ours, flags):
                check_ours(pebble, ours, rows)
                counts['written'] += 1
        except AssertionError as error:
            counts['failed'] += 1
            print(f"ours, {table.stem} {' '.join(flags)}: {error}")
    print(f"Pebble: {counts['read']} of its tables read by Ashlar, "
          f"{counts['written']} of Ashlar's read by Pebble; "
          f"{counts['failed']} failed")
    return 1 if counts['failed'] or not counts['read'] else 0


if __name__ == '__main__':
    sys.exit(main())
