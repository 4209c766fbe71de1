#!/usr/bin/env python3
"""Compactions of RocksDB databases as tasks of Ray.

    python/examples/compactions_on_ray.py --jobs=<folder> --inputs=<URI> \\
        --outputs=<URI> --worker=build/bin/ashlar_compaction_worker

Runs all jobs of a folder (JSON, as RocksDB's compaction service writes them
into its queue) with the worker program, on as many machines as Ray has. Inputs
and outputs are in object storage. Writes each result beside its job, as
<job>.result, and removes the outputs of attempts that do not count. A task that
dies is run again. Needs ray, and fsspec for what is not a local folder.
"""

import argparse
import json
import os
import sys

import ray
from ashlar.jobs.compaction import keep_result, run_compaction


def jobs_of(folder):
    """Returns the texts of the jobs, by name."""
    jobs = {}
    for name in sorted(os.listdir(folder)):
        if not name.endswith(('.result', '.tmp')):
            with open(os.path.join(folder, name)) as file:
                jobs[name] = file.read()
    return jobs


def write_result(folder, name, result):
    path = os.path.join(folder, name + '.result')
    with open(path + '.tmp', 'w') as file:
        json.dump(result, file)
    os.replace(path + '.tmp', path)


def run_all(jobs, inputs, outputs, worker):
    """Yields (name, result or error) of each job, as they end."""
    task = ray.remote(max_retries=3)(run_compaction)
    running = {task.remote(text, inputs, outputs, worker=worker): name
               for name, text in jobs.items()}
    while running:
        ready, _ = ray.wait(list(running))
        for reference in ready:
            name = running.pop(reference)
            try:
                yield name, ray.get(reference)
            except ray.exceptions.RayError as error:
                yield name, error


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    for name in ('jobs', 'inputs', 'outputs', 'worker'):
        parser.add_argument('--' + name, required=True)
    flags = parser.parse_args()
    ray.init(include_dashboard=False, logging_level='ERROR')
    failed = 0
    for name, result in run_all(jobs_of(flags.jobs), flags.inputs,
                                flags.outputs, flags.worker):
        if isinstance(result, Exception):
            print(f'{name}: {getattr(result, "cause", result)}')
            failed += 1
            continue
        keep_result(result, flags.outputs)
        write_result(flags.jobs, name, result)
        print(f'{name}: {len(result["output_files"])} tables, '
              f'{result["bytes_written"]} bytes')
    ray.shutdown()
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
