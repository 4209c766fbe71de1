#include "folder_queue.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "ashlar/util/file.h"
#include "ashlar/util/whole_file.h"
#include "compaction_job.h"
#include "compaction_result.h"

namespace ashlar_rocksdb {

namespace {

namespace fs = std::filesystem;
using ashlar::Status;
using Nanos = std::chrono::nanoseconds;

// How long results and temporary names stay that nobody fetches.
constexpr std::chrono::hours kKeepGarbage{24};
constexpr uint64_t kMostJobBytes = uint64_t{16} << 20;

bool IsMissing(const Status& status) {
  return status.subcode() == Status::SubCode::kPathNotFound;
}

Status Rename(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) == 0) return {};
  return Status::FromErrno("rename to " + to, from, errno);
}

// Removing what is not there is no error.
Status Remove(const std::string& path) {
  if (::unlink(path.c_str()) == 0 || errno == ENOENT) return {};
  return Status::FromErrno("remove", path, errno);
}

// Sets the file's time to now, by the clock of the file system.
Status Touch(const std::string& path) {
  if (::utimensat(AT_FDCWD, path.c_str(), nullptr, 0) == 0) return {};
  return Status::FromErrno("set the time", path, errno);
}

Status TimeOf(const std::string& path, Nanos* time) {
  struct stat about;
  if (::stat(path.c_str(), &about) != 0)
    return Status::FromErrno("stat", path, errno);
  *time =
      std::chrono::seconds(about.st_mtim.tv_sec) + Nanos(about.st_mtim.tv_nsec);
  return {};
}

// A file of pending/ or claimed/.
struct JobFile {
  std::string path;
  std::string id;
  uint64_t attempt = 0;
  Nanos time{0};
};

// Splits "<id>.<attempt>". Absent: the name is something else, such as a
// temporary one.
std::optional<JobFile> ParseName(const std::string& name) {
  const size_t dot = name.find('.');
  if (dot == std::string::npos) return std::nullopt;
  JobFile file;
  file.id = name.substr(0, dot);
  const char* const end = name.data() + name.size();
  const auto parsed = std::from_chars(name.data() + dot + 1, end, file.attempt);
  if (parsed.ec != std::errc() || parsed.ptr != end || !IsJobId(file.id)) {
    return std::nullopt;
  }
  return file;
}

// Lists the jobs of a folder, the oldest first. Files that vanish meanwhile are
// left out.
Status ListJobs(const std::string& folder, std::vector<JobFile>* files) {
  files->clear();
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    std::optional<JobFile> file = ParseName(at->path().filename().string());
    if (!file) continue;
    file->path = at->path().string();
    const Status timed = TimeOf(file->path, &file->time);
    if (timed.ok()) {
      files->push_back(*std::move(file));
    } else if (!IsMissing(timed)) {
      return timed;
    }
  }
  if (error) return Status::FromErrno("list", folder, error.value());
  std::sort(files->begin(), files->end(),
            [](const JobFile& a, const JobFile& b) { return a.time < b.time; });
  return {};
}

// Gives a whole file its name. InvalidArgument: the name is in use.
Status WriteNewFile(const std::string& path, const std::string& text) {
  ashlar::AtomicFile::Options options;
  options.overwrite = false;
  options.sync = false;
  return ashlar::WriteStringToFile(text, path, options);
}

