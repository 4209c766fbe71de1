"""File systems that the caller passes: of pyarrow, fsspec and obstore."""

import contextlib
import os
import uuid

import fsspec
import obstore
import pyarrow as pa
import pyarrow.fs
import pytest
from obstore.store import MemoryStore

import ashlar


def numbered(count=3000):
    return pa.table({'key': [b'%08d' % i for i in range(count)],
                     'value': [b'v%d' % i for i in range(count)]})


def shuffled(table):
    return table.sort_by([('value', 'descending')])


class Store:
    """A file system, a folder in it, and what it has there."""

    def __init__(self, filesystem, folder, names):
        self.filesystem = filesystem
        self.folder = folder
        self.names = names


@pytest.fixture(params=['pyarrow', 'pyarrow-s3', 'fsspec', 'obstore'])
def store(request, tmp_path):
    if request.param == 'obstore':
        memory = MemoryStore()
        return Store(memory, 'some/folder', lambda: sorted(
            one['path'].rpartition('/')[2]
            for one in obstore.list(memory).collect()))
    if request.param == 'fsspec':
        files = fsspec.filesystem('memory')
        folder = f'/{uuid.uuid4().hex}'
        return Store(files, folder, lambda: sorted(
            one.rpartition('/')[2]
            for one in files.ls(folder, detail=False)))
    if request.param == 'pyarrow-s3':
        server = request.getfixturevalue('s3_server')
        files = pyarrow.fs.S3FileSystem(
            access_key='test', secret_key='test', region='us-east-1',
            endpoint_override=server, scheme='http',
            allow_bucket_creation=True)
        bucket = f'bucket-{uuid.uuid4().hex}'
        files.create_dir(bucket)
        folder = bucket + '/some/folder'
    else:
        files = pyarrow.fs.SubTreeFileSystem(
            str(tmp_path), pyarrow.fs.LocalFileSystem())
        folder = 'some/folder'

    def names():
        selector = pyarrow.fs.FileSelector(folder, allow_not_found=True)
        return sorted(one.base_name for one in files.get_file_info(selector))

    return Store(files, folder, names)


@pytest.fixture(scope='module')
def s3_server():
    from moto.server import ThreadedMotoServer
    server = ThreadedMotoServer(ip_address='127.0.0.1', port=0)
    server.start()
    host, port = server.get_host_and_port()
    yield f'{host}:{port}'
    server.stop()


def test_a_set_is_written_read_and_replaced(store):
    rows = numbered()
    made = ashlar.write_tables(shuffled(rows), store.folder, memory=16 << 20,
                               target_file_size=20000,
                               filesystem=store.filesystem)
    assert len(made.tables) > 1
    found = store.names()
    assert found == sorted(
        [os.path.basename(one.path) for one in made.tables] +
        ['table-manifest.json'])
    view = ashlar.open_tables(store.folder, filesystem=store.filesystem)
    assert pa.table(view.scan()).to_pylist() == rows.to_pylist()
    values = view.multi_get([b'00000007', b'absent'])
    assert values.to_pylist() == [b'v7', None]

    with pytest.raises(ashlar.FileError, match='must not be replaced'):
        ashlar.write_tables(rows, store.folder, filesystem=store.filesystem)
    ashlar.write_tables(numbered(10), store.folder, overwrite=True,
                        filesystem=store.filesystem)
    assert len(store.names()) == 2
    view = ashlar.open_tables(store.folder, filesystem=store.filesystem)
    assert view.get(b'00000010') is None
    assert view.get(b'00000009') == b'v9'


def test_one_table(store):
    store_path = store.folder + '/t.sst'
    if store.folder.startswith('some'):
        ashlar.write_tables(numbered(1), store.folder,
                            filesystem=store.filesystem)
    ashlar.write_table(numbered(), store_path, filesystem=store.filesystem)
    reader = ashlar.TableReader(store_path, filesystem=store.filesystem)
    assert reader.get(b'00002999') == b'v2999'
    assert reader.verify()['blocks'] > 1
    with pytest.raises(ashlar.FileError):
        ashlar.write_table(numbered(), store_path, overwrite=False,
                           filesystem=store.filesystem)


