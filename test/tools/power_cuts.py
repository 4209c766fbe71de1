"""What a disk may hold after the power has gone, at any moment of a run.

A run is its file calls, as test/support/faulty_calls.h logs them. The disk is a
pessimist's:

- The bytes of a file are safe once fsync or fdatasync of it has returned. Each
  write since then may be there, or not, or in part, whatever the order was. Of
  bytes that are not there, zeros may be in their place.
- A name in a folder is safe, made, replaced or removed, once fsync of the
  folder has returned. Each change since then may be there or not. A rename
  makes one name, which replaces what it named, and removes another. The second
  may be missing, but is never there without the first.
- A file keeps its number (inode). The time of its last change is safe with its
  bytes.
- Nothing else is safe: neither closing a file nor sync_file_range.
"""

import itertools
import posixpath

SECTOR = 512  # What a disk writes whole.


class File:
    """Bytes on the disk, and what was written since they were safe."""

    def __init__(self, number, content=b""):
        self.number = number
        self.safe = content
        self.pending = []  # (offset, bytes), or (size, None): cut to this size

    @staticmethod
    def applied(content, changes):
        content = bytearray(content)
        for offset, data in changes:
            if data is None:
                del content[offset:]
                content.extend(bytes(offset - len(content)))
            else:
                content.extend(bytes(max(0, offset - len(content))))
                content[offset:offset + len(data)] = data
        return bytes(content)

    def sync(self):
        self.safe = self.applied(self.safe, self.pending)
        self.pending = []

    def after_cut(self, choice, chance):
        """The bytes after a cut. `choice`: "all", "none" or "some"."""
        if choice == "all":
            return self.applied(self.safe, self.pending)
        if choice == "none" or not self.pending:
            return self.safe
        changes = []
        for offset, data in self.pending:
            kept = chance.choice(("whole", "whole", "torn", "lost", "zeros"))
            if kept == "lost":
                continue
            if data is not None and kept == "torn":
                data = data[:chance.randrange(0, len(data) + SECTOR, SECTOR)]
            elif data is not None and kept == "zeros":
                data = bytes(len(data))
            changes.append((offset, data))
        return self.applied(self.safe, changes)


FOLDER = "folder"


class Disk:
    """The calls of a run, one after the other."""

    def __init__(self, start):
        """`start`: what the folder holds before the run, all of it safe: bytes
        by path, and FOLDER for folders."""
        self.files = 0  # that there were, to number them
        # The running system's names, and those that are safe.
        self.names = {path: entry if entry is FOLDER else self.new_file(entry)
                      for path, entry in start.items()}
        self.safe = dict(self.names)
        # (path, entry, change): the entry is None if the name was removed. It
        # is there only with the other change, unless that is None.
        self.pending = []
        self.opened = {path: entry for path, entry in self.names.items()
                       if entry is not FOLDER}

    def new_file(self, content=b""):
        self.files += 1
        return File(self.files, content)

    def change(self, path, entry, needs=None):
        self.pending.append((path, entry, needs))
        self.apply(self.names, self.pending[-1])
        return self.pending[-1]

    def take(self, call, data):
        """Takes a line of the log. `data`: the bytes of all writes."""
        _, name, path, detail, error = call
        if error != "0":
            return
        if name == "open":
            self.open(path, detail)
        elif name == "mkostemp":
            self.open(detail, "create")
            self.opened[path] = self.names[detail]
        elif name == "write":
            place, at = detail.split("@")
            offset, size = map(int, place.split("+"))
            self.opened[path].pending.append(
                (offset, data[int(at):int(at) + size]))
        elif name == "ftruncate":
            self.opened[path].pending.append((int(detail), None))
        elif name in ("fsync", "fdatasync"):
            self.sync(path)
        elif name in ("rename", "renameat2"):
            made = self.change(detail, self.names[path])
            self.change(path, None, needs=made)
        elif name == "link":
            self.change(detail, self.names[path])
        elif name in ("mkdir", "mkdtemp"):
            self.change(detail or path, FOLDER)
        elif name in ("unlink", "rmdir"):
            self.change(path, None)

    def open(self, path, detail):
        entry = self.names.get(path)
        if entry is FOLDER or path == ".":
            return
        if entry is None and "create" in detail:
            entry = self.new_file()
            self.change(path, entry)
        elif entry is not None and "truncate" in detail:
            entry.pending.append((0, None))
        if entry is not None:
            self.opened[path] = entry

    def sync(self, path):
        if path != "." and self.names.get(path) is not FOLDER:
            self.opened[path].sync()
            return
        left = []
        for change in self.pending:
            if (posixpath.dirname(change[0]) or ".") == path:
                self.apply(self.safe, change)
            else:
                left.append(change)
        self.pending = left

    @staticmethod
    def apply(names, change):
        path, entry, _ = change
        if entry is None:
            names.pop(path, None)
        else:
            names[path] = entry

    def after_cut(self, changes, choice, chance):
        """What the folder may hold: a file's number and bytes by path, and FOLDER.
        `changes`: those of the names that are there. What is in a lost folder
        is lost too."""
        names = dict(self.safe)
        for change in changes:
            needed = change[2]
            if needed in changes or needed not in self.pending:
                self.apply(names, change)
        held, content = {}, {}
        for path, entry in sorted(names.items()):
            parent = posixpath.dirname(path)
            if parent and held.get(parent) is not FOLDER:
                continue
            if entry is FOLDER:
                held[path] = FOLDER
                continue
            if entry not in content:
                content[entry] = entry.after_cut(choice, chance)
            held[path] = entry.number, content[entry]
        return held

    def running(self):
        """What the system sees that runs, as after_cut returns it."""
        return {path: entry if entry is FOLDER
                else (entry.number, entry.after_cut("all", None))
                for path, entry in self.names.items()}

    def states(self, count, chance):
        """What the folder may hold after a cut now: first without and with all
        that is not safe, then as if the names had changed in order, then
        `count` times by chance."""
        for changes, choice in itertools.product(
                ([], self.pending), ("none", "all", "some")):
            yield self.after_cut(changes, choice, chance)
        for end in range(1, len(self.pending)):
            yield self.after_cut(self.pending[:end], "none", chance)
        for _ in range(count if self.pending or self.has_pending() else 0):
            changes = [change for change in self.pending
                       if chance.random() < 0.5]
            yield self.after_cut(changes, "some", chance)

    def has_pending(self):
        return any(file.pending for file in self.opened.values())
