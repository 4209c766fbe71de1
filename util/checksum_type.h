// The checksum algorithms of the file format.
//
// Public: users choose one in TableOptions; the footer of a file names the
// one that covers its blocks. The algorithms themselves are internal. Pure
// functions: thread-safe.

#ifndef ASHLAR_UTIL_CHECKSUM_TYPE_H_
#define ASHLAR_UTIL_CHECKSUM_TYPE_H_

#include <cstdint>
#include <string_view>

#include "ashlar/util/export.h"
#include "ashlar/util/result.h"

namespace ashlar {

// The byte that the footer stores; FORMAT.md, "Block trailer and checksums".
enum class ChecksumType : uint8_t {
  kNoChecksum = 0,
  kCRC32c = 1,
  kxxHash = 2,
  kxxHash64 = 3,
  kXXH3 = 4,
};

// The enumerator's own name: "kXXH3". "kUnknown" for other bytes.
ASHLAR_EXPORT std::string_view ChecksumTypeName(ChecksumType type);

// "kXXH3" or "XXH3" in any case, or the number "4". InvalidArgument for other
// text.
ASHLAR_EXPORT Result<ChecksumType> ParseChecksumType(std::string_view text);

}  // namespace ashlar

#endif  // ASHLAR_UTIL_CHECKSUM_TYPE_H_
