"""Keys and values of rows, before an engine sorts them."""

from .. import _errors
from .._keys import encode_rows
from .._values import Json, Salt
from .errors import BadRowsError


def encode_batch(batch, key, value, place, order_by=None):
    """Returns an Arrow record batch with the binary columns key and value.

    With `order_by`, the values of that column are the column order. `place` is
    named in errors.
    """
    import pyarrow
    try:
        rows = pyarrow.record_batch(encode_rows(batch, key, value))
    except _errors.InvalidArgumentError as error:
        raise BadRowsError(place, error.reason) from error
    if order_by is None:
        return rows
    order = batch.column(order_by)
    if isinstance(order, pyarrow.ChunkedArray):
        order = order.combine_chunks()
    return pyarrow.record_batch([rows.column('key'), rows.column('value'),
                                 order], ['key', 'value', 'order'])


def columns_of(key, value):
    """Returns the names of the columns that a key and a value need.

    None: all columns, since the value has all that are not in the key.
    """
    if isinstance(value, Json):
        value = value.columns
    value = [value] if isinstance(value, str) else list(value or [])
    if not value:
        return None
    key = [key] if isinstance(key, (str, Salt)) else list(key)
    named = [part for part in key if not isinstance(part, Salt)] + value
    return list(dict.fromkeys(part.split(':', 1)[0] for part in named))
