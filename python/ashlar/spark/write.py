"""Spark writes a set of tables."""

import contextlib

from pyspark import TaskContext
from pyspark.sql import functions

from ashlar.jobs import SetJob, Table, write_partition
from ashlar.jobs.duplicates import check_policy
from ashlar.jobs.errors import raise_reported
from ashlar.jobs.storage import Folder
from ashlar.jobs.task import DEFAULT_TABLE_BYTES

from .keys import keys_and_values


def write_tables(df, uri, *, key, value=None, shards=None, splits=(),
                 partitions=None, target_file_size=DEFAULT_TABLE_BYTES,
                 on_duplicate='error', order_by=None, overwrite=False,
                 options=None, prefix='table', storage_options=None):
    """Writes the rows of a DataFrame as one set of tables.

    Spark sorts the rows by their encoded keys over all its machines. Each task
    writes the tables of its range to `uri`, and the driver then writes one
    manifest, as that of `ashlar.write_tables`. Tables of failed, repeated and
    speculative tasks are not in it, and are removed.

    `key`, `value`: columns and their encodings, as in `ashlar.write_tables`.
    `shards`: the number of shards of the store. A row goes to shard
        crc32(key) % shards, and no table has rows of two shards.
    `splits`: keys at which a new table begins, for a store whose shards are
        ranges of keys.
    `partitions`: the number of tasks; Spark's default otherwise.
    `target_file_size`: bytes of a table, at which the next one begins.
    `on_duplicate`: `first` or `last` keeps one of several rows of a key: the
        one with the smallest or the largest value in the column `order_by`.
    `overwrite`: whether a set that is there is replaced.

    Returns the tables in the order of the manifest. Raises JobError: a
    BadRowsError for a null, or a key that comes twice. Other failures of tasks
    are Spark's exceptions. Then no manifest was written, and all files of the
    job are removed.

    Spark computes `df` twice, first for a sample of the keys. Its rows must be
    the same both times; `df.cache()` or a file makes sure of that.
    """
    check_policy(on_duplicate, order_by, df.columns)
    folder = Folder.of(uri, storage_options)
    rows, order = _rows(df, key, value, shards, folder.uri, order_by)
    # The ranges are those of keys, so that all rows of a key are in one.
    if partitions is None:
        rows = rows.repartitionByRange(*order)
    else:
        rows = rows.repartitionByRange(partitions, *order)
    if order_by is not None:
        order = [*order, 'order']
    rows = rows.sortWithinPartitions(*order)
    job = SetJob.begin(folder, prefix=prefix, overwrite=overwrite,
                       shards=shards)
    tag = f'ashlar-{job.job}'
    spark = df.sparkSession
    spark.addTag(tag)
    try:
        write = _task(job, {'target_file_size': target_file_size,
                            'splits': list(splits), 'options': options,
                            'on_duplicate': on_duplicate})
        found = rows.mapInArrow(write, TABLE_SCHEMA).collect()
        return job.commit([_table(row) for row in found])
    except BaseException as error:
        with contextlib.suppress(Exception):  # Spark itself may be gone
            spark.interruptTag(tag)
        job.abort_after_error()
        raise_reported(error)
        raise
    finally:
        with contextlib.suppress(Exception):
            spark.removeTag(tag)


TABLE_SCHEMA = ('path string, smallest binary, largest binary, entries bigint, '
                'bytes bigint, checksum bigint, shard int')


def _rows(df, key, value, shards, place, order_by):
    rows = keys_and_values(df, key, value, place, order_by)
    if shards is None:
        return rows, ['key']
    if shards < 1:
        raise ValueError(f'shards is {shards}; it must be at least 1')
    shard = (functions.crc32('key') % shards).cast('int')
    return rows.withColumn('shard', shard), ['shard', 'key']


def _task(job, settings):
    """Returns the function that Spark calls for each partition."""

    def write(batches):
        import pyarrow
        tables = write_partition(
            job, TaskContext.get().partitionId(), batches, **settings)
        names = [column.split()[0] for column in TABLE_SCHEMA.split(', ')]
        types = {'string': pyarrow.string(), 'binary': pyarrow.binary(),
                 'bigint': pyarrow.int64(), 'int': pyarrow.int32()}
        schema = pyarrow.schema([
            (column.split()[0], types[column.split()[1]])
            for column in TABLE_SCHEMA.split(', ')])
        yield pyarrow.RecordBatch.from_pylist(
            [{name: getattr(table, name) for name in names}
             for table in tables], schema)

    return write


def _table(row):
    members = row.asDict()
    members['smallest'] = bytes(members['smallest'])
    members['largest'] = bytes(members['largest'])
    return Table(**members)
