// A rocksdb::CompactionService whose jobs other processes run.
//
//   auto queue = ashlar_rocksdb::OpenFolderQueue("/shared/compactions");
//   if (!queue.ok()) return queue.status();
//   options.compaction_service = ashlar_rocksdb::NewAshlarCompactionService(
//       {.queue = std::move(*queue)});
//
// Each compaction, or part of one, becomes a CompactionJob (compaction_job.h)
// in the queue. A CompactionWorker (compaction_worker.h) runs it and writes new
// tables, and RocksDB installs them. If something goes wrong before RocksDB has
// the result, RocksDB compacts itself, as it would without a service: no
// worker, a job that cannot be described, an error, a time-out, a result that
// does not fit the job (check_outputs.h).
//
// Workers must see the database's files under the same paths. Not for databases
// with an Env of their own. docs/compaction-service.md says more.
#ifndef ASHLAR_PLUGIN_ROCKSDB_COMPACTION_SERVICE_COMPACTION_SERVICE_H_
#define ASHLAR_PLUGIN_ROCKSDB_COMPACTION_SERVICE_COMPACTION_SERVICE_H_

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "ashlar_rocksdb.h"
#include "job_queue.h"
#include "rocksdb/env.h"
#include "rocksdb/options.h"

namespace ashlar_rocksdb {

struct CompactionServiceOptions {
  // Must not be null. Databases may share one.
  std::shared_ptr<JobQueue> queue;
  // Where workers write their tables: an absolute path on the database's file
  // system. Empty, the default: "compaction_service" in the database's folder,
  // from which the service also removes what earlier sessions have left.
  std::string output_folder;
  // How often the queue is asked for the result. Default: 20 milliseconds.
  std::chrono::milliseconds poll{20};
  // How long a job may wait without a worker that runs it. RocksDB then
  // compacts itself. Default: 60 seconds.
  std::chrono::milliseconds claim_timeout{60'000};
  // How long a job may take in all. Default: 0, no limit.
  std::chrono::milliseconds job_timeout{0};
  // How long new jobs are left to RocksDB after a database that uses the
  // service has begun to close. RocksDB does not say which one closes, and may
  // schedule one more job after it has canceled those that wait; nobody would
  // cancel that job, and the database would wait for it. Default: 1 second.
  std::chrono::milliseconds closing_time{1'000};
  // Where the service reports jobs that were left to RocksDB. Null, the
  // default: nowhere.
  std::shared_ptr<rocksdb::Logger> info_log;
};

// What became of the jobs.
struct CompactionServiceCounts {
  uint64_t scheduled = 0;
  uint64_t by_library = 0;  // and given to RocksDB
  uint64_t by_rocksdb =
      0;               // by a worker's RocksDB, and given to the database's
  uint64_t local = 0;  // left to the database's own RocksDB
  uint64_t installed = 0;
  // Why the library did not run a job, and why a job was left to the database,
  // in words, and how often.
  std::map<std::string, uint64_t> library_obstacles;
  std::map<std::string, uint64_t> local_reasons;
};

// Thread-safe. Several databases may share one: if one of them closes, jobs of
// the others that are waiting then, or are scheduled within `closing_time`, are
// left to their own RocksDB.
class AshlarCompactionService : public rocksdb::CompactionService {
 public:
  static const char* kClassName() { return "AshlarCompactionService"; }
  const char* Name() const override { return kClassName(); }

  virtual CompactionServiceCounts Counts() const = 0;
};

// Returns the service. Requires: options.queue is not null.
ASHLAR_ROCKSDB_EXPORT std::shared_ptr<AshlarCompactionService>
NewAshlarCompactionService(CompactionServiceOptions options);

}  // namespace ashlar_rocksdb

#endif  // ASHLAR_PLUGIN_ROCKSDB_COMPACTION_SERVICE_COMPACTION_SERVICE_H_
