"""A folder of tables, on a local disk or in an object store.

A `Folder` names its place by a URI and is small, so that tasks on other
machines get a copy. A path without a scheme, or with `file://`, is local (or on
a file system that all machines share) and needs no other package. Any other
scheme is one of fsspec's, such as `s3://bucket/folder`.

A file appears under its name when it is complete, or not at all: locally by a
rename, in an object store because an upload is completed by its last request.
A class of your own that derives from `Folder` can stand for any other storage;
it has to be importable by the tasks, and is passed instead of a URI.
Objects of this module may be used by one thread at a time.
"""

import contextlib
import os
import posixpath
import secrets
import warnings

from .. import _files
from .errors import StorageError


class Folder:
    """The files of one folder. `storage_options` are fsspec's."""

    def __init__(self, uri, storage_options=None):
        self.uri = os.fspath(uri).rstrip('/') or '/'
        self.storage_options = dict(storage_options or {})
        self._files = None

    def __getstate__(self):
        return {**self.__dict__, '_files': None}

    @staticmethod
    def of(place, storage_options=None):
        """Returns a Folder of a URI. `place` may be a Folder already."""
        if isinstance(place, Folder):
            return place
        return Folder(place, storage_options)

    @property
    def is_local(self):
        return '://' not in self.uri or self.uri.startswith('file://')

    @property
    def files(self):
        """The calls of the file system, opened at the first use."""
        if self._files is None:
            self._files = (LocalFiles(self.uri) if self.is_local else
                           RemoteFiles(self.uri, self.storage_options))
        return self._files

    def path(self, name):
        return self.uri + '/' + name

    def _call(self, what, name, function, *arguments):
        try:
            return function(*arguments)
        except StorageError:
            raise
        except Exception as error:
            raise StorageError(self.path(name),
                               f'cannot be {what}: {error}') from error

    def make(self):
        """Makes the folder, where the file system has folders."""
        self._call('made', '', self.files.make)

    def create(self, name):
        """Opens a new file: `write`, then `commit` or `discard`."""
        return self._call('created', name, self.files.create, name)

    def local_path(self, name):
        """Returns the path of a file that may be written directly, or None."""
        return self.files.local_path(name)

    def source(self, name):
        """Returns (name, opener) of a table, as the library reads it."""
        path = self.local_path(name)
        if path is not None:
            return path, None
        return self.path(name), lambda: self._call(
            'opened', name, self.files.open_random, name, self.path(name))

    def read(self, name):
        """Returns all bytes, or None if there is no such file."""
        try:
            return self.files.read(name)
        except FileNotFoundError:
            return None
        except Exception as error:
            raise StorageError(self.path(name),
                               f'cannot be read: {error}') from error

    def pieces(self, name, piece_bytes):
        """Yields the bytes of a file, `piece_bytes` at a time."""
        file = self._call('opened', name, self.files.open, name)
        with file:
            while piece := self._call('read', name, file.read, piece_bytes):
                yield piece

    def sizes(self, prefix):
        """Returns the names that begin with `prefix`, each with its bytes."""
        return self._call('listed', prefix, self.files.sizes, prefix)

    def exists(self, name):
        return self._call('looked up', name, self.files.exists, name)

    def remove(self, name):
        """Removes a file. One that is not there is no error."""
        try:
            self.files.remove(name)
        except FileNotFoundError:
            pass
        except Exception as error:
            raise StorageError(self.path(name),
                               f'cannot be removed: {error}') from error

    def remove_all(self, names):
        """Removes files. If some cannot be removed, raises the first cause
        when all others are gone."""
        first = None
        for name in names:
            try:
                self.remove(name)
            except StorageError as error:
                first = first or error
        if first is not None:
            raise first

    def remove_after_error(self, names):
        """Removes files, for a caller that is about to raise an error.

        A file that cannot be removed neither keeps others nor hides that
        error: it is a warning, with the first cause.
        """
        left = []
        for name in names:
            try:
                self.remove(name)
            except Exception as error:
                left.append(error)
        if left:
            # Warnings may be errors.
            with contextlib.suppress(Warning):
                warnings.warn(f'{left[0]}; {len(left)} of the files that were '
                              'to be removed may be left', stacklevel=2)

    def uploads(self, prefix):
        """Returns the uploads of files whose names begin with `prefix`.

        They are of files that are being written, or that killed tasks have
        left, where a store has uploads. Pairs of the name and anything that
        end_upload knows it by.
        """
        return self._call('cleaned', prefix, self.files.uploads, prefix)

    def end_upload(self, name, upload):
        """Ends an upload: its file never appears."""
        self._call('cleaned', name, self.files.end_upload, name, upload)

    def end_uploads(self, prefix):
        """Ends all these uploads."""
        for name, upload in self.uploads(prefix):
            self.end_upload(name, upload)

    def put(self, name, content, replace):
        """Makes a small file. Returns False if there is one, and not `replace`.

        Of several callers without `replace`, one gets True, if the store has
        conditional writes, as S3 has. Elsewhere the check and the write are
        two steps.
        """
        return self._call('written', name, self.files.put, name, content,
                          replace)


