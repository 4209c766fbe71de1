"""Writing many tables with a manifest, of rows in any order."""

import contextlib
import os
import secrets
from typing import NamedTuple

from . import _core, _data, _files, _manifest, _progress
from ._errors import FileError, FileMissingError, InvalidArgumentError
from ._writers import TableInfo


class TableSet(NamedTuple):
    """What write_tables has written."""

    manifest: str
    tables: list
    entries: int
    duplicates: int


class _RemoteSet:
    """The tables of a set in a file system of fsspec.

    Each table is there as a whole or not at all, and the manifest comes last,
    so a reader sees the old set or the new one. Names begin with digits that
    are drawn for each run, so runs that write one set at a time do not share
    any.
    """

    def __init__(self, given, filesystem, base, uri, overwrite):
        self._given = given
        self._filesystem = filesystem
        self._base = base
        self._uri = uri
        self._overwrite = overwrite
        self._run = f'{secrets.randbelow(10 ** 12):012}'
        self._file = None
        self._is_committed = False
        self.tables = []
        self.manifest = uri + _manifest.SUFFIX
        old = self._find_old()
        if old is not None and not overwrite:
            raise FileError('the set exists, and must not be replaced',
                            self.manifest)
        self._old = old or set()
        _files.make_folder(filesystem, base.rpartition('/')[0])

    def _find_old(self):
        """Returns the names that the manifest lists, or None if there is
        none."""
        try:
            return {table['path'] for table in
                    _manifest.read(self.manifest, filesystem=self._given)}
        except FileMissingError:
            return None

    def _name(self, number):
        return f'-{self._run}{number + 1:06}.sst'

    def begin(self, number):
        self._file = _files.RemoteOutput(self._filesystem,
                                         self._base + self._name(number))
        return self._file

    def end(self, number, info):
        self._file.commit()
        self._file = None
        self.tables.append(TableInfo(path=self._uri + self._name(number),
                                     **info))

    def drop(self, number):
        if self._file is not None:
            self._file.discard()
            self._file = None

    def commit(self):
        if self._overwrite:
            # Another run may have replaced the set meanwhile.
            self._old |= self._listed() or set()
        _manifest.write(self.manifest, self.tables, filesystem=self._given,
                        overwrite=self._overwrite)
        self._is_committed = True
        # What the old set had is no longer named. Rubbish does no harm.
        folder = self._base.rpartition('/')[0]
        for name in sorted(self._old):
            with contextlib.suppress(Exception):
                self._filesystem.rm_file(f'{folder}/{name}')

    def _listed(self):
        """Returns the names that the manifest lists now, or None if it cannot
        be read."""
        try:
            return self._find_old() or set()
        except Exception:
            return None

    def discard(self):
        """Removes what no manifest lists. Does nothing after commit()."""
        self.drop(None)
        if self._is_committed or not self.tables:
            return
        # A manifest may have been stored though its write failed: the answer
        # was lost, or an interrupt came after it. Then these tables are a set.
        listed = self._listed()
        if listed is None:
            return
        folder = self._base.rpartition('/')[0]
        names = {table.path.rpartition('/')[2] for table in self.tables}
        for name in sorted(names - listed):
            with contextlib.suppress(Exception):
                self._filesystem.rm_file(f'{folder}/{name}')
        self.tables = []


def _base_of(target):
    """Returns the first part of the names of a set in a folder."""
    name = os.fspath(target)
    if name.endswith('.sst'):
        return name[:-len('.sst')]
    return name.rstrip('/') + '/table'


def write_tables(data, target, key=None, value=None, sort=True,
                 memory=512 << 20, target_file_size=256 << 20,
                 on_duplicate='error', options=None, progress=None, *,
                 overwrite=False, temp_folder=None, threads=0,
                 filesystem=None):
    """Writes a set of tables, and a manifest that lists them, of `data`.

    The rows may be in any order and more than `memory` has room for. `target`
    is a folder, or a URI of one. Tables and manifest appear together or not at
    all. Returns a TableSet. See docs/python.md.
    """
    if target_file_size < 1:
        raise InvalidArgumentError('target_file_size: expected 1 or more')
    base = _base_of(target)
    path, used = _files.split(base, filesystem)
    remote = None
    if used is not None:
        remote = _RemoteSet(filesystem, used, path, base, overwrite)
    else:
        os.makedirs(os.path.dirname(path) or '.', exist_ok=True)
        path += '.sst'
    settings = {
        'target_file_size': target_file_size,
        'memory': memory,
        'expected_bytes': int(getattr(data, 'nbytes', 0) or 0),
        'temp_folder': os.fspath(temp_folder or ''),
        'threads': threads,
        'overwrite': overwrite,
        'is_sorted': not sort,
        'on_duplicate': on_duplicate,
    }
    callback, done = _progress.as_callback(progress)
    writer = None
    try:
        writer = _core.SetWriter(path if remote is None else base, remote,
                                 dict(options or {}), settings)
        writer.add_rows(_data.as_source(data), _data.form_of(key, value),
                        callback)
        result = writer.finish(callback)
        if remote is not None:
            remote.commit()
    except BaseException:
        if writer is not None:
            writer.abandon()
        if remote is not None:
            remote.discard()
        raise
    finally:
        done()
    if remote is not None:
        return TableSet(remote.manifest, remote.tables, result['entries'],
                        result['duplicates'])
    return TableSet(result['manifest'],
                    [TableInfo(**table) for table in result['tables']],
                    result['entries'], result['duplicates'])
