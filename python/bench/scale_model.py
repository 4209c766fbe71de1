#!/usr/bin/env python3
"""How long a bulk load takes on 1 to 1,000 machines, by a model.

    python/bench/scale_model.py [--points=scale_points.json] [--svg=<path>]

Reads what scale_points.py has measured on one machine, fits the constants to
half of these points, prints how far the model is from the other half, and draws
docs/scale.svg. docs/scale.md explains the model. Constants that no measurement
on one machine can give, such as the speed of a network, are in `Cluster`.
"""

import argparse
import dataclasses
import heapq
import json
import math
import os
import random
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
MACHINES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000]
TERABYTE = 10 ** 12


@dataclasses.dataclass(frozen=True)
class Cluster:
    """What is assumed of machines, network and store. All per second."""

    cores: int = 16
    network_bytes: float = 1.5e9  # of a machine, each way: 12 Gbit/s
    store_bytes: float = 1e11  # of the object store, over all machines
    store_requests: float = 3500  # writes per second to one prefix
    # RocksDB machines that take the tables in; fixed, unlike the workers.
    shards: int = 100
    shard_bytes: float = 1e9  # of a shard's network and disk
    partition_bytes: float = 1e9  # of rows, one task each
    table_bytes: float = 64e6
    table_requests: int = 5  # writes of a table, in parts of 50 MB
    dispatch_seconds: float = 1e-3  # of the driver, per task
    spread: float = 0.15  # sigma of the logarithm of a task's time


@dataclasses.dataclass(frozen=True)
class Constants:
    """What scale_points.py measures on one machine."""

    start_seconds: float  # of a job, whatever its size
    core_seconds_per_byte: float  # read, encode, sort and build
    core_share: float  # of a core's speed when all cores of a machine work
    task_seconds: float  # of a task, whatever its size
    commit_seconds: float  # of the driver, per table
    block_seconds: float  # of a shuffle block, however small
    shuffle_ratio: float  # bytes of the shuffle per byte of rows
    output_ratio: float  # bytes of tables per byte of rows
    ingest_seconds: float  # of a table, in a RocksDB that moves it


def fit_line(xs, ys):
    """Least squares of relative errors: y = a + b x."""
    weights = [1 / y ** 2 for y in ys]
    total = sum(weights)
    mean_x = sum(w * x for w, x in zip(weights, xs)) / total
    mean_y = sum(w * y for w, y in zip(weights, ys)) / total
    slope = sum(w * (x - mean_x) * (y - mean_y) for w, x, y in
                zip(weights, xs, ys)) / sum(
                    w * (x - mean_x) ** 2 for w, x in zip(weights, xs))
    return mean_y - slope * mean_x, slope


def fit(points):
    """Returns the constants. Uses the points of one core, and one of two."""
    one = [point for point in points['jobs']
           if point['cores'] == 1 and point['fit']]
    start, per_byte = fit_line([point['row_bytes'] for point in one],
                               [point['cpu_seconds'] for point in one])
    two = next(point for point in points['jobs']
               if point['cores'] == 2 and point['fit'])
    work = per_byte * two['row_bytes']
    share = work / (two['cpu_seconds'] - start)
    jobs = points['jobs']
    return Constants(
        start_seconds=max(start, 0), core_seconds_per_byte=per_byte,
        core_share=share,
        # Files of an earlier shuffle may go while a job runs, so that it seems
        # to write less than it does, but not more.
        shuffle_ratio=max(job['shuffle_bytes'] / job['row_bytes']
                          for job in jobs),
        output_ratio=max(job['output_bytes'] / job['row_bytes']
                         for job in jobs),
        **points['constants'])


def cpu_seconds(constants, cores, row_bytes):
    """CPU time of a job on one machine, for the comparison with the points."""
    share = 1 if cores == 1 else constants.core_share
    return (constants.start_seconds +
            constants.core_seconds_per_byte * row_bytes / share)


def makespan(tasks, seconds, slots, spread, chance):
    """Seconds until all tasks are done, each on the first free slot."""
    free = [0.0] * min(slots, tasks)
    end = 0.0
    for _ in range(tasks):
        drawn = seconds * math.exp(chance.gauss(-spread ** 2 / 2, spread))
        done = heapq.heappop(free) + drawn
        end = max(end, done)
        heapq.heappush(free, done)
    return end


