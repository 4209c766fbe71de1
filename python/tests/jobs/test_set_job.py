"""The commit protocol, without an engine: attempts in any order and number."""

import os
import random

import ashlar
import pyarrow
import pytest

from ashlar.jobs import (BadRowsError, JobEndedError, JobError, OverlapError,
                         SetExistsError, SetJob, StorageError, read_set,
                         remove_leftovers, write_partition)
from ashlar.jobs.storage import Folder
from set_checks import assert_only_the_set, assert_rows, files_of


def batch_of(rows, **more):
    return pyarrow.record_batch({
        'key': pyarrow.array([key for key, _ in rows], pyarrow.binary()),
        'value': pyarrow.array([value for _, value in rows],
                               pyarrow.binary()), **more})


def rows_of(begin, end):
    return [(f'{number:08d}'.encode(), f'value {number}'.encode())
            for number in range(begin, end)]


def write_rows(job, partition, begin, end, **options):
    return write_partition(job, partition, [batch_of(rows_of(begin, end))],
                           **options)


def test_commits_each_row_once(tmp_path):
    job = SetJob.begin(tmp_path / 'set')
    tables = [table for partition in (2, 0, 1)
              for table in write_rows(job, partition, partition * 1000,
                                      partition * 1000 + 1000)]
    assert not (tmp_path / 'set' / 'table-manifest.json').exists()
    committed = job.commit(tables)
    assert committed == read_set(tmp_path / 'set')
    assert [table.smallest for table in committed] == [
        b'00000000', b'00001000', b'00002000']
    assert_only_the_set(tmp_path / 'set')
    assert_rows(tmp_path / 'set', tmp_path / 'db', rows_of(0, 3000))


def test_a_late_task_may_rename_its_file_at_any_time(tmp_path, monkeypatch):
    job = SetJob.begin(tmp_path / 'set')
    tables = write_rows(job, 0, 0, 10)
    late = tmp_path / 'set' / (tables[0].path + '.tmp.late')
    scandir = os.scandir

    def scan_and_rename(folder):
        late.write_bytes(b'')
        entries = list(scandir(folder))
        late.unlink()
        return entries

    monkeypatch.setattr(os, 'scandir', scan_and_rename)
    job.commit(tables)
    monkeypatch.undo()
    assert_only_the_set(tmp_path / 'set')


def test_repeated_attempts_leave_nothing(tmp_path):
    random_choice = random.Random(7)
    job = SetJob.begin(tmp_path / 'set')
    results = []
    for partition in range(5):
        attempts = [write_rows(job, partition, partition * 100,
                               partition * 100 + 100) for _ in range(3)]
        results += random_choice.choice(attempts)
    assert len(files_of(tmp_path / 'set')) == 15 + 1
    job.commit(results)
    assert_only_the_set(tmp_path / 'set')
    assert_rows(tmp_path / 'set', tmp_path / 'db', rows_of(0, 500))


def test_a_late_attempt_removes_its_tables(tmp_path):
    job = SetJob.begin(tmp_path / 'set')
    job.commit(write_rows(job, 0, 0, 100))
    with pytest.raises(JobEndedError, match='late'):
        write_rows(job, 0, 0, 100)
    assert_only_the_set(tmp_path / 'set')


def test_an_attempt_that_fails_removes_its_tables(tmp_path):
    def batches():
        yield batch_of(rows_of(0, 20000))
        raise RuntimeError('the input ended early')

    job = SetJob.begin(tmp_path / 'set')
    before = files_of(tmp_path / 'set')
    with pytest.raises(RuntimeError, match='ended early'):
        write_partition(job, 0, batches(), target_file_size=1000)
    assert files_of(tmp_path / 'set') == before


class _HoldingFolder(Folder):
    """A folder that keeps the first table of an attempt."""

    def remove(self, name):
        if name.endswith('0000.sst'):
            raise StorageError(self.path(name), 'cannot be removed: no answer')
        super().remove(name)


