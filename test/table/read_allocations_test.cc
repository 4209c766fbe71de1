// Tests what a read allocates: nothing for a key that is found in the block
// cache, and at most one allocation for each distinct block of a batch.
//
// Allocations of all of the library's code are counted, through the linker's
// `--wrap` and operator new.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <new>
#include <set>
#include <string>
#include <vector>

#include "ashlar/cache/cache_options.h"
#include "ashlar/table/perf_context.h"
#include "ashlar/table/statistics.h"
#include "ashlar/table/table_reader.h"
#include "test/support/scoped_perf_level.h"
#include "test/support/tables.h"

namespace {
thread_local uint64_t allocations = 0;
thread_local size_t largest_allocation = 0;

void Count(size_t n) {
  ++allocations;
  largest_allocation = std::max(largest_allocation, n);
}
}  // namespace

extern "C" {
void* RealMalloc(size_t n) asm("__real_malloc");
void* RealAlignedAlloc(size_t alignment, size_t n) asm("__real_aligned_alloc");
void* RealRealloc(void* memory, size_t n) asm("__real_realloc");

void* WrappedMalloc(size_t n) asm("__wrap_malloc");
void* WrappedMalloc(size_t n) {
  Count(n);
  return RealMalloc(n);
}
void* WrappedAlignedAlloc(size_t alignment,
                          size_t n) asm("__wrap_aligned_alloc");
void* WrappedAlignedAlloc(size_t alignment, size_t n) {
  Count(n);
  return RealAlignedAlloc(alignment, n);
}
void* WrappedRealloc(void* memory, size_t n) asm("__wrap_realloc");
void* WrappedRealloc(void* memory, size_t n) {
  Count(n);
  return RealRealloc(memory, n);
}
}

void* operator new(size_t n) {
  void* const memory = WrappedMalloc(n);
  if (memory == nullptr) std::abort();
  return memory;
}
void* operator new(size_t n, std::align_val_t alignment) {
  const auto a = static_cast<size_t>(alignment);
  void* const memory = WrappedAlignedAlloc(a, (n + a - 1) / a * a);
  if (memory == nullptr) std::abort();
  return memory;
}
// GCC warns of a pair that does not match where it expands `delete` alone.
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, size_t, std::align_val_t) noexcept {
  std::free(memory);
}

