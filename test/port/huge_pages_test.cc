// Huge pages: what holds whether or not the kernel provides any.

#include "port/huge_pages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

#include "port/reserved_memory.h"

namespace ashlar::port {
namespace {

TEST(HugePages, RegionIsAlignedAndZeroed) {
  for (int i = 0; i < 50; ++i) {
    HugePageRegion region(3 * kHugePageBytes);
    ASSERT_EQ(reinterpret_cast<uintptr_t>(region.data()) % kHugePageBytes, 0u);
    UseHugePages(region.data(), region.size());
    auto* const bytes = static_cast<char*>(region.data());
    ASSERT_TRUE(std::all_of(bytes, bytes + region.size(),
                            [](char byte) { return byte == 0; }));
    std::fill_n(bytes, region.size(), 'x');
    const HugePageRegion moved = std::move(region);
    ASSERT_EQ(moved.data(), bytes);
    ASSERT_EQ(bytes[moved.size() - 1], 'x');
  }
}

TEST(HugePages, MoreThanThereAreAddresses) {
  constexpr size_t kTooMany = size_t{1} << 60;
  EXPECT_THROW(HugePageRegion{kTooMany}, std::bad_alloc);
  ReservedMemory memory;
  EXPECT_FALSE(memory.Reserve(kTooMany));
  EXPECT_EQ(memory.data(), nullptr);
}

// Bytes outside the whole huge pages do not change.
TEST(HugePages, TouchesNothingElse) {
  std::vector<char> bytes(2 * kHugePageBytes - 1, 'x');
  UseHugePages(bytes.data() + 1, kHugePageBytes - 1);
  PreferHugePages(bytes.data() + 1, bytes.size() - 1);
  EXPECT_EQ(std::count(bytes.begin(), bytes.end(), 'x'),
            static_cast<ptrdiff_t>(bytes.size()));
}

}  // namespace
}  // namespace ashlar::port
