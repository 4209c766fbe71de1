// The write buffer and the FIFO cache under many threads. Every entry reaches
// the sink once, whichever thread flushes. Lookups find complete entries. A
// slow sink, or readers and writers that never stop, block no other thread for
// ever.

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <thread>
#include <utility>
#include <vector>

#include "ashlar/cache/concurrent_write_buffer.h"
#include "ashlar/cache/fifo_cache.h"
#include "port/sanitizers.h"

namespace ashlar::internal {
namespace {

using BlockMemory = FifoCache<CacheKey, uint64_t>;
using Buffer = ConcurrentWriteBuffer<BlockMemory::Entry>;
using WhenFull = WriteBufferOptions::WhenFull;

constexpr uint64_t kThreads = 16;
constexpr uint64_t kEach = internal::kUnderThreadSanitizer ? 3000 : 30000;

CacheKey KeyOf(uint64_t n) { return {n * 0x9e3779b97f4a7c15, ~n}; }

// Checks an entry, and that it arrives for the first time.
class Arrivals {
 public:
  void operator()(std::span<const BlockMemory::Entry> entries) {
    ASSERT_EQ(inside_.fetch_add(1, std::memory_order_relaxed), 0);
    for (const auto& entry : entries) {
      ASSERT_LT(entry.value, came_.size());
      ASSERT_EQ(entry.key, KeyOf(entry.value));
      ASSERT_EQ(came_[entry.value]++, 0) << "twice";
      ++count_;
    }
    inside_.fetch_sub(1, std::memory_order_relaxed);
  }
  uint64_t count() const { return count_; }

