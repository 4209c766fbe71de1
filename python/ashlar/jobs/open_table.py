"""A table that a task is writing."""

from .. import _errors
from .._writers import TableWriter
from .errors import BadRowsError, StorageError
from .manifest import Table


class OpenTable:
    """One table, built while its bytes go to the folder."""

    def __init__(self, folder, name, shard, options):
        self._path = folder.path(name)
        self._name = name
        self._shard = shard
        self._file = None
        path = folder.local_path(name)
        if path is None:
            self._file = folder.create(name)
        try:
            self._writer = TableWriter(
                self._file or path, options, overwrite=False)
        except _errors.FileError as error:
            self.discard()
            raise StorageError(self._path, error.reason) from error
        except BaseException:  # such as options that are wrong
            self.discard()
            raise

    @property
    def file_bytes(self):
        return self._writer.file_size

    def add(self, batch):
        """Adds rows with the columns `key` and `value`, both of bytes."""
        self._call(self._writer.put_many, batch, 'key:bytes', 'value:bytes')

    def finish(self):
        """Completes the table, which then has its name. Returns a Table."""
        info = self._call(self._writer.finish)
        if self._file is not None:
            self._commit()
        return Table(self._name, info.smallest, info.largest, info.entries,
                     info.bytes, info.checksum, self._shard,
                     info.largest_is_exclusive)

    def _commit(self):
        try:
            self._file.commit()
        except Exception as error:  # any store has errors of its own
            raise StorageError(self._path, f'cannot be written: {error}'
                               ) from error

    def _call(self, function, *arguments):
        try:
            return function(*arguments)
        except _errors.InvalidArgumentError as error:
            raise BadRowsError(self._path, error.reason) from error
        except OSError as error:
            reason = getattr(error, 'reason', None) or str(error)
            raise StorageError(self._path, f'cannot be written: {reason}'
                               ) from error

    def discard(self):
        """Removes what was written, unless the table has its name."""
        try:
            if hasattr(self, '_writer'):
                self._writer.abandon()
        finally:
            if self._file is not None:
                self._file.discard()
