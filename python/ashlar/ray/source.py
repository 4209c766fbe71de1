"""Ray reads sets of tables."""

from ray.data import Datasource, ReadTask
from ray.data.block import BlockMetadata

from ashlar.jobs.read_plan import plan_read


class SSTDatasource(Datasource):
    """A set of tables, for `ray.data.read_datasource`.

    The rows have the binary columns `key` and `value`. `lower` and `upper` are
    bounds of the keys, the second one exclusive. Each task reads adjacent
    tables, in key order.
    """

    def __init__(self, uri, *, lower=None, upper=None, prefix='table',
                 storage_options=None):
        super().__init__()
        self._parts = plan_read(uri, lower=lower, upper=upper, prefix=prefix,
                                storage_options=storage_options)

    def estimate_inmemory_data_size(self):
        return sum(part.table.bytes for part in self._parts)

    def get_read_tasks(self, parallelism, per_task_row_limit=None,
                       data_context=None):
        groups = min(max(parallelism, 1), len(self._parts))
        tasks = []
        for group in range(groups):
            begin = group * len(self._parts) // groups
            end = (group + 1) * len(self._parts) // groups
            parts = self._parts[begin:end]
            metadata = BlockMetadata(
                num_rows=None, exec_stats=None,
                size_bytes=sum(part.table.bytes for part in parts),
                input_files=tuple(part.folder.path(part.table.path)
                                  for part in parts))
            tasks.append(ReadTask(_read_of(parts), metadata,
                                  per_task_row_limit=per_task_row_limit))
        return tasks


def _read_of(parts):
    def read():
        import pyarrow
        for part in parts:
            for batch in part.batches():
                yield pyarrow.Table.from_batches([batch])

    return read
