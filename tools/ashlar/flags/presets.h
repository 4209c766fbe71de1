// --preset: several flags of new files at once, by what they are for.
#ifndef ASHLAR_TOOLS_ASHLAR_FLAGS_PRESETS_H_
#define ASHLAR_TOOLS_ASHLAR_FLAGS_PRESETS_H_

#include "tools/ashlar/flags/flags.h"

namespace ashlar::tool {

// Sets the flags of the chosen preset as if the line had them, but for those
// that it has. If it has another codec than the preset's, only those that do
// not depend on a codec. Requires: --preset has one of its values.
void ApplyPreset(CommandLine* line);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_FLAGS_PRESETS_H_
