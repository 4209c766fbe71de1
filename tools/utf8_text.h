// Checks that bytes are UTF-8. Pure functions: thread-safe.
#ifndef ASHLAR_TOOLS_UTF8_TEXT_H_
#define ASHLAR_TOOLS_UTF8_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "ashlar/util/printable.h"
#include "ashlar/util/slice.h"

namespace ashlar::tool {

// Returns the offset of the first byte that is not part of well-formed UTF-8,
// or the size if there is none.
inline size_t FindNoUtf8(const Slice& bytes) {
  constexpr uint64_t kHighBits = 0x8080808080808080;
  constexpr size_t kWord = sizeof(uint64_t);
  const auto is_ascii = [&bytes](size_t at) {
    uint64_t word;
    std::memcpy(&word, bytes.data() + at, kWord);
    return (word & kHighBits) == 0;
  };
  size_t at = 0;
  while (at < bytes.size()) {
    // Most text is ASCII: looks at 8 bytes together. The last ones may include
    // some that were looked at before.
    if (bytes.size() - at >= kWord) {
      if (is_ascii(at)) {
        at += kWord;
        continue;
      }
    } else if (bytes.size() >= kWord && is_ascii(bytes.size() - kWord)) {
      return bytes.size();
    }
    const size_t length =
        Utf8CharacterBytes({bytes.data() + at, bytes.size() - at});
    if (length == 0) return at;
    at += length;
  }
  return at;
}

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_UTF8_TEXT_H_
