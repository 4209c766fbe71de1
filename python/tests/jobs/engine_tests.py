"""Tests of what both engines do: test_spark.py and test_ray.py derive theirs.

A module of an engine has a fixture `rows`: ROWS rows in the engine's form, with
the columns `id` and `text` as `expected_rows` has them, in no order.
"""

import random
import struct
import zlib

import pytest

from ashlar.jobs import JobError, SetExistsError, StorageError, read_set
from ashlar.jobs.storage import Folder
from interrupted_job import assert_interrupted
from killing_folder import KillingFolder
from losable_store import assert_nothing_is_left, folder_of, LosableStore
from set_checks import assert_only_the_set, assert_rows, files_of, ingested

ROWS = 20000
MULTIPLIER = 7919  # a prime: the numbers come in no order, each once
MODULUS = 100003


def expected_rows():
    """Returns keys and values of the set that is made of the rows."""
    numbers = sorted(row * MULTIPLIER % MODULUS for row in range(ROWS))
    return [(struct.pack('>Q', number), f'v{number}'.encode())
            for number in numbers]


def assert_refused(write, rows, spoiled, folder, error, message):
    """Rows that cannot be written leave the set that is there as it was."""
    write(rows, folder)
    before = files_of(folder)
    with pytest.raises(error, match=message):
        write(spoiled, folder, overwrite=True)
    assert files_of(folder) == before


class _LostFolder(Folder):
    """A store that is lost while tables are written."""

    def local_path(self, name):
        return None  # so that tables go through create()

    def create(self, name):
        return _LostFile(super().create(name))


class _LostFile:
    def __init__(self, file):
        self._file = file

    def write(self, data):
        self._file.write(data[:10])
        raise OSError('the connection was closed')

    def discard(self):
        self._file.discard()


class EngineTests:
    """An engine's class has its name, and what the other three return."""

    engine = None

    @staticmethod
    def write(rows, folder, **options):
        raise NotImplementedError

    @staticmethod
    def read(rows, folder, lower=None, upper=None):
        """Returns the rows of a set in the range, sorted. `rows` has the
        engine's session."""
        raise NotImplementedError

    @staticmethod
    def with_versions(rows):
        """Returns each row three times, with the column `version`: 2, 0 and
        1. The version is also in the text, after a slash."""
        raise NotImplementedError

    @pytest.mark.sample
    def test_writes_what_rocksdb_reads(self, rows, tmp_path):
        tables = self.write(rows, tmp_path / 'set')
        assert tables == read_set(tmp_path / 'set')
        assert_only_the_set(tmp_path / 'set')
        assert_rows(tmp_path / 'set', tmp_path / 'db', expected_rows())

    @pytest.mark.parametrize('attempt', [
        pytest.param(0, marks=pytest.mark.sample), *range(1, 4)])
    def test_a_killed_task_leaves_nothing(self, rows, tmp_path, attempt):
        dry = KillingFolder(tmp_path / 'dry', tmp_path / 'dry_calls')
        self.write(rows, dry)
        place = random.Random(attempt).randint(1, dry.calls)
        folder = KillingFolder(tmp_path / 'set', tmp_path / 'calls', place)
        self.write(rows, folder)
        assert folder.calls > dry.calls  # the task ran again
        assert_only_the_set(tmp_path / 'set')
        assert_rows(tmp_path / 'set', tmp_path / 'db', expected_rows())

    def test_an_interrupt_ends_the_job(self, tmp_path):
        assert_interrupted(self.engine, tmp_path)

    def test_a_lost_store_ends_the_job(self, rows, tmp_path):
        with pytest.raises(StorageError, match='the connection was closed'):
            self.write(rows, _LostFolder(tmp_path / 'set'))
        assert files_of(tmp_path / 'set') == set()

    def test_a_lost_object_store_ends_the_job(self, rows):
        store = LosableStore()
        try:
            uri, system = folder_of(store, self.engine)
            store.lose_after(2)
            with pytest.warns(UserWarning, match='remove_leftovers'):
                with pytest.raises(StorageError, match=uri):
                    self.write(rows, uri, storage_options=store.options)
            assert_nothing_is_left(store, uri, system)
            self.write(rows, uri, storage_options=store.options)
            assert read_set(uri, storage_options=store.options)
        finally:
            store.stop()

    @pytest.mark.parametrize('policy, shards, value', [
        pytest.param('first', None, 'text', marks=pytest.mark.sample),
        ('last', None, 'text'), ('last', 3, ['text'])])
    def test_one_of_several_rows_of_a_key_is_kept(self, rows, tmp_path, policy,
                                                  shards, value):
        folder = tmp_path / 'set'
        rows = self.with_versions(rows)
        self.write(rows, folder, on_duplicate=policy, order_by='version',
                   shards=shards, value=value)
        assert_only_the_set(folder)
        assert sum(table.entries for table in read_set(folder)) == ROWS
        kept = b'/0' if policy == 'first' else b'/2'
        for shard in range(shards) if shards else [None]:
            for key, text in ingested(folder, tmp_path / f'db{shard}', shard):
                assert text.endswith(kept), (key, text)
        with pytest.raises(ValueError, match='need order_by'):
            self.write(rows, folder, on_duplicate=policy)

    def test_a_set_is_not_replaced_by_mistake(self, rows, tmp_path):
        self.write(rows, tmp_path / 'set')
        before = files_of(tmp_path / 'set')
        with pytest.raises(SetExistsError):
            self.write(rows, tmp_path / 'set')
        assert files_of(tmp_path / 'set') == before

    def test_no_rows_are_an_error(self, rows, tmp_path):
        with pytest.raises(JobError, match='no rows'):
            self.write(rows.limit(0), tmp_path / 'set')
        assert files_of(tmp_path / 'set') == set()

    def test_shards_are_by_the_hash_of_the_key(self, rows, tmp_path):
        self.write(rows, tmp_path / 'set', shards=3)
        assert_only_the_set(tmp_path / 'set')
        for shard in range(3):
            assert ingested(tmp_path / 'set', tmp_path / f'db{shard}',
                            shard) == [row for row in expected_rows()
                                       if zlib.crc32(row[0]) % 3 == shard]

    def test_reads_ranges(self, rows, tmp_path):
        expected = expected_rows()
        self.write(rows, tmp_path / 'set')
        assert self.read(rows, tmp_path / 'set') == expected
        lower, upper = expected[5000][0], expected[7000][0]
        assert self.read(rows, tmp_path / 'set', lower,
                         upper) == expected[5000:7000]
        assert self.read(rows, tmp_path / 'set', b'\xff') == []
