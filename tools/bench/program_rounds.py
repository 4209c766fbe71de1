"""Runs programs in rounds, and measures their time and memory.

Used by tour and by the tables on programs. In each round all commands run once,
one right after the other, and each round starts with another command. A round
in which other processes or the host took more than 3 % of the time is dropped,
as tools/bench/rounds.h does it. At most three times the given number of rounds
are tried.
"""

import dataclasses
import os
import statistics
import subprocess
import sys
import tempfile
import time

TOLERATED = 0.03  # the same as in tools/bench/stopwatch.h
TICK = 0.01  # the unit of /proc/stat, in seconds
TRIES_PER_ROUND = 3


def timed(command, **streams):
    """Runs a command. Returns its seconds and what it used."""
    began = time.perf_counter()
    with subprocess.Popen(command, **streams) as child:
        _, status, usage = os.wait4(child.pid, 0)
        took = time.perf_counter() - began
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise SystemExit(f"failed: {' '.join(map(str, command))}")
    return took, usage


def run_once(command):
    """Returns the seconds and the peak memory in bytes. Shows what a command
    that fails has written to standard error."""
    with tempfile.TemporaryFile() as errors:
        try:
            took, usage = timed(command, stdout=subprocess.DEVNULL,
                                stderr=errors)
        except SystemExit:
            errors.seek(0)
            sys.stderr.write(errors.read().decode("utf-8", "replace"))
            raise
    return took, usage.ru_maxrss * 1024


def busy_and_stolen():
    """Returns the CPU seconds of all processes, and those that the host
    took."""
    try:
        with open("/proc/stat", encoding="ascii") as file:
            fields = [int(text) for text in file.readline().split()[1:]]
    except (OSError, ValueError):
        return 0.0, 0.0
    ticks = os.sysconf("SC_CLK_TCK")
    user, nice, system, _, _, interrupts, soft, stolen = fields[:8]
    return (user + nice + system + interrupts + soft) / ticks, stolen / ticks


class RoundLoad:
    """Measures what other processes did while a round ran."""

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
    memory: dict  # by name of the command, the most bytes of any run
    kept: int = 0
    dropped: int = 0

    def __str__(self):
        return f"{self.kept} + {self.dropped}"


def run_rounds(commands, args):
    """Runs args.rounds rounds of all commands, which have names."""
    for name, command in commands.items():
        print(f"{name}: {' '.join(map(str, command))}", file=sys.stderr)
    # The first run warms the page cache.
    memory = {name: run_once(command)[1] for name, command in commands.items()}
    names = list(commands)
    rounds = Rounds({name: [] for name in names}, memory)
    for i in range(args.rounds * TRIES_PER_ROUND):
        if rounds.kept == args.rounds:
            break
        load = RoundLoad()
        first = i % len(names)
        took = {}
        for name in names[first:] + names[:first]:
            took[name], peak = run_once(commands[name])
            memory[name] = max(memory[name], peak)
        if load.disturbed() and not args.keep_disturbed:
            rounds.dropped += 1
            continue
        rounds.kept += 1
        for name, seconds in took.items():
            rounds.seconds[name].append(seconds)
    return rounds


def spread(over, under):
    """Returns the median, 10th and 90th percentile of the rounds' ratios."""
    ratios = sorted(a / b for a, b in zip(over, under))
    tenth = len(ratios) // 10
    return statistics.median(ratios), ratios[tenth], ratios[-1 - tenth]


def shown(ratio):
    return "{:.2f} ({:.2f} - {:.2f})".format(*ratio)
