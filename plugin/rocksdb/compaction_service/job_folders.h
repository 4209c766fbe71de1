// The folders that a worker reads and writes for a job. Thread-safe.
#ifndef ASHLAR_PLUGIN_ROCKSDB_COMPACTION_SERVICE_JOB_FOLDERS_H_
#define ASHLAR_PLUGIN_ROCKSDB_COMPACTION_SERVICE_JOB_FOLDERS_H_

#include <string>
#include <vector>

#include "ashlar/util/status.h"
#include "compaction_job.h"

namespace ashlar_rocksdb {

// Returns InvalidArgument if the job names a path that is below none of
// `folders`. If these are empty, every path is allowed.
ashlar::Status CheckFolders(const CompactionJob& job,
                            const std::vector<std::string>& folders);

// Makes an empty folder. What is there already is from an attempt that ended.
ashlar::Status MakeEmptyFolder(const std::string& folder);

// Removes a folder as well as it can: what stays is removed by the database.
void RemoveFolder(const std::string& folder);

}  // namespace ashlar_rocksdb

#endif  // ASHLAR_PLUGIN_ROCKSDB_COMPACTION_SERVICE_JOB_FOLDERS_H_
