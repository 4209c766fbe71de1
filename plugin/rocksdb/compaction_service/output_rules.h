// RocksDB's rules for the size and the codec of a compaction's outputs.
#ifndef ASHLAR_PLUGIN_ROCKSDB_COMPACTION_SERVICE_OUTPUT_RULES_H_
#define ASHLAR_PLUGIN_ROCKSDB_COMPACTION_SERVICE_OUTPUT_RULES_H_

#include "ashlar/table/database_files.h"
#include "compaction_job.h"
#include "rocksdb/options.h"

namespace ashlar_rocksdb {

// Sets the sizes and the codec of a job whose levels are set. Pure:
// thread-safe.
void SetOutputRules(const ashlar::ColumnFamilyFiles& family,
                    const rocksdb::ColumnFamilyOptions& options,
                    CompactionJob* job);

}  // namespace ashlar_rocksdb

#endif  // ASHLAR_PLUGIN_ROCKSDB_COMPACTION_SERVICE_OUTPUT_RULES_H_
