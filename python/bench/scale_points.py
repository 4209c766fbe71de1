#!/usr/bin/env python3
"""Measures on one machine what scale_model.py needs.

    python/bench/scale_points.py [--out=scale_points.json]

Jobs of Spark of several sizes on one and two cores: time, CPU time, the bytes
of the shuffle and of the tables, memory. Each size runs several times, and the
smallest CPU time counts, which other work on the machine changes least. Then
the cost of a task, of a table in the commit, of a shuffle block, and of a table
in an ingestion, each as the slope between a small and a large number. Times are
those of the CPU, except of the ingestion, which waits for the disk. Requests
are counted by an S3 server (moto).
"""

import argparse
import json
import os
import shutil
import sys
import tempfile
import threading
import time

from engine_rows import (ROW_BYTES, make_rows, spark_session,
                         tree_cpu_seconds, tree_resident_bytes, write_parquet)

HERE = os.path.dirname(os.path.abspath(__file__))
# (cores, rows, whether the model is fitted to it)
SIZES = [(1, 250000, True), (1, 500000, False), (1, 1000000, True),
         (2, 1000000, True), (2, 500000, False), (2, 2000000, False)]
REPEATS = 3


def folder_bytes(folder):
    return sum(os.path.getsize(os.path.join(path, name))
               for path, _, names in os.walk(folder) for name in names)


class Watch(threading.Thread):
    """The largest memory of all processes."""

    def __init__(self):
        super().__init__(daemon=True)
        self.done = threading.Event()
        self.largest = 0

    def run(self):
        while not self.done.wait(0.1):
            self.largest = max(self.largest, tree_resident_bytes())


def run_job(session, folder, rows, partitions):
    """Returns what one job costs."""
    import ashlar.spark
    frame = session.read.parquet(os.path.join(folder, f'rows-{rows}'))
    local = os.path.join(folder, 'spark')
    before, cpu = folder_bytes(local), tree_cpu_seconds()
    watch = Watch()
    watch.start()
    begin = time.perf_counter()
    tables = ashlar.spark.write_tables(
        frame, os.path.join(folder, 'set'), key='key', value='value',
        partitions=partitions, overwrite=True)
    seconds = time.perf_counter() - begin
    watch.done.set()
    watch.join()
    return {'seconds': seconds, 'cpu_seconds': tree_cpu_seconds() - cpu,
            'shuffle_bytes': max(folder_bytes(local) - before, 0),
            'output_bytes': sum(table.bytes for table in tables),
            'tables': len(tables), 'resident_bytes': watch.largest}


def measure_jobs(folder):
    """Runs in processes of its own, since a session has fixed cores."""
    points = []
    for cores in (1, 2):
        session = spark_session(cores, os.path.join(folder, 'spark'))
        sizes = [size for size in SIZES if size[0] == cores]
        run_job(session, folder, sizes[0][1], 4)  # warms up
        for _, rows, is_fitted in sizes:
            runs = [run_job(session, folder, rows, 4) for _ in range(REPEATS)]
            best = min(runs, key=lambda run: run['cpu_seconds'])
            points.append({'cores': cores, 'rows': rows,
                           'row_bytes': rows * ROW_BYTES, 'fit': is_fitted,
                           **best})
            print(points[-1], flush=True)
        session.stop()
    return points


def measure_tasks(folder):
    """CPU seconds of a task without rows, and of a shuffle block."""
    import ashlar.spark  # noqa: F401, so that workers have it
    session = spark_session(2, os.path.join(folder, 'spark'))

    def seconds(partitions, blocks_per_task):
        begin = tree_cpu_seconds()
        rows = session.range(0, 20000, 1, blocks_per_task)
        rows.repartition(partitions).mapInArrow(
            lambda batches: batches, 'id bigint').write.format('noop').mode(
                'overwrite').save()
        return tree_cpu_seconds() - begin

    seconds(8, 2)
    few = min(seconds(8, 8) for _ in range(REPEATS))
    many = min(seconds(128, 8) for _ in range(REPEATS))
    writers = min(seconds(8, 128) for _ in range(REPEATS))
    blocks = min(seconds(128, 128) for _ in range(REPEATS))
    session.stop()
    task = max((many - few) / 120, 0)
    # What 120 more readers and 120 more writers cost beyond each by itself.
    block = max((blocks - many - writers + few) / (120 * 120), 0)
    return task, block


