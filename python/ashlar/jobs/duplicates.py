"""What becomes of rows with the same key: one of them is kept.

An engine's rows have no order of their own. So the caller names a column, and
the row with the smallest (`first`) or the largest value there (`last`) is kept.
Engines bring it to the tasks as the column `order`. NaN is its largest value.
"""

from .errors import BadRowsError

POLICIES = ('error', 'first', 'last')


def check_policy(on_duplicate, order_by, columns):
    """Raises ValueError if rows cannot be chosen so."""
    if on_duplicate not in POLICIES:
        raise ValueError(f'on_duplicate is {on_duplicate!r}; it must be one of '
                         f'{", ".join(POLICIES)}')
    if (on_duplicate == 'error') != (order_by is None):
        raise ValueError(
            "on_duplicate='first' and 'last' need order_by, the column that "
            'says which row is first; nothing else does')
    if order_by is not None and order_by not in columns:
        raise ValueError(f'there is no column {order_by!r} for order_by; the '
                         f'columns are {", ".join(columns)}')


def keep_one(batches, on_duplicate, place):
    """Yields the batches without `order`, and with one row of each key.

    Rows of one key must follow each other, and those of one batch be sorted by
    `order`. `place` is named in errors.
    """
    if on_duplicate == 'error':
        yield from batches
        return
    held = None  # the row of the last key so far: the next batch may have more
    for batch in batches:
        if batch.num_rows == 0:
            continue
        _check_order(batch, place)
        chosen = _one_of_each_key(batch, on_duplicate)
        if held is not None:
            begin = chosen.slice(0, 1)
            if _value(held, 'key') == _value(begin, 'key'):
                if _precedes(held, begin, on_duplicate):
                    begin = held
                chosen, held = chosen.slice(1), begin
                if chosen.num_rows == 0:
                    continue
            yield _without_order(held)
        last = chosen.num_rows - 1
        held = chosen.slice(last)
        if last > 0:
            yield _without_order(chosen.slice(0, last))
    if held is not None:
        yield _without_order(held)


def _check_order(batch, place):
    if 'order' not in batch.schema.names:
        raise BadRowsError(place, 'the rows have no column order, which '
                           'on_duplicate needs')
    if batch.column('order').null_count:
        raise BadRowsError(place, 'a row has no value in the column of '
                           'order_by (it is null)')


def _one_of_each_key(batch, on_duplicate):
    import pyarrow
    from pyarrow import compute
    keys = batch.column('key')
    last = len(keys) - 1
    # A null is equal to nothing; the task refuses it later.
    differs = compute.invert(compute.fill_null(
        compute.equal(keys.slice(1), keys.slice(0, last)), False))
    end = pyarrow.array([True])
    parts = [end, differs] if on_duplicate == 'first' else [differs, end]
    return batch.filter(pyarrow.concat_arrays(parts))


def _precedes(row, other, on_duplicate):
    """Returns whether `row` is kept rather than `other`, of the same key."""
    order, others = _rank(row), _rank(other)
    return order <= others if on_duplicate == 'first' else order > others


def _rank(row):
    """Returns the order of a row so that NaN is the largest, as in the
    engines' sorts."""
    order = _value(row, 'order')
    is_nan = order != order
    return is_nan, None if is_nan else order


def _value(row, column):
    return row.column(column)[0].as_py()


def _without_order(batch):
    return batch.select([name for name in batch.schema.names
                         if name != 'order'])
