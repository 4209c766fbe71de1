#include "folder_queue.h"

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <functional>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "compaction_job.h"
#include "compaction_result.h"
#include "job_files.h"

namespace ashlar_rocksdb {

namespace {

namespace fs = std::filesystem;
using ashlar::Status;
using Nanos = std::chrono::nanoseconds;

// How long results and temporary names stay that nobody fetches.
constexpr std::chrono::hours kKeepGarbage{24};

class FolderQueue final : public JobQueue {
 public:
  FolderQueue(std::string folder, const FolderQueueOptions& options)
      : folder_(std::move(folder)), options_(options) {}

  Status MakeFolders() {
    for (const char* name : {"pending", "claimed", "done", "clock"}) {
      std::error_code error;
      fs::create_directories(folder_ + "/" + name, error);
      if (error) {
        return Status::FromErrno("make the folder", folder_ + "/" + name,
                                 error.value());
      }
    }
    return {};
  }

  Status Submit(const std::string& id, const std::string& text) override {
    if (!IsJobId(id)) return Status::InvalidArgument(id + " is no id of a job");
    Status status = CheckTextSize(id, text);
    if (status.ok()) status = WriteNewFile(Path("pending", id, 1), text);
    return status;
  }

  Status FetchResult(const std::string& id,
                     std::optional<std::string>* result) override {
    result->reset();
    std::string text;
    Status status = ReadJobFile(ResultPath(id), &text);
    if (status.ok()) *result = std::move(text);
    return IsMissing(status) ? Status() : status;
  }

  Status Withdraw(const std::string& id, bool* withdrawn) override {
    *withdrawn = false;
    std::vector<JobFile> files;
    Status status = ListJobs(folder_ + "/pending", &files);
    std::vector<JobFile> expired;
    if (status.ok()) status = ListExpired(id, &expired);
    files.insert(files.end(), expired.begin(), expired.end());
    for (const JobFile& file : files) {
      if (file.id != id || !status.ok()) continue;
      if (::unlink(file.path.c_str()) == 0) {
        *withdrawn = true;
      } else if (errno != ENOENT) {
        status = Status::FromErrno("remove", file.path, errno);
      }
    }
    if (status.ok() && !*withdrawn && !Knows(id)) {
      return Status::NotFound("the queue " + folder_ +
                              " has nothing of the job " + id);
    }
    return status;
  }

  Status Forget(const std::string& id) override {
    Status first;
    // Twice: a worker may move the job from the second to the first meanwhile.
    for (const char* name : {"pending", "claimed", "pending", "claimed"}) {
      std::vector<JobFile> files;
      Status status = ListJobs(folder_ + "/" + name, &files);
      for (const JobFile& file : files) {
        if (file.id == id && status.ok()) status = RemoveFile(file.path);
      }
      if (first.ok()) first = std::move(status);
    }
    Status status = RemoveFile(ResultPath(id));
    return first.ok() ? status : first;
  }

  Status Claim(const std::string& worker,
               std::optional<ClaimedJob>* job) override {
    job->reset();
    Status status = Reclaim(worker);
    std::vector<JobFile> files;
    if (status.ok()) status = ListJobs(folder_ + "/pending", &files);
    for (const JobFile& file : files) {
      if (!status.ok() || job->has_value()) break;
      status = ClaimFile(file, job);
    }
    if (status.ok() && !job->has_value()) RemoveGarbage(worker);
    return status;
  }

  Status Renew(const ClaimedJob& job, bool* wanted) override {
    const Status status = TouchFile(Path("claimed", job.id, job.attempt));
    *wanted = status.ok();
    return IsMissing(status) ? Status() : status;
  }

  Status Complete(const ClaimedJob& job, const std::string& result,
                  bool* accepted) override {
    *accepted = false;
    Status status = CheckTextSize(job.id, result);
    if (status.ok()) status = Renew(job, accepted);
    if (!status.ok() || !*accepted) return status;
    status = WriteNewFile(ResultPath(job.id), result);
    *accepted = status.ok();
    // Another worker's result was first.
    if (status.IsInvalidArgument()) status = Status();
    if (!status.ok()) return status;
    return RemoveFile(Path("claimed", job.id, job.attempt));
  }

 private:
  std::string Path(const char* folder, const std::string& id,
                   uint64_t attempt) const {
    return folder_ + "/" + folder + "/" + id + "." + std::to_string(attempt);
  }
  std::string ResultPath(const std::string& id) const {
    return folder_ + "/done/" + id;
  }

  // Returns whether anything of the job may be there. A job moves between two
  // listings at most once in a short time, so it is looked for twice; the
  // folders are in the order in which a job leaves them.
  bool Knows(const std::string& id) const {
    for (int round = 0; round < 2; ++round) {
      for (const char* name : {"pending", "claimed"}) {
        std::vector<JobFile> files;
        // Nobody knows what is in a folder that cannot be listed.
        if (!ListJobs(folder_ + "/" + name, &files).ok()) return true;
        for (const JobFile& file : files) {
          if (file.id == id) return true;
        }
      }
      std::error_code error;
      if (fs::exists(ResultPath(id), error) || error) return true;
    }
    return false;
  }

