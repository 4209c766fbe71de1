// Reads the ranges of a multi-scan of RocksDB's ahead, into the block cache.
//
// Any number of threads. Not for scans of tables without a block cache.
#ifndef ASHLAR_PLUGIN_ROCKSDB_SCANNED_RANGES_H_
#define ASHLAR_PLUGIN_ROCKSDB_SCANNED_RANGES_H_

#include <cstdint>

#include "ashlar/table/table_reader.h"
#include "rocksdb/options.h"

namespace ashlar_rocksdb {

// Reads the blocks of these ranges into the cache, those of up to about
// `most_bytes` of the file. Ranges with at most io_coalesce_threshold bytes
// between them are read as one. What cannot be read is left out: the scan that
// comes there says why. Requires: keys have no timestamps, and each range has
// both ends and begins where the one before it ends, or later.
void ReadRangesAhead(const ashlar::TableReader& reader,
                     const rocksdb::ReadOptions& read_options,
                     const rocksdb::MultiScanArgs& scans, uint64_t most_bytes);

}  // namespace ashlar_rocksdb

#endif  // ASHLAR_PLUGIN_ROCKSDB_SCANNED_RANGES_H_
