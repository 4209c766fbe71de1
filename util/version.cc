// The version number, handed down by the build.

#include "util/version.h"

namespace ashlar {

std::string_view LibraryVersion() { return ASHLAR_VERSION; }

}  // namespace ashlar