namespace ashlar::testing {
namespace {

constexpr int kEntries = 2000;

std::string KeyNumber(int number) {
  return "key" + std::to_string(100000 + number).substr(1);
}

std::shared_ptr<Cache> NewCache(bool clock) {
  if (clock) {
    HyperClockCacheOptions options;
    options.capacity = size_t{8} << 20;
    options.estimated_entry_charge = 512;
    return std::move(NewHyperClockCache(options)).value();
  }
  LruCacheOptions options;
  options.capacity = size_t{8} << 20;
  return std::move(NewLruCache(options)).value();
}

struct Case {
  IndexType index = IndexType::kBinarySearch;
  bool partition_filters = false;
  bool clock = true;
  bool entry_words = true;
  bool metadata_in_cache = false;
};

std::vector<Case> AllCases() {
  std::vector<Case> cases;
  for (const bool clock : {true, false}) {
    for (const bool words : {true, false}) {
      for (const bool metadata : {true, false}) {
        cases.push_back(
            {IndexType::kBinarySearch, false, clock, words, metadata});
        cases.push_back({IndexType::kBinarySearchWithFirstKey, false, clock,
                         words, metadata});
        cases.push_back(
            {IndexType::kTwoLevelIndexSearch, false, clock, words, metadata});
        cases.push_back(
            {IndexType::kTwoLevelIndexSearch, true, clock, words, metadata});
      }
    }
  }
  return cases;
}

// Returns a reader with everything in its cache. A block has about five keys.
std::unique_ptr<TableReader> WarmReader(const Case& c) {
  TableOptions options;
  options.block_size = 150;
  options.metadata_block_size = 1000;
  options.filter = FilterType::kBloom;
  options.index_type = c.index;
  options.partition_filters = c.partition_filters;
  ReaderOptions reader_options;
  reader_options.block_cache = NewCache(c.clock);
  reader_options.cache_entry_words = c.entry_words;
  reader_options.cache_index_and_filter_blocks = c.metadata_in_cache;
  reader_options.statistics = std::make_shared<Statistics>();
  auto reader = OpenTable(
      BuildTable(options, SomeEntries(kEntries), FixedBuild()), reader_options);
  GetResult result;
  for (int i = 0; i < kEntries; ++i)
    Require(reader->Get(KeyNumber(i), &result));
  return reader;
}

// What is read of the file lies in memory that the thread keeps, so that
// openings leave no holes between what the tables keep.
TEST(ReadAllocations, AnOpeningAfterAnotherTakesNoneForTheTail) {
  TableOptions options;
  options.block_size = 64;
  options.filter = FilterType::kNone;
  options.compression = CompressionType::kNoCompression;
  const std::string table = BuildTable(options, SomeEntries(5 * kEntries));
  ReaderOptions reader_options;
  reader_options.load_index_and_filter = LoadTime::kAtOpen;
  for (const bool at_once : {true, false}) {
    reader_options.read_tail_at_once = at_once;
    const auto first = OpenTable(table, reader_options);
    const uint64_t index = first->properties().index_size;
    ASSERT_GT(index, 16u << 10);
    std::string copy = table;
    largest_allocation = 0;
    const auto second = OpenTable(std::move(copy), reader_options);
    EXPECT_LT(largest_allocation, index) << at_once;
  }
}

TEST(ReadAllocations, GetTakesNone) {
  const ScopedPerfLevel level(PerfLevel::kEnableCount);
  for (const Case& c : AllCases()) {
    const auto reader = WarmReader(c);
    GetResult result;
    for (int i = 0; i < kEntries; ++i) {
      const std::string key = KeyNumber(i);
      const std::string absent = key + "!";
      const uint64_t before = allocations;
      const Status status = reader->Get(key, &result);
      const Status missed = reader->Get(absent, &result);
      ASSERT_EQ(allocations, before)
          << static_cast<int>(c.index) << " " << c.partition_filters << " "
          << c.clock << " " << c.entry_words << " " << c.metadata_in_cache;
      Require(status);
      Require(missed);
    }
  }
}

// An engine may make an iterator for each seek.
TEST(ReadAllocations, AnIteratorAfterAnotherTakesNone) {
  for (const Case& c : AllCases()) {
    const auto reader = WarmReader(c);
    uint64_t before = 0;
    for (int i = 0; i < kEntries; ++i) {
      const std::string key = KeyNumber(i);
      if (i == 1) before = allocations;
      Iterator it = reader->NewIterator();
      it.Seek(key);
      ASSERT_TRUE(it.Valid());
    }
    EXPECT_EQ(allocations - before, 0u)
        << static_cast<int>(c.index) << " " << c.partition_filters << " "
        << c.clock << " " << c.entry_words << " " << c.metadata_in_cache;
  }
}

TEST(ReadAllocations, MultiGetTakesOneForASharedBlock) {
  for (const Case& c : AllCases()) {
    const auto reader = WarmReader(c);
    // The first sample of a thread takes memory for the histograms.
    GetResult first;
    Status first_status;
    const std::string first_key = KeyNumber(0);
    const Slice first_slice(first_key);
    reader->MultiGet({&first_slice, 1}, {&first, 1}, {&first_status, 1});
    Require(first_status);
    for (const int stride : {0, 1, 2, 7, 60}) {
      for (const size_t n : {size_t{1}, size_t{2}, size_t{32}}) {
        std::vector<std::string> keys;
        std::multiset<uint64_t> offsets;
        for (size_t i = 0; i < n; ++i) {
          keys.push_back(KeyNumber(11 + static_cast<int>(i) * stride));
          offsets.insert(reader->ApproximateOffsetOf(keys.back()));
        }
        uint64_t shared = 0;
        const std::set<uint64_t> distinct(offsets.begin(), offsets.end());
        for (const uint64_t offset : distinct) {
          shared += offsets.count(offset) > 1 ? 1 : 0;
        }
        const std::vector<Slice> slices(keys.begin(), keys.end());
        std::vector<GetResult> results(n);
        std::vector<Status> statuses(n);
        for (int again = 0; again < 2; ++again) {
          const uint64_t before = allocations;
          reader->MultiGet(slices, results, statuses);
          ASSERT_EQ(allocations - before, shared)
              << stride << " " << n << ": " << static_cast<int>(c.index) << " "
              << c.partition_filters << " " << c.clock << " " << c.entry_words
              << " " << c.metadata_in_cache;
        }
        for (size_t i = 0; i < n; ++i) {
          Require(statuses[i]);
          EXPECT_EQ(results[i].state, GetResult::State::kFound);
        }
      }
    }
  }
}

// Operands of one block share one reference to it, also with the value there.
TEST(ReadAllocations, PinnedOperandsTakeOneForABlock) {
  constexpr size_t kOperands = 40;
  for (const bool cached : {true, false}) {
    TableOptions options;
    options.block_size = 4000;
    std::vector<Entry> entries;
    for (size_t i = 0; i < kOperands; ++i) {
      entries.push_back(Operand("key", 100 - i, "operand" + std::to_string(i)));
    }
    entries.push_back(Value("key", 1, "value"));
    ReaderOptions reader_options;
    if (cached) reader_options.block_cache = NewCache(true);
    const auto reader = OpenTable(BuildTable(options, entries), reader_options);
    std::vector<PinnableSlice> operands(kOperands);
    uint64_t of_pins[2] = {};
    GetResult result;
    for (int warm = 0; warm < 2; ++warm) {
      for (const bool pins : {false, true}) {
        size_t n = 0;
        const MergeOperandCallback take = [&](const MergeOperand& operand,
                                              SequenceNumber) {
          if (pins) operand.Pin(&operands[n]);
          ++n;
          return true;
        };
        const uint64_t before = allocations;
        const Status status =
            reader->Get({}, "key", kMaxSequenceNumber, &result, take);
        of_pins[pins ? 1 : 0] = allocations - before;
        Require(status);
        EXPECT_EQ(n, kOperands);
      }
    }
    // A block that is in no cache is given away in both cases: to the value, or
    // to all of them together.
    EXPECT_EQ(of_pins[1], of_pins[0] + 1) << cached;
    if (cached) {
      EXPECT_EQ(of_pins[1], 1u);
    }
    // No byte is copied: they lie in the block as they are stored.
    const char* const value = result.value.data();
    for (size_t i = 0; i < kOperands; ++i) {
      EXPECT_EQ(operands[i].ToString(), "operand" + std::to_string(i));
      EXPECT_LT(std::abs(operands[i].data() - value), 4000);
    }
  }
}

// A table that is larger than its cache, so that nearly every read loads a
// block and evicts another one. Entries are of one size, and so are the blocks.
std::unique_ptr<TableReader> ReaderOfSmallCache(CompressionType codec) {
  std::vector<Entry> entries;
  entries.reserve(static_cast<size_t>(kEntries));
  for (int i = 0; i < kEntries; ++i) {
    entries.push_back({MakeInternalKey(KeyNumber(i), 1, ValueType::kTypeValue),
                       std::string(100, static_cast<char>('a' + i % 26))});
  }
  TableOptions options;
  options.block_size = 2000;
  options.compression = codec;
  ReaderOptions reader_options;
  HyperClockCacheOptions cache;
  cache.capacity = size_t{100} << 10;
  cache.estimated_entry_charge = 2000;
  reader_options.block_cache = std::move(NewHyperClockCache(cache)).value();
  return OpenTable(BuildTable(options, entries, FixedBuild()), reader_options);
}

// Once the cache is full and the thread has its working areas, a block gets the
// memory of one that was evicted.
TEST(ReadAllocations, MissesTakeNone) {
  const ScopedPerfLevel level(PerfLevel::kEnableCount);
  for (const CompressionType codec :
       {CompressionType::kNoCompression, CompressionType::kLZ4Compression,
        CompressionType::kZSTD, CompressionType::kSnappyCompression}) {
    if (!IsCompressionSupported(codec)) continue;
    const auto reader = ReaderOfSmallCache(codec);
    constexpr size_t kBatch = 16;
    std::vector<std::string> keys(kBatch);
    std::vector<GetResult> results(kBatch);
    std::vector<Status> statuses(kBatch);
    GetResult result;
    const auto read_all = [&](bool batches) {
      for (int i = 0; i < kEntries; ++i) {
        // In a batch, each key is in a block of its own.
        keys[static_cast<size_t>(i) % kBatch] = KeyNumber(i * 67 % kEntries);
        if (!batches) {
          Require(reader->Get(keys[static_cast<size_t>(i) % kBatch], &result));
        } else if (static_cast<size_t>(i) % kBatch == kBatch - 1) {
          std::array<Slice, kBatch> slices;
          std::copy(keys.begin(), keys.end(), slices.begin());
          reader->MultiGet(slices, results, statuses);
        }
      }
    };
    for (const bool batches : {false, true}) {
      read_all(batches);
      const uint64_t misses = GetPerfContext()->block_cache_miss_count;
      const uint64_t before = allocations;
      read_all(batches);
      EXPECT_EQ(allocations - before, 0u)
          << CompressionTypeName(codec) << ", batches: " << batches;
      EXPECT_GT(GetPerfContext()->block_cache_miss_count - misses,
                uint64_t{kEntries} / 2);
    }
  }
}

}  // namespace
}  // namespace ashlar::testing
