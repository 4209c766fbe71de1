#!/usr/bin/env python3
"""Runs each test program of a tree many times, in a new order each time.

    test/repeat/repeat_tests.py [options] <bin folder> [<program> ...]

Finds tests that fail only sometimes, because of the order of the tests, what an
earlier run left in the process, the seed of the library's random words
(test/support/random_words.cc), or a busy machine. During a third of the
repeats, this program keeps every core busy. It prints each failure with its
seed and the command that repeats it, and keeps the whole output. It exits with
1 if a test failed. It also exits with 1 if a program ran no test; with --shards
a shard may be empty, but some test must run.

The programs are those of the folder whose names end in _test, the fastest
first. `make repeat` uses this script, and so does .ci/run, with --shards for a
sample.
"""

import argparse
import concurrent.futures
import contextlib
import os
import pathlib
import random
import re
import shlex
import signal
import subprocess
import sys
import threading
import time

MOST_SEEDS = 99999  # GoogleTest's seeds are 1 to this.
BURN = """
import os
parent = os.getppid()
while os.getppid() == parent:
    for n in range(1000000):
        pass
"""
ITERATION = re.compile(r"^Repeating all tests \(iteration (\d+)\)", re.M)
SEED = re.compile(r"^Note: Randomizing tests' orders with a seed of (\d+)",
                  re.M)
# In the list at the end of the output, no time follows the name.
FAILED = re.compile(r"^\[  FAILED  \] (\w\S*?)(?:, where .*)? \(\d+ ms\)",
                    re.M)
BEGUN = re.compile(r"^\[ RUN      \] (\S+)", re.M)
ENDED = re.compile(r"^\[ +(?:OK|FAILED|SKIPPED) +\] (\S+?)(?:,.*)? \(\d+ ms\)",
                   re.M)
RAN = re.compile(r"^\[==========\] (\d+) tests? from .* ran\.", re.M)


class Batch:
    """Some repeats of a program, in one process."""

    def __init__(self, program, times, loaded, seed, shards, shard):
        self.program = program
        self.times = times
        self.loaded = loaded
        self.seed = seed
        self.environment = {}
        if shards > 1:
            self.environment = {"GTEST_TOTAL_SHARDS": str(shards),
                                "GTEST_SHARD_INDEX": str(shard)}

    def command(self, times=None):
        return [str(self.program), "--gtest_shuffle",
                f"--gtest_random_seed={self.seed}",
                f"--gtest_repeat={times or self.times}"]

    def shown(self, times):
        words = [f"{name}={value}" for name, value in self.environment.items()]
        return " ".join(words + list(map(shlex.quote, self.command(times))))


class Result:
    """What a batch's output says."""

    def __init__(self, batch, output, code, timed_out):
        self.repeats = 0
        self.tests = 0
        self.failures = []  # (iteration, seed, what failed)
        parts = ITERATION.split(output)
        if len(parts) == 1:
            parts = ["", "1", output]
        for number, text in zip(map(int, parts[1::2]), parts[2::2]):
            seed = SEED.search(text)
            seed = int(seed[1]) if seed else batch.seed
            ran = RAN.search(text)
            if ran is not None:
                self.repeats += 1
                self.tests += int(ran[1])
            failed = list(dict.fromkeys(FAILED.findall(text)))
            if ran is None:
                failed.append(self.unfinished(text, code, timed_out))
            if failed:
                self.failures.append((number, seed, failed))
        if code != 0 and not self.failures:
            self.failures.append((batch.times, batch.seed,
                                  [f"exit status {code}"]))
        elif self.tests == 0 and not batch.environment:
            self.failures.append((1, batch.seed, ["no test ran"]))

    @staticmethod
    def unfinished(text, code, timed_out):
        ended = set(ENDED.findall(text))
        at = [name for name in BEGUN.findall(text) if name not in ended]
        why = "did not end in time" if timed_out else f"exit status {code}"
        return f"{at[-1] if at else 'outside any test'}: {why}"


@contextlib.contextmanager
def full_load(processes):
    burning = []
    try:
        for _ in range(processes):
            burning.append(subprocess.Popen([sys.executable, "-c", BURN]))
        yield
    finally:
        for process in burning:
            process.kill()
            process.wait()


