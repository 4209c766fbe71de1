"""One table, written and read back."""

import os
import subprocess
import sys
import time

import numpy
import pyarrow as pa
import pytest

import ashlar


def rows_of(path, **options):
    return [row for batch in ashlar.TableReader(path).scan(**options)
            for row in batch.to_pylist()]


def numbered(count):
    return pa.table({
        'key': [b'%08d' % i for i in range(count)],
        'value': [b'value %d' % (i * 7) for i in range(count)],
    })


def pairs_of(table):
    return list(zip(table['key'].to_pylist(), table['value'].to_pylist()))


def test_a_table_of_arrow_comes_back(tmp_path):
    table = numbered(70000)
    info = ashlar.write_table(table, tmp_path / 't.sst')
    assert info.entries == 70000
    assert info.bytes == os.path.getsize(tmp_path / 't.sst')
    assert (info.smallest, info.largest) == (b'00000000', b'00069999')
    stream = ashlar.TableReader(tmp_path / 't.sst').scan()
    read = pa.RecordBatchReader.from_stream(stream).read_all()
    assert pairs_of(read) == pairs_of(table)


def test_bounds_are_those_of_a_list(tmp_path):
    rows = pairs_of(numbered(1000))
    ashlar.write_table(rows, tmp_path / 't.sst')
    wanted = [row for row in rows if b'00000100' <= row[0] < b'00000200']
    assert rows_of(tmp_path / 't.sst', lower=b'00000100',
                   upper=b'00000200') == wanted
    assert rows_of(tmp_path / 't.sst', limit=3, batch_rows=2) == rows[:3]
    assert rows_of(tmp_path / 't.sst', columns=['value']) == [
        (value,) for _, value in rows]


def test_a_number_is_no_key(tmp_path):
    ashlar.write_table([(5, b'five')], tmp_path / 't.sst', key='key:i64be')
    reader = ashlar.TableReader(tmp_path / 't.sst')
    for call in (lambda: reader.get(8), lambda: reader.scan(lower=1),
                 lambda: reader.scan(upper=9), lambda: reader.get([0, 5]),
                 lambda: reader.get(numpy.int64(5))):
        with pytest.raises(TypeError):
            call()
    key = ashlar.encode_key(5, 'i64be')
    for same in (key, bytearray(key), memoryview(key)):
        assert reader.get(same) == b'five'


def test_many_keys_give_one_array(tmp_path):
    ashlar.write_table(numbered(5000), tmp_path / 't.sst')
    reader = ashlar.TableReader(tmp_path / 't.sst')
    keys = [b'%08d' % i for i in (7, 99999, 7, 4999)] * 300
    array = pa.array(reader.multi_get(keys))
    array.validate(full=True)
    assert array.to_pylist() == [b'value 49', None, b'value 49',
                                 b'value 34993'] * 300
    as_arrow = reader.multi_get(pa.array(keys))
    assert as_arrow.to_pylist() == array.to_pylist()
    assert reader.get(b'00000003') == b'value 21'
    assert reader.get(b'no') is None
    assert len(reader.multi_get([])) == 0


def test_put_and_put_many_in_turns(tmp_path):
    with ashlar.TableWriter(tmp_path / 't.sst') as writer:
        writer.put(b'a', b'1')
        assert writer.put_many([(b'b', b'2'), (b'c', b'3')]) == 2
        writer.delete(b'd')
        assert writer.entries == 4
    assert writer.info.entries == 4
    assert rows_of(tmp_path / 't.sst') == [(b'a', b'1'), (b'b', b'2'),
                                           (b'c', b'3')]


def test_an_exception_leaves_no_file(tmp_path):
    with pytest.raises(KeyError):
        with ashlar.TableWriter(tmp_path / 't.sst') as writer:
            writer.put(b'a', b'1')
            raise KeyError('of the caller')
    assert os.listdir(tmp_path) == []


def test_a_newer_table_hides_and_deletes(tmp_path):
    ashlar.write_table([(b'a', b'1'), (b'b', b'2'), (b'c', b'3')],
                       tmp_path / 'old.sst')
    with ashlar.TableWriter(tmp_path / 'new.sst') as writer:
        writer.put(b'a', b'new')
        writer.delete(b'b')
    view = ashlar.open_tables([tmp_path / 'old.sst', tmp_path / 'new.sst'])
    rows = [row for batch in view.scan() for row in batch.to_pylist()]
    assert rows == [(b'a', b'new'), (b'c', b'3')]
    assert view.multi_get([b'a', b'b', b'c']).to_pylist() == [b'new', None,
                                                              b'3']


def test_a_manifest_is_one_view(tmp_path):
    infos = [ashlar.write_table(numbered(3000).slice(1000 * (i - 1), 1000),
                                tmp_path / f't-{i:06}.sst')
             for i in (2, 1, 3)]
    ashlar.write_manifest(tmp_path / 't-manifest.json', infos)
    view = ashlar.open_tables(tmp_path)
    rows = [row for batch in view.scan(b'00000990', b'00002010')
            for row in batch.to_pylist()]
    assert rows == pairs_of(numbered(3000))[990:2010]
    assert view.get(b'00002999') == b'value 20993'
    listed = ashlar.read_manifest(tmp_path / 't-manifest.json')
    assert [table['path'] for table in listed] == [
        f't-{i:06}.sst' for i in (1, 2, 3)]


