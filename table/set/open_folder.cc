#include "table/set/open_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <string_view>
#include <utility>

namespace ashlar::internal {
namespace {

int OpenAt(int folder, const std::string& name, int flags) {
  int descriptor;
  do {
    descriptor = openat(folder, name.c_str(), flags | O_CLOEXEC);
  } while (descriptor < 0 && errno == EINTR);
  return descriptor;
}

struct Closer {
  void operator()(DIR* stream) const { closedir(stream); }
};

// Closes a descriptor at its end, also where there is no memory to go on.
class HeldDescriptor {
 public:
  explicit HeldDescriptor(int descriptor) : descriptor_(descriptor) {}
  HeldDescriptor(const HeldDescriptor&) = delete;
  HeldDescriptor& operator=(const HeldDescriptor&) = delete;
  ~HeldDescriptor() {
    if (descriptor_ >= 0) close(descriptor_);
  }

  int get() const { return descriptor_; }
  int Release() { return std::exchange(descriptor_, -1); }

 private:
  int descriptor_;
};

// 0 or errno.
int ReadNames(DIR* stream, std::vector<std::string>* names) {
  for (;;) {
    errno = 0;
    const dirent* const entry = readdir(stream);
    if (entry == nullptr) return errno;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names->emplace_back(name);
  }
}

// 0 or errno.
int ReadAll(int descriptor, std::string* bytes) {
  size_t done = 0;
  while (done < bytes->size()) {
    const ssize_t got = pread(descriptor, bytes->data() + done,
                              bytes->size() - done, static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    if (got == 0) break;
    done += static_cast<size_t>(got);
  }
  bytes->resize(done);
  return 0;
}

}  // namespace

Result<OpenFolder> OpenFolder::Open(const std::string& path, bool follow) {
  HeldDescriptor held(
      OpenAt(AT_FDCWD, path.empty() ? "." : path,
             O_RDONLY | O_DIRECTORY | (follow ? 0 : O_NOFOLLOW)));
  if (held.get() < 0) {
    return Status::FromErrno("open", path.empty() ? "." : path, errno);
  }
  std::string kept_path = path;
  return OpenFolder(std::move(kept_path), held.Release());
}

OpenFolder::~OpenFolder() {
  if (descriptor_ >= 0) close(descriptor_);
}

std::string OpenFolder::PathOf(const std::string& name) const {
  const bool separated = path_.empty() || path_.ends_with('/');
  return separated ? path_ + name : path_ + "/" + name;
}

Result<std::vector<std::string>> OpenFolder::Names() const {
  const std::string shown = path_.empty() ? "." : path_;
  // Opens the folder again, so that reading starts at the first name.
  HeldDescriptor held(OpenAt(descriptor_, ".", O_RDONLY | O_DIRECTORY));
  if (held.get() < 0) return Status::FromErrno("list", shown, errno);
  const std::unique_ptr<DIR, Closer> stream(fdopendir(held.get()));
  if (stream == nullptr) return Status::FromErrno("list", shown, errno);
  held.Release();
  std::vector<std::string> names;
  const int error = ReadNames(stream.get(), &names);
  if (error != 0) return Status::FromErrno("list", shown, error);
  std::sort(names.begin(), names.end());
  return names;
}

Result<std::optional<FileMark>> OpenFolder::MarkOf(
    const std::string& name) const {
  struct stat info;
  if (fstatat(descriptor_, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return std::optional<FileMark>();
    return Status::FromErrno("stat", PathOf(name), errno);
  }
  constexpr uint64_t kNanos = 1000000000;
  FileMark mark;
  mark.inode = info.st_ino;
  mark.bytes = static_cast<uint64_t>(info.st_size);
  mark.time = static_cast<uint64_t>(info.st_mtim.tv_sec) * kNanos +
              static_cast<uint64_t>(info.st_mtim.tv_nsec);
  return std::optional<FileMark>(mark);
}

Result<std::string> OpenFolder::Read(const std::string& name,
                                     size_t most) const {
  const std::string path = PathOf(name);
  // O_NONBLOCK: if the name is that of a pipe, the program must not wait.
  const HeldDescriptor held(
      OpenAt(descriptor_, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
  if (held.get() < 0) {
    if (errno == ENOENT) return Status::NotFound(path + ": does not exist");
    if (errno == ELOOP) {
      return Status::InvalidArgument(path + ": is a symbolic link");
    }
    return Status::FromErrno("open", path, errno);
  }
  struct stat info;
  if (fstat(held.get(), &info) != 0) {
    return Status::FromErrno("stat", path, errno);
  }
  if (!S_ISREG(info.st_mode)) {
    return Status::InvalidArgument(path + ": is not a regular file");
  }
  if (static_cast<uint64_t>(info.st_size) > most) {
    return Status::InvalidArgument(path + ": has more than " +
                                   std::to_string(most) + " bytes");
  }
  std::string bytes(static_cast<size_t>(info.st_size), '\0');
  const int error = ReadAll(held.get(), &bytes);
  if (error != 0) return Status::FromErrno("read", path, error);
  return bytes;
}

Status OpenFolder::Remove(const std::string& name) const {
  if (unlinkat(descriptor_, name.c_str(), 0) == 0 || errno == ENOENT) {
    return Status();
  }
  return Status::FromErrno("remove", PathOf(name), errno);
}

Status OpenFolder::Sync() const {
  int result;
  do {
    result = fsync(descriptor_);
  } while (result != 0 && errno == EINTR);
  // Some file systems cannot sync a folder, and do not need it.
  if (result == 0 || errno == EINVAL || errno == ENOTSUP) return Status();
  return Status::FromErrno("sync folder", path_.empty() ? "." : path_, errno);
}

int TryLock(int descriptor, int operation) {
  int result;
  do {
    result = flock(descriptor, operation | LOCK_NB);
  } while (result != 0 && errno == EINTR);
  return result == 0 ? 0 : errno;
}

// EBADF: on NFS, only files that are open for writing can be locked.
bool HasNoLocks(int error) {
  return error == ENOLCK || error == ENOSYS || error == ENOTSUP ||
         error == EINVAL || error == EBADF;
}

namespace {

// As renameat2 with RENAME_NOREPLACE. Fails with ENOSYS where the system has no
// such call.
int RenameInOneStep([[maybe_unused]] int from_at,
                    [[maybe_unused]] const std::string& from,
                    [[maybe_unused]] int to_at,
                    [[maybe_unused]] const std::string& to) {
#if defined(RENAME_NOREPLACE)
  return renameat2(from_at, from.c_str(), to_at, to.c_str(), RENAME_NOREPLACE);
#else
  errno = ENOSYS;
  return -1;
#endif
}

}  // namespace

int RenameToNewName(const OpenFolder& from_folder, const std::string& from,
                    const OpenFolder& to_folder, const std::string& to,
                    bool* from_stays) {
  const int from_at = from_folder.descriptor();
  const int to_at = to_folder.descriptor();
  *from_stays = false;
  if (RenameInOneStep(from_at, from, to_at, to) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS && errno != ENOTSUP) return errno;
  if (linkat(from_at, from.c_str(), to_at, to.c_str(), 0) == 0) {
    *from_stays = unlinkat(from_at, from.c_str(), 0) != 0;
    return 0;
  }
  if (errno == EEXIST) return EEXIST;
  struct stat info;
  if (fstatat(to_at, to.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0) {
    return EEXIST;
  }
  return renameat(from_at, from.c_str(), to_at, to.c_str()) == 0 ? 0 : errno;
}

}  // namespace ashlar::internal
