"""What must hold of a set of tables after a job, however the job went."""

import os

import rocksdict
from ashlar.jobs import read_set


def files_of(folder):
    return set(os.listdir(folder))


def assert_only_the_set(folder):
    """The folder has the manifest, what it lists, and nothing else."""
    listed = {table.path for table in read_set(folder)}
    assert files_of(folder) == listed | {'table-manifest.json'}


def ingested(folder, database, shard=None):
    """Returns the rows of a set after RocksDB has ingested its tables."""
    paths = [os.path.join(folder, table.path) for table in read_set(folder)
             if shard is None or table.shard == shard]
    options = rocksdict.Options(raw_mode=True)
    store = rocksdict.Rdict(os.fspath(database), options)
    try:
        store.ingest_external_file(paths)
        return list(store.items())
    finally:
        store.close()


def assert_rows(folder, database, expected):
    """RocksDB returns exactly the expected rows, which are sorted."""
    tables = read_set(folder)
    assert sum(table.entries for table in tables) == len(expected)
    rows = ingested(folder, database)
    assert len(rows) == len(expected)
    for row, wanted in zip(rows, expected):
        assert row == wanted