class LocalFiles:
    """Files of a POSIX file system."""

    def __init__(self, uri):
        path = uri[len('file://'):] if uri.startswith('file://') else uri
        self.folder = os.path.abspath(path)

    def _path(self, name):
        return os.path.join(self.folder, name)

    def local_path(self, name):
        return self._path(name)

    def make(self):
        os.makedirs(self.folder, exist_ok=True)

    def create(self, name):
        return LocalFile(self._path(name))

    def read(self, name):
        with open(self._path(name), 'rb') as file:
            return file.read()

    def open(self, name):
        return open(self._path(name), 'rb', buffering=0)

    def sizes(self, prefix):
        found = {}
        for entry in os.scandir(self.folder):
            if not entry.name.startswith(prefix) or not entry.is_file():
                continue
            # A task that still runs may have renamed it meanwhile.
            with contextlib.suppress(FileNotFoundError):
                found[entry.name] = entry.stat().st_size
        return found

    def exists(self, name):
        return os.path.exists(self._path(name))

    def remove(self, name):
        os.unlink(self._path(name))

    def uploads(self, prefix):
        return []  # an unfinished file has a name, which sizes() lists

    def put(self, name, content, replace):
        file = LocalFile(self._path(name))
        try:
            file.write(content)
            return file.commit(replace)
        except BaseException:
            file.discard()
            raise


class LocalFile:
    """A file that gets its name when it is complete."""

    def __init__(self, path):
        self.path = path
        # names.job_of_table() knows this form.
        self._unfinished = f'{path}.tmp.{secrets.token_hex(8)}'
        self._file = open(self._unfinished, 'xb', buffering=0)

    def write(self, data):
        view = memoryview(data).cast('B')
        total = len(view)
        while view:
            view = view[self._file.write(view):]
        return total

    def commit(self, replace=True):
        os.fsync(self._file.fileno())
        self._file.close()
        if replace:
            os.replace(self._unfinished, self.path)
        else:
            try:
                os.link(self._unfinished, self.path)
            except FileExistsError:
                return False
            finally:
                os.unlink(self._unfinished)
        folder = os.open(os.path.dirname(self.path), os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
        return True

    def discard(self):
        self._file.close()
        try:
            os.unlink(self._unfinished)
        except FileNotFoundError:
            pass


class RemoteFiles:
    """Objects of a store, through fsspec."""

    def __init__(self, uri, storage_options):
        try:
            import fsspec
        except ImportError as error:
            raise StorageError(
                uri, 'needs the package fsspec, and that of its scheme, '
                'such as s3fs') from error
        self.system, self.folder = fsspec.core.url_to_fs(
            uri, **storage_options)

    def _path(self, name):
        return posixpath.join(self.folder, name)

    def local_path(self, name):
        return None

    def open_random(self, name, path):
        """Opens a file of which ranges are read, as the library does it."""
        return _files.RangeReader(self.system, self._path(name), path)

    def make(self):
        # Stores without folders have nothing to make; s3fs would take the call
        # as a wish for a bucket.
        if 's3' not in str(self.system.protocol):
            self.system.makedirs(self.folder, exist_ok=True)

    def create(self, name):
        return _files.RemoteOutput(self.system, self._path(name), True)

    def read(self, name):
        return self.system.cat_file(self._path(name))

    def open(self, name):
        return self.system.open(self._path(name), 'rb', cache_type='none')

    def sizes(self, prefix):
        self.system.invalidate_cache(self.folder)
        try:
            found = self.system.find(self.folder, detail=True, prefix=prefix)
        except FileNotFoundError:
            return {}
        beginning = self._path('')
        names = {path[len(beginning):]: info['size']
                 for path, info in found.items()}
        return {name: size for name, size in names.items()
                if name.startswith(prefix) and '/' not in name}

    def exists(self, name):
        # Not system.exists, which takes every error for an absence.
        self.system.invalidate_cache(self.folder)
        try:
            self.system.info(self._path(name))
            return True
        except FileNotFoundError:
            return False

    def remove(self, name):
        self.system.rm_file(self._path(name))
        self.system.invalidate_cache(self.folder)

    def uploads(self, prefix):
        if not hasattr(self.system, 'abort_mpu'):
            return []
        bucket, key, _ = self.system.split_path(self._path(prefix))
        beginning = len(key) - len(prefix)
        found, place, has_more = [], {}, True
        while has_more:
            answer = self.system.call_s3('list_multipart_uploads',
                                         Bucket=bucket, Prefix=key, **place)
            found += [(one['Key'][beginning:], one['UploadId'])
                      for one in answer.get('Uploads', [])]
            has_more = answer.get('IsTruncated')
            if has_more:
                place = {'KeyMarker': answer['NextKeyMarker'],
                         'UploadIdMarker': answer['NextUploadIdMarker']}
        return found

    def end_upload(self, name, upload):
        bucket, key, _ = self.system.split_path(self._path(name))
        try:
            self.system.abort_mpu(bucket, key, upload)
        except FileNotFoundError:
            pass  # it has ended meanwhile

    def put(self, name, content, replace):
        if not replace and self.exists(name):
            return False
        try:
            self.system.pipe_file(self._path(name), content,
                                  mode='overwrite' if replace else 'create')
        except FileExistsError:
            return False
        self.system.invalidate_cache(self.folder)
        return True
