// Section numbers in these comments refer to table/FORMAT.md.
#include "test/support/reference_hash.h"

#include <array>
#include <cstddef>

#include "test/support/reference_bytes.h"
#include "test/support/reference_reader.h"

namespace ashlar::testing {

namespace reference {

// Schoolbook multiplication with 32-bit digits.
Product Multiply(uint64_t a, uint64_t b) {
  uint64_t low = uint64_t{Lo32(a)} * Lo32(b);
  uint64_t mid1 = uint64_t{Hi32(a)} * Lo32(b);
  uint64_t mid2 = uint64_t{Lo32(a)} * Hi32(b);
  uint64_t high = uint64_t{Hi32(a)} * Hi32(b);
  uint64_t carry = uint64_t{Hi32(low)} + Lo32(mid1) + Lo32(mid2);
  return {high + Hi32(mid1) + Hi32(mid2) + Hi32(carry),
          (carry << 32) | Lo32(low)};
}

// Section 5.5. With an unsigned tail: section 9.7.
uint32_t Hash32(std::string_view s, uint32_t seed, Tail tail) {
  const uint32_t m = 0xC6A4A793;
  uint32_t h = seed ^ (Lo32(s.size()) * m);
  for (; s.size() >= 4; s.remove_prefix(4)) {
    h += Fixed32(s, 0);
    h *= m;
    h ^= h >> 16;
  }
  if (s.empty()) return h;
  auto extended = [s, tail](size_t i) {
    uint32_t byte = ByteAt(s, i);
    return tail == Tail::kSigned && byte >= 0x80 ? byte | 0xFFFFFF00 : byte;
  };
  if (s.size() == 3) h += extended(2) << 16;
  if (s.size() >= 2) h += extended(1) << 8;
  h += extended(0);
  h *= m;
  return h ^ (h >> 24);
}

}  // namespace reference

namespace {

constexpr uint64_t kP32x1 = 0x9E3779B1;
constexpr uint64_t kP32x2 = 0x85EBCA77;
constexpr uint64_t kP32x3 = 0xC2B2AE3D;
constexpr uint64_t kP64x1 = 0x9E3779B185EBCA87;
constexpr uint64_t kP64x2 = 0xC2B2AE3D27D4EB4F;
constexpr uint64_t kP64x3 = 0x165667B19E3779F9;
constexpr uint64_t kP64x4 = 0x85EBCA77C2B2AE63;
constexpr uint64_t kP64x5 = 0x27D4EB2F165667C5;

constexpr std::array<uint8_t, 192> kSecret = {
    0xb8, 0xfe, 0x6c, 0x39, 0x23, 0xa4, 0x4b, 0xbe, 0x7c, 0x01, 0x81, 0x2c,
    0xf7, 0x21, 0xad, 0x1c, 0xde, 0xd4, 0x6d, 0xe9, 0x83, 0x90, 0x97, 0xdb,
    0x72, 0x40, 0xa4, 0xa4, 0xb7, 0xb3, 0x67, 0x1f, 0xcb, 0x79, 0xe6, 0x4e,
    0xcc, 0xc0, 0xe5, 0x78, 0x82, 0x5a, 0xd0, 0x7d, 0xcc, 0xff, 0x72, 0x21,
    0xb8, 0x08, 0x46, 0x74, 0xf7, 0x43, 0x24, 0x8e, 0xe0, 0x35, 0x90, 0xe6,
    0x81, 0x3a, 0x26, 0x4c, 0x3c, 0x28, 0x52, 0xbb, 0x91, 0xc3, 0x00, 0xcb,
    0x88, 0xd0, 0x65, 0x8b, 0x1b, 0x53, 0x2e, 0xa3, 0x71, 0x64, 0x48, 0x97,
    0xa2, 0x0d, 0xf9, 0x4e, 0x38, 0x19, 0xef, 0x46, 0xa9, 0xde, 0xac, 0xd8,
    0xa8, 0xfa, 0x76, 0x3f, 0xe3, 0x9c, 0x34, 0x3f, 0xf9, 0xdc, 0xbb, 0xc7,
    0xc7, 0x0b, 0x4f, 0x1d, 0x8a, 0x51, 0xe0, 0x4b, 0xcd, 0xb4, 0x59, 0x31,
    0xc8, 0x9f, 0x7e, 0xc9, 0xd9, 0x78, 0x73, 0x64, 0xea, 0xc5, 0xac, 0x83,
    0x34, 0xd3, 0xeb, 0xc3, 0xc5, 0x81, 0xa0, 0xff, 0xfa, 0x13, 0x63, 0xeb,
    0x17, 0x0d, 0xdd, 0x51, 0xb7, 0xf0, 0xda, 0x49, 0xd3, 0x16, 0x55, 0x26,
    0x29, 0xd4, 0x68, 0x9e, 0x2b, 0x16, 0xbe, 0x58, 0x7d, 0x47, 0xa1, 0xfc,
    0x8f, 0xf8, 0xb8, 0xd1, 0x7a, 0xd0, 0x31, 0xce, 0x45, 0xcb, 0x3a, 0x8f,
    0x95, 0x16, 0x04, 0x28, 0xaf, 0xd7, 0xfb, 0xca, 0xbb, 0x4b, 0x40, 0x7e,
};

uint64_t Lo32(uint64_t x) { return x & 0xFFFFFFFF; }
uint64_t Hi32(uint64_t x) { return x >> 32; }

uint64_t Avalanche(uint64_t h) {
  h ^= h >> 37;
  h *= kP64x3;
  return h ^ (h >> 32);
}

uint64_t Fold(uint64_t a, uint64_t b) {
  const reference::Product product = reference::Multiply(a, b);
  return product.low ^ product.high;
}

// Returns the little-endian number of `width` bytes of the secret.
uint64_t Secret(size_t at, size_t width = 8) {
  uint64_t result = 0;
  for (size_t i = width; i > 0; i--) {
    result = (result << 8) | kSecret.at(at + i - 1);
  }
  return result;
}

// The input, and the functions r32(d, i), r64(d, i) and mix(i, j) of FORMAT.md.
class Input {
 public:
  explicit Input(std::string_view data) : data_(data) {}

