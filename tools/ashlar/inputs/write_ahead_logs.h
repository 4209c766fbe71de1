// Counts the write-ahead logs of a database, which are not read.
#ifndef ASHLAR_TOOLS_ASHLAR_INPUTS_WRITE_AHEAD_LOGS_H_
#define ASHLAR_TOOLS_ASHLAR_INPUTS_WRITE_AHEAD_LOGS_H_

#include <cstdint>
#include <string>

#include "ashlar/util/result.h"

namespace ashlar::tool {

// Returns how many logs in the folder are not empty and have this number or a
// larger one: they may have entries that no table has.
Result<uint64_t> CountWriteAheadLogs(const std::string& folder,
                                     uint64_t from_number);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_INPUTS_WRITE_AHEAD_LOGS_H_
