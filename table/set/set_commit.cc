// The protocol by which a set of tables appears, or replaces an older set.
//
// Words. A run is one TableSet (table/table_set.h), in some process. The set's
// folder is that of TableSetOptions::path. The run folder is t.tmp.XXXXXX in it
// (run_folder.h). The manifest is t-manifest.json in the set's folder.
//
// What a reader sees. The manifest defines the set: a table belongs to the set
// if the manifest lists it. At every moment the manifest is absent, the old one
// or the new one, and every table that it lists is complete. A reader that has
// read the old manifest and then finds a table missing reads the manifest
// again.
//
// The steps. If a run ends before step 7, by an error or a crash, its steps are
// undone. If it ends after step 7, they are completed. A run that met an error
// does this itself; after a crash, the next run does it.
//
//    1  The run makes the run folder and takes the lock in it, which it holds
//       until it ends. It writes and syncs each table there, and names them
//       t-000001.sst, t-000002.sst and so on within the run folder.
//    2  The run takes the commit lock, t.tmp.lock. Runs that commit the same
//       set therefore do so one after the other, so that each knows which
//       tables it replaces.
//    3  The run reads the present manifest, and the names in the set's folder.
//       Without `overwrite` it ends here if there is a manifest or a table. It
//       gives the new tables numbers above the largest number in use, so that
//       the contents under a name of a table never change.
//    4  The run writes the new manifest, and then the journal, into the run
//       folder. It syncs both files, the run folder and the set's folder. The
//       journal lists the new tables and the tables that they replace, each
//       with inode, size and time.
//    5  The run renames each new table to its new name in the set's folder.
//       Such a rename never replaces a file.
//    6  The run syncs the set's folder. From now on all tables of the new set,
//       like those of the old one, survive a crash of the machine.
//    7  The commit: the run renames the new manifest over the old one.
//    8  The run syncs the set's folder. From now on no crash brings the old
//       manifest back. If the sync fails, the run removes nothing, since the
//       old manifest may come back.
//    9  The run removes the old tables, and syncs the set's folder.
//   10  The run removes t.tmp.lock. Then it removes the journal, the lock of
//       the run folder and the run folder, in this order.
//
// Which files exist.
//
//   before step 5   the old set, the run folder
//   steps 5 to 7    the old set, the run folder with the journal, and new
//                   tables that no manifest lists
//   steps 7 to 9    the new set, the run folder with the journal, and old
//                   tables that no manifest lists
//   after step 10   the new set
//
// Errors. After an error before step 7, the run removes the new tables and the
// run folder; it has not touched the manifest. After an error in step 8, the
// run reports it, and leaves the journal. An error in step 9 or 10 causes a
// warning that names the files that stay. The run then still succeeds, because
// the new set is complete. If old tables could not be removed, the journal
// stays too. Lack of memory after step 8 is such an error.
//
// Recovery. The next run (set_recovery.h) looks for a run folder that has a
// journal and whose lock no process holds. It need not know whether the dead
// run had committed: a table that the journal lists and the present manifest
// does not list belongs to no set, and is removed. So the recovery may fail or
// be killed at any point, and a later run repeats it. Two things are never
// removed: a table that the manifest lists, and a file that is not the one that
// the journal recorded. If the manifest cannot be read, or has disappeared,
// nothing is removed.
//
// If a run folder has no journal, its run has named no table in the set's
// folder. Such a folder only wastes disk space. The next run reports it, and
// with remove_leftovers removes it.
//
// A rename that succeeded may still report an error, for instance if a file
// server repeats the call. After an error in step 5 or 7, the run therefore
// checks which file now has the name, and goes by that. If this check fails for
// the manifest, nothing is undone: the journal stays, and the next run decides.
//
// From the first rename of step 5 on, the run folder is held (RunFolder::Hold).
// However the run ends, even for lack of memory, the journal then stays until a
// run has completed or undone what it lists.
#include "table/set/set_commit.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "table/set/open_folder.h"
#include "table/set/set_manifest.h"

