"""Ingests tables with rocksdict and compares every row; see run_rocksdict.

check_rocksdict.py <folder>: for each x.sst, x.rows has its contents and x.since
has the oldest release that reads it. interop_write_tables writes these files.
Each table goes into a column family of its own, in which the keys that the
table deletes have old values. If RocksDB is too old for a table, it must refuse
the table instead of returning other rows. rocksdb_matrix covers such tables
with a newer RocksDB.
"""

import pathlib
import sys
import tempfile

import rocksdict

DELETIONS = (0, 7)
VALUE = 1


def read_rows(path):
    """Yields (user key, type, value)."""
    for line in path.read_text().splitlines():
        key, sequence, kind, value = line.split(' ')
        assert sequence == '0', line
        yield bytes.fromhex(key), int(kind), bytes.fromhex(value)


def describe(expected, found):
    for at, (want, got) in enumerate(zip(expected, found)):
        if want != got:
            return f'row {at}: expected {want}, found {got}'
    return f'expected {len(expected)} rows, found {len(found)}'


def check(db, table):
    """Raises an error if anything differs. Returns the number of rows."""
    rows = list(read_rows(table.with_suffix('.rows')))
    options = rocksdict.Options(raw_mode=True)
    family = db.create_column_family(table.stem, options)
    for key, kind, _ in rows:
        if kind in DELETIONS:
            family.put(key, b'old')
    family.ingest_external_file([str(table)])

    expected = [(key, value) for key, kind, value in rows if kind == VALUE]
    for state in 'ingested', 'compacted':
        found = list(family.items())
        if found != expected:
            raise AssertionError(f'{state}: {describe(expected, found)}')
        for key, kind, value in rows:
            want = value if kind == VALUE else None
            if family.get(key) != want:
                raise AssertionError(f'{state}: get of {key.hex()} differs')
            if family.get(key + b'x?') is not None:
                raise AssertionError(f'{state}: finds {key.hex()} + "x?"')
        family.compact_range(None, None)
    family.close()
    db.drop_column_family(table.stem)
    return len(rows)


def release(text):
    """Returns the numbers that order releases: (9, 8) for "9.8.4"."""
    return tuple(int(number) for number in text.split('.')[:2])


def rocksdb_version(folder):
    """Reads the version from the options file in RocksDB's data folder."""
    for path in sorted(pathlib.Path(folder).glob('OPTIONS-*')):
        for line in path.read_text().splitlines():
            if line.strip().startswith('rocksdb_version='):
                return line.strip().split('=')[1]
    raise AssertionError('no rocksdb_version among the options')


def main():
    tables = sorted(pathlib.Path(sys.argv[1]).glob('*.sst'))
    ingested, rows, refused = 0, 0, 0
    failures, early = [], []
    with tempfile.TemporaryDirectory() as folder:
        db = rocksdict.Rdict(folder, rocksdict.Options(raw_mode=True))
        version = rocksdb_version(folder)
        for table in tables:
            since = release(table.with_suffix('.since').read_text())
            try:
                found = check(db, table)
            except AssertionError as error:
                failures.append(f'{table.name}: {error}')
            except Exception as error:  # rocksdict raises bare Exceptions
                if since > release(version):
                    refused += 1
                else:
                    failures.append(f'{table.name}: {error}')
            else:
                rows += found
                ingested += 1
                if since > release(version):
                    early.append(table.name)
        db.close()
    print('\n'.join(failures), end='\n' if failures else '')
    print(f'rocksdict (RocksDB {version}): {ingested} tables ingested, {rows} '
          f'rows read back; {refused} refused, as too new for it; '
          f'{len(failures)} failed')
    # The release in .since must not be later than necessary.
    for name in early:
        print(f'{name}: said to be too new for it, yet read')
    return 1 if failures or early or not ingested or not refused else 0



if __name__ == '__main__':
    sys.exit(main())
