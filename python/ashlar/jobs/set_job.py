"""A job of many tasks that makes one set of tables.

The driver calls `begin`, then tasks anywhere write tables (`task.py`), then the
driver calls `commit` with what the tasks returned. The protocol:

1. `begin` writes a marker, which says that the job runs.
2. A task writes tables under names that no other attempt uses. It looks for
   the marker after that, and removes its tables if there is none.
3. The engine (Spark, Ray) gives the driver the result of one attempt of each
   partition. Only the tables in these results count.
4. `commit` checks that they are all there and share no keys, writes the
   manifest, which makes them the set, and removes the marker. Then it removes
   all other tables of the job: those of failed, repeated and speculative
   attempts.

A table that a late attempt completes after step 4 is removed by that attempt,
since the marker is gone. So each table is in the manifest, or is removed by the
driver or by its task. Only a process that is killed leaves files:
`remove_leftovers` finds them by their names.

`abort` removes the marker and all tables of the job. An object store whose
listings and reads see all completed writes (as S3's do) is enough.
"""

import dataclasses
import json
import time
import warnings

from . import names
from .errors import (JobError, JobEndedError, OverlapError, SetExistsError,
                     StorageError)
from .manifest import Table, manifest_text, parse_manifest, shards_of
from .storage import Folder

DAY_SECONDS = 24 * 3600


@dataclasses.dataclass(frozen=True)
class SetJob:
    """The job, as driver and tasks share it. Small; can be pickled."""

    folder: Folder
    prefix: str
    job: str
    overwrite: bool
    shards: int | None = None  # of the store, for the manifest

    @staticmethod
    def plan(uri, *, prefix='table', overwrite=False, storage_options=None,
             shards=None):
        """Returns a job that has not begun. It may be copied to tasks."""
        return SetJob(Folder.of(uri, storage_options), prefix, names.new_job(),
                      overwrite, shards)

    @staticmethod
    def begin(uri, *, prefix='table', overwrite=False, storage_options=None,
              shards=None):
        """Starts a job for the set `prefix` in the folder `uri`."""
        job = SetJob.plan(uri, prefix=prefix, overwrite=overwrite,
                          storage_options=storage_options, shards=shards)
        job.start()
        return job

    def start(self):
        """Checks that the set may be made, and writes the marker."""
        self.folder.make()
        self._check_free()
        marker = {'schema': 'ashlar-job/1', 'set': self.prefix,
                  'started': int(time.time())}
        self.folder.put(names.marker_name(self.job),
                        json.dumps(marker).encode(), False)

    def _check_free(self):
        manifest = names.manifest_name(self.prefix)
        if not self.overwrite and self.folder.exists(manifest):
            raise SetExistsError(self.folder.path(manifest),
                                 'exists; use overwrite=True to replace the '
                                 'set, or another folder')

    def is_running(self):
        return self.folder.exists(names.marker_name(self.job))

    def check_running(self):
        if not self.is_running():
            raise JobEndedError(self.folder.uri,
                                f'job {self.job} has ended; this task is late')

    def commit(self, tables):
        """Makes `tables` the set. Returns them in the manifest's order.

        May be called again with the same tables, if it is not known whether
        it has succeeded.
        """
        tables = sorted(tables, key=lambda table: (
            -1 if table.shard is None else table.shard, table.smallest))
        if not tables:
            raise JobError(self.folder.uri, 'there are no rows to write')
        check_apart(tables, self.folder)
        self._check_complete(tables)
        kept = {table.path for table in tables}
        # A call before this one may have written our own manifest.
        old = [table.path for table in self._listed()
               if table.path not in kept] if self.overwrite else []
        self._write_manifest(tables)
        # The set exists from here on, so what goes wrong is a warning.
        try:
            self.folder.remove(names.marker_name(self.job))
            self._remove_tables(kept, old)
        except StorageError as error:
            warnings.warn(f'the set is complete, but {error}; '
                          'remove_leftovers removes what is left',
                          stacklevel=2)
        return tables

    def _write_manifest(self, tables):
        from ashlar import __version__
        manifest = names.manifest_name(self.prefix)
        content = manifest_text(tables, __version__, self.shards)
        if self.folder.put(manifest, content, self.overwrite):
            return
        # A request may have been carried out though its answer was lost, and
        # its repetition then finds our own manifest.
        if self.folder.read(manifest) != content:
            raise SetExistsError(self.folder.path(manifest),
                                 'was made by another job meanwhile')

    def abort(self):
        """Ends the job. Removes all that its tasks made.

        Tables that the manifest lists stay: if `commit` failed after it wrote
        the manifest, the set is complete.
        """
        self.folder.remove(names.marker_name(self.job))
        self._remove_tables({table.path for table in self._listed()})

    def abort_after_error(self):
        """As abort, for a caller that is about to raise the error of the job.

        If the store is lost too, what stays there is a warning.
        """
        try:
            self.abort()
        except JobError as error:
            warnings.warn(f'{error}; remove_leftovers removes what is left',
                          stacklevel=2)

    def _check_complete(self, tables):
        sizes = self.folder.sizes(names.tables_of_job(self.prefix, self.job))
        for table in tables:
            size = sizes.get(table.path)
            if size != table.bytes:
                found = 'is missing' if size is None else f'has {size} bytes'
                raise JobError(self.folder.path(table.path),
                               f'{found}; a task wrote {table.bytes} bytes')

    def _listed(self):
        manifest = names.manifest_name(self.prefix)
        content = self.folder.read(manifest)
        if content is None:
            return []
        return parse_manifest(content, self.folder.path(manifest))

    def _remove_tables(self, kept, more=()):
        beginning = names.tables_of_job(self.prefix, self.job)
        self.folder.end_uploads(beginning)
        made = self.folder.sizes(beginning)
        self.folder.remove_all([*(set(made) - kept), *more])