class Hunt:

    def __init__(self, options):
        self.options = options
        self.began = time.monotonic()
        self.lock = threading.Lock()
        self.repeats = {}  # program: [quiet, loaded]
        self.tests = {}
        self.seconds = {}  # program: seconds of its first repeat
        self.failed = 0
        self.not_run = 0
        self.running = set()
        self.stops = False

    def run_all(self, programs, times, loaded):
        """Runs each program `times` times."""
        if times < 1:
            return
        batches = []
        for program in programs:
            # The same for the same --seed, whichever programs are the fastest.
            draw = random.Random(
                f"{self.options.seed} {program.name} {times} {loaded}")
            shards = self.options.shards
            batches.append(Batch(program, times, loaded,
                                 draw.randint(1, MOST_SEEDS), shards,
                                 draw.randrange(shards)))
        with full_load(self.options.load if loaded else 0), \
                concurrent.futures.ThreadPoolExecutor(
                    self.options.jobs) as pool:
            list(pool.map(self.run, batches))

    def run(self, batch):
        with self.lock:
            if self.stops or self.is_over(batch):
                self.not_run += batch.times
                return
        began = time.monotonic()
        limit = self.options.limit * batch.times
        timed_out = False
        with subprocess.Popen(
                batch.command(), stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                env={**os.environ, **batch.environment}) as process:
            with self.lock:
                self.running.add(process)
                if self.stops:
                    process.kill()
            try:
                output, _ = process.communicate(timeout=limit)
            except subprocess.TimeoutExpired:
                timed_out = True
                process.kill()
                output, _ = process.communicate()
        if self.stops:
            self.not_run += batch.times
            return
        result = Result(batch, output.decode("utf-8", "replace"),
                        process.returncode, timed_out)
        seconds = time.monotonic() - began
        with self.lock:
            self.running.discard(process)
            name = batch.program.name
            self.seconds.setdefault(name, seconds)
            self.repeats.setdefault(name, [0, 0])[batch.loaded] += \
                result.repeats
            self.tests[name] = self.tests.get(name, 0) + result.tests
            print(f"{name}: {result.repeats} repeats"
                  f"{' beside a load' if batch.loaded else ''}, "
                  f"{seconds:.1f} s", flush=True)
            self.report(batch, result, output)

    # Each program runs at least once.
    def is_over(self, batch):
        most = self.options.seconds
        return (batch.program.name in self.seconds and most and
                time.monotonic() - self.began > most)

    # Unfinished batches are not counted. So the summary of an interrupted run
    # is right.
    def stop(self):
        self.stops = True
        with self.lock:
            for process in self.running:
                process.kill()

    def report(self, batch, result, output):
        for iteration, seed, names in result.failures:
            self.failed += 1
            self.options.logs.mkdir(parents=True, exist_ok=True)
            log = self.options.logs / f"{batch.program.name}.{batch.seed}.log"
            log.write_bytes(output)
            print(f"FAILED {batch.program.name}, repeat {iteration}, seed "
                  f"{seed}{', beside a load' if batch.loaded else ''}")
            for name in names:
                print(f"  {name}")
            print(f"  output: {log}\n  again:  {batch.shown(iteration)}",
                  flush=True)

    def summary(self):
        print(f"{'program':28} {'tests':>8} {'repeats':>8} {'loaded':>8}")
        for name in sorted(self.repeats):
            quiet, loaded = self.repeats[name]
            print(f"{name:28} {self.tests[name]:8} {quiet + loaded:8} "
                  f"{loaded:8}")
        if self.not_run:
            why = "interrupted" if self.stops else \
                f"--seconds={self.options.seconds:g} were over"
            print(f"{self.not_run} repeats were left out: {why}")
        print(f"{self.failed} repeats failed, seed {self.options.seed}, "
              f"{time.monotonic() - self.began:.0f} s")


def programs_of(options):
    names = options.programs
    found = [options.folder / name for name in names] if names else sorted(
        path for path in options.folder.glob("*_test")
        if os.access(path, os.X_OK))
    if not found:
        sys.exit(f"{options.folder}: no test programs; build them first")
    return found


def parse(arguments):
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument("folder", type=lambda p: pathlib.Path(p).absolute())
    parser.add_argument("programs", nargs="*")
    parser.add_argument("--times", type=int, default=3,
                        help="repeats of each program (3)")
    parser.add_argument("--seed", type=int, default=0,
                        help="of all other seeds (0: drawn, and printed)")
    parser.add_argument("--shards", type=int, default=1,
                        help="run one shard of this number, drawn by the seed")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1,
                        help="programs at once (one for each core)")
    parser.add_argument("--limit", type=float, default=1500,
                        help="seconds that a repeat may take (1500)")
    parser.add_argument("--seconds", type=float, default=0,
                        help="begin nothing more after these, once each "
                             "program has run (0: no limit)")
    parser.add_argument("--load", type=int, default=2 * (os.cpu_count() or 1),
                        help="busy processes beside every third repeat (two "
                             "for each core); 0 on a machine that is busy")
    parser.add_argument("--logs", type=pathlib.Path,
                        help="folder for the output of what failed "
                             "(<bin folder>/../repeat)")
    options = parser.parse_intermixed_args(arguments)
    if options.times < 1 or options.shards < 1 or options.jobs < 1:
        parser.error("--times, --shards and --jobs are at least 1")
    if options.seed == 0:
        options.seed = random.SystemRandom().randint(1, 10**9)
    if options.logs is None:
        options.logs = options.folder.parent / "repeat"
    return options


def main(arguments):
    options = parse(arguments)
    programs = programs_of(options)
    hunt = Hunt(options)
    print(f"--seed={options.seed}, {options.times} times", flush=True)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: threading.Thread(
            target=hunt.stop).start())
    loaded = options.times // 3
    # The first repeat shows which programs are fast.
    hunt.run_all(programs, 1, loaded=False)
    programs.sort(key=lambda p: hunt.seconds.get(p.name, 0))
    hunt.run_all(programs, loaded, loaded=True)
    hunt.run_all(programs, options.times - loaded - 1, loaded=False)
    hunt.summary()
    if not sum(hunt.tests.values()):
        print("no test ran")
        return 1
    return 1 if hunt.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
