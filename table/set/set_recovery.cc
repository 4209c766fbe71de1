#include "table/set/set_recovery.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <vector>

#include "table/set/open_folder.h"
#include "table/set/run_folder.h"
#include "table/set/set_commit.h"
#include "table/set/set_manifest.h"

namespace ashlar::internal {
namespace {

std::string ErrorText(int error) {
  return std::generic_category().message(error);
}

// An open file and its lock.
class Locked {
 public:
  // Opens the file for writing too, since some file systems allow LOCK_EX only
  // then.
  Locked(const OpenFolder& folder, const std::string& name) {
    do {
      descriptor_ = openat(folder.descriptor(), name.c_str(),
                           O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    } while (descriptor_ < 0 && errno == EINTR);
    error_ = descriptor_ < 0 ? errno : 0;
  }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;
  ~Locked() {
    if (descriptor_ >= 0) close(descriptor_);
  }

  // 0, or the errno of the open.
  int error() const { return error_; }
  // Takes the lock without waiting. Returns 0, EWOULDBLOCK if another process
  // has the lock, or another errno.
  int Take(int operation) { return TryLock(descriptor_, operation); }
  // Returns 0 if the file is empty and regular, as all lock files of this
  // program are. Returns ENOENT if it is anything else, or another errno.
  int CheckIsEmpty() const {
    struct stat info;
    if (fstat(descriptor_, &info) != 0) return errno;
    return S_ISREG(info.st_mode) && info.st_size == 0 ? 0 : ENOENT;
  }
  // Returns 0 if the file still has this name, ENOENT if it has not, or another
  // errno.
  int CheckName(const OpenFolder& folder, const std::string& name) const {
    struct stat file;
    struct stat named;
    if (fstat(descriptor_, &file) != 0 ||
        fstatat(folder.descriptor(), name.c_str(), &named,
                AT_SYMLINK_NOFOLLOW) != 0) {
      return errno;
    }
    return file.st_ino == named.st_ino ? 0 : ENOENT;
  }

 private:
  int descriptor_ = -1;
  int error_ = 0;
};

class Recovery {
 public:
  Recovery(const SetNames& names, const OpenFolder& folder, bool clean,
           const SetCalls& calls, std::vector<std::string>* leftovers)
      : names_(names),
        folder_(folder),
        clean_(clean),
        calls_(calls),
        leftovers_(leftovers) {}

  Status Run() {
    const auto found = folder_.Names();
    if (!found.ok()) return found.status();
    for (const std::string& name : *found) {
      if (names_.IsRunFolder(name)) LookInto(name);
      if (name == names_.Lock()) RemoveCommitLock();
    }
    return Status();
  }

 private:
  void LookInto(const std::string& name) {
    const std::string path = names_.parent() + name;
    const auto left = OpenFolder::Open(path, /*follow=*/false);
    if (!left.ok()) {
      if (!IsFolder(name)) return;
      calls_.Warn(std::string(left.status().message()) +
                  ": it may be left over from an earlier run");
      return;
    }
    Locked lock(*left, kRunLock);
    if (lock.error() == ENOENT) {
      LookIntoUnmarked(*left, path);
    } else if (lock.error() != 0) {
      WarnUnknown(path, lock.error());
    } else {
      LookIntoMarked(*left, path, &lock);
    }
  }

