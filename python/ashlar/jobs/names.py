"""The names of the files that a job makes.

For the set `table` in a folder:

    table-<32 digits>.sst      the tables
    table-manifest.json        the manifest, which lists those that count
    _ashlar-<12 digits>.json   the marker of a job that runs

The digits of a table are those of its job (12), its partition (6), its attempt
(10) and its number in the attempt (4). Two attempts of a partition never use
one name, so that a late one changes no file of another. Numbers of this size
are left alone by the library, which numbers its own tables from 000001.
"""

import re
import secrets

JOB_DIGITS = 12
PARTITION_DIGITS = 6
ATTEMPT_DIGITS = 10
NUMBER_DIGITS = 4
MOST_PARTITIONS = 10 ** PARTITION_DIGITS
MOST_TABLES_PER_ATTEMPT = 10 ** NUMBER_DIGITS

_MARKER = '_ashlar-'
_MARKER_NAME = re.compile(r'_ashlar-(\d{12})\.json', re.ASCII)


def _draw(digits):
    return f'{secrets.randbelow(10 ** digits):0{digits}d}'


def new_job():
    return _draw(JOB_DIGITS)


def new_attempt():
    return _draw(ATTEMPT_DIGITS)


def table_name(prefix, job, partition, attempt, number):
    if not 0 <= partition < MOST_PARTITIONS:
        raise ValueError(f'partition {partition} is out of range; a job has '
                         f'at most {MOST_PARTITIONS} partitions')
    if not 0 <= number < MOST_TABLES_PER_ATTEMPT:
        raise ValueError(
            f'a partition has more than {MOST_TABLES_PER_ATTEMPT} tables; '
            'increase target_file_size or the number of partitions')
    return (f'{prefix}-{job}{partition:0{PARTITION_DIGITS}d}{attempt}'
            f'{number:0{NUMBER_DIGITS}d}.sst')


def tables_of_job(prefix, job):
    """The beginning of the names of all tables of a job."""
    return f'{prefix}-{job}'


def job_of_table(prefix, name):
    """Returns the job that made a table, or None if no job did.

    Also for the name that a table has until it is complete.
    """
    digits = (JOB_DIGITS + PARTITION_DIGITS + ATTEMPT_DIGITS + NUMBER_DIGITS)
    found = re.fullmatch(
        rf'{re.escape(prefix)}-(\d{{{digits}}})\.sst(\.tmp\.[\w.]+)?', name,
        re.ASCII)
    return found.group(1)[:JOB_DIGITS] if found else None


def manifest_name(prefix):
    return f'{prefix}-manifest.json'


def marker_name(job):
    return f'{_MARKER}{job}.json'


def job_of_marker(name):
    found = _MARKER_NAME.fullmatch(name)
    return found.group(1) if found else None


MARKERS = _MARKER
