"""The exceptions of the package, and how they come of the library's errors."""

import errno
import re

# As in ashlar/util/status.h.
(_NOT_FOUND, _CORRUPTION, _NOT_SUPPORTED, _INVALID_ARGUMENT, _IO_ERROR,
 _MERGE_IN_PROGRESS, _ABORTED, _MEMORY_LIMIT, _INCOMPLETE,
 _TIMED_OUT) = range(1, 11)
_PATH_NOT_FOUND, _PERMISSION_DENIED, _NO_SPACE = 1, 2, 3
_KEY_OUT_OF_ORDER, _DUPLICATE_KEY = 16, 17


class Error(Exception):
    """An error of the library.

    `reason` says what is wrong. `file` names the file, or is None. `offset` is
    the place in the file in bytes, or None.
    """

    def __init__(self, reason, file=None, offset=None):
        super().__init__(reason)
        self.reason = reason
        self.file = file
        self.offset = offset

    def __reduce__(self):
        return type(self), (self.reason, self.file, self.offset)

    def __str__(self):
        if self.file and self.file not in self.reason:
            return f'{self.file}: {self.reason}'
        return self.reason


class CorruptionError(Error):
    """The bytes of a file contradict the format."""


class NotSupportedError(Error, NotImplementedError):
    """The file is valid, but of a kind that is not read."""


class InvalidArgumentError(Error, ValueError):
    """The caller asked for something impossible, or a row is wrong."""


class KeyOrderError(InvalidArgumentError):
    """A key is not larger than the one before it."""


class DuplicateKeyError(KeyOrderError):
    """A key comes twice."""


class FileError(Error, OSError):
    """The operating system, or an object store, refused or failed."""


class FileMissingError(FileError, FileNotFoundError):
    """A file or folder does not exist."""


class MemoryLimitError(Error, MemoryError):
    """Memory is out, or a limit forbids more of it."""


_CLASSES = {
    _CORRUPTION: CorruptionError,
    _NOT_SUPPORTED: NotSupportedError,
    _INVALID_ARGUMENT: InvalidArgumentError,
    _IO_ERROR: FileError,
    _MERGE_IN_PROGRESS: NotSupportedError,
    _MEMORY_LIMIT: MemoryLimitError,
}
# Subcodes that have a class.
_SUBCODES = {
    _PATH_NOT_FOUND: FileMissingError,
    _KEY_OUT_OF_ORDER: KeyOrderError,
    _DUPLICATE_KEY: DuplicateKeyError,
}
_ERRNOS = {
    _PATH_NOT_FOUND: errno.ENOENT,
    _PERMISSION_DENIED: errno.EACCES,
    _NO_SPACE: errno.ENOSPC,
}


def make(code, subcode, text, file, cause=None):
    """Returns the exception for a Status. Called by the extension module."""
    kind = _SUBCODES.get(subcode) or _CLASSES.get(code, Error)
    if code == _MERGE_IN_PROGRESS:
        text = text or 'the key has merge operands, which nobody can merge'
    place = re.search(r'\boffset (\d+)', text)
    error = kind(text, file or None, int(place[1]) if place else None)
    if subcode in _ERRNOS:
        error.errno = _ERRNOS[subcode]
    error.__cause__ = cause
    return error
