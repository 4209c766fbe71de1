"""Which of several rows of a key a task writes, for batches of any size."""

import random

import pyarrow
import pytest

from ashlar.jobs import BadRowsError, SetJob, write_partition
from ashlar.jobs.duplicates import check_policy, keep_one
from set_checks import assert_only_the_set, assert_rows

SCHEMA = pyarrow.schema([('key', pyarrow.binary()),
                         ('value', pyarrow.binary()),
                         ('order', pyarrow.int64())])


def batch_of(rows):
    return pyarrow.record_batch(list(map(list, zip(*rows))) or [[], [], []],
                                schema=SCHEMA)


def random_batches(seed):
    """Returns rows of few keys, and batches of them as an engine sorts them.

    Of a key whose rows are in several batches, a later batch may have smaller
    orders, as sorted blocks of Ray may.
    """
    draw = random.Random(seed)
    rows = [(b'%04d' % draw.randrange(40), b'value %d' % number, number)
            for number in range(draw.randrange(1, 120))]
    draw.shuffle(rows)
    rows.sort(key=lambda row: row[0])
    batches = []
    while sum(map(len, batches)) < len(rows):
        begin = sum(map(len, batches))
        batches.append(rows[begin:begin + draw.randrange(0, 12)])
    return rows, [batch_of(sorted(batch, key=lambda row: (row[0], row[2])))
                  for batch in batches]


@pytest.mark.parametrize('policy, choose', [('first', min), ('last', max)])
def test_the_row_that_the_order_says_is_kept(policy, choose):
    for seed in range(200):
        rows, batches = random_batches(seed)
        expected = {}
        for key, value, order in rows:
            before = expected.get(key, (order, value))
            expected[key] = choose(before, (order, value))
        kept = [row for batch in keep_one(batches, policy, 'set')
                for row in batch.to_pylist()]
        assert kept == [{'key': key, 'value': expected[key][1]}
                        for key in sorted(expected)], seed


NAN = float('nan')


@pytest.mark.parametrize('orders, first, last', [
    ([1.0, NAN], 0, 1), ([NAN, 1.0], 1, 0), ([NAN, NAN], None, None),
    ([2.0, NAN, 1.0], 2, 1), ([NAN, float('inf'), NAN], 1, None),
    ([1.0, NAN, 2.0, NAN], 0, None)])
@pytest.mark.parametrize('rows_at_once', [1, 2, 4])
def test_nan_is_the_largest(orders, first, last, rows_at_once):
    rows = [(b'a', b'%d' % number, order)
            for number, order in enumerate(orders)]
    batches = []
    for begin in range(0, len(rows), rows_at_once):
        batch = pyarrow.record_batch(
            list(map(list, zip(*rows[begin:begin + rows_at_once]))),
            schema=SCHEMA.set(2, pyarrow.field('order', pyarrow.float64())))
        # As engines sort.
        batches.append(batch.sort_by('order'))
    for policy, wanted in (('first', first), ('last', last)):
        kept = [row for batch in keep_one(batches, policy, 'set')
                for row in batch.to_pylist()]
        assert len(kept) == 1
        order = orders[int(kept[0]['value'])]
        assert (order != order if wanted is None
                else kept[0]['value'] == b'%d' % wanted)


def test_a_task_writes_one_row_of_each_key(tmp_path):
    job = SetJob.begin(tmp_path / 'set')
    batches = [batch_of([(b'a', b'old', 1), (b'a', b'new', 2)]),
               batch_of([(b'a', b'newest', 3), (b'b', b'only', 0)])]
    job.commit(write_partition(job, 0, batches, on_duplicate='last'))
    assert_only_the_set(tmp_path / 'set')
    assert_rows(tmp_path / 'set', tmp_path / 'db', [(b'a', b'newest'),
                                                    (b'b', b'only')])


@pytest.mark.parametrize('batch, message', [
    (batch_of([(b'a', b'1', None)]), 'order_by'),
    (batch_of([(b'a', b'1', 1)]).select(['key', 'value']), 'column order'),
    (batch_of([(None, b'1', 1), (None, b'2', 2)]), 'has no key'),
])
def test_bad_rows_are_named(tmp_path, batch, message):
    job = SetJob.begin(tmp_path / 'set')
    with pytest.raises(BadRowsError, match=message):
        write_partition(job, 0, [batch], on_duplicate='first')
    job.abort()
    assert not any((tmp_path / 'set').iterdir())


@pytest.mark.parametrize('policy, order_by, message', [
    ('newest', 'time', "'newest'"), ('last', None, 'need order_by'),
    ('error', 'time', 'need order_by'), ('last', 'when', "no column 'when'")])
def test_a_choice_that_cannot_be_made_is_refused(policy, order_by, message):
    with pytest.raises(ValueError, match=message):
        check_policy(policy, order_by, ['time'])
    check_policy('error', None, [])
    check_policy('last', 'time', ['time'])
