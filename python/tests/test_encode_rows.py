"""Keys and values of rows as columns of bytes."""

import pytest

import ashlar

ROWS = [('b', 2, 1.5, b'x'), ('a', -1, -1.5, b'y'), ('', 0, 0.0, b'')]


def rows():
    return [dict(zip(('text', 'number', 'real', 'raw'), row)) for row in ROWS]


@pytest.mark.parametrize('key, encodings, places', [
    ('number', ['i64be'], [1]),
    ('number:i64be:desc', ['i64be:desc'], [1]),
    (['text', 'number'], ['text', 'i64be'], [0, 1]),
    ('real:f64be', ['f64be'], [2]),
    ([ashlar.Salt(7), 'number'], [ashlar.Salt(7), 'i64be'], [1]),
])
def test_rows_keep_their_order(key, encodings, places):
    encoded = ashlar.encode_rows(rows(), key, 'raw').to_pylist()
    assert encoded == [
        (ashlar.encode_key([row[place] for place in places], encodings),
         row[3]) for row in ROWS]


def test_values_may_be_of_several_columns():
    encoded = ashlar.encode_rows(rows(), 'text', ashlar.Json('number'))
    assert [value for _, value in encoded.to_pylist()] == [
        b'{"number":2}', b'{"number":-1}', b'{"number":0}']


def test_a_row_without_a_key_is_named():
    with pytest.raises(ashlar.InvalidArgumentError, match='row 2'):
        ashlar.encode_rows([('a', b'1'), (None, b'2')])


def test_no_rows_are_no_error():
    assert ashlar.encode_rows([]).to_pylist() == []
