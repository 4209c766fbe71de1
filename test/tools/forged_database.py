"""Makes folders that are databases, with a CURRENT and a MANIFEST.

The MANIFEST may say anything: it is not what RocksDB would write about these
tables. Tables are links to one file.
"""

import os
import struct

from forged_table import varint

BLOCK = 32768
HEADER = 7
PUT = 1


def crc_table():
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82f63b78 if byte & 1 else 0)
        table.append(byte)
    return table


CRC_TABLE = crc_table()


def masked_crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc = crc >> 8 ^ CRC_TABLE[(crc ^ byte) & 0xff]
    crc ^= 0xffffffff
    return ((crc >> 15 | crc << 17) + 0xa282ead8) & 0xffffffff


def log_of(records):
    """Returns a log with these records, cut into pieces where blocks end."""
    log = bytearray()
    for record in records:
        first = True
        while first or record:
            room = BLOCK - len(log) % BLOCK
            if room < HEADER:
                log += bytes(room)
                continue
            piece = record[:room - HEADER]
            record = record[len(piece):]
            kind = (1 if first else 4) if not record else 2 if first else 3
            first = False
            log += struct.pack("<IHB", masked_crc32c(bytes([kind]) + piece),
                               len(piece), kind) + piece
    return bytes(log)


def text(word):
    return varint(len(word)) + word


def new_table(level, number, size, smallest, largest, sequence=0,
              is_exclusive=False):
    """Returns a field of an edit: a new table, with the bounds as user keys.

    With is_exclusive, `largest` is the end of a range deletion.
    """
    tail = struct.pack("<Q", sequence << 8 | PUT)
    end = b"\x0f" + 7 * b"\xff" if is_exclusive else tail
    field = varint(103) + varint(level) + varint(number) + varint(size)
    field += text(smallest + tail) + text(largest + end)
    return field + varint(sequence) + varint(sequence) + varint(1)


def write(folder, fields, family=b"default",
          comparator=b"leveldb.BytewiseComparator", identity=b"forged"):
    """Makes the folder a database whose only family of this name has the new
    tables of these fields. Does not make the tables."""
    folder.mkdir(exist_ok=True)
    of_family = b""
    edits = [varint(8193) + text(identity) + varint(2) + varint(1) + varint(3) + varint(1 << 30) +
             varint(4) + varint(1 << 30) + varint(1) + text(comparator)]
    if family != b"default":
        of_family = varint(200) + varint(7)
        edits.append(of_family + varint(201) + text(family) + varint(1) +
                     text(comparator))
    for at in range(0, len(fields), 100):
        edits.append(of_family + b"".join(fields[at:at + 100]))
    (folder / "MANIFEST-000001").write_bytes(log_of(edits))
    (folder / "CURRENT").write_bytes(b"MANIFEST-000001\n")


def link_tables(folder, table, numbers):
    """Puts tables of these numbers into the folder, all with one contents."""
    for number in numbers:
        os.symlink(table, folder / f"{number:06}.sst")
