"""Load plans: which table goes to which shard."""

import json

import ashlar
import pyarrow
import pytest
import rocksdict

from ashlar.jobs import (JobError, OverlapError, SetJob, plan_load,
                         write_partition)
from ashlar.jobs.read_plan import plan_read
from page_blocks import run_blocks
from set_checks import files_of
from test_set_job import batch_of, rows_of


def make_set(folder, *ranges, splits=()):
    job = SetJob.begin(folder)
    tables = []
    for partition, (begin, end) in enumerate(ranges):
        tables += write_partition(job, partition,
                                  [batch_of(rows_of(begin, end))],
                                  splits=splits)
    return job.commit(tables)


def test_ranges_go_to_their_shards(tmp_path):
    tables = make_set(tmp_path / 'set', (0, 100), (100, 200), (200, 300))
    plan = plan_load(tmp_path / 'set', splits=[b'00000200'],
                     names=['low', 'high'])
    assert plan.shards == {'low': tables[:2], 'high': tables[2:]}
    assert plan.bytes_of('high') == tables[2].bytes
    text = json.loads(plan.to_json())
    assert [shard['shard'] for shard in text['shards']] == ['low', 'high']
    assert text['shards'][1]['files'][0]['path'] == tables[2].path


def test_a_table_over_a_split_is_refused(tmp_path):
    make_set(tmp_path / 'set', (0, 100), (100, 200))
    with pytest.raises(OverlapError, match='reaches over the split'):
        plan_load(tmp_path / 'set', splits=[b'00000150'])
    make_set(tmp_path / 'cut', (0, 100), (100, 200), splits=[b'00000150'])
    plan = plan_load(tmp_path / 'cut', splits=[b'00000150'])
    assert [len(tables) for tables in plan.shards.values()] == [2, 1]


def test_a_key_that_equals_a_split_goes_above_it(tmp_path):
    make_set(tmp_path / 'set', (100, 200))
    assert list(plan_load(tmp_path / 'set',
                          splits=[b'00000100']).shards) == [1]
    assert list(plan_load(tmp_path / 'set',
                          splits=[b'00000199x']).shards) == [0]
    with pytest.raises(OverlapError):
        plan_load(tmp_path / 'set', splits=[b'00000199'])


def test_data_that_is_there_is_not_covered(tmp_path):
    make_set(tmp_path / 'set', (0, 100), (100, 200))
    existing = {0: [(b'00000200', b'9'), (b'', b'0')]}
    plan_load(tmp_path / 'set', splits=[], existing=existing)
    existing[0].append((b'00000050', b'00000060'))
    with pytest.raises(OverlapError, match='shares keys with what shard 0'):
        plan_load(tmp_path / 'set', splits=[], existing=existing)
    for other in ('0', 1):
        with pytest.raises(ValueError, match='existing: there is no shard'):
            plan_load(tmp_path / 'set', splits=[], existing={other: []})


def make_set_with_a_range_deletion(folder):
    """The first table ends where the second begins, and does not reach it."""
    folder.mkdir()
    infos = []
    for number, begin in enumerate((b'a', b'c')):
        with ashlar.TableWriter(folder / f'table-{number}.sst') as writer:
            writer.put(begin, b'value')
            if number == 0:
                writer.delete_range(b'b', b'c')
        infos.append(writer.info)
    assert infos[0].largest_is_exclusive and infos[0].largest == b'c'
    ashlar.write_manifest(folder / 'table-manifest.json', infos)


def test_a_range_deletion_does_not_reach_its_end(tmp_path):
    make_set_with_a_range_deletion(tmp_path / 'set')
    plan = plan_load(tmp_path / 'set', splits=[],
                     existing={0: [(b'd', b'e')]})
    assert [table.largest_is_exclusive for table in plan.shards[0]] == [
        True, False]
    files = json.loads(plan.to_json())['shards'][0]['files']
    assert [file['largest_is_exclusive'] for file in files] == [True, False]
    plan = plan_load(tmp_path / 'set', splits=[b'c'],
                     existing={0: [(b'c', b'd')], 1: [(b'a', b'b')]})
    assert [len(tables) for tables in plan.shards.values()] == [1, 1]
    with pytest.raises(OverlapError, match='reaches over the split'):
        plan_load(tmp_path / 'set', splits=[b'bx'])
    with pytest.raises(OverlapError, match='shares keys with what shard 0'):
        plan_load(tmp_path / 'set', splits=[], existing={0: [(b'b', b'b')]})
    assert len(plan_read(tmp_path / 'set')) == 2
    assert len(plan_read(tmp_path / 'set', lower=b'c')) == 1


