"""Reading tables."""

import os

from . import _core, _data, _files, _manifest, _values
from ._errors import InvalidArgumentError

# Of values that were read, by default: of a local table the system's cache has
# the file too.
_CACHE_BYTES = 64 << 20


def _bytes(key):
    if key is None or isinstance(key, bytes):
        return key
    if isinstance(key, str):
        return key.encode()
    view = memoryview(key)
    if view.ndim != 1:  # a number of numpy
        raise TypeError('a key is bytes or text; encode_key makes one of a '
                        'number')
    return view.tobytes()


class _View:
    """What one table and many have in common."""

    def __init__(self, levels, options, cache_bytes):
        # Levels of (name, what opens the file or None), the newest first.
        self._levels = levels
        self._options = dict(options or {})
        self._cache_bytes = cache_bytes
        self._open()

    def _open(self):
        sources = [(level, name, opener() if opener else None)
                   for level, tables in enumerate(self._levels)
                   for name, opener in tables]
        self._process = os.getpid()
        self._tables = _core.Tables(sources, self._options, self._cache_bytes)

    def _here(self):
        """Returns the open tables; in the child of a fork opens them again,
        since threads and connections stay with the parent."""
        if self._tables is None:
            raise InvalidArgumentError('the tables are closed')
        if self._process != os.getpid():
            self._open()
        return self._tables

    def get(self, key):
        """Returns the value of a key, or None."""
        return self._here().get(_bytes(key))

    def multi_get(self, keys, key=None):
        """Returns the values of many keys as one array of Arrow (large
        binary), with a null for each key that is not there. `keys` is a list
        of bytes, or anything that Arrow has; `key` says which columns of it
        are a key, as for write_table."""
        if isinstance(keys, (list, tuple)) and keys and isinstance(
                keys[0], (bytes, bytearray, memoryview)):
            keys = _core.batch_of_tuples([(one,) for one in keys], ['key'], 1,
                                         [])
        elif isinstance(keys, (list, tuple)) and not keys:
            keys = _core.batch_of_tuples([], ['key'], 1, [])
        return self._here().multi_get(_data.as_source(keys),
                                      _data.form_of(key, keys_only=True))

    def scan(self, lower=None, upper=None, columns=None, *, key=None,
             batch_rows=16384, limit=None, readahead=0):
        """Returns the rows with lower <= key < upper as a stream of batches:
        an object with `__arrow_c_stream__`, and an iterator. `columns` has the
        names of those that are wanted: "key" and "value". `key` says what keys
        consist of, such as ["tenant:text", "id:u64be"]; these columns then
        take the place of "key"."""
        wanted = ['key', 'value'] if columns is None else list(columns)
        for name in wanted:
            if name not in ('key', 'value'):
                raise InvalidArgumentError(
                    f"columns: there is no '{name}'; expected key or value")
        if not wanted:
            raise InvalidArgumentError('columns: expected key or value')
        parts, is_salted = _parts_of(key if 'key' in wanted else None)
        if batch_rows < 1:
            raise InvalidArgumentError('batch_rows: expected 1 or more')
        return self._here().scan(
            _bytes(lower), _bytes(upper), 'key' in wanted, 'value' in wanted,
            parts, is_salted, batch_rows,
            (1 << 64) - 1 if limit is None else limit, readahead)

    def close(self):
        self._tables = None

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()


def _parts_of(key):
    if key is None:
        return [], False
    parts = [key] if isinstance(key, str) else list(key)
    is_salted = bool(parts) and isinstance(parts[0], _values.Salt)
    return parts[1:] if is_salted else parts, is_salted


class TableReader(_View):
    """One table: a path, a URI of fsspec, or a file that can seek and read.

    Any number of threads may use it. After a fork, so may the child.
    """

    def __init__(self, source, options=None, *, cache_bytes=_CACHE_BYTES,
                 filesystem=None):
        super().__init__([[_source_of(source, filesystem)]], options,
                         cache_bytes)

    def properties(self):
        """Returns the properties of the file, as it stores them."""
        return self._here().properties(0)

    def verify(self):
        """Reads and checks every block. Raises the first fault, with its
        offset. Returns how much was checked."""
        return self._here().verify(0)

    @property
    def entries(self):
        return self._here().entries(0)


class Tables(_View):
    """Many tables as one: newer ones hide older ones."""

    def verify(self):
        """Checks every table. Raises the first fault."""
        tables = self._here()
        checked = [tables.verify(i) for i in range(len(tables))]
        return {name: sum(one[name] for one in checked)
                for name in ('blocks', 'bytes')}

    def __len__(self):
        return len(self._here())


def _source_of(source, given):
    if hasattr(source, 'read') and hasattr(source, 'seek'):
        name = _files.FileReader(source).name
        return name, lambda: _files.FileReader(source)
    name, filesystem = _files.split(source, given)
    if filesystem is None:
        return name, None
    uri = str(source)

    def opener():
        path, again = _files.split(uri, given)  # of this process
        return _files.RangeReader(again, path, uri)

    return uri, opener


def open_tables(sources, options=None, *, cache_bytes=_CACHE_BYTES,
                filesystem=None):
    """Opens many tables as one view.

    `sources` is a manifest (a path or URI that ends in "-manifest.json"), a
    folder with one, or a list of tables and manifests from the oldest to the
    newest. A newer one hides the keys of older ones that it has or deletes, as
    if RocksDB had ingested them in this order.
    """
    if isinstance(sources, (str, os.PathLike)):
        sources = [sources]
    sources = list(sources)
    if not sources:
        raise InvalidArgumentError('there are no tables')
    levels = []
    for source in sources:
        shards = None
        if not hasattr(source, 'read'):
            shards = _manifest.tables_of(source, filesystem)
        for tables in [[source]] if shards is None else shards:
            levels.append([_source_of(one, filesystem) for one in tables])
    levels.reverse()
    return Tables(levels, options, cache_bytes)
