"""Spark writes and reads sets of tables; tasks die on the way."""

import os
import random
import struct

import pytest
from pyspark.sql import functions

import ashlar.spark
from ashlar.jobs import (BadRowsError, JobError, SetExistsError, StorageError,
                         read_set)
from ashlar.jobs.storage import Folder
from interrupted_job import assert_interrupted
from killing_folder import KillingFolder
from losable_store import assert_nothing_is_left, folder_of, LosableStore
from page_blocks import run_blocks
from set_checks import (assert_only_the_set, assert_rows, files_of, ingested)

ROWS = 20000
MULTIPLIER = 7919  # a prime: the numbers come in no order, each once


@pytest.fixture(scope='module')
def spark(spark_session):
    return spark_session


@pytest.fixture
def rows(spark):
    number = (functions.col('id') * MULTIPLIER) % 100003
    return spark.range(ROWS).select(
        number.alias('id'),
        functions.concat(functions.lit('v'), number.cast('string')).alias(
            'text'))


@pytest.fixture
def expected():
    numbers = sorted(row * MULTIPLIER % 100003 for row in range(ROWS))
    return [(struct.pack('>Q', number), f'v{number}'.encode())
            for number in numbers]


def write(rows, folder, **options):
    options = {'key': 'id:u64be', 'value': 'text', 'partitions': 3,
               'target_file_size': 100000, **options}
    return ashlar.spark.write_tables(rows, folder, **options)


@pytest.mark.sample
def test_writes_what_rocksdb_reads(rows, expected, tmp_path):
    tables = write(rows, tmp_path / 'set')
    assert tables == read_set(tmp_path / 'set')
    assert_only_the_set(tmp_path / 'set')
    assert_rows(tmp_path / 'set', tmp_path / 'db', expected)


@pytest.mark.parametrize('attempt', [
    pytest.param(0, marks=pytest.mark.sample), *range(1, 4)])
def test_a_killed_task_leaves_nothing(rows, expected, tmp_path, attempt):
    dry = KillingFolder(tmp_path / 'dry', tmp_path / 'dry_calls')
    write(rows, dry)
    place = random.Random(attempt).randint(1, dry.calls)
    folder = KillingFolder(tmp_path / 'set', tmp_path / 'calls', place)
    write(rows, folder)
    assert folder.calls > dry.calls  # the task ran again
    assert_only_the_set(tmp_path / 'set')
    assert_rows(tmp_path / 'set', tmp_path / 'db', expected)


class _LostFolder(Folder):
    """A store that is lost while tables are written."""

    def local_path(self, name):
        return None  # so that tables go through create()

    def create(self, name):
        return _LostFile(super().create(name))


class _LostFile:
    def __init__(self, file):
        self._file = file

    def write(self, data):
        self._file.write(data[:10])
        raise OSError('the connection was closed')

    def discard(self):
        self._file.discard()


def test_a_lost_store_ends_the_job(rows, tmp_path):
    with pytest.raises(StorageError, match='the connection was closed'):
        write(rows, _LostFolder(tmp_path / 'set'))
    assert files_of(tmp_path / 'set') == set()


def test_an_interrupt_ends_the_job(tmp_path):
    assert_interrupted('spark', tmp_path)


def test_a_lost_object_store_ends_the_job(rows, tmp_path):
    store = LosableStore()
    try:
        uri, system = folder_of(store, 'spark')
        store.lose_after(2)
        with pytest.warns(UserWarning, match='remove_leftovers'):
            with pytest.raises(StorageError, match=uri):
                write(rows, uri, storage_options=store.options)
        assert_nothing_is_left(store, uri, system)
        write(rows, uri, storage_options=store.options)
        assert read_set(uri, storage_options=store.options)
    finally:
        store.stop()


@pytest.mark.parametrize('spoil, error, message', [
    ("select cast(null as bigint) id, 'x' text", BadRowsError, 'has no key'),
    ('select 200000L id, cast(null as string) text', BadRowsError,
     'has no value'),
    ("select 0L id, 'again' text", BadRowsError, r'00'),
    ("select -1L id, 'x' text", Exception, 'key -1 is out of range of u64be'),
])
def test_bad_rows_end_the_job(spark, rows, tmp_path, spoil, error, message):
    write(rows, tmp_path / 'set')
    before = files_of(tmp_path / 'set')
    with pytest.raises(error, match=message):
        write(rows.union(spark.sql(spoil)), tmp_path / 'set', overwrite=True)
    assert files_of(tmp_path / 'set') == before


def test_wrong_columns_are_named(rows, tmp_path):
    with pytest.raises(ValueError, match="no column 'other'"):
        write(rows, tmp_path / 'set', key='other:u64be')
    with pytest.raises(ValueError, match="no column 'more'"):
        write(rows, tmp_path / 'set', value=['text', 'more'])
    with pytest.raises(ValueError, match='shards is 0'):
        write(rows, tmp_path / 'set', shards=0)
    assert not (tmp_path / 'set').exists()


@pytest.mark.parametrize('policy, shards, value', [
    pytest.param('first', None, 'text', marks=pytest.mark.sample),
    ('last', None, 'text'), ('last', 3, ['text'])])
