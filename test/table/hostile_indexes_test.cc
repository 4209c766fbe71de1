// Tests indexes that no builder makes, in files whose checksums are right:
// partitions that are empty, out of order or too large for memory, and first
// keys that are not within their blocks. Reads and the inspection name the
// block and the cause.

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ashlar/table/inspect.h"
#include "ashlar/table/table_reader.h"
#include "table/block/block.h"
#include "table/block/block_builder.h"
#include "test/support/hand_made_table.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

using internal::BlockHandle;

// Entries of one index block: separators and the handles behind them.
using IndexRows = std::vector<Entry>;

const std::string kA = Value("a", 7, "").key;
const std::string kB = Value("b", 7, "").key;
const std::string kC = Value("c", 7, "").key;

// A table whose index has two levels. Its data blocks have the keys a, b and c.
struct Partitioned {
  Partitioned() {
    table.properties.index_type = 2;
    table.properties.num_entries = 3;
    table.properties.num_data_blocks = 3;
    for (const std::string& key : {kA, kB, kC}) {
      data.push_back(Coded(table.Append(WholeKeysBlock({{key, "v"}}))));
    }
  }
  // Adds a partition, under this separator in the top level.
  void Add(const std::string& separator, const std::string& block) {
    top.push_back({separator, Coded(table.Append(block))});
  }
  std::string Finish() {
    table.SetIndex(table.Append(WholeKeysBlock(top)));
    return table.Finish();
  }

  HandMadeTable table;
  std::vector<std::string> data;  // coded handles
  IndexRows top;
};

std::string FaultsOf(const std::string& table,
                     const InspectOptions& options = {}) {
  const auto file = NewMemoryFile("test.sst", table);
  TableInspection found;
  std::string text = InspectTable(*file, options, &found).ToString() + "\n";
  for (const TableFault& fault : found.faults) {
    text += fault.status.ToString() + "\n";
  }
  return text;
}

Status WalkOf(const std::string& table, const ReaderOptions& options = {}) {
  std::vector<Entry> entries;
  return ReadForward(*OpenTable(table, options), {}, &entries);
}

// Expects that a walk over the table and its inspection give this reason.
void ExpectBad(const std::string& table, const std::string& words) {
  SCOPED_TRACE(words);
  const Status walk = WalkOf(table);
  EXPECT_TRUE(walk.IsCorruption());
  EXPECT_NE(walk.message().find(words), std::string_view::npos)
      << walk.ToString();
  const std::string faults = FaultsOf(table);
  EXPECT_NE(faults.find(words), std::string::npos) << faults;
}

TEST(HostilePartitions, HandMadeTableIsSoundBeforeItIsHarmful) {
  Partitioned made;
  made.Add(kA, WholeKeysBlock({{kA, made.data[0]}}));
  made.Add(kC, WholeKeysBlock({{kB, made.data[1]}, {kC, made.data[2]}}));
  const std::string table = made.Finish();
  std::vector<Entry> entries;
  Require(ReadForward(*OpenTable(table), {}, &entries));
  EXPECT_EQ(entries.size(), 3u);
  EXPECT_EQ(FaultsOf(table), "OK\n");
}

TEST(HostilePartitions, WithoutEntries) {
  Partitioned made;
  made.Add(kA, WholeKeysBlock({{kA, made.data[0]}}));
  made.Add(kC, WholeKeysBlock({}));
  ExpectBad(made.Finish(),
            "bad index partition in index-partition block #1 offset ");
  Partitioned again;
  again.Add(kC, WholeKeysBlock({}));
  ExpectBad(again.Finish(), ": expected one entry or more, found none");
}

// The second partition begins where the first one ends.
TEST(HostilePartitions, ThatBeginBeforeTheSeparatorOfTheLast) {
  Partitioned made;
  made.Add(kB, WholeKeysBlock({{kA, made.data[0]}}));
  made.Add(kC, WholeKeysBlock({{kB, made.data[1]}, {kC, made.data[2]}}));
  ExpectBad(made.Finish(),
            ": its first separator is not larger than the separator of the "
            "partition before it in the top-level index");
}

