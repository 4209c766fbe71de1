// DescribeJob: RocksDB's opaque input of a compaction service as a
// CompactionJob.
//
// RocksDB's input names files and little else, since RocksDB's own worker opens
// the database to find out the rest. DescribeJob reads the same things, the
// OPTIONS file and the MANIFEST, once, on the database's side, so that a worker
// needs only the tables.
//
// The MANIFEST may have changed since RocksDB picked the compaction. That does
// no harm: until the compaction ends, RocksDB lets no other one move a table
// with keys of its range to a deeper level than before without leaving one
// there.
#ifndef ASHLAR_PLUGIN_ROCKSDB_COMPACTION_SERVICE_DESCRIBE_JOB_H_
#define ASHLAR_PLUGIN_ROCKSDB_COMPACTION_SERVICE_DESCRIBE_JOB_H_

#include <string>

#include "ashlar/util/status.h"
#include "compaction_job.h"
#include "rocksdb/options.h"

namespace ashlar_rocksdb {

// Sets all of *job but its id and output_folder. Any thread may call it.
// Returns an error if the database cannot be described: then RocksDB compacts
// itself.
ashlar::Status DescribeJob(const rocksdb::CompactionServiceJobInfo& info,
                           const std::string& rocksdb_input,
                           CompactionJob* job);

}  // namespace ashlar_rocksdb

#endif  // ASHLAR_PLUGIN_ROCKSDB_COMPACTION_SERVICE_DESCRIBE_JOB_H_
