// What the flags of `build` ask for, checked as far as they can be without
// rows.
#ifndef ASHLAR_TOOLS_ASHLAR_BUILD_OPTIONS_H_
#define ASHLAR_TOOLS_ASHLAR_BUILD_OPTIONS_H_

#include <string>

#include "tools/ashlar/flags.h"
#include "tools/ashlar/table_sink.h"

namespace ashlar::tool {

// What is wrong with the flags; empty when nothing is. `external` is left to
// the caller: it may depend on the rows.
std::string SinkOptionsFromFlags(const CommandLine& line, SinkOptions* options);

// Warns on standard error of what was asked for and makes no difference.
void WarnOfIdleFlags(const CommandLine& line, const TableOptions& table);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_BUILD_OPTIONS_H_