  uint64_t size() const { return data_.size(); }
  uint64_t Byte(size_t at) const { return static_cast<uint8_t>(data_.at(at)); }

  uint64_t Word(size_t at, size_t width = 8) const {
    uint64_t result = 0;
    for (size_t i = width; i > 0; i--) {
      result = (result << 8) | Byte(at + i - 1);
    }
    return result;
  }

  uint64_t Mix(size_t i, size_t j) const {
    return Fold(Word(i) ^ Secret(j), Word(i + 8) ^ Secret(j + 8));
  }

 private:
  std::string_view data_;
};

uint64_t HashUpTo16(const Input& d) {
  uint64_t n = d.size();
  if (n == 0) return Fold(Secret(0), kP64x2);
  if (n <= 3) {
    uint64_t w = d.Byte(0) | d.Byte(n / 2) << 8 | d.Byte(n - 1) << 16 | n << 24;
    return Avalanche((w ^ Secret(0, 4)) * kP64x1);
  }
  if (n <= 8) {
    uint64_t w = d.Word(0, 4) | d.Word(n - 4, 4) << 32;
    uint64_t k = w ^ Secret(0);
    uint64_t x = n + (k ^ (k >> 51)) * kP32x1;
    return Avalanche((x ^ (x >> 47)) * kP64x2);
  }
  uint64_t a = d.Word(0) ^ Secret(0);
  uint64_t b = d.Word(n - 8) ^ Secret(8);
  return Avalanche(n + a + b + Fold(a, b));
}

uint64_t HashUpTo240(const Input& d) {
  uint64_t n = d.size();
  uint64_t acc = n * kP64x1;
  if (n <= 128) {
    if (n > 96) acc += d.Mix(48, 96) + d.Mix(n - 64, 112);
    if (n > 64) acc += d.Mix(32, 64) + d.Mix(n - 48, 80);
    if (n > 32) acc += d.Mix(16, 32) + d.Mix(n - 32, 48);
    return Avalanche(acc + d.Mix(0, 0) + d.Mix(n - 16, 16));
  }
  for (size_t i = 0; i < 8; i++) acc += d.Mix(16 * i, 16 * i);
  acc = Avalanche(acc);
  for (size_t i = 8; i < n / 16; i++) {
    acc += d.Mix(16 * i, 16 * (i - 8) + 3);
  }
  return Avalanche(acc + d.Mix(n - 16, 119));
}

using Lanes = std::array<uint64_t, 8>;

void Stripe(const Input& d, size_t i, size_t j, Lanes* lanes) {
  for (size_t q = 0; q < 8; q++) {
    uint64_t v = d.Word(i + 8 * q);
    uint64_t k = v ^ Secret(j + 8 * q);
    (*lanes)[q] += v + Lo32(k) * Hi32(k);
  }
}

uint64_t HashLong(const Input& d) {
  uint64_t n = d.size();
  Lanes lanes = {kP32x3, kP64x1, kP64x2, kP64x3,
                 kP64x4, kP32x2, kP64x5, kP32x1};
  uint64_t blocks = n / 1024;
  for (uint64_t b = 0; b < blocks; b++) {
    for (size_t s = 0; s < 16; s++) {
      Stripe(d, 1024 * b + 64 * s, 8 * s, &lanes);
    }
    for (size_t q = 0; q < 8; q++) {
      uint64_t mixed = (lanes[q] ^ (lanes[q] >> 47)) ^ Secret(128 + 8 * q);
      lanes[q] = mixed * kP32x1;
    }
  }
  for (size_t s = 0; s < (n - 1024 * blocks) / 64; s++) {
    Stripe(d, 1024 * blocks + 64 * s, 8 * s, &lanes);
  }
  if (n % 64 != 0) Stripe(d, n - 64, 121, &lanes);
  uint64_t h = n * kP64x1;
  for (size_t i = 0; i < 4; i++) {
    h += Fold(lanes[2 * i] ^ Secret(11 + 16 * i),
              lanes[2 * i + 1] ^ Secret(19 + 16 * i));
  }
  return Avalanche(h);
}

}  // namespace

uint64_t ReferenceFilterHash(std::string_view data) {
  Input input(data);
  if (data.size() <= 16) return HashUpTo16(input);
  if (data.size() <= 240) return HashUpTo240(input);
  return HashLong(input);
}

}  // namespace ashlar::testing
