// CheckOutputs: whether a worker's result may be given to RocksDB.
//
// Service::Wait uses it. Once a result is accepted, RocksDB no longer compacts
// itself: a result that it finds damaged fails the compaction. So everything
// that RocksDB would find, and that the database side can know, is checked
// here, while the job can still be left to RocksDB. The contents of the tables
// are not read. Thread-safe.
#ifndef ASHLAR_PLUGIN_ROCKSDB_COMPACTION_SERVICE_CHECK_OUTPUTS_H_
#define ASHLAR_PLUGIN_ROCKSDB_COMPACTION_SERVICE_CHECK_OUTPUTS_H_

#include "ashlar/util/status.h"
#include "compaction_job.h"
#include "compaction_result.h"

namespace ashlar_rocksdb {

// Returns InvalidArgument or Corruption, which names the file, if the result is
// not of this job:
//
// - the files are not in the job's folder, not regular, not of the sizes that
//   the result says, or two have one name;
// - their keys are not ascending, overlap, or are outside the job's range;
// - their sequence numbers are none of the inputs'. 0 is allowed if the job is
//   at the bottommost level;
// - the level, or a count of records, is another one than the tables say.
//
// Returns IOError if a file cannot be looked at. Keys are compared, and input
// records counted, only if the job's comparator is built in. Requires: both are
// as ReadJob and ReadResult accept them.
ashlar::Status CheckOutputs(const CompactionJob& job,
                            const CompactionJobResult& result);

}  // namespace ashlar_rocksdb

#endif  // ASHLAR_PLUGIN_ROCKSDB_COMPACTION_SERVICE_CHECK_OUTPUTS_H_
