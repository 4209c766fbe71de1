"""Writes RocksDB's block cache traces, by docs/block_cache_trace.md."""

import struct

CALLERS = ("unknown user_get user_multi_get user_iterator "
           "user_approximate_size user_verify_checksum sst_dump "
           "external_ingestion repair prefetch compaction compaction_refill "
           "flush sst_file_reader uncategorized").split()
KINDS = {"index": 7, "filter": 8, "data": 9, "dictionary": 10,
         "range_deletion": 11}


def text(data):
    """Returns the bytes with their length, which is a varint, before them."""
    size, length = len(data), b""
    while size >= 0x80:
        length += bytes([size & 0x7f | 0x80])
        size >>= 7
    return length + bytes([size]) + data


def frame(kind, payload, micros=1000):
    return struct.pack("<QBI", micros, kind, len(payload)) + payload


def header(major=11, minor=8):
    return frame(1, text(b"feedcafedeadbeef")
                 + struct.pack("<II", major, minor))


def access(block, size=4096, kind="data", caller="user_iterator", level=0,
           hit=True, no_insert=False, micros=1000):
    payload = text(b"%016d" % block) + struct.pack("<QQ", size, 0)
    payload += text(b"default") + struct.pack(
        "<IQBBB", level & 0xffffffff, 77, CALLERS.index(caller), hit, no_insert)
    if caller in ("user_get", "user_multi_get"):
        payload += struct.pack("<QB", 5, 0) + text(b"key")
        if kind == "data":
            payload += struct.pack("<QQB", 30, 9, 1)
    return frame(KINDS[kind], payload, micros)
