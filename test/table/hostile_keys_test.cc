// Tests data blocks that no builder makes, in files whose checksums are right:
// keys that share so much that whole ones would take gigabytes where a global
// sequence number replaces their own, keys of no form, and values of no form.

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "ashlar/table/inspect.h"
#include "ashlar/table/table_reader.h"
#include "table/block/block_builder.h"
#include "test/support/hand_made_table.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

// Returns a table of one data block with `num_keys` keys. All begin with the
// same 64 KiB.
std::string SharedKeysTable(uint32_t num_keys) {
  constexpr size_t kSharedBytes = size_t{64} << 10;
  constexpr uint32_t kNumbers = 200;  // that a byte stands for
  internal::Buffer block;
  internal::BlockBuilder builder(internal::BlockBuilder::kOneRestart, &block);
  std::string key(kSharedBytes + 2, 'p');
  for (uint32_t i = 0; i < num_keys; ++i) {
    key[kSharedBytes] = static_cast<char>(1 + i / kNumbers);
    key[kSharedBytes + 1] = static_cast<char>(1 + i % kNumbers);
    builder.Add(Value(key, 0, "").key, i == 0 ? 0 : kSharedBytes, "v");
  }
  HandMadeTable table;
  table.properties.num_entries = num_keys;
  table.properties.num_data_blocks = 1;
  table.properties.external_sst_file_version = 2;
  table.properties.external_sst_file_global_seqno = 9;
  const auto data = table.Append(builder.Finish().ToString());
  table.SetIndex(
      table.Append(WholeKeysBlock({{Value("q", 0, "").key, Coded(data)}})));
  return table.Finish();
}

TEST(HostileKeys, FewUnderAGlobalSequenceNumberAreSound) {
  const std::string table = SharedKeysTable(100);
  std::vector<Entry> entries;
  Require(ReadForward(*OpenTable(table), {}, &entries));
  ASSERT_EQ(entries.size(), 100u);
  EXPECT_EQ(SequenceOf(entries[50].key), 9u);
  TableInspection found;
  Require(InspectTable(*NewMemoryFile("test.sst", table), {}, &found));
  EXPECT_TRUE(found.faults.empty());
}

TEST(HostileKeys, ThatShareTooMuchUnderAGlobalSequenceNumber) {
  constexpr std::string_view kExpected =
      ": its keys together are many times larger than the block";
  const std::string table = SharedKeysTable(2000);
  EXPECT_LT(table.size(), 200'000u);
  std::vector<Entry> entries;
  const Status walk = ReadForward(*OpenTable(table), {}, &entries);
  EXPECT_TRUE(walk.IsCorruption());
  EXPECT_TRUE(
      walk.message().starts_with("test.sst: bad entry in data block #0"))
      << walk.ToString();
  EXPECT_TRUE(walk.message().ends_with(kExpected)) << walk.ToString();
  TableInspection found;
  Require(InspectTable(*NewMemoryFile("test.sst", table), {}, &found));
  ASSERT_EQ(found.faults.size(), 1u);
  EXPECT_EQ(found.faults[0].kind, BlockKind::kData);
  EXPECT_TRUE(found.faults[0].status.message().ends_with(kExpected))
      << found.faults[0].status.ToString();
}

// A value with a time that a Get cannot decode.
TEST(HostileKeys, OfValuesWithoutTheirTime) {
  const std::string key =
      MakeInternalKey("k", 7, ValueType::kTypeValuePreferredSeqno);
  HandMadeTable table;
  table.properties.num_entries = table.properties.num_data_blocks = 1;
  const auto data = table.Append(WholeKeysBlock({{key, "short"}}));
  table.SetIndex(table.Append(WholeKeysBlock({{key, Coded(data)}})));
  const std::string bytes = table.Finish();
  GetResult result;
  const Status got = OpenTable(bytes)->Get("k", &result);
  EXPECT_TRUE(got.IsCorruption());
  EXPECT_TRUE(got.message().starts_with("test.sst: value of 'k' seq:7"))
      << got.ToString();
  TableInspection found;
  Require(InspectTable(*NewMemoryFile("test.sst", bytes), {}, &found));
  ASSERT_EQ(found.faults.size(), 1u);
  EXPECT_TRUE(
      found.faults[0].status.message().starts_with("value of 'k' seq:7"))
      << found.faults[0].status.ToString();
}

// Returns the keys that the inspection of a table shows, whose order is not
// known and whose one data block has these keys.
std::vector<std::string> ShownOf(const std::vector<std::string>& keys,
                                 Status* fault) {
  std::vector<Entry> entries;
  entries.reserve(keys.size());
  for (const std::string& key : keys) entries.push_back({key, "v"});
  HandMadeTable table;
  table.properties.comparator_name = "test.Unknown";
  table.properties.num_entries = entries.size();
  table.properties.num_data_blocks = 1;
  const auto data = table.Append(WholeKeysBlock(entries));
  table.SetIndex(
      table.Append(WholeKeysBlock({{Value("q", 0, "").key, Coded(data)}})));
  std::vector<std::string> shown;
  InspectOptions options;
  options.on_entry = [&](const BlockInfo& block, const Slice& key,
                         const Slice& /*value*/) {
    if (block.kind == BlockKind::kData) shown.push_back(key.ToString());
  };
  TableInspection found;
  Require(InspectTable(*NewMemoryFile("test.sst", table.Finish()), options,
                       &found));
  *fault = Status();
  for (const TableFault& each : found.faults) {
    if (each.kind == BlockKind::kData) *fault = each.status;
  }
  return shown;
}

// A key of a type that data cannot have says nothing of the other keys. One
// that is no internal key could be the end of anything.
TEST(HostileKeys, AreShownInUnknownOrderIfAllAreInternalKeys) {
  const std::string a = Value("a", 7, "").key;
  const std::string odd = RangeDeleted("b", 7, "").key;
  Status fault;
  EXPECT_EQ(ShownOf({a, odd}, &fault), (std::vector<std::string>{a, odd}));
  EXPECT_TRUE(fault.IsCorruption()) << fault.ToString();
  EXPECT_TRUE(ShownOf({a, "short"}, &fault).empty());
  EXPECT_TRUE(fault.IsCorruption()) << fault.ToString();
  EXPECT_NE(fault.message().find("key is shorter than its tail of 8 bytes"),
            std::string_view::npos)
      << fault.ToString();
}

}  // namespace
}  // namespace ashlar::testing
