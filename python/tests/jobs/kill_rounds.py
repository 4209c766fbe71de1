#!/usr/bin/env python3
"""Jobs of Spark or Ray whose processes are killed at random, and what is left.

    kill_rounds.py --engine=spark --rounds=20 --seed=1
    kill_rounds.py --engine=ray --rounds=20 --seed=1

Each round writes rows in a random order as a set of tables. Meanwhile a thread
waits until a number of tables exist, drawn for the round, and kills one of the
processes that work on the job: a Python worker, or, of Spark, an executor with
all that it has sorted. Then the set must have one manifest, each row once, as
RocksDB returns them after ingesting the tables, and no other file. Fails if no
round killed anybody. Prints a line for each round.
"""

import argparse
import os
import random
import shutil
import signal
import struct
import sys
import tempfile
import threading
import time

from set_checks import assert_rows, files_of
from ashlar.jobs import read_set

ROWS = 60000
PARTITIONS = 6
MODULUS = 1000003  # a prime
POLL_SECONDS = 0.01
# A worker whose executor is gone may write a table more, which it then removes.
MOST_WAIT_SECONDS = 60


def descendants(pid):
    """Returns the command lines of all processes below `pid`, by number."""
    parents, commands = {}, {}
    for name in os.listdir('/proc'):
        if not name.isdigit():
            continue
        try:
            with open(f'/proc/{name}/stat') as file:
                stat = file.read()
            parents[int(name)] = int(stat.rsplit(')', 1)[1].split()[1])
            with open(f'/proc/{name}/cmdline', 'rb') as file:
                commands[int(name)] = file.read().replace(b'\0', b' ').decode(
                    errors='replace')
        except (FileNotFoundError, ProcessLookupError):
            continue
    below, found = [pid], {}
    while below:
        parent = below.pop()
        for child in [one for one, above in parents.items() if above == parent]:
            below.append(child)
            found[child] = commands.get(child, '')
    return found


class Killer(threading.Thread):
    """Kills a process with one of `words` when there are `tables` tables."""

    def __init__(self, folder, tables, words, chance):
        super().__init__()
        self.folder = folder
        self.tables = tables
        self.words = words
        self.chance = chance
        self.done = threading.Event()
        self.killed = ''

    def run(self):
        while not self.done.wait(POLL_SECONDS):
            if os.path.isdir(self.folder) and sum(
                    name.startswith('table-') for name in
                    os.listdir(self.folder)) >= self.tables:
                self.kill()
                return

    def kill(self):
        found = [(pid, word) for pid, command in descendants(
            os.getpid()).items() for word in self.words if word in command
                 # Ray's own actors and agents are no workers of the job.
                 and 'Agent' not in command and 'Actor' not in command]
        if found:
            pid, word = self.chance.choice(sorted(found))
            os.kill(pid, signal.SIGKILL)
            self.killed = f'{word} {pid}'


class Spark:
    words = ('pyspark.daemon', 'CoarseGrainedExecutorBackend')

    def __enter__(self):
        from pyspark.sql import SparkSession
        self.session = (
            SparkSession.builder.master('local-cluster[2,1,1024]')
            .config('spark.ui.enabled', 'false')
            .config('spark.ui.showConsoleProgress', 'false')
            .config('spark.log.level', 'OFF')
            .config('spark.driver.memory', '1g')
            .config('spark.executor.memory', '1g')
            .config('spark.driver.host', 'localhost')
            .config('spark.task.maxFailures', '8')
            .getOrCreate())
        return self

    def __exit__(self, *_):
        self.session.stop()

    def write(self, numbers_of, folder):
        import ashlar.spark
        from pyspark.sql import functions
        number = (functions.col('id') * numbers_of) % MODULUS
        rows = self.session.range(ROWS).select(
            number.alias('id'), number.cast('string').alias('text'))
        ashlar.spark.write_tables(rows, folder, key='id:u64be', value='text',
                                  partitions=PARTITIONS)


class Ray:
    words = ('ray::',)

    def __enter__(self):
        import logging

        import ray
        import ray.data
        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False,
                 object_store_memory=256 << 20, logging_level='ERROR',
                 # A busy machine is no dead one.
                 _system_config={'health_check_failure_threshold': 100})
        logging.getLogger('ray.data').setLevel(logging.CRITICAL)
        ray.data.DataContext.get_current().enable_progress_bars = False
        return self

    def __exit__(self, *_):
        import ray
        ray.shutdown()

    def write(self, numbers_of, folder):
        import ashlar.ray
        import pyarrow
        import ray.data

        def rows_of(table):
            numbers = [row * numbers_of % MODULUS
                       for row in table['id'].to_pylist()]
            return pyarrow.table({
                'id': pyarrow.array(numbers, pyarrow.uint64()),
                'text': [str(number) for number in numbers]})

        rows = ray.data.range(ROWS, override_num_blocks=PARTITIONS)
        ashlar.ray.write_tables(
            rows.map_batches(rows_of, batch_format='pyarrow'), folder,
            key='id:u64be', value='text')


def wait_for_only_the_set(folder):
    wanted = {table.path for table in read_set(folder)}
    wanted.add('table-manifest.json')
    end = time.monotonic() + MOST_WAIT_SECONDS
    while files_of(folder) != wanted and time.monotonic() < end:
        time.sleep(POLL_SECONDS)
    assert files_of(folder) == wanted, files_of(folder) - wanted


def run_round(engine, number, seed, folder):
    chance = random.Random(f'{seed}/{number}')
    multiplier = chance.randrange(1, MODULUS)
    killer = Killer(os.path.join(folder, 'set'),
                    chance.randint(1, PARTITIONS), engine.words, chance)
    killer.start()
    begin = time.monotonic()
    try:
        engine.write(multiplier, os.path.join(folder, 'set'))
    finally:
        killer.done.set()
        killer.join()
    seconds = time.monotonic() - begin
    wait_for_only_the_set(os.path.join(folder, 'set'))
    numbers = sorted(row * multiplier % MODULUS for row in range(ROWS))
    assert_rows(os.path.join(folder, 'set'), os.path.join(folder, 'db'),
                [(struct.pack('>Q', one), str(one).encode())
                 for one in numbers])
    print(f'round {number}: {ROWS} rows, {seconds:.1f} s, at '
          f'{killer.tables} tables killed: {killer.killed or "nobody"}',
          flush=True)
    return bool(killer.killed)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument('--engine', choices=['spark', 'ray'], required=True)
    parser.add_argument('--rounds', type=int, default=20)
    parser.add_argument('--seed', type=int, default=1)
    flags = parser.parse_args()
    os.environ['PYSPARK_PYTHON'] = sys.executable
    os.environ['RAY_worker_niceness'] = '0'  # 15 starves beside other work
    killed = 0
    with {'spark': Spark, 'ray': Ray}[flags.engine]() as engine:
        for number in range(flags.rounds):
            folder = tempfile.mkdtemp()
            try:
                killed += run_round(engine, number, flags.seed, folder)
            finally:
                shutil.rmtree(folder)
    print(f'{flags.rounds} passed, 0 failed; {killed} with a kill')
    return 0 if killed else 1


if __name__ == '__main__':
    sys.exit(main())
