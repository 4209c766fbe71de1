// RunFolder: the folder t.tmp.XXXXXX in which a run makes a set of tables.
//
//   t-000001.sst ...   tables that are made, and those that are whole
//   t-manifest.json    the new manifest, until the commit moves it away
//   journal            the tables that the commit concerns (set_journal.h)
//   lock               says that a run of this program made the folder. The run
//                      holds its lock for as long as it lives, however it ends
//
// One thread at a time.
#ifndef ASHLAR_TOOLS_ASHLAR_OUTPUTS_RUN_FOLDER_H_
#define ASHLAR_TOOLS_ASHLAR_OUTPUTS_RUN_FOLDER_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "ashlar/util/result.h"
#include "ashlar/util/status.h"
#include "tools/ashlar/outputs/open_folder.h"
#include "tools/ashlar/outputs/set_names.h"

namespace ashlar::tool {

inline constexpr char kRunLock[] = "lock";
inline constexpr char kJournal[] = "journal";

class RunFolder {
 public:
  static Result<std::unique_ptr<RunFolder>> Create(const SetNames& names);
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;
  // Removes the folder unless it is held or kept; warns of what cannot be
  // removed. Without the memory for that it stays, and the next run names it.
  ~RunFolder();

  const OpenFolder& folder() const { return folder_; }
  std::string path() const { return path_; }
  // From now on the folder stays, however the run ends, until Release: its
  // journal lists tables that have been named.
  void Hold() { is_kept_ = true; }
  // The journal is done with.
  void Release() { is_kept_ = false; }
  // The journal in it is for the next run. Warns of that, after what `before`
  // says.
  void Keep(std::string_view before);

 private:
  RunFolder(SetNames names, std::string path, OpenFolder folder, int lock)
      : names_(std::move(names)),
        path_(std::move(path)),
        folder_(std::move(folder)),
        lock_(lock) {}

  const SetNames names_;
  const std::string path_;
  const OpenFolder folder_;
  const int lock_;
  bool is_kept_ = false;
};

// Removes a folder of a run: its files, the journal after them, the lock after
// that, and the folder last, so that a run that is killed meanwhile leaves a
// folder that the next one recognises. What no run puts there stays, and makes
// this an error that names it.
Status RemoveRunFolder(const OpenFolder& folder, const std::string& path,
                       const SetNames& names);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_OUTPUTS_RUN_FOLDER_H_
