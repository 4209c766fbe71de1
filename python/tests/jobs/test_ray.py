"""Ray writes and reads sets of tables; tasks die on the way."""

import random
import struct
import zlib

import pyarrow
import pytest
import ray.data

import ashlar.ray
from ashlar.jobs import (BadRowsError, JobError, OverlapError, SetExistsError,
                         StorageError, read_set)
from ashlar.jobs.storage import Folder
from interrupted_job import assert_interrupted
from killing_folder import KillingFolder
from losable_store import assert_nothing_is_left, folder_of, LosableStore
from page_blocks import run_blocks
from set_checks import assert_only_the_set, assert_rows, files_of, ingested

ROWS = 20000
MULTIPLIER = 7919  # a prime: the numbers come in no order, each once

pytestmark = pytest.mark.usefixtures('ray_cluster')


def _rows_of(table):
    numbers = [row * MULTIPLIER % 100003 for row in table['id'].to_pylist()]
    return pyarrow.table({'id': pyarrow.array(numbers, pyarrow.uint64()),
                          'text': [f'v{number}' for number in numbers]})


@pytest.fixture
def rows():
    return ray.data.range(ROWS, override_num_blocks=3).map_batches(
        _rows_of, batch_format='pyarrow')


@pytest.fixture
def expected():
    numbers = sorted(row * MULTIPLIER % 100003 for row in range(ROWS))
    return [(struct.pack('>Q', number), f'v{number}'.encode())
            for number in numbers]


def write(rows, folder, **options):
    options = {'key': 'id:u64be', 'value': 'text',
               'target_file_size': 100000, **options}
    return ashlar.ray.write_tables(rows, folder, **options)


@pytest.mark.sample
def test_writes_what_rocksdb_reads(rows, expected, tmp_path):
    tables = write(rows, tmp_path / 'set')
    assert tables == read_set(tmp_path / 'set')
    assert_only_the_set(tmp_path / 'set')
    assert_rows(tmp_path / 'set', tmp_path / 'db', expected)


@pytest.mark.parametrize('attempt', [
    pytest.param(0, marks=pytest.mark.sample), *range(1, 3)])
def test_a_killed_task_leaves_nothing(rows, expected, tmp_path, attempt):
    dry = KillingFolder(tmp_path / 'dry', tmp_path / 'dry_calls')
    write(rows, dry)
    place = random.Random(attempt).randint(1, dry.calls)
    folder = KillingFolder(tmp_path / 'set', tmp_path / 'calls', place)
    write(rows, folder)
    assert folder.calls > dry.calls  # the task ran again
    assert_only_the_set(tmp_path / 'set')
    assert_rows(tmp_path / 'set', tmp_path / 'db', expected)


def test_an_interrupt_ends_the_job(tmp_path):
    assert_interrupted('ray', tmp_path)


def test_a_lost_object_store_ends_the_job(rows, tmp_path):
    store = LosableStore()
    try:
        uri, system = folder_of(store, 'ray')
        store.lose_after(2)
        with pytest.warns(UserWarning, match='remove_leftovers'):
            with pytest.raises(StorageError, match=uri):
                write(rows, uri, storage_options=store.options)
        assert_nothing_is_left(store, uri, system)
        write(rows, uri, storage_options=store.options)
        assert read_set(uri, storage_options=store.options)
    finally:
        store.stop()


def _with_row(rows, key, text):
    row = pyarrow.table({'id': pyarrow.array([key], pyarrow.uint64()),
                         'text': pyarrow.array([text], pyarrow.string())})
    return rows.union(ray.data.from_arrow(row))


@pytest.mark.parametrize('key, text, error, message', [
    (None, 'x', BadRowsError, 'null'),
    (200000, None, BadRowsError, 'null'),
    (0, 'again', (BadRowsError, OverlapError), '00'),
])
def test_bad_rows_end_the_job(rows, tmp_path, key, text, error, message):
    write(rows, tmp_path / 'set')
    before = files_of(tmp_path / 'set')
    with pytest.raises(error, match=message):
        write(_with_row(rows, key, text), tmp_path / 'set', overwrite=True)
    assert files_of(tmp_path / 'set') == before


