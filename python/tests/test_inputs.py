"""Data of other libraries, and rows of Python."""

import collections
import datetime
import json

import duckdb
import numpy
import pandas
import polars
import pyarrow as pa
import pytest

import ashlar


def read(path, **options):
    return [row for batch in ashlar.TableReader(path).scan(**options)
            for row in batch.to_pylist()]


COLUMNS = {'id': [1, 2, 300], 'name': ['a', 'b', 'c'],
           'score': [0.5, -1.0, 2.25]}
EXPECTED = [(i, {'name': n, 'score': s}) for i, n, s in
            zip(*COLUMNS.values())]


@pytest.mark.parametrize('make', [
    pa.table, pandas.DataFrame, polars.DataFrame,
    lambda columns: duckdb.from_arrow(pa.table(columns)),
    lambda columns: pa.table(columns).to_reader(),
    lambda columns: iter(pa.table(columns).to_batches()),
    lambda columns: pa.RecordBatch.from_pydict(columns),
    lambda columns: (dict(zip(columns, row))
                     for row in zip(*columns.values())),
    lambda columns: map(collections.namedtuple('Row', columns)._make,
                        zip(*columns.values())),
], ids=['arrow', 'pandas', 'polars', 'duckdb', 'reader', 'batches', 'batch',
        'dicts', 'named'])
def test_a_frame_becomes_a_table(tmp_path, make):
    ashlar.write_table(make(COLUMNS), tmp_path / 't.sst', key='id',
                       value=['name', 'score'])
    rows = read(tmp_path / 't.sst', key=['id:i64be'])
    assert [(i, json.loads(value)) for i, value in rows] == EXPECTED


def test_the_arrays_are_read_by_others(tmp_path):
    ashlar.write_table(COLUMNS and pa.table(COLUMNS), tmp_path / 't.sst',
                       key='id', value='name')
    reader = ashlar.TableReader(tmp_path / 't.sst')
    keys = [ashlar.encode_key(i, 'i64be') for i in (2, 5)]
    assert polars.Series(reader.multi_get(keys)).to_list() == [b'b', None]
    assert polars.DataFrame(reader.scan())['value'].to_list() == [
        b'a', b'b', b'c']
    stream = reader.scan(key='id:i64be')
    assert duckdb.from_arrow(pa.table(stream)).fetchall() == [
        (1, b'a'), (2, b'b'), (300, b'c')]
    # Keys as columns of a frame.
    found = reader.multi_get(polars.Series([300, 7, 1]))
    assert found.to_pylist() == [b'c', None, b'a']


def test_slices_and_chunks_keep_their_rows(tmp_path):
    table = pa.table({'key': pa.chunked_array([[b'a', b'b'], [], [b'c']]),
                      'value': pa.chunked_array([[b'1'], [b'2', b'3']])})
    ashlar.write_table(table.slice(1), tmp_path / 't.sst')
    assert read(tmp_path / 't.sst') == [(b'b', b'2'), (b'c', b'3')]
    struct = pa.StructArray.from_arrays(
        [pa.array([b'a', b'b', b'c']), pa.array([b'1', b'2', b'3'])],
        ['key', 'value']).slice(1)
    ashlar.write_table(pa.RecordBatch.from_struct_array(struct),
                       tmp_path / 't.sst')
    assert read(tmp_path / 't.sst') == [(b'b', b'2'), (b'c', b'3')]


def test_dictionaries_views_and_large_columns(tmp_path):
    for kind in (pa.large_binary(), pa.binary_view(), pa.string(),
                 pa.large_string(), pa.string_view(),
                 pa.dictionary(pa.int8(), pa.string()), pa.binary(1)):
        array = pa.array(['a', 'b', 'c']).cast(kind) if not (
            pa.types.is_fixed_size_binary(kind)) else pa.array(
                [b'a', b'b', b'c'], kind)
        ashlar.write_table(pa.table({'key': array, 'value': array}),
                           tmp_path / 't.sst')
        assert read(tmp_path / 't.sst') == [(b'a', b'a'), (b'b', b'b'),
                                            (b'c', b'c')], kind


