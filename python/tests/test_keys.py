"""Encodings of keys: round trips and order, over values that are drawn."""

import datetime

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ashlar

DATES = st.dates()
TIMES = st.datetimes(timezones=st.just(datetime.timezone.utc)).map(
    lambda time: time.replace(fold=0))
# By encoding: what values it has, the type in Arrow, and the key's words when
# a column of that type has none.
KINDS = {
    'u32be': (st.integers(0, 2**32 - 1), pa.uint32()),
    'u64be': (st.integers(0, 2**64 - 1), pa.uint64()),
    'i32be': (st.integers(-2**31, 2**31 - 1), pa.int32()),
    'i64be': (st.integers(-2**63, 2**63 - 1), pa.int64()),
    'f32be': (st.floats(width=32, allow_nan=False), pa.float32()),
    'f64be': (st.floats(allow_nan=False), pa.float64()),
    'bytes': (st.binary(), pa.binary()),
    'text': (st.text(), pa.string()),
    'date': (DATES, pa.date32()),
    'timestamp': (TIMES, pa.timestamp('us', 'UTC')),
}


@st.composite
def columns(draw):
    """Draws encodings, and rows of values of them."""
    names = draw(st.lists(st.sampled_from(sorted(KINDS)), min_size=1,
                          max_size=3))
    descending = [draw(st.booleans()) for _ in names]
    encodings = []
    for i, (name, desc) in enumerate(zip(names, descending)):
        if name in ('bytes', 'text') and (desc or i + 1 < len(names)):
            name += ':terminated'
        encodings.append(name + ':desc' * desc)
    rows = draw(st.lists(st.tuples(*(KINDS[name][0] for name in names)),
                         min_size=1, max_size=20))
    return names, descending, encodings, rows


def signed(value):
    # -0.0 sorts before 0.0.
    return (value, str(value)[0] != '-') if isinstance(value, float) else value


def order_of(row, names, descending):
    """A key by which Python sorts rows as their bytes must sort."""
    class Reversed:
        def __init__(self, value):
            self.value = value

        def __lt__(self, other):
            return other.value < self.value

        def __eq__(self, other):
            return self.value == other.value

    parts = []
    for value, name, desc in zip(row, names, descending):
        value = value.encode() if name == 'text' else signed(value)
        parts.append(Reversed(value) if desc else value)
    return parts


@given(columns())
@settings(max_examples=300, deadline=None)
def test_keys_come_back_and_sort(drawn):
    names, descending, encodings, rows = drawn
    keys = [ashlar.encode_key(row, encodings) for row in rows]
    for row, key in zip(rows, keys):
        read = ashlar.decode_key(key, encodings)
        assert [repr(value) for value in read] == [repr(v) for v in row]
    by_bytes = sorted(range(len(rows)), key=lambda i: keys[i])
    by_values = sorted(range(len(rows)),
                       key=lambda i: order_of(rows[i], names, descending))
    assert [keys[i] for i in by_bytes] == [keys[i] for i in by_values]


@given(columns(), st.integers(1, 256) | st.none())
@settings(max_examples=60, deadline=None)
def test_tables_of_columns_come_back(tmp_path_factory, drawn, buckets):
    names, _, encodings, rows = drawn
    salt = [] if buckets is None else [ashlar.Salt(buckets)]
    keys = {ashlar.encode_key(row, salt + encodings): (row, i)
            for i, row in enumerate(rows)}
    table = pa.table({f'c{i}': pa.array([row[i] for row in rows],
                                        KINDS[name][1])
                      for i, name in enumerate(names)} |
                     {'value': pa.array(range(len(rows)), pa.int64())})
    folder = tmp_path_factory.mktemp('set')
    # The words of a column's type are those that its values were encoded by.
    words = [f'c{i}:{encoding}' if ':' in encoding else f'c{i}'
             for i, encoding in enumerate(encodings)]
    ashlar.write_tables(table, folder, key=salt + words, on_duplicate='last')
    view = ashlar.open_tables(folder)
    plain = [row for batch in view.scan() for row in batch.to_pylist()]
    assert plain == [(key, b'%d' % keys[key][1]) for key in sorted(keys)]
    stream = view.scan(key=salt + [f'c{i}:{encoding}'
                                   for i, encoding in enumerate(encodings)])
    read = pa.RecordBatchReader.from_stream(stream).read_all()
    read.validate(full=True)
    expected = [keys[key][0] for key in sorted(keys)]
    for i in range(len(names)):
        assert [signed(value) for value in read.column(i).to_pylist()
                ] == [signed(row[i]) for row in expected]
    found = view.multi_get(table.select(range(len(names))), key=salt + words)
    assert found.to_pylist() == [
        b'%d' % keys[ashlar.encode_key(row, salt + encodings)][1]
        for row in rows]


@given(st.binary(max_size=40), st.lists(st.sampled_from(sorted(KINDS)),
                                        min_size=1, max_size=3))
@settings(max_examples=300, deadline=None)
def test_foreign_keys_are_read_or_refused(key, encodings):
    try:
        values = ashlar.decode_key(key, encodings)
    except (ashlar.CorruptionError, UnicodeDecodeError, OverflowError,
            ValueError):
        return
    assert ashlar.encode_key(values, encodings) == key


def test_the_examples_of_the_page():
    for value, encoding, key in ((258, 'u32be', '00000102'),
                                 (258, 'u32be:desc', 'FFFFFEFD'),
                                 (-1, 'i32be', '7FFFFFFF'),
                                 (-1.5, 'f32be', '403FFFFF'),
                                 (b'a', 'bytes:terminated', '610001'),
                                 (b'a\0b', 'bytes:terminated', '6100FF620001'),
                                 (b'ab', 'bytes:length', '000000026162')):
        assert ashlar.encode_key(value, encoding).hex().upper() == key
    assert ashlar.encode_key(('eu', 7), ['text', 'u64be']).hex().upper() == (
        '657500010000000000000007')
    # zlib.crc32(b'abc') % 16
    import zlib
    assert ashlar.encode_key(b'abc', [ashlar.Salt(16), 'bytes']) == (
        bytes([zlib.crc32(b'abc') % 16]) + b'abc')


@pytest.mark.parametrize('value, encoding', [
    (-1, 'u32be'), (2**32, 'u32be'), (2**63, 'i64be'), (float('nan'), 'f64be'),
    (0.1, 'f32be'), ('text', 'bytes'), (b'a', 'i32be'), (1, 'nothing'),
    (b'a', 'bytes:desc'), (None, 'bytes'), ((1, 2), ['u32be'])])
def test_values_that_have_no_key(value, encoding):
    with pytest.raises(ashlar.InvalidArgumentError):
        ashlar.encode_key(value, encoding)
