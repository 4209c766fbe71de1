// RocksDB's options of one read as Ashlar's.
#ifndef ASHLAR_PLUGIN_ROCKSDB_READ_OPTIONS_H_
#define ASHLAR_PLUGIN_ROCKSDB_READ_OPTIONS_H_

#include "ashlar/table/read_options.h"
#include "conversions.h"
#include "rocksdb/options.h"

namespace ashlar_rocksdb {

// Range tombstones are RocksDB's to apply: it merges those of all tables.
inline constexpr ashlar::ReadOptions kUsualReadOptions = {
    .ignore_range_deletions = true};

// Makes the options of one read. Only those that point reads and iterators
// share: an iterator sets more. `theirs` is what files get as their context.
inline ashlar::ReadOptions ReadOptionsFrom(const rocksdb::ReadOptions& theirs) {
  ashlar::ReadOptions ours = kUsualReadOptions;
  ours.verify_checksums = theirs.verify_checksums;
  ours.fill_cache = theirs.fill_cache;
  if (theirs.read_tier == rocksdb::kBlockCacheTier) {
    ours.read_tier = ashlar::ReadTier::kBlockCacheTier;
  }
  ours.deadline = theirs.deadline;
  ours.io_timeout = theirs.io_timeout;
  ours.io_context = &theirs;
  // RocksDB's file asks its limiter; ours only learns that this may take long.
  if (theirs.rate_limiter_priority != rocksdb::Env::IO_TOTAL) {
    ours.rate_limiter_priority = ashlar::IoPriority::kLow;
  }
  return ours;
}

}  // namespace ashlar_rocksdb

#endif  // ASHLAR_PLUGIN_ROCKSDB_READ_OPTIONS_H_
