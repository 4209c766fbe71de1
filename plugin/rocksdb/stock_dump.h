// What RocksDB's own reader shows of a table, for people to read
// ("sst_dump --command=raw").
#ifndef ASHLAR_PLUGIN_ROCKSDB_STOCK_DUMP_H_
#define ASHLAR_PLUGIN_ROCKSDB_STOCK_DUMP_H_

#include <cstdint>
#include <string>

#include "db/dbformat.h"
#include "options/cf_options.h"
#include "rocksdb/env.h"
#include "rocksdb/status.h"

namespace ashlar_rocksdb {

// Opens the file again, by RocksDB's own reader, and dumps it to `out`.
rocksdb::Status DumpByStock(const std::string& path, uint64_t file_size,
                            const rocksdb::ImmutableOptions& options,
                            const rocksdb::InternalKeyComparator& comparator,
                            rocksdb::WritableFile* out,
                            bool show_sequence_number_type);

}  // namespace ashlar_rocksdb

#endif  // ASHLAR_PLUGIN_ROCKSDB_STOCK_DUMP_H_
