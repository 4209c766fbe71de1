"""Files that are not local: objects, and file systems of fsspec."""

import io
import os
import uuid

import fsspec
import pytest

import ashlar

# moto's buckets are those of the process, so no other module has this one.
BUCKET = 'tables-of-remote-tests'


def rows(count=5000):
    # Values that do not compress, so that a table has several parts.
    return [(b'%08d' % i, os.urandom(200)) for i in range(count)]


def read(view, **options):
    return [row for batch in view.scan(**options) for row in batch.to_pylist()]


@pytest.fixture(scope='module')
def store():
    """A bucket of a server of moto's, and the server."""
    from moto.server import ThreadedMotoServer
    server = ThreadedMotoServer(ip_address='127.0.0.1', port=0)
    server.start()
    host, port = server.get_host_and_port()
    os.environ.update(AWS_ACCESS_KEY_ID='test', AWS_SECRET_ACCESS_KEY='test',
                      AWS_DEFAULT_REGION='us-east-1',
                      AWS_ENDPOINT_URL=f'http://{host}:{port}')
    files = fsspec.filesystem('s3', default_block_size=5 << 20)
    files.mkdir(BUCKET)
    yield files
    server.stop()


@pytest.fixture(params=['memory', 's3'])
def folder(request):
    if request.param == 's3':
        request.getfixturevalue('store')
        return f's3://{BUCKET}/{uuid.uuid4().hex}'
    return f'memory://{uuid.uuid4().hex}'


def names_in(folder):
    files, path = fsspec.core.url_to_fs(folder)
    files.invalidate_cache()
    try:
        return sorted(one.rsplit('/', 1)[-1]
                      for one in files.ls(path, detail=False))
    except FileNotFoundError:
        return []


def test_one_table(folder):
    data = rows()
    info = ashlar.write_table(data, folder + '/t.sst')
    assert names_in(folder) == ['t.sst']
    reader = ashlar.TableReader(folder + '/t.sst')
    assert read(reader) == data
    assert reader.get(data[7][0]) == data[7][1]
    keys = [key for key, _ in data[::10]] + [b'no']
    assert reader.multi_get(keys).to_pylist() == [
        value for _, value in data[::10]] + [None]
    assert reader.verify()['bytes'] == info.bytes


def test_a_set_appears_with_its_manifest(folder):
    data = rows()
    made = ashlar.write_tables(reversed(data), folder, memory=1 << 18,
                               target_file_size=1 << 18)
    assert len(made.tables) > 2
    names = names_in(folder)
    assert names == sorted(
        [table.path.rpartition('/')[2] for table in made.tables] +
        ['table-manifest.json'])
    run = names[0][len('table-'):][:12]
    assert names[:-1] == [f'table-{run}{i + 1:06}.sst'
                          for i in range(len(made.tables))]
    view = ashlar.open_tables(folder)
    assert read(view) == data
    assert read(ashlar.open_tables([made.manifest]), lower=b'00004990') == (
        data[4990:])
    assert [table['checksum'] for table in ashlar.read_manifest(
        made.manifest)] == [table.checksum for table in made.tables]
    with pytest.raises(ashlar.FileError, match='exists'):
        ashlar.write_tables(data, folder)
    again = ashlar.write_tables(data[:10], folder, overwrite=True)
    assert len(names_in(folder)) == 2
    assert read(ashlar.open_tables(again.manifest)) == data[:10]


def test_a_set_is_the_same_as_a_local_one(folder, tmp_path):
    data = rows()
    options = {'identity': 'test', 'parallel_threads': 1}
    local = ashlar.write_tables(data, tmp_path, target_file_size=1 << 18,
                                options=options)
    remote = ashlar.write_tables(data, folder, target_file_size=1 << 18,
                                 options=options)
    for one, other in zip(local.tables, remote.tables, strict=True):
        assert one._replace(path='') == other._replace(path='')
        with fsspec.open(other.path) as file, open(one.path, 'rb') as local:
            assert file.read() == local.read()


def while_another_run_ends(folder, inner, **options):
    yield from rows()
    ashlar.write_tables(inner, folder, target_file_size=1 << 14, **options)
    yield b'9', b'the last one'


