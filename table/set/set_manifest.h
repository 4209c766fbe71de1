// The manifest of a set: its list of tables. A run writes one, and reads the
// old one to learn which tables it replaces. table/table_set.h says what it
// lists; JSON, with each table as an object.
//
// The functions are thread-safe.
#ifndef ASHLAR_TABLE_SET_SET_MANIFEST_H_
#define ASHLAR_TABLE_SET_SET_MANIFEST_H_

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "ashlar/table/table_set.h"
#include "ashlar/util/status.h"
#include "table/set/open_folder.h"
#include "table/set/set_names.h"

namespace ashlar::internal {

// The largest manifest that is read, in bytes: enough for about a million
// tables.
inline constexpr size_t kMostManifestBytes = size_t{1} << 28;

// Returns the text of the manifest. Paths in it are relative to the folder that
// holds all the tables.
std::string ManifestText(const std::vector<TableSetTable>& tables);

// What the manifest in the set's folder says.
struct SetManifest {
  enum class State : uint8_t { kAbsent, kRead, kUnreadable };
  State state = State::kAbsent;
  Status why;                         // the reason, if kUnreadable
  std::vector<TableSetTable> listed;  // paths are without the folder
  std::set<std::string> tables;       // their names
};
// Reads the manifest. A file that is not a manifest of this set, as this
// library writes it, is kUnreadable: no table is removed because such a file
// does not list it.
SetManifest ReadManifest(const OpenFolder& folder, const SetNames& names);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_SET_SET_MANIFEST_H_
