// The version of the library that the program runs with. For users and for
// `ashlar --version`. Thread-safe. Not the format version of a table.

#ifndef ASHLAR_UTIL_VERSION_H_
#define ASHLAR_UTIL_VERSION_H_

#include <string_view>

#include "util/export.h"

namespace ashlar {

// "major.minor.patch", as in CMakeLists.txt. Lives for ever.
ASHLAR_EXPORT std::string_view LibraryVersion();

}  // namespace ashlar

#endif  // ASHLAR_UTIL_VERSION_H_
