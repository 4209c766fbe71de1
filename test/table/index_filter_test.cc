// Tests index blocks in both forms of keys and handles.

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "table/index/binary_search_index.h"
#include "test/support/random.h"
#include "test/support/reference_reader.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

using namespace internal;

constexpr BlockPlace kPlace{BlockKind::kIndex, {0, 0}};
constexpr uint64_t kFileLimit = uint64_t{1} << 40;

struct Block {
  std::string first_key;
  std::string last_key;
  BlockHandle handle;
};

std::vector<Block> SomeBlocks() {
  return {{Value("apple", 1, "").key, Value("banana", 1, "").key, {0, 100}},
          {Value("cherry", 1, "").key, Value("cherrz", 1, "").key, {105, 90}},
          {Value("cherrzz", 1, "").key, Value("fig", 1, "").key, {200, 4000}}};
}

std::string EncodeIndex(const TableOptions& options,
                        const std::vector<Block>& blocks, IndexForm* form) {
  class Sink final : public IndexSink {
   public:
    Status Store(BlockKind, const Slice& block, BlockHandle*) override {
      bytes = block.ToString();
      return {};
    }
    Status StoreNamed(std::string_view, const Slice&) override { return {}; }
    std::string bytes;
  } sink;
  BinarySearchIndexBuilder builder(options, false);
  for (size_t i = 0; i < blocks.size(); ++i) {
    const bool last = i + 1 == blocks.size();
    const Slice next = last ? Slice() : UserKeyOf(blocks[i + 1].first_key);
    builder.Prepare(UserKeyOf(blocks[i].last_key), TailOf(blocks[i].last_key),
                    last ? nullptr : &next, 0);
    builder.Finish(blocks[i].handle);
  }
  WrittenIndex written;
  Require(builder.Write(&sink, &written));
  *form = builder.form();
  return sink.bytes;
}

ParsedIndex ParseIndex(const std::string& block, const IndexForm& form) {
  ParsedIndex index(KeyOrder(BytewiseComparator()), form);
  Require(index.Parse(block, kPlace, kFileLimit));
  return index;
}

TEST(Index, BytesOfTheDeltaForm) {
  TableOptions options;
  options.format_version = 6;
  options.index_block_restart_interval = 16;
  IndexForm form;
  const std::string block = EncodeIndex(options, SomeBlocks(), &form);
  EXPECT_TRUE(form.user_keys);
  EXPECT_TRUE(form.delta_handles);
  EXPECT_EQ(Hex(block),
            Hex(Unhex("0001 63 00 64"  // "c", (0, 100)
                                       // c|herrz, follows, 10 bytes less
                      "0105 686572727a 13"
                      // "fig" shares nothing: (200, 4000)
                      "0003 666967 c801 a01f"
                      "00000000 01000000")));
}

TEST(Index, BytesOfTheDeltaFormWithAGap) {
  TableOptions options;
  options.format_version = 4;
  options.index_block_restart_interval = 16;
  std::vector<Block> blocks = SomeBlocks();
  blocks[1].handle.offset = 1000;
  IndexForm form;
  const std::string block = EncodeIndex(options, blocks, &form);
  // A handle that does not follow the previous one is stored whole. The key
  // must be whole too then.
  EXPECT_EQ(Hex(block), Hex(Unhex("0001 63 00 64"
                                  "0006 63686572727a e807 5a"
                                  "0003 666967 c801 a01f"
                                  "00000000 01000000")));
}

TEST(Index, BytesOfTheFullForm) {
  TableOptions options;
  options.format_version = 2;
  IndexForm form;
  const std::string block = EncodeIndex(options, SomeBlocks(), &form);
  EXPECT_FALSE(form.user_keys);
  EXPECT_FALSE(form.delta_handles);
  EXPECT_EQ(Hex(block), Hex(Unhex("000902 63 18ffffffffffffff 0064"
                                  "000e02 63686572727a 0101000000000000 695a"
                                  "000b04 666967 0101000000000000 c801a01f"
                                  "00000000 0e000000 21000000 03000000")));
}

TEST(Index, NoShortening) {
  TableOptions options;
  options.format_version = 3;
  options.index_shortening = IndexShortening::kNoShortening;
  IndexForm form;
  const auto index =
      ParseIndex(EncodeIndex(options, SomeBlocks(), &form), form);
  EXPECT_TRUE(form.user_keys);
  EXPECT_FALSE(form.delta_handles);
  std::string memory;
  EXPECT_EQ(index.separator(0, &memory).ToStringView(), "banana");
}

