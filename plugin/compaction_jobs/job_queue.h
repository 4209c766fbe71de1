// JobQueue: where a database leaves compaction jobs, and workers take them.
//
// OpenFolderQueue (folder_queue.h) and OpenHttpQueue (http_queue.h) make one.
// Derive from it for a queue of your own. A queue moves texts, and reads none
// of them.
//
// A job is known by its id (IsJobId). Each time that a worker claims it, the
// claim has the next attempt number, from 1 on. A worker renews its claim while
// it works. A claim that is not renewed for the queue's lease time ends, and
// the job can be claimed again, by any worker. So two workers may run one job,
// if the first was only slow: the first result that arrives counts.
//
// Any number of threads and processes may use one queue. No call waits for
// another party.
#ifndef ASHLAR_PLUGIN_COMPACTION_JOBS_JOB_QUEUE_H_
#define ASHLAR_PLUGIN_COMPACTION_JOBS_JOB_QUEUE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "ashlar/util/status.h"

namespace ashlar_rocksdb {

// The largest text of a job or a result, in bytes.
inline constexpr uint64_t kMostJobBytes = uint64_t{16} << 20;

struct ClaimedJob {
  std::string id;
  uint64_t attempt = 0;  // from 1
  std::string text;
};

class JobQueue {
 public:
  virtual ~JobQueue() = default;

  // --- For databases ---

  // Adds a job. Returns InvalidArgument, and adds nothing, if `id` is no id or
  // is in use, or the text is larger than kMostJobBytes.
  virtual ashlar::Status Submit(const std::string& id,
                                const std::string& text) = 0;
  // Sets *result to the text of the result if there is one. May return NotFound
  // if the queue surely has nothing of the job.
  virtual ashlar::Status FetchResult(const std::string& id,
                                     std::optional<std::string>* result) = 0;
  // Takes a job back if no worker runs it, because none has claimed it or its
  // claim has ended: sets *withdrawn to whether that is so. Returns NotFound if
  // the queue has nothing of the job: there will be no result.
  virtual ashlar::Status Withdraw(const std::string& id, bool* withdrawn) = 0;
  // Removes all that the queue has of the job. A worker that runs it hears at
  // its next Renew that nobody wants it.
  virtual ashlar::Status Forget(const std::string& id) = 0;

  // --- For workers ---

  // Claims a job, the one that waits longest, if there is one. First makes jobs
  // claimable again whose claim has ended.
  virtual ashlar::Status Claim(const std::string& worker,
                               std::optional<ClaimedJob>* job) = 0;
  // Prolongs the claim. Sets *wanted to false if the claim has ended, or nobody
  // wants the job: the worker then stops.
  virtual ashlar::Status Renew(const ClaimedJob& job, bool* wanted) = 0;
  // Hands in a result. Sets *accepted to whether it is the one that counts; if
  // not, the worker's output files are its own to delete. Returns
  // InvalidArgument if the text is larger than kMostJobBytes. After any other
  // error nobody knows whether the result has arrived.
  virtual ashlar::Status Complete(const ClaimedJob& job,
                                  const std::string& result,
                                  bool* accepted) = 0;
};

}  // namespace ashlar_rocksdb

#endif  // ASHLAR_PLUGIN_COMPACTION_JOBS_JOB_QUEUE_H_