def test_values_of_message_pack(tmp_path):
    row = {'none': None, 'yes': True, 'small': -7, 'large': 1 << 40,
           'real': 1.5, 'text': 'ü' * 40, 'bytes': b'\x00\xff',
           'list': [1, None, 300], 'map': {'a': 1, 'b': 'x'},
           'day': datetime.date(2024, 2, 29)}
    table = pa.Table.from_pylist([{'id': 1, **row}])
    ashlar.write_table(table, tmp_path / 't.sst', key='id',
                       value=ashlar.MessagePack())
    value = ashlar.decode_message_pack(
        ashlar.TableReader(tmp_path / 't.sst').get(
            ashlar.encode_key(1, 'i64be')))
    assert value == {**row, 'day': '2024-02-29'}
    for size in range(len(value)):
        with pytest.raises(ValueError):
            ashlar.decode_message_pack(b'\x93\x01\xa5abcde\xcb'[:size + 1])


def test_the_columns_that_are_missing_are_named(tmp_path):
    for key, value, message in (('no', None, "no column 'no'; there are 'id'"),
                                ('id', 'no', "no column 'no'"),
                                (None, None, '3 columns'),
                                (['id', 'name', 'score'], None, 'no column'),
                                ('id:u16be', 'name', 'u16be')):
        with pytest.raises(ashlar.InvalidArgumentError, match=message):
            ashlar.write_table(pa.table(COLUMNS), tmp_path / 't.sst', key,
                               value)
    for data in (7, 'text', b'bytes', None, [7], [None]):
        with pytest.raises((TypeError, ashlar.InvalidArgumentError)):
            ashlar.write_table(data, tmp_path / 't.sst')
    assert list(tmp_path.iterdir()) == []


def test_columns_of_one_name(tmp_path):
    """Which of them is meant is unknown."""
    for names, key, value in ((['x', 'x'], None, None), (['', ''], None, None),
                              (['x', 'x'], 'x', None),
                              (['id', 'x', 'x'], 'id', 'x'),
                              (['id', 'x', 'x'], 'id', None),
                              (['id', 'x', 'x'], 'id', ['x']),
                              (['x', 'x', 'v'], ['x:text'], 'v')):
        data = pa.table([[b'a', b'b']] * len(names), names=names)
        with pytest.raises(ashlar.InvalidArgumentError,
                           match=f"column '{max(names, key=names.count)}' "
                                 'twice'):
            ashlar.write_table(data, tmp_path / 't.sst', key, value)
    assert list(tmp_path.iterdir()) == []


def test_bytes_that_are_to_be_text_are_checked(tmp_path):
    for column, place in (([b'a', b'\xff'], 2), ([b'a', b'b'], None)):
        data = pa.table({'k': column, 'v': [b'1', b'2']})
        other = pa.table({'k': [b'1', b'2'], 'v': column})
        for rows, key, value in ((data, 'k:text', 'v'),
                                 (other, 'k', 'v:text')):
            write = (lambda: ashlar.write_table(rows, tmp_path / 't.sst', key,
                                                value))
            if place is None:
                write()
                continue
            with pytest.raises(ashlar.InvalidArgumentError,
                               match=f'row {place}: .*UTF-8'):
                write()


def test_rows_that_begin_with_none(tmp_path):
    rows = [None, (b'a', b'1')]
    with ashlar.TableWriter(tmp_path / 't.sst') as writer:
        with pytest.raises(ashlar.InvalidArgumentError, match='row 1: '):
            writer.put_many(rows)
        writer.put(b'a', b'1')
    with pytest.raises(ashlar.InvalidArgumentError, match='row 1: '):
        ashlar.encode_rows(rows)
    with pytest.raises((TypeError, ashlar.InvalidArgumentError)):
        ashlar.TableReader(tmp_path / 't.sst').multi_get([None, b'a'])


def test_whole_numbers_among_floats_are_exact(tmp_path):
    rows = [(0.5, b'1'), (2, b'2'), (2**53, b'3'), (2**60, b'4')]
    ashlar.write_table(rows, tmp_path / 't.sst')
    assert read(tmp_path / 't.sst', key='id:f64be') == rows
    for number, message in ((2**53 + 1, 'is not exactly a float'),
                            (10**400, 'does not fit into a float')):
        with pytest.raises(ashlar.InvalidArgumentError,
                           match=f"row 2: column 'key': .*{message}"):
            ashlar.write_table([(0.5, b'1'), (number, b'2')],
                               tmp_path / 'u.sst')
    assert not (tmp_path / 'u.sst').exists()


