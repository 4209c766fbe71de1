#include "compaction_service.h"

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "check_outputs.h"
#include "compaction_job.h"
#include "compaction_result.h"
#include "describe_job.h"
#include "reason_counts.h"
#include "result_forms.h"

namespace ashlar_rocksdb {

namespace {

namespace fs = std::filesystem;
using ashlar::Status;
using rocksdb::CompactionServiceJobStatus;
using rocksdb::CompactionServiceScheduleResponse;
using Clock = std::chrono::steady_clock;

constexpr const char* kFolderName = "compaction_service";

class Service final : public AshlarCompactionService {
 public:
  explicit Service(CompactionServiceOptions options)
      : options_(std::move(options)) {}

  CompactionServiceScheduleResponse Schedule(
      const rocksdb::CompactionServiceJobInfo& info,
      const std::string& input) override {
    CompactionJob job;
    std::string text;
    Status status = DescribeJob(info, input, &job);
    if (status.ok()) {
      status = MakeFolders(info, &job);
      job.id = info.db_session_id + "-" + std::to_string(info.job_id) + "-" +
               std::to_string(next_.fetch_add(1, std::memory_order_relaxed));
      job.output_folder += "/" + job.id;
    }
    if (status.ok()) status = WriteJob(job, &text);
    if (status.ok()) {
      std::error_code error;
      if (!fs::create_directory(job.output_folder, error)) {
        status = error ? Status::FromErrno("make the folder", job.output_folder,
                                           error.value())
                       : Status::InvalidArgument(job.output_folder +
                                                 " is another job's");
      }
    }
    const std::string id = job.id;
    // Before a worker can be done with it.
    if (status.ok()) status = Register(std::move(job));
    if (!status.ok()) {
      // The queue has nothing of this job. If it has one with this id, that is
      // another owner's.
      LeaveToRocksDB(id, status, /*is_queued=*/false);
      return CompactionServiceScheduleResponse(
          CompactionServiceJobStatus::kUseLocal);
    }
    status = options_.queue->Submit(id, text);
    if (!status.ok()) {
      // After any other error nobody knows whether the job has arrived.
      LeaveToRocksDB(id, status, /*is_queued=*/!status.IsInvalidArgument());
      return CompactionServiceScheduleResponse(
          CompactionServiceJobStatus::kUseLocal);
    }
    const std::lock_guard lock(mutex_);
    ++counts_.scheduled;
    return {id, CompactionServiceJobStatus::kSuccess};
  }

  CompactionServiceJobStatus Wait(const std::string& id,
                                  std::string* theirs) override {
    std::optional<std::string> text;
    CompactionJobResult result;
    CompactionJob job;
    Status status = WaitForResult(id, &job, &text);
    if (status.ok()) status = ReadResult(*text, &result);
    if (status.ok() && (result.id != id || !result.error.empty())) {
      status = Status::Aborted("worker " + result.worker + ": " +
                               (result.error.empty()
                                    ? "the result is of " + result.id
                                    : result.error));
    }
    if (status.ok()) status = CheckOutputs(job, result);
    if (status.ok()) status = ToRocksDBResult(job, result, theirs);
    if (!status.ok()) {
      LeaveToRocksDB(id, status, /*is_queued=*/true);
      return CompactionServiceJobStatus::kUseLocal;
    }
    const std::lock_guard lock(mutex_);
    ++(result.by == "library" ? counts_.by_library : counts_.by_rocksdb);
    if (!result.library_obstacle.empty()) {
      CountReason(result.library_obstacle, &counts_.library_obstacles);
    }
    return CompactionServiceJobStatus::kSuccess;
  }

  // Not kAborted, which would fail a compaction: other databases may have jobs
  // here too. The one that closes stops its own compaction at once. RocksDB
  // says that it shuts down only after this call, so that it may schedule one
  // more job, which it would not cancel: Register refuses that.
  void CancelAwaitingJobs() override {
    const std::lock_guard lock(mutex_);
    closing_until_ = Clock::now() + options_.closing_time;
    for (auto& [id, waiting] : jobs_) waiting.is_canceled = true;
    woken_.notify_all();
  }

  void OnInstallation(const std::string& id,
                      CompactionServiceJobStatus status) override {
    if (status == CompactionServiceJobStatus::kSuccess) {
      const std::lock_guard lock(mutex_);
      ++counts_.installed;
    }
    ForgetInQueue(id);
    ForgetHere(id);
  }

  CompactionServiceCounts Counts() const override {
    const std::lock_guard lock(mutex_);
    return counts_;
  }

 private:
  struct Waiting {
    CompactionJob job;
    bool is_canceled = false;
  };

