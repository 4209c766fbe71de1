// What Ashlar's compaction library can do of what a job asks for.
//
// Looks at names as the OPTIONS file has them, never at objects: an object that
// this process does not know must not be taken for none. Pure functions.
#ifndef ASHLAR_PLUGIN_ROCKSDB_COMPACTION_SERVICE_LIBRARY_RULES_H_
#define ASHLAR_PLUGIN_ROCKSDB_COMPACTION_SERVICE_LIBRARY_RULES_H_

#include <memory>
#include <string>

#include "ashlar/table/merge_operator.h"
#include "compaction_job.h"

namespace ashlar_rocksdb {

// Returns the text of an option; empty if the job has none of that name.
std::string OptionText(const OptionTexts& options, const std::string& name);

// Returns the library's merge operator that does what the job's does. Null: the
// job has none, or the library has none like it (LibraryObstacle says which).
std::shared_ptr<const ashlar::MergeOperator> LibraryMergeOperator(
    const CompactionJob& job);

// Returns whether the database keeps RocksDB's CRC32C of each file.
bool HasFileChecksums(const CompactionJob& job);

}  // namespace ashlar_rocksdb

#endif  // ASHLAR_PLUGIN_ROCKSDB_COMPACTION_SERVICE_LIBRARY_RULES_H_
