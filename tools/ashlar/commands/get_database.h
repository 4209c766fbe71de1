// get, from a folder that is a database.
#ifndef ASHLAR_TOOLS_ASHLAR_COMMANDS_GET_DATABASE_H_
#define ASHLAR_TOOLS_ASHLAR_COMMANDS_GET_DATABASE_H_

#include <cstdint>
#include <span>
#include <string>

#include "tools/ashlar/inputs/key_range.h"
#include "tools/ashlar/print/report.h"

namespace ashlar::tool {

// Looks up those of the keys that are in the range, or without keys all that
// have an entry in the range, in the tables of one column family: at most
// `most`. Shows for each what a reader at --snapshot sees, and which tables
// have entries of the key. Opens only tables whose bounds have one of the keys,
// or meet the range. Faults go to the report. Returns how many keys it showed.
uint64_t GetFromDatabase(const std::string& folder,
                         std::span<const std::string> keys,
                         const KeyRange& range, uint64_t most, Report* report);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_COMMANDS_GET_DATABASE_H_
