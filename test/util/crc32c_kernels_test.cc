// Compares the two implementations of CRC-32C with each other.

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "util/hash/crc32c.h"

namespace ashlar::internal {
namespace {

// All lengths near those of the lanes, from unaligned starts.
TEST(Crc32c, HardwareEqualsPortable) {
  if (!HasCrc32cHardware()) GTEST_SKIP() << "no such instruction here";
  std::mt19937 random(20);
  std::string bytes(11000, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  for (size_t n = 0; n <= 10000; n += n < 1200 ? 1 : 7) {
    const auto seed = static_cast<uint32_t>(random());
    const char* start = bytes.data() + random() % 900;
    ASSERT_EQ(Crc32cExtendHardware(seed, start, n),
              Crc32cExtendPortable(seed, start, n))
        << "length " << n;
  }
}

}  // namespace
}  // namespace ashlar::internal
