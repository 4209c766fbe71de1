"""Load plans: which table goes to which shard of a store on RocksDB.

    plan = plan_load('s3://bucket/set')
    for shard in plan.shards:
        paths = plan.fetch(shard, f'/data/{shard}/incoming')
        database_of(shard).ingest_external_file(paths)

A plan is checked as a whole before anything is loaded: each table goes to one
shard, the tables of a shard share no keys with each other, nor with what the
shard has already, if the caller says what that is. A shard then takes all its
tables in one call, so that readers see all of them or none.
"""

import bisect
import dataclasses
import json
import os
import sys

from .errors import JobError, OverlapError
from .names import manifest_name
from .set_job import check_apart, read_set_and_shards
from .storage import Folder, LocalFile

COPY_BYTES = 8 << 20


@dataclasses.dataclass(frozen=True)
class LoadPlan:
    """The tables of each shard, in key order. Shards without any are left out.

    A shard's name is a number if rows were spread by hash, and else what the
    caller calls it.
    """

    folder: Folder
    shards: dict

    def to_json(self):
        """Returns the plan as text, for a loader in another language."""
        return json.dumps({
            'schema': 'ashlar-load-plan/1',
            'folder': self.folder.uri,
            'shards': [{'shard': shard,
                        'files': [table.to_json() for table in tables]}
                       for shard, tables in self.shards.items()],
        })

    def bytes_of(self, shard):
        return sum(table.bytes for table in self.shards[shard])

    def fetch(self, shard, folder):
        """Copies the tables of a shard into a local folder.

        Returns their paths, in key order. A file is under its name only when it
        has all its bytes. On the file system of the database, RocksDB can then
        move the files (`move_files`) and need not copy them.
        """
        os.makedirs(folder, exist_ok=True)
        return [self._fetch_table(table, os.path.join(folder, table.path))
                for table in self.shards[shard]]

    def _fetch_table(self, table, path):
        file = LocalFile(path)
        try:
            done = 0
            for piece in self.folder.pieces(table.path, COPY_BYTES):
                done += file.write(piece)
            if done != table.bytes:
                raise JobError(self.folder.path(table.path),
                               f'has {done} bytes; the manifest says '
                               f'{table.bytes}')
            file.commit()
        except BaseException:
            file.discard()
            raise
        return path


def plan_load(uri, *, splits=None, names=None, shards=None, existing=None,
              prefix='table', storage_options=None):
    """Plans the load of a set of tables. Raises OverlapError or JobError.

    Without `splits`, the manifest says which shard a table is for (a set that
    was written with `shards=`); `shards`, if given, is the number of shards
    that the store has, and must be that of the set, if its manifest has one.

    With `splits`, each shard has a range of keys: `splits` are the keys at
    which shards meet, ascending, so that n splits make n + 1 shards. A key that
    equals a split belongs to the shard above it. `names` are the names of the
    shards, else their numbers from 0. A table that reaches over a split is an
    error: write the set with `splits=` then.

    `existing` has, for a shard, the ranges of keys that it holds already, as
    pairs of first and last key. A table that shares keys with one is an error.
    """
    tables, written_for = read_set_and_shards(uri, prefix, storage_options)
    folder = Folder.of(uri, storage_options)
    existing = existing or {}
    if splits is None:
        if None not in (shards, written_for) and shards != written_for:
            raise JobError(folder.path(manifest_name(prefix)),
                           f'is of a set for {written_for} shards; the store '
                           f'has {shards} shards')
        assigned = _by_manifest(tables, shards, folder)
        # Shards may be without tables, so these do not tell how many there are.
        _check_names(existing, range(shards or written_for or sys.maxsize))
    else:
        splits = list(splits)
        names = _names_of(splits, names)
        assigned = _by_ranges(tables, splits, names, folder)
        _check_names(existing, names)
    for shard, own in assigned.items():
        check_apart([dataclasses.replace(table, shard=None) for table in own],
                    folder)
        _check_existing(shard, own, existing.get(shard, ()), folder)
    return LoadPlan(folder, assigned)


def _check_names(existing, names):
    for shard in existing:
        if shard not in names:
            raise ValueError(f'existing: there is no shard {shard!r}')


def _names_of(splits, names):
    if names is None:
        return list(range(len(splits) + 1))
    names = list(names)
    if len(names) != len(splits) + 1 or len(set(names)) != len(names):
        raise ValueError(f'{len(splits)} splits need {len(splits) + 1} '
                         'different names')
    return names


def _by_manifest(tables, shards, folder):
    assigned = {}
    for table in tables:
        if table.shard is None:
            raise JobError(folder.path(table.path),
                           'has no shard in the manifest; write the set with '
                           'shards=, or pass splits=')
        if shards is not None and table.shard >= shards:
            raise JobError(folder.path(table.path),
                           f'is for shard {table.shard}; the store has '
                           f'{shards} shards')
        assigned.setdefault(table.shard, []).append(table)
    return {shard: sorted(assigned[shard], key=lambda table: table.smallest)
            for shard in sorted(assigned)}


def _by_ranges(tables, splits, names, folder):
    if any(one >= next_one for one, next_one in zip(splits, splits[1:])):
        raise ValueError('splits must ascend')
    assigned = {}
    for table in sorted(tables, key=lambda table: table.smallest):
        place = bisect.bisect_right(splits, table.smallest)
        if place < len(splits) and not table.ends_before(splits[place]):
            raise OverlapError(
                folder.path(table.path),
                f'reaches over the split {splits[place]!r} between the shards '
                f'{names[place]!r} and {names[place + 1]!r}; write the set '
                'with splits=')
        assigned.setdefault(names[place], []).append(table)
    return assigned


def _check_existing(shard, tables, ranges, folder):
    for first, last in ranges:
        for table in tables:
            if table.smallest <= last and not table.ends_before(first):
                raise OverlapError(
                    folder.path(table.path),
                    f'shares keys with what shard {shard!r} has from '
                    f'{first!r} to {last!r}')
