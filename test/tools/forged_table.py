"""Tables whose properties no writer would make.

Each starts from a table that was built with the flags PLAIN, without checksums
and compression. A new properties block, metaindex and footer are written after
its other blocks, which do not change.
"""

import re

PLAIN = ["--compression_type=none", "--format_version=5",
         "--checksum_type=kNoChecksum", "--filter=none"]
FOOTER_SIZE = 53
TRAILER = bytes(5)  # no compression, no checksum


def varint(number):
    encoded = b""
    while number >= 0x80:
        encoded += bytes([number & 0x7f | 0x80])
        number >>= 7
    return encoded + bytes([number])


def read_varint(data, at):
    number = shift = 0
    while data[at] >= 0x80:
        number |= (data[at] & 0x7f) << shift
        shift += 7
        at += 1
    return number | data[at] << shift, at + 1


def block(entries):
    """Returns a block of (key, value), whole keys, one restart point."""
    return b"".join(
        b"\0" + varint(len(key)) + varint(len(value)) + key + value
        for key, value in entries) + bytes(4) + b"\1\0\0\0"


def block_entries(contents):
    """Yields (key, value) of each entry of a block."""
    end = len(contents) - 4 - 4 * int.from_bytes(contents[-4:], "little")
    at, key = 0, b""
    while at < end:
        shared, at = read_varint(contents, at)
        rest, at = read_varint(contents, at)
        size, at = read_varint(contents, at)
        key = key[:shared] + contents[at:at + rest]
        at += rest
        yield key, contents[at:at + size]
        at += size


def footer_handles(table):
    """Returns (offset, size) of the metaindex and of the index."""
    numbers, at = [], len(table) - FOOTER_SIZE + 1
    for _ in range(4):
        number, at = read_varint(table, at)
        numbers.append(number)
    return numbers[:2], numbers[2:]


def with_tail(table, stored_properties):
    """Returns the table with this properties block, trailer included."""
    footer = table[-FOOTER_SIZE:]
    body = table[:-FOOTER_SIZE]
    handle = varint(len(body)) + varint(len(stored_properties) - len(TRAILER))
    body += stored_properties
    metaindex = block([(b"rocksdb.properties", handle)])
    # The footer: checksum type, two handles, zeros, version, magic.
    index = re.match(rb".(?:[\x80-\xff]*[\0-\x7f]){2}"
                     rb"((?:[\x80-\xff]*[\0-\x7f]){2})", footer, re.DOTALL)
    front = (footer[:1] + varint(len(body)) + varint(len(metaindex)) +
             index.group(1))
    return (body + metaindex + TRAILER + front.ljust(41, b"\0") +
            footer[41:])


def with_snappy_properties(table, offset, size):
    """Returns the table with its properties block repeated as Snappy.

    `offset` and `size` are those of the block.
    """
    raw = table[offset:offset + size]
    # Snappy's preamble, and a single literal with a length of two bytes.
    snappy = varint(size) + b"\xf4" + (size - 1).to_bytes(2, "little") + raw
    return with_tail(table, snappy + b"\x01" + bytes(4))


def metaindex_of(table):
    (offset, size), _ = footer_handles(table)
    return dict(block_entries(table[offset:offset + size]))


def named_block(table, name):
    """Returns the contents of the block that the metaindex names so."""
    offset, at = read_varint(metaindex_of(table)[name], 0)
    size, _ = read_varint(metaindex_of(table)[name], at)
    return table[offset:offset + size]


def with_block(table, name, contents):
    """Returns the table with one more block, which the metaindex names."""
    _, index = footer_handles(table)
    body = table[:-FOOTER_SIZE] + contents + TRAILER
    entries = metaindex_of(table)
    entries[name] = (varint(len(body) - len(contents) - len(TRAILER)) +
                     varint(len(contents)))
    metaindex = block(sorted(entries.items()))
    front = table[-FOOTER_SIZE:-FOOTER_SIZE + 1] + b"".join(
        varint(n) for n in (len(body), len(metaindex), *index))
    return (body + metaindex + TRAILER + front.ljust(41, b"\0") +
            table[-FOOTER_SIZE + 41:])


def with_properties(table, properties):
    """Returns the table with these properties added or replaced."""
    entries = dict(block_entries(named_block(table, b"rocksdb.properties")))
    entries.update(properties)
    return with_tail(table, block(sorted(entries.items())) + TRAILER)
