// A job run by Ashlar's compaction library, and why some jobs are not.
#ifndef ASHLAR_PLUGIN_ROCKSDB_COMPACTION_SERVICE_LIBRARY_COMPACTION_H_
#define ASHLAR_PLUGIN_ROCKSDB_COMPACTION_SERVICE_LIBRARY_COMPACTION_H_

#include <string>

#include "ashlar/table/compaction_progress.h"
#include "ashlar/util/status.h"
#include "compaction_job.h"
#include "compaction_result.h"

namespace ashlar_rocksdb {

// Returns why the library does not run this job, in words. Empty: as far as the
// options say, it does. Thread-safe.
std::string LibraryObstacle(const CompactionJob& job);

// Runs the job. Writes into `folder`, which exists and is empty, and fills in
// the files and figures of *result. Returns NotSupported if a table turns out
// to have what the library does not do: nothing is lost then, and RocksDB can
// run the job. Returns Incomplete if *progress was cancelled, and the errors of
// CompactTables. Several jobs may run at once.
ashlar::Status CompactByLibrary(const CompactionJob& job,
                                const std::string& folder,
                                ashlar::CompactionProgress* progress,
                                CompactionJobResult* result);

}  // namespace ashlar_rocksdb

#endif  // ASHLAR_PLUGIN_ROCKSDB_COMPACTION_SERVICE_LIBRARY_COMPACTION_H_
