// BuildPlan: Ashlar's options of a table that RocksDB wants to be built, or why
// Ashlar cannot build it.
#ifndef ASHLAR_PLUGIN_ROCKSDB_BUILD_PLAN_H_
#define ASHLAR_PLUGIN_ROCKSDB_BUILD_PLAN_H_

#include <string>

#include "ashlar/table/options.h"
#include "rocksdb/table.h"
#include "table/table_builder.h"

namespace ashlar_rocksdb {

struct BuildPlan {
  ashlar::TableOptions table;
  ashlar::BuildOptions build;
  // Why Ashlar cannot build this table, in words. Empty: it can.
  std::string obstacle;
};

// `theirs` lives until the table is built, as RocksDB promises.
BuildPlan PlanBuild(const rocksdb::BlockBasedTableOptions& options,
                    const rocksdb::TableBuilderOptions& theirs);

}  // namespace ashlar_rocksdb

#endif  // ASHLAR_PLUGIN_ROCKSDB_BUILD_PLAN_H_