def test_a_table_that_stays_keeps_no_others_and_hides_no_error(tmp_path):
    def batches():
        yield batch_of(rows_of(0, 20000))
        yield batch_of(rows_of(20000, 40000))
        yield batch_of(rows_of(40000, 60000))
        raise RuntimeError('the input ended early')

    job = SetJob.begin(_HoldingFolder(tmp_path / 'set'))
    before = files_of(tmp_path / 'set')
    with pytest.warns(UserWarning, match='no answer; 1 of the files'), \
            pytest.raises(RuntimeError, match='ended early'):
        write_partition(job, 0, batches(), target_file_size=1000)
    left, = files_of(tmp_path / 'set') - before
    assert left.endswith('0000.sst')


def test_abort_removes_all_but_another_set(tmp_path):
    first = SetJob.begin(tmp_path / 'set')
    first.commit(write_rows(first, 0, 0, 100))
    second = SetJob.begin(tmp_path / 'set', overwrite=True)
    write_rows(second, 0, 0, 50)
    second.abort()
    assert_only_the_set(tmp_path / 'set')
    assert_rows(tmp_path / 'set', tmp_path / 'db', rows_of(0, 100))


def test_abort_after_the_manifest_keeps_the_set(tmp_path):
    job = SetJob.begin(tmp_path / 'set')
    job.commit(write_rows(job, 0, 0, 100))
    job.abort()
    assert_only_the_set(tmp_path / 'set')
    assert_rows(tmp_path / 'set', tmp_path / 'db', rows_of(0, 100))


def test_a_set_is_replaced_only_if_asked(tmp_path):
    first = SetJob.begin(tmp_path / 'set')
    first.commit(write_rows(first, 0, 0, 100))
    with pytest.raises(SetExistsError, match='overwrite=True'):
        SetJob.begin(tmp_path / 'set')
    second = SetJob.begin(tmp_path / 'set', overwrite=True)
    second.commit(write_rows(second, 0, 50, 60))
    assert_only_the_set(tmp_path / 'set')
    assert_rows(tmp_path / 'set', tmp_path / 'db', rows_of(50, 60))


@pytest.mark.parametrize('overwrite', [False, True])
def test_a_commit_may_be_repeated(tmp_path, overwrite):
    if overwrite:
        first = SetJob.begin(tmp_path / 'set')
        first.commit(write_rows(first, 0, 0, 100))
    job = SetJob.begin(tmp_path / 'set', overwrite=overwrite)
    tables = write_rows(job, 0, 50, 60)
    assert job.commit(tables) == job.commit(tables) == tables
    assert_only_the_set(tmp_path / 'set')
    assert_rows(tmp_path / 'set', tmp_path / 'db', rows_of(50, 60))


class _LostAnswers(Folder):
    """A folder whose store carries a write out, and does not answer."""

    is_lost = False

    def put(self, name, content, replace):
        done = super().put(name, content, replace)
        if self.is_lost:
            raise StorageError(self.path(name), 'cannot be written: no answer')
        return done


def test_a_commit_is_repeated_after_a_lost_answer(tmp_path):
    folder = _LostAnswers(tmp_path / 'set')
    first = SetJob.begin(folder)
    first.commit(write_rows(first, 0, 0, 100))
    job = SetJob.begin(folder, overwrite=True)
    tables = write_rows(job, 0, 50, 60)
    folder.is_lost = True
    with pytest.raises(StorageError, match='no answer'):
        job.commit(tables)
    folder.is_lost = False
    job.commit(tables)
    assert_rows(folder.uri, tmp_path / 'db', rows_of(50, 60))
    # That commit could not know what the set was before.
    assert len(remove_leftovers(folder, older_than=-1)) == 1
    assert_only_the_set(folder.uri)


def test_of_two_jobs_one_wins(tmp_path):
    one = SetJob.begin(tmp_path / 'set')
    two = SetJob.begin(tmp_path / 'set')
    tables = write_rows(two, 0, 5, 6)
    one.commit(write_rows(one, 0, 0, 100))
    with pytest.raises(SetExistsError, match='another job'):
        two.commit(tables)
    two.abort()
    assert_only_the_set(tmp_path / 'set')
    assert_rows(tmp_path / 'set', tmp_path / 'db', rows_of(0, 100))


