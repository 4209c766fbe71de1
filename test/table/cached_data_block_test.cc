// Tests what the block cache holds for a data block: that it is made of the
// bytes where they were loaded to, that it is what a block made by copying is,
// and that it takes the memory that it says.

#include "table/load/cached_data_block.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "ashlar/util/memory_allocator.h"
#include "port/usable_bytes.h"
#include "table/load/block_memory.h"
#include "test/support/built_block.h"
#include "test/support/random.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

using namespace internal;

// Counts what was allocated, and what of that was not given back.
class CountingAllocator : public MemoryAllocator {
 public:
  const char* Name() const override { return "counting"; }
  void* Allocate(size_t size) override {
    if (fails) return nullptr;
    ++live;
    ++taken;
    return std::malloc(size);
  }
  void Deallocate(void* memory) override {
    --live;
    std::free(memory);
  }
  size_t UsableSize(void* /*memory*/, size_t size) const override {
    return size + 1000;
  }

  int live = 0;
  int taken = 0;
  bool fails = false;
};

std::string BlockOf(int entries, size_t value_size) {
  std::vector<Entry> all;
  all.reserve(static_cast<size_t>(entries));
  for (int i = 0; i < entries; ++i) {
    all.push_back({MakeInternalKey("key" + std::to_string(1000 + i), 5,
                                   ValueType::kTypeValue),
                   std::string(value_size, static_cast<char>('a' + i % 20))});
  }
  return BuildDataBlock(all, {.restart_interval = 16}).bytes;
}

BlockPlace PlaceOf(const std::string& bytes) {
  return {BlockKind::kData, {77, bytes.size()}};
}

// Makes a block of bytes that are in the room already, or are copied.
std::unique_ptr<CachedDataBlock> Make(const std::string& bytes,
                                      const KeyOrder* order, bool loaded_there,
                                      BlockRoom* room) {
  Slice contents(bytes);
  if (loaded_there) {
    char* const to = room->Take(bytes.size());
    std::copy(bytes.begin(), bytes.end(), to);
    contents = Slice(to, bytes.size());
  }
  std::unique_ptr<CachedDataBlock> block;
  uint32_t interval = 0;
  Require(CachedDataBlock::Make(PlaceOf(bytes), contents, order, &interval,
                                room, &block));
  return block;
}

std::string SavedBytes(const CachedDataBlock& block) {
  std::string saved(block.SavedSize(), '\0');
  block.SaveTo(saved.data());
  return saved;
}

TEST(CachedDataBlock, StaysWhereItWasLoadedTo) {
  const KeyOrder order(BytewiseComparator());
  const std::string bytes = BlockOf(30, 100);
  CountingAllocator counting;
  BlockRoom room(&counting, CachedDataBlock::FrontBytes(400));
  char* const to = room.Take(bytes.size());
  std::copy(bytes.begin(), bytes.end(), to);
  std::unique_ptr<CachedDataBlock> block;
  uint32_t interval = 0;
  Require(CachedDataBlock::Make(PlaceOf(bytes), Slice(to, bytes.size()), &order,
                                &interval, &room, &block));
  EXPECT_EQ(block->view().entries, to);
  EXPECT_EQ(counting.taken, 1) << "copied";
  EXPECT_TRUE(block->has_room_for_words());
  EXPECT_FALSE(room.Holds(Slice(to, bytes.size()))) << "two owners";
}

