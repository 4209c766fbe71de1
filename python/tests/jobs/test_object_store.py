"""Jobs over an S3 server (moto) in this process, and over fsspec's memory."""

import os

import ashlar
import pytest

from ashlar.jobs import (JobEndedError, SetExistsError, SetJob, StorageError,
                         plan_load, read_set, remove_leftovers)
from ashlar.jobs.names import tables_of_job
from ashlar.jobs.read_plan import plan_read
from ashlar.jobs.storage import Folder
from test_set_job import rows_of, write_rows

BUCKET = 'tables'


@pytest.fixture(scope='module')
def server():
    from moto.server import ThreadedMotoServer
    server = ThreadedMotoServer(ip_address='127.0.0.1', port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f'http://{host}:{port}'
    server.stop()


@pytest.fixture
def store(server, request):
    """Options of a store, and the URI of a folder for one test."""
    import s3fs
    options = {'key': 'any', 'secret': 'any', 'endpoint_url': server,
               'client_kwargs': {'region_name': 'us-east-1'}}
    system = s3fs.S3FileSystem(**options)
    if not system.exists(BUCKET):
        system.call_s3('create_bucket', Bucket=BUCKET)
    return options, f's3://{BUCKET}/{request.node.name}', system


def names_of(store):
    _, uri, system = store
    system.invalidate_cache()
    return {os.path.basename(path) for path in system.find(uri)}


def begin(store, **more):
    options, uri, _ = store
    return SetJob.begin(uri, storage_options=options, **more)


def rows_read(store, **bounds):
    options, uri, _ = store
    return [(key, value)
            for part in plan_read(uri, storage_options=options, **bounds)
            for batch in part.batches()
            for key, value in zip(batch['key'].to_pylist(),
                                  batch['value'].to_pylist())]


def test_commits_and_reads(store, tmp_path):
    options, uri, _ = store
    job = begin(store)
    write_rows(job, 0, 0, 100)  # an attempt that does not count
    tables = write_rows(job, 0, 0, 100) + write_rows(job, 1, 100, 200)
    committed = job.commit(tables)
    assert committed == read_set(uri, storage_options=options)
    assert names_of(store) == {table.path for table in tables} | {
        'table-manifest.json'}
    assert rows_read(store) == rows_of(0, 200)
    assert rows_read(store, lower=b'00000050', upper=b'00000150') == rows_of(
        50, 150)
    plan = plan_load(uri, splits=[b'00000100'], storage_options=options)
    path, = plan.fetch(1, tmp_path)
    assert os.path.getsize(path) == tables[1].bytes


def test_of_two_jobs_one_wins(store):
    one, two = begin(store), begin(store)
    tables = write_rows(two, 0, 5, 6)
    one.commit(write_rows(one, 0, 0, 100))
    with pytest.raises(SetExistsError):
        two.commit(tables)
    two.abort()
    assert rows_read(store) == rows_of(0, 100)
    three = begin(store, overwrite=True)
    three.commit(write_rows(three, 0, 0, 50))
    assert rows_read(store) == rows_of(0, 50)
    assert len(names_of(store)) == 2


def test_a_late_attempt_removes_its_tables(store):
    job = begin(store)
    job.commit(write_rows(job, 0, 0, 100))
    before = names_of(store)
    with pytest.raises(JobEndedError):
        write_rows(job, 0, 0, 100)
    assert names_of(store) == before


def test_abort_ends_uploads_of_killed_tasks(store):
    _, uri, system = store
    job = begin(store)
    name = tables_of_job('table', job.job) + '0' * 20 + '.sst'
    upload = system.open(f'{uri}/{name}', 'wb', block_size=5 << 20)
    upload.write(b'x' * (11 << 20))  # begins an upload that nobody ends
    listing = {'Bucket': BUCKET}
    assert system.call_s3('list_multipart_uploads', **listing)['Uploads']
    job.abort()
    assert not system.call_s3('list_multipart_uploads', **listing).get(
        'Uploads')
    assert names_of(store) == set()


def test_all_pages_of_uploads_are_read(store, monkeypatch):
    _, uri, system = store
    folder = Folder(uri, store[0])
    names = [f'table-{number // 2}.sst' for number in range(7)]
    key = uri.split('/', 3)[3]
    made = sorted((name, system.call_s3(
        'create_multipart_upload', Bucket=BUCKET,
        Key=f'{key}/{name}')['UploadId']) for name in names)
    real, pages = type(system).call_s3, []

    def with_small_pages(method, *arguments, **more):
        """Answers as S3 does; moto has no pages of uploads."""
        answer = real(system, method, *arguments, **more)
        if method != 'list_multipart_uploads':
            return answer
        place = more.get('KeyMarker', ''), more.get('UploadIdMarker', '')
        uploads = sorted(
            (one for one in answer['Uploads']
             if (one['Key'], one['UploadId']) > place),
            key=lambda one: (one['Key'], one['UploadId']))
        page = uploads[:3]
        pages.append(page)
        return {'Uploads': page, 'IsTruncated': len(uploads) > 3,
                'NextKeyMarker': page[-1]['Key'],
                'NextUploadIdMarker': page[-1]['UploadId']}

    monkeypatch.setattr(folder.files.system, 'call_s3', with_small_pages)
    assert sorted(folder.uploads('table-')) == made
    assert list(map(len, pages)) == [3, 3, 1]
    monkeypatch.undo()
    folder.end_uploads('table-')
    assert folder.uploads('table-') == []


def test_options_that_are_wrong_leave_nothing(store):
    job = begin(store)
    before = names_of(store)
    with pytest.raises(ashlar.InvalidArgumentError, match='nonsense'):
        write_rows(job, 0, 0, 100, options={'nonsense': 1})
    assert names_of(store) == before
    assert job.folder.uploads('table-') == []


def test_leftovers_are_removed(store):
    options, uri, _ = store
    job = begin(store)
    write_rows(job, 0, 0, 100)
    assert remove_leftovers(uri, storage_options=options) == []
    removed = remove_leftovers(uri, storage_options=options, older_than=-1)
    assert len(removed) == 2
    assert names_of(store) == set()


def test_a_store_that_is_gone_is_an_error(store):
    options, uri, _ = store
    gone = {**options, 'endpoint_url': 'http://127.0.0.1:1',
            'config_kwargs': {'retries': {'max_attempts': 0}}}
    with pytest.raises(StorageError) as raised:
        SetJob.begin(uri, storage_options=gone)
    assert uri in raised.value.file


def test_memory_of_fsspec():
    job = SetJob.begin('memory://some/set')
    tables = job.commit(write_rows(job, 0, 0, 100))
    assert read_set('memory://some/set') == tables
    rows = [key for part in plan_read('memory://some/set')
            for batch in part.batches() for key in batch['key'].to_pylist()]
    assert rows == [key for key, _ in rows_of(0, 100)]


def test_options_that_are_wrong_leave_nothing_in_memory():
    job = SetJob.begin('memory://wrong/set')
    before = job.folder.sizes('')
    with pytest.raises(ashlar.InvalidArgumentError, match='nonsense'):
        write_rows(job, 0, 0, 100, options={'nonsense': 1})
    assert job.folder.sizes('') == before