namespace ashlar::internal {
namespace {

Status Exists(const std::string& path) {
  return Status::InvalidArgument(path + " exists, and is not to be replaced");
}

// The commit lock t.tmp.lock: an empty file, which exists only while a run
// commits. The run locks it, and removes it while it holds the lock. A run that
// is killed leaves the file unlocked, and the next run takes it.
class CommitLock {
 public:
  static Result<std::unique_ptr<CommitLock>> Take(const OpenFolder& folder,
                                                  const std::string& name,
                                                  const SetCalls& calls) {
    for (;;) {
      std::unique_ptr<CommitLock> lock(new CommitLock(folder, name, calls));
      bool is_gone = false;
      Status status = lock->Open();
      if (status.ok()) status = lock->Wait(&is_gone);
      if (!status.ok()) return status;
      if (!is_gone) return lock;
    }
  }
  CommitLock(const CommitLock&) = delete;
  CommitLock& operator=(const CommitLock&) = delete;
  ~CommitLock() {
    // If there is no memory to remove it, the file stays, and the next run
    // takes it.
    try {
      const Status status = is_taken_ ? folder_.Remove(name_) : Status();
      if (!status.ok()) calls_.Warn(status.message());
    } catch (const std::bad_alloc&) {
      is_taken_ = false;
    }
    if (descriptor_ >= 0) close(descriptor_);
  }

 private:
  CommitLock(const OpenFolder& folder, std::string name, const SetCalls& calls)
      : folder_(folder), name_(std::move(name)), calls_(calls) {}

  Status Open() {
    constexpr mode_t kMode = 0644;
    do {
      descriptor_ =
          openat(folder_.descriptor(), name_.c_str(),
                 O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, kMode);
    } while (descriptor_ < 0 && errno == EINTR);
    if (descriptor_ >= 0) return Status();
    return Status::FromErrno("open", folder_.PathOf(name_), errno);
  }

  // Waits for the lock. Sets *is_gone if the file was removed meanwhile, by the
  // run that held its lock: the caller then opens the name again.
  Status Wait(bool* is_gone) {
    const std::string path = folder_.PathOf(name_);
    struct stat info;
    if (fstat(descriptor_, &info) != 0) {
      return Status::FromErrno("stat", path, errno);
    }
    if (!S_ISREG(info.st_mode) || info.st_size != 0) {
      return Status::InvalidArgument(
          path +
          " is not a lock file of this program, which would be empty; remove "
          "it or choose another path");
    }
    while (flock(descriptor_, LOCK_EX) != 0) {
      if (HasNoLocks(errno)) break;
      if (errno != EINTR) return Status::FromErrno("lock", path, errno);
      if (calls_.IsCancelled()) return Status::Aborted("interrupted");
    }
    const auto mark = folder_.MarkOf(name_);
    if (!mark.ok()) return mark.status();
    *is_gone = !*mark || (*mark)->inode != info.st_ino;
    is_taken_ = !*is_gone;
    return Status();
  }

  const OpenFolder& folder_;
  const std::string name_;
  const SetCalls& calls_;
  int descriptor_ = -1;
  bool is_taken_ = false;
};

class Commit {
 public:
  Commit(const SetNames& names, bool overwrite, const OpenFolder& folder,
         RunFolder* run_folder, const std::vector<std::string>& made_as,
         std::vector<TableSetTable>* tables)
      : names_(names),
        overwrite_(overwrite),
        folder_(folder),
        run_folder_(*run_folder),
        made_as_(made_as),
        tables_(*tables) {}

  // Steps 3 to 9.
  Status Run() {
    Status status = LookAround();
    if (status.ok()) status = Prepare();
    if (status.ok()) status = NameTables();
    if (status.ok()) status = folder_.Sync();
    if (status.ok()) status = NameManifest();
    if (is_undecided_) {
      run_folder_.Keep(
          "it is unknown whether the old set or the new one is in place; " +
          StayText(journal_.made));
      return status;
    }
    if (!status.ok()) {
      Undo();
      return status;
    }
    return Complete();
  }

 private:
  // Step 3.
  Status LookAround() {
    const auto found = folder_.Names();
    if (!found.ok()) return found.status();
    manifest_ = ReadManifest(folder_, names_);
    // If the disk or the memory is at fault, the manifest may well be sound.
    // The run must not replace it without knowing which tables it lists.
    if (manifest_.why.IsIOError() || manifest_.why.IsMemoryLimit()) {
      return manifest_.why;
    }
    Status status = CheckCanBeReplaced(names_.Manifest());
    if (!status.ok()) return status;
    uint64_t largest = 0;
    for (const std::string& name : *found) {
      if (!names_.IsTable(name)) continue;
      if (!overwrite_) return Exists(folder_.PathOf(name));
      largest = std::max(largest, names_.NumberOf(name).value_or(0));
      if (!manifest_.tables.contains(name)) unlisted_.push_back(name);
    }
    for (const std::string& name : manifest_.tables) {
      largest = std::max(largest, names_.NumberOf(name).value_or(0));
    }
    if (!overwrite_ && manifest_.state != SetManifest::State::kAbsent) {
      return Exists(folder_.PathOf(names_.Manifest()));
    }
    if (tables_.size() > SetNames::kLargestNumber - largest) {
      return Status::InvalidArgument(
          folder_.PathOf(names_.Table(largest)) +
          " has a number so large that no numbers are left for new tables");
    }
    for (TableSetTable& table : tables_) {
      table.path = folder_.PathOf(names_.Table(++largest));
    }
    return Status();
  }

