// CompactionWorker: runs the jobs of databases whose compaction service is
// NewAshlarCompactionService.
//
// The program ashlar_compaction_worker is one. An application whose databases
// have comparators, merge operators or compaction filters of its own makes a
// worker program of its own, which passes these objects:
//
//   ashlar_rocksdb::CompactionWorkerOptions options;
//   options.objects.merge_operator = ...;
//   ashlar_rocksdb::CompactionWorker worker(queue, options);
//   worker.Run(&stop);
//
// Each job is run by Ashlar's compaction library if it can, else by RocksDB
// with Ashlar's tables; the result says which, and why.
// docs/compaction-service.md.
#ifndef ASHLAR_PLUGIN_ROCKSDB_COMPACTION_SERVICE_COMPACTION_WORKER_H_
#define ASHLAR_PLUGIN_ROCKSDB_COMPACTION_SERVICE_COMPACTION_WORKER_H_

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ashlar_rocksdb.h"
#include "compaction_job.h"
#include "compaction_result.h"
#include "job_queue.h"
#include "rocksdb/options.h"

namespace ashlar_rocksdb {

struct CompactionWorkerOptions {
  // For messages, in results and in the queue. Empty, the default: host and
  // process.
  std::string name;
  // How often a claim is renewed. Default: 5 seconds. Must be well below the
  // queue's lease.
  std::chrono::milliseconds renewal{5'000};
  // How long Run waits if there is no job. Default: 100 milliseconds.
  std::chrono::milliseconds idle{100};
  // Whether jobs are run by the library, and by RocksDB. Default: both. A job
  // that is left by both fails, and the database compacts itself.
  bool use_library = true;
  bool use_rocksdb = true;
  // The only folders below which a job may read and write. Empty, the default:
  // any. Set it if not only databases that you trust can reach the queue. Only
  // the job's paths are checked: a database that RocksDB opens in the worker
  // may name other folders in its own options.
  std::vector<std::string> folders;
  // The application's objects, for jobs that RocksDB runs. Those that a job
  // does not name are not used. A table factory, if set, is used for all jobs.
  rocksdb::CompactionServiceOptionsOverride objects;
  // Called after each job, on the worker's thread. Empty, the default: nothing.
  std::function<void(const CompactionJobResult& result, bool accepted)>
      on_result;
};

class ASHLAR_ROCKSDB_EXPORT CompactionWorker {
 public:
  CompactionWorker(std::shared_ptr<JobQueue> queue,
                   CompactionWorkerOptions options);

  // Claims a job, runs it and hands in the result. Sets *ran to whether there
  // was a job. Returns errors of the queue only: a job that fails has a result
  // that says so. If the queue cannot be reached with the result, tries again
  // for five times `renewal`, which is the lease. One thread at a time; another
  // worker for another thread.
  ashlar::Status RunOne(bool* ran);
  // Runs jobs until *stop is true. Errors of the queue are passed to
  // `on_error`, and it tries again.
  void Run(const std::atomic<bool>* stop,
           const std::function<void(const ashlar::Status&)>& on_error = {});

 private:
  // What runs while the job does, and may stop it.
  struct Running;

  // A result that says who has run the job, and nothing else.
  CompactionJobResult Empty(const ClaimedJob& claimed) const;
  ashlar::Status HandIn(const ClaimedJob& claimed, const Running& running,
                        const CompactionJobResult& result, bool* accepted,
                        bool* is_sure) const;
  CompactionJobResult RunJob(const ClaimedJob& claimed, Running* running,
                             std::string* folder) const;
  ashlar::Status RunIn(const CompactionJob& job, const std::string& folder,
                       Running* running, CompactionJobResult* result) const;

  const std::shared_ptr<JobQueue> queue_;
  CompactionWorkerOptions options_;
};

}  // namespace ashlar_rocksdb

#endif  // ASHLAR_PLUGIN_ROCKSDB_COMPACTION_SERVICE_COMPACTION_WORKER_H_
