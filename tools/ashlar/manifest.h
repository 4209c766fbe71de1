// The list of the tables of a set.
#ifndef ASHLAR_TOOLS_ASHLAR_MANIFEST_H_
#define ASHLAR_TOOLS_ASHLAR_MANIFEST_H_

#include <string>
#include <vector>

#include "tools/ashlar/print_json.h"
#include "tools/ashlar/table_output.h"
#include "util/status.h"

namespace ashlar::tool {

// As one value, with names that lead there from the folder they are all in.
void WriteTableList(const std::vector<MadeTable>& tables, JsonWriter* json);

// Makes the file `path`, and sees to it that the names in its folder survive a
// crash.
Status WriteManifest(bool overwrite, const std::vector<MadeTable>& tables,
                     const std::string& path);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_MANIFEST_H_