def check_apart(tables, folder):
    """Tables in order must share no keys, within a shard."""
    for one, next_one in zip(tables, tables[1:]):
        if one.shard == next_one.shard and not one.ends_before(
                next_one.smallest):
            raise OverlapError(
                folder.path(next_one.path),
                f'begins at the key {next_one.smallest!r}, which is not above '
                f'{one.largest!r}, the last key of {one.path}; rows must be '
                'sorted across partitions, and each key must come once')


def read_set(uri, *, prefix='table', storage_options=None):
    """Returns the tables of the set `prefix` in the folder `uri`, in order."""
    return read_set_and_shards(uri, prefix, storage_options)[0]


def read_set_and_shards(uri, prefix, storage_options):
    """The same, with the number of shards that the set was written for, or
    None if its manifest does not say."""
    folder = Folder.of(uri, storage_options)
    manifest = names.manifest_name(prefix)
    content = folder.read(manifest)
    if content is None:
        raise JobError(folder.path(manifest), 'does not exist')
    tables = parse_manifest(content, folder.path(manifest))
    return tables, shards_of(content)


def remove_leftovers(uri, *, prefix='table', storage_options=None,
                     older_than=DAY_SECONDS):
    """Removes what killed jobs left. Returns the names of what was removed.

    On S3 it also ends their uploads, of which nothing is seen. A job whose
    marker is younger than `older_than` seconds counts as running: its tables
    are kept. So are tables that the manifest lists, and those that no job made.
    """
    folder = Folder.of(uri, storage_options)
    # The order matters. A job whose table is found here began before, so its
    # marker is found next, unless it has ended; then the manifest, read last,
    # has its tables, if it was committed.
    found = folder.sizes(prefix + '-')
    uploads = folder.uploads(prefix + '-')
    running, removed = _sort_markers(folder, prefix, older_than)
    for name in removed:
        folder.remove(name)
    manifest = names.manifest_name(prefix)
    content = folder.read(manifest)
    listed = set() if content is None else {
        table.path for table in parse_manifest(content, folder.path(manifest))}

    def is_left(name):
        job = names.job_of_table(prefix, name)
        return job is not None and job not in running and name not in listed

    left = list(filter(is_left, found))
    folder.remove_all(left)
    removed += left
    for name, upload in uploads:
        if is_left(name):
            folder.end_upload(name, upload)
    return removed


def _sort_markers(folder, prefix, older_than):
    """Returns the jobs that run, and the markers of those that do not."""
    running, ended = set(), []
    for name in folder.sizes(names.MARKERS):
        job = names.job_of_marker(name)
        content = folder.read(name) if job else None
        if content is None:
            continue
        marker = json.loads(content)
        if marker['set'] != prefix:
            continue
        if time.time() - marker['started'] < older_than:
            running.add(job)
        else:
            ended.append(name)
    return running, ended
