"""The manifest of a set of tables, in the library's JSON form.

`table/table_set.h` describes it. A set of a sharded store has in addition the
number of shards, and for each file that of its own; the library ignores both.
"""

import dataclasses
import json

from .errors import JobError

SCHEMA = 'ashlar/1'
CHECKSUM_FUNCTION = 'FileChecksumCrc32c'


@dataclasses.dataclass(frozen=True)
class Table:
    """A table of a set. `path` is relative to the set's folder."""

    path: str
    smallest: bytes  # user keys
    largest: bytes
    entries: int
    bytes: int
    checksum: int
    shard: int | None = None
    # Whether `largest` is the end of a range deletion, which the table does
    # not reach.
    largest_is_exclusive: bool = False

    def ends_before(self, key):
        """Returns whether all keys of the table are below `key`."""
        return self.largest < key or (self.largest_is_exclusive and
                                      self.largest == key)

    def to_json(self):
        members = {
            'path': self.path,
            'smallest': self.smallest.hex().upper(),
            'largest': self.largest.hex().upper(),
            'largest_is_exclusive': self.largest_is_exclusive,
            'entries': self.entries,
            'bytes': self.bytes,
            'checksum': f'{self.checksum:08X}',
        }
        if self.shard is not None:
            members['shard'] = self.shard
        return members

    @staticmethod
    def from_json(members):
        return Table(members['path'], bytes.fromhex(members['smallest']),
                     bytes.fromhex(members['largest']), members['entries'],
                     members['bytes'], int(members['checksum'], 16),
                     members.get('shard'),
                     bool(members.get('largest_is_exclusive')))


def manifest_text(tables, tool_version, shards=None):
    """Returns the bytes of the manifest."""
    members = {'schema': SCHEMA, 'tool_version': tool_version,
               'checksum_function': CHECKSUM_FUNCTION}
    if shards is not None:
        members['shards'] = shards
    members['files'] = [table.to_json() for table in tables]
    return json.dumps(members, separators=(',', ':')).encode() + b'\n'


def _members(content, path):
    members = json.loads(content)
    if members['schema'] != SCHEMA:
        raise JobError(path, f'has the schema {members["schema"]!r}; this '
                       f'release reads {SCHEMA!r}')
    return members


def shards_of(content):
    """Returns the number of shards of the set of a manifest that was parsed,
    or None if it does not say."""
    return json.loads(content).get('shards')


def parse_manifest(content, path):
    """Returns the tables of a manifest, in order."""
    try:
        members = _members(content, path)
        tables = [Table.from_json(file) for file in members['files']]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise JobError(path, f'is not a manifest: {error!r}') from error
    for table in tables:
        if '/' in table.path or table.path in ('', '.', '..'):
            raise JobError(path, 'lists a table outside of its folder: '
                           f'{table.path!r}')
    return tables
