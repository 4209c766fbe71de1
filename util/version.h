// What the library is that the program runs with: its version, and what it
// works with here. For users, `ashlar --version` and reports of faults.
// Thread-safe. Not the format version of a table.

#ifndef ASHLAR_UTIL_VERSION_H_
#define ASHLAR_UTIL_VERSION_H_

#include <string>
#include <string_view>

#include "ashlar/util/compression.h"
#include "ashlar/util/export.h"

namespace ashlar {

// "major.minor.patch", as in CMakeLists.txt. Lives for ever.
ASHLAR_EXPORT std::string_view LibraryVersion();

// Of the library that compresses; empty where none does, or none is built in.
ASHLAR_EXPORT std::string CompressionLibraryVersion(CompressionType type);

// What was chosen on this machine. The names live for ever.
struct LibraryFeatures {
  std::string_view crc32c;  // "sse4.2", "armv8" or "portable"
  std::string_view xxh3;    // "avx512", "avx2", "sse2", "neon" or "portable"
  bool io_uring = false;    // built in, and the kernel allows it
};
// May throw std::bad_alloc.
ASHLAR_EXPORT LibraryFeatures FindLibraryFeatures();

}  // namespace ashlar

#endif  // ASHLAR_UTIL_VERSION_H_
