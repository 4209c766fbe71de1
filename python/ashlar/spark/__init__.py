"""SST tables from Spark, and back.

    ashlar.spark.write_tables(df, 's3://bucket/set', key='id:u64be',
                              value='payload')

    ashlar.spark.register(spark)
    spark.read.format('ashlar').load('s3://bucket/set')

Needs PySpark 4 and pyarrow, on the driver and on all workers. `docs/` of the
project has a page about both (`spark-and-ray.md`).
"""

from .source import AshlarDataSource, register
from .write import write_tables

__all__ = ['AshlarDataSource', 'register', 'write_tables']