  // Sets *job if the file could be claimed, and leaves it if another worker was
  // first.
  Status ClaimFile(const JobFile& file, std::optional<ClaimedJob>* job) {
    const std::string claimed = Path("claimed", file.id, file.attempt);
    Status status = TouchFile(file.path);
    if (status.ok()) status = RenameFile(file.path, claimed);
    if (IsMissing(status)) return {};
    std::error_code error;
    // A slow worker has handed in its result after its claim had expired.
    if (status.ok() && fs::exists(ResultPath(file.id), error)) {
      return RemoveFile(claimed);
    }
    ClaimedJob taken{.id = file.id, .attempt = file.attempt, .text = {}};
    if (status.ok()) status = ReadJobFile(claimed, &taken.text);
    if (status.ok()) *job = std::move(taken);
    if (status.IsInvalidArgument()) {
      // No other worker could read it either.
      return GiveUp({.path = claimed,
                     .id = file.id,
                     .attempt = file.attempt,
                     .time = file.time},
                    status.ToString());
    }
    return IsMissing(status) ? Status() : status;
  }

  // Sets *now to the file system's time.
  Status AskClock(const std::string& worker, Nanos* now) {
    const std::string path = folder_ + "/clock/" + std::to_string(::getpid()) +
                             "-" +
                             std::to_string(std::hash<std::string>()(worker));
    Status status = MakeAndTouchFile(path);
    if (status.ok()) status = TimeOfFile(path, now);
    return status;
  }

  // Lists the claims that have ended. `asker` is a worker's name or a job's id.
  Status ListExpired(const std::string& asker, std::vector<JobFile>* files) {
    Status status = ListJobs(folder_ + "/claimed", files);
    if (!status.ok() || files->empty()) return status;
    Nanos now{0};
    status = AskClock(asker, &now);
    std::erase_if(*files, [this, now](const JobFile& file) {
      return now - file.time <= options_.lease;
    });
    return status;
  }

  Status Reclaim(const std::string& worker) {
    std::vector<JobFile> files;
    Status status = ListExpired(worker, &files);
    for (const JobFile& file : files) {
      if (status.ok()) status = ReclaimFile(file);
    }
    return status;
  }

  Status ReclaimFile(const JobFile& file) {
    std::error_code error;
    // Its worker was killed after the result was there.
    if (fs::exists(ResultPath(file.id), error)) return RemoveFile(file.path);
    if (file.attempt >= options_.most_attempts) {
      return GiveUp(file, std::to_string(file.attempt) +
                              " workers have claimed the job, and none has "
                              "finished it");
    }
    Status status =
        RenameFile(file.path, Path("pending", file.id, file.attempt + 1));
    return IsMissing(status) ? Status() : status;
  }

  // Hands in an error as the result of a job.
  Status GiveUp(const JobFile& file, const std::string& why) {
    CompactionJobResult result;
    result.id = file.id;
    result.attempt = file.attempt;
    result.by = "nobody";
    result.error = why;
    std::string text;
    Status status = WriteResult(result, &text);
    if (status.ok()) status = WriteNewFile(ResultPath(file.id), text);
    if (status.IsInvalidArgument()) status = Status();  // there is a result
    if (status.ok()) status = RemoveFile(file.path);
    return status;
  }

  // As well as it can: nothing depends on it.
  void RemoveGarbage(const std::string& worker) {
    Nanos now{0};
    if (!AskClock(worker, &now).ok()) return;
    for (const char* name : {"pending", "claimed", "done", "clock"}) {
      const std::string folder = folder_ + "/" + name;
      std::error_code error;
      for (fs::directory_iterator at(folder, error), end; !error && at != end;
           at.increment(error)) {
        const std::string file = at->path().filename().string();
        // Jobs themselves are never garbage.
        if (ParseJobFileName(file)) continue;
        Nanos time{0};
        if (TimeOfFile(at->path().string(), &time).ok() &&
            now - time > kKeepGarbage) {
          ::unlink(at->path().c_str());
        }
      }
    }
  }

  const std::string folder_;
  const FolderQueueOptions options_;
};

}  // namespace

ashlar::Result<std::unique_ptr<JobQueue>> OpenFolderQueue(
    const std::string& folder, const FolderQueueOptions& options) {
  if (!folder.starts_with('/')) {
    return Status::InvalidArgument("the queue's folder \"" + folder +
                                   "\" is no absolute path");
  }
  auto queue = std::make_unique<FolderQueue>(folder, options);
  Status status = queue->MakeFolders();
  if (!status.ok()) return status;
  return std::unique_ptr<JobQueue>(std::move(queue));
}

}  // namespace ashlar_rocksdb
