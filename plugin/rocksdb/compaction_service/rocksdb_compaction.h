// A job run by RocksDB's own worker (DB::OpenAndCompact), on Ashlar's tables.
#ifndef ASHLAR_PLUGIN_ROCKSDB_COMPACTION_SERVICE_ROCKSDB_COMPACTION_H_
#define ASHLAR_PLUGIN_ROCKSDB_COMPACTION_SERVICE_ROCKSDB_COMPACTION_H_

#include <atomic>
#include <string>

#include "ashlar/util/status.h"
#include "compaction_job.h"
#include "compaction_result.h"
#include "rocksdb/options.h"

namespace ashlar_rocksdb {

// Runs the job, and fills in the files and figures of *result. RocksDB opens
// the database read-only, and writes into `folder`, which exists and is empty.
//
// `objects` are the application's: merge operator, compaction filter, and so
// on. An object that the job names is taken from there if it has that name,
// else it is made by RocksDB's registry. Returns NotSupported, which names the
// object, if neither is possible: RocksDB itself would go on without it.
// *canceled may be set at any time; the call then returns Incomplete. Several
// jobs may run at once.
ashlar::Status CompactByRocksDB(
    const CompactionJob& job, const std::string& folder,
    const rocksdb::CompactionServiceOptionsOverride& objects,
    std::atomic<bool>* canceled, CompactionJobResult* result);

}  // namespace ashlar_rocksdb

#endif  // ASHLAR_PLUGIN_ROCKSDB_COMPACTION_SERVICE_ROCKSDB_COMPACTION_H_