  // Refuses a name that belongs to a device or a pipe: a rename would replace
  // it.
  Status CheckCanBeReplaced(const std::string& name) const {
    struct stat info;
    if (fstatat(folder_.descriptor(), name.c_str(), &info,
                AT_SYMLINK_NOFOLLOW) != 0) {
      return errno == ENOENT
                 ? Status()
                 : Status::FromErrno("stat", folder_.PathOf(name), errno);
    }
    if (S_ISREG(info.st_mode) || S_ISLNK(info.st_mode)) return Status();
    return Status::InvalidArgument(
        folder_.PathOf(name) +
        ": is a folder, device or pipe, which is never replaced");
  }

  // Step 4.
  Status Prepare() {
    const OpenFolder& made = run_folder_.folder();
    const std::string manifest = ManifestText(tables_);
    if (manifest.size() > kMostManifestBytes) {
      return Status::InvalidArgument(
          made.PathOf(names_.Manifest()) + ": would have " +
          std::to_string(manifest.size()) + " bytes, more than the " +
          std::to_string(kMostManifestBytes) + " that are read");
    }
    Status status = run_folder_.WriteFile(names_.Manifest(), manifest);
    if (!status.ok()) return status;
    auto mark = made.MarkOf(names_.Manifest());
    if (!mark.ok()) return mark.status();
    manifest_mark_ = mark->value_or(FileMark());
    for (size_t i = 0; i < tables_.size(); ++i) {
      mark = made.MarkOf(made_as_[i]);
      if (!mark.ok()) return mark.status();
      const std::string& path = tables_[i].path;
      journal_.made.push_back(
          {path.substr(path.rfind('/') + 1), mark->value_or(FileMark())});
    }
    for (const std::string& name : manifest_.tables) {
      mark = folder_.MarkOf(name);
      if (!mark.ok()) return mark.status();
      if (*mark) journal_.replaced.push_back({name, **mark});
    }
    not_removed_ = StayText(journal_.replaced) +
                   "the new set is complete, but there is no memory to remove "
                   "the old one; the next run over the set finishes what " +
                   run_folder_.path() + " lists";
    status = WriteJournal(journal_, names_, run_folder_);
    return status.ok() ? folder_.Sync() : status;
  }

  bool HasName(const std::string& name, const FileMark& mark) const {
    const auto found = folder_.MarkOf(name);
    return found.ok() && *found == mark;
  }

  // Step 5.
  Status NameTables() {
    run_folder_.Hold();
    has_named_ = true;
    for (size_t i = 0; i < journal_.made.size(); ++i) {
      const MarkedTable& table = journal_.made[i];
      bool stays = false;
      const int error = RenameToNewName(run_folder_.folder(), made_as_[i],
                                        folder_, table.name, &stays);
      if (error == 0 || HasName(table.name, table.mark)) continue;
      const std::string path = folder_.PathOf(table.name);
      return error == EEXIST ? Exists(path)
                             : Status::FromErrno("rename to", path, error);
    }
    return Status();
  }

  // Step 7.
  Status NameManifest() {
    const std::string name = names_.Manifest();
    const OpenFolder& made = run_folder_.folder();
    int error = 0;
    if (!overwrite_) {
      bool stays = false;
      error = RenameToNewName(made, name, folder_, name, &stays);
    } else if (renameat(made.descriptor(), name.c_str(), folder_.descriptor(),
                        name.c_str()) != 0) {
      error = errno;
    }
    if (error == 0) return Status();
    const auto found = folder_.MarkOf(name);
    if (found.ok() && *found == manifest_mark_) return Status();
    is_undecided_ = !found.ok();
    const std::string path = folder_.PathOf(name);
    return error == EEXIST ? Exists(path)
                           : Status::FromErrno("rename to", path, error);
  }

  // Steps 8 and 9. The new set is in place, so lack of memory is no error of
  // the run any more. The folder of the run is held until the old tables are
  // removed.
  Status Complete() {
    try {
      Status status = folder_.Sync();
      if (!status.ok()) {
        run_folder_.Keep(StayText(journal_.replaced));
        return Status::IOError(
            "the new set is in place, but may not survive a crash of the "
            "machine: " +
                std::string(status.message()),
            status.subcode());
      }
      is_synced_ = true;
      RemoveReplaced();
    } catch (const std::bad_alloc&) {
      if (!is_synced_) return std::move(not_synced_);
      run_folder_.calls().WarnOfMemory(not_removed_);
    }
    return Status();
  }