def test_one_of_several_rows_of_a_key_is_kept(rows, tmp_path, policy, shards,
                                              value):
    versions = functions.explode(functions.array(
        *[functions.lit(version) for version in (2, 0, 1)]))
    text = functions.concat('text', functions.lit('/'),
                            functions.col('version').cast('string'))
    rows = rows.withColumn('version', versions).withColumn('text', text)
    write(rows, tmp_path / 'set', on_duplicate=policy, order_by='version',
          shards=shards, value=value)
    assert_only_the_set(tmp_path / 'set')
    kept = b'/0' if policy == 'first' else b'/2'
    assert sum(table.entries for table in read_set(tmp_path / 'set')) == ROWS
    for shard in range(shards) if shards else [None]:
        for key, text in ingested(tmp_path / 'set', tmp_path / f'db{shard}',
                                  shard):
            assert text.endswith(kept), (key, text)
    with pytest.raises(ValueError, match='need order_by'):
        write(rows, tmp_path / 'set', on_duplicate=policy)


def test_a_set_is_not_replaced_by_mistake(rows, tmp_path):
    write(rows, tmp_path / 'set')
    before = files_of(tmp_path / 'set')
    with pytest.raises(SetExistsError):
        write(rows, tmp_path / 'set')
    assert files_of(tmp_path / 'set') == before


def test_no_rows_are_an_error(rows, tmp_path):
    with pytest.raises(JobError, match='no rows'):
        write(rows.limit(0), tmp_path / 'set')
    assert files_of(tmp_path / 'set') == set()


def test_shards_are_by_the_hash_of_the_key(rows, expected, tmp_path):
    import zlib
    write(rows, tmp_path / 'set', shards=3)
    assert_only_the_set(tmp_path / 'set')
    for shard in range(3):
        assert ingested(tmp_path / 'set', tmp_path / f'db{shard}', shard) == [
            row for row in expected if zlib.crc32(row[0]) % 3 == shard]


@pytest.mark.parametrize('key', [
    'id:u64be', 'id:i64be', 'id:i32be', 'id:u32be', 'id', 'text', 'small',
    ['text', 'id:i64be'], 'id:i64be:desc', 'text:terminated', 'real:f64be'])
def test_spark_and_the_library_encode_alike(spark, tmp_path, key):
    frame = spark.sql(
        "select id, cast(id as int) small, concat('k', id) text, "
        'cast(id as double) real from range(0, 50)')
    write(frame, tmp_path / 'set', key=key)
    encoded = ashlar.encode_rows(frame.toArrow(), key, 'text')
    assert ingested(tmp_path / 'set', tmp_path / 'db') == sorted(
        encoded.to_pylist())


@pytest.mark.parametrize('value', [
    None, ['text', 'real'], ashlar.Json(), ashlar.MessagePack('real', 'id')])
def test_values_of_several_columns(spark, tmp_path, value):
    frame = spark.sql("select id, concat('k', id) text, "
                      'cast(id as double) real from range(0, 50)')
    write(frame, tmp_path / 'set', key='id', value=value)
    encoded = ashlar.encode_rows(frame.toArrow(), 'id', value)
    assert ingested(tmp_path / 'set', tmp_path / 'db') == sorted(
        encoded.to_pylist())


def test_reads_ranges(spark, rows, expected, tmp_path):
    write(rows, tmp_path / 'set')
    ashlar.spark.register(spark)
    path = os.fspath(tmp_path / 'set')

    def read(**options):
        frame = spark.read.format('ashlar').options(**options).load(path)
        return sorted((bytes(row.key), bytes(row.value))
                      for row in frame.collect())

    assert read() == expected
    lower, upper = expected[5000][0], expected[7000][0]
    assert read(lower=lower.hex(), upper=upper.hex()) == expected[5000:7000]
    assert read(lower='ff') == []
    with pytest.raises(Exception, match='must be hexadecimal digits'):
        read(lower='xyz')


def test_filters_narrow_the_range(spark, rows, expected, tmp_path):
    write(rows, tmp_path / 'set')
    ashlar.spark.register(spark)
    spark.conf.set('spark.sql.python.filterPushdown.enabled', True)
    try:
        frame = spark.read.format('ashlar').option('pushdown', True).load(
            os.fspath(tmp_path / 'set'))
        key = expected[777][0]
        for condition, wanted in [
                (f"key >= X'{key.hex()}'", expected[777:]),
                (f"key > X'{key.hex()}'", expected[778:]),
                (f"key < X'{key.hex()}'", expected[:777]),
                (f"key <= X'{key.hex()}'", expected[:778]),
                (f"key = X'{key.hex()}'", expected[777:778]),
                ("value = 'v5'", [row for row in expected
                                  if row[1] == b'v5'])]:
            assert sorted((bytes(row.key), bytes(row.value)) for row in
                          frame.where(condition).collect()) == wanted
    finally:
        spark.conf.unset('spark.sql.python.filterPushdown.enabled')


def test_what_the_page_says(spark, tmp_path):
    names = {'ashlar': ashlar, 'spark': spark, 'rows': spark.sql(
        "select id, concat('k', id) payload from range(0, 50)")}
    assert run_blocks('Spark', tmp_path / 'set', names) == 2
    assert sorted(bytes(row.value) for row in names['rows'].collect()
                  ) == sorted(f'k{number}'.encode() for number in range(50))
