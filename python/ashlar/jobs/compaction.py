"""Remote compactions with tables in object storage, as tasks of any engine.

RocksDB's compaction service describes a compaction as a job in JSON
(docs/compaction-service.md in the source tree), whose paths are those of the
database. Here the inputs are tables of the same names in a folder of an object
store, and the outputs come to another one:

    result = run_compaction(job, 's3://bucket/db', 's3://bucket/compacted',
                            worker='ashlar_compaction_worker')

One call is one task. It copies the inputs to a local folder, runs the worker
program there, and copies the outputs back under names that no other attempt
uses. The result is that of the worker, with the outputs' URI and names. Of
several results of one job, any one may be taken: pass it to `keep_result`,
which removes the outputs of other attempts.
"""

import dataclasses
import json
import os
import re
import subprocess
import tempfile

from . import names
from .errors import JobError, StorageError
from .storage import Folder, LocalFile

COPY_BYTES = 8 << 20
_JOB_ID = re.compile(r'[\w-]{1,128}', re.ASCII)
_TABLE = re.compile(r'[\w.-]+\.sst', re.ASCII)


@dataclasses.dataclass(frozen=True)
class _Places:
    """The folders of a task on its machine."""

    root: str

    def folder(self, name):
        path = os.path.join(self.root, name)
        os.makedirs(path, exist_ok=True)
        return path


def run_compaction(job, inputs, outputs, *, worker, seconds=3600,
                   storage_options=None, scratch=None):
    """Runs one job. Returns its result, as a dict.

    `job`: the text of the job, or the dict. `inputs`, `outputs`: folders.
    `worker`: the program ashlar_compaction_worker. `seconds`: how long it may
    take. `scratch`: where the local folder is made, with room for the inputs
    and outputs.

    Raises JobError if the job is damaged, if an input is missing or has another
    size, if the worker fails, or if the library cannot run the job, since
    RocksDB would need its database. Then no output stays.
    """
    job = _checked(job)
    source = Folder.of(inputs, storage_options)
    target = Folder.of(outputs, storage_options)
    attempt = names.new_attempt()
    with tempfile.TemporaryDirectory(dir=scratch) as root:
        places = _Places(root)
        local = dict(job, output_folder=places.folder('out'),
                     inputs=[_fetch(one, source, places)
                             for one in job['inputs']])
        local['database'] = dict(job['database'], path=places.folder('in'))
        result = _run_worker(local, places, worker, seconds)
        return _publish(result, target, attempt)


def _checked(job):
    if isinstance(job, (str, bytes)):
        try:
            job = json.loads(job)
        except ValueError as error:
            raise JobError('job', f'is no JSON: {error}') from error
    try:
        known = (job['format'], job['version']) == ('ashlar-compaction-job', 1)
        well_named = (_JOB_ID.fullmatch(job['id']) and all(
            _TABLE.fullmatch(os.path.basename(one['path']))
            for one in job['inputs']))
        has_all = isinstance(job['database'], dict)
    except (KeyError, TypeError) as error:
        raise JobError('job', f'lacks a member: {error}') from error
    if not (known and well_named and has_all):
        raise JobError('job', 'is not a compaction job of version 1')
    return job


def _fetch(one, source, places):
    """Copies an input. Returns its description, with the local path."""
    name = os.path.basename(one['path'])
    path = os.path.join(places.folder('in'), name)
    file = LocalFile(path)
    try:
        done = 0
        for piece in source.pieces(name, COPY_BYTES):
            done += file.write(piece)
        if done != one['size']:
            raise JobError(source.path(name), f'has {done} bytes; the job says '
                           f'{one["size"]}')
        file.commit()
    except BaseException:
        file.discard()
        raise
    return dict(one, path=path)


def _run_worker(job, places, worker, seconds):
    """Gives the job to a worker by a folder of its own. Returns the result."""
    queue = places.folder('queue')
    with open(os.path.join(places.folder('queue/pending'),
                           job['id'] + '.1'), 'w') as file:
        json.dump(job, file)
    try:
        done = subprocess.run(
            [worker, f'--folder={queue}', f'--under={places.root}',
             '--no-rocksdb', '--attempts=1', '--exit-when-idle=1', '--quiet'],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=seconds,
            check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise JobError(job['id'], f'the worker did not end: {error}'
                       ) from error
    path = os.path.join(queue, 'done', job['id'])
    if not os.path.exists(path):
        said = done.stdout.decode(errors='replace').strip()
        raise JobError(job['id'], f'the worker ended with {done.returncode} '
                       f'and no result: {said}')
    with open(path) as file:
        result = json.load(file)
    if result['error']:
        raise JobError(job['id'], result['error'])
    return result


def _output_name(job, attempt, number):
    return f'{job}.{attempt}.{number:06}.sst'


def _publish(result, target, attempt):
    """Copies the outputs. Returns the result with their new names."""
    published = []
    try:
        for number, one in enumerate(result['output_files']):
            name = _output_name(result['id'], attempt, number)
            published.append(name)
            _upload(os.path.join(result['output_path'], one['file_name']),
                    target, name)
    except BaseException:
        target.remove_after_error(published)
        raise
    files = [dict(one, file_name=name)
             for one, name in zip(result['output_files'], published)]
    return dict(result, output_path=target.uri, output_files=files)


def _upload(path, target, name):
    file = target.create(name)
    try:
        with open(path, 'rb') as source:
            while piece := source.read(COPY_BYTES):
                file.write(piece)
        file.commit()
    except Exception as error:  # any store has errors of its own
        file.discard()
        raise StorageError(target.path(name), f'cannot be written: {error}'
                           ) from error
    except BaseException:
        file.discard()
        raise


def keep_result(result, outputs, *, storage_options=None):
    """Removes the outputs of other attempts at the job of this result."""
    folder = Folder.of(outputs, storage_options)
    kept = {one['file_name'] for one in result['output_files']}
    form = re.compile(re.escape(result['id']) + r'\.\d{10}\.\d{6}\.sst'
                      r'(\.tmp\.[\w.]+)?')
    folder.end_uploads(result['id'] + '.')
    for name in folder.sizes(result['id'] + '.'):
        if name not in kept and form.fullmatch(name):
            folder.remove(name)