def test_leftovers_of_killed_jobs_are_removed(tmp_path):
    kept = SetJob.begin(tmp_path / 'set')
    kept.commit(write_rows(kept, 0, 0, 100))
    running = SetJob.begin(tmp_path / 'set', overwrite=True)
    tables = write_rows(running, 0, 0, 10)
    other = tmp_path / 'set' / 'table-000001.sst'
    other.write_bytes(b'of a user')
    orphan = tmp_path / 'set' / f'table-{"7" * 32}.sst.tmp.0011aabb'
    orphan.write_bytes(b'half of a table')
    assert remove_leftovers(tmp_path / 'set') == [orphan.name]
    assert other.exists()
    # A job counts as killed when it is old. Then its tables go too.
    removed = remove_leftovers(tmp_path / 'set', older_than=-1)
    assert removed == [f'_ashlar-{running.job}.json', tables[0].path]
    other.unlink()
    assert_only_the_set(tmp_path / 'set')


def test_a_file_that_cannot_be_removed_keeps_no_other(tmp_path, monkeypatch):
    job = SetJob.begin(tmp_path / 'set')
    stuck = [write_rows(job, i, i * 10, i * 10 + 10)[0].path
             for i in range(4)][1]
    unlink = os.unlink

    def unlink_others(path):
        if path.endswith(stuck):
            raise PermissionError('not this one')
        unlink(path)

    monkeypatch.setattr(os, 'unlink', unlink_others)
    with pytest.raises(StorageError, match='not this one'):
        job.abort()
    monkeypatch.undo()
    assert files_of(tmp_path / 'set') == {stuck}


def test_shared_keys_are_refused(tmp_path):
    job = SetJob.begin(tmp_path / 'set')
    tables = write_rows(job, 0, 0, 100) + write_rows(job, 1, 99, 200)
    with pytest.raises(OverlapError) as raised:
        job.commit(tables)
    assert "b'00000099'" in raised.value.reason
    assert not (tmp_path / 'set' / 'table-manifest.json').exists()


def test_a_lost_table_is_noticed(tmp_path):
    job = SetJob.begin(tmp_path / 'set')
    tables = write_rows(job, 0, 0, 100) + write_rows(job, 1, 100, 200)
    os.unlink(tmp_path / 'set' / tables[1].path)
    with pytest.raises(JobError, match='is missing'):
        job.commit(tables)
    (tmp_path / 'set' / tables[1].path).write_bytes(b'short')
    with pytest.raises(JobError, match='has 5 bytes; a task wrote'):
        job.commit(tables)
    assert not (tmp_path / 'set' / 'table-manifest.json').exists()


def test_no_rows_are_an_error(tmp_path):
    job = SetJob.begin(tmp_path / 'set')
    with pytest.raises(JobError, match='no rows'):
        job.commit(write_partition(job, 0, []))


@pytest.mark.parametrize('rows, message', [
    ([(b'a', b'1'), (b'a', b'2')], 'a'),
    ([(b'b', b'1'), (b'a', b'2')], 'a'),
    ([(b'a', b'1'), (None, b'2')], 'has no key'),
    ([(b'a', b'1'), (b'b', None)], "has no value; its key is b'b'"),
])
@pytest.mark.parametrize('at_border', [False, True])
def test_bad_rows_name_the_key(tmp_path, rows, message, at_border):
    job = SetJob.begin(tmp_path / 'set')
    batches = ([batch_of([row]) for row in rows] if at_border
               else [batch_of(rows)])
    with pytest.raises(BadRowsError) as raised:
        write_partition(job, 3, batches,
                        target_file_size=1 if at_border else 1 << 20)
    assert message in raised.value.reason
    job.abort()
    assert files_of(tmp_path / 'set') == set()


