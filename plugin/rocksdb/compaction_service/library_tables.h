// How Ashlar's compaction library builds the tables of a job.
#ifndef ASHLAR_PLUGIN_ROCKSDB_COMPACTION_SERVICE_LIBRARY_TABLES_H_
#define ASHLAR_PLUGIN_ROCKSDB_COMPACTION_SERVICE_LIBRARY_TABLES_H_

#include <cstdint>
#include <string>

#include "build_plan.h"
#include "compaction_job.h"
#include "db/dbformat.h"
#include "job_options.h"
#include "options/cf_options.h"
#include "table/table_builder.h"

namespace ashlar_rocksdb {

// What RocksDB's build options are made of. They must outlive the plan.
struct TheirOptions {
  explicit TheirOptions(const ParsedOptions& parsed)
      : immutable(parsed.database, parsed.column_family),
        mutable_options(parsed.column_family),
        order(parsed.column_family.comparator) {}

  rocksdb::ImmutableOptions immutable;
  rocksdb::MutableCFOptions mutable_options;
  rocksdb::InternalKeyComparator order;
  rocksdb::ReadOptions read;
  rocksdb::WriteOptions write;
  rocksdb::InternalTblPropCollFactories collectors;
};

// Plans the job's tables as RocksDB's own compaction would ask the adapter for
// them. `now` and the newest key's time are in seconds since 1970. *theirs must
// live until the tables are built. Pure: thread-safe.
BuildPlan PlanTables(const CompactionJob& job, const ParsedOptions& parsed,
                     const TheirOptions& theirs, uint64_t newest_key_time,
                     uint64_t now, const std::string& session_id);

}  // namespace ashlar_rocksdb

#endif  // ASHLAR_PLUGIN_ROCKSDB_COMPACTION_SERVICE_LIBRARY_TABLES_H_