  bool IsFolder(const std::string& name) const {
    struct stat info;
    return fstatat(folder_.descriptor(), name.c_str(), &info,
                   AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISDIR(info.st_mode);
  }

  void WarnUnknown(const std::string& path, int error) const {
    calls_.Warn(path +
                " may be left over from an earlier run; whether that run is "
                "still active is unknown (" +
                ErrorText(error) + ")");
  }

  // For a folder without a lock file. A run folder has none only when it was
  // just made or is about to be removed, and is then empty. If there is
  // anything in it, no run made the folder.
  //
  // The run that just made the folder may still be alive. If the folder is
  // removed before that run makes its lock, the run makes a folder of another
  // name. If the run makes its lock first, rmdir fails and the folder stays.
  void LookIntoUnmarked(const OpenFolder& left, const std::string& path) const {
    const auto names = left.Names();
    if (!names.ok()) {
      calls_.Warn(std::string(names.status().message()) +
                  ": it may be left over from an earlier run");
    } else if (!names->empty()) {
      return;
    } else if (!clean_) {
      AddNotNeeded(path);
    } else if (rmdir(path.c_str()) == 0) {
      calls_.Warn(RemovedText(path));
    } else if (errno != ENOENT && errno != ENOTEMPTY && errno != EEXIST) {
      calls_.Warn(Status::FromErrno("remove", path, errno).message());
    }
  }

  void AddNotNeeded(const std::string& path) const {
    if (leftovers_ != nullptr) leftovers_->push_back(path);
  }

  static std::string RemovedText(const std::string& path) {
    return "removed " + path + ", left over from an earlier run";
  }

  void LookIntoMarked(const OpenFolder& left, const std::string& path,
                      Locked* lock) {
    // Takes a shared lock first, so that two runs that look at the same time do
    // not take each other for the run that made the folder.
    int error = lock->CheckIsEmpty();
    if (error == 0) error = lock->Take(LOCK_SH);
    if (error == EWOULDBLOCK || error == ENOENT) return;
    if (error != 0) {
      WarnUnknown(path, error);
      return;
    }
    const auto journal = ReadJournal(names_, left);
    if (!journal.ok()) {
      calls_.Warn(path + " and the files that it lists are kept: " +
                  std::string(journal.status().message()));
      return;
    }
    if (!*journal && !clean_) {
      NameOrRemove(left, path);
      return;
    }
    error = lock->Take(LOCK_EX);
    if (error == 0) error = lock->CheckName(left, kRunLock);
    // Another run has recovered it first, or is doing so.
    if (error == EWOULDBLOCK || error == ENOENT) return;
    if (error != 0) {
      WarnUnknown(path, error);
    } else if (*journal) {
      Finish(**journal, left, path);
    } else {
      NameOrRemove(left, path);
    }
  }

  void NameOrRemove(const OpenFolder& left, const std::string& path) {
    if (clean_) {
      Remove(left, path, RemovedText(path));
    } else {
      AddNotNeeded(path);
    }
  }

  void Remove(const OpenFolder& left, const std::string& path,
              const std::string& done) {
    const Status status = RemoveRunFolder(left, path, names_);
    calls_.Warn(status.ok() ? done : std::string(status.message()));
  }

  // Removes the tables of the journal that the present manifest does not list:
  // they belong to no set. Then removes the run folder.
  void Finish(const SetJournal& journal, const OpenFolder& left,
              const std::string& path) {
    const SetManifest manifest = ReadManifest(folder_, names_);
    std::vector<MarkedTable> unneeded;
    for (const auto* const list : {&journal.made, &journal.replaced}) {
      for (const MarkedTable& table : *list) {
        if (!manifest.tables.contains(table.name)) unneeded.push_back(table);
      }
    }
    const Status status = CheckManifest(manifest, journal, left, unneeded);
    if (!status.ok()) {
      calls_.Warn(path + " and the files that it lists are kept: " +
                  std::string(status.message()));
      return;
    }
    std::vector<std::string> removed;
    // The rename of the manifest may not be on disk yet. A crash must not bring
    // back a manifest whose tables were removed.
    Status durable;
    if (!unneeded.empty()) durable = folder_.Sync();
    if (!durable.ok()) calls_.Warn(durable.message());
    bool all =
        durable.ok() && RemoveMarked(folder_, unneeded, calls_, &removed);
    if (all && !removed.empty()) {
      const Status synced = folder_.Sync();
      all = synced.ok();
      if (!all) calls_.Warn(synced.message());
    }
    const std::string tables =
        removed.empty() ? "" : ": removed " + NamesText(removed);
    if (!all) {
      calls_.Warn(path + ": what an earlier run left is not finished yet" +
                  tables);
      return;
    }
    Remove(left, path, path + ": finished what an earlier run left" + tables);
  }

  // Returns ok if a table that the manifest does not list may be removed.
  Status CheckManifest(const SetManifest& manifest, const SetJournal& journal,
                       const OpenFolder& left,
                       const std::vector<MarkedTable>& unneeded) const {
    if (manifest.state == SetManifest::State::kRead) return Status();
    if (manifest.state == SetManifest::State::kUnreadable) return manifest.why;
    // No set existed before the run, and its manifest is still in the run
    // folder, so it had not committed.
    if (journal.replaced.empty() && left.MarkOf(names_.Manifest()).ok() &&
        left.MarkOf(names_.Manifest()).value()) {
      return Status();
    }
    for (const MarkedTable& table : unneeded) {
      const auto mark = folder_.MarkOf(table.name);
      if (!mark.ok()) return mark.status();
      if (*mark == table.mark) {
        return Status::InvalidArgument(
            folder_.PathOf(names_.Manifest()) + " is gone, and " +
            folder_.PathOf(table.name) + " may be a table of its set");
      }
    }
    return Status();
  }

  // Removes the commit lock, an empty file, if a run that was killed left it.
  void RemoveCommitLock() {
    const std::string name = names_.Lock();
    Locked lock(folder_, name);
    int error = lock.error();
    if (error == 0) error = lock.CheckIsEmpty();
    if (error == 0) error = lock.Take(LOCK_EX);
    if (error == 0) error = lock.CheckName(folder_, name);
    if (error == EWOULDBLOCK || error == ENOENT) return;
    if (error != 0) {
      WarnUnknown(folder_.PathOf(name), error);
      return;
    }
    const Status status = folder_.Remove(name);
    if (!status.ok()) calls_.Warn(status.message());
  }

  const SetNames& names_;
  const OpenFolder& folder_;
  const bool clean_;
  const SetCalls& calls_;
  std::vector<std::string>* const leftovers_;  // may be null
};

}  // namespace

Status RecoverSet(const SetNames& names, bool clean, const SetCalls& calls,
                  std::vector<std::string>* leftovers) {
  const auto folder = OpenFolder::Open(names.parent(), /*follow=*/true);
  if (!folder.ok()) {
    // If there is no such folder, the run reports that itself later.
    struct stat info;
    const bool is_there =
        names.parent().empty() ||
        (stat(names.parent().c_str(), &info) == 0 && S_ISDIR(info.st_mode));
    return is_there ? folder.status() : Status();
  }
  return Recovery(names, *folder, clean, calls, leftovers).Run();
}

}  // namespace ashlar::internal
