"""How RocksDB's programs are run with Ashlar's tables, and what they report.

Used by rocksdb_unit_tests and rocksdb_stress. A program that links RocksDB
dynamically uses Ashlar's tables if libashlar_rocksdb_preload.so is preloaded.
When the program ends, the preloaded library appends one line of JSON to the
file that ASHLAR_ROCKSDB_REPORT names. A program that is killed appends none.
"""

import collections
import json
import os
import pathlib
import tempfile

NUMBERS = ("built", "built_by_stock", "read", "read_by_stock")


class Tables:
    """How many tables Ashlar and RocksDB have built and read, by whom."""

    def __init__(self):
        self.numbers = collections.Counter()
        self.reasons = collections.Counter()

    def add(self, record):
        """Adds one line of a report, or what as_record() returned."""
        for name in NUMBERS:
            self.numbers[name] += record.get(name, 0)
        self.reasons.update(record.get("reasons", {}))

    def add_file(self, path):
        """Adds the lines of a report, if there is one."""
        if path.exists():
            for line in path.read_text().splitlines():
                self.add(json.loads(line))

    def as_record(self):
        return {**self.numbers, "reasons": dict(self.reasons)}

    def all(self):
        return sum(self.numbers.values())

    def share(self):
        """Ashlar's share of the tables, 0 to 1. None if there were none."""
        if not self.all():
            return None
        ashlars = self.numbers["built"] + self.numbers["read"]
        return ashlars / self.all()

    def shown(self):
        """The share as text. It is rounded down, so 100 % means all."""
        if self.share() is None:
            return "no tables"
        return f"{int(self.share() * 1000) / 10:.1f} %"


def environment(preload, report):
    """The environment of a program; `preload` may be None."""
    variables = dict(os.environ)
    variables.pop("LD_PRELOAD", None)
    if preload:
        variables["LD_PRELOAD"] = str(pathlib.Path(preload).resolve())
        variables["ASHLAR_ROCKSDB_REPORT"] = str(report)
    return variables


def identity(*paths):
    """Changes when one of the files does."""
    stats = [os.stat(path) for path in paths]
    return "-".join(f"{stat.st_size:x}.{stat.st_mtime_ns:x}" for stat in stats)


def scratch():
    """Where databases are made: in memory, if there is such a folder."""
    memory = pathlib.Path("/dev/shm")
    return memory if memory.is_dir() else pathlib.Path(tempfile.gettempdir())


def add_flags(parser, least_share):
    """Adds the flags that say what is preloaded, and what it must achieve."""
    parser.add_argument("--preload", type=pathlib.Path,
                        help="the adapter; default: what make builds, if any")
    parser.add_argument("--stock", action="store_true",
                        help="runs without the adapter")
    parser.add_argument("--least-share", type=float, default=least_share,
                        help="percent of the tables")


def adapter_of(options, default):
    """The adapter to preload, or None. Says so if there is none."""
    if options.preload and not options.stock:
        return options.preload
    if default.exists() and not options.stock:
        return default
    print("No adapter: all runs are stock.")
    return None
