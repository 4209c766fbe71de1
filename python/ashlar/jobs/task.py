"""What a task does: it makes tables of one sorted partition of the rows."""

import bisect

from . import names
from .duplicates import keep_one
from .errors import BadRowsError
from .open_table import OpenTable


# Rows are passed to the builder in pieces of about this size, so that tables
# end near target_file_size and a killed task is noticed soon.
PIECE_BYTES = 1 << 20
DEFAULT_TABLE_BYTES = 64 << 20


def write_partition(job, partition, batches, *,
                    target_file_size=DEFAULT_TABLE_BYTES, splits=(),
                    on_duplicate='error', options=None):
    """Writes the tables of one partition. Returns them as `Table` values.

    `batches` are Arrow record batches with the columns `key` and `value`, of
    binary type, in the order of their keys, and optionally `shard`, by which
    they are then sorted first. A new table begins when one has
    `target_file_size` bytes, at the keys of `splits`, and with each shard.

    With `on_duplicate`, `first` or `last`, the batches have a column `order`
    too, and of the rows of one key the one with the smallest or the largest
    value there is written. The rows of a key must then be in one partition, and
    those in one batch sorted by `order`.

    Raises BadRowsError for a null, a key that comes twice, or rows that are out
    of order. However it ends, no table stays without being returned; only a
    process that is killed leaves one, which the driver removes.
    """
    attempt = _Attempt(job, partition, target_file_size, options)
    splits = sorted(splits)
    try:
        for batch in keep_one(batches, on_duplicate, job.folder.uri):
            for piece, shard in _pieces(batch, job, partition):
                for part, place in _parts(piece, splits):
                    attempt.add(part, shard, place)
        attempt.end_table()
        job.check_running()
    except BaseException:
        attempt.discard()
        raise
    return attempt.tables


def _pieces(batch, job, partition):
    """Yields parts of a batch that are of one shard, and not large."""
    columns = batch.schema.names
    for name in columns:
        if batch.column(name).null_count:
            raise BadRowsError(job.folder.uri, _null_message(batch, name,
                                                             partition))
    rows = batch.num_rows
    ends = [rows]
    shards = None
    if 'shard' in columns:
        shards = batch.column('shard').to_pylist()
        ends = [row for row in range(1, rows) if shards[row] != shards[row - 1]]
        ends.append(rows)
    step = max(1, PIECE_BYTES * rows // max(1, batch.nbytes))
    begin = 0
    for end in ends:
        while begin < end:
            length = min(step, end - begin)
            yield batch.slice(begin, length), shards and shards[begin]
            begin += length


def _null_message(batch, name, partition):
    row = next(row for row in range(batch.num_rows)
               if not batch.column(name)[row].is_valid)
    what = {'key': 'has no key', 'value': 'has no value'}.get(
        name, f'has no {name}')
    if name != 'key':
        what += f'; its key is {batch.column("key")[row].as_py()!r}'
    return f'a row of partition {partition} {what} (it is null)'


def _parts(piece, splits):
    """Yields parts of a piece that are between two splits, and which ones."""
    keys = piece.column('key')
    begin, rows = 0, piece.num_rows
    while begin < rows:
        place = bisect.bisect_right(splits, keys[begin].as_py())
        end = rows
        if place < len(splits):
            end = bisect.bisect_left(range(rows), splits[place], begin, rows,
                                     key=lambda row: keys[row].as_py())
        yield piece.slice(begin, end - begin), place
        begin = end


class _Attempt:
    """The tables that one attempt of a partition has made."""

    def __init__(self, job, partition, table_bytes, options):
        self.tables = []
        self._job = job
        self._partition = partition
        self._table_bytes = table_bytes
        self._options = options
        self._attempt = names.new_attempt()
        self._names = []  # of all tables, also of those that do not exist yet
        self._place = None
        self._table = None
        self._largest = None  # key, of the tables before this one

    def add(self, batch, shard, split):
        if self._place != (shard, split):
            self.end_table()
            if self._place is not None and self._place[0] != shard:
                self._largest = None
            self._place = (shard, split)
        if self._table is None:
            self._begin_table(batch, shard)
        self._table.add(batch)
        if self._table.file_bytes >= self._table_bytes:
            self.end_table()

    def _begin_table(self, batch, shard):
        job = self._job
        smallest = batch.column('key')[0].as_py()
        if self._largest is not None and smallest <= self._largest:
            what = ('comes twice' if smallest == self._largest else
                    f'comes after {self._largest!r}, so rows are not sorted')
            raise BadRowsError(job.folder.uri, f'the key {smallest!r} of '
                               f'partition {self._partition} {what}')
        name = names.table_name(job.prefix, job.job, self._partition,
                                self._attempt, len(self._names))
        self._names.append(name)
        self._table = OpenTable(job.folder, name, shard, self._options)

    def end_table(self):
        if self._table is not None:
            table, self._table = self._table, None
            try:
                self.tables.append(table.finish())
            except BaseException:
                table.discard()
                raise
            self._largest = self.tables[-1].largest

    def discard(self):
        try:
            if self._table is not None:
                self._table.discard()
        finally:
            self._job.folder.remove_after_error(self._names)
