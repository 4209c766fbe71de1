// The list of the tables of a set: written, and read to learn what a run
// replaces.
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

// As one value, with names that lead there from the folder they are all in.
void WriteTableList(const std::vector<MadeTable>& tables, JsonWriter* json);

// Makes the file `path`, and syncs it and its folder.
Status WriteManifest(const std::vector<MadeTable>& tables,
                     const std::string& path);

// What the manifest in place says.
struct SetManifest {
  enum class State : uint8_t { kAbsent, kRead, kUnreadable };
  State state = State::kAbsent;
  Status why;                    // unreadable
  std::set<std::string> tables;  // without the folder
};
// Anything but a manifest of this set, as this program writes it, is
// unreadable: nothing is removed on its word.
SetManifest ReadManifest(const OpenFolder& folder, const SetNames& names);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_OUTPUTS_MANIFEST_H_
