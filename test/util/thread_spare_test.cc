// Memory that threads keep for reuse: one use at a time, and none after its
// destruction.

#include "util/mem/thread_spare.h"

#include <gtest/gtest.h>

#include <thread>
#include <utility>

#include "util/mem/buffer.h"

namespace ashlar::internal {
namespace {

TEST(ThreadSpare, IsWhatTheLastUseLeft) {
  using Spare = ThreadSpare<Buffer, class LastUse>;
  const char* memory = nullptr;
  {
    Spare first;
    first->Append("abc");
    memory = first->data();
  }
  std::thread([] { EXPECT_EQ(Spare()->data(), nullptr); }).join();
  Spare again;
  EXPECT_EQ(again->data(), memory);
}

// Runs in a new thread, which keeps nothing yet even if the test is repeated.
TEST(ThreadSpare, OneUseWithinAnotherHasAnother) {
  using Spare = ThreadSpare<Buffer, class Within>;
  std::thread([] {
    {
      Spare outer;
      outer->Append("outer");
      {
        Spare inner;
        EXPECT_EQ(inner->capacity(), 0u);
        inner->Append("inner");
      }
      EXPECT_EQ(outer->slice(), Slice("outer"));
    }
    // The outer use ended last, so its memory is kept.
    EXPECT_EQ(Spare()->slice(), Slice("outer"));
  }).join();
}

// Thread-local objects are destroyed in the reverse order of their
// construction.
TEST(ThreadSpare, AnObjectThatOutlivesItFindsNone) {
  using Spare = ThreadSpare<Buffer, class Outlived>;
  struct MadeBefore {
    ~MadeBefore() {
      Spare spare;
      *capacity = spare->capacity();
      spare->Append("x");
    }
    size_t* capacity = nullptr;
  };
  size_t capacity = 1;
  std::thread([&] {
    thread_local MadeBefore before;
    before.capacity = &capacity;
    Spare spare;
    spare->Append("kept");
  }).join();
  EXPECT_EQ(capacity, 0u);
}

}  // namespace
}  // namespace ashlar::internal