TEST(HostilePartitions, ThatEndBehindTheirSeparator) {
  Partitioned made;
  made.Add(kB, WholeKeysBlock({{kA, made.data[0]}, {kC, made.data[2]}}));
  ExpectBad(made.Finish(),
            ": its last separator is larger than its separator in the "
            "top-level index");
}

TEST(HostilePartitions, OutOfOrder) {
  Partitioned made;
  made.Add(kC, WholeKeysBlock({{kB, made.data[0]}, {kA, made.data[1]}}));
  ExpectBad(made.Finish(), ": entry 1 is not larger than the one before it");
}

// --- Partitions that need too much memory ------------------------------------

// Readers keep whole separators of this order, because they do not know which
// bytes decide.
class OtherOrder final : public Comparator {
 public:
  std::string_view Name() const override { return "test.OtherOrder"; }
  int Compare(const Slice& a, const Slice& b) const override {
    return a.compare(b);
  }
};

// The keys share this many bytes, so that few stored bytes make many of memory.
constexpr size_t kSharedBytes = size_t{8} << 10;

// Returns a block of index entries from number *i on. The keys have up to
// `most` bytes together, if each counts as 8 bytes more than it has.
std::string LongKeysBlock(uint64_t most, uint32_t* i, std::string* last) {
  constexpr uint64_t kMorePerKey = 8;
  constexpr uint32_t kNumbers = 200;  // that a byte stands for
  internal::Buffer block;
  internal::BlockBuilder builder(internal::BlockBuilder::kOneRestart, &block);
  std::string key(kSharedBytes + 2, 'p');
  const uint64_t counted = key.size() + kInternalKeyTailBytes + kMorePerKey;
  for (uint64_t bytes = counted; bytes <= most; bytes += counted, ++*i) {
    key[kSharedBytes] = static_cast<char>(1 + *i / kNumbers);
    key[kSharedBytes + 1] = static_cast<char>(1 + *i % kNumbers);
    *last = Value(key, 7, "").key;
    builder.Add(*last, builder.empty() ? 0 : kSharedBytes,
                Coded({uint64_t{*i} * 6, 1}));
  }
  return builder.Finish().ToString();
}

// Returns a table with partitions of such keys. A reader of a file of this size
// allows as much memory as the keys need alone, but not what it needs beside
// each key.
std::string LongKeysTable(int partitions) {
  uint64_t file_size = 0;
  std::string table;
  // More memory is allowed for a larger file, which then grows less each time.
  for (int round = 0; round < 6; ++round) {
    const uint64_t most = internal::KeyBudget(file_size).left();
    HandMadeTable made;
    made.properties.comparator_name = "test.OtherOrder";
    made.properties.index_type = 2;
    made.properties.num_entries = 1;
    made.properties.num_data_blocks = 1;
    IndexRows top;
    uint32_t i = 0;
    std::string last;
    for (int n = 0; n < partitions; ++n) {
      const BlockHandle part = made.Append(
          LongKeysBlock(most / static_cast<uint64_t>(partitions), &i, &last));
      // The end of the last one is short, so that the file is not much larger
      // than one partition.
      const bool is_last = n + 1 == partitions;
      top.push_back({is_last ? Value("q", 7, "").key : last, Coded(part)});
    }
    made.SetIndex(made.Append(WholeKeysBlock(top)));
    table = made.Finish();
    file_size = table.size();
  }
  return table;
}

constexpr std::string_view kTooLarge =
    "its keys together are many times larger than the file";

