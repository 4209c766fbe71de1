"""Errors of jobs. All have `.file` and `.reason`, as those of the library."""

import re

from .._errors import Error

_REPORTED = re.compile(r'ashlar\.jobs\.errors\.(\w+): (.*)')


class JobError(Error):
    """What was wrong, and with which file or folder."""

    def __init__(self, file, reason):
        super().__init__(reason, file)

    def __reduce__(self):
        return type(self), (self.file, self.reason)

    def __str__(self):
        return f'{self.file}: {self.reason}'


class StorageError(JobError):
    """The folder or the object store failed."""


class BadRowsError(JobError):
    """The rows cannot become tables: a null, or a key that comes twice."""


class JobEndedError(JobError):
    """A task went on after its job had ended. It has removed its files."""


class OverlapError(JobError):
    """Two tables have keys of one range."""


class SetExistsError(JobError):
    """There is a set of tables already."""


def reported_error(text):
    """Returns the error of a task that an engine reports as text, or None."""
    found = _REPORTED.findall(text)
    if not found:
        return None
    name, message = found[-1]
    kinds = {kind.__name__: kind for kind in JobError.__subclasses__()}
    file, separator, reason = message.partition(': ')
    if not separator:
        file, reason = '', message
    return kinds.get(name, JobError)(file, reason)


def raise_reported(error):
    """Raises the error of a task that an engine's `error` has or quotes.

    Returns if there is none, so that the caller raises `error` itself.
    """
    cause = getattr(error, 'cause', None)  # Ray keeps the task's exception
    if not isinstance(cause, JobError):
        if isinstance(error, JobError) or not isinstance(error, Exception):
            return
        cause = reported_error(str(error))
    if cause is not None:
        raise cause from error
