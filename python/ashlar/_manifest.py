"""Manifests: which tables belong together.

The form is that of the library's table sets (ashlar/table/table_set.h).
"""

import json
import os

from . import _files
from ._errors import FileMissingError, InvalidArgumentError

SUFFIX = '-manifest.json'
_SCHEMA = 'ashlar/1'


def _read(path, filesystem):
    if filesystem is not None:
        return filesystem.cat_file(path)
    with open(path, 'rb') as file:
        return file.read()


def read(target, *, filesystem=None):
    """Returns the tables that the manifest at `target` lists, as dicts."""
    path, filesystem = _files.split(target, filesystem)
    try:
        content = json.loads(_read(path, filesystem))
        if content['schema'] != _SCHEMA:
            raise ValueError('another schema')
        tables = content['files']
        for table in tables:
            if '/' in table['path']:
                raise ValueError('a table elsewhere')
            for name in ('smallest', 'largest'):
                table[name] = bytes.fromhex(table[name])
            table['checksum'] = int(table['checksum'], 16)
            if not isinstance(table.get('shard', 0), int):
                raise ValueError('a shard that is no number')
    except FileNotFoundError as error:
        raise FileMissingError('there is no such manifest',
                               str(target)) from error
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidArgumentError(f'is not a manifest: {error}',
                                   str(target)) from error
    return tables


def text_of(tables):
    """Returns the text of a manifest of tables (TableInfo, in order)."""
    return json.dumps({
        'schema': _SCHEMA,
        'tool_version': '0.2.0',
        'checksum_function': 'FileChecksumCrc32c',
        'files': [{
            'path': table.path.rsplit('/', 1)[-1],
            'smallest': table.smallest.hex().upper(),
            'largest': table.largest.hex().upper(),
            'largest_is_exclusive': table.largest_is_exclusive,
            'entries': table.entries,
            'bytes': table.bytes,
            'checksum': f'{table.checksum:08X}',
        } for table in tables],
    }, separators=(',', ':')) + '\n'


def write(target, tables, *, filesystem=None, overwrite=True):
    """Writes a manifest of tables that have no keys in common, and that are in
    the folder of `target`. It appears as a whole, and defines the set: write
    it last. `tables` has a TableInfo for each, in any order. Without
    `overwrite`, one that exists is an error."""
    if not str(target).endswith(SUFFIX):
        raise InvalidArgumentError(f'expected a name that ends in {SUFFIX}',
                                   str(target))
    tables = sorted(tables, key=lambda table: table.smallest)
    for before, after in zip(tables, tables[1:]):
        if before.largest > after.smallest or (
                before.largest == after.smallest and
                not before.largest_is_exclusive):
            raise InvalidArgumentError(
                f'{after.path} begins with a key that is not larger than all '
                f'of {before.path}', str(target))
    text = text_of(tables).encode()
    path, filesystem = _files.split(target, filesystem)
    if filesystem is not None:
        _files.put(filesystem, path, text, overwrite)
        return
    temporary = f'{path}.tmp.{os.getpid()}'
    try:
        with open(temporary, 'wb') as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        if overwrite:
            os.replace(temporary, path)
        else:
            try:
                os.link(temporary, path)
            except FileExistsError:
                raise _files.exists_error(path) from None
            os.remove(temporary)
    except BaseException:
        if os.path.exists(temporary):
            os.remove(temporary)
        raise


def _folder_of(target):
    name = os.fspath(target)
    return name[:name.rfind('/') + 1]


def tables_of(target, given=None):
    """Returns the paths of the tables of a manifest, or of the one manifest in
    a folder; None if `target` is neither.

    As lists of tables that share no keys, each in the order of its keys: one
    for each shard, since the keys of shards are spread among each other.
    """
    name = os.fspath(target)
    if not name.endswith(SUFFIX):
        path, filesystem = _files.split(target, given)
        if filesystem is None:
            if not os.path.isdir(path):
                return None
            names = os.listdir(path)
        else:
            _files.forget_listing(filesystem, path)
            if not filesystem.isdir(path):
                return None
            names = [one.rsplit('/', 1)[-1]
                     for one in filesystem.ls(path, detail=False)]
        found = sorted(one for one in names if one.endswith(SUFFIX))
        if len(found) != 1:
            raise InvalidArgumentError(
                f'has {len(found)} manifests; expected one', name)
        name = name.rstrip('/') + '/' + found[0]
    shards = {}
    for table in read(name, filesystem=given):
        shards.setdefault(table.get('shard'), []).append(
            _folder_of(name) + table['path'])
    return list(shards.values())
