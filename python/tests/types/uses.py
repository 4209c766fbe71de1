"""What a type checker makes of the package's calls. It is checked, not run."""

from typing import Any

from typing_extensions import assert_type

import ashlar


def write(rows: list[tuple[bytes, bytes]]) -> ashlar.TableInfo:
    info = ashlar.write_table(rows, 't.sst', key='id:u64be',
                              value=ashlar.MessagePack('a', 'b'),
                              options={'compression': 'zstd'})
    assert_type(info.bytes, int)
    assert_type(info.smallest, bytes)
    assert_type(info.largest, bytes)
    with ashlar.TableWriter('t.sst') as writer:
        writer.put(b'a', b'1')
        assert_type(writer.put_many(rows), int)
        assert_type(writer.info, ashlar.TableInfo | None)
    made = ashlar.write_tables(rows, 'folder', key=[ashlar.Salt(16), 'id'],
                               on_duplicate='last')
    assert_type(made.tables, list[ashlar.TableInfo])
    return info


def read(path: str) -> None:
    with ashlar.TableReader(path) as reader:
        assert_type(reader.get(b'a'), bytes | None)
        array = reader.multi_get([b'a', b'b'])
        assert_type(array.null_count, int)
        for batch in reader.scan(lower=b'a', columns=['key']):
            assert_type(batch, ashlar.Batch)
            assert_type(batch.names, list[str])
        assert_type(reader.properties(), dict[str, bytes])
    tables = ashlar.open_tables([path, 'new.sst'])
    assert_type(tables, ashlar.Tables)
    assert_type(ashlar.read_manifest('folder'), list[dict[str, Any]])


def fail(path: str) -> int | None:
    try:
        read(path)
    except ashlar.Error as error:
        assert_type(error.file, str | None)
        return error.offset
    return None


# Each of these must be an error; mypy reports a comment that silences nothing.
def misuse(reader: ashlar.TableReader) -> None:
    reader.get(1)  # type: ignore[arg-type]
    reader.scan(columns=['keys'])  # type: ignore[list-item]
    ashlar.write_tables([], 'f', on_duplicate='any')  # type: ignore[arg-type]
