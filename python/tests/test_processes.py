"""Threads, forks, signals, and what is left behind."""

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading

import pytest

import ashlar


def rows(count=2000):
    return [(b'%08d' % i, b'v%d' % i) for i in range(count)]


def test_importing_starts_no_thread():
    code = ('import os, ashlar\n'
            'print(len(os.listdir("/proc/self/task")))\n')
    done = subprocess.run([sys.executable, '-c', code], capture_output=True,
                          text=True, check=True)
    assert done.stdout.strip() == '1'


def test_the_extension_shows_no_symbols():
    from ashlar import _core
    done = subprocess.run(['nm', '-D', '--defined-only', _core.__file__],
                          capture_output=True, text=True, check=True)
    names = [line.split()[-1] for line in done.stdout.splitlines()]
    assert [name for name in names if 'ashlar' in name.lower()] == []
    assert 'PyInit__core' in names


def test_the_program_is_in_the_package(tmp_path):
    ashlar.write_table(rows(), tmp_path / 't.sst')
    done = subprocess.run([sys.executable, '-m', 'ashlar', 'verify',
                           tmp_path / 't.sst'], capture_output=True,
                          text=True, check=False)
    assert done.returncode == 0, done.stderr


def read_and_write(reader, folder, number):
    assert reader.get(b'00000007') == b'v7'
    made = ashlar.write_tables(rows(5000), os.path.join(folder, str(number)),
                               memory=1 << 16, threads=2)
    view = ashlar.open_tables(made.manifest)
    return sum(len(batch) for batch in view.scan())


def test_children_of_a_fork_read_and_write(tmp_path):
    ashlar.write_table(rows(), tmp_path / 't.sst')
    reader = ashlar.TableReader(tmp_path / 't.sst')
    assert reader.get(b'00000001') == b'v1'
    # The parent has used threads before.
    assert read_and_write(reader, tmp_path, 'parent') == 5000
    read, write = os.pipe()
    children = []
    for i in range(3):
        child = os.fork()
        if child == 0:
            try:
                count = read_and_write(reader, tmp_path, i)
                os.write(write, b'%d\n' % count)
            finally:
                os._exit(0)
        children.append(child)
    os.close(write)
    for child in children:
        os.waitpid(child, 0)
    with os.fdopen(read) as lines:
        assert lines.read().split() == ['5000'] * 3


def test_a_child_leaves_the_files_of_its_parent(tmp_path):
    writer = ashlar.TableWriter(tmp_path / 't.sst')
    writer.put_many(rows())
    child = os.fork()
    if child == 0:
        try:
            try:
                writer.put(b'x', b'y')
            except RuntimeError:
                writer.abandon()
                del writer
                os._exit(7)
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    assert writer.finish().entries == 2000
    assert ashlar.TableReader(tmp_path / 't.sst').entries == 2000


def square(folder, number):
    path = os.path.join(folder, f'{number}.sst')
    return ashlar.write_table(rows(number), path)


def test_the_pools_of_multiprocessing(tmp_path):
    ashlar.write_table(rows(), tmp_path / 't.sst')
    for method in ('fork', 'spawn'):
        context = multiprocessing.get_context(method)
        with context.Pool(2) as pool:
            infos = pool.starmap(square, [(str(tmp_path), n)
                                          for n in (10, 20, 30)])
        assert [info.entries for info in infos] == [10, 20, 30]


def test_threads_share_a_reader(tmp_path):
    ashlar.write_table(rows(), tmp_path / 't.sst')
    reader = ashlar.TableReader(tmp_path / 't.sst')
    found = []

    def work(first):
        for i in range(first, 2000, 4):
            found.append(reader.get(b'%08d' % i) == b'v%d' % i)
        found.append(sum(len(b) for b in reader.scan()) == 2000)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 2004 and all(found)


def test_errors_can_be_pickled(tmp_path):
    (tmp_path / 't.sst').write_bytes(b'no table' * 100)
    with pytest.raises(ashlar.Error) as caught:
        ashlar.TableReader(tmp_path / 't.sst')
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is type(caught.value)
    assert (again.file, again.offset, again.reason) == (
        caught.value.file, caught.value.offset, caught.value.reason)
    with pytest.raises(FileNotFoundError):
        ashlar.TableReader(tmp_path / 'no.sst')


def interrupted(code, folder):
    """Runs code that calls ready() before it works for long, interrupts it
    then, and returns what it printed."""
    prelude = ('import sys, ashlar, itertools\n'
               'def ready(*_):\n'
               '    print("ready", flush=True)\n')
    child = subprocess.Popen([sys.executable, '-c', prelude + code,
                              str(folder)], stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True)
    assert child.stdout.readline() == 'ready\n'
    child.send_signal(signal.SIGINT)
    out, err = child.communicate()
    return out, err, child.returncode


@pytest.mark.parametrize('call', [
    'ashlar.write_tables(data(), sys.argv[1], "key", "value",'
    ' memory=1 << 20)',
    'ashlar.write_table(data(), sys.argv[1] + "/t.sst", "key", "value")',
])
def test_an_interrupt_ends_the_call(tmp_path, call):
    # The batches never end, and their making is not in Python.
    code = ('import pyarrow as pa, numpy\n'
            'def data():\n'
            '    for i in itertools.count():\n'
            '        first = i * 100000\n'
            '        yield pa.RecordBatch.from_pydict({\n'
            '            "key": numpy.arange(first, first + 100000),\n'
            '            "value": numpy.arange(100000)})\n'
            '        if i == 2: ready()\n'
            'try:\n'
            f'    {call}\n'
            'except KeyboardInterrupt:\n'
            '    print("interrupted")\n')
    out, err, code = interrupted(code, tmp_path)
    assert out.strip().endswith('interrupted'), err
    assert list(tmp_path.iterdir()) == []


# A file of Python that threads of the library are in when the program ends.
WRITES_AT_THE_END = '''
class Slow:
    def write(self, data):
        time.sleep(0.02)
        return len(data)


writers = [ashlar.TableWriter(Slow()), ashlar.TableWriter(sys.argv[1])]
for writer in writers:
    for i in range(20000):
        writer.put(b"%08d" % i, os.urandom(200))
raise SystemExit(3)
'''
READS_AT_THE_END = '''
class Slow(io.BytesIO):
    def read(self, size=-1):
        time.sleep(0.02)
        return super().read(size)


data = io.BytesIO()
ashlar.write_table([(b"%08d" % i, os.urandom(200)) for i in range(3000)], data)
reader = ashlar.TableReader(Slow(data.getvalue()), cache_bytes=0)


def work():
    while True:
        reader.multi_get([b"%08d" % i for i in range(0, 3000, 50)])


for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.2)
raise SystemExit(3)
'''


@pytest.mark.parametrize('code', [WRITES_AT_THE_END, READS_AT_THE_END])
def test_a_program_may_end_while_files_are_called(tmp_path, code):
    done = subprocess.run(
        [sys.executable, '-c', 'import io, os, sys, threading, time\n'
         'import ashlar\n' + code, tmp_path / 't.sst'],
        capture_output=True, text=True, check=False, timeout=300)
    assert (done.returncode, done.stdout) == (3, '')
    assert 'Error' not in done.stderr, done.stderr
    assert os.listdir(tmp_path) == []
