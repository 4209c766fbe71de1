// The tables that a job compacts, opened for Ashlar's compaction library.
#ifndef ASHLAR_PLUGIN_ROCKSDB_COMPACTION_SERVICE_LIBRARY_INPUTS_H_
#define ASHLAR_PLUGIN_ROCKSDB_COMPACTION_SERVICE_LIBRARY_INPUTS_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "ashlar/table/compaction.h"
#include "ashlar/util/comparator.h"
#include "ashlar/util/status.h"
#include "compaction_job.h"

namespace ashlar_rocksdb {

// The inputs of a job, open.
struct OpenInputs {
  std::vector<std::unique_ptr<ashlar::TableReader>> readers;
  std::vector<ashlar::CompactionRun> runs;
  uint64_t newest_key_time = 0;
  uint64_t bytes = 0;
};

// Opens all inputs. Each file of level 0 is a run, and so is each deeper level.
// Returns the errors of TableReader::Open, and NotSupported for a table that is
// RocksDB's to compact.
ashlar::Status OpenAll(const CompactionJob& job,
                       const ashlar::Comparator* comparator,
                       OpenInputs* inputs);

}  // namespace ashlar_rocksdb

#endif  // ASHLAR_PLUGIN_ROCKSDB_COMPACTION_SERVICE_LIBRARY_INPUTS_H_
