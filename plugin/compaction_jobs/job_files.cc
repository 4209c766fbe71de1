#include "job_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "ashlar/util/file.h"
#include "ashlar/util/whole_file.h"
#include "compaction_job.h"
#include "job_queue.h"

namespace ashlar_rocksdb {

namespace {

namespace fs = std::filesystem;
using ashlar::Status;
using Nanos = std::chrono::nanoseconds;

}  // namespace

Status RenameFile(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) == 0) return {};
  return Status::FromErrno("rename to " + to, from, errno);
}

Status RemoveFile(const std::string& path) {
  if (::unlink(path.c_str()) == 0 || errno == ENOENT) return {};
  return Status::FromErrno("remove", path, errno);
}

Status TouchFile(const std::string& path) {
  if (::utimensat(AT_FDCWD, path.c_str(), nullptr, 0) == 0) return {};
  return Status::FromErrno("set the time", path, errno);
}

Status MakeAndTouchFile(const std::string& path) {
  const int descriptor =
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0) return Status::FromErrno("open", path, errno);
  ::close(descriptor);
  return TouchFile(path);
}

Status TimeOfFile(const std::string& path, Nanos* time) {
  struct stat about;
  if (::stat(path.c_str(), &about) != 0) {
    return Status::FromErrno("stat", path, errno);
  }
  *time =
      std::chrono::seconds(about.st_mtim.tv_sec) + Nanos(about.st_mtim.tv_nsec);
  return {};
}

std::optional<JobFile> ParseJobFileName(const std::string& name) {
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

Status ListJobs(const std::string& folder, std::vector<JobFile>* files) {
  files->clear();
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    std::optional<JobFile> file =
        ParseJobFileName(at->path().filename().string());
    if (!file) continue;
    file->path = at->path().string();
    Status timed = TimeOfFile(file->path, &file->time);
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

Status CheckTextSize(const std::string& id, const std::string& text) {
  if (text.size() <= kMostJobBytes) return {};
  return Status::InvalidArgument("a text of the job " + id + " has " +
                                 std::to_string(text.size()) +
                                 " bytes, more than 16 MiB");
}

Status WriteNewFile(const std::string& path, const std::string& text) {
  ashlar::AtomicFile::Options options;
  options.overwrite = false;
  options.sync = false;
  return ashlar::WriteStringToFile(text, path, options);
}

Status ReadJobFile(const std::string& path, std::string* text) {
  struct stat about;
  if (::stat(path.c_str(), &about) != 0) {
    return Status::FromErrno("stat", path, errno);
  }
  if (static_cast<uint64_t>(about.st_size) > kMostJobBytes) {
    return Status::InvalidArgument(path + " is larger than 16 MiB");
  }
  return ashlar::ReadFileToString(path, text);
}

}  // namespace ashlar_rocksdb
