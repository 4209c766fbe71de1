"""A folder that kills the process which makes its n-th call.

All processes that use the folder count their calls together, in a file. So a
test chooses a call, by a number, and the task that happens to make it dies
there: before a table, within it, after it has its name, or while it is removed.
The driver's calls are not counted, since a killed driver has no result to look
at. Kills nobody with `kill_at=None`; then `calls` says how many there were.
"""

import fcntl
import os
import signal

from ashlar.jobs.storage import Folder


class KillingFolder(Folder):
    def __init__(self, uri, counter, kill_at=None):
        super().__init__(uri)
        self.counter = os.fspath(counter)
        self.kill_at = kill_at
        self.driver = os.getpid()
        with open(self.counter, 'w') as file:
            file.write('0')

    @property
    def calls(self):
        with open(self.counter) as file:
            return int(file.read())

    def count(self):
        if os.getpid() == self.driver:
            return
        with open(self.counter, 'r+') as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            calls = int(file.read()) + 1
            file.seek(0)
            file.write(str(calls))
        if calls == self.kill_at:
            os.kill(os.getpid(), signal.SIGKILL)

    def local_path(self, name):
        return None  # so that tables go through create()

    def create(self, name):
        self.count()
        return _KillingFile(super().create(name), self)

    def exists(self, name):
        self.count()
        return super().exists(name)

    def remove(self, name):
        self.count()
        super().remove(name)


class _KillingFile:
    def __init__(self, file, folder):
        self._file = file
        self._folder = folder

    def write(self, data):
        self._folder.count()
        half = len(data) // 2
        view = memoryview(data).cast('B')
        self._file.write(view[:half])
        self._folder.count()
        self._file.write(view[half:])
        return len(view)

    def commit(self):
        self._folder.count()
        self._file.commit()
        self._folder.count()

    def discard(self):
        self._folder.count()
        self._file.discard()