  void Undo() {
    if (!has_named_) return;
    std::vector<std::string> removed;
    if (RemoveAndSync(journal_.made, &removed)) {
      run_folder_.Release();
      return;
    }
    run_folder_.Keep("tables of the unfinished set are left; ");
  }

  // Step 9.
  void RemoveReplaced() {
    if (manifest_.state == SetManifest::State::kUnreadable) {
      run_folder_.calls().Warn("no table of the old set was removed: " +
                               std::string(manifest_.why.message()));
    }
    if (!unlisted_.empty()) {
      run_folder_.calls().Warn(NamesText(WithParent(unlisted_)) +
                               (unlisted_.size() == 1
                                    ? " is kept: no manifest lists it"
                                    : " are kept: no manifest lists them"));
    }
    std::vector<std::string> removed;
    if (journal_.replaced.empty() ||
        RemoveAndSync(journal_.replaced, &removed)) {
      run_folder_.Release();
      return;
    }
    run_folder_.Keep(
        "the new set is complete, but tables of the old set are left; ");
  }

  bool RemoveAndSync(const std::vector<MarkedTable>& tables,
                     std::vector<std::string>* removed) {
    if (!RemoveMarked(folder_, tables, run_folder_.calls(), removed)) {
      return false;
    }
    const Status status = folder_.Sync();
    if (!status.ok()) run_folder_.calls().Warn(status.message());
    return status.ok();
  }

  std::string StayText(const std::vector<MarkedTable>& tables) const {
    if (tables.empty()) return {};
    std::vector<std::string> paths;
    paths.reserve(tables.size());
    for (const MarkedTable& table : tables) {
      paths.push_back(folder_.PathOf(table.name));
    }
    return NamesText(paths) + " are left; ";
  }

  std::vector<std::string> WithParent(std::vector<std::string> list) const {
    for (std::string& name : list) name = folder_.PathOf(name);
    return list;
  }

  const SetNames& names_;
  const bool overwrite_;
  const OpenFolder& folder_;
  RunFolder& run_folder_;
  const std::vector<std::string>& made_as_;
  std::vector<TableSetTable>& tables_;
  SetManifest manifest_;               // the present one
  std::vector<std::string> unlisted_;  // tables that manifest_ does not list
  FileMark manifest_mark_;             // of the new manifest
  SetJournal journal_;
  // What errors of steps 8 and 9 say without memory. They are made before.
  Status not_synced_ = Status::IOError(
      "the new set is in place, but may not survive a crash of the machine");
  std::string not_removed_;
  bool is_synced_ = false;  // step 8 was done
  bool has_named_ = false;
  bool is_undecided_ = false;  // unknown whether step 7 was done
};

}  // namespace

Status CommitSet(const SetNames& names, bool overwrite, RunFolder* run_folder,
                 const std::vector<std::string>& made_as,
                 std::vector<TableSetTable>* tables) {
  const auto folder = OpenFolder::Open(names.parent(), /*follow=*/true);
  if (!folder.ok()) return folder.status();
  const auto lock =
      CommitLock::Take(*folder, names.Lock(), run_folder->calls());
  if (!lock.ok()) return lock.status();
  return Commit(names, overwrite, *folder, run_folder, made_as, tables).Run();
}

bool RemoveMarked(const OpenFolder& folder,
                  const std::vector<MarkedTable>& tables, const SetCalls& calls,
                  std::vector<std::string>* removed) {
  bool all = true;
  for (const MarkedTable& table : tables) {
    const auto mark = folder.MarkOf(table.name);
    const std::string path = folder.PathOf(table.name);
    Status status = mark.status();
    if (mark.ok()) {
      if (!*mark) continue;
      if (**mark != table.mark) {
        calls.Warn(path +
                   " is kept: it is not the file that the run made there");
        continue;
      }
      status = folder.Remove(table.name);
    }
    if (status.ok()) {
      removed->push_back(path);
    } else {
      all = false;
      calls.Warn(status.message());
    }
  }
  return all;
}

std::string NamesText(const std::vector<std::string>& names) {
  constexpr size_t kFew = 4;
  if (names.size() > kFew) {
    return std::to_string(names.size()) + " files from " + names.front() +
           " to " + names.back();
  }
  std::string text;
  for (const std::string& name : names) {
    text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

}  // namespace ashlar::internal
