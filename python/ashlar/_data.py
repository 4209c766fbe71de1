"""What data the writers take, and how they come to be Arrow."""

import itertools

from . import _core, _values
from ._errors import InvalidArgumentError

# Of rows that are objects of Python. The bytes are few, so that the memory for
# sorting is what the caller says, and far from the 2 GiB of a batch's offsets.
_ROWS_AT_ONCE = 8192
_BYTES_AT_ONCE = 16 << 20
_SIZED = (bytes, str, bytearray, memoryview)


def _groups(rows):
    """Yields the rows as lists that are not large."""
    group, total = [], 0
    for row in rows:
        more = 0  # of bytes and text. No call: there are many rows
        try:
            for value in row.values() if isinstance(row, dict) else row:
                if isinstance(value, _SIZED):
                    more += (value.nbytes if type(value) is memoryview
                             else len(value))
        except TypeError:
            pass  # it is no row; who takes it says so
        if group and total + more > _BYTES_AT_ONCE:
            yield group
            group, total = [], 0
        group.append(row)
        total += more
        if len(group) == _ROWS_AT_ONCE:
            yield group
            group, total = [], 0
    if group:
        yield group


class _Batches:
    """Batches of an iterator of tuples or dicts."""

    def __init__(self, rows):
        self._groups = _groups(rows)
        self._done = 0
        self._names = None
        self._formats = []

    def __iter__(self):
        return self

    def _tuples(self, rows):
        if not isinstance(rows[0], dict):
            if self._names is None:
                self._names = _names_of(rows[0])
            return rows
        if self._names is None:
            self._names = list(rows[0])
        tuples = []
        for i, row in enumerate(rows):
            if not isinstance(row, dict) or len(row) != len(self._names):
                raise InvalidArgumentError(
                    f'row {self._done + i + 1}: expected a dict of '
                    f'{self._names}')
            try:
                tuples.append(tuple(row[name] for name in self._names))
            except KeyError as error:
                raise InvalidArgumentError(
                    f'row {self._done + i + 1}: no {error}') from None
        return tuples

    def __next__(self):
        rows = next(self._groups)
        batch = _core.batch_of_tuples(self._tuples(rows), self._names,
                                      self._done + 1, self._formats)
        self._done += len(rows)
        return batch


def _names_of(row):
    names = getattr(row, '_fields', None)  # of a named tuple
    if names is not None:
        return list(names)
    if not isinstance(row, (tuple, list)):
        raise InvalidArgumentError(
            f'row 1: a {type(row).__name__}; expected a tuple or a dict')
    if len(row) == 2:
        return ['key', 'value']
    return [str(i + 1) for i in range(len(row))]


_END = object()


def as_source(data):
    """Returns `data` as the extension module takes it."""
    if hasattr(data, '__arrow_c_stream__') or hasattr(data,
                                                      '__arrow_c_array__'):
        return data
    # Relations of DuckDB before they had the interface.
    for name in ('fetch_arrow_reader', 'fetch_record_batch'):
        if hasattr(data, name):
            return getattr(data, name)()
    if isinstance(data, (str, bytes)) or not hasattr(data, '__iter__'):
        raise TypeError(
            f'a {type(data).__name__} is no data; expected an object with '
            '__arrow_c_stream__, such as a table of Arrow, pandas, Polars or '
            'DuckDB, or rows')
    iterator = iter(data)
    first = next(iterator, _END)
    if first is _END:
        return _Batches(())
    rows = itertools.chain([first], iterator)
    if hasattr(first, '__arrow_c_array__'):  # record batches
        return iter(rows)
    return _Batches(rows)


def _texts(columns):
    if columns is None:
        return []
    if isinstance(columns, str):
        return [columns]
    return list(columns)


def form_of(key, value=None, keys_only=False):
    """Returns the form of rows, as the extension module takes it."""
    kind = 1
    salt = 0
    parts = [key] if isinstance(key, _values.Salt) else _texts(key)
    if parts and isinstance(parts[0], _values.Salt):
        salt = parts.pop(0).buckets
        if not parts:
            raise InvalidArgumentError('key: only a salt, and no column')
    if isinstance(value, _values.Json):
        kind = value._kind
        value = value.columns
    if keys_only:
        kind = 0
    return parts, _texts(value), kind, salt
