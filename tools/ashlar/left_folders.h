// The folders in which table sets are made, and those that killed runs left.
//
// A run that replaces a set puts the tables of before into its folder, as
// replaced-<name>, until the new set is whole. A run that is killed then cannot
// put them back: the next one over the same output must not go on as if
// nothing were missing. Who lives holds a lock on its folder.
#ifndef ASHLAR_TOOLS_ASHLAR_LEFT_FOLDERS_H_
#define ASHLAR_TOOLS_ASHLAR_LEFT_FOLDERS_H_

#include <string>
#include <string_view>
#include <vector>

#include "util/result.h"
#include "util/status.h"

namespace ashlar::tool {

// What the names of tables begin with that were set aside.
inline constexpr std::string_view kReplacedPrefix = "replaced-";

// <stem>.tmp.XXXXXX, for mkdtemp.
std::string FolderPattern(const std::string& stem);

// Holds a folder until it is destroyed or the process ends, however it ends.
class FolderLock {
 public:
  FolderLock() = default;
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock();

  // Waits while another process asks whether it is held.
  void Take(const std::string& folder);

 private:
  int descriptor_ = -1;
};

// The names in a folder, in order. A folder that is not there has none: who
// writes into it tells that. IOError where it cannot be looked into.
Result<std::vector<std::string>> NamesIn(const std::string& folder);

// InvalidArgument where a folder of this stem has tables that were set aside
// by a run that is no more, and how to bring them back; or where it cannot be
// looked into. IOError where the folder that they would be in cannot. Warns of
// folders that a run left without such.
Status CheckLeftFolders(const std::string& stem);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_LEFT_FOLDERS_H_
