// ReadPlan: Ashlar's options of a table that RocksDB opens, or why Ashlar
// cannot read it.
#ifndef ASHLAR_PLUGIN_ROCKSDB_READ_PLAN_H_
#define ASHLAR_PLUGIN_ROCKSDB_READ_PLAN_H_

#include <string>

#include "ashlar/table/reader_options.h"
#include "rocksdb/table.h"
#include "table/table_builder.h"

namespace ashlar_rocksdb {

struct ReadPlan {
  ashlar::ReaderOptions options;
  // Why Ashlar cannot read this table, in words that name a cause and not the
  // table. Empty: the options allow it.
  std::string obstacle;
};

// `load_now`: whether RocksDB wants index and filter in the block cache at
// once.
ReadPlan PlanRead(const rocksdb::BlockBasedTableOptions& options,
                  const rocksdb::TableReaderOptions& theirs, uint64_t file_size,
                  bool load_now);

}  // namespace ashlar_rocksdb

#endif  // ASHLAR_PLUGIN_ROCKSDB_READ_PLAN_H_