Status ReadFile(const std::string& path, std::string* text) {
  struct stat about;
  if (::stat(path.c_str(), &about) != 0) {
    return Status::FromErrno("stat", path, errno);
  }
  if (static_cast<uint64_t>(about.st_size) > kMostJobBytes) {
    return Status::InvalidArgument(path + " is larger than 16 MiB");
  }
  return ashlar::ReadFileToString(path, text);
}

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
    return WriteNewFile(Path("pending", id, 1), text);
  }

  Status FetchResult(const std::string& id,
                     std::optional<std::string>* result) override {
    result->reset();
    std::string text;
    Status status = ReadFile(ResultPath(id), &text);
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
    return status;
  }

  Status Forget(const std::string& id) override {
    Status first;
    for (const char* name : {"pending", "claimed"}) {
      std::vector<JobFile> files;
      Status status = ListJobs(folder_ + "/" + name, &files);
      for (const JobFile& file : files) {
        if (file.id == id && status.ok()) status = Remove(file.path);
      }
      if (first.ok()) first = std::move(status);
    }
    Status status = Remove(ResultPath(id));
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
    if (status.ok() && !job->has_value()) RemoveGarbage();
    return status;
  }

  Status Renew(const ClaimedJob& job, bool* wanted) override {
    const Status status = Touch(Path("claimed", job.id, job.attempt));
    *wanted = status.ok();
    return IsMissing(status) ? Status() : status;
  }

  Status Complete(const ClaimedJob& job, const std::string& result,
                  bool* accepted) override {
    *accepted = false;
    Status status = Renew(job, accepted);
    if (!status.ok() || !*accepted) return status;
    status = WriteNewFile(ResultPath(job.id), result);
    *accepted = status.ok();
    // Another worker's result was first.
    if (status.IsInvalidArgument()) status = Status();
    if (!status.ok()) return status;
    return Remove(Path("claimed", job.id, job.attempt));
  }

 private:
  std::string Path(const char* folder, const std::string& id,
                   uint64_t attempt) const {
    return folder_ + "/" + folder + "/" + id + "." + std::to_string(attempt);
  }
  std::string ResultPath(const std::string& id) const {
    return folder_ + "/done/" + id;
  }

  // Sets *job if the file could be claimed, and leaves it if another worker was
  // first.
  Status ClaimFile(const JobFile& file, std::optional<ClaimedJob>* job) {
    const std::string claimed = Path("claimed", file.id, file.attempt);
    Status status = Touch(file.path);
    if (status.ok()) status = Rename(file.path, claimed);
    if (IsMissing(status)) return {};
    std::error_code error;
    // A slow worker has handed in its result after its claim had expired.
    if (status.ok() && fs::exists(ResultPath(file.id), error)) {
      return Remove(claimed);
    }
    ClaimedJob taken{.id = file.id, .attempt = file.attempt, .text = {}};
    if (status.ok()) status = ReadFile(claimed, &taken.text);
    if (status.ok()) *job = std::move(taken);
    return IsMissing(status) ? Status() : status;
  }

  // Sets *now to the file system's time.
  Status AskClock(const std::string& worker, Nanos* now) {
    const std::string path = folder_ + "/clock/" + std::to_string(::getpid()) +
                             "-" +
                             std::to_string(std::hash<std::string>()(worker));
    const int descriptor =
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor < 0) return Status::FromErrno("open", path, errno);
    ::close(descriptor);
    Status status = Touch(path);
    if (status.ok()) status = TimeOf(path, now);
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
    if (fs::exists(ResultPath(file.id), error)) return Remove(file.path);
    if (file.attempt >= options_.most_attempts) return GiveUp(file);
    Status status =
        Rename(file.path, Path("pending", file.id, file.attempt + 1));
    return IsMissing(status) ? Status() : status;
  }

  Status GiveUp(const JobFile& file) {
    CompactionJobResult result;
    result.id = file.id;
    result.attempt = file.attempt;
    result.by = "nobody";
    result.error = std::to_string(file.attempt) +
                   " workers have claimed the job, and none has finished it";
    std::string text;
    Status status = WriteResult(result, &text);
    if (status.ok()) status = WriteNewFile(ResultPath(file.id), text);
    if (status.IsInvalidArgument()) status = Status();  // there is a result
    if (status.ok()) status = Remove(file.path);
    return status;
  }

  // As well as it can: nothing depends on it.
  void RemoveGarbage() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    for (const char* name : {"pending", "claimed", "done", "clock"}) {
      const std::string folder = folder_ + "/" + name;
      std::error_code error;
      for (fs::directory_iterator at(folder, error), end; !error && at != end;
           at.increment(error)) {
        const std::string file = at->path().filename().string();
        // Jobs themselves are never garbage.
        if (ParseName(file)) continue;
        Nanos time{0};
        if (TimeOf(at->path().string(), &time).ok() &&
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
