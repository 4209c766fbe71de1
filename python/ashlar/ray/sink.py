"""Ray writes a set of tables."""

import zlib

from ray.data import Datasink

from ashlar.jobs import BadRowsError, SetJob, write_partition
from ashlar.jobs.duplicates import check_policy
from ashlar.jobs.encode import columns_of, encode_batch
from ashlar.jobs.errors import raise_reported
from ashlar.jobs.storage import Folder
from ashlar.jobs.task import DEFAULT_TABLE_BYTES


class SSTDatasink(Datasink):
    """Writes a sorted dataset as one set of tables, for `write_datasink`.

    The dataset has the binary columns `key` and `value`, is sorted by `key`
    over all its blocks, and has each key once. With a column `shard` it is
    sorted by shard and key. `write_tables` makes such a dataset of any other.

    Each write task makes tables of its own; the driver writes the manifest when
    all of them are done. Tables of failed and repeated tasks are not in it, and
    are removed. If the work fails, no manifest is written, and all files of the
    job are removed.

    For one write. The parameters are those of `write_tables`; where that has
    `order_by`, the dataset has a column `order`.
    """

    def __init__(self, uri, *, splits=(),
                 target_file_size=DEFAULT_TABLE_BYTES, on_duplicate='error',
                 overwrite=False, options=None, prefix='table',
                 storage_options=None, shards=None):
        self._job = SetJob.plan(uri, prefix=prefix, overwrite=overwrite,
                                storage_options=storage_options, shards=shards)
        self._on_duplicate = on_duplicate
        self._settings = {'splits': list(splits), 'options': options,
                          'target_file_size': target_file_size,
                          'on_duplicate': on_duplicate}
        self.tables = None  # after the write: those of the manifest, in order

    def on_write_start(self, schema=None):
        self._job.start()

    def write(self, blocks, ctx):
        return write_partition(
            self._job, ctx.task_idx, self._batches(blocks), **self._settings)

    def _batches(self, blocks):
        from ray.data.block import BlockAccessor
        for block in blocks:
            rows = BlockAccessor.for_block(block).to_arrow()
            for batch in self._by_order(rows).to_batches():
                names = batch.schema.names
                if not {'key', 'value'} <= set(names):
                    raise BadRowsError(
                        self._job.folder.uri, 'the dataset needs the columns '
                        f'key and value; it has {", ".join(names)}')
                yield batch

    def _by_order(self, rows):
        """Sorts the rows of each key by `order`.

        Ray sorts by the key alone, so that all rows of a key are in one block.
        """
        names = rows.schema.names
        if self._on_duplicate == 'error' or 'order' not in names:
            return rows
        by = [name for name in ('shard', 'key', 'order') if name in names]
        return rows.sort_by([(name, 'ascending') for name in by])

    def on_write_complete(self, write_result):
        self.tables = self._job.commit(
            [table for tables in write_result.write_returns
             for table in tables or ()])

    def on_write_failed(self, error):
        self._job.abort_after_error()


def write_tables(dataset, uri, *, key, value=None, shards=None, splits=(),
                 target_file_size=DEFAULT_TABLE_BYTES, on_duplicate='error',
                 order_by=None, overwrite=False, options=None, prefix='table',
                 storage_options=None):
    """Writes the rows of a Ray dataset, in any order, as one set of tables.

    Ray sorts the rows by their encoded keys over all its machines. The
    parameters, the result and the errors are those of
    `ashlar.spark.write_tables`; there are as many tasks as the sorted dataset
    has blocks.
    """
    check_policy(on_duplicate, order_by, dataset.columns() if order_by else [])
    sink = SSTDatasink(uri, splits=splits, target_file_size=target_file_size,
                       on_duplicate=on_duplicate, overwrite=overwrite,
                       options=options, prefix=prefix,
                       storage_options=storage_options, shards=shards)
    order = ['key'] if shards is None else ['shard', 'key']
    try:
        wanted = columns_of(key, value)
        if wanted is not None and order_by is not None:
            wanted = list(dict.fromkeys([*wanted, order_by]))
        rows = dataset if wanted is None else dataset.select_columns(wanted)
        rows.map_batches(
            _encode, batch_format='pyarrow', zero_copy_batch=True,
            fn_kwargs={'key': key, 'value': value, 'shards': shards,
                       'order_by': order_by, 'place': Folder.of(uri).uri},
        ).sort(order).write_datasink(sink)
    except BaseException as error:
        # Ray reports exceptions to the sink, but not an interrupt.
        sink.on_write_failed(error)
        raise_reported(error)
        raise
    return sink.tables


def _encode(table, *, key, value, shards, order_by, place):
    """Makes rows with the columns key and value, and shard and order."""
    import pyarrow
    rows = pyarrow.Table.from_batches(
        [encode_batch(table, key, value, place, order_by)])
    if shards is None:
        return rows
    shard = [zlib.crc32(one) % shards for one in rows['key'].to_pylist()]
    return rows.append_column('shard', pyarrow.array(shard, pyarrow.int32()))