def test_what_fails_leaves_nothing(store):
    def broken():
        yield from ((b'%08d' % i, os.urandom(200)) for i in range(5000))
        raise RuntimeError('lost')

    with pytest.raises(RuntimeError, match='lost'):
        ashlar.write_tables(broken(), store.folder, target_file_size=20000,
                            filesystem=store.filesystem)
    with contextlib.suppress(FileNotFoundError):  # not even the folder
        assert store.names() == []


def test_what_is_no_file_system():
    with pytest.raises(ashlar.InvalidArgumentError, match='filesystem: a int'):
        ashlar.open_tables('folder', filesystem=7)


class Moody(fsspec.get_filesystem_class('memory')):
    """Memory, where a change of the name `name` is made, and then fails."""

    cachable = False
    name = None
    error = None
    stays_lost = False
    is_lost = False

    def _fail(self, path):
        if self.name is not None and path.endswith('/' + self.name):
            self.is_lost = self.stays_lost
            raise self.error

    def rm_file(self, path):
        super().rm_file(path)
        self._fail(path)

    def mv(self, path1, path2, **options):
        super().mv(path1, path2, **options)
        self._fail(path2)

    def cat_file(self, path, **options):
        if self.is_lost:
            raise OSError('there is no answer')
        return super().cat_file(path, **options)


@pytest.mark.parametrize('stays_lost', [False, True])
@pytest.mark.parametrize('name, kind', [
    (None, KeyboardInterrupt),  # the first table of the old set
    ('table-manifest.json', KeyboardInterrupt),
    ('table-manifest.json', OSError)])
def test_a_set_whose_manifest_is_stored_stays(name, kind, stays_lost):
    error = kind('no answer')
    files, folder = Moody(), f'/{uuid.uuid4().hex}'
    old = ashlar.write_tables(numbered(10), folder, filesystem=files)
    files.name = name or os.path.basename(old.tables[0].path)
    files.error, files.stays_lost = error, stays_lost
    with pytest.raises(kind) as caught:
        ashlar.write_tables(numbered(), folder, overwrite=True,
                            target_file_size=20000, filesystem=files)
    assert caught.value is error
    files.name, files.is_lost = None, False
    files.error = None  # has frames, with what has the file system
    view = ashlar.open_tables(folder, filesystem=files)
    assert len(view) > 1
    assert pa.table(view.scan()).to_pylist() == numbered().to_pylist()


def test_a_file_of_which_nothing_is_known_is_not_replaced(monkeypatch):
    files, path = Moody(), f'/{uuid.uuid4().hex}.sst'

    def fail(*unused, **also_unused):
        raise OSError('there is no answer')

    monkeypatch.setattr(files, 'info', fail)
    with pytest.raises(OSError, match='no answer'):
        ashlar.write_table(numbered(), path, overwrite=False,
                           filesystem=files)
    monkeypatch.undo()
    assert not files.exists(path)


def test_a_manifest_that_is_not_stored_leaves_the_old_set(monkeypatch):
    files, folder = Moody(), f'/{uuid.uuid4().hex}'
    ashlar.write_tables(numbered(10), folder, filesystem=files)
    before = files.ls(folder, detail=False)

    def fail(path1, path2, **options):
        if path2.endswith('.json'):
            raise OSError('no answer')
        Moody.mv(files, path1, path2, **options)

    monkeypatch.setattr(files, 'mv', fail)
    with pytest.raises(OSError, match='no answer'):
        ashlar.write_tables(numbered(), folder, overwrite=True,
                            target_file_size=20000, filesystem=files)
    assert files.ls(folder, detail=False) == before
