"""SST tables from Ray Data, and back.

    ashlar.ray.write_tables(dataset, 's3://bucket/set', key='id:u64be',
                            value='payload')

    ray.data.read_datasource(ashlar.ray.SSTDatasource('s3://bucket/set'))

Needs Ray with its data part, and pyarrow. The page `spark-and-ray.md` in
`docs/` of the project describes both.
"""

from .sink import SSTDatasink, write_tables
from .source import SSTDatasource

__all__ = ['SSTDatasink', 'SSTDatasource', 'write_tables']
