// Tests key/value blocks: their bytes, iterators in both directions, and where
// data blocks are cut.

#include "table/block/block.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "table/block/block_builder.h"
#include "table/block/block_iterator.h"
#include "table/write/flush_policy.h"
#include "test/support/random_table.h"
#include "test/support/reference_reader.h"
#include "test/support/tables.h"
#include "util/coding/word_compare.h"

namespace ashlar::testing {
namespace {

using namespace internal;

std::string BuildBlock(const std::vector<Entry>& entries, int interval) {
  Buffer buffer;
  BlockBuilder builder(interval, &buffer);
  Slice last;
  for (const Entry& entry : entries) {
    builder.Add(entry.key, CommonPrefix(last, entry.key), entry.value);
    last = entry.key;
  }
  const size_t estimate = builder.SizeEstimate();
  std::string block = builder.Finish().ToString();
  EXPECT_EQ(block.size(), estimate);
  return block;
}

// Builds the same block with separated values, in the simplest way.
std::string SeparatedBlock(const std::vector<Entry>& entries, size_t interval) {
  std::string keys;
  std::string values;
  std::string restarts;
  for (size_t i = 0; i < entries.size(); ++i) {
    const bool restart = i % interval == 0;
    const std::string& key = entries[i].key;
    const size_t shared = restart ? 0 : CommonPrefix(entries[i - 1].key, key);
    if (restart) AppendFixed32(&restarts, static_cast<uint32_t>(keys.size()));
    AppendVarint64(&keys, shared);
    AppendVarint64(&keys, key.size() - shared);
    AppendVarint64(&keys, entries[i].value.size());
    if (restart) AppendVarint64(&keys, values.size());
    keys.append(key, shared);
    values.append(entries[i].value);
  }
  if (entries.empty()) AppendFixed32(&restarts, 0);
  std::string block = keys + values + restarts;
  AppendFixed32(&block, static_cast<uint32_t>(keys.size()));
  AppendFixed32(&block, 1u << 28 | static_cast<uint32_t>(restarts.size() / 4));
  return block;
}

TEST(BlockBuilder, EmptyBlock) {
  EXPECT_EQ(Hex(BuildBlock({}, 16)), "0000000001000000");
}

TEST(BlockBuilder, RestartsEveryInterval) {
  const std::vector<Entry> entries = {
      {"aa", "1"}, {"ab", "2"}, {"abc", ""}, {"b", "3"}, {"bb", "44"}};
  EXPECT_EQ(Hex(BuildBlock(entries, 2)),
            "000201616131"  // aa
            "01010162"
            "32"            // a|b
            "000300616263"  // abc, whole
            "00010162"
            "33"  // b shares nothing
            "000202"
            "6262"
            "3434"  // bb, whole
            "00000000"
            "0b000000"
            "16000000"
            "03000000");
  EXPECT_EQ(Hex(BuildBlock(entries, BlockBuilder::kOneRestart)),
            "000201616131"
            "0101016232"
            "02010063"
            "0001016233"
            "010102623434"
            "00000000"
            "01000000");
}

TEST(BlockBuilder, LongLengthsTakeLongVarints) {
  const std::string key(200, 'k');
  const std::string value(20000, 'v');
  const std::string block = BuildBlock({{key, value}}, 16);
  EXPECT_EQ(Hex(block.substr(0, 6)), "00c801a09c01");
  EXPECT_EQ(block.size(), 6 + 200 + 20000 + 8u);
}

// One builder makes several blocks in one buffer, with other bytes between
// them.
TEST(BlockBuilder, BlocksFollowOneAnother) {
  Buffer buffer;
  buffer.Append("before");
  BlockBuilder builder(16, &buffer);
  builder.Add("key", 0, "value");
  const std::string first = builder.Finish().ToString();
  buffer.Append("between");
  builder.Start();
  EXPECT_TRUE(builder.empty());
  EXPECT_TRUE(builder.NextIsRestart());
  builder.Add("key", 3, "value");  // shares nothing: first entry
  EXPECT_FALSE(builder.empty());
  EXPECT_FALSE(builder.NextIsRestart());
  EXPECT_EQ(builder.Finish().ToString(), first);
}

// --- Iterators ---------------------------------------------------------------

struct Walker {
  Walker(const std::string& bytes, const Comparator* comparator)
      : contents(bytes), it(KeyOrder(comparator)) {
    const BlockPlace place{BlockKind::kData, {0, bytes.size()}};
    BlockView view;
    Require(ParseBlock(contents, place, &view));
    it.Reset(view, place);
  }
  std::string contents;
  BlockIterator it;
};

void ExpectAt(const BlockIterator& it, const Model& model, int64_t position) {
  const bool inside =
      position >= 0 && position < static_cast<int64_t>(model.entries().size());
  ASSERT_TRUE(it.status().ok()) << it.status().ToString();
  ASSERT_EQ(it.Valid(), inside);
  if (!inside) return;
  const Entry& entry = model.entries()[static_cast<size_t>(position)];
  ASSERT_TRUE(it.key() == Slice(entry.key));
  ASSERT_TRUE(it.value() == Slice(entry.value));
}

void WalkAtRandom(const Model& model, const Comparator* comparator,
                  int interval, Random* random) {
  Walker walker(
      random->OneIn(2)
          ? BuildBlock(model.entries(), interval)
          : SeparatedBlock(model.entries(), static_cast<size_t>(interval)),
      comparator);
  BlockIterator& it = walker.it;
  const auto size = static_cast<int64_t>(model.entries().size());
  for (int i = 0; i < 30; ++i) {
    int64_t position = 0;
    if (random->OneIn(4)) {
      ASSERT_EQ(it.SeekToFirst(), size > 0);
    } else if (random->OneIn(3)) {
      position = size - 1;
      ASSERT_EQ(it.SeekToLast(), size > 0);
    } else {
      const std::string target =
          MakeInternalKey(RandomTarget(model, random), random->Below(500),
                          ValueType::kTypeValue);
      position = static_cast<int64_t>(model.LowerBound(target));
      ASSERT_EQ(it.Seek(target), position < size);
    }
    ASSERT_NO_FATAL_FAILURE(ExpectAt(it, model, position));
    while (it.Valid() && !random->OneIn(12)) {
      const bool forward = random->OneIn(2);
      position += forward ? 1 : -1;
      const bool on_entry = forward ? it.Next() : it.Prev();
      ASSERT_EQ(on_entry, it.Valid());
      ASSERT_NO_FATAL_FAILURE(ExpectAt(it, model, position));
    }
  }
}

TEST(BlockIterator, RandomWalks) {
  ForEachSeed(5000, 150, [](uint64_t seed) {
    constexpr int kIntervals[] = {1, 2, 3, 16, 1000};
    Random random(seed);
    const RandomTable table = MakeRandomTable(&random);
    WalkAtRandom(table.model, table.options.comparator, random.Pick(kIntervals),
                 &random);
  });
}

// The keys are out of order at the end of a restart interval. A walk in either
// direction reports the damage before it shows both misplaced keys.
TEST(BlockIterator, DisorderAroundARestartPoint) {
  const std::string block = BuildBlock({Value("a", 1, ""), Value("d", 1, ""),
                                        Value("c", 1, ""), Value("e", 1, "")},
                                       2);
  for (const bool backward : {false, true}) {
    Walker walker(block, BytewiseComparator());
    BlockIterator& it = walker.it;
    bool on_entry = backward ? it.SeekToLast() : it.SeekToFirst();
    int entries = 0;
    for (; on_entry; on_entry = backward ? it.Prev() : it.Next()) ++entries;
    EXPECT_TRUE(it.status().IsCorruption()) << it.status().ToString();
    EXPECT_EQ(entries, 2);
  }
}

TEST(Block, EmptyOnes) {
  for (const char* hex : {"0000000001000000", "00000000"}) {
    Walker walker(Unhex(hex), BytewiseComparator());
    EXPECT_FALSE(walker.it.SeekToFirst());
    EXPECT_FALSE(walker.it.SeekToLast());
    EXPECT_FALSE(walker.it.Seek(Value("k", 1, "").key));
    EXPECT_TRUE(walker.it.status().ok());
  }
}

// A hash index is stored before the last four bytes. The iterator skips it.
TEST(Block, HashIndexIsSkipped) {
  std::string block = BuildBlock({Value("k", 1, "v")}, 16);
  block.resize(block.size() - 4);
  block += std::string("\0\xff\xff\x03\0", 5);
  AppendFixed32(&block, 1u << 31 | 1);
  Walker walker(block, BytewiseComparator());
  ASSERT_TRUE(walker.it.SeekToFirst());
  EXPECT_EQ(walker.it.value().ToStringView(), "v");
  EXPECT_FALSE(walker.it.Next());
  EXPECT_TRUE(walker.it.status().ok());
}

// Only data blocks may have separated values.
TEST(Block, SeparatedOnesAreDataBlocks) {
  const std::string block = SeparatedBlock({Value("k", 1, "v")}, 16);
  for (const BlockKind kind :
       {BlockKind::kIndex, BlockKind::kIndexPartition, BlockKind::kMetaIndex,
        BlockKind::kProperties, BlockKind::kRangeDeletion}) {
    BlockView view;
    EXPECT_TRUE(ParseBlock(block, {kind, {}}, &view).IsCorruption());
  }
}

// Damages the fields that only blocks with separated values have.
TEST(Block, SeparatedOnesAreChecked) {
  const auto expect_error = [](const std::string& block, const char* words) {
    Walker walker(block, BytewiseComparator());
    bool on = walker.it.SeekToFirst();
    while (on) on = walker.it.Next();
    EXPECT_TRUE(walker.it.status().IsCorruption()) << words;
    EXPECT_NE(walker.it.status().message().find(words), std::string_view::npos)
        << walker.it.status().ToString();
  };
  // The block has entries of 13 and 12 bytes, the values "xyy", and the restart
  // point at 0.
  const std::string block =
      SeparatedBlock({Value("a", 1, "x"), Value("b", 1, "yy")}, 16);
  std::string value_too_long = block;
  value_too_long[13 + 2] = 3;
  expect_error(value_too_long, "header does not fit");
  std::string starts_too_late = block;
  starts_too_late[3] = 2;
  expect_error(starts_too_late, "header does not fit");
  // The same entries with two restart points. The second one is changed to
  // point into the second entry.
  std::string amid =
      SeparatedBlock({Value("a", 1, "x"), Value("b", 1, "yy")}, 1);
  const size_t second = amid.size() - 12;
  ASSERT_EQ(amid[second], 13);
  amid[second] = 14;
  expect_error(amid, "bad entry");
}

// Every prefix, every suffix and every changed byte gives an error or a smaller
// sound block. The walks never read past the end of the block.
void CutAndChange(const std::string& block) {
  const auto walk = [](const std::string& bytes) {
    // The buffer has exactly this size, so that AddressSanitizer reports a read
    // of one byte too many.
    const std::unique_ptr<char[]> exact(new char[bytes.size()]);
    std::copy(bytes.begin(), bytes.end(), exact.get());
    BlockView view;
    const BlockPlace place{BlockKind::kData, {0, bytes.size()}};
    if (!ParseBlock(Slice(exact.get(), bytes.size()), place, &view).ok()) {
      return;
    }
    BlockIterator it{KeyOrder(BytewiseComparator())};
    it.Reset(view, {});
    for (bool on = it.SeekToFirst(); on;) on = it.Next();
    it.Reset(view, {});
    for (bool on = it.SeekToLast(); on;) on = it.Prev();
    it.Reset(view, {});
    it.Seek(Value("ab", 2, "").key);
  };
  for (size_t size = 0; size <= block.size(); ++size) {
    walk(block.substr(0, size));
    walk(block.substr(size));
  }
  for (size_t i = 0; i < block.size(); ++i) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string changed = block;
      changed[i] = static_cast<char>(byte);
      walk(changed);
    }
  }
}