def test_hashed_shards_are_those_of_the_store(tmp_path):
    job = SetJob.begin(tmp_path / 'set')
    shard = pyarrow.array([0] * 5 + [2] * 5, pyarrow.int32())
    rows = rows_of(0, 5) + rows_of(0, 5)
    job.commit(write_partition(job, 0, [batch_of(rows, shard=shard)]))
    assert list(plan_load(tmp_path / 'set', shards=3).shards) == [0, 2]
    with pytest.raises(JobError, match='for shard 2; the store has 2'):
        plan_load(tmp_path / 'set', shards=2)
    for shard in ('0', 3, -1):
        with pytest.raises(ValueError, match='existing: there is no shard'):
            plan_load(tmp_path / 'set', shards=3, existing={shard: []})
    plan_load(tmp_path / 'set', shards=3, existing={1: []})
    plan_load(tmp_path / 'set', existing={7: []})  # of a shard without tables
    make_set(tmp_path / 'plain', (0, 10))
    with pytest.raises(JobError, match='no shard in the manifest'):
        plan_load(tmp_path / 'plain')


def test_the_number_of_shards_is_that_of_the_set(tmp_path):
    job = SetJob.begin(tmp_path / 'set', shards=4)
    shard = pyarrow.array([0] * 5 + [2] * 5, pyarrow.int32())
    rows = rows_of(0, 5) + rows_of(0, 5)
    job.commit(write_partition(job, 0, [batch_of(rows, shard=shard)]))
    for shards in (4, None):
        plan = plan_load(tmp_path / 'set', shards=shards)
        assert list(plan.shards) == [0, 2]
    for shards in (3, 8):
        with pytest.raises(JobError, match='4 shards; the store has '
                                           f'{shards} shards'):
            plan_load(tmp_path / 'set', shards=shards)
    assert len(ashlar.open_tables(tmp_path / 'set')) == 2


def test_fetched_tables_are_whole_or_absent(tmp_path):
    tables = make_set(tmp_path / 'set', (0, 100), (100, 200))
    plan = plan_load(tmp_path / 'set', splits=[b'00000100'])
    paths = plan.fetch(1, tmp_path / 'in')
    assert paths == [str(tmp_path / 'in' / tables[1].path)]
    original = (tmp_path / 'set' / tables[1].path).read_bytes()
    assert (tmp_path / 'in' / tables[1].path).read_bytes() == original
    (tmp_path / 'set' / tables[0].path).write_bytes(b'short')
    with pytest.raises(JobError, match='has 5 bytes; the manifest says'):
        plan.fetch(0, tmp_path / 'in')
    assert [path.name for path in (tmp_path / 'in').iterdir()] == [
        tables[1].path]


@pytest.mark.parametrize('splits, names', [
    ([b'b', b'a'], None), ([b'a', b'a'], None), ([b'a'], ['one']),
    ([b'a'], ['one', 'one'])])
def test_splits_and_names_must_fit(tmp_path, splits, names):
    make_set(tmp_path / 'set', (0, 10))
    with pytest.raises(ValueError):
        plan_load(tmp_path / 'set', splits=splits, names=names)


def test_what_the_page_says(tmp_path):
    job = SetJob.begin(tmp_path / 'set')
    shard = pyarrow.array([0] * 5 + [2] * 5, pyarrow.int32())
    job.commit(write_partition(
        job, 0, [batch_of(rows_of(0, 5) + rows_of(0, 5), shard=shard)]))
    before = files_of(tmp_path / 'set')
    names = {'ashlar': ashlar}
    assert run_blocks('What is promised', tmp_path / 'set', names) == 1
    assert names['removed'] == []
    assert files_of(tmp_path / 'set') == before
    database = rocksdict.Rdict(str(tmp_path / 'db'),
                               rocksdict.Options(raw_mode=True))
    names = {'plan_load': plan_load, 'uri': tmp_path / 'set', 'SHARDS': 3,
             'database': database, 'shard': 2, 'incoming': tmp_path / 'in',
             'options': rocksdict.IngestExternalFileOptions()}
    assert run_blocks('Which table goes to which shard', '', names) == 2
    assert list(database.items()) == rows_of(0, 5)
    database.close()