  // Makes the folder for outputs of a database that is open, and sets
  // job->output_folder to it. A database is open once at a time, so what it
  // left when it was open before is removed.
  Status MakeFolders(const rocksdb::CompactionServiceJobInfo& info,
                     CompactionJob* job) {
    const bool is_own = options_.output_folder.empty();
    const std::string root = is_own ? job->database.path + "/" + kFolderName
                                    : options_.output_folder;
    job->output_folder = root + "/" + info.db_session_id;
    std::error_code error;
    bool is_new = false;
    {
      const std::lock_guard lock(mutex_);
      is_new = sessions_.insert(info.db_session_id).second;
    }
    if (is_own && is_new) {
      for (fs::directory_iterator at(root, error), end; !error && at != end;
           at.increment(error)) {
        const bool is_mine = at->path().filename() == info.db_session_id;
        std::error_code ignored;
        if (!is_mine) fs::remove_all(at->path(), ignored);
      }
    }
    error.clear();
    fs::create_directories(job->output_folder, error);
    if (!error) return {};
    return Status::FromErrno("make the folder", job->output_folder,
                             error.value());
  }

  // Adds a job that may be waited for and canceled. Returns Aborted if a
  // database is closing.
  Status Register(CompactionJob job) {
    const std::lock_guard lock(mutex_);
    if (Clock::now() < closing_until_) {
      std::error_code ignored;
      fs::remove(job.output_folder, ignored);
      return Closing();
    }
    const std::string id = job.id;
    jobs_[id].job = std::move(job);
    return {};
  }

  static Status Closing() {
    return Status::Aborted("a database that uses the service is closing");
  }

  // Waits for the job's result. Any error means that there will be none.
  Status WaitForResult(const std::string& id, CompactionJob* job,
                       std::optional<std::string>* text) {
    const Clock::time_point begin = Clock::now();
    Clock::time_point next_check = begin + options_.claim_timeout;
    Clock::time_point last_answer = begin;
    while (true) {
      Status status = options_.queue->FetchResult(id, text);
      const Clock::time_point now = Clock::now();
      if (status.ok()) last_answer = now;
      if (status.IsNotFound() ||
          (!status.ok() && now - last_answer > options_.claim_timeout)) {
        return status;
      }
      if (now >= next_check) {
        next_check = now + options_.claim_timeout;
        if (!text->has_value()) status = TakeBack(id);
        if (!status.ok()) return status;
      }
      if (options_.job_timeout.count() > 0 && !text->has_value() &&
          now - begin > options_.job_timeout) {
        return Status::TimedOut("the job has taken too long");
      }
      std::unique_lock lock(mutex_);
      const auto found = jobs_.find(id);
      if (found == jobs_.end()) return Status::NotFound("no job " + id);
      if (text->has_value()) {
        *job = found->second.job;
        return {};
      }
      woken_.wait_for(lock, options_.poll,
                      [&found] { return found->second.is_canceled; });
      if (found->second.is_canceled) {
        return Closing();
      }
    }
  }

  // Returns TimedOut if no worker runs the job, which is then withdrawn, and
  // NotFound if the queue has lost it.
  Status TakeBack(const std::string& id) {
    bool withdrawn = false;
    Status status = options_.queue->Withdraw(id, &withdrawn);
    if (status.IsNotFound()) return status;
    // A queue that cannot be reached now may be there again.
    if (!status.ok() || !withdrawn) return {};
    return Status::TimedOut("no worker has taken the job");
  }

  // `is_queued`: the queue may have the job.
  void LeaveToRocksDB(const std::string& id, const Status& status,
                      bool is_queued) {
    if (options_.info_log != nullptr) {
      rocksdb::Warn(options_.info_log.get(),
                    "compaction service: job %s is left to RocksDB: %s",
                    id.c_str(), status.ToString().c_str());
    }
    {
      const std::lock_guard lock(mutex_);
      ++counts_.local;
      CountReason(status.ToString(), &counts_.local_reasons);
    }
    if (is_queued) ForgetInQueue(id);
    ForgetHere(id);
  }

  // As well as it can: a queue that cannot be reached forgets by itself.
  void ForgetInQueue(const std::string& id) {
    const Status ignored = options_.queue->Forget(id);
    static_cast<void>(ignored.ok());
  }

  // As well as it can: the next session removes folders.
  void ForgetHere(const std::string& id) {
    std::string folder;
    {
      const std::lock_guard lock(mutex_);
      const auto found = jobs_.find(id);
      if (found == jobs_.end()) return;
      folder = found->second.job.output_folder;
      jobs_.erase(found);
    }
    std::error_code error;
    fs::remove_all(folder, error);
  }

  const CompactionServiceOptions options_;
  std::atomic<uint64_t> next_{1};  // a counter; nothing is ordered by it

  mutable std::mutex mutex_;  // guards all below
  std::condition_variable woken_;
  std::map<std::string, Waiting> jobs_;
  std::set<std::string> sessions_;
  // Until then new jobs are left to RocksDB, because a database closes.
  Clock::time_point closing_until_;
  CompactionServiceCounts counts_;
};

}  // namespace

std::shared_ptr<AshlarCompactionService> NewAshlarCompactionService(
    CompactionServiceOptions options) {
  return std::make_shared<Service>(std::move(options));
}

}  // namespace ashlar_rocksdb
