"""Spark writes and reads sets of tables; tasks die on the way."""

import os

import pytest
from pyspark.sql import functions

import ashlar.spark
from ashlar.jobs import BadRowsError
from engine_tests import (assert_refused, EngineTests, expected_rows, MODULUS,
                          MULTIPLIER, ROWS)
from page_blocks import run_blocks
from set_checks import ingested


@pytest.fixture(scope='module')
def spark(spark_session):
    return spark_session


@pytest.fixture
def rows(spark):
    number = (functions.col('id') * MULTIPLIER) % MODULUS
    return spark.range(ROWS).select(
        number.alias('id'),
        functions.concat(functions.lit('v'), number.cast('string')).alias(
            'text'))


def write(rows, folder, **options):
    options = {'key': 'id:u64be', 'value': 'text', 'partitions': 3,
               'target_file_size': 100000, **options}
    return ashlar.spark.write_tables(rows, folder, **options)


def _in_range(spark, folder, **options):
    frame = spark.read.format('ashlar').options(**options).load(
        os.fspath(folder))
    return sorted((bytes(row.key), bytes(row.value))
                  for row in frame.collect())


class TestSpark(EngineTests):
    engine = 'spark'
    write = staticmethod(write)

    @staticmethod
    def read(rows, folder, lower=None, upper=None):
        ashlar.spark.register(rows.sparkSession)
        bounds = {'lower': lower, 'upper': upper}
        return _in_range(rows.sparkSession, folder, **{
            name: key.hex() for name, key in bounds.items() if key})

    @staticmethod
    def with_versions(rows):
        versions = functions.explode(functions.array(
            *[functions.lit(version) for version in (2, 0, 1)]))
        text = functions.concat('text', functions.lit('/'),
                                functions.col('version').cast('string'))
        return rows.withColumn('version', versions).withColumn('text', text)


@pytest.mark.parametrize('spoil, error, message', [
    ("select cast(null as bigint) id, 'x' text", BadRowsError, 'has no key'),
    ('select 200000L id, cast(null as string) text', BadRowsError,
     'has no value'),
    ("select 0L id, 'again' text", BadRowsError, r'00'),
    ("select -1L id, 'x' text", Exception, 'key -1 is out of range of u64be'),
])
def test_bad_rows_end_the_job(spark, rows, tmp_path, spoil, error, message):
    assert_refused(write, rows, rows.union(spark.sql(spoil)),
                   tmp_path / 'set', error, message)


def test_wrong_columns_are_named(rows, tmp_path):
    with pytest.raises(ValueError, match="no column 'other'"):
        write(rows, tmp_path / 'set', key='other:u64be')
    with pytest.raises(ValueError, match="no column 'more'"):
        write(rows, tmp_path / 'set', value=['text', 'more'])
    with pytest.raises(ValueError, match='shards is 0'):
        write(rows, tmp_path / 'set', shards=0)
    assert not (tmp_path / 'set').exists()


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


def test_a_bound_must_be_hexadecimal(spark, rows, tmp_path):
    write(rows, tmp_path / 'set')
    ashlar.spark.register(spark)
    with pytest.raises(Exception, match='must be hexadecimal digits'):
        _in_range(spark, tmp_path / 'set', lower='xyz')


def test_filters_narrow_the_range(spark, rows, tmp_path):
    expected = expected_rows()
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
