"""Writing one table."""

import atexit
import contextlib
import os
import weakref
from typing import NamedTuple

from . import _core, _data, _files, _progress
from ._errors import InvalidArgumentError


class TableInfo(NamedTuple):
    """What was written, as a manifest lists it."""

    path: str
    entries: int
    bytes: int
    smallest: bytes
    largest: bytes
    largest_is_exclusive: bool
    checksum: int


_writers = weakref.WeakSet()


def _end():
    """Ends the threads that may call Python, as long as there is Python."""
    for writer in list(_writers):
        with contextlib.suppress(Exception):
            writer.abandon()
    _core.end_calls()


atexit.register(_end)


class TableWriter:
    """Writes one table, of entries in the order of their keys.

    `target` is a path, a URI of fsspec, or an object with `write`, which is
    not closed. A file appears under its name when finish() has written all of
    it. As a context manager it finishes at the end of the block, and leaves no
    file if the block raises an exception. For one thread at a time.
    """

    def __init__(self, target, options=None, *, overwrite=True, sync=True,
                 filesystem=None):
        self._remote = None
        self._process = os.getpid()
        self.info = None
        name, file = _name_of(target), target
        if not hasattr(target, 'write'):
            name, remote = _files.split(target, filesystem)
            file = None
            if remote is not None:
                file = self._remote = _files.RemoteOutput(remote, name,
                                                          overwrite)
                name = str(target)
        try:
            self._writer = _core.TableWriter(name, file, dict(options or {}),
                                             overwrite, sync)
        except BaseException:
            self._discard()
            raise
        _writers.add(self)

    def put(self, key, value):
        self._writer.put(key, value)

    def delete(self, key):
        self._writer.delete(key)

    def merge(self, key, operand):
        self._writer.merge(key, operand)

    def delete_range(self, begin, end):
        self._writer.delete_range(begin, end)

    def put_many(self, data, key=None, value=None, *, progress=None):
        """Adds all rows of `data`. Returns how many. See docs/python.md."""
        callback, done = _progress.as_callback(progress)
        shown = callback and (lambda rows: callback({'step': 'writing',
                                                     'rows': rows}))
        try:
            return self._writer.put_rows(_data.as_source(data),
                                         _data.form_of(key, value), shown)
        finally:
            done()

    def finish(self):
        """Writes the rest, and names the file. Returns a TableInfo."""
        if self.info is not None:
            raise InvalidArgumentError('the table is finished')
        try:
            info = self._writer.finish()
            if self._remote is not None:
                self._remote.commit()
        except InvalidArgumentError:
            raise  # there are no entries, and may still be some
        except BaseException:
            self._discard()
            raise
        self.info = TableInfo(**info)
        return self.info

    def abandon(self):
        """Removes what was written. Does nothing after finish()."""
        self._writer.abandon()
        self._discard()

    def _discard(self):
        # The child of a fork leaves an upload to its parent.
        if (self._remote is not None and self.info is None and
                self._process == os.getpid()):
            self._remote.discard()

    @property
    def entries(self):
        return self._writer.entries

    @property
    def file_size(self):
        """About how large the file would be if it were finished now."""
        return self._writer.file_size

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind is not None or self.info is not None:
            self.abandon()
            return
        try:
            self.finish()
        except BaseException:
            self.abandon()
            raise


def _name_of(target):
    return str(getattr(target, 'name', None) or repr(target))


def write_table(data, target, key=None, value=None, options=None, *,
                overwrite=True, sync=True, progress=None, filesystem=None):
    """Writes one table of `data`, whose rows are in the order of their keys.

    `target` is as for TableWriter; docs/python.md says what the others are.
    Returns a TableInfo. After an exception there is no file.
    """
    with TableWriter(target, options, overwrite=overwrite, sync=sync,
                     filesystem=filesystem) as writer:
        writer.put_many(data, key, value, progress=progress)
    return writer.info