TEST(HostilePartitions, OneThatNeedsTooMuchMemory) {
  const OtherOrder order;
  const std::string table = LongKeysTable(1);
  EXPECT_LT(table.size(), size_t{1} << 20);
  const Status walk = WalkOf(table, {.comparator = &order});
  EXPECT_TRUE(walk.IsCorruption());
  EXPECT_NE(walk.message().find(kTooLarge), std::string_view::npos)
      << walk.ToString();
  const std::string faults = FaultsOf(table, {.comparator = &order});
  EXPECT_NE(faults.find(kTooLarge), std::string::npos) << faults;
}

// Each of the two would fit.
TEST(HostilePartitions, TwoThatNeedTooMuchMemoryTogether) {
  const OtherOrder order;
  const std::string table = LongKeysTable(2);
  const auto reader = OpenTable(table, {.comparator = &order});
  // The first data block does not exist, which is found behind the partition.
  Iterator it = reader->NewIterator();
  it.SeekToFirst();
  EXPECT_EQ(it.status().message().find(kTooLarge), std::string_view::npos)
      << it.status().ToString();
  it.SeekToLast();
  EXPECT_TRUE(it.status().IsCorruption());
  EXPECT_NE(it.status().message().find(kTooLarge), std::string_view::npos)
      << it.status().ToString();
  const std::string faults = FaultsOf(table, {.comparator = &order});
  EXPECT_NE(faults.find("the index partitions were not checked: their keys "
                        "need more than "),
            std::string::npos)
      << faults;
}

// --- First keys --------------------------------------------------------------

// Returns an index entry with a first key.
Entry WithFirstKey(const std::string& separator, const BlockHandle& handle,
                   const std::string& first_key) {
  std::string value = Coded(handle);
  value.push_back(static_cast<char>(first_key.size()));
  return {separator, value + first_key};
}

// Returns a table of the keys a and c, one in each block, whose index says that
// the blocks begin with these keys.
std::string TableOfFirstKeys(const std::string& first,
                             const std::string& second) {
  HandMadeTable table;
  table.properties.index_type = 3;
  table.properties.num_entries = 2;
  table.properties.num_data_blocks = 2;
  const BlockHandle a = table.Append(WholeKeysBlock({{kA, "v"}}));
  const BlockHandle c = table.Append(WholeKeysBlock({{kC, "v"}}));
  table.SetIndex(table.Append(WholeKeysBlock(
      {WithFirstKey(kB, a, first), WithFirstKey(kC, c, second)})));
  return table.Finish();
}

TEST(HostileFirstKeys, OutsideOfTheirBlocks) {
  EXPECT_EQ(FaultsOf(TableOfFirstKeys(kA, kC)), "OK\n");
  ExpectBad(TableOfFirstKeys("short", kC),
            ": entry 0 has a first key that is not an internal key");
  ExpectBad(TableOfFirstKeys(kC, kC),
            ": entry 0 has a first key after its separator");
  ExpectBad(TableOfFirstKeys(kA, kA),
            ": entry 1 has a first key not after the separator before it");
}

// The walk shows a key of the index, and finds out when its value is wanted.
TEST(HostileFirstKeys, ThatTheBlockHasInAnotherVersion) {
  const std::string table = TableOfFirstKeys(Value("a", 8, "").key, kC);
  const auto reader = OpenTable(table);
  ReadOptions options;
  options.allow_unprepared_value = true;
  Iterator it = reader->NewIterator(options);
  it.SeekToFirst();
  ASSERT_TRUE(it.Valid());
  EXPECT_FALSE(it.PrepareValue());
  EXPECT_FALSE(it.Valid());
  EXPECT_TRUE(it.status().IsCorruption());
  EXPECT_NE(it.status().message().find(
                "first key differs from that in the index in data block #0 "),
            std::string_view::npos)
      << it.status().ToString();
  EXPECT_NE(it.status().message().find(": expected 'a' seq:8, type:1"),
            std::string_view::npos)
      << it.status().ToString();
}

}  // namespace
}  // namespace ashlar::testing
