// Tests the search for bytes, 64 at a time.

#include "tools/ashlar/rows/byte_mask.h"

#include <gtest/gtest.h>

#include "test/support/random.h"

namespace ashlar::testing {
namespace {

// Few different bytes, so that several are the one that is wanted. Some of them
// have their sign bit set. The text begins anywhere in memory.
TEST(ByteMask, TellsEachByte) {
  Random random(5);
  for (int round = 0; round < 2000; ++round) {
    char memory[tool::kMaskBytes + 16];
    for (char& byte : memory) {
      byte = static_cast<char>(0x7e + random.Below(4));
    }
    const char* const text = memory + random.Below(16);
    for (int wanted = 0x7d; wanted < 0x83; ++wanted) {
      const auto byte = static_cast<char>(wanted);
      uint64_t expected = 0;
      for (size_t i = 0; i < tool::kMaskBytes; ++i) {
        expected |= uint64_t{text[i] == byte} << i;
      }
      ASSERT_EQ(tool::ByteMask(text, byte), expected);
    }
  }
}

}  // namespace
}  // namespace ashlar::testing
