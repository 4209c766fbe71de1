// Tests BlockMemory, which gives a thread the memory of cached blocks again
// that this thread gave back before.

#include "table/load/block_memory.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include "port/sanitizers.h"
#include "port/usable_bytes.h"
#include "test/support/random.h"

namespace ashlar::testing {
namespace {

using internal::BlockMemory;

// Whatever was given back before, the memory is large enough, not much larger,
// and aligned to a cache line.
TEST(BlockMemory, FitsWhoTakesIt) {
  ForEachSeed(1, 20, [](uint64_t seed) {
    Random random(seed);
    std::vector<BlockMemory::Piece> taken;
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
      const BlockMemory::Piece piece = BlockMemory::Take(bytes);
      ASSERT_NE(piece.memory, nullptr);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(piece.memory) % 64, 0u);
      // Where malloc cannot be asked, they are what was asked for.
      EXPECT_EQ(piece.bytes, port::UsableBytes(piece.memory, piece.bytes));
      EXPECT_GE(piece.bytes, bytes);
      EXPECT_LE(piece.bytes, bytes + bytes / 16 + 128);
      std::memset(piece.memory, static_cast<int>(i), piece.bytes);
      taken.push_back(piece);
    }
    for (const BlockMemory::Piece& piece : taken) BlockMemory::GiveBack(piece);
  });
}

// Under AddressSanitizer memory is not taken again, so that the sanitizer sees
// each use of freed memory.
constexpr bool kIsTakenAgain = !internal::kUnderAddressSanitizer;

TEST(BlockMemory, WhatIsEvictedIsTakenAgain) {
  std::thread([] {
    const BlockMemory::Piece piece = BlockMemory::Take(4300);
    BlockMemory::GiveBack(piece);
    const BlockMemory::Piece larger = BlockMemory::Take(6000);
    EXPECT_NE(larger.memory, piece.memory);
    const BlockMemory::Piece again = BlockMemory::Take(4290);
    EXPECT_EQ(again.memory == piece.memory, kIsTakenAgain);
    BlockMemory::GiveBack(again);
    BlockMemory::GiveBack(larger);
  }).join();
}

}  // namespace
}  // namespace ashlar::testing
