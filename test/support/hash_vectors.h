// The test vectors of FORMAT.md for filter hashes and block checksums. The
// library and the reference reader must both have these values.
#ifndef ASHLAR_TEST_SUPPORT_HASH_VECTORS_H_
#define ASHLAR_TEST_SUPPORT_HASH_VECTORS_H_

#include <cstddef>
#include <cstdint>
#include <string>

namespace ashlar::testing {

// Returns the n input bytes of a test vector.
inline std::string Pattern(size_t n) {
  std::string bytes(n, '\0');
  for (size_t i = 0; i < n; ++i) {
    bytes[i] = static_cast<char>(static_cast<uint8_t>(7 * i + 3));
  }
  return bytes;
}

struct FilterHashVector {
  size_t n;
  uint64_t hash;
};

inline constexpr FilterHashVector kFilterHashVectors[] = {
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

struct ChecksumVector {
  size_t n;
  uint8_t last_byte;
  uint32_t by_type[5];
};

inline constexpr ChecksumVector kChecksumVectors[] = {
    {0, 0, {0, 0x49258fd2, 0xcf65b03e, 0xdb052768, 0x38d394c2}},
    {1, 0, {0, 0x611a75e5, 0xe3bf9359, 0xf02fd326, 0x156defed}},
    {16, 1, {0, 0x62704d25, 0x7f58de02, 0x3a3cbec7, 0x9ba0365c}},
    {100, 7, {0, 0x9a42908b, 0xb484881d, 0x591cddb0, 0x00241670}},
    {300, 4, {0, 0xa53d6a44, 0xe6e833bd, 0x1cc7ad87, 0x786c0d43}},
};

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SUPPORT_HASH_VECTORS_H_
