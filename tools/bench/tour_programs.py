"""The part of tour that times programs: ashlar and those of RocksDB."""

import base64
import dataclasses
import os
import random
import subprocess
import sys
import time

ROWS, QUICK_ROWS = 500000, 2000
TOLERATED = 0.03  # as tools/bench/stopwatch.h has it
TICK = 0.01  # in which /proc/stat counts, seconds
TRIES_PER_ROUND = 3


def entries(args):
    return QUICK_ROWS if args.quick else ROWS


def busy_and_stolen():
    """CPU seconds of all processes, and those that the host took."""
    try:
        with open("/proc/stat", encoding="ascii") as file:
            fields = [int(text) for text in file.readline().split()[1:]]
    except (OSError, ValueError):
        return 0.0, 0.0
    ticks = os.sysconf("SC_CLK_TCK")
    user, nice, system, _, _, interrupts, soft, stolen = fields[:8]
    return (user + nice + system + interrupts + soft) / ticks, stolen / ticks


class RoundLoad:
    """What others did while a round ran."""

    def __init__(self):
        self.began = time.perf_counter()
        self.busy, self.stolen = busy_and_stolen()
        self.own = sum(os.times()[:4])

    def disturbed(self):
        busy, stolen = busy_and_stolen()
        others = (busy - self.busy) - (sum(os.times()[:4]) - self.own)
        lost = others / os.cpu_count() + stolen - self.stolen
        return lost - TICK > TOLERATED * (time.perf_counter() - self.began)


@dataclasses.dataclass
class Rounds:
    seconds: dict  # by name of the command, one number per kept round
    kept: int = 0
    dropped: int = 0


class ProgramRounds:
    """Rows and tables in a folder, and commands timed on them."""

    def __init__(self, programs, folder, args):
        self.bin = programs
        self.args = args
        self.rows = folder / "rows.tsv"
        self.table = folder / "ours.sst"
        self.peers_table = folder / "theirs.sst"

    def write_rows(self):
        """Keys of 16 digits; values of 100 bytes, of which zstd leaves half."""
        draw = random.Random(self.args.seed)
        pool = base64.b64encode(draw.randbytes(1 << 20)).decode()
        with open(self.rows, "w", encoding="ascii") as file:
            for i in range(entries(self.args)):
                at = i * 2654435761 % (len(pool) - 66)
                file.write(f"{i:016d}\t{pool[at:at + 66]}{'v' * 34}\n")

    def ashlar(self, *arguments):
        return [self.bin / "ashlar", *arguments]

    def with_peer(self, commands, peer, *arguments):
        """The commands, and RocksDB's program, where there is one."""
        if (self.bin / peer).exists():
            commands["theirs"] = [self.bin / peer, *arguments]
        return commands

    def sst_dump(self, commands, *flags):
        return self.with_peer(commands, "rocksdb_sst_dump", *flags,
                              f"--file={self.table}")

    def comparisons(self):
        """Labels, and the commands of a row. Both read our table."""
        self.write_rows()
        yield "build of rows, zstd", self.with_peer(
            {"ours": self.ashlar("build", "--quiet", "--overwrite",
                                 f"--out={self.table}", self.rows)},
            "rocksdb_tool", "build", self.rows, self.peers_table, "zstd")
        if self.peers_table.exists():
            self.check_same_entries()
        yield "verify --checksums_only, 1 thread; sst_dump verify", (
            self.sst_dump(
                {"ours": self.ashlar("verify", "--checksums_only",
                                     "--threads=1", self.table)},
                "--command=verify"))
        yield "verify, 1 thread; RocksDB has nothing like it", {
            "ours": self.ashlar("verify", "--threads=1", self.table),
            "limit": [self.bin / "bare_blocks", "--threads=1", self.table]}
        for threads in (1, 2):
            yield f"check, {threads} thread{'s' * (threads > 1)}", (
                self.sst_dump({"ours": self.ashlar(
                    "check", f"--threads={threads}", self.table)},
                    "--command=check"))
        yield "scan", self.sst_dump(
            {"ours": self.ashlar("scan", self.table)}, "--command=scan")
        yield "properties", self.sst_dump(
            {"ours": self.ashlar("properties", self.table),
             "limit": ["true"]}, "--command=none", "--show_properties")

    def check_same_entries(self):
        """Else the times of `build` are not of the same work. Blocks may
        differ in size: RocksDB's programs have codecs of their own."""
        done = subprocess.run(
            self.ashlar("diff", self.table, self.peers_table),
            capture_output=True, text=True, check=False)
        if ("only in the first: 0, only in the second: 0, other values: 0"
                not in done.stdout):
            raise SystemExit("tour: ashlar and rocksdb_tool built different "
                             f"tables:\n{done.stdout[-500:]}{done.stderr}")

    def run_once(self, command):
        began = time.perf_counter()
        done = subprocess.run(command, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, check=False)
        took = time.perf_counter() - began
        if done.returncode != 0:
            sys.stderr.write(done.stderr.decode("utf-8", "replace"))
            raise SystemExit(f"failed: {' '.join(map(str, command))}")
        return took

    def run(self, commands):
        """Rounds of all commands, the first in another place each time."""
        for name, command in commands.items():
            print(f"{name}: {' '.join(map(str, command))}", file=sys.stderr)
        for command in commands.values():  # this one warms
            self.run_once(command)
        names = list(commands)
        rounds = Rounds({name: [] for name in names})
        for i in range(self.args.rounds * TRIES_PER_ROUND):
            if rounds.kept == self.args.rounds:
                break
            load = RoundLoad()
            first = i % len(names)
            took = {name: self.run_once(commands[name])
                    for name in names[first:] + names[:first]}
            if load.disturbed() and not self.args.keep_disturbed:
                rounds.dropped += 1
                continue
            rounds.kept += 1
            for name, seconds in took.items():
                rounds.seconds[name].append(seconds)
        return rounds
