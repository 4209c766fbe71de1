// The version of the library, and what it uses on this machine.
//
// For users, `ashlar --version` and bug reports. Thread-safe. Not the format
// version of a table.

#ifndef ASHLAR_UTIL_VERSION_H_
#define ASHLAR_UTIL_VERSION_H_

#include <string>
#include <string_view>

#include "ashlar/util/compression.h"
#include "ashlar/util/export.h"

namespace ashlar {

// Returns "major.minor.patch", as in CMakeLists.txt. The text lives forever.
ASHLAR_EXPORT std::string_view LibraryVersion();

// Returns the version of the library that compresses this type. Empty if no
// library does, or if it is not built in. May throw std::bad_alloc.
ASHLAR_EXPORT std::string CompressionLibraryVersion(CompressionType type);

// What was chosen on this machine. The names live forever.
struct LibraryFeatures {
  std::string_view crc32c;  // "sse4.2", "armv8" or "portable"
  std::string_view xxh3;    // "avx512", "avx2", "sse2", "neon" or "portable"
  bool io_uring = false;    // built in, and the kernel allows it
};
// Returns what was chosen. Tries to open an io_uring to find out, so it makes
// system calls. May throw std::bad_alloc.
ASHLAR_EXPORT LibraryFeatures FindLibraryFeatures();

}  // namespace ashlar

#endif  // ASHLAR_UTIL_VERSION_H_