def parts_of_job(constants, cluster, machines, row_bytes, chance):
    """Seconds of each part of a job. Parts of one phase overlap."""
    c = constants
    slots = machines * cluster.cores
    tasks = max(slots, math.ceil(row_bytes / cluster.partition_bytes))
    tables = max(tasks, math.ceil(row_bytes * c.output_ratio /
                                  cluster.table_bytes))
    shuffled = row_bytes * c.shuffle_ratio
    blocks = tasks * tasks
    # Half of the work is before the shuffle, and half after it.
    task = c.task_seconds + (c.core_seconds_per_byte / c.core_share *
                             row_bytes / tasks / 2)
    work = 2 * makespan(tasks, task, slots, cluster.spread, chance)
    return {
        'start': c.start_seconds,
        'work': work,
        'driver': (2 * tasks * cluster.dispatch_seconds +
                   tables * c.commit_seconds),
        'shuffle': (shuffled * (machines - 1) / machines /
                    (machines * cluster.network_bytes) +
                    blocks * c.block_seconds / slots),
        'store': (row_bytes * (1 + c.output_ratio) /
                  min(machines * cluster.network_bytes, cluster.store_bytes) +
                  tables * cluster.table_requests / cluster.store_requests),
        'ingestion': (row_bytes * c.output_ratio /
                      (cluster.shards * cluster.shard_bytes) +
                      tables / cluster.shards * c.ingest_seconds),
    }


def job_seconds(parts):
    """Work, network and store overlap; the rest comes before or after."""
    return (parts['start'] + parts['driver'] + parts['ingestion'] +
            max(parts['work'], parts['store']) + parts['shuffle'])


def series(constants, cluster, row_bytes):
    chance = random.Random(1)
    return [parts_of_job(constants, cluster, machines, row_bytes, chance)
            for machines in MACHINES]


def check(constants, points):
    """Prints how far the model is from the points. Returns the largest."""
    worst = 0
    print('cores  MB of rows  measured CPU s  model  error')
    for point in points['jobs']:
        model = cpu_seconds(constants, point['cores'], point['row_bytes'])
        error = model / point['cpu_seconds'] - 1
        kind = 'fitted' if point['fit'] else 'held out'
        if not point['fit']:
            worst = max(worst, abs(error))
        print(f'{point["cores"]:5}  {point["row_bytes"] / 1e6:10.0f}  '
              f'{point["cpu_seconds"]:14.2f}  {model:5.2f}  {error:+6.1%} '
              f'{kind}')
    return worst


def print_table(constants, cluster, row_bytes):
    print(f'\n{row_bytes / TERABYTE:g} TB of rows: seconds of each part')
    names = ['start', 'work', 'driver', 'shuffle', 'store', 'ingestion']
    print('machines  ' + '  '.join(f'{name:>9}' for name in names) +
          '      total  efficiency')
    first = None
    for machines, parts in zip(MACHINES, series(constants, cluster,
                                                row_bytes)):
        total = job_seconds(parts)
        first = first or total
        print(f'{machines:8}  ' + '  '.join(
            f'{parts[name]:9.1f}' for name in names) +
            f'  {total:9.1f}  {first / total / machines:10.0%}')


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument('--points',
                        default=os.path.join(HERE, 'scale_points.json'))
    parser.add_argument('--svg', help='the picture to make')
    flags = parser.parse_args()
    with open(flags.points) as file:
        points = json.load(file)
    constants, cluster = fit(points), Cluster()
    worst = check(constants, points)
    print(f'largest error at a held-out point: {worst:.1%}')
    for row_bytes in (TERABYTE, 10 * TERABYTE):
        print_table(constants, cluster, row_bytes)
    if flags.svg:
        from scale_chart import draw
        with open(flags.svg, 'w') as file:
            file.write(draw(MACHINES, {
                size: [job_seconds(parts) for parts in
                       series(constants, cluster, size)]
                for size in (TERABYTE, 10 * TERABYTE)}))
    return 0


if __name__ == '__main__':
    sys.exit(main())
