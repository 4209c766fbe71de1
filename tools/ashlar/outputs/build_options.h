// Turns flags into the options of new tables, and checks them as far as that is
// possible without rows.
#ifndef ASHLAR_TOOLS_ASHLAR_OUTPUTS_BUILD_OPTIONS_H_
#define ASHLAR_TOOLS_ASHLAR_OUTPUTS_BUILD_OPTIONS_H_

#include <cstdint>
#include <string>

#include "tools/ashlar/flags/flags.h"
#include "tools/ashlar/outputs/table_sink.h"

namespace ashlar::tool {

// Where options come from that no flag gives: the defaults, or an input
// (KeepOptions). In the second case, a flag may be given without the flags that
// it needs otherwise.
enum class Unnamed : uint8_t { kAreDefaults, kAreKept };

// Sets *table from the flags. Options without a flag get the library's
// defaults. Returns what is wrong with the flags, or an empty string.
std::string TableOptionsFromFlags(const CommandLine& line, TableOptions* table,
                                  Unnamed unnamed = Unnamed::kAreDefaults);

// Does the same for all options of an output. Does not set `external`, which
// may depend on the rows: the caller sets it.
std::string SinkOptionsFromFlags(const CommandLine& line, SinkOptions* options,
                                 Unnamed unnamed = Unnamed::kAreDefaults);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_OUTPUTS_BUILD_OPTIONS_H_