def test_overlapping_tables_are_no_set(tmp_path):
    infos = [ashlar.write_table(numbered(10), tmp_path / f'{i}.sst')
             for i in range(2)]
    with pytest.raises(ashlar.InvalidArgumentError, match='not larger'):
        ashlar.write_manifest(tmp_path / 't-manifest.json', infos)
    assert not os.path.exists(tmp_path / 't-manifest.json')


def test_a_manifest_that_lies_about_its_keys_is_refused(tmp_path):
    infos = [ashlar.write_table(numbered(10), tmp_path / f'{i}.sst')
             for i in range(2)]
    # As if the second one had no key of the first.
    infos[1] = infos[1]._replace(smallest=b'x', largest=b'y')
    ashlar.write_manifest(tmp_path / 't-manifest.json', infos)
    with pytest.raises(ashlar.InvalidArgumentError) as caught:
        ashlar.open_tables(tmp_path)
    assert '0.sst' in str(caught.value) and '1.sst' in str(caught.value)


def test_a_range_deletion_may_end_where_the_next_table_begins(tmp_path):
    with ashlar.TableWriter(tmp_path / '1.sst') as writer:
        writer.put(b'a', b'1')
        writer.delete_range(b'b', b'c')
    after = ashlar.write_table([(b'c', b'2')], tmp_path / '2.sst')
    ashlar.write_manifest(tmp_path / 't-manifest.json', [writer.info, after])
    for view in (ashlar.open_tables(tmp_path),
                 ashlar.open_tables([tmp_path, tmp_path])):
        assert [row for batch in view.scan() for row in batch.to_pylist()] == [
            (b'a', b'1'), (b'c', b'2')]
        assert view.multi_get([b'a', b'b', b'c']).to_pylist() == [b'1', None,
                                                                  b'2']


def test_a_manifest_of_no_tables_has_no_rows(tmp_path):
    ashlar.write_manifest(tmp_path / 't-manifest.json', [])
    view = ashlar.open_tables(tmp_path)
    assert len(view) == 0
    assert list(view.scan()) == []
    assert pa.table(view.scan()).num_rows == 0
    assert view.get(b'a') is None
    assert view.multi_get([b'a', b'b']).to_pylist() == [None, None]


def test_progress_of_a_put_that_failed_is_forgotten(tmp_path):
    ashlar.write_table(numbered(10), tmp_path / 'rows.sst')
    used = ashlar.TableReader(tmp_path / 'rows.sst').scan()
    pa.table(used)
    seen = []

    def long():
        # So long that the writer looks for progress.
        end = time.monotonic() + 0.2
        i = 0
        while time.monotonic() < end:
            yield pa.RecordBatch.from_pydict({'key': [b'%08d' % i],
                                              'value': [b'v']})
            i += 1

    with ashlar.TableWriter(tmp_path / 't.sst') as writer:
        with pytest.raises(ValueError, match='used before'):
            writer.put_many(used, progress=lambda *_: seen.append(1))
        assert writer.put_many(long()) == writer.entries
    assert seen == []


def test_a_writer_that_is_abandoned_is_closed_to_other_threads():
    # The file's write, on a thread of the writer, calls the writer while that
    # is being abandoned.
    code = '''
import os, sys, threading
import ashlar
sys.setswitchinterval(1000)  # so nothing runs before the GIL is given away
is_writing, is_abandoned = threading.Event(), threading.Event()
answers = []
class File:
    def write(self, data):
        if threading.current_thread() is threading.main_thread():
            return len(data)
        is_writing.set()
        is_abandoned.wait()
        try:
            writer.put(b'z', b'z')
        except ValueError as error:
            answers.append(str(error))
        return len(data)
writer = ashlar.TableWriter(File(), {'compression': 'none'})
i = 0
while not is_writing.is_set():
    writer.put(b'%08d' % i, os.urandom(1000))
    i += 1
is_abandoned.set()
writer.abandon()
print(answers[0])
'''
    done = subprocess.run([sys.executable, '-X', 'faulthandler', '-c', code],
                          capture_output=True, text=True, check=False,
                          timeout=30)
    assert done.stdout == 'the writer is closed\n', done.stderr


def test_damage_is_named_with_its_offset(tmp_path):
    path = tmp_path / 't.sst'
    ashlar.write_table(numbered(5000), path,
                       options={'compression': 'none'})
    data = bytearray(path.read_bytes())
    data[5000] ^= 1
    path.write_bytes(data)
    with pytest.raises(ashlar.CorruptionError) as caught:
        ashlar.TableReader(path).verify()
    assert caught.value.file == str(path)
    assert caught.value.offset <= 5000 < caught.value.offset + 5000
    with pytest.raises(ashlar.CorruptionError):
        rows_of(path)


def test_options_are_checked_by_name(tmp_path):
    path = tmp_path / 't.sst'
    ashlar.write_table(numbered(10), path,
                       options={'compression': 'lz4', 'block_size': 1 << 14,
                                'filter': 'ribbon', 'format_version': 5})
    properties = ashlar.TableReader(path).properties()
    assert properties['rocksdb.compression'] == b'LZ4'
    for options in ({'no_such': 1}, {'block_size': -1}, {'filter': 'blume'},
                    {'compression': 'zst'}):
        with pytest.raises(ashlar.InvalidArgumentError):
            ashlar.write_table(numbered(10), tmp_path / 'u.sst',
                               options=options)
    assert os.listdir(tmp_path) == ['t.sst']