TEST(Block, EveryPrefixAndEveryByte) {
  const std::vector<Entry> entries = {Value("aa", 3, "x"), Value("ab", 2, "yy"),
                                      Value("abc", 1, ""),
                                      Value("b", 9, "zzz")};
  CutAndChange(BuildBlock(entries, 2));
  CutAndChange(SeparatedBlock(entries, 2));
}

// --- Where data blocks are cut -----------------------------------------------

// The rule as the documentation states it: a block is cut when it has
// `block_size` bytes, or when it has more than the given share of them and the
// next entry would make it larger than `block_size`.
bool CutByTheRule(uint64_t block_size, int deviation, uint64_t size,
                  uint64_t key, uint64_t value, bool restart) {
  if (size >= block_size) return true;
  if (deviation == 100) return false;
  const uint64_t share =
      (block_size * (100 - static_cast<uint64_t>(deviation)) + 99) / 100;
  if (size <= share) return false;
  uint64_t after = size + key + value + 4;
  if (restart) after += 4;
  std::string lengths;
  AppendVarint64(&lengths, key);
  AppendVarint64(&lengths, value);
  return after + lengths.size() > block_size;
}

TEST(FlushPolicy, FollowsTheRule) {
  constexpr uint64_t kSizes[] = {1, 100, 1000, 4096, uint64_t{1} << 28};
  constexpr int kDeviations[] = {0, 1, 10, 60, 99, 100};
  Random random(9);
  for (int i = 0; i < 50000; ++i) {
    const uint64_t block_size = random.Pick(kSizes);
    const int deviation = random.Pick(kDeviations);
    const uint64_t size = random.Below(block_size + block_size / 8 + 2);
    const uint64_t key = random.Below(random.OneIn(2) ? 30 : 5000);
    const uint64_t value = random.Below(random.OneIn(2) ? 200 : 50000);
    const bool restart = random.OneIn(2);
    ASSERT_EQ(
        FlushPolicy(block_size, deviation).ShouldCut(size, key, value, restart),
        CutByTheRule(block_size, deviation, size, key, value, restart))
        << block_size << ' ' << deviation << ' ' << size << ' ' << key << ' '
        << value << ' ' << restart;
  }
}

