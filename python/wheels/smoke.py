"""Run by a Python that has one of the wheels, by python/wheels/check.py:
writes and reads tables of every codec. Needs the standard library alone."""

import os
import subprocess
import sys
import tempfile

import ashlar

ROWS = [(b'key%06d' % i, b'value %d of many' % i * 4) for i in range(5000)]
# By what the properties of a table call them.
CODECS = {'none': b'NoCompression', 'snappy': b'Snappy', 'zlib': b'Zlib',
          'bzip2': b'BZip2', 'lz4': b'LZ4', 'lz4hc': b'LZ4HC', 'zstd': b'ZSTD'}


def check_codec(codec, stored, path):
    info = ashlar.write_table(ROWS, path, options={'compression': codec})
    assert info.entries == len(ROWS), info
    plain = sum(len(key) + len(value) for key, value in ROWS)
    assert (info.bytes < plain / 2) == (codec != 'none'), (codec, info.bytes)
    with ashlar.TableReader(path) as reader:
        assert reader.properties()['rocksdb.compression'] == stored, codec
        assert reader.get(b'key000017') == ROWS[17][1], codec
        assert reader.get(b'no such key') is None, codec
        keys = [ROWS[3][0], b'no', ROWS[4999][0]]
        assert reader.multi_get(keys).to_pylist() == [
            ROWS[3][1], None, ROWS[4999][1]], codec
        scanned = [row for batch in reader.scan() for row in batch.to_pylist()]
        assert scanned == ROWS, codec
        reader.verify()


def check_errors(path):
    """An exception crosses from C++ into Python as one of the package's."""
    with open(path, 'r+b') as file:
        file.seek(100)
        file.write(b'damaged')
    try:
        with ashlar.TableReader(path) as reader:
            reader.verify()
    except ashlar.CorruptionError:
        return
    raise AssertionError('a damaged table was read')


def check_set(folder):
    made = ashlar.write_tables(reversed(ROWS), os.path.join(folder, 'set'))
    with ashlar.open_tables(made.manifest) as tables:
        assert tables.get(b'key004999') == ROWS[4999][1]


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 't.sst')
        for codec, stored in CODECS.items():
            check_codec(codec, stored, path)
        check_set(folder)
        # An emulated Python cannot start programs of its own machine.
        if '--no-program' not in sys.argv:
            subprocess.run([sys.executable, '-m', 'ashlar', 'verify', path],
                           check=True, stdout=subprocess.DEVNULL)
        check_errors(path)
    print(f'{len(CODECS)} codecs, Python {sys.version.split()[0]}')


if __name__ == '__main__':
    main()
