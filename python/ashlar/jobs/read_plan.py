"""How the tasks of a job read a set: which task has which keys of which table.
"""

import dataclasses

from .._tables import Tables
from .manifest import Table
from .set_job import read_set
from .storage import Folder

BATCH_ROWS = 1 << 16


@dataclasses.dataclass(frozen=True)
class TableRange:
    """The keys of one table from `lower` on and before `upper`.

    None as a bound: none.
    """

    folder: Folder
    table: Table
    lower: bytes | None
    upper: bytes | None

    def batches(self):
        """Yields Arrow record batches with the columns `key` and `value`."""
        import pyarrow
        # Spark compares schemas, and counts all its columns as nullable.
        schema = pyarrow.schema([('key', pyarrow.binary()),
                                 ('value', pyarrow.binary())])
        source = self.folder.source(self.table.path)
        # A scan needs no cache of blocks: it reads each one once.
        with Tables([[source]], None, 0) as table:
            for batch in table.scan(self.lower, self.upper,
                                    batch_rows=BATCH_ROWS):
                yield pyarrow.RecordBatch.from_arrays(
                    pyarrow.record_batch(batch).columns, schema=schema)


def plan_read(uri, *, lower=None, upper=None, prefix='table',
              storage_options=None):
    """Returns a TableRange for each table with keys of the range, in order.

    Tables without keys of the range are not opened. A set is read as its
    manifest lists it now; a job that replaces the set while tasks read it
    makes them fail, since it removes the old tables.
    """
    folder = Folder.of(uri, storage_options)
    return [TableRange(folder, table, lower, upper)
            for table in read_set(folder, prefix=prefix)
            if (lower is None or not table.ends_before(lower))
            and (upper is None or table.smallest < upper)]
