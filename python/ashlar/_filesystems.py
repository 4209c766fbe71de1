"""File systems that callers pass: fsspec's, pyarrow's, and stores of obstore.

All of them are used by the methods of fsspec.
"""

from ._errors import InvalidArgumentError


class _FileSystemOfArrow:
    """A file system of pyarrow, as far as the package needs fsspec's methods.
    """

    def __init__(self, filesystem):
        from pyarrow import fs
        self._arrow = fs
        self._files = filesystem
        self.protocol = 'arrow-' + filesystem.type_name

    def _strip_protocol(self, name):
        return name.rstrip('/')

    def invalidate_cache(self, path=None):
        pass  # nothing is remembered

    def _info(self, path):
        return self._files.get_file_info(path)

    def makedirs(self, path, exist_ok):
        assert exist_ok
        # In an object store this would make an object, or a bucket.
        if not self._is_store():
            self._files.create_dir(path, recursive=True)

    def _is_store(self):
        inner = self._files
        while isinstance(inner, self._arrow.SubTreeFileSystem):
            inner = inner.base_fs
        return inner.type_name in ('s3', 'gcs', 'abfs')

    def open(self, path, mode):
        assert mode == 'wb'
        return self._files.open_output_stream(path)

    def exists(self, path):
        return self._info(path).type != self._arrow.FileType.NotFound

    def isdir(self, path):
        return self._info(path).type == self._arrow.FileType.Directory

    def size(self, path):
        info = self._info(path)
        if info.type != self._arrow.FileType.File:
            raise FileNotFoundError(path)
        return info.size

    def cat_file(self, path, start=None, end=None):
        with self._files.open_input_file(path) as file:
            if start is None:
                return file.read()
            return file.read_at(end - start, start)

    def ls(self, path, detail=False):
        assert not detail
        found = self._files.get_file_info(self._arrow.FileSelector(path))
        return [one.path for one in found]

    def rm_file(self, path):
        self._files.delete_file(path)

    def mv(self, source, target):
        self._files.move(source, target)


class _StoreOfObstore:
    """A store of obstore, as far as the package needs fsspec's methods.

    What is written appears when its file is closed. There are no folders: a
    name with a slash is a name.
    """

    protocol = 'obstore'

    def __init__(self, store):
        import obstore
        self._obstore = obstore
        self._store = store

    def _strip_protocol(self, name):
        return name.lstrip('/')

    def invalidate_cache(self, path=None):
        pass  # nothing is remembered

    def open(self, path, mode):
        assert mode == 'wb'
        return self._obstore.open_writer(self._store, path)

    def exists(self, path):
        try:
            self.size(path)
        except FileNotFoundError:
            return False
        return True

    def size(self, path):
        return self._obstore.head(self._store, path)['size']

    def cat_file(self, path, start=None, end=None):
        if start is None:
            return bytes(self._obstore.get(self._store, path).bytes())
        return self._obstore.get_range(self._store, path, start=start, end=end)

    def ls(self, path, detail=False):
        assert not detail
        found = self._obstore.list_with_delimiter(self._store, path)
        return [one['path'] for one in found['objects']]

    def isdir(self, path):
        return not self.exists(path) and bool(self.ls(path))

    def rm_file(self, path):
        self._obstore.delete(self._store, path)

    def mv(self, source, target):
        self._obstore.rename(self._store, source, target)


def as_fsspec(filesystem):
    """Returns the file system with the methods of fsspec."""
    package = type(filesystem).__module__.split('.', 1)[0]
    if package == 'pyarrow':
        return _FileSystemOfArrow(filesystem)
    if hasattr(filesystem, 'cat_file') and hasattr(filesystem, 'open'):
        return filesystem
    if any(base.__module__.split('.', 1)[0] == 'obstore'
           for base in type(filesystem).__mro__):
        return _StoreOfObstore(filesystem)
    raise InvalidArgumentError(
        f'filesystem: a {type(filesystem).__name__}; expected one of fsspec or '
        'pyarrow, or a store of obstore')
