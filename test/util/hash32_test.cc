// Compares H32 with the test vectors of the format.

#include "util/hash/hash32.h"

#include <gtest/gtest.h>

#include <string>

namespace ashlar::internal {
namespace {

TEST(Hash32, IsFrozen) {
  constexpr uint32_t kFilterSeed = 0xBC9F1D34;
  constexpr uint32_t kBlockSeed = 397;
  const struct {
    std::string bytes;
    uint32_t with_filter_seed;
    uint32_t with_block_seed;
  } vectors[] = {
      {"", 0xbc9f1d34, 0x0000018d},
      {"a", 0x286e9db0, 0x5c8473b1},
      {"abc", 0x855d012f, 0x1d9aa392},
      {"abcd", 0xb9c83353, 0x0c6f6be9},
      {"\xff\x80\x7f", 0x72791516, 0x0ab6b743},
      {"hello world", 0x008dfddb, 0x63740019},
  };
  for (const auto& vector : vectors) {
    EXPECT_EQ(Hash32(vector.bytes, kFilterSeed), vector.with_filter_seed);
    EXPECT_EQ(Hash32(vector.bytes, kBlockSeed), vector.with_block_seed);
  }
}

}  // namespace
}  // namespace ashlar::internal