// An entry joins the block only if readers accept both together by default. It
// does not depend on the rule of an application, which may never cut.
TEST(FlushPolicy, BlocksStayWithinWhatReadersAccept) {
  constexpr uint64_t kMostReadBytes = uint64_t{1} << 30;
  ASSERT_EQ(ReaderOptions().max_uncompressed_block_bytes, kMostReadBytes);
  constexpr uint64_t kLargestBlockSize = uint64_t{1} << 28;
  constexpr uint64_t kMostKey =
      TableBuilder::kMaxUserKeyBytes + kInternalKeyTailBytes;
  constexpr uint64_t kMostOfHeader = 5 * kMaxVarint32Bytes;
  for (const FlushPolicy& policy :
       {FlushPolicy::OfApplication(), FlushPolicy(kLargestBlockSize, 10),
        FlushPolicy(kLargestBlockSize, 100)}) {
    for (uint64_t value = 0; value <= TableBuilder::kMaxValueBytes;
         value += 100'003) {
      for (const uint64_t size :
           {uint64_t{100}, uint64_t{200} << 20, kLargestBlockSize * 9 / 10,
            kLargestBlockSize - 1, kLargestBlockSize}) {
        for (const uint64_t key : {uint64_t{8}, kMostKey}) {
          if (policy.ShouldCut(size, key, value, true)) continue;
          ASSERT_LE(size + key + value + kMostOfHeader, kMostReadBytes);
        }
      }
    }
    EXPECT_FALSE(policy.ShouldCut(100, 20, TableBuilder::kMaxValueBytes, true));
    EXPECT_TRUE(policy.ShouldCut(uint64_t{200} << 20, 20,
                                 TableBuilder::kMaxValueBytes, true));
  }
}

TEST(FlushPolicy, BlocksOfARealTable) {
  TableOptions options;
  options.block_size = 200;
  options.compression = CompressionType::kNoCompression;
  options.use_delta_encoding = false;
  std::vector<Entry> entries;
  entries.reserve(50);
  for (int i = 0; i < 50; ++i) {
    entries.push_back(Value("key" + std::to_string(100 + i), 1,
                            std::string(i == 25 ? 1000 : 20, 'v')));
  }
  const auto index = ReadReferenceTable(BuildTable(options, entries)).index;
  // An entry takes 3 + 14 + 20 bytes, and the block 8 more. Four entries take
  // 156 bytes. A fifth makes 193, more than nine tenths of 200, and a sixth
  // would not fit.
  for (size_t i = 0; i < index.size(); ++i) {
    const uint64_t size = index[i].second.second;
    if (size > 1000) continue;
    EXPECT_LE(size, 200u);
    EXPECT_TRUE(size == 193 || i + 1 == index.size() ||
                index[i + 1].second.second > 1000)
        << "block " << i << ": " << size;
  }
}

}  // namespace
}  // namespace ashlar::testing