def test_tables_end_at_splits_and_sizes(tmp_path):
    job = SetJob.begin(tmp_path / 'set')
    splits = [b'00000000', b'000001', b'00000500', b'00000500x', b'9']
    tables = job.commit(write_rows(job, 0, 0, 1000, splits=splits))
    assert [(table.smallest, table.largest) for table in tables] == [
        (b'00000000', b'00000099'), (b'00000100', b'00000499'),
        (b'00000500', b'00000500'), (b'00000501', b'00000999')]
    larger = SetJob.begin(tmp_path / 'other')
    tables = larger.commit(write_rows(larger, 0, 0, 200000,
                                      target_file_size=100000))
    assert len(tables) > 3
    assert_rows(tmp_path / 'other', tmp_path / 'db', rows_of(0, 200000))


def test_shards_have_tables_of_their_own(tmp_path):
    job = SetJob.begin(tmp_path / 'set')
    rows = rows_of(0, 10) + rows_of(0, 5)
    shard = pyarrow.array([1] * 10 + [4] * 5, pyarrow.int32())
    tables = job.commit(write_partition(job, 0,
                                        [batch_of(rows, shard=shard)]))
    assert [(table.shard, table.entries) for table in tables] == [(1, 10),
                                                                 (4, 5)]


@pytest.mark.parametrize('target_file_size', [1 << 20, 2000])
def test_the_library_reads_shards_as_one(tmp_path, target_file_size):
    rows = rows_of(0, 3000)
    shards = [rows[first::3] for first in range(3)]
    job = SetJob.begin(tmp_path / 'set')
    tables = []
    for number, own in enumerate(shards):
        shard = pyarrow.array([number] * len(own), pyarrow.int32())
        tables += write_partition(job, number, [
            batch_of(own, shard=shard).slice(begin, 100)
            for begin in range(0, len(own), 100)],
            target_file_size=target_file_size)
    job.commit(tables)
    with ashlar.open_tables(tmp_path / 'set') as view:
        assert all(view.get(key) == value for key, value in rows)
        found = view.multi_get([key for key, _ in rows]).to_pylist()
        assert found == [value for _, value in rows]
        assert view.get(b'absent') is None
        assert [row for batch in view.scan()
                for row in batch.to_pylist()] == rows
    newer = ashlar.write_tables([(b'00000002', b'new')], tmp_path / 'newer')
    with ashlar.open_tables([tmp_path / 'set', newer.manifest]) as view:
        assert view.get(b'00000002') == b'new'
        assert view.get(b'00000003') == b'value 3'


def test_a_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / 'file').write_bytes(b'')
    with pytest.raises(StorageError) as raised:
        SetJob.begin(tmp_path / 'file' / 'set')
    assert str(tmp_path / 'file' / 'set') in raised.value.file


def test_the_library_reads_and_replaces_the_set(tmp_path):
    job = SetJob.begin(tmp_path / 'set')
    job.commit(write_rows(job, 0, 0, 100) + write_rows(job, 1, 100, 200))
    with ashlar.open_tables(tmp_path / 'set') as tables:
        assert tables.get(b'00000150') == b'value 150'
        assert sum(len(batch) for batch in tables.scan()) == 200
    written = ashlar.write_tables(rows_of(0, 10), tmp_path / 'set',
                                  overwrite=True)
    assert written.tables[0].path.endswith('table-000001.sst')
    assert_only_the_set(tmp_path / 'set')


class _LostFolder(Folder):
    """A folder whose store is lost when `is_lost` is set."""

    is_lost = False

    def remove(self, name):
        if self.is_lost:
            raise StorageError(self.path(name), 'cannot be removed: no answer')
        super().remove(name)


def test_a_lost_store_does_not_hide_the_error(tmp_path):
    folder = _LostFolder(tmp_path / 'set')
    job = SetJob.begin(folder)
    write_rows(job, 0, 0, 100)
    folder.is_lost = True
    with pytest.raises(StorageError, match='no answer'):
        job.abort()
    with pytest.warns(UserWarning, match='no answer; remove_leftovers'):
        job.abort_after_error()
    folder.is_lost = False
    assert len(remove_leftovers(folder, older_than=-1)) == 2
