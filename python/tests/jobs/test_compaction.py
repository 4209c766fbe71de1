"""Remote compactions as tasks: what happens around the worker program.

The worker is a script that stands for it, so that it can fail in each way.
"""

import json
import os
import stat
import sys

import pytest

from ashlar.jobs import JobError, StorageError
from ashlar.jobs.compaction import _publish, keep_result, run_compaction
from ashlar.jobs.storage import Folder

WORKER = '''#!{python}
import json, os, sys
queue, = [one.split('=', 1)[1] for one in sys.argv
          if one.startswith('--folder')]
pending = os.path.join(queue, 'pending')
name, = os.listdir(pending)
job = json.load(open(os.path.join(pending, name)))
content = b''.join(open(one['path'], 'rb').read() for one in job['inputs'])
out = os.path.join(job['output_folder'], '1')
os.mkdir(out)
open(os.path.join(out, 'x.sst'), 'wb').write(content)
{then}
os.makedirs(os.path.join(queue, 'done'))
json.dump({{'id': job['id'], 'error': {error!r}, 'output_path': out,
           'output_files': [{{'file_name': 'x.sst'}}],
           'bytes_written': len(content)}},
          open(os.path.join(queue, 'done', job['id']), 'w'))
'''


@pytest.fixture
def make_worker(tmp_path):
    def make(error='', then=''):
        path = tmp_path / 'worker'
        path.write_text(WORKER.format(python=sys.executable, error=error,
                                      then=then))
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return str(path)
    return make


@pytest.fixture
def job(tmp_path):
    (tmp_path / 'in').mkdir()
    (tmp_path / 'out').mkdir()
    (tmp_path / 'scratch').mkdir()
    for number in (1, 2):
        (tmp_path / 'in' / f'00000{number}.sst').write_bytes(b'abc' * number)
    return {'format': 'ashlar-compaction-job', 'version': 1, 'id': 'J-1',
            'database': {'path': '/db'}, 'output_folder': '/db/out',
            'inputs': [{'path': '/db/000001.sst', 'size': 3},
                       {'path': '/db/000002.sst', 'size': 6}]}


def run(job, tmp_path, worker, **more):
    try:
        return run_compaction(job, tmp_path / 'in', tmp_path / 'out',
                              worker=worker, scratch=tmp_path / 'scratch',
                              **more)
    finally:
        assert os.listdir(tmp_path / 'scratch') == []


def test_outputs_come_to_the_store(job, tmp_path, make_worker):
    result = run(json.dumps(job), tmp_path, make_worker())
    name = result['output_files'][0]['file_name']
    assert result['output_path'] == str(tmp_path / 'out')
    assert (tmp_path / 'out' / name).read_bytes() == b'abcabcabc'


def test_one_attempt_counts(job, tmp_path, make_worker):
    worker = make_worker()
    results = [run(job, tmp_path, worker) for _ in range(3)]
    (tmp_path / 'out' / 'J-1.note').write_bytes(b'of a user')
    assert len(os.listdir(tmp_path / 'out')) == 4
    keep_result(results[1], tmp_path / 'out')
    assert sorted(os.listdir(tmp_path / 'out')) == sorted(
        [results[1]['output_files'][0]['file_name'], 'J-1.note'])


@pytest.mark.parametrize('error, then, message', [
    ('no such codec', '', 'no such codec'),
    ('', "sys.exit('it is full')", 'no result: it is full'),
    ('', 'os.kill(os.getpid(), 9)', 'ended with -9'),
])
def test_a_worker_that_fails_leaves_nothing(job, tmp_path, make_worker, error,
                                            then, message):
    with pytest.raises(JobError, match=message):
        run(job, tmp_path, make_worker(error, then))
    assert os.listdir(tmp_path / 'out') == []


def test_a_worker_that_is_missing_is_named(job, tmp_path):
    with pytest.raises(JobError, match='no-such-worker'):
        run(job, tmp_path, str(tmp_path / 'no-such-worker'))


class _HoldingFolder(Folder):
    """A folder that keeps the first output of an attempt."""

    def remove(self, name):
        if name.endswith('.000000.sst'):
            raise StorageError(self.path(name), 'cannot be removed')
        super().remove(name)


def test_an_output_that_stays_keeps_no_others_and_hides_no_error(tmp_path):
    (tmp_path / 'out').mkdir()
    for name in 'ab':
        (tmp_path / name).write_bytes(b'a table')
    result = {'id': 'J-1', 'output_path': str(tmp_path),
              'output_files': [{'file_name': name} for name in 'abc']}
    with pytest.warns(UserWarning, match='cannot be removed; 1 of'), \
            pytest.raises(StorageError, match='cannot be written') as raised:
        _publish(result, _HoldingFolder(tmp_path / 'out'), '0' * 10)
    assert raised.value.file.endswith('.000002.sst')
    assert os.listdir(tmp_path / 'out') == [f'J-1.{"0" * 10}.000000.sst']


def test_inputs_are_checked(job, tmp_path, make_worker):
    (tmp_path / 'in' / '000002.sst').write_bytes(b'ab')
    with pytest.raises(JobError, match='has 2 bytes; the job says 6'):
        run(job, tmp_path, make_worker())
    (tmp_path / 'in' / '000002.sst').unlink()
    with pytest.raises(JobError, match='000002.sst'):
        run(job, tmp_path, make_worker())


@pytest.mark.parametrize('change', [
    {'version': 2}, {'id': '../x'}, {'id': ''}, {'database': None},
    {'inputs': [{'path': '/db/..'}]}, {'inputs': [{}]}, {'inputs': None}])
def test_damaged_jobs_are_refused(job, tmp_path, make_worker, change):
    with pytest.raises(JobError):
        run({**job, **change}, tmp_path, make_worker())
    with pytest.raises(JobError, match='no JSON'):
        run('{', tmp_path, make_worker())
