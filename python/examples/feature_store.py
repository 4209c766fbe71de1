#!/usr/bin/env python3
"""A feature store: Spark makes tables of features, a service looks them up.

    python/examples/feature_store.py [<folder or URI>]

Spark computes the features of each user. Their tables have one row per user,
with a value that Spark makes. The service loads the tables into RocksDB and
answers requests by keys. Needs pyspark, pyarrow and rocksdict.
"""

import json
import os
import sys
import tempfile

import ashlar
import ashlar.spark
import rocksdict
from ashlar.jobs import plan_load
from pyspark.sql import SparkSession, functions

USERS = 5000


def events(spark):
    """What users did: a made-up log."""
    return spark.range(USERS * 20).select(
        (functions.col('id') * 7919 % USERS).alias('user'),
        (functions.col('id') % 97).alias('amount'))


def write_features(spark, uri):
    features = events(spark).groupBy('user').agg(
        functions.count('*').alias('events'),
        functions.max('amount').alias('largest'))
    rows = features.select(
        'user', functions.to_json(
            functions.struct('events', 'largest')).alias('features'))
    return ashlar.spark.write_tables(
        rows, uri, key='user:u64be', value='features', overwrite=True)


def load(uri, folder):
    """Loads the set into a new database, as one atomic step."""
    plan = plan_load(uri, splits=[])
    paths = plan.fetch(0, os.path.join(folder, 'incoming'))
    database = rocksdict.Rdict(os.path.join(folder, 'features'),
                               rocksdict.Options(raw_mode=True))
    database.ingest_external_file(paths)
    return database


def look_up(database, user):
    value = database.get(user.to_bytes(8, 'big'))
    return None if value is None else json.loads(value)


def main():
    spark = (SparkSession.builder.master('local[2]')
             .config('spark.ui.enabled', 'false')
             .config('spark.ui.showConsoleProgress', 'false')
             .config('spark.sql.shuffle.partitions', '4').getOrCreate())
    with tempfile.TemporaryDirectory() as folder:
        uri = sys.argv[1] if len(sys.argv) > 1 else os.path.join(folder, 'set')
        tables = write_features(spark, uri)
        print(f'{len(tables)} tables, '
              f'{sum(table.entries for table in tables)} users')
        database = load(uri, folder)
        for user in (0, USERS - 1, USERS):
            print(f'user {user}: {look_up(database, user)}')
        database.close()
    spark.stop()


if __name__ == '__main__':
    main()
