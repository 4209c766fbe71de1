#!/usr/bin/env python3
"""The bulk load of a service with several RocksDB databases, its shards.

    python/examples/bulk_load.py [<folder or URI>]

Spark writes one set of tables in which each table is for one shard. The load
plan says which table goes where, and is checked before any shard is touched.
Then each shard takes all its tables in one step. The service finds the shard of
a key by the same hash. Needs pyspark, pyarrow and rocksdict.
"""

import os
import sys
import tempfile
import zlib

import ashlar
import ashlar.spark
import rocksdict
from ashlar.jobs import plan_load
from pyspark.sql import SparkSession, functions

SHARDS = 4
ROWS = 20000


def write_shards(spark, uri):
    rows = spark.range(ROWS).select(
        functions.concat(functions.lit('user/'), 'id').alias('key'),
        functions.concat(functions.lit('profile of '), 'id').alias('value'))
    return ashlar.spark.write_tables(
        rows, uri, key='key', value='value', shards=SHARDS, overwrite=True)


def shard_of(key):
    return zlib.crc32(key) % SHARDS


def load_shard(plan, shard, folder):
    """What the machine of a shard does. It needs the plan and the tables."""
    options = rocksdict.IngestExternalFileOptions()
    options.set_move_files(True)  # instead of copying them
    database = rocksdict.Rdict(os.path.join(folder, f'shard-{shard}'),
                               rocksdict.Options(raw_mode=True))
    incoming = os.path.join(folder, f'incoming-{shard}')
    database.ingest_external_file(plan.fetch(shard, incoming), options)
    return database


def main():
    spark = (SparkSession.builder.master('local[2]')
             .config('spark.ui.enabled', 'false')
             .config('spark.ui.showConsoleProgress', 'false')
             .config('spark.sql.shuffle.partitions', '4').getOrCreate())
    with tempfile.TemporaryDirectory() as folder:
        uri = sys.argv[1] if len(sys.argv) > 1 else os.path.join(folder, 'set')
        write_shards(spark, uri)
        plan = plan_load(uri, shards=SHARDS)
        shards = {shard: load_shard(plan, shard, folder)
                  for shard in plan.shards}
        for shard, database in shards.items():
            print(f'shard {shard}: {sum(1 for _ in database.keys())} rows, '
                  f'{plan.bytes_of(shard)} bytes')
        key = b'user/4711'
        print(f'{key.decode()}: {shards[shard_of(key)][key].decode()}')
        for database in shards.values():
            database.close()
    spark.stop()


if __name__ == '__main__':
    main()
