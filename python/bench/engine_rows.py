"""Rows for the benchmarks of engines, and engines with two cores.

Rows have random keys of 16 bytes and values of 100 bytes, half of which
compress. They come from Parquet files, as the rows of a job do.
"""

import logging
import os
import sys

import numpy
import pyarrow
import pyarrow.parquet

KEY_BYTES, VALUE_BYTES = 16, 100
ROW_BYTES = KEY_BYTES + VALUE_BYTES


def binary_column(array):
    """Returns a column of bytes: each row of the array is a value."""
    rows, width = array.shape
    offsets = numpy.arange(0, (rows + 1) * width, width, dtype=numpy.int32)
    return pyarrow.BinaryArray.from_buffers(
        pyarrow.binary(), rows,
        [None, pyarrow.py_buffer(offsets), pyarrow.py_buffer(array.tobytes())])


def make_rows(rows, seed):
    chance = numpy.random.default_rng(seed)
    keys = chance.integers(0, 256, (rows, KEY_BYTES), dtype=numpy.uint8)
    values = chance.integers(0, 256, (rows, VALUE_BYTES), dtype=numpy.uint8)
    values[:, VALUE_BYTES // 2:] = 7
    return pyarrow.table({'key': binary_column(keys),
                          'value': binary_column(values)})


def write_parquet(folder, rows, files, seed=1):
    os.makedirs(folder)
    for number in range(files):
        pyarrow.parquet.write_table(
            make_rows(rows // files, seed * 1000 + number),
            os.path.join(folder, f'{number:04}.parquet'), compression='none')


def sorted_parts(folder, parts):
    """Returns the rows of a folder in key order, as tables of equal size."""
    rows = pyarrow.parquet.read_table(folder)
    # numpy sorts rows of fixed width as bytes do, where no key ends in zeros.
    keys = numpy.frombuffer(
        rows['key'].combine_chunks().buffers()[2],
        dtype='>u8').reshape(-1, 2)
    order = numpy.lexsort((keys[:, 1], keys[:, 0]))
    rows = rows.take(pyarrow.array(order)).combine_chunks()
    size = -(-rows.num_rows // parts)
    return [rows.slice(begin, size) for begin in range(0, rows.num_rows, size)]


def spark_session(cores, folder, memory='3g'):
    from pyspark.sql import SparkSession
    os.environ['PYSPARK_PYTHON'] = sys.executable
    session = (SparkSession.builder.master(f'local[{cores}]')
               .config('spark.ui.enabled', 'false')
               .config('spark.ui.showConsoleProgress', 'false')
               .config('spark.log.level', 'OFF')
               .config('spark.driver.memory', memory)
               .config('spark.driver.host', 'localhost')
               .config('spark.local.dir', folder).getOrCreate())
    return session


def start_ray():
    # As that of the processes that it is compared with.
    os.environ['RAY_worker_niceness'] = '0'
    import ray
    import ray.data
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False,
             object_store_memory=2 << 30, logging_level='ERROR',
             # A busy machine is no dead one.
             _system_config={'health_check_failure_threshold': 100})
    logging.getLogger('ray.data').setLevel(logging.CRITICAL)
    ray.data.DataContext.get_current().enable_progress_bars = False


def tree():
    """Returns the ids of this process and of all below it."""
    parents = {}
    for name in os.listdir('/proc'):
        if name.isdigit():
            try:
                with open(f'/proc/{name}/stat') as file:
                    stat = file.read()
            except (FileNotFoundError, ProcessLookupError):
                continue
            parents[int(name)] = int(stat.rsplit(')', 1)[1].split()[1])
    found = [os.getpid()]
    for pid in found:
        found.extend(child for child, parent in parents.items()
                     if parent == pid)
    return found


def tree_cpu_seconds():
    """Returns the CPU time of all these processes, and of ended children."""
    ticks = 0
    for pid in tree():
        try:
            with open(f'/proc/{pid}/stat') as file:
                fields = file.read().rsplit(')', 1)[1].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf('SC_CLK_TCK')


def tree_resident_bytes():
    total = 0
    for pid in tree():
        try:
            with open(f'/proc/{pid}/statm') as file:
                total += int(file.read().split()[1])
        except (FileNotFoundError, ProcessLookupError):
            continue
    return total * os.sysconf('SC_PAGE_SIZE')
