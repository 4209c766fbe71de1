// Memory of cached blocks that a thread takes again.

#include "table/load/block_memory.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include "test/support/random.h"

namespace ashlar::testing {
namespace {

using internal::BlockMemory;

// Whatever was given back before: large enough, not much larger, at a line.
TEST(BlockMemory, FitsWhoTakesIt) {
  ForEachSeed(1, 20, [](uint64_t seed) {
    Random random(seed);
    std::vector<void*> taken;
    for (int i = 0; i < 300; ++i) {
      if (random.OneIn(2) && !taken.empty()) {
        const size_t which = random.Below(taken.size());
        BlockMemory::GiveBack(taken[which]);
        taken.erase(taken.begin() + static_cast<ptrdiff_t>(which));
        continue;
      }
      const size_t bytes = random.OneIn(10)
                               ? 1 + random.Below(2 * BlockMemory::kMostBytes)
                               : 4000 + random.Below(600);
      void* const memory = BlockMemory::Take(bytes);
      ASSERT_NE(memory, nullptr);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % 64, 0u);
      const size_t usable = ::malloc_usable_size(memory);
      EXPECT_GE(usable, bytes);
      EXPECT_LE(usable, bytes + bytes / 16 + 128);
      std::memset(memory, static_cast<int>(i), bytes);
      taken.push_back(memory);
    }
    for (void* const memory : taken) BlockMemory::GiveBack(memory);
  });
}

// But not where AddressSanitizer is to see each use of what is gone.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kIsTakenAgain = false;
#else
constexpr bool kIsTakenAgain = true;
#endif

TEST(BlockMemory, WhatIsEvictedIsTakenAgain) {
  std::thread([] {
    void* const memory = BlockMemory::Take(4300);
    BlockMemory::GiveBack(memory);
    void* const larger = BlockMemory::Take(6000);
    EXPECT_NE(larger, memory);
    void* const again = BlockMemory::Take(4290);
    EXPECT_EQ(again == memory, kIsTakenAgain);
    BlockMemory::GiveBack(again);
    BlockMemory::GiveBack(larger);
  }).join();
}

}  // namespace
}  // namespace ashlar::testing
