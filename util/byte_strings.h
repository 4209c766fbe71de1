// Numbers and strings as bytes: for what an engine stores in files of its own,
// such as a manifest or a log, and for operands of counters.
//
//   std::string bytes;
//   ashlar::AppendFixed64(number, &bytes);
//   ashlar::AppendLengthPrefixed(name, &bytes);
//   ...
//   ashlar::ByteReader reader(bytes);
//   number = reader.Fixed64();
//   name = reader.LengthPrefixed();
//   if (!reader.ok()) return ashlar::Status::Corruption("a cut record");
//
// A number is 8 bytes, little-endian, as RocksDB's "PutFixed64". A string comes
// after its size, which is such a number. Plain values, for one thread at a
// time.
#ifndef ASHLAR_UTIL_BYTE_STRINGS_H_
#define ASHLAR_UTIL_BYTE_STRINGS_H_

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>

#include "ashlar/util/slice.h"

namespace ashlar {

static_assert(std::endian::native == std::endian::little,
              "words are stored and loaded without swapping");

// Appends 8 bytes, the lowest first. May throw std::bad_alloc.
inline void AppendFixed64(uint64_t number, std::string* out) {
  out->append(reinterpret_cast<const char*>(&number), sizeof number);
}
// Appends the size as 8 bytes, and then the bytes.
inline void AppendLengthPrefixed(const Slice& bytes, std::string* out) {
  AppendFixed64(bytes.size(), out);
  out->append(bytes.data(), bytes.size());
}

// Takes numbers and strings off the front of bytes, which must outlive what it
// returns. Once too few bytes are left, as in a damaged file, ok() is false for
// good, and all that is taken is 0 or empty.
class ByteReader {
 public:
  // Begins at the first byte.
  explicit ByteReader(const Slice& bytes) : rest_(bytes) {}

  // Takes what AppendFixed64 and AppendLengthPrefixed append.
  uint64_t Fixed64() {
    uint64_t number = 0;
    const Slice bytes = Bytes(sizeof number);
    if (ok_) std::memcpy(&number, bytes.data(), sizeof number);
    return number;
  }
  Slice LengthPrefixed() { return Bytes(Fixed64()); }
  // Takes the next `size` bytes.
  Slice Bytes(uint64_t size) {
    if (size > rest_.size()) ok_ = false;
    if (!ok_) return {};
    const Slice bytes(rest_.data(), static_cast<size_t>(size));
    rest_.remove_prefix(static_cast<size_t>(size));
    return bytes;
  }

  // Returns whether there were enough bytes so far.
  bool ok() const { return ok_; }
  // What was not taken.
  const Slice& rest() const { return rest_; }

 private:
  Slice rest_;
  bool ok_ = true;
};

}  // namespace ashlar

#endif  // ASHLAR_UTIL_BYTE_STRINGS_H_
