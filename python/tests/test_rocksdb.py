"""RocksDB, as in the package rocksdict, ingests the files and has the rows."""

import pathlib
import random

import pyarrow as pa
import pytest
import rocksdict
from hypothesis import given, settings
from hypothesis import strategies as st

import ashlar


def ingested(tmp_path, *tables):
    """Returns what a database has that ingests the tables, in this order."""
    path = str(tmp_path / 'db')
    options = rocksdict.Options(raw_mode=True)
    database = rocksdict.Rdict(path, options)
    try:
        for table in tables:
            database.ingest_external_file([str(one) for one in table])
        return list(database.items())
    finally:
        database.close()
        rocksdict.Rdict.destroy(path)


# rocksdict has no zlib.
@pytest.mark.parametrize('codec', ['none', 'lz4', 'zstd', 'snappy'])
def test_rows_are_ingested(tmp_path, codec):
    draw = random.Random(1)
    rows = {draw.randbytes(draw.randrange(1, 30)):
            draw.randbytes(draw.randrange(300)) for _ in range(20000)}
    table = pa.table({'key': list(rows), 'value': list(rows.values())})
    made = ashlar.write_tables(table, tmp_path / 'set', memory=1 << 20,
                               target_file_size=1 << 20,
                               options={'compression': codec})
    assert len(made.tables) > 1
    assert ingested(tmp_path, [one.path for one in made.tables]) == sorted(
        rows.items())


@given(st.lists(st.dictionaries(st.binary(min_size=1, max_size=3),
                                st.binary(max_size=5) | st.none(),
                                min_size=1), min_size=1, max_size=4))
@settings(max_examples=25, deadline=None)
def test_a_view_is_what_a_database_has(tmp_path_factory, tables):
    folder = tmp_path_factory.mktemp('tables')
    paths = []
    for i, rows in enumerate(tables):
        with ashlar.TableWriter(folder / f'{i}.sst') as writer:
            for key, value in sorted(rows.items()):
                if value is None:
                    writer.delete(key)
                else:
                    writer.put(key, value)
        paths.append(folder / f'{i}.sst')
    expected = ingested(folder, *([path] for path in paths))
    view = ashlar.open_tables(paths)
    assert [row for batch in view.scan()
            for row in batch.to_pylist()] == expected
    keys = sorted({key for rows in tables for key in rows} | {b'\xff' * 4})
    found = dict(expected)
    assert view.multi_get(keys).to_pylist() == [found.get(key) for key in keys]


def test_range_deletions_of_a_newer_table(tmp_path):
    ashlar.write_table([(b'%02d' % i, b'v') for i in range(50)],
                       tmp_path / 'old.sst')
    with ashlar.TableWriter(tmp_path / 'new.sst') as writer:
        writer.delete_range(b'10', b'40')
        writer.put(b'20', b'new')
    paths = [tmp_path / 'old.sst', tmp_path / 'new.sst']
    view = ashlar.open_tables(paths)
    rows = [row for batch in view.scan() for row in batch.to_pylist()]
    assert rows == ingested(tmp_path, *([path] for path in paths))
    assert view.multi_get([b'09', b'10', b'20', b'39', b'40']).to_pylist() == [
        b'v', None, b'new', None, b'v']


def table_of_a_database(folder, rows, rounds):
    """Returns a table of a database that has put the rows so often: the last
    round has the largest sequence numbers."""
    database = rocksdict.Rdict(str(folder), rocksdict.Options(raw_mode=True))
    try:
        for _ in range(rounds):
            for key, value in rows:
                database[key] = value
        database.flush()
    finally:
        database.close()
    [table] = folder.glob('*.sst')
    return table


def test_a_table_of_a_database_is_older_than_the_next_one(tmp_path):
    keys = [b'%03d' % i for i in range(100)]
    base = table_of_a_database(tmp_path / 'base',
                               [(key, b'old') for key in keys], 5)
    properties = ashlar.TableReader(base).properties()
    assert int.from_bytes(properties['rocksdb.key.largest.seqno'],
                          'little') > 100
    with ashlar.TableWriter(tmp_path / 'new.sst') as writer:
        writer.put(keys[0], b'new')
        writer.delete(keys[1])
        writer.delete_range(keys[50], keys[60])
    ashlar.write_table([(keys[0], b'newest')], tmp_path / 'newest.sst')
    view = ashlar.open_tables([base, tmp_path / 'new.sst',
                               tmp_path / 'newest.sst'])
    expected = dict.fromkeys(keys, b'old') | {keys[0]: b'newest'}
    for key in [keys[1], *keys[50:60]]:
        del expected[key]
    assert [row for batch in view.scan()
            for row in batch.to_pylist()] == list(expected.items())
    assert view.multi_get(keys).to_pylist() == [expected.get(key)
                                                for key in keys]


def test_a_table_with_smaller_numbers_is_not_newer(tmp_path):
    rows = [(b'a', b'1'), (b'b', b'2')]
    large = table_of_a_database(tmp_path / 'large', rows, 5)
    small = table_of_a_database(tmp_path / 'small', rows, 1)
    view = ashlar.open_tables([small, large])
    assert view.multi_get([b'a', b'b']).to_pylist() == [b'1', b'2']
    with pytest.raises(ashlar.InvalidArgumentError,
                       match='sequence number') as caught:
        ashlar.open_tables([large, small])
    assert caught.value.file == str(small)


def test_a_table_without_properties_is_older_than_the_next_one(tmp_path):
    old = (pathlib.Path(__file__).parents[2]
           / 'test' / 'golden' / 'ldb-plain.ldb')
    expected = dict(row for batch in ashlar.TableReader(old).scan()
                    for row in batch.to_pylist())
    first, second, *_ = expected
    with ashlar.TableWriter(tmp_path / 'new.sst') as writer:
        writer.put(first, b'new')
        writer.delete(second)
    view = ashlar.open_tables([old, tmp_path / 'new.sst'])
    expected[first] = b'new'
    del expected[second]
    assert dict(row for batch in view.scan()
                for row in batch.to_pylist()) == expected
    assert view.multi_get([first, second]).to_pylist() == [b'new', None]


def test_tables_of_rocksdb_are_read(tmp_path):
    options = rocksdict.Options(raw_mode=True)
    writer = rocksdict.SstFileWriter(options)
    writer.open(str(tmp_path / 't.sst'))
    rows = [(b'%06d' % i, b'v%d' % i) for i in range(3000)]
    for key, value in rows:
        writer[key] = value
    writer.finish()
    reader = ashlar.TableReader(tmp_path / 't.sst')
    assert [row for batch in reader.scan()
            for row in batch.to_pylist()] == rows
    assert reader.multi_get([b'000007', b'x']).to_pylist() == [b'v7', None]
