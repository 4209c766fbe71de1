"""Engines that the tests of jobs share. A test of an engine is collected only
if its packages are installed."""

import importlib.util
import os
import shutil
import sys

import pytest

HERE = os.path.dirname(__file__)


def _has(package):
    return importlib.util.find_spec(package) is not None


collect_ignore = []
if not (_has('pyspark') and shutil.which('java')):
    collect_ignore.append('test_spark.py')
if not _has('ray'):
    collect_ignore.append('test_ray.py')

if collect_ignore:
    collect_ignore.append('test_examples.py')
for package, name in [('pyarrow', 'test_set_job.py'),
                      ('rocksdict', 'test_set_job.py'),
                      ('pyarrow', 'test_load_plan.py'),
                      ('rocksdict', 'test_load_plan.py'),
                      ('s3fs', 'test_object_store.py'),
                      ('s3fs', 'test_lost_store.py'),
                      ('moto', 'test_lost_store.py'),
                      ('rocksdict', 'test_duplicates.py'),
                      ('pyarrow', 'test_duplicates.py'),
                      ('moto', 'test_object_store.py')]:
    if not _has(package):
        collect_ignore.append(name)

PROGRAMS = os.environ.get('ASHLAR_COMPACTION_BIN', os.path.join(
    HERE, '../../../build/bin'))
if not _has('ray') or not os.path.exists(
        os.path.join(PROGRAMS, 'ashlar_compaction_worker')):
    collect_ignore.append('test_compaction_worker.py')

# So that a failed assertion there shows its values too.
pytest.register_assert_rewrite('engine_tests', 'interrupted_job',
                               'losable_store', 'set_checks')

# Workers import what tests pass to them.
os.environ['PYTHONPATH'] = os.pathsep.join(
    [HERE, os.environ.get('PYTHONPATH', '')]).rstrip(os.pathsep)
os.environ['PYSPARK_PYTHON'] = sys.executable
os.environ['RAY_worker_niceness'] = '0'  # 15 starves beside other work


def pytest_collection_modifyitems(config, items):
    """Without ASHLAR_THOROUGH, an engine shows only what matters most."""
    if os.environ.get('ASHLAR_THOROUGH'):
        return
    left_out = [item for item in items
                if item.fspath.basename in ('test_spark.py', 'test_ray.py',
                                            'test_examples.py')
                and not item.get_closest_marker('sample')]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


def pytest_configure(config):
    config.addinivalue_line(
        'markers', 'sample: a test of an engine that always runs')


@pytest.fixture(scope='session')
def spark_session():
    """Spark with two cores, which runs a failed task again."""
    from pyspark.sql import SparkSession
    session = (SparkSession.builder.master('local[2,4]')
               .config('spark.ui.enabled', 'false')
               .config('spark.ui.showConsoleProgress', 'false')
               .config('spark.log.level', 'OFF')
               .config('spark.driver.memory', '1g')
               .config('spark.driver.host', 'localhost')
               .config('spark.sql.shuffle.partitions', '3')
               .getOrCreate())
    yield session
    session.stop()


@pytest.fixture(scope='session')
def ray_cluster():
    """Ray with two workers."""
    import logging

    import ray
    import ray.data
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False,
             object_store_memory=256 << 20, logging_level='ERROR',
             # A busy machine is no dead one.
             _system_config={'health_check_failure_threshold': 100})
    logging.getLogger('ray.data').setLevel(logging.CRITICAL)
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield ray
    ray.shutdown()
