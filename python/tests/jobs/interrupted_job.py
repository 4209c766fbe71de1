"""A job that waits until it is interrupted, for `assert_interrupted`.

    interrupted_job.py spark|ray <folder>

Its tasks write a part of a table and then wait for ever.
"""

import os
import sys
import time

from ashlar.jobs.storage import Folder

ROWS = 20000


class WaitingFolder(Folder):
    def local_path(self, name):
        return None  # so that tables go through create()

    def create(self, name):
        return _WaitingFile(super().create(name), self.path('../begun'))


class _WaitingFile:
    def __init__(self, file, begun):
        self._file = file
        self._begun = begun

    def write(self, data):
        self._file.write(data)
        with open(self._begun, 'w'):
            pass
        while True:
            time.sleep(0.05)

    def discard(self):
        self._file.discard()


def run_spark(folder):
    from pyspark.sql import SparkSession

    import ashlar.spark
    spark = (SparkSession.builder.master('local[2]')
             .config('spark.ui.enabled', 'false')
             .config('spark.ui.showConsoleProgress', 'false')
             .config('spark.log.level', 'OFF')
             .config('spark.driver.host', 'localhost').getOrCreate())
    rows = spark.range(ROWS).selectExpr('id', 'cast(id as string) text')
    try:
        ashlar.spark.write_tables(rows, folder, key='id', value='text',
                                  partitions=2, target_file_size=10000)
    finally:
        print(sorted(os.listdir(folder.uri)), flush=True)
        spark.stop()


def run_ray(folder):
    import ray
    import ray.data

    import ashlar.ray
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False,
             object_store_memory=256 << 20, logging_level='ERROR')
    rows = ray.data.range(ROWS, override_num_blocks=2).map(
        lambda row: {'id': row['id'], 'text': str(row['id'])})
    try:
        ashlar.ray.write_tables(rows, folder, key='id', value='text',
                                target_file_size=10000)
    finally:
        print(sorted(os.listdir(folder.uri)), flush=True)
        ray.shutdown()


def assert_interrupted(engine, tmp_path):
    """Ctrl-C ends a job with KeyboardInterrupt, and its files are gone."""
    import signal
    import subprocess
    with open(tmp_path / 'errors', 'w') as errors:
        child = subprocess.Popen(
            [sys.executable, __file__, engine, tmp_path / 'set'],
            stdout=subprocess.PIPE, stderr=errors, text=True,
            start_new_session=True)
    try:
        while not (tmp_path / 'begun').exists():
            assert child.poll() is None, (tmp_path / 'errors').read_text()
            time.sleep(0.1)
        os.killpg(child.pid, signal.SIGINT)
        printed, _ = child.communicate()
    finally:
        child.kill()
    said = (tmp_path / 'errors').read_text()
    assert 'KeyboardInterrupt' in said, said
    assert printed.strip().splitlines()[-1] == '[]', printed
    # Tasks that go on for a moment find out that they are late.
    assert os.listdir(tmp_path / 'set') == []


if __name__ == '__main__':
    # Under this name tasks can import the folder's class.
    from interrupted_job import WaitingFolder as ImportedFolder
    {'spark': run_spark, 'ray': run_ray}[sys.argv[1]](
        ImportedFolder(sys.argv[2]))