def measure_commit(folder):
    """CPU seconds of the driver per table, in a commit of many."""
    from ashlar.jobs import SetJob, Table
    from ashlar.jobs.names import new_attempt, table_name

    def seconds(tables):
        target = os.path.join(folder, f'commit-{tables}')
        job = SetJob.begin(target)
        found = []
        for number in range(tables):
            name = table_name(job.prefix, job.job, number, new_attempt(), 0)
            with open(os.path.join(target, name), 'wb') as file:
                file.write(b'x')
            key = f'{number:08}'.encode()
            found.append(Table(name, key, key, 1, 1, 0))
        begin = time.process_time()
        job.commit(found)
        return time.process_time() - begin

    return (seconds(20000) - seconds(1000)) / 19000


def measure_ingestion(folder):
    """Seconds of RocksDB per table that it moves in."""
    import ashlar
    import rocksdict
    options = rocksdict.IngestExternalFileOptions()
    options.set_move_files(True)

    def seconds(tables):
        target = os.path.join(folder, f'ingest-{tables}')
        os.makedirs(target)
        paths = []
        for number in range(tables):
            paths.append(os.path.join(target, f'{number}.sst'))
            rows = [(f'{number:08}{row}'.encode(), b'v') for row in range(10)]
            ashlar.write_table(rows, paths[-1], sync=False)
        store = rocksdict.Rdict(os.path.join(target, 'db'),
                                rocksdict.Options(raw_mode=True))
        begin = time.perf_counter()
        store.ingest_external_file(paths, options)
        taken = time.perf_counter() - begin
        store.close()
        return taken

    return max((seconds(400) - seconds(50)) / 350, 0)


def measure_requests():
    """Requests of a task that writes one table of 20 MB, by method."""
    import collections

    from moto.server import ThreadedMotoServer
    from werkzeug.serving import WSGIRequestHandler

    from ashlar.jobs import SetJob, write_partition
    counts = collections.Counter()
    WSGIRequestHandler.log_request = lambda handler, *_: counts.update(
        [handler.command])
    server = ThreadedMotoServer(ip_address='127.0.0.1', port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    options = {'key': 'any', 'secret': 'any',
               'endpoint_url': f'http://{host}:{port}'}
    import s3fs
    s3fs.S3FileSystem(**options).call_s3('create_bucket', Bucket='bucket')
    rows = make_rows(200000, 1)
    batches = rows.sort_by('key').to_batches(10000)
    job = SetJob.begin('s3://bucket/set', storage_options=options)
    counts.clear()
    tables = write_partition(job, 0, batches)
    task = dict(counts)
    counts.clear()
    job.commit(tables)
    server.stop()
    return {'task': task, 'commit': dict(counts),
            'table_bytes': tables[0].bytes}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument('--out',
                        default=os.path.join(HERE, 'scale_points.json'))
    flags = parser.parse_args()
    folder = tempfile.mkdtemp()
    try:
        os.mkdir(os.path.join(folder, 'spark'))
        for rows in sorted({rows for _, rows, _ in SIZES}):
            write_parquet(os.path.join(folder, f'rows-{rows}'), rows, 4)
        commit, ingest = measure_commit(folder), measure_ingestion(folder)
        requests = measure_requests()
        task, block = measure_tasks(folder)
        jobs = measure_jobs(folder)
    finally:
        shutil.rmtree(folder)
    points = {
        'cores_of_machine': os.cpu_count(), 'requests': requests, 'jobs': jobs,
        'constants': {
            'task_seconds': task, 'commit_seconds': commit,
            'block_seconds': block, 'ingest_seconds': ingest}}
    with open(flags.out, 'w') as file:
        json.dump(points, file, indent=1)
        file.write('\n')
    print(json.dumps(points['constants']))
    return 0


if __name__ == '__main__':
    sys.exit(main())
