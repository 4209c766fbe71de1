#include "util/hash/filter_hash.h"

#include <array>
#include <cstring>

namespace ashlar::internal::filter_hash {

namespace {

constexpr uint64_t kPrime32Second = 0x85EBCA77;
constexpr uint64_t kPrime32Third = 0xC2B2AE3D;
constexpr uint64_t kPrime64First = 0x9E3779B185EBCA87;
constexpr uint64_t kPrime64Fourth = 0x85EBCA77C2B2AE63;
constexpr uint64_t kPrime64Fifth = 0x27D4EB2F165667C5;

constexpr size_t kSecretBytes = 192;
constexpr std::array<uint8_t, kSecretBytes> kSecret = {
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

uint64_t SecretWord(size_t offset) {
  uint64_t word;
  std::memcpy(&word, kSecret.data() + offset, sizeof word);
  return word;
}

// The inline cases have the first words as numbers.
constexpr bool SecretHolds(uint64_t word, size_t offset) {
  for (size_t i = 0; i < sizeof word; ++i) {
    if (kSecret[offset + i] != ((word >> (8 * i)) & 0xff)) return false;
  }
  return true;
}
static_assert(SecretHolds(kSecretWord0, 0));
static_assert(SecretHolds(kSecretWord8, 8));

uint64_t Mix(const char* data, size_t secret_offset) {
  return FoldedProduct(LoadFixed64(data) ^ SecretWord(secret_offset),
                       LoadFixed64(data + 8) ^ SecretWord(secret_offset + 8));
}

uint64_t Of1To3(const char* data, size_t n) {
  const uint32_t first = static_cast<uint8_t>(data[0]);
  const uint32_t middle = static_cast<uint8_t>(data[n / 2]);
  const uint32_t last = static_cast<uint8_t>(data[n - 1]);
  const uint32_t word =
      first | middle << 8 | last << 16 | static_cast<uint32_t>(n) << 24;
  return Avalanche((word ^ static_cast<uint32_t>(kSecretWord0)) *
                   kPrime64First);
}

// Pairs of sixteen bytes from both ends towards the middle.
uint64_t Of17To128(const char* data, size_t n) {
  uint64_t sum = n * kPrime64First;
  for (size_t i = (n - 1) / 32 + 1; i-- > 0;) {
    sum += Mix(data + 16 * i, 32 * i);
    sum += Mix(data + n - 16 * (i + 1), 32 * i + 16);
  }
  return Avalanche(sum);
}

uint64_t Of129To240(const char* data, size_t n) {
  uint64_t sum = n * kPrime64First;
  for (size_t i = 0; i < 8; ++i) sum += Mix(data + 16 * i, 16 * i);
  sum = Avalanche(sum);
  for (size_t i = 8; i < n / 16; ++i) {
    sum += Mix(data + 16 * i, 16 * (i - 8) + 3);
  }
  sum += Mix(data + n - 16, 119);
  return Avalanche(sum);
}

// Eight sums fed by stripes of 64 bytes, sixteen stripes to a block.
class LongHash {
 public:
  static constexpr size_t kStripeBytes = 64;
  static constexpr size_t kBlockBytes = 1024;

  void Stripe(const char* data, size_t secret_offset) {
    for (size_t lane = 0; lane < 8; ++lane) {
      const uint64_t word = LoadFixed64(data + 8 * lane);
      const uint64_t keyed = word ^ SecretWord(secret_offset + 8 * lane);
      sums_[lane] += word + (keyed & 0xffffffff) * (keyed >> 32);
    }
  }
  void EndBlock() {
    for (size_t lane = 0; lane < 8; ++lane) {
      const uint64_t sum = sums_[lane];
      sums_[lane] =
          ((sum ^ (sum >> 47)) ^ SecretWord(128 + 8 * lane)) * kPrime32First;
    }
  }
  uint64_t Finish(size_t n) const {
    uint64_t h = n * kPrime64First;
    for (size_t i = 0; i < 4; ++i) {
      h += FoldedProduct(sums_[2 * i] ^ SecretWord(11 + 16 * i),
                         sums_[2 * i + 1] ^ SecretWord(19 + 16 * i));
    }
    return Avalanche(h);
  }

 private:
  std::array<uint64_t, 8> sums_ = {
      kPrime32Third,  kPrime64First,  kPrime64Second, kPrime64Third,
      kPrime64Fourth, kPrime32Second, kPrime64Fifth,  kPrime32First};
};

uint64_t OfMoreThan240(const char* data, size_t n) {
  LongHash hash;
  for (size_t at = 0; at + LongHash::kStripeBytes <= n;
       at += LongHash::kStripeBytes) {
    const size_t in_block = at % LongHash::kBlockBytes;
    hash.Stripe(data + at, in_block / 8);
    if (in_block == LongHash::kBlockBytes - LongHash::kStripeBytes) {
      hash.EndBlock();
    }
  }
  if (n % LongHash::kStripeBytes != 0) {
    hash.Stripe(data + n - LongHash::kStripeBytes, 121);
  }
  return hash.Finish(n);
}

}  // namespace

uint64_t OfOtherLengths(const char* data, size_t n) {
  if (n == 0) return FoldedProduct(kSecretWord0, kPrime64Second);
  if (n <= 3) return Of1To3(data, n);
  if (n <= 128) return Of17To128(data, n);
  if (n <= 240) return Of129To240(data, n);
  return OfMoreThan240(data, n);
}

}  // namespace ashlar::internal::filter_hash