def _with_versions(table):
    return pyarrow.concat_tables([
        pyarrow.table({'id': table['id'],
                       'text': [f'{text}/{version}'
                                for text in table['text'].to_pylist()],
                       'version': [version] * table.num_rows})
        for version in (2, 0, 1)])


@pytest.mark.parametrize('policy, shards', [
    pytest.param('first', None, marks=pytest.mark.sample), ('last', None),
    ('last', 3)])
def test_one_of_several_rows_of_a_key_is_kept(rows, tmp_path, policy, shards):
    rows = rows.map_batches(_with_versions, batch_format='pyarrow')
    write(rows, tmp_path / 'set', on_duplicate=policy, order_by='version',
          shards=shards)
    assert_only_the_set(tmp_path / 'set')
    assert sum(table.entries for table in read_set(tmp_path / 'set')) == ROWS
    kept = b'/0' if policy == 'first' else b'/2'
    for shard in range(shards) if shards else [None]:
        for key, text in ingested(tmp_path / 'set', tmp_path / f'db{shard}',
                                  shard):
            assert text.endswith(kept), (key, text)
    with pytest.raises(ValueError, match='need order_by'):
        write(rows, tmp_path / 'set', on_duplicate=policy)


def test_unsorted_rows_are_refused(rows, tmp_path):
    unsorted = rows.map_batches(
        lambda table: pyarrow.table({
            'key': table['text'].cast(pyarrow.binary()),
            'value': table['text'].cast(pyarrow.binary())}),
        batch_format='pyarrow')
    with pytest.raises(Exception) as raised:
        unsorted.write_datasink(ashlar.ray.SSTDatasink(tmp_path / 'set'))
    assert isinstance(raised.value, (BadRowsError, OverlapError))
    assert files_of(tmp_path / 'set') == set()


def test_a_dataset_without_keys_is_refused(rows, tmp_path):
    with pytest.raises(BadRowsError) as raised:
        rows.write_datasink(ashlar.ray.SSTDatasink(tmp_path / 'set'))
    assert 'needs the columns key and value' in str(raised.value.cause)
    assert files_of(tmp_path / 'set') == set()


def test_a_set_is_not_replaced_by_mistake(rows, tmp_path):
    write(rows, tmp_path / 'set')
    before = files_of(tmp_path / 'set')
    with pytest.raises(SetExistsError):
        write(rows, tmp_path / 'set')
    assert files_of(tmp_path / 'set') == before


def test_shards_are_by_the_hash_of_the_key(rows, expected, tmp_path):
    write(rows, tmp_path / 'set', shards=3)
    assert_only_the_set(tmp_path / 'set')
    for shard in range(3):
        assert ingested(tmp_path / 'set', tmp_path / f'db{shard}', shard) == [
            row for row in expected if zlib.crc32(row[0]) % 3 == shard]


def test_reads_ranges(rows, expected, tmp_path):
    write(rows, tmp_path / 'set')

    def read(**bounds):
        source = ashlar.ray.SSTDatasource(tmp_path / 'set', **bounds)
        found = ray.data.read_datasource(source).take_all()
        return sorted((row['key'], row['value']) for row in found)

    assert read() == expected
    lower, upper = expected[5000][0], expected[7000][0]
    assert read(lower=lower, upper=upper) == expected[5000:7000]


def test_what_the_page_says(rows, tmp_path):
    names = {'ashlar': ashlar, 'ray': ray,
             'dataset': rows.rename_columns({'text': 'payload'})}
    assert run_blocks('Ray', tmp_path / 'set', names) == 1
    assert names['dataset'].count() == 0  # no key is between a and b
    assert sum(table.entries for table in names['tables']) == ROWS
