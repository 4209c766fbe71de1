// Counts the write-ahead logs of a database, which are not read.
#ifndef ASHLAR_TOOLS_ASHLAR_INPUTS_WRITE_AHEAD_LOGS_H_
#define ASHLAR_TOOLS_ASHLAR_INPUTS_WRITE_AHEAD_LOGS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "ashlar/util/result.h"

namespace ashlar::tool {

// Returns how many logs in the folder are not empty and have this number or a
// larger one: they may have entries that no table has.
Result<uint64_t> CountWriteAheadLogs(const std::string& folder,
                                     uint64_t from_number);

// Returns the folder of the logs, if the newest OPTIONS file of the database
// names one other than the folder of the database. A path that is not absolute
// is relative to where the writer ran. Errors are those of reading the files.
Result<std::optional<std::string>> FindLogFolder(const std::string& folder);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_INPUTS_WRITE_AHEAD_LOGS_H_
