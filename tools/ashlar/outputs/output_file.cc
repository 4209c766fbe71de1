#include "tools/ashlar/outputs/output_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "tools/ashlar/flags/flags.h"

namespace ashlar::tool {
namespace {

constexpr std::string_view kTemporary = ".tmp.";

bool IsAllDigits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

// Returns whether AtomicFile may use `name` for the temporary file of the file
// `of`.
bool IsTemporaryName(std::string_view name, std::string_view of) {
  if (!name.starts_with(of)) return false;
  name.remove_prefix(of.size());
  if (!name.starts_with(kTemporary)) return false;
  name.remove_prefix(kTemporary.size());
  const size_t dot = name.find('.');
  return dot != name.npos && IsAllDigits(name.substr(0, dot)) &&
         IsAllDigits(name.substr(dot + 1));
}

// Locks an open file without waiting. Returns 0 or errno.
int TryLock(int descriptor, int operation) {
  int result;
  do {
    result = flock(descriptor, operation | LOCK_NB);
  } while (result != 0 && errno == EINTR);
  return result == 0 ? 0 : errno;
}

struct Closer {
  void operator()(DIR* stream) const { closedir(stream); }
};

// Adds the names in the folder that contain ".tmp.". Returns 0 or errno.
int ListTemporaryNames(DIR* stream, std::vector<std::string>* names) {
  for (;;) {
    errno = 0;
    const dirent* const entry = readdir(stream);
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name.find(kTemporary) != name.npos) names->emplace_back(name);
  }
  const int error = errno;
  std::sort(names->begin(), names->end());
  return error;
}

// Returns the names in the folder that contain ".tmp.". Lists each folder only
// once, at its first output, because raw and report may have thousands of
// outputs.
const std::vector<std::string>& TemporaryNamesIn(const std::string& parent) {
  static std::map<std::string, std::vector<std::string>> known;
  const auto [place, is_new] = known.try_emplace(parent);
  std::vector<std::string>& temporary = place->second;
  if (!is_new) return temporary;
  const std::string shown = parent.empty() ? "." : parent;
  const std::unique_ptr<DIR, Closer> stream(opendir(shown.c_str()));
  // If the folder cannot be opened, the run reports that itself later.
  if (stream == nullptr) return temporary;
  const int error = ListTemporaryNames(stream.get(), &temporary);
  if (error != 0) {
    PrintWarning(
        "cannot look for files that earlier runs left: " +
        std::string(Status::FromErrno("list", shown, error).message()));
    temporary.clear();
  }
  return temporary;
}

// A temporary file that an earlier run may have left.
class LeftFile {
 public:
  explicit LeftFile(std::string path) : path_(std::move(path)) {
    do {
      descriptor_ =
          open(path_.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    } while (descriptor_ < 0 && errno == EINTR);
    error_ = descriptor_ < 0 ? errno : 0;
  }
  LeftFile(const LeftFile&) = delete;
  LeftFile& operator=(const LeftFile&) = delete;
  ~LeftFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }

  void WarnOrRemove() {
    // The file is gone, or the name is that of a link, a folder or a socket.
    if (error_ == ENOENT || error_ == ELOOP || error_ == EISDIR ||
        error_ == ENXIO) {
      return;
    }
    struct stat info;
    if (error_ == 0 && fstat(descriptor_, &info) != 0) error_ = errno;
    if (error_ == 0 && !S_ISREG(info.st_mode)) return;
    if (error_ == 0) error_ = TryLock(descriptor_, LOCK_SH);
    if (error_ == EWOULDBLOCK) return;
    if (error_ != 0) {
      WarnUnknown(error_);
    } else if (FLAGS_clean) {
      Remove(info.st_ino);
    } else {
      PrintWarning(path_ +
                   " is left over from an earlier run and not needed; --clean "
                   "removes it");
    }
  }

 private:
  void WarnUnknown(int error) const {
    PrintWarning(path_ +
                 " may be left over from an earlier run; whether that run is "
                 "still active is unknown (" +
                 std::generic_category().message(error) + ")");
  }

  void Remove(ino_t inode) {
    int error = TryLock(descriptor_, LOCK_EX);
    struct stat name;
    if (error == 0 && lstat(path_.c_str(), &name) != 0) error = errno;
    // Another run has removed it first, or is doing so.
    if (error == EWOULDBLOCK || error == ENOENT) return;
    if (error != 0) {
      WarnUnknown(error);
    } else if (name.st_ino != inode) {
      return;
    } else if (unlink(path_.c_str()) == 0) {
      PrintWarning("removed " + path_ + ", left over from an earlier run");
    } else {
      PrintWarning(Status::FromErrno("remove", path_, errno).message());
    }
  }

  const std::string path_;
  int descriptor_ = -1;
  int error_ = 0;
};

}  // namespace

void WarnOfLeftFiles(const std::string& path) {
  const size_t name_at = path.rfind('/') + 1;
  const std::string parent = path.substr(0, name_at);
  const std::string_view name = std::string_view(path).substr(name_at);
  for (const std::string& temporary : TemporaryNamesIn(parent)) {
    if (IsTemporaryName(temporary, name))
      LeftFile(parent + temporary).WarnOrRemove();
  }
}

}  // namespace ashlar::tool
