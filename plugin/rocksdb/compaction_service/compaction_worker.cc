#include "compaction_worker.h"

#include <unistd.h>

#include <array>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

#include "ashlar/table/compaction_progress.h"
#include "compaction_job.h"
#include "job_folders.h"
#include "library_compaction.h"
#include "rocksdb/version.h"
#include "rocksdb_compaction.h"

namespace ashlar_rocksdb {

namespace {

using ashlar::Status;

// Workers renew a claim five times in its lease: docs/compaction-service.md.
constexpr int kRenewalsInLease = 5;

std::string DefaultName() {
  std::array<char, 256> host = {};
  if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  return std::string(host.data()) + "-" + std::to_string(::getpid());
}

}  // namespace

// Renews the claim of a job until it is destroyed, and stops the job if nobody
// wants it any more.
struct CompactionWorker::Running {
  Running(JobQueue* queue, const ClaimedJob& claimed,
          std::chrono::milliseconds interval)
      : renewer([this, queue, &claimed, interval](const std::stop_token& done) {
          std::unique_lock lock(mutex);
          while (!woken.wait_for(lock, done, interval, [] { return false; }) &&
                 !done.stop_requested()) {
            bool wanted = true;
            // A queue that cannot be reached may be there again in time.
            const Status status = queue->Renew(claimed, &wanted);
            if (status.ok() && !wanted) Cancel();
          }
        }) {}

  void Cancel() {
    canceled.store(true, std::memory_order_relaxed);
    progress.Cancel();
  }

  // Ordered by nothing: RocksDB reads it now and then.
  std::atomic<bool> canceled{false};
  ashlar::CompactionProgress progress;
  std::mutex mutex;
  std::condition_variable_any woken;
  std::jthread renewer;  // last: uses all above
};

CompactionWorker::CompactionWorker(std::shared_ptr<JobQueue> queue,
                                   CompactionWorkerOptions options)
    : queue_(std::move(queue)), options_(std::move(options)) {
  if (options_.name.empty()) options_.name = DefaultName();
}

ashlar::Status CompactionWorker::RunOne(bool* ran) {
  *ran = false;
  std::optional<ClaimedJob> claimed;
  Status status = queue_->Claim(options_.name, &claimed);
  if (!status.ok() || !claimed) return status;
  *ran = true;
  std::string folder;
  // Until the queue has the result: a claim that ended before would make
  // another worker run the job again.
  Running running(queue_.get(), *claimed, options_.renewal);
  CompactionJobResult result = RunJob(*claimed, &running, &folder);
  if (!result.error.empty()) RemoveFolder(folder);
  bool accepted = false;
  bool is_sure = true;
  status = HandIn(*claimed, running, result, &accepted, &is_sure);
  if (status.IsInvalidArgument()) {
    // Nobody can read such a result. Its tables are of no use.
    RemoveFolder(folder);
    result = Empty(*claimed);
    result.error = status.ToString();
    status = HandIn(*claimed, running, result, &accepted, &is_sure);
  }
  // If one call has failed, nobody knows whether the result arrived then. The
  // database removes the folder in the end.
  if (status.ok() && !accepted && is_sure) RemoveFolder(folder);
  if (options_.on_result) options_.on_result(result, accepted);
  return status;
}

// Hands in a result, and tries again after errors of the queue until the claim
// would have ended without renewals, or nobody wants the result. Sets *is_sure
// to false if a call has failed. Returns InvalidArgument if the result can
// never be handed in.
ashlar::Status CompactionWorker::HandIn(const ClaimedJob& claimed,
                                        const Running& running,
                                        const CompactionJobResult& result,
                                        bool* accepted, bool* is_sure) const {
  *accepted = false;
  std::string text;
  Status status = WriteResult(result, &text);
  if (!status.ok()) return status;
  const auto end =
      std::chrono::steady_clock::now() + kRenewalsInLease * options_.renewal;
  while (true) {
    status = queue_->Complete(claimed, text, accepted);
    if (status.ok() || status.IsInvalidArgument()) return status;
    *is_sure = false;
    if (running.canceled.load(std::memory_order_relaxed) ||
        std::chrono::steady_clock::now() >= end) {
      return status;
    }
    std::this_thread::sleep_for(options_.idle);
  }
}

void CompactionWorker::Run(
    const std::atomic<bool>* stop,
    const std::function<void(const ashlar::Status&)>& on_error) {
  while (!stop->load(std::memory_order_relaxed)) {
    bool ran = false;
    const Status status = RunOne(&ran);
    if (!status.ok() && on_error) on_error(status);
    if (!status.ok() || !ran) std::this_thread::sleep_for(options_.idle);
  }
}

CompactionJobResult CompactionWorker::Empty(const ClaimedJob& claimed) const {
  CompactionJobResult result;
  result.id = claimed.id;
  result.attempt = claimed.attempt;
  result.worker = options_.name;
  result.by = "nobody";
  return result;
}

CompactionJobResult CompactionWorker::RunJob(const ClaimedJob& claimed,
                                             Running* running,
                                             std::string* folder) const {
  CompactionJobResult result = Empty(claimed);
  CompactionJob job;
  Status status = ReadJob(claimed.text, &job);
  if (status.ok() && job.id != claimed.id) {
    status = Status::InvalidArgument("the compaction job: its id is " + job.id);
  }
  if (status.ok()) status = CheckFolders(job, options_.folders);
  if (status.ok()) {
    *folder = job.output_folder + "/" + std::to_string(claimed.attempt);
    status = RunIn(job, *folder, running, &result);
  }
  if (!status.ok()) result.error = status.ToString();
  return result;
}

ashlar::Status CompactionWorker::RunIn(const CompactionJob& job,
                                       const std::string& folder,
                                       Running* running,
                                       CompactionJobResult* result) const {
  result->library_obstacle = options_.use_library
                                 ? LibraryObstacle(job)
                                 : "the worker leaves all jobs to RocksDB";
  Status status = MakeEmptyFolder(folder);
  if (!status.ok()) return status;
  if (result->library_obstacle.empty()) {
    status = CompactByLibrary(job, folder, &running->progress, result);
    if (status.ok()) result->by = "library";
    if (!status.IsNotSupported()) return status;
    result->library_obstacle = status.ToString();
    status = MakeEmptyFolder(folder);
    if (!status.ok()) return status;
  }
  if (!options_.use_rocksdb) {
    return Status::NotSupported(result->library_obstacle);
  }
  // Its input, its options and its forms of properties are of one release.
  const std::string release = rocksdb::GetRocksVersionAsString();
  if (job.rocksdb_release != release) {
    return Status::NotSupported("the job is of RocksDB " + job.rocksdb_release +
                                ", and the worker of " + release);
  }
  status = CompactByRocksDB(job, folder, options_.objects, &running->canceled,
                            result);
  if (status.ok()) result->by = "rocksdb";
  return status;
}

}  // namespace ashlar_rocksdb
