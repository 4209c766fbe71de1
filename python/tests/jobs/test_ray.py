"""Ray writes and reads sets of tables; tasks die on the way."""

import pyarrow
import pytest
import ray.data

import ashlar.ray
from ashlar.jobs import BadRowsError, OverlapError
from engine_tests import (assert_refused, EngineTests, MODULUS, MULTIPLIER,
                          ROWS)
from page_blocks import run_blocks
from set_checks import files_of

pytestmark = pytest.mark.usefixtures('ray_cluster')


def _rows_of(table):
    numbers = [row * MULTIPLIER % MODULUS for row in table['id'].to_pylist()]
    return pyarrow.table({'id': pyarrow.array(numbers, pyarrow.uint64()),
                          'text': [f'v{number}' for number in numbers]})


@pytest.fixture
def rows():
    return ray.data.range(ROWS, override_num_blocks=3).map_batches(
        _rows_of, batch_format='pyarrow')


def _with_versions(table):
    return pyarrow.concat_tables([
        pyarrow.table({'id': table['id'],
                       'text': [f'{text}/{version}'
                                for text in table['text'].to_pylist()],
                       'version': [version] * table.num_rows})
        for version in (2, 0, 1)])


def write(rows, folder, **options):
    options = {'key': 'id:u64be', 'value': 'text',
               'target_file_size': 100000, **options}
    return ashlar.ray.write_tables(rows, folder, **options)


class TestRay(EngineTests):
    engine = 'ray'
    write = staticmethod(write)

    @staticmethod
    def read(rows, folder, lower=None, upper=None):
        found = ray.data.read_datasource(ashlar.ray.SSTDatasource(
            folder, lower=lower, upper=upper)).take_all()
        return sorted((row['key'], row['value']) for row in found)

    @staticmethod
    def with_versions(rows):
        return rows.map_batches(_with_versions, batch_format='pyarrow')


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
    assert_refused(write, rows, _with_row(rows, key, text), tmp_path / 'set',
                   error, message)


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


def test_what_the_page_says(rows, tmp_path):
    names = {'ashlar': ashlar, 'ray': ray,
             'dataset': rows.rename_columns({'text': 'payload'})}
    assert run_blocks('Ray', tmp_path / 'set', names) == 1
    assert names['dataset'].count() == 0  # no key is between a and b
    assert sum(table.entries for table in names['tables']) == ROWS
