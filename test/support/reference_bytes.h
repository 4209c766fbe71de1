// Numbers and block handles for the reference reader: FORMAT.md, section 1.
//
// Only the reference reader uses this. The functions throw on any fault.
#ifndef ASHLAR_TEST_SUPPORT_REFERENCE_BYTES_H_
#define ASHLAR_TEST_SUPPORT_REFERENCE_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace ashlar::testing::reference {

using Handle = std::pair<uint64_t, uint64_t>;  // offset, size

inline constexpr uint64_t kTrailerSize = 5;

[[noreturn]] inline void Fail(const std::string& what) {
  throw std::runtime_error(what);
}

inline void Check(bool good, const std::string& what) {
  if (!good) Fail(what);
}
// Makes no std::string unless the check fails, and most checks succeed.
inline void Check(bool good, const char* what) {
  if (!good) Fail(what);
}

inline uint8_t ByteAt(std::string_view s, size_t i) {
  Check(i < s.size(), "read past the end");
  return static_cast<uint8_t>(s[i]);
}

// Returns the little-endian number of `width` bytes at offset `at`.
inline uint64_t Fixed(std::string_view s, size_t at, int width) {
  uint64_t result = 0;
  for (int i = width - 1; i >= 0; i--) {
    result = (result << 8) | ByteAt(s, at + static_cast<size_t>(i));
  }
  return result;
}

inline uint32_t Fixed32(std::string_view s, size_t at) {
  return static_cast<uint32_t>(Fixed(s, at, 4));
}

inline uint64_t Fixed64(std::string_view s, size_t at) {
  return Fixed(s, at, 8);
}

inline uint32_t Lo32(uint64_t x) { return static_cast<uint32_t>(x); }
inline uint32_t Hi32(uint64_t x) { return static_cast<uint32_t>(x >> 32); }

// Takes bytes from the front of a string.
class Cursor {
 public:
  explicit Cursor(std::string_view rest) : rest_(rest) {}

  bool empty() const { return rest_.empty(); }
  size_t left() const { return rest_.size(); }

  std::string_view Take(uint64_t n) {
    Check(n <= rest_.size(), "bytes run past the end of the block");
    std::string_view result = rest_.substr(0, n);
    rest_.remove_prefix(n);
    return result;
  }

  uint64_t Varint64() { return Varint(10); }

  uint32_t Varint32() {
    uint64_t result = Varint(5);
    Check(result <= 0xFFFFFFFF, "varint32 too large");
    return Lo32(result);
  }

  int64_t VarSigned64() {
    uint64_t z = Varint64();
    return static_cast<int64_t>((z >> 1) ^ (0 - (z & 1)));
  }

  Handle BlockHandle() {
    uint64_t offset = Varint64();
    return {offset, Varint64()};
  }

 private:
  uint64_t Varint(int max_bytes) {
    uint64_t result = 0;
    for (int i = 0; i < max_bytes; i++) {
      uint8_t byte = ByteAt(Take(1), 0);
      result |= uint64_t{byte & 0x7Fu} << (7 * i);
      if ((byte & 0x80) == 0) return result;
    }
    Fail("varint too long");
  }

  std::string_view rest_;
};

}  // namespace ashlar::testing::reference

#endif  // ASHLAR_TEST_SUPPORT_REFERENCE_BYTES_H_
