#!/usr/bin/env python3
"""Jobs of Spark and Ray on two cores, against what they are made of.

    python/bench/engines_bench.py [--engine=spark] [--rows=N] [--rounds=15]

`job`: write_tables, from Parquet files to a set of tables with its manifest.
`ideal`: the engine's own sort of the same rows, whose result it drops (Spark)
or keeps in memory (Ray), and then the build of the same tables by hand: two
processes that call ashlar.write_table with rows that are sorted and in memory
already. So a job has in addition what the engine needs to pass rows to Python,
the commit, and the scheduling. Prints the median of ideal / job, by rounds in
turn, with its quartiles.
"""

import argparse
import multiprocessing
import os
import shutil
import statistics
import sys
import tempfile
import time

from engine_rows import (ROW_BYTES, sorted_parts, spark_session, start_ray,
                         tree_cpu_seconds, write_parquet)

PARTS = 4


class SparkJobs:
    def __init__(self, folder):
        self.session = spark_session(2, os.path.join(folder, 'spark'))
        self.rows = self.session.read.parquet(os.path.join(folder, 'rows'))

    def job(self, target):
        import ashlar.spark
        ashlar.spark.write_tables(self.rows, target, key='key', value='value',
                                  partitions=PARTS)

    def sort(self):
        (self.rows.repartitionByRange(PARTS, 'key')
         .sortWithinPartitions('key').write.format('noop')
         .mode('overwrite').save())

    def stop(self):
        self.session.stop()


class RayJobs:
    def __init__(self, folder):
        start_ray()
        self.folder = os.path.join(folder, 'rows')

    def rows(self):
        import ray.data
        return ray.data.read_parquet(self.folder)

    def job(self, target):
        import ashlar.ray
        ashlar.ray.write_tables(self.rows(), target, key='key', value='value')

    def sort(self):
        self.rows().sort('key').materialize()

    def stop(self):
        import ray
        ray.shutdown()


def build_all(connection, parts):
    """A process that builds tables whenever it is asked to."""
    import ashlar
    for folder in iter(connection.recv, None):
        for number, part in parts:
            ashlar.write_table(part, os.path.join(folder, f'{number}.sst'),
                               key='key:bytes', value='value:bytes')
        connection.send(True)


class Builders:
    """Two processes that have the sorted rows."""

    def __init__(self, parts):
        context = multiprocessing.get_context('spawn')
        self.links, self.processes = [], []
        for first in range(2):
            link, other = context.Pipe()
            process = context.Process(target=build_all, args=(
                other, list(enumerate(parts))[first::2]))
            process.start()
            self.links.append(link)
            self.processes.append(process)

    def build(self, folder):
        os.makedirs(folder)
        for link in self.links:
            link.send(folder)
        for link in self.links:
            link.recv()

    def stop(self):
        for link in self.links:
            link.send(None)
        for process in self.processes:
            process.join()


def seconds_of(function, *arguments):
    """Returns elapsed seconds, and seconds of CPU of all processes."""
    begin, cpu = time.perf_counter(), tree_cpu_seconds()
    function(*arguments)
    return time.perf_counter() - begin, tree_cpu_seconds() - cpu


def measure(engine, builders, folder, rounds):
    """Returns (elapsed, CPU) of each round: of job, sort and build."""
    found = []
    for number in range(rounds + 1):  # the first one warms up
        target = os.path.join(folder, 'set')
        steps = [('job', engine.job, (target,)), ('sort', engine.sort, ()),
                 ('build', builders.build, (os.path.join(folder, 'hand'),))]
        if number % 2:
            steps.reverse()
        taken = {name: seconds_of(function, *arguments)
                 for name, function, arguments in steps}
        shutil.rmtree(target)
        shutil.rmtree(os.path.join(folder, 'hand'))
        if number:
            found.append((taken['job'], taken['sort'], taken['build']))
            print(f'round {number}: elapsed (CPU) seconds: ' + ', '.join(
                f'{step} {elapsed:.2f} ({cpu:.2f})'
                for step, (elapsed, cpu) in taken.items()), flush=True)
    return found


def print_ratios(name, rows, found):
    for place, what in enumerate(['elapsed', 'CPU']):
        ratios = [(sort[place] + build[place]) / job[place]
                  for job, sort, build in found]
        low, middle, high = statistics.quantiles(ratios, n=4)
        job = statistics.median(one[0][place] for one in found)
        print(f'{name}: {rows} rows, {what}: ideal / job: median '
              f'{middle:.2f} (quartiles {low:.2f} to {high:.2f}), '
              f'{len(found)} rounds; job {job:.2f} s, '
              f'{rows * ROW_BYTES / job / 1e6:.0f} MB of rows per second',
              flush=True)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument('--engine', choices=['spark', 'ray'])
    parser.add_argument('--rows', type=int, default=1000000)
    parser.add_argument('--rounds', type=int, default=15)
    flags = parser.parse_args()
    engines = [flags.engine] if flags.engine else ['spark', 'ray']
    for name in engines:
        folder = tempfile.mkdtemp()
        try:
            write_parquet(os.path.join(folder, 'rows'), flags.rows, PARTS)
            builders = Builders(sorted_parts(os.path.join(folder, 'rows'),
                                             PARTS))
            engine = {'spark': SparkJobs, 'ray': RayJobs}[name](folder)
            found = measure(engine, builders, folder, flags.rounds)
            engine.stop()
            builders.stop()
        finally:
            shutil.rmtree(folder)
        print_ratios(name, flags.rows, found)
    return 0


if __name__ == '__main__':
    sys.exit(main())