def test_two_runs_of_one_set(folder):
    inner = rows(300)
    with pytest.raises(ashlar.FileError, match='exists'):
        ashlar.write_tables(while_another_run_ends(folder, inner), folder,
                            sort=False, target_file_size=1 << 18)
    view = ashlar.open_tables(folder)
    assert read(view) == inner
    assert view.verify()['bytes'] > 0
    assert len(names_in(folder)) == len(view) + 1

    outer = while_another_run_ends(folder, inner, overwrite=True)
    made = ashlar.write_tables(outer, folder, sort=False, overwrite=True,
                               target_file_size=1 << 18)
    view = ashlar.open_tables(folder)
    assert [key for key, _ in read(view)] == [
        key for key, _ in rows()] + [b'9']
    assert len(names_in(folder)) == len(made.tables) + 1


def test_two_runs_that_end_at_once(store):
    """The store refuses the second manifest, though none was there before."""
    folder = f's3://{BUCKET}/{uuid.uuid4().hex}'
    files, inner = fsspec.core.url_to_fs(folder)[0], rows(300)
    pipe_file = files.pipe_file

    def pipe_second(path, content, **options):
        files.pipe_file = pipe_file
        ashlar.write_tables(inner, folder)
        pipe_file(path, content, **options)

    files.pipe_file = pipe_second
    try:
        with pytest.raises(ashlar.FileError, match='exists'):
            ashlar.write_tables(rows(), folder)
    finally:
        files.pipe_file = pipe_file
    assert read(ashlar.open_tables(folder)) == inner
    assert len(names_in(folder)) == 2


def test_what_others_write_to_a_store_is_seen(store):
    folder = f's3://{BUCKET}/{uuid.uuid4().hex}'
    files, path = fsspec.core.url_to_fs(folder)
    others = fsspec.filesystem('s3', skip_instance_cache=True)
    data = rows(300)
    ashlar.write_tables(data, folder, filesystem=others)
    assert read(ashlar.open_tables(folder)) == data
    ashlar.write_tables(data[:200], folder, overwrite=True, filesystem=others)
    assert read(ashlar.open_tables(folder)) == data[:200]
    ashlar.write_table(data[:10], folder + '/t.sst')
    files.ls(path)
    ashlar.write_table(data, folder + '/t.sst')
    assert read(ashlar.TableReader(folder + '/t.sst')) == data
    files.ls(path)
    others.pipe_file(path + '/other.sst', b'of others')
    with pytest.raises(ashlar.FileError, match='exists'):
        ashlar.write_table(data, folder + '/other.sst', overwrite=False)
    assert others.cat_file(path + '/other.sst') == b'of others'


def test_a_failed_set_leaves_nothing(folder):
    def broken():
        yield from rows(20000)
        raise LookupError('of the caller')

    with pytest.raises(LookupError):
        ashlar.write_tables(broken(), folder, sort=False,
                            target_file_size=1 << 18)
    assert names_in(folder) == []
    with pytest.raises(LookupError):
        ashlar.write_table(broken(), folder + '/t.sst')
    assert names_in(folder) == []


def test_a_store_that_is_lost(store):
    """What is a table is there as a whole, and nothing else is."""
    from s3fs.core import S3File
    folder = f's3://{BUCKET}/{uuid.uuid4().hex}'
    upload, calls = S3File._upload_chunk, []

    def fail(self, final=False):
        calls.append(self)
        if len(calls) > 2:
            raise ConnectionError('the store is gone')
        return upload(self, final)

    S3File._upload_chunk = fail
    try:
        with pytest.raises(ashlar.FileError, match='the store is gone') as how:
            ashlar.write_tables(rows(), folder, target_file_size=1 << 18)
        assert isinstance(how.value.__cause__, ConnectionError)
    finally:
        S3File._upload_chunk = upload
    assert names_in(folder) == []
    uploads = store.call_s3('list_multipart_uploads', Bucket=BUCKET)
    assert uploads.get('Uploads', []) == []


