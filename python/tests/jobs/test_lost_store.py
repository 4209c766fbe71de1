"""An S3 server that is lost in the middle of a job, and of a compaction."""

import os

import pytest

from ashlar.jobs import SetJob, StorageError, write_partition
from ashlar.jobs.compaction import keep_result, run_compaction
from losable_store import assert_nothing_is_left, folder_of, LosableStore
from test_compaction import job, make_worker  # pylint: disable=unused-import
from test_set_job import batch_of, rows_of

LARGE = 6 << 20  # above the part of an upload


@pytest.fixture(scope='module')
def store():
    store = LosableStore()
    yield store
    store.stop()


@pytest.fixture
def place(store, request):
    store.find()
    return folder_of(store, request.node.name.replace('[', '-').rstrip(']'))


def large_rows():
    return [(key, os.urandom(LARGE // 8)) for key, _ in rows_of(0, 24)]


@pytest.mark.parametrize('writes', [0, 1, 2, 3, 4, 5])
def test_a_job_whose_store_is_lost(store, place, writes):
    uri, system = place
    begun = SetJob.begin(uri, storage_options=store.options)
    store.lose_after(writes)
    with pytest.raises(StorageError) as raised:
        write_partition(begun, 0, [batch_of(large_rows())],
                        target_file_size=LARGE)
    assert uri in raised.value.file
    with pytest.warns(UserWarning, match='remove_leftovers'):
        begun.abort_after_error()
    assert_nothing_is_left(store, uri, system)


def put_inputs(system, tmp_path, uri):
    for path in (tmp_path / 'in').iterdir():
        system.pipe_file(f'{uri}/db/{path.name}', path.read_bytes())


def run(job, store, uri, tmp_path, worker):
    try:
        return run_compaction(job, uri + '/db', uri + '/out', worker=worker,
                              storage_options=store.options,
                              scratch=tmp_path / 'scratch')
    finally:
        assert os.listdir(tmp_path / 'scratch') == []


def outputs_of(system, uri):
    system.invalidate_cache()
    return {os.path.basename(path) for path in system.find(uri + '/out')}


def test_a_compaction_in_the_store(store, place, job, tmp_path, make_worker):
    uri, system = place
    put_inputs(system, tmp_path, uri)
    results = [run(job, store, uri, tmp_path, make_worker())
               for _ in range(2)]
    names = [result['output_files'][0]['file_name'] for result in results]
    assert results[0]['output_path'] == uri + '/out'
    assert outputs_of(system, uri) == set(names)
    assert system.cat_file(f'{uri}/out/{names[0]}') == b'abcabcabc'
    keep_result(results[1], uri + '/out', storage_options=store.options)
    assert outputs_of(system, uri) == {names[1]}


def test_inputs_in_the_store_are_checked(store, place, job, tmp_path,
                                         make_worker):
    uri, system = place
    put_inputs(system, tmp_path, uri)
    system.pipe_file(uri + '/db/000002.sst', b'short')
    with pytest.raises(Exception, match='has 5 bytes; the job says 6'):
        run(job, store, uri, tmp_path, make_worker())
    system.rm_file(uri + '/db/000002.sst')
    with pytest.raises(StorageError, match='000002.sst'):
        run(job, store, uri, tmp_path, make_worker())
    with pytest.raises(Exception, match='no such codec'):
        system.pipe_file(uri + '/db/000002.sst', b'abcabc')
        run(job, store, uri, tmp_path, make_worker('no such codec'))
    assert outputs_of(system, uri) == set()


@pytest.mark.parametrize('writes', [0, 1, 2])
def test_a_compaction_whose_store_is_lost(store, place, job, tmp_path,
                                          make_worker, writes):
    uri, system = place
    put_inputs(system, tmp_path, uri)
    # An output of several parts, so that the loss is before, in or after one.
    worker = make_worker(then=f"open(os.path.join(out, 'x.sst'), 'wb').write("
                              f"os.urandom({9 * LARGE}))")
    store.lose_after(writes)
    with pytest.raises(StorageError) as raised:
        run(job, store, uri, tmp_path, worker)
    assert uri + '/out/J-1.' in raised.value.file
    store.find()
    assert outputs_of(system, uri) == set()
    kept = run(job, store, uri, tmp_path, make_worker())
    keep_result(kept, uri + '/out', storage_options=store.options)
    assert outputs_of(system, uri) == {kept['output_files'][0]['file_name']}
    assert not system.call_s3('list_multipart_uploads', Bucket='tables',
                              Prefix=uri.split('/', 3)[3]).get('Uploads')
