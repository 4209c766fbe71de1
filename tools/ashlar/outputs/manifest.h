// The manifest of a set: its list of tables. A run writes one, and reads the
// old one to learn which tables it replaces.
#ifndef ASHLAR_TOOLS_ASHLAR_OUTPUTS_MANIFEST_H_
#define ASHLAR_TOOLS_ASHLAR_OUTPUTS_MANIFEST_H_

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "ashlar/util/status.h"
#include "tools/ashlar/outputs/open_folder.h"
#include "tools/ashlar/outputs/set_names.h"
#include "tools/ashlar/outputs/table_output.h"
#include "tools/ashlar/print/print_json.h"

namespace ashlar::tool {

// Writes the list as a member of the current JSON object. Paths are relative to
// the folder that holds all the tables.
void WriteTableList(std::string_view name, const std::vector<MadeTable>& tables,
                    JsonWriter* json);

// Creates the file `path`, and syncs it and its folder.
Status WriteManifest(const std::vector<MadeTable>& tables,
                     const std::string& path);

// What the manifest in the set's folder says.
struct SetManifest {
  enum class State : uint8_t { kAbsent, kRead, kUnreadable };
  State state = State::kAbsent;
  Status why;                    // the reason, if kUnreadable
  std::set<std::string> tables;  // without the folder
};
// Reads the manifest. A file that is not a manifest of this set, as this
// program writes it, is kUnreadable: no table is removed because such a file
// does not list it.
SetManifest ReadManifest(const OpenFolder& folder, const SetNames& names);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_OUTPUTS_MANIFEST_H_
