"""Files that are not local: objects with `write` or `read`, and fsspec's."""

import contextlib
import io
import os
import threading
import uuid

from . import _filesystems
from ._errors import FileError


def split(target, given=None):
    """Returns (path, None) for a local file, or (name, filesystem). `given` is
    the file system that the caller has passed, or None."""
    name = os.fspath(target)
    if isinstance(name, bytes):
        name = os.fsdecode(name)
    if given is not None:
        filesystem = _filesystems.as_fsspec(given)
        return filesystem._strip_protocol(name), filesystem
    if '://' not in name:
        return name, None
    scheme, rest = name.split('://', 1)
    if scheme in ('file', 'local'):
        return rest, None
    try:
        import fsspec
    except ImportError:
        raise FileError(
            f'{scheme}:// needs the package fsspec: pip install '
            'ashlar-sst[remote]', name) from None
    filesystem, path = fsspec.core.url_to_fs(name)
    return path, filesystem


# Stores that show nothing of a file before its last part is committed, and
# whose files of fsspec have commit() and discard().
_STORES_OF_PARTS = {'s3', 's3a', 'gs', 'gcs'}


# Stores whose folders are only names.
_STORES = _STORES_OF_PARTS | {'abfs', 'abfss', 'az', 'adl', 'obstore'}


def _protocols(filesystem):
    protocol = filesystem.protocol
    return {protocol} if isinstance(protocol, str) else set(protocol)


def make_folder(filesystem, path):
    """Makes a folder, where there are folders."""
    if path and _STORES.isdisjoint(_protocols(filesystem)):
        filesystem.makedirs(path, exist_ok=True)


def _writes_in_parts(filesystem):
    return not _STORES_OF_PARTS.isdisjoint(_protocols(filesystem))


def forget_listing(filesystem, folder):
    """Makes the next look at a folder, or at a file in it, a look at the store.

    Others write there too, and fsspec may remember a listing for ever.
    """
    with contextlib.suppress(FileNotFoundError):
        filesystem.invalidate_cache(folder)


def _is_there(filesystem, path):
    # Not `exists`, which takes every error for an absence.
    forget_listing(filesystem, path.rpartition('/')[0])
    try:
        filesystem.size(path)
        return True
    except FileNotFoundError:
        return False


def put(filesystem, path, content, overwrite):
    """Makes a small file, as a whole. One that exists is an error without
    `overwrite`.

    Of several callers without it one succeeds, if the store has conditional
    writes, as S3 has. Elsewhere the check and the write are two steps.
    """
    if not overwrite and _writes_in_parts(filesystem):
        # Some stores take the condition, and ignore it.
        if _is_there(filesystem, path):
            raise exists_error(path)
        try:
            filesystem.pipe_file(path, content, mode='create')
        except FileExistsError:
            raise exists_error(path) from None
        return
    output = RemoteOutput(filesystem, path, overwrite)
    try:
        output.write(content)
    except BaseException:
        output.discard()
        raise
    output.commit()


def exists_error(path):
    """The error of a file that exists, where it must not."""
    return FileError('the file exists, and must not be replaced', path)


class RemoteOutput:
    """A file of a file system that appears as a whole, by commit().

    Object stores get it in parts. Other file systems show what is written, so
    there it has another name until then.
    """

    def __init__(self, filesystem, path, overwrite=True):
        if not overwrite and _is_there(filesystem, path):
            raise exists_error(path)
        self._filesystem = filesystem
        self._path = path
        self._temporary = None
        if _writes_in_parts(filesystem):
            self._file = filesystem.open(path, 'wb', autocommit=False)
        else:
            self._temporary = f'{path}.tmp.{uuid.uuid4().hex}'
            self._file = filesystem.open(self._temporary, 'wb')

    def write(self, data):
        return self._file.write(data)

    def commit(self):
        try:
            self._file.close()
            if self._temporary is None:
                self._file.commit()
            else:
                self._filesystem.mv(self._temporary, self._path)
        except BaseException:
            self.discard()
            raise
        self._file = None

    def discard(self):
        """Removes what was written. Does nothing after commit()."""
        file, self._file = self._file, None
        if file is None:
            return
        # What went wrong before is what the caller wants to know; a store that
        # is lost can remove nothing.
        with contextlib.suppress(Exception):
            if self._temporary is None:
                # First of all: a file of fsspec that is not closed sends the
                # rest when it is destroyed, even if discard() has failed.
                file.closed = True
                file.discard()
                return
            file.close()
        if self._temporary is not None:
            with contextlib.suppress(Exception):
                self._filesystem.rm_file(self._temporary)


class RangeReader:
    """Reads ranges of a file of a file system, on any thread."""

    def __init__(self, filesystem, path, name):
        self.name = name
        self._filesystem = filesystem
        self._path = path
        forget_listing(filesystem, path.rpartition('/')[0])
        self.size = filesystem.size(path)
        if self.size is None:
            raise FileError('its size is not known', name)

    def read_at(self, offset, size):
        return self._filesystem.cat_file(self._path, start=offset,
                                         end=offset + size)


class FileReader:
    """Reads ranges of an object with `seek` and `read`, on any thread.

    The processes of a fork share the position of an open file of the system,
    so such a file is read without one. Other objects are copied by a fork; the
    child needs a reader of its own, since its copy of the lock may be taken.
    """

    def __init__(self, file):
        self.name = str(getattr(file, 'name', repr(file)))
        self._file = file
        self._lock = threading.Lock()
        # Also of the files of `tempfile`. A class of its own may read otherwise.
        self._is_of_system = type(getattr(file, 'raw', file)) is io.FileIO
        if self._is_of_system and file.writable():
            file.flush()
        self.size = file.seek(0, os.SEEK_END)

    def read_at(self, offset, size):
        if self._is_of_system:
            return _joined(offset, size, lambda at, left: os.pread(
                self._file.fileno(), left, at))
        with self._lock:
            self._file.seek(offset)
            return _joined(offset, size,
                           lambda at, left: self._file.read(left))


def _joined(offset, size, read):
    """Returns what read(offset, bytes) gives piece by piece, up to the end."""
    pieces = []
    while size > 0:
        piece = read(offset, size)
        if not piece:
            break
        pieces.append(piece)
        offset += len(piece)
        size -= len(piece)
    return pieces[0] if len(pieces) == 1 else b''.join(pieces)
