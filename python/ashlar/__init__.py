"""Writes and reads the SST tables of RocksDB, without RocksDB.

docs/python.md in the source tree describes the package.
"""

from ._core import Array, Batch, Stream
from ._errors import (CorruptionError, DuplicateKeyError, Error, FileError,
                      FileMissingError, InvalidArgumentError, KeyOrderError,
                      MemoryLimitError, NotSupportedError)
from ._keys import decode_key, encode_key, encode_rows
from ._manifest import read as read_manifest
from ._manifest import write as write_manifest
from ._sets import TableSet, write_tables
from ._tables import TableReader, Tables, open_tables
from ._values import (Json, MessagePack, Salt, decode_json,
                      decode_message_pack)
from ._writers import TableInfo, TableWriter, write_table

__version__ = '0.2.0'
__all__ = [
    'Array', 'Batch', 'CorruptionError', 'DuplicateKeyError', 'Error',
    'FileError', 'FileMissingError', 'InvalidArgumentError', 'Json',
    'KeyOrderError', 'MemoryLimitError', 'MessagePack', 'NotSupportedError',
    'Salt', 'Stream', 'TableInfo', 'TableReader', 'TableSet', 'TableWriter',
    'Tables', 'decode_json', 'decode_key', 'decode_message_pack', 'encode_key',
    'encode_rows', 'open_tables', 'read_manifest', 'write_manifest',
    'write_table', 'write_tables',
]
