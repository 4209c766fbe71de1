"""Single keys: bytes of columns, and columns of bytes."""

import datetime

from . import _core, _data, _values
from ._errors import CorruptionError, InvalidArgumentError


def _split(encodings):
    parts = [encodings] if isinstance(encodings, (str, _values.Salt)) else list(
        encodings)
    salt = parts.pop(0) if parts and isinstance(parts[0],
                                                _values.Salt) else None
    if not parts:
        raise InvalidArgumentError('encodings: there are none')
    return salt, parts


def _word(encoding):
    return encoding.split(':', 1)[0]


def _plain(encoding, value):
    word = _word(encoding)
    if word == 'text' and isinstance(value, str):
        return value.encode()
    if word == 'date' and isinstance(value, datetime.date):
        return _values.days(value)
    if word == 'timestamp' and isinstance(value, datetime.datetime):
        return _values.microseconds(value)
    if word == 'bytes' and isinstance(value, (bytearray, memoryview)):
        return bytes(value)
    return value


def encode_key(values, encodings):
    """Returns the bytes of a key of these values. See docs/python.md."""
    salt, parts = _split(encodings)
    if not isinstance(values, (tuple, list)):
        values = (values,)
    if len(values) != len(parts):
        raise InvalidArgumentError(
            f'{len(values)} values for {len(parts)} encodings')
    key = b''
    for i, (value, encoding) in enumerate(zip(values, parts)):
        if value is None:
            raise InvalidArgumentError(f'value {i + 1} is None')
        key = _core.append_column(key, encoding, i + 1 == len(parts),
                                  _plain(encoding, value))
    return _core.salt_of(key, salt.buckets) + key if salt else key


def decode_key(key, encodings):
    """Returns the tuple of the values that a key has."""
    salt, parts = _split(encodings)
    key = bytes(key)
    if salt:
        if key[:1] != _core.salt_of(key[1:], salt.buckets):
            raise CorruptionError('the key does not begin with its salt')
        key = key[1:]
    values = []
    for i, encoding in enumerate(parts):
        value, key = _core.read_column(key, encoding, i + 1 == len(parts))
        word = _word(encoding)
        if word == 'text':
            value = value.decode()
        elif word == 'date':
            value = _values.date_of(value)
        elif word == 'timestamp':
            value = _values.time_of(value)
        values.append(value)
    if key:
        raise CorruptionError(f'{len(key)} bytes follow the last column')
    return tuple(values)


def encode_rows(data, key=None, value=None):
    """Returns a batch with the columns "key" and "value", both of bytes: those
    of the rows of `data`, in its order, which need not be that of the keys.
    `data`, `key` and `value` are as for write_table."""
    return _core.encode_rows(_data.as_source(data), _data.form_of(key, value))
