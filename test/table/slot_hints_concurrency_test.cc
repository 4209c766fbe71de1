// Tests slot hints that several threads make and note at once.

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "table/index/slot_hints.h"
#include "util/mem/aligned_bytes.h"

namespace ashlar::testing {
namespace {

using namespace internal;

// All threads begin with the same block, so that they make the same runs. A
// hint that a thread sees is none, or one that some thread noted for its block.
TEST(SlotHints, AreMadeByAnyThread) {
  constexpr size_t kBlocks = 3 * SlotHints::kPerRun + 5;
  constexpr uint32_t kThreads = 4;
  alignas(64) static char blocks[kThreads][64];
  MemoryPlan measured;
  SlotHints().Plan(kBlocks, &measured);
  for (int round = 0; round < 50; ++round) {
    AlignedBytes memory;
    ASSERT_TRUE(memory.Assign(std::string(measured.bytes(), '\0')));
    MemoryPlan plan(const_cast<char*>(memory.slice().data()));
    SlotHints hints;
    hints.Plan(kBlocks, &plan);
    std::vector<std::thread> threads;
    for (uint32_t t = 0; t < kThreads; ++t) {
      threads.emplace_back([&hints, t] {
        for (size_t i = 0; i < kBlocks; ++i) {
          hints.Note(i, static_cast<uint32_t>(i) * kThreads + t, blocks[t]);
          const BlockHint hint = hints.hint(i);
          EXPECT_EQ(hint.slot / kThreads, i);
          EXPECT_NE(hint.address, nullptr);
          hints.Prefetch(i);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(hints.MemoryUsage(), hints.MostMemoryUsage());
  }
}

}  // namespace
}  // namespace ashlar::testing
