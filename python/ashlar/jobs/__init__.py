"""Jobs of many tasks that make one set of tables, on any engine.

`ashlar.spark` and `ashlar.ray` are built on this package. An engine of your own
needs three calls: `SetJob.begin` and `SetJob.commit` in its driver, and
`write_partition` in its tasks.
"""

from .errors import (BadRowsError, JobEndedError, JobError, OverlapError,
                     SetExistsError, StorageError)
from .load_plan import LoadPlan, plan_load
from .manifest import Table
from .set_job import SetJob, read_set, remove_leftovers
from .storage import Folder
from .task import write_partition

__all__ = [
    'BadRowsError', 'Folder', 'JobEndedError', 'JobError', 'LoadPlan',
    'OverlapError', 'SetExistsError', 'SetJob', 'StorageError', 'Table',
    'plan_load', 'read_set', 'remove_leftovers', 'write_partition',
]