def test_a_batch_of_another_shape_is_refused(tmp_path):
    batches = iter([pa.RecordBatch.from_pydict({'key': [b'a'],
                                                'value': [b'1']}),
                    pa.RecordBatch.from_pydict({'key': [b'b']})])
    with pytest.raises(ashlar.Error):
        ashlar.write_table(batches, tmp_path / 't.sst')
    batches = iter([pa.RecordBatch.from_pydict({'key': [b'a'],
                                                'value': [b'1']}),
                    pa.RecordBatch.from_pydict({'key': [7], 'value': [8]})])
    with pytest.raises(ashlar.Error):
        ashlar.write_table(batches, tmp_path / 't.sst')
    assert list(tmp_path.iterdir()) == []


def test_a_batch_with_columns_in_another_order_is_refused(tmp_path):
    batches = iter([pa.RecordBatch.from_pydict({'key': [b'a'],
                                                'value': [b'1']}),
                    pa.RecordBatch.from_pydict({'value': [b'2'],
                                                'key': [b'b']})])
    with pytest.raises(ashlar.Error, match='other columns'):
        ashlar.write_table(batches, tmp_path / 't.sst')
    assert list(tmp_path.iterdir()) == []


def test_the_items_of_lists_may_have_any_name(tmp_path):
    def batch(i, name):
        kind = pa.list_(pa.field(name, pa.int32()))
        return pa.RecordBatch.from_pydict(
            {'key': pa.array([i]), 'value': pa.array([[i, 7]], kind)})

    ashlar.write_table(iter([batch(1, 'item'), batch(2, 'element')]),
                       tmp_path / 't.sst', key='key', value=['value'])
    assert [json.loads(value) for _, value in read(tmp_path / 't.sst')] == [
        [1, 7], [2, 7]]


class Stream:
    """Hands out the same capsule each time."""

    def __init__(self, capsule):
        self._capsule = capsule

    def __arrow_c_stream__(self, requested_schema=None):
        return self._capsule


class Array:
    """Hands out the same capsules each time."""

    def __init__(self, capsules):
        self._capsules = capsules

    def __arrow_c_array__(self, requested_schema=None):
        return self._capsules


def test_a_capsule_that_was_used_is_refused(tmp_path):
    batch = pa.RecordBatch.from_pydict({'key': [b'a'], 'value': [b'1']})
    for source in (Stream(pa.table({'key': [b'a'], 'value': [b'1']})
                          .__arrow_c_stream__()),
                   Array(batch.__arrow_c_array__())):
        ashlar.write_table(source, tmp_path / 't.sst')
        with pytest.raises(ValueError, match='used before'):
            ashlar.write_table(source, tmp_path / 'u.sst')
        assert [one.name for one in tmp_path.iterdir()] == ['t.sst']


def test_numbers_of_numpy(tmp_path):
    frame = pandas.DataFrame({'key': numpy.arange(5, dtype='uint32'),
                              'value': numpy.arange(5) * 1.5})
    ashlar.write_table(frame, tmp_path / 't.sst', key='key', value='value')
    assert read(tmp_path / 't.sst', key='key:u32be') == [
        (i, b'%.1f' % (i * 1.5)) for i in range(5)]


@pytest.mark.parametrize('make', [
    tuple, list, lambda row: dict(zip(('key', 'value'), row))],
    ids=['tuples', 'lists', 'dicts'])
@pytest.mark.parametrize('kind', [bytes, bytearray, memoryview,
                                  lambda value: value.decode()],
                         ids=['bytes', 'bytearray', 'memoryview', 'text'])
def test_batches_of_rows_are_not_large(make, kind):
    from ashlar import _data
    value = kind(b'v' * (256 << 10))
    taken = []

    def rows():
        for i in range(200):
            taken.append(i)
            yield make((b'%08d' % i, value))

    lengths = []
    for batch in _data.as_source(rows()):
        lengths.append(len(batch))
        # No more rows are held than a batch has, and the next one.
        assert len(taken) <= sum(lengths) + 1
    assert sum(lengths) == 200
    assert lengths == [63] * 3 + [11]
    # Small rows are as many as before, and a large one is a batch.
    small = [make((b'%08d' % i, kind(b''))) for i in range(20000)]
    assert list(map(len, _data.as_source(small))) == [8192, 8192, 3616]
    large = kind(b'v' * (17 << 20))
    assert list(map(len, _data.as_source([
        make((b'a', kind(b''))), make((b'b', large)),
        make((b'c', large))]))) == [1, 1, 1]
