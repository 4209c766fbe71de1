"""Real compactions of a RocksDB database, as tasks, by the worker program.

Runs where `make rocksdb-compaction-demo` has built the programs: in build/bin,
or in ASHLAR_COMPACTION_BIN.
"""

import json
import os
import subprocess
import sys
import time

import ashlar
import pytest

from page_blocks import TREE

PROGRAMS = os.environ.get('ASHLAR_COMPACTION_BIN',
                          os.path.join(TREE, 'build', 'bin'))
WORKER = os.path.join(PROGRAMS, 'ashlar_compaction_worker')
JOBS = 2  # of the example's first compaction, which has two parts
MOST_SECONDS = 120


@pytest.fixture
def jobs(tmp_path):
    """Jobs of the example database, with copies of their inputs in `in`."""
    queue = tmp_path / 'queue'
    database = subprocess.Popen(
        [os.path.join(PROGRAMS, 'ashlar_compaction_example'),
         f'--folder={queue}', tmp_path / 'db'], stdout=subprocess.DEVNULL)
    try:
        end = time.monotonic() + MOST_SECONDS
        found = []
        while len(found) < JOBS and time.monotonic() < end:
            time.sleep(0.1)
            pending = queue / 'pending'
            found = [path for path in pending.glob('*')
                     if path.name.endswith('.1')] if pending.exists() else []
        assert len(found) == JOBS
        (tmp_path / 'in').mkdir()
        (tmp_path / 'jobs').mkdir()
        inputs = {}
        for path in found:
            (tmp_path / 'jobs' / path.name).write_bytes(path.read_bytes())
            for one in json.loads(path.read_text())['inputs']:
                inputs[one['path']] = one['largest_seqno']
        for path in inputs:
            with open(path, 'rb') as file:
                (tmp_path / 'in' / os.path.basename(path)).write_bytes(
                    file.read())
    finally:
        database.kill()
        database.wait()
    return sorted(inputs, key=inputs.get)


def rows_of(paths):
    with ashlar.open_tables([os.fspath(path) for path in paths]) as tables:
        return [row for batch in tables.scan() for row in batch.to_pylist()]


def test_compactions_run_on_ray(tmp_path, jobs):
    (tmp_path / 'out').mkdir()
    done = subprocess.run(
        [sys.executable, os.path.join(TREE, 'python', 'examples',
                                      'compactions_on_ray.py'),
         f'--jobs={tmp_path}/jobs', f'--inputs={tmp_path}/in',
         f'--outputs={tmp_path}/out', f'--worker={WORKER}'],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    results = [json.loads(path.read_text())
               for path in (tmp_path / 'jobs').glob('*.result')]
    assert [result['by'] for result in results] == ['library'] * JOBS
    outputs = [os.path.join(result['output_path'], one['file_name'])
               for result in results for one in result['output_files']]
    assert sorted(outputs) == sorted(
        str(path) for path in (tmp_path / 'out').iterdir())
    inputs = [tmp_path / 'in' / os.path.basename(path) for path in jobs]
    assert rows_of(outputs) == rows_of(inputs)
