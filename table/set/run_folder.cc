#include "table/set/run_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ashlar/util/file.h"

namespace ashlar::internal {
namespace {

bool IsOfRun(const std::string& name, const SetNames& names) {
  if (names.IsTable(name) || name == names.Manifest()) return true;
  if (IsTemporaryName(name, kJournal) ||
      IsTemporaryName(name, names.Manifest())) {
    return true;
  }
  const size_t end = name.find(".sst.tmp.");
  if (end == std::string::npos) return false;
  const std::string table = name.substr(0, end + 4);
  return names.IsTable(table) && IsTemporaryName(name, table);
}

struct NewLock {
  int descriptor = -1;
  // 0 or errno. ENOENT: a run that recovers has taken or removed the folder.
  int error = 0;
};

NewLock MakeLock(const OpenFolder& folder) {
  constexpr mode_t kOwnerOnly = 0600;
  NewLock lock;
  do {
    lock.descriptor =
        openat(folder.descriptor(), kRunLock,
               O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kOwnerOnly);
  } while (lock.descriptor < 0 && errno == EINTR);
  if (lock.descriptor < 0) {
    lock.error = errno;
    return lock;
  }
  lock.error = TryLock(lock.descriptor, LOCK_EX);
  if (HasNoLocks(lock.error)) lock.error = 0;
  if (lock.error == EWOULDBLOCK) lock.error = ENOENT;
  struct stat info;
  if (lock.error == 0 && fstat(lock.descriptor, &info) == 0 &&
      info.st_nlink == 0) {
    lock.error = ENOENT;
  }
  if (lock.error != 0) close(lock.descriptor);
  return lock;
}

// A folder that Create makes. If there is no memory to go on with it, it is
// removed again, which needs none.
class NewFolder {
 public:
  explicit NewFolder(const std::string& pattern) : path_(pattern) {
    lock_path_.reserve(pattern.size() + 1 + std::strlen(kRunLock));
  }
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;
  ~NewFolder() {
    if (!is_made_) return;
    if (lock_ >= 0) {
      unlink(lock_path_.c_str());
      close(lock_);
    }
    rmdir(path_.c_str());
  }

  bool Make() {
    is_made_ = mkdtemp(path_.data()) != nullptr;
    return is_made_;
  }
  // The descriptor of the lock in it.
  void HasLock(int lock) {
    lock_path_.append(path_).append("/").append(kRunLock);
    lock_ = lock;
  }
  // It stays, or the caller removes it.
  void Release() { is_made_ = false; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::string lock_path_;
  int lock_ = -1;
  bool is_made_ = false;
};

void WarnUnlessOk(const Status& status, const SetCalls& calls) {
  if (!status.ok()) calls.Warn(status.message());
}

}  // namespace

Result<std::unique_ptr<RunFolder>> RunFolder::Create(const SetNames& names,
                                                     SetCalls calls) {
  constexpr int kTries = 8;
  const std::string pattern = names.parent() + names.RunFolderPattern();
  for (int i = 0;; ++i) {
    NewFolder made(pattern);
    if (!made.Make()) {
      return Status::FromErrno("make the folder", pattern, errno);
    }
    const std::string path = made.path();
    auto folder = OpenFolder::Open(path, /*follow=*/false);
    if (!folder.ok()) {
      made.Release();
      if (rmdir(path.c_str()) != 0 && errno != ENOENT) {
        WarnUnlessOk(Status::FromErrno("remove", path, errno), calls);
      }
      return folder.status();
    }
    const NewLock lock = MakeLock(*folder);
    if (lock.error == 0) {
      made.HasLock(lock.descriptor);
      std::unique_ptr<RunFolder> run(
          new RunFolder(names, std::move(calls), path,
                        std::move(folder).value(), lock.descriptor));
      made.Release();
      return run;
    }
    made.Release();
    WarnUnlessOk(RemoveRunFolder(*folder, path, names), calls);
    if (lock.error != ENOENT || i + 1 == kTries) {
      return Status::FromErrno("lock", folder->PathOf(kRunLock), lock.error);
    }
  }
}

RunFolder::~RunFolder() {
  try {
    if (!is_kept_)
      WarnUnlessOk(RemoveRunFolder(folder_, path_, names_), calls_);
  } catch (const std::bad_alloc&) {
    calls_.WarnOfMemory(stays_);
  }
  close(lock_);
}

void RunFolder::Keep(std::string_view before) {
  is_kept_ = true;
  calls_.Warn(std::string(before) + "the next run over the set finishes what " +
              path_ + " lists");
}

Status RunFolder::WriteFile(const std::string& name,
                            std::string_view bytes) const {
  auto file = AtomicFile::Create(folder_.PathOf(name), {.overwrite = false});
  if (!file.ok()) return file.status();
  Status status = (*file)->file()->Append(Slice(bytes));
  if (status.ok()) status = (*file)->Commit();
  WarnUnlessOk((*file)->RemoveTemporary(), calls_);
  return status;
}

Status RemoveRunFolder(const OpenFolder& folder, const std::string& path,
                       const SetNames& names) {
  const auto found = folder.Names();
  if (!found.ok()) return found.status();
  std::string foreign;
  for (const std::string& name : *found) {
    if (name == kRunLock || name == kJournal) continue;
    if (!IsOfRun(name, names)) {
      foreign = name;
      continue;
    }
    Status status = folder.Remove(name);
    if (!status.ok()) return status;
  }
  if (!foreign.empty()) {
    return Status::InvalidArgument(path + " is kept: it has " + foreign +
                                   ", which this program did not make");
  }
  for (const char* const name : {kJournal, kRunLock}) {
    Status status = folder.Remove(name);
    if (!status.ok()) return status;
  }
  if (rmdir(path.c_str()) == 0 || errno == ENOENT) return Status();
  return Status::FromErrno("remove", path, errno);
}

}  // namespace ashlar::internal
