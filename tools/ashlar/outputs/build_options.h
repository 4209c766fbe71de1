// What the flags ask for of new tables, checked as far as they can be without
// rows.
#ifndef ASHLAR_TOOLS_ASHLAR_OUTPUTS_BUILD_OPTIONS_H_
#define ASHLAR_TOOLS_ASHLAR_OUTPUTS_BUILD_OPTIONS_H_

#include <cstdint>
#include <string>

#include "tools/ashlar/flags/flags.h"
#include "tools/ashlar/outputs/table_sink.h"

namespace ashlar::tool {

// Whether options that flags do not give are those of an input (KeepOptions):
// then flags that need others may do without.
enum class Unnamed : uint8_t { kAreDefaults, kAreKept };

// What is wrong with the flags; empty when nothing is. Flags that are not given
// have the library's defaults.
std::string TableOptionsFromFlags(const CommandLine& line, TableOptions* table,
                                  Unnamed unnamed = Unnamed::kAreDefaults);

// The same, of a file to make. `external` is left to
// the caller: it may depend on the rows.
std::string SinkOptionsFromFlags(const CommandLine& line, SinkOptions* options,
                                 Unnamed unnamed = Unnamed::kAreDefaults);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_OUTPUTS_BUILD_OPTIONS_H_
