"""Sets of tables, of rows in any order."""

import os
import random
import resource

import pyarrow as pa
import pytest

import ashlar


def shuffled(count, seed=1):
    draw = random.Random(seed)
    rows = [(b'%08d' % i, b'v%d' % i * 20) for i in range(count)]
    draw.shuffle(rows)
    return rows


def table_of(rows):
    return pa.table({'key': [row[0] for row in rows],
                     'value': [row[1] for row in rows]})


def rows_of(view):
    return [row for batch in view.scan() for row in batch.to_pylist()]


def test_more_rows_than_memory_holds(tmp_path):
    rows = shuffled(60000)
    made = ashlar.write_tables(table_of(rows), tmp_path / 'set',
                               memory=1 << 18, target_file_size=1 << 17)
    assert made.entries == 60000 and len(made.tables) > 3
    assert sorted(os.listdir(tmp_path / 'set')) == sorted(
        [os.path.basename(made.manifest)] +
        [os.path.basename(table.path) for table in made.tables])
    assert rows_of(ashlar.open_tables(made.manifest)) == sorted(rows)
    for before, after in zip(made.tables, made.tables[1:]):
        assert before.largest < after.smallest


def test_sorted_rows_need_no_sorting(tmp_path):
    rows = sorted(shuffled(20000))
    made = ashlar.write_tables(rows, tmp_path, sort=False,
                               target_file_size=1 << 16)
    assert len(made.tables) > 2
    assert rows_of(ashlar.open_tables(tmp_path)) == rows
    with pytest.raises(ashlar.KeyOrderError):
        ashlar.write_tables(rows + rows[:1], tmp_path / 'other', sort=False,
                            target_file_size=1 << 16)
    assert os.listdir(tmp_path / 'other') == []


@pytest.mark.parametrize('is_sorted', [False, True])
def test_duplicates(tmp_path, is_sorted):
    rows = [(b'a', b'1'), (b'a', b'2'), (b'b', b'3')]
    kept = {}
    for policy in ('first', 'last'):
        made = ashlar.write_tables(rows, tmp_path / policy,
                                   sort=not is_sorted, on_duplicate=policy)
        assert made.duplicates == 1
        kept[policy] = rows_of(ashlar.open_tables(tmp_path / policy))
    assert kept == {'first': [(b'a', b'1'), (b'b', b'3')],
                    'last': [(b'a', b'2'), (b'b', b'3')]}
    with pytest.raises(ashlar.DuplicateKeyError, match="'a'.*entry 1.*entry 2"):
        ashlar.write_tables(rows, tmp_path / 'error', sort=not is_sorted)
    assert os.listdir(tmp_path / 'error') == []


def test_a_set_is_replaced_only_on_demand(tmp_path):
    ashlar.write_tables([(b'a', b'1')], tmp_path)
    with pytest.raises(ashlar.Error):
        ashlar.write_tables([(b'b', b'2')], tmp_path)
    assert rows_of(ashlar.open_tables(tmp_path)) == [(b'a', b'1')]
    ashlar.write_tables([(b'b', b'2')], tmp_path, overwrite=True)
    assert rows_of(ashlar.open_tables(tmp_path)) == [(b'b', b'2')]
    assert len(os.listdir(tmp_path)) == 2


def test_progress_counts_up_to_all_rows(tmp_path):
    seen = []
    rows = shuffled(200000)
    ashlar.write_tables(table_of(rows), tmp_path, memory=1 << 20,
                        progress=seen.append)
    assert seen
    assert {one['step'] for one in seen} <= {'sorting', 'writing'}
    assert all(one['rows'] <= 200000 for one in seen)


def test_an_exception_of_the_callback_ends_the_work(tmp_path):
    class Enough(Exception):
        pass

    def stop(_):
        raise Enough

    with pytest.raises(Enough):
        ashlar.write_tables(table_of(shuffled(200000)), tmp_path,
                            memory=1 << 20, progress=stop)
    assert os.listdir(tmp_path) == []


def test_an_exception_of_the_rows_ends_the_work(tmp_path):
    def rows():
        yield b'a', b'1'
        raise LookupError('of the caller')

    with pytest.raises(LookupError):
        ashlar.write_tables(rows(), tmp_path)
    with pytest.raises(LookupError):
        ashlar.write_table(rows(), tmp_path / 't.sst')
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize('rows, message', [
    ([(b'a', b'1'), (None, b'2')], "row 2.*'key'.*null"),
    ([(b'a', b'1'), (b'b', None)], "row 2.*'value'.*null"),
    ([(b'a', b'1'), (7, b'2')], "row 2.*'key'.*int"),
    ([(b'a', b'1'), (b'b', b'2', b'3')], 'row 2: 3 values'),
    ([(b'k' * ((64 << 20) + 1), b'1')], 'key'),
    ([], 'without entries'),
], ids=['null key', 'null value', 'mixed', 'width', 'huge key', 'none'])
def test_bad_rows_leave_nothing(tmp_path, rows, message):
    with pytest.raises(ashlar.InvalidArgumentError, match=message):
        ashlar.write_tables(rows, tmp_path)
    with pytest.raises(ashlar.InvalidArgumentError, match=message):
        ashlar.write_tables(rows, tmp_path, sort=False)
    with pytest.raises(ashlar.InvalidArgumentError, match=message):
        ashlar.write_table(rows, tmp_path / 't.sst')
    assert os.listdir(tmp_path) == []


def test_a_full_disk_leaves_nothing(tmp_path):
    # A limit of the process stands for the disk: writes beyond it fail.
    import signal
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    rows = table_of(shuffled(100000))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 18, limits[1]))
    try:
        with pytest.raises(ashlar.FileError) as caught:
            ashlar.write_tables(rows, tmp_path, memory=1 << 19,
                                options={'compression': 'none'})
        with pytest.raises(ashlar.FileError):
            ashlar.write_table(rows.sort_by('key'), tmp_path / 't.sst',
                               options={'compression': 'none'})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, before)
    assert isinstance(caught.value, OSError)
    assert os.listdir(tmp_path) == []
