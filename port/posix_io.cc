#include "port/posix_io.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <new>

namespace ashlar::port {

namespace {

// Linux transfers at most this many bytes per call. Asking for more is useless.
constexpr size_t kMaxTransfer = size_t{1} << 30;

constexpr mode_t kNewFileMode = 0644;

// A flag of open that passes the page cache by; 0 where there is none.
#if defined(O_DIRECT)
constexpr int kDirect = O_DIRECT;
#else
constexpr int kDirect = 0;
#endif

int OpenWith(const std::string& path, int flags, int* fd) {
  do {
    *fd = ::open(path.c_str(), flags | O_CLOEXEC, kNewFileMode);
  } while (*fd < 0 && errno == EINTR);
  return *fd < 0 ? errno : 0;
}

// Makes a call until no signal interrupts it. Returns 0 or its errno.
template <typename Call>
int Retried(const Call& call) {
  int r;
  do {
    r = call();
  } while (r != 0 && errno == EINTR);
  return r == 0 ? 0 : errno;
}

}  // namespace

int OpenForRead(const std::string& path, int* fd) {
  // O_NONBLOCK, so as not to wait for the writer of a pipe. Regular files
  // ignore it.
  return OpenWith(path, O_RDONLY | O_NONBLOCK, fd);
}

int OpenForDirectRead(const std::string& path, int* fd) {
  if (kDirect != 0) {
    const int error = OpenWith(path, O_RDONLY | O_NONBLOCK | kDirect, fd);
    if (error != EINVAL) return error;
  }
  // Something that is no regular file may refuse it too, and has its own error.
  const int other = OpenForRead(path, fd);
  if (other != 0) return other;
  uint64_t size;
  const int of_kind = RegularFileSize(*fd, &size);
  static_cast<void>(Close(*fd));
  *fd = -1;
  return of_kind != 0 ? of_kind : EINVAL;
}

int OpenForWrite(const std::string& path, int* fd) {
  return OpenWith(path, O_WRONLY | O_CREAT | O_TRUNC, fd);
}

int OpenForRewrite(const std::string& path, int* fd) {
  return OpenWith(path, O_WRONLY | O_CREAT, fd);
}

int CreateNew(const std::string& path, int* fd) {
  return OpenWith(path, O_WRONLY | O_CREAT | O_EXCL, fd);
}

int OpenUnnamed(const std::string& folder, int* fd) {
#if defined(O_TMPFILE)
  constexpr mode_t kOwnerOnly = 0600;
  do {
    *fd = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, kOwnerOnly);
  } while (*fd < 0 && errno == EINTR);
  if (*fd >= 0) return 0;
#endif
  std::string path = folder + "/ashlar-XXXXXX";
  *fd = ::mkostemp(path.data(), O_CLOEXEC);
  if (*fd < 0) return errno;
  if (::unlink(path.c_str()) == 0) return 0;
  const int error = errno;
  static_cast<void>(Close(*fd));
  *fd = -1;
  return error;
}

int RegularFileSize(int fd, uint64_t* size) {
  struct stat info;
  if (::fstat(fd, &info) != 0) return errno;
  if (S_ISDIR(info.st_mode)) return EISDIR;
  if (!S_ISREG(info.st_mode)) return ESPIPE;
  *size = static_cast<uint64_t>(info.st_size);
  return 0;
}

int ReadAt(int fd, uint64_t offset, char* to, size_t n, size_t* got) {
  *got = 0;
  while (*got < n) {
    const size_t wanted = n - *got < kMaxTransfer ? n - *got : kMaxTransfer;
    const ssize_t r =
        ::pread(fd, to + *got, wanted, static_cast<off_t>(offset + *got));
    if (r == 0) return 0;
    if (r < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    *got += static_cast<size_t>(r);
  }
  return 0;
}

int MapFile(int fd, size_t size, const char** bytes) {
  void* const address = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, fd, 0);
  *bytes = address == MAP_FAILED ? nullptr : static_cast<const char*>(address);
  return *bytes == nullptr ? errno : 0;
}

void UnmapFile(const char* bytes, size_t size) {
  ::munmap(const_cast<char*>(bytes), size);
}

