// Integers as the file format stores them, and a reader that cannot overrun.
//
// Used by every encoder and decoder of the format. All fixed-width integers
// are little-endian; varints are base 128, least significant group first, in
// minimal form when written. Pure functions: thread-safe.
#ifndef ASHLAR_UTIL_CODING_CODING_H_
#define ASHLAR_UTIL_CODING_CODING_H_

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>

#include "ashlar/util/slice.h"

namespace ashlar::internal {

static_assert(std::endian::native == std::endian::little,
              "Ashlar needs a little-endian machine: words are stored and "
              "loaded without swapping");

inline constexpr size_t kMaxVarint32Bytes = 5;
inline constexpr size_t kMaxVarint64Bytes = 10;

inline uint16_t LoadFixed16(const char* p) {
  uint16_t v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
inline uint32_t LoadFixed32(const char* p) {
  uint32_t v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
inline uint64_t LoadFixed64(const char* p) {
  uint64_t v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

// So that integers and their bytes have the same order.
inline uint64_t LoadBigEndian64(const char* p) {
  return __builtin_bswap64(LoadFixed64(p));
}
inline void StoreFixed32(char* p, uint32_t v) { std::memcpy(p, &v, sizeof v); }
inline void StoreFixed64(char* p, uint64_t v) { std::memcpy(p, &v, sizeof v); }

// The encoders return the new end. Requires: there is room for the longest
// form.
inline char* EncodeVarint64(char* p, uint64_t v) {
  while (v >= 0x80) {
    *p++ = static_cast<char>(v | 0x80);
    v >>= 7;
  }
  *p++ = static_cast<char>(v);
  return p;
}
inline char* EncodeVarint32(char* p, uint32_t v) {
  return EncodeVarint64(p, v);
}
constexpr size_t VarintLength(uint64_t v) {
  return (static_cast<size_t>(std::bit_width(v | 1)) + 6) / 7;
}

// The decoders return the byte after the varint. They return null if the varint
// is cut off by `limit` or longer than the type allows.
inline const char* DecodeVarint64(const char* p, const char* limit,
                                  uint64_t* v) {
  uint64_t result = 0;
  for (int shift = 0; shift <= 63 && p < limit; shift += 7) {
    const auto byte = static_cast<uint8_t>(*p++);
    result |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) {
      *v = result;
      return p;
    }
  }
  return nullptr;
}
inline const char* DecodeVarint32Slow(const char* p, const char* limit,
                                      uint32_t* v) {
  uint32_t result = 0;
  for (int shift = 0; shift <= 28 && p < limit; shift += 7) {
    const auto byte = static_cast<uint8_t>(*p++);
    result |= static_cast<uint32_t>(byte & 0x7f) << shift;
    if (byte < 0x80) {
      *v = result;
      return p;
    }
  }
  return nullptr;
}
inline const char* DecodeVarint32(const char* p, const char* limit,
                                  uint32_t* v) {
  if (p < limit && static_cast<uint8_t>(*p) < 0x80) {
    *v = static_cast<uint8_t>(*p);
    return p + 1;
  }
  return DecodeVarint32Slow(p, limit, v);
}

constexpr uint64_t ZigzagEncode(int64_t v) {
  return (static_cast<uint64_t>(v) << 1) ^ static_cast<uint64_t>(v >> 63);
}
constexpr int64_t ZigzagDecode(uint64_t z) {
  return static_cast<int64_t>(z >> 1) ^ -static_cast<int64_t>(z & 1);
}

inline void AppendFixed32(std::string* out, uint32_t v) {
  char bytes[sizeof v];
  StoreFixed32(bytes, v);
  out->append(bytes, sizeof v);
}
inline void AppendFixed64(std::string* out, uint64_t v) {
  char bytes[sizeof v];
  StoreFixed64(bytes, v);
  out->append(bytes, sizeof v);
}
inline void AppendVarint64(std::string* out, uint64_t v) {
  char bytes[kMaxVarint64Bytes];
  out->append(bytes, static_cast<size_t>(EncodeVarint64(bytes, v) - bytes));
}

// Takes values off the front of untrusted bytes. Each call returns false, and
// takes nothing, if the bytes do not begin with such a value.
class Decoder {
 public:
  explicit Decoder(const Slice& input) : p_(input.begin()), end_(input.end()) {}

  Slice rest() const { return Slice(p_, static_cast<size_t>(end_ - p_)); }
  bool empty() const { return p_ == end_; }

  [[nodiscard]] bool Varint32(uint32_t* v) {
    return MoveTo(DecodeVarint32(p_, end_, v));
  }
  [[nodiscard]] bool Varint64(uint64_t* v) {
    return MoveTo(DecodeVarint64(p_, end_, v));
  }
  [[nodiscard]] bool Bytes(size_t n, Slice* bytes) {
    if (n > static_cast<size_t>(end_ - p_)) return false;
    *bytes = Slice(p_, n);
    p_ += n;
    return true;
  }

 private:
  bool MoveTo(const char* next) {
    if (next == nullptr) return false;
    p_ = next;
    return true;
  }

  const char* p_;
  const char* end_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_CODING_CODING_H_