def test_reads_of_a_store_that_is_lost(store):
    path = f's3://{BUCKET}/{uuid.uuid4().hex}.sst'
    data = rows()
    ashlar.write_table(data, path)
    reader = ashlar.TableReader(path, cache_bytes=0)
    files = fsspec.core.url_to_fs(path)[0]
    real = files.cat_file

    def fail(*unused, **also_unused):
        raise ConnectionError('the store is gone')

    files.cat_file = fail
    try:
        for call in (lambda: reader.get(data[0][0]),
                     lambda: reader.multi_get([data[0][0]]),
                     lambda: read(reader), reader.verify):
            with pytest.raises(ashlar.FileError, match='the store is gone'):
                call()
    finally:
        files.cat_file = real
    assert reader.get(data[0][0]) == data[0][1]


def test_children_of_a_fork_read_a_store(store):
    path = f's3://{BUCKET}/{uuid.uuid4().hex}.sst'
    data = rows(100)
    ashlar.write_table(data, path)
    reader = ashlar.TableReader(path)
    assert reader.get(data[1][0]) == data[1][1]
    child = os.fork()
    if child == 0:
        good = False
        try:
            good = reader.get(data[2][0]) == data[2][1]
        finally:
            os._exit(0 if good else 1)
    assert os.waitpid(child, 0)[1] == 0


class Picky(io.RawIOBase):
    """Takes at most 1,000 bytes at a time, as a raw file may."""

    def __init__(self):
        self.data = b''

    def writable(self):
        return True

    def write(self, data):
        self.data += bytes(data[:1000])
        return min(len(data), 1000)


def test_objects_that_write_and_read():
    data = rows(300)
    for target in (io.BytesIO(), Picky()):
        info = ashlar.write_table(data, target)
        content = target.data if isinstance(target, Picky) else (
            target.getvalue())
        assert len(content) == info.bytes
        assert read(ashlar.TableReader(io.BytesIO(content))) == data
    with pytest.raises(ashlar.Error):
        ashlar.TableReader(io.BytesIO(content[:-10]))


class Full:
    """A file on a disk without room."""

    name = 'full'

    def write(self, data):
        raise OSError(28, 'No space left on device')


def test_an_object_that_fails():
    with pytest.raises(ashlar.FileError, match='No space') as caught:
        ashlar.write_table(rows(), Full())
    assert caught.value.file == 'full'
    assert caught.value.__cause__.errno == 28


def test_an_object_that_fails_while_rows_are_put():
    """A worker writes; a later call has the error."""
    writer = ashlar.TableWriter(Full())
    with pytest.raises(ashlar.FileError, match='No space') as caught:
        for key, value in rows(200000):
            writer.put(key, value)
    assert caught.value.__cause__.errno == 28


def test_an_interrupted_write_of_an_object():
    class Interrupted:
        def write(self, data):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ashlar.write_table(rows(), Interrupted())


def test_the_files_of_a_view_share_their_threads():
    contents = []
    for i in range(20):
        file = io.BytesIO()
        ashlar.write_table([(b'%02d' % i, b'v')], file)
        contents.append(file.getvalue())
    before = len(os.listdir('/proc/self/task'))
    view = ashlar.open_tables([io.BytesIO(one) for one in contents])
    assert len(os.listdir('/proc/self/task')) <= before + 8
    assert read(view) == [(b'%02d' % i, b'v') for i in range(20)]


def test_a_file_keeps_its_position(tmp_path):
    """The processes of a fork share it."""
    ashlar.write_table(rows(300), tmp_path / 't.sst')
    for mode, buffering in (('rb', -1), ('r+b', -1), ('rb', 0)):
        with open(tmp_path / 't.sst', mode, buffering) as file:
            reader = ashlar.TableReader(file, cache_bytes=0)
            file.seek(7)
            assert reader.get(b'00000007') is not None
            assert read(reader)[-1][0] == b'00000299'
            assert file.tell() == 7


def test_a_missing_file_and_an_unknown_scheme(folder):
    with pytest.raises(FileNotFoundError):
        ashlar.TableReader(folder + '/no.sst')
    with pytest.raises(FileNotFoundError):
        ashlar.open_tables(folder + '/no-manifest.json')
    with pytest.raises(ValueError):
        ashlar.TableReader('nothing://x/y')