int WriteAll(int fd, const char* from, size_t n) {
  while (n > 0) {
    const ssize_t r = ::write(fd, from, n < kMaxTransfer ? n : kMaxTransfer);
    if (r < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    from += r;
    n -= static_cast<size_t>(r);
  }
  return 0;
}

int WritePagesAt(int fd, uint64_t offset, const char* from, size_t n) {
  // A call may end within a page, where the next one must not begin: then the
  // page is written again. A file that never ends one is broken.
  constexpr int kMostIdleCalls = 3;
  int idle_calls = 0;
  while (n > 0) {
    const ssize_t r = ::pwrite(fd, from, n < kMaxTransfer ? n : kMaxTransfer,
                               static_cast<off_t>(offset));
    if (r < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    const size_t done = static_cast<size_t>(r) / kDirectPage * kDirectPage;
    idle_calls = done == 0 ? idle_calls + 1 : 0;
    if (idle_calls == kMostIdleCalls) return EIO;
    from += done;
    offset += done;
    n -= done;
  }
  return 0;
}

int SyncData(int fd) {
#if defined(_POSIX_SYNCHRONIZED_IO) && _POSIX_SYNCHRONIZED_IO > 0
  return Retried([fd] { return ::fdatasync(fd); });
#else
  return SyncAll(fd);
#endif
}

int SyncAll(int fd) {
  return Retried([fd] { return ::fsync(fd); });
}

#if defined(SYNC_FILE_RANGE_WRITE)
int StartWriting(int fd, uint64_t offset, uint64_t n, bool wait) {
  const unsigned flags = SYNC_FILE_RANGE_WRITE |
                         (wait ? unsigned{SYNC_FILE_RANGE_WAIT_BEFORE} : 0U);
  return Retried([=] {
    return ::sync_file_range(fd, static_cast<off_t>(offset),
                             static_cast<off_t>(n), flags);
  });
}
#else
int StartWriting(int, uint64_t, uint64_t, bool) { return ENOSYS; }
#endif

int MakeDirect(int fd) {
  if (kDirect == 0) return EINVAL;
  const int flags = ::fcntl(fd, F_GETFL);
  if (flags < 0) return errno;
  return ::fcntl(fd, F_SETFL, flags | kDirect) == 0 ? 0 : errno;
}

int Truncate(int fd, uint64_t size) {
  return Retried([=] { return ::ftruncate(fd, static_cast<off_t>(size)); });
}

int Close(int fd) {
  // Linux frees the descriptor even when close is interrupted.
  return ::close(fd) == 0 || errno == EINTR ? 0 : errno;
}

uint64_t DescriptorLimit() {
  rlimit limit;
  const bool is_known = ::getrlimit(RLIMIT_NOFILE, &limit) == 0 &&
                        limit.rlim_cur != RLIM_INFINITY;
  return is_known ? uint64_t{limit.rlim_cur} : 0;
}

int Duplicate(int fd, int* copy) {
  *copy = ::fcntl(fd, F_DUPFD_CLOEXEC, 0);
  return *copy < 0 ? errno : 0;
}

int TryLock(int fd) {
  const int error = Retried([fd] { return ::flock(fd, LOCK_EX | LOCK_NB); });
  const bool no_locks = error == ENOLCK || error == ENOSYS ||
                        error == ENOTSUP || error == EINVAL || error == EBADF;
  return no_locks ? 0 : error;
}

int CountNames(int fd, uint64_t* count) {
  struct stat info;
  if (::fstat(fd, &info) != 0) return errno;
  *count = info.st_nlink;
  return 0;
}

bool IsNameOf(int fd, const std::string& path) {
  struct stat file;
  struct stat name;
  return ::fstat(fd, &file) == 0 && ::lstat(path.c_str(), &name) == 0 &&
         file.st_dev == name.st_dev && file.st_ino == name.st_ino;
}

int Rename(const std::string& from, const std::string& to) {
  return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

int RenameNoReplace(const std::string& from, const std::string& to,
                    bool* from_stays) {
  *from_stays = false;
#if defined(RENAME_NOREPLACE)
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(),
                  RENAME_NOREPLACE) == 0) {
    return 0;
  }
  if (errno != EINVAL && errno != ENOSYS && errno != ENOTSUP) return errno;
#endif
  // Not every file system knows that flag. A hard link fails if the name is
  // taken, on every file system that has links.
  if (::link(from.c_str(), to.c_str()) == 0) {
    *from_stays = Remove(from) != 0;
    return 0;
  }
  if (errno == EEXIST || Exists(to)) return EEXIST;
  return Rename(from, to);
}

int Remove(const std::string& path) {
  return ::unlink(path.c_str()) == 0 ? 0 : errno;
}

bool Exists(const std::string& path) {
  struct stat info;
  return ::lstat(path.c_str(), &info) == 0;
}

bool IsSpecial(const std::string& path) {
  struct stat info;
  return ::lstat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) &&
         !S_ISLNK(info.st_mode);
}

int SyncFolderOf(const std::string& path) {
  const size_t slash = path.find_last_of('/');
  const bool is_here = slash == std::string::npos;
  std::string folder;
  try {
    folder.assign(path, 0, is_here ? 0 : slash);
  } catch (const std::bad_alloc&) {
    return ENOMEM;
  }
  if (folder.empty()) folder.push_back(is_here ? '.' : '/');
  int fd;
  const int open_error = OpenWith(folder, O_RDONLY | O_DIRECTORY, &fd);
  if (open_error != 0) return open_error;
  int error = SyncAll(fd);
  // Some file systems cannot sync a folder, and need not do so.
  if (error == EINVAL || error == ENOTSUP) error = 0;
  const int close_error = Close(fd);
  return error != 0 ? error : close_error;
}

}  // namespace ashlar::port
