#include "tools/ashlar/outputs/output_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "tools/ashlar/flags/flags.h"
#include "tools/ashlar/outputs/open_folder.h"
#include "tools/ashlar/outputs/set_names.h"

namespace ashlar::tool {
namespace {

// Returns the names in the folder that contain ".tmp.". Lists each folder only
// once, at its first output, because raw and report may have thousands of
// outputs.
const std::vector<std::string>& TemporaryNamesIn(const std::string& parent) {
  static std::map<std::string, std::vector<std::string>> known;
  const auto [place, is_new] = known.try_emplace(parent);
  std::vector<std::string>& temporary = place->second;
  if (!is_new) return temporary;
  const auto folder = OpenFolder::Open(parent, /*follow=*/true);
  // If the folder cannot be opened, the run reports that itself later.
  if (!folder.ok()) return temporary;
  auto names = folder->Names();
  if (!names.ok()) {
    PrintWarning("cannot look for files that earlier runs left: " +
                 std::string(names.status().message()));
    return temporary;
  }
  for (std::string& name : *names) {
    if (name.find(".tmp.") != std::string::npos) {
      temporary.push_back(std::move(name));
    }
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