TEST(Index, EmptyOne) {
  IndexForm form;
  const std::string block = EncodeIndex({}, {}, &form);
  EXPECT_EQ(Hex(block), "0000000001000000");
  const auto index = ParseIndex(block, form);
  EXPECT_EQ(index.size(), 0u);
  EXPECT_EQ(index.Find(Value("k", 1, "").key), 0u);
}

// One user key is in two blocks, so the whole index has internal keys.
TEST(Index, KeyThatSpansBlocks) {
  const std::vector<Block> blocks = {
      {Value("a", 9, "").key, Value("k", 5, "").key, {0, 10}},
      {Value("k", 4, "").key, Value("k", 3, "").key, {15, 10}},
      {Value("k", 2, "").key, Value("z", 1, "").key, {30, 10}}};
  IndexForm form;
  const auto index = ParseIndex(EncodeIndex({}, blocks, &form), form);
  EXPECT_FALSE(form.user_keys);
  EXPECT_TRUE(form.delta_handles);
  std::string memory;
  EXPECT_TRUE(index.separator(0, &memory) == Slice(blocks[0].last_key));
  EXPECT_EQ(index.Find(Value("k", 9, "").key), 0u);
  EXPECT_EQ(index.Find(Value("k", 5, "").key), 0u);
  EXPECT_EQ(index.Find(Value("k", 4, "").key), 1u);
  EXPECT_EQ(index.Find(Value("k", 2, "").key), 2u);
  EXPECT_EQ(index.Find(Value("zz", 2, "").key), 3u);
}

// Writers give separators different value types, which mean nothing there: 0x18
// and 0x16 in RocksDB's releases, 17 in Pebble, 1 in LevelDB, and perhaps
// others.
TEST(Index, SeparatorsHaveAnyType) {
  TableOptions options;
  options.format_version = 2;
  options.index_shortening = IndexShortening::kNoShortening;
  for (const int type : {0x00, 0x01, 0x03, 0x11, 0x16, 0x18, 0x7f, 0xff}) {
    const std::string last =
        MakeInternalKey("k", 5, static_cast<ValueType>(type));
    IndexForm form;
    const std::string bytes =
        EncodeIndex(options,
                    {{Value("a", 9, "").key, last, {0, 10}},
                     {Value("m", 4, "").key, Value("z", 1, "").key, {15, 10}}},
                    &form);
    ASSERT_FALSE(form.user_keys);
    const auto index = ParseIndex(bytes, form);
    std::string memory;
    EXPECT_TRUE(index.separator(0, &memory) == Slice(last));
    EXPECT_EQ(index.Find(Value("k", 6, "").key), 0u);
    EXPECT_EQ(index.Find(Value("k", 4, "").key), 1u);
  }
}

TEST(Index, RandomRoundTrips) {
  ForEachSeed(7000, 200, [](uint64_t seed) {
    Random random(seed);
    TableOptions options;
    options.format_version = static_cast<uint32_t>(random.Between(2, 7));
    options.index_block_restart_interval =
        static_cast<int>(random.Between(1, 20));
    std::vector<Block> blocks;
    uint64_t offset = 0;
    for (uint64_t i = random.Below(60); i > 0; --i) {
      if (random.OneIn(5)) offset += random.Below(5000);
      const std::string key = std::to_string(10000 + blocks.size());
      std::string last = key + "b";
      last += random.Text(random.Below(5));
      blocks.push_back({Value(key + "a", 1, "").key,
                        Value(last, 1, "").key,
                        {offset, random.Below(random.OneIn(3) ? 9 : 99999)}});
      offset = blocks.back().handle.End();
    }
    IndexForm form;
    const auto index = ParseIndex(EncodeIndex(options, blocks, &form), form);
    ASSERT_EQ(index.size(), blocks.size());
    for (size_t i = 0; i < blocks.size(); ++i) {
      EXPECT_EQ(index.handle(i), blocks[i].handle);
      EXPECT_EQ(index.Find(blocks[i].first_key), i);
      EXPECT_EQ(index.Find(blocks[i].last_key), i);
      EXPECT_GE(index.CompareSeparator(i, blocks[i].last_key), 0);
      if (i + 1 < blocks.size()) {
        EXPECT_LT(index.CompareSeparator(i, blocks[i + 1].first_key), 0);
      }
    }
  });
}

}  // namespace
}  // namespace ashlar::testing