// Whether the bytes were there or not, and whether the room for the words was
// too small, right or too large, the block is the same.
TEST(CachedDataBlock, IsTheSameHoweverItWasMade) {
  const KeyOrder order(BytewiseComparator());
  CountingAllocator counting;
  ForEachSeed(1, 40, [&](uint64_t seed) {
    Random random(seed);
    const std::string bytes =
        BlockOf(static_cast<int>(1 + random.Below(80)), random.Below(300));
    std::string saved;
    for (const bool loaded_there : {false, true}) {
      for (MemoryAllocator* const allocator :
           {static_cast<MemoryAllocator*>(nullptr),
            static_cast<MemoryAllocator*>(&counting)}) {
        for (const size_t word_bytes :
             {size_t{0}, size_t{8}, random.Below(100) * 8, size_t{4096}}) {
          BlockRoom room(allocator, CachedDataBlock::FrontBytes(word_bytes));
          const auto block = Make(bytes, &order, loaded_there, &room);
          ASSERT_NE(block, nullptr);
          const char* const entries = block->view().entries;
          ASSERT_EQ(std::string(entries, bytes.size()), bytes);
          EXPECT_EQ(reinterpret_cast<uintptr_t>(entries) % 8, 0u);
          EXPECT_EQ(block->handle(), PlaceOf(bytes).handle);
          EXPECT_EQ(SavedBytes(*block).substr(16), bytes);
          block->MakeWordsOfFound(order);
          block->MakeWordsOfFound(order);
          EXPECT_EQ(block->words().any(), block->has_room_for_words());
          // Words are written before the bytes, and not into them.
          ASSERT_EQ(std::string(entries, bytes.size()), bytes);
          EXPECT_EQ(block->checked_by(), nullptr);
          if (saved.empty()) saved = SavedBytes(*block);
          EXPECT_EQ(SavedBytes(*block), saved);
          EXPECT_EQ(block->ApproximateMemoryUsage() > bytes.size(), true);
        }
      }
    }
    EXPECT_EQ(counting.live, 0);
    std::unique_ptr<CachedDataBlock> created;
    Require(CachedDataBlock::Create(saved, &order, &counting, &created));
    EXPECT_EQ(SavedBytes(*created), saved);
  });
  EXPECT_EQ(counting.live, 0);
}

// A piece is charged what it takes, however large, from malloc, from a thread's
// spare pieces or from an allocator.
TEST(CachedDataBlock, TakesTheMemoryThatItSays) {
  CountingAllocator counting;
  for (const size_t value_size : {10u, 500u, 9000u, 40000u}) {
    const std::string bytes = BlockOf(2, value_size);
    for (int again = 0; again < 3; ++again) {
      BlockRoom room(nullptr, CachedDataBlock::FrontBytes(64));
      const auto block = Make(bytes, nullptr, true, &room);
      // Where malloc cannot be asked, it is what was asked for.
      const size_t usage = block->ApproximateMemoryUsage();
      EXPECT_EQ(usage, port::UsableBytes(block.get(), usage));
    }
    BlockRoom room(&counting, CachedDataBlock::FrontBytes(64));
    const auto block = Make(bytes, nullptr, true, &room);
    EXPECT_EQ(block->ApproximateMemoryUsage(), CachedDataBlock::FrontBytes(64) +
                                                   bytes.size() +
                                                   BlockRoom::kSlack + 1000);
  }
}

TEST(CachedDataBlock, WantOfMemoryIsNoFault) {
  const KeyOrder order(BytewiseComparator());
  const std::string bytes = BlockOf(30, 100);
  CountingAllocator counting;
  std::unique_ptr<CachedDataBlock> block;
  uint32_t interval = 0;
  {
    counting.fails = true;
    BlockRoom room(&counting, CachedDataBlock::FrontBytes(0));
    EXPECT_EQ(room.Take(1), nullptr);
    Require(CachedDataBlock::Make(PlaceOf(bytes), bytes, &order, &interval,
                                  &room, &block));
    EXPECT_EQ(block, nullptr);
  }
  {
    // There is none for the words.
    counting.fails = false;
    BlockRoom room(&counting, CachedDataBlock::FrontBytes(0));
    char* const to = room.Take(bytes.size());
    std::copy(bytes.begin(), bytes.end(), to);
    counting.fails = true;
    Require(CachedDataBlock::Make(PlaceOf(bytes), Slice(to, bytes.size()),
                                  &order, &interval, &room, &block));
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(block->view().entries, to);
    EXPECT_FALSE(block->has_room_for_words());
    block = nullptr;
  }
  EXPECT_EQ(counting.live, 0);
}

// Bytes that do not parse leave nothing behind.
TEST(CachedDataBlock, DamagedBytesMakeNoBlock) {
  CountingAllocator counting;
  const std::string bytes = "no block at all.........\xff\xff\xff\x7f";
  for (const bool loaded_there : {false, true}) {
    BlockRoom room(&counting, CachedDataBlock::FrontBytes(8));
    Slice contents(bytes);
    if (loaded_there) {
      char* const to = room.Take(bytes.size());
      std::copy(bytes.begin(), bytes.end(), to);
      contents = Slice(to, bytes.size());
    }
    std::unique_ptr<CachedDataBlock> block;
    uint32_t interval = 0;
    EXPECT_TRUE(CachedDataBlock::Make(PlaceOf(bytes), contents, nullptr,
                                      &interval, &room, &block)
                    .IsCorruption());
    EXPECT_EQ(block, nullptr);
  }
  EXPECT_EQ(counting.live, 0);
}

}  // namespace
}  // namespace ashlar::testing
