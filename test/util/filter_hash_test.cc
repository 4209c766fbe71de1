// Compares the frozen filter hash with the values in FORMAT.md.
#include "util/hash/filter_hash.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <set>
#include <string>

namespace ashlar::internal {
namespace {

// Returns the input bytes of the test vectors.
std::string Pattern(size_t n) {
  std::string bytes(n, '\0');
  for (size_t i = 0; i < n; ++i) {
    bytes[i] = static_cast<char>(static_cast<uint8_t>(7 * i + 3));
  }
  return bytes;
}

struct Vector {
  size_t n;
  uint64_t hash;
};

constexpr Vector kVectors[] = {
    {0, 0x5342c3010fe1dd04},    {1, 0x81b78b21c2ce4f18},
    {2, 0x6d7eec54f8754ce6},    {3, 0x6731a716813ee5f1},
    {4, 0x3a5afd967acaf5c3},    {7, 0xf4182f381b7440c2},
    {8, 0xbcb56b6f8d4b12da},    {9, 0x03787b4eec57bf4b},
    {16, 0x81720cc0702edd73},   {17, 0x0b515520f462e96f},
    {33, 0xd020587a3c72b988},   {64, 0xc71b2c5a712e7f61},
    {65, 0xd40143de1beadd46},   {96, 0x0d71e54f419745c3},
    {97, 0x19e9c1871ecd39dc},   {128, 0x8ea76d838ce7563f},
    {129, 0x3992d120c8c4677a},  {144, 0x980aa146e1023bfc},
    {240, 0xdf41bc5fea3a61e8},  {241, 0x91d10f0682af4ac3},
    {255, 0x6b25b327a7d0a406},  {256, 0x4d37daabdb543458},
    {512, 0xf3bb51479ec530a2},  {1023, 0xc59f495a19c2ef06},
    {1024, 0x7d54b94e043675ba}, {1025, 0x90acdaaaaca675b0},
    {1088, 0x419a510eca48a830}, {2048, 0xe4223e0c6dc3503c},
    {2100, 0x77fd7e058740709f},
};

TEST(FilterHash, HasTheFrozenValues) {
  for (const Vector& vector : kVectors) {
    const std::string bytes = Pattern(vector.n);
    EXPECT_EQ(FilterHash(bytes.data(), bytes.size()), vector.hash)
        << "length " << vector.n;
  }
}

// With an allocation of exactly n bytes, the address sanitizer reports reads
// outside. The odd start address shows any need for alignment.
TEST(FilterHash, ReadsNothingElseAndNeedsNoAlignment) {
  for (size_t n = 0; n <= 2200; ++n) {
    const std::string bytes = Pattern(n);
    const auto exact = std::make_unique<char[]>(n + 1);
    if (n != 0) std::memcpy(exact.get() + 1, bytes.data(), n);
    EXPECT_EQ(FilterHash(exact.get() + 1, n), FilterHash(bytes.data(), n));
  }
}

TEST(FilterHash, DependsOnEveryByteAndOnTheLength) {
  for (const size_t n : std::initializer_list<size_t>{
           1,  3,  4,   5,   8,   9,   15,  16,  17,   32,
           40, 64, 100, 128, 129, 200, 240, 241, 1024, 1100}) {
    std::string bytes = Pattern(n);
    std::set<uint64_t> seen = {FilterHash(bytes.data(), n)};
    for (size_t i = 0; i < n; ++i) {
      bytes[i] = static_cast<char>(bytes[i] ^ 0x10);
      seen.insert(FilterHash(bytes.data(), n));
      bytes[i] = static_cast<char>(bytes[i] ^ 0x10);
    }
    EXPECT_EQ(seen.size(), n + 1) << "length " << n;
  }
  const std::string zeros(300, '\0');
  std::set<uint64_t> seen;
  for (size_t n = 0; n <= zeros.size(); ++n) {
    seen.insert(FilterHash(zeros.data(), n));
  }
  EXPECT_EQ(seen.size(), zeros.size() + 1);
}

}  // namespace
}  // namespace ashlar::internal
