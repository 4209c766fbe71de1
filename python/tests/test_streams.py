"""Streams of rows: who may read one, and what an exception leaves behind."""

import contextlib
import io
import signal
import subprocess
import sys
import threading

import pyarrow as pa
import pytest

import ashlar


def content(rows):
    target = io.BytesIO()
    ashlar.write_table(rows, target, options={'compression': 'none'})
    return target.getvalue()


ROWS = [(b'%08d' % i, b'v%d' % i * 20) for i in range(5000)]
EXPECTED = pa.table({'key': [row[0] for row in ROWS],
                     'value': [row[1] for row in ROWS]})


class Watched(io.BytesIO):
    """A file that calls a function before each read."""

    def __init__(self):
        super().__init__(content(ROWS))
        self.before = lambda: None

    def read(self, size=-1):
        self.before()
        return super().read(size)


def opened():
    file = Watched()
    return ashlar.TableReader(file, cache_bytes=0), file


def signalled(file, number):
    """Has the next read send a signal to the process."""
    def once():
        file.before = lambda: None
        signal.raise_signal(number)

    file.before = once


class Late(Exception):
    pass


@contextlib.contextmanager
def alarms_that_raise():
    def handler(*_):
        raise Late('too late')

    before = signal.signal(signal.SIGALRM, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGALRM, before)


def test_a_reader_is_as_before_after_an_interrupted_stream():
    reader, file = opened()
    with alarms_that_raise():
        signalled(file, signal.SIGALRM)
        with pytest.raises(OSError, match='too late'):
            pa.table(reader.scan(batch_rows=100))
        assert pa.table(reader.scan()).to_pydict() == EXPECTED.to_pydict()


def test_a_stream_looks_for_signals(tmp_path):
    (tmp_path / 't.sst').write_bytes(content(ROWS))
    reader = ashlar.TableReader(tmp_path / 't.sst')
    may_raise = False

    def handler(*_):
        nonlocal may_raise
        if may_raise:
            may_raise = False
            raise Late('too late')

    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
    try:
        # A signal may also come before the library is called, or after.
        for _ in range(200):
            try:
                may_raise = True
                pa.table(reader.scan(batch_rows=1))
                may_raise = False
            except pa.ArrowInvalid as error:
                assert 'interrupted' in str(error) and 'too late' in str(error)
                break
            except Late:
                pass
        else:
            pytest.fail('no stream was interrupted')
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert pa.table(reader.scan()).to_pydict() == EXPECTED.to_pydict()


@pytest.fixture
def interruptible():
    """A program that runs in the background ignores SIGINT."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_an_interrupt_reaches_the_caller_of_a_consumer(interruptible):
    reader, file = opened()
    with pytest.raises(KeyboardInterrupt):
        signalled(file, signal.SIGINT)
        # The consumer's exception comes first.
        with contextlib.suppress(OSError):
            pa.table(reader.scan(batch_rows=100))
        for _ in range(1000):
            pass
    assert pa.table(reader.scan()).num_rows == len(ROWS)


def interrupt(*_):
    raise KeyboardInterrupt


def test_an_interrupt_between_reads_reaches_the_caller(interruptible,
                                                       tmp_path):
    ashlar.write_table(ROWS, tmp_path / 't.sst')
    reader = ashlar.TableReader(tmp_path / 't.sst')
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            signal.setitimer(signal.ITIMER_REAL, 0.02)
            # The consumer's exception may come first.
            with contextlib.suppress(pa.ArrowInvalid):
                while True:
                    pa.table(reader.scan(batch_rows=10))
            for _ in range(1000):
                pass
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert pa.table(reader.scan()).num_rows == len(ROWS)


def test_a_get_does_not_raise_the_exception_of_an_earlier_call():
    reader, file = opened()

    def fail():
        raise LookupError('of the first call')

    file.before = fail
    with pytest.raises(OSError, match='of the first call'):
        pa.table(reader.scan())
    file.before = lambda: None
    with file.getbuffer() as data:
        data[:] = bytes(len(data))
    with pytest.raises(ashlar.CorruptionError) as caught:
        reader.get(ROWS[0][0])
    assert caught.value.__cause__ is None


def test_a_reader_can_be_dropped_after_a_stream_failed():
    code = ('import fsspec, pyarrow as pa, ashlar\n'
            'ashlar.write_table([(b"a", b"1")], "memory://t.sst")\n'
            'files = fsspec.filesystem("memory")\n'
            'reader = ashlar.TableReader("memory://t.sst", cache_bytes=0)\n'
            'def fail(*_, **__):\n'
            '    raise ConnectionError("the store is gone")\n'
            'files.cat_file = fail\n'
            'try:\n'
            '    pa.table(reader.scan())\n'
            'except OSError as error:\n'
            '    print("the store is gone" in str(error))\n'
            'del reader\n'
            'print("dropped")\n')
    done = subprocess.run([sys.executable, '-X', 'faulthandler', '-c', code],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ['True', 'dropped']


def test_a_stream_has_one_consumer():
    reader, _ = opened()
    stream = reader.scan(batch_rows=100)
    consumer = pa.RecordBatchReader.from_stream(stream)
    with pytest.raises(ValueError, match='handed to a consumer'):
        next(stream)
    with pytest.raises(ValueError, match='used before'):
        pa.table(stream)
    assert consumer.read_all().to_pydict() == EXPECTED.to_pydict()
    begun = reader.scan(batch_rows=100)
    assert len(next(begun)) == 100
    with pytest.raises(ValueError, match='used before'):
        pa.table(begun)


def test_a_stream_is_for_one_thread_at_a_time():
    reader, file = opened()
    stream = reader.scan()
    is_reading, may_go_on = threading.Event(), threading.Event()
    batches = []

    def block():
        is_reading.set()
        may_go_on.wait(60)

    file.before = block
    thread = threading.Thread(target=lambda: batches.append(next(stream)))
    thread.start()
    assert is_reading.wait(60)
    try:
        with pytest.raises(RuntimeError, match='another thread'):
            next(stream)
    finally:
        may_go_on.set()
        thread.join()
    assert batches[0].to_pylist() == ROWS[:len(batches[0])]


def test_a_thread_gets_the_exception_of_its_own_read():
    """Others call the same reader meanwhile, and begin their calls anew."""
    reader, file = opened()
    main = threading.get_ident()
    done = threading.Event()
    wrong = []

    def raise_in_main():
        if threading.get_ident() == main:
            raise KeyboardInterrupt('of this thread')

    def read_others():
        while not done.is_set():
            value = reader.get(ROWS[-1][0])
            if value != ROWS[-1][1]:
                wrong.append(value)

    file.before = raise_in_main
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    others = threading.Thread(target=read_others)
    others.start()
    try:
        for _ in range(300):
            with pytest.raises(KeyboardInterrupt, match='of this thread'):
                reader.get(ROWS[0][0])
    finally:
        sys.setswitchinterval(interval)
        done.set()
        others.join()
    assert wrong == []
