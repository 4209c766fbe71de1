// The checksum algorithms of the file format.
//
// Applications choose one in TableOptions. The footer of a file names the one
// that protects its blocks. Pure functions: thread-safe. The algorithms
// themselves are internal, and the checksum of a whole file is in
// file_checksum.h.

#ifndef ASHLAR_UTIL_CHECKSUM_TYPE_H_
#define ASHLAR_UTIL_CHECKSUM_TYPE_H_

#include <cstdint>
#include <string_view>

#include "ashlar/util/export.h"
#include "ashlar/util/result.h"

namespace ashlar {

// The byte that the footer stores. See FORMAT.md, "Block trailer and
// checksums".
enum class ChecksumType : uint8_t {
  kNoChecksum = 0,
  kCRC32c = 1,
  kxxHash = 2,
  kxxHash64 = 3,
  kXXH3 = 4,
};

// Returns the name of the enumerator, such as "kXXH3"; "kUnknown" for any other
// byte. The text lives forever.
ASHLAR_EXPORT std::string_view ChecksumTypeName(ChecksumType type);

// Parses "kXXH3" or "XXH3" in upper or lower case, or the number "4". Returns
// InvalidArgument for any other text.
ASHLAR_EXPORT Result<ChecksumType> ParseChecksumType(std::string_view text);

}  // namespace ashlar

#endif  // ASHLAR_UTIL_CHECKSUM_TYPE_H_
