// RunFolder: the folder t.tmp.XXXXXX in which a run makes a set of tables.
//
//   t-000001.sst ...   the tables, and temporary files of unfinished ones
//   t-manifest.json    the new manifest, until the commit moves it away
//   journal            the tables of the commit (set_journal.h)
//   lock               shows that a run made the folder. The
//                      run holds a lock on it until it ends, in whatever way
//
// For one thread at a time.
#ifndef ASHLAR_TABLE_SET_RUN_FOLDER_H_
#define ASHLAR_TABLE_SET_RUN_FOLDER_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "ashlar/util/result.h"
#include "ashlar/util/status.h"
#include "table/set/open_folder.h"
#include "table/set/set_calls.h"
#include "table/set/set_names.h"

namespace ashlar::internal {

inline constexpr char kRunLock[] = "lock";
inline constexpr char kJournal[] = "journal";

class RunFolder {
 public:
  static Result<std::unique_ptr<RunFolder>> Create(const SetNames& names,
                                                   SetCalls calls);
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;
  // Removes the folder unless Hold or Keep forbids it. Warns of files that
  // cannot be removed. If there is no memory to remove it, the folder stays,
  // and the next run reports it.
  ~RunFolder();

  const OpenFolder& folder() const { return folder_; }
  std::string path() const { return path_; }
  const SetCalls& calls() const { return calls_; }
  // Creates a file in the folder, and syncs it and the folder.
  Status WriteFile(const std::string& name, std::string_view bytes) const;
  // Makes the folder stay until Release, however the run ends. To be called
  // before the first table in the journal gets its name in the set's folder.
  void Hold() { is_kept_ = true; }
  // Allows the folder to be removed again: all that its journal lists was
  // completed or undone.
  void Release() { is_kept_ = false; }
  // Makes the folder stay, so that the next run finishes what its journal
  // lists. The warning that says so begins with `before`.
  void Keep(std::string_view before);

 private:
  RunFolder(SetNames names, SetCalls calls, std::string path, OpenFolder folder,
            int lock)
      : names_(std::move(names)),
        calls_(std::move(calls)),
        path_(std::move(path)),
        stays_(path_ + " stays, for lack of memory; the next run reports it"),
        folder_(std::move(folder)),
        lock_(lock) {}

  const SetNames names_;
  const SetCalls calls_;
  const std::string path_;
  const std::string stays_;  // a warning that needs no memory any more
  const OpenFolder folder_;
  const int lock_;
  bool is_kept_ = false;
};

// Removes a run folder: first its files, then the journal, then the lock, and
// last the folder. If the process is killed meanwhile, the next run still
// recognises the folder. Files that no run makes stay there; this then returns
// an error that names one of them.
Status RemoveRunFolder(const OpenFolder& folder, const std::string& path,
                       const SetNames& names);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_SET_RUN_FOLDER_H_