 private:
  // Not atomic, so TSan checks that the sink runs in one thread at a time.
  std::vector<uint8_t> came_ = std::vector<uint8_t>(kThreads * kEach);
  uint64_t count_ = 0;
  std::atomic<int> inside_ = 0;
};

template <typename Body>
void OnEachThread(Body body) {
  std::vector<std::jthread> threads;
  threads.reserve(kThreads);
  for (uint64_t t = 0; t < kThreads; ++t)
    threads.emplace_back([=] { body(t); });
}

void RecordAll(const WriteBufferOptions& options, uint64_t flush_every) {
  Arrivals arrivals;
  auto made = Buffer::Make(options, [&](auto entries) { arrivals(entries); });
  ASSERT_TRUE(made.ok());
  Buffer& buffer = **made;
  std::atomic<uint64_t> recorded = 0;
  OnEachThread([&](uint64_t t) {
    uint64_t mine = 0;
    for (uint64_t i = 0; i < kEach; ++i) {
      const uint64_t n = t * kEach + i;
      mine += buffer.Record({KeyOf(n), n}) ? 1 : 0;
      if (flush_every != 0 && n % flush_every == 0) buffer.Flush();
    }
    recorded += mine;
  });
  buffer.Flush();
  EXPECT_EQ(arrivals.count(), recorded.load());
  EXPECT_EQ(recorded.load() + buffer.dropped(), kThreads * kEach);
  if (options.when_full == WhenFull::kWait) {
    EXPECT_EQ(buffer.dropped(), 0U);
  }
}

TEST(WriteBufferStress, EveryEntryComesOnce) {
  for (const uint32_t shards : {1U, 4U}) {
    RecordAll({.shards = shards, .when_full = WhenFull::kWait}, 0);
    RecordAll({.shards = shards, .when_full = WhenFull::kDrop}, 0);
    // The fewest blocks possible.
    RecordAll({.shards = shards, .blocks = 1, .when_full = WhenFull::kWait}, 0);
  }
}

TEST(WriteBufferStress, EveryEntryComesOnceBesideFlushes) {
  for (const uint64_t every : {40U, 1000U}) {
    RecordAll({.shards = 2, .blocks = 4, .when_full = WhenFull::kWait}, every);
    RecordAll({.shards = 1, .when_full = WhenFull::kDrop}, every);
  }
}

// A flush contains everything recorded before it, even if other threads record
// without end.
TEST(WriteBufferStress, WritersCannotKeepAFlushFromItsEnd) {
  constexpr uint64_t kMine = uint64_t{1} << 63;
  std::atomic<uint64_t> mine_came = 0;
  auto made = Buffer::Make({.shards = 4, .when_full = WhenFull::kWait},
                           [&](auto entries) {
                             for (const auto& entry : entries) {
                               if ((entry.value & kMine) != 0)
                                 mine_came = entry.value;
                             }
                           });
  ASSERT_TRUE(made.ok());
  Buffer& buffer = **made;
  std::atomic<bool> stop = false;
  {
    std::vector<std::jthread> writers;
    for (uint64_t t = 0; t < 4; ++t) {
      writers.emplace_back([&, t] {
        for (uint64_t n = 0; !stop.load(); ++n) {
          buffer.Record({KeyOf(n << 8 | t), n});
          if (n % 64 == 0) std::this_thread::yield();
        }
      });
    }
    for (uint64_t i = 0; i < 200; ++i) {
      buffer.Record({KeyOf(i << 40), kMine | i});
      buffer.Flush();
      EXPECT_EQ(mine_came.load(), kMine | i);
    }
    stop = true;
  }
}

// With two shards, each of two threads has a block of its own. With one shard
// they share one.
TEST(WriteBufferStress, ThreadsOfTwoShardsShareNoBlock) {
  for (const uint32_t shards : {1U, 2U}) {
    std::vector<uint64_t> came;
    auto made = Buffer::Make({.shards = shards}, [&](auto entries) {
      for (const auto& entry : entries) came.push_back(entry.value);
    });
    ASSERT_TRUE(made.ok());
    Buffer& buffer = **made;
    std::latch first(1);
    // Threads are numbered in the order of their first record, so these two use
    // different shards.
    std::jthread even([&] {
      buffer.Record({KeyOf(0), 0});
      first.count_down();
    });
    first.wait();
    std::jthread odd([&] {
      for (uint64_t n = 1; n <= 168; ++n) buffer.Record({KeyOf(n), n});
    });
    odd.join();
    even.join();
    ASSERT_EQ(came.size(), 168U);
    EXPECT_EQ(came.front(), shards == 1 ? 0U : 1U);
    buffer.Flush();
    EXPECT_EQ(came.size(), 169U);
  }
}

// A flush also waits for a full block that is already in the sink.
TEST(WriteBufferStress, AFlushWaitsForTheSink) {
  std::latch in_sink(1);
  std::atomic<uint64_t> came = 0;
  auto made = Buffer::Make({}, [&](auto entries) {
    in_sink.count_down();
    for (int i = 0; i < 100; ++i) std::this_thread::yield();
    came = entries.size();
  });
  ASSERT_TRUE(made.ok());
  Buffer& buffer = **made;
  const std::jthread writer([&] {
    for (uint64_t n = 0; n < 168; ++n) buffer.Record({KeyOf(n), n});
  });
  in_sink.wait();
  buffer.Flush();
  EXPECT_EQ(came.load(), 168U);
}

// Memory never grows. Entries without room are dropped and counted, or wait.
TEST(WriteBufferStress, ASlowSinkBoundsMemory) {
  std::latch in_sink(1);
  std::latch go_on(1);
  uint64_t came = 0;
  auto made = Buffer::Make({.blocks = 3, .when_full = WhenFull::kDrop},
                           [&](auto entries) {
                             if (came == 0) in_sink.count_down();
                             came += entries.size();
                             go_on.wait();
                           });
  ASSERT_TRUE(made.ok());
  Buffer& buffer = **made;
  const size_t bytes = buffer.memory_bytes();
  std::jthread slow([&] {
    for (uint64_t n = 0; n < 168; ++n) buffer.Record({KeyOf(n), n});
  });
  in_sink.wait();
  uint64_t recorded = 168;
  for (uint64_t n = 0; n < 10000; ++n) {
    recorded += buffer.Record({KeyOf(n), n}) ? 1 : 0;
  }
  EXPECT_EQ(recorded, 3U * 168);
  EXPECT_EQ(buffer.dropped(), 10000 - 2U * 168);
  EXPECT_EQ(buffer.memory_bytes(), bytes);
  go_on.count_down();
  slow.join();
  EXPECT_EQ(came, recorded);
}

// Each value is computed from its key, so a torn entry would show. One key is
// added again and again and must always be found. The writer continues until
// each reader has found one of the other keys.
TEST(FifoStress, LookupsBesideAdditions) {
  BlockMemory memory;
  ASSERT_TRUE(memory.SetCapacity(BlockMemory::kLeastCapacity).ok());
  constexpr uint64_t kAlways = uint64_t{1} << 40;
  constexpr uint64_t kKeys = 2000;  // more than fit
  constexpr int kReaders = 4;
  const auto entry_of = [](uint64_t n) {
    return BlockMemory::Entry{KeyOf(n), n * 3};
  };
  const BlockMemory::Entry always = entry_of(kAlways);
  memory.Add({&always, 1});
  std::atomic<bool> stop = false;
  std::atomic<int> have_found = 0;
  {
    std::vector<std::jthread> readers;
    for (uint64_t t = 0; t < kReaders; ++t) {
      readers.emplace_back([&, t] {
        bool has_found = false;
        for (uint64_t n = t; !stop.load(); ++n) {
          const auto value = memory.Lookup(KeyOf(n % kKeys));
          if (value.has_value()) {
            EXPECT_EQ(*value, n % kKeys * 3);
            if (!std::exchange(has_found, true)) ++have_found;
          }
          EXPECT_EQ(memory.Lookup(KeyOf(kAlways)), kAlways * 3);
        }
      });
    }
    for (uint64_t n = 0; n < 20 * kEach || have_found < kReaders; ++n) {
      const BlockMemory::Entry entry =
          n % 100 == 0 ? always : entry_of(n * 7 % kKeys);
      memory.Add({&entry, 1});
    }
    stop = true;
  }
}

// SetCapacity frees memory when the lookups in it have ended. Lookups that
// never stop must not delay it for ever.
TEST(FifoStress, ReadersCannotKeepAChangeOfCapacityFromItsEnd) {
  BlockMemory memory;
  std::atomic<bool> stop = false;
  std::latch reading(4);
  {
    std::vector<std::jthread> readers;
    for (uint64_t t = 0; t < 4; ++t) {
      readers.emplace_back([&] {
        reading.count_down();
        for (uint64_t n = 0; !stop.load(); ++n) {
          const auto value = memory.Lookup(KeyOf(n % 100));
          ASSERT_EQ(value.value_or(n % 100), n % 100);
        }
      });
    }
    reading.wait();
    for (uint64_t i = 0; i < 300; ++i) {
      ASSERT_TRUE(memory.SetCapacity(i % 3 * (32U << 10)).ok());
      for (uint64_t n = 0; n < 100; ++n) {
        const BlockMemory::Entry entry = {KeyOf(n), n};
        memory.Add({&entry, 1});
      }
    }
    stop = true;
  }
}

}  // namespace
}  // namespace ashlar::internal
