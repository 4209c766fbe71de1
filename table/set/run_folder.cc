#include "table/set/run_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <new>
#include <optional>
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

void WarnUnlessOk(const Status& status, const SetCalls& calls) {
  if (!status.ok()) calls.Warn(status.message());
}

}  // namespace

Result<std::unique_ptr<RunFolder>> RunFolder::Create(const SetNames& names,
                                                     SetCalls calls) {
  constexpr int kTries = 8;
  const std::string pattern = names.parent() + names.RunFolderPattern();
  for (int i = 0;; ++i) {
    std::string path = pattern;
    if (mkdtemp(path.data()) == nullptr) {
      return Status::FromErrno("make the folder", pattern, errno);
    }
    auto folder = OpenFolder::Open(path, /*follow=*/false);
    if (!folder.ok()) {
      if (rmdir(path.c_str()) != 0 && errno != ENOENT) {
        WarnUnlessOk(Status::FromErrno("remove", path, errno), calls);
      }
      return folder.status();
    }
    const NewLock lock = MakeLock(*folder);
    if (lock.error == 0) {
      return std::unique_ptr<RunFolder>(
          new RunFolder(names, std::move(calls), path,
                        std::move(folder).value(), lock.descriptor));
    }
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
    calls_.WarnOfMemory(
        "no memory to remove the folder of a run; the next run reports it");
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
