// The parts of a compaction, each by itself.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ashlar/table/compaction.h"
#include "ashlar/table/compaction_filter.h"
#include "ashlar/table/compaction_iterator.h"
#include "ashlar/table/internal_key_less.h"
#include "ashlar/table/merge_operator.h"
#include "ashlar/table/output_cutter.h"
#include "ashlar/table/range_deletion_aggregator.h"
#include "test/support/map_source.h"
#include "test/support/memory_outputs.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

constexpr auto kValue = ValueType::kTypeValue;

std::string Key(std::string_view user_key, SequenceNumber sequence) {
  return MakeInternalKey(user_key, sequence, kValue);
}

FileRange File(std::string_view from, std::string_view to, uint64_t size) {
  return {Key(from, 1), Key(to, 1), size};
}

// Returns the keys before which outputs end, if each is written whole.
std::string Cuts(OutputCutterOptions options,
                 const std::vector<std::string>& keys, uint64_t entry_size) {
  OutputCutter cutter(std::move(options));
  std::string cuts;
  uint64_t size = 0;
  bool any = false;
  for (const std::string& key : keys) {
    if (cutter.ShouldCutBefore(key, PackTail(1, kValue), false, any, size)) {
      cuts += key + " ";
      size = 0;
    }
    any = true;
    size += entry_size;
  }
  return cuts;
}

TEST(OutputCutter, CutsByWrittenSize) {
  OutputCutterOptions options;
  options.target_file_size = 25;
  EXPECT_EQ(Cuts(options, {"a", "b", "c", "d", "e", "f", "g"}, 10), "d g ");
  // Not bottommost, with grandparents: twice as much.
  options.grandparents = {File("x", "z", 1)};
  EXPECT_EQ(Cuts(options, {"a", "b", "c", "d", "e", "f", "g"}, 10), "f ");
  options.bottommost = true;
  EXPECT_EQ(Cuts(options, {"a", "b", "c", "d", "e", "f", "g"}, 10), "d g ");
}

TEST(OutputCutter, KeepsVersionsOfAKeyTogether) {
  OutputCutterOptions options;
  options.target_file_size = 20;
  const std::vector<std::string> keys = {"a", "b", "b", "b", "c", "d", "e"};
  EXPECT_EQ(Cuts(options, keys, 10), "c e ");
  options.cut_inside_user_keys = true;
  EXPECT_EQ(Cuts(options, keys, 10), "b c e ");
}

TEST(OutputCutter, CutsWhereGrandparentsWouldBeTooMuch) {
  OutputCutterOptions options;
  options.target_file_size = 1000000;
  options.max_compaction_bytes = 250;
  options.grandparents = {File("b", "c", 100), File("e", "f", 100),
                          File("h", "i", 100)};
  EXPECT_EQ(Cuts(options, {"a", "b", "c", "d", "e", "f", "g", "h", "i"}, 1),
            "h ");
}

TEST(OutputCutter, CutsAtACursorAndAroundFiles) {
  OutputCutterOptions options;
  options.cut_at = Key("c", 0);
  // A newer version of the cursor's key is in front of it.
  EXPECT_EQ(Cuts(options, {"a", "b", "c", "d", "e"}, 1), "d ");
  options.cut_at.clear();
  options.cut_around = {File("b", "c", 1)};
  EXPECT_EQ(Cuts(options, {"a", "b", "c", "d", "e"}, 1), "b d ");
}

TEST(OutputRanges, EndWhereTheNextOutputBegins) {
  const auto border = [](std::string_view key) {
    return MakeInternalKey(key, kMaxSequenceNumber,
                           ValueType::kTypeRangeDeletion);
  };
  OutputRanges ranges(BytewiseComparator(), "b", "y");
  ranges.Open("c", PackTail(3, kValue));
  EXPECT_EQ(ranges.Close(Key("d", 2), Key("e", 9)).lower, border("b"));
  EXPECT_EQ(ranges.Close(Key("d", 2), Key("e", 9)).upper, border("e"));
  // Between two versions of a key, the last entry ends it.
  EXPECT_EQ(ranges.Close(Key("e", 9), Key("e", 7)).upper, Key("e", 9));
  ranges.Keep();
  EXPECT_EQ(ranges.Close({}, {}).lower, Key("c", 3));
  EXPECT_EQ(ranges.Close({}, {}).upper, border("y"));
}

TEST(OlderFiles, KnowsKeysAndRanges) {
  const OlderFiles older(BytewiseComparator(),
                         {{File("b", "d", 1), File("m", "p", 1)}, {}});
  EXPECT_FALSE(older.MayHave("a"));
  EXPECT_TRUE(older.MayHave("b"));
  EXPECT_TRUE(older.MayHave("d"));
  EXPECT_FALSE(older.MayHave("e"));
  EXPECT_TRUE(older.MayHave("n"));
  EXPECT_FALSE(older.MayHave("q"));
  // The end is exclusive.
  EXPECT_FALSE(older.MayHaveRange("a", "b"));
  EXPECT_TRUE(older.MayHaveRange("a", "bb"));
  EXPECT_TRUE(older.MayHaveRange("d", "e"));
  EXPECT_FALSE(older.MayHaveRange("e", "m"));
  EXPECT_TRUE(older.Overlaps("e", "m"));
  EXPECT_FALSE(older.Overlaps("q", "z"));
}

TEST(InternalKeyLess, OrdersAndFinds) {
  const ashlar::InternalKeyLess less;
  EXPECT_TRUE(less(Key("a", 1), Key("b", 9)));
  EXPECT_TRUE(less(Key("a", 9), Key("a", 1)));
  EXPECT_FALSE(less(Key("a", 1), Key("a", 1)));
  std::map<std::string, int, ashlar::InternalKeyLess> map;
  map[Key("a", 9)] = 9;
  map[Key("a", 5)] = 5;
  map[Key("b", 1)] = 1;
  EXPECT_EQ(map.lower_bound(SeekKey("a").internal_key())->second, 9);
  EXPECT_EQ(map.lower_bound(SeekKey("a", 9).internal_key())->second, 9);
  EXPECT_EQ(map.lower_bound(SeekKey("a", 8).internal_key())->second, 5);
  EXPECT_EQ(map.lower_bound(SeekKey("a", 4).internal_key())->second, 1);
}

std::string FullMerge(const MergeOperator& merge, const Slice* base,
                      std::vector<Slice> operands) {
  MergeOperator::MergeInput input;
  if (base != nullptr) input.existing_value = *base;
  input.operands = operands;
  MergeOperator::MergeOutput output;
  EXPECT_TRUE(merge.FullMerge(input, &output));
  return std::get<std::string>(output.new_value);
}

TEST(MergeOperators, BuiltInOnesJoinAsTheirNamesSay) {
  const Slice base = "m";
  const auto append = FindBuiltinMergeOperator("stringappend");
  EXPECT_EQ(append->Name(), "StringAppendOperator");
  EXPECT_EQ(FullMerge(*append, &base, {"a", "b"}), "m,a,b");
  EXPECT_EQ(FullMerge(*append, nullptr, {"a", "b"}), "a,b");
  EXPECT_EQ(FullMerge(*NewStringAppendOperator("--"), &base, {"a"}), "m--a");
  const auto max = FindBuiltinMergeOperator("MaxOperator");
  EXPECT_EQ(FullMerge(*max, &base, {"a", "z", "b"}), "z");
  EXPECT_EQ(FullMerge(*max, &base, {"a"}), "m");
  EXPECT_EQ(FullMerge(*FindBuiltinMergeOperator("put"), &base, {"a", "b"}),
            "b");
  const auto add = FindBuiltinMergeOperator("uint64add");
  const std::string two("\x02\0\0\0\0\0\0\0", 8);
  const std::string wide("\0\x01\0\0\0\0\0\0", 8);
  EXPECT_EQ(FullMerge(*add, nullptr, {two, wide, "bad"}),
            std::string("\x02\x01\0\0\0\0\0\0", 8));
  std::string joined;
  EXPECT_TRUE(add->PartialMerge("k", two, two, &joined));
  EXPECT_EQ(joined, std::string("\x04\0\0\0\0\0\0\0", 8));
  EXPECT_EQ(FindBuiltinMergeOperator("sortlist"), nullptr);
}

TEST(MergeOperators, PlainOnesMergeTheDefaultColumn) {
  const std::vector<WideColumn> columns = {{"", "m"}, {"x", "1"}};
  const std::vector<Slice> operands = {"a"};
  MergeOperator::MergeInput input;
  input.existing_value = std::span<const WideColumn>(columns);
  input.operands = operands;
  MergeOperator::MergeOutput output;
  ASSERT_TRUE(NewStringAppendOperator()->FullMerge(input, &output));
  EXPECT_EQ(std::get<MergeOperator::NewColumns>(output.new_value),
            (MergeOperator::NewColumns{{"", "m,a"}, {"x", "1"}}));
}

TEST(MergeForGet, JoinsWhatLookupsHaveFound) {
  const auto append = NewStringAppendOperator();
  std::string value = "before";
  // Nothing, a value, columns.
  EXPECT_TRUE(MergeForGet(nullptr, "k", {}, {}, &value).IsNotFound());
  EXPECT_TRUE(MergeForGet(nullptr, "k", Slice("m"), {}, &value).ok());
  EXPECT_EQ(value, "m");
  const std::vector<WideColumn> columns = {{"", "d"}, {"x", "1"}};
  const std::span<const WideColumn> entity(columns);
  EXPECT_TRUE(MergeForGet(nullptr, "k", entity, {}, &value).ok());
  EXPECT_EQ(value, "d");
  EXPECT_TRUE(MergeForGet(nullptr, "k", entity.subspan(1), {}, &value).ok());
  EXPECT_EQ(value, "");
  // The same beneath operands, the newest of which comes first.
  const std::vector<std::string> operands = {"3", "2"};
  EXPECT_TRUE(MergeForGet(append.get(), "k", {}, operands, &value).ok());
  EXPECT_EQ(value, "2,3");
  EXPECT_TRUE(
      MergeForGet(append.get(), "k", Slice("1"), operands, &value).ok());
  EXPECT_EQ(value, "1,2,3");
  EXPECT_TRUE(MergeForGet(append.get(), "k", entity, operands, &value).ok());
  EXPECT_EQ(value, "d,2,3");
  const auto put = FindBuiltinMergeOperator("put");
  EXPECT_TRUE(MergeForGet(put.get(), "k", Slice("1"), operands, &value).ok());
  EXPECT_EQ(value, "3");
  EXPECT_TRUE(
      MergeForGet(nullptr, "k", {}, operands, &value).IsInvalidArgument());
}

TEST(MergeForGet, ReportsAMergeThatFails) {
  class Fails final : public PlainMergeOperator {
    std::string_view Name() const override { return "Fails"; }
    bool MergePlain(const Slice&, const Slice*, std::span<const Slice>,
                    std::string*, OpFailureScope*) const override {
      return false;
    }
  };
  std::string value;
  const std::vector<std::string> operands = {"1"};
  EXPECT_TRUE(
      MergeForGet(std::make_unique<Fails>().get(), "k", {}, operands, &value)
          .IsCorruption());
}

TEST(RangeDeletionAggregator, ClipsToBounds) {
  const std::vector<RangeDeletion> deletions = {{"b", "m", 10}};
  RangeDeletionAggregator aggregator(RangeDeletionAggregator::Options{});
  // The file ends at version 7 of f: older ones are in the next file.
  const std::string smallest = Key("d", 9);
  const std::string largest = Key("f", 7);
  const RangeDeletionAggregator::Bounds bounds = {smallest, largest, {}};
  ASSERT_TRUE(aggregator.Add(deletions, &bounds).ok());
  const auto deletes = [&](std::string_view key, SequenceNumber sequence) {
    return aggregator.Deletes(key, PackTail(sequence, kValue));
  };
  EXPECT_FALSE(deletes("c", 1));
  EXPECT_FALSE(deletes("d", 11));
  EXPECT_TRUE(deletes("d", 9));
  EXPECT_TRUE(deletes("e", 1));
  EXPECT_TRUE(deletes("f", 7));
  EXPECT_FALSE(deletes("f", 6));
  EXPECT_FALSE(deletes("g", 1));
}

TEST(RangeDeletionAggregator, BeginsAreRaisedToTheFile) {
  const std::vector<RangeDeletion> deletions = {{"b", "m", 10}, {"p", "q", 5}};
  RangeDeletionAggregator aggregator(RangeDeletionAggregator::Options{});
  // The file shares key d with its neighbour in front of it.
  const std::string smallest = Key("a", 9);
  const std::string file_smallest = Key("d", 7);
  const std::string largest = Key("z", 1);
  const RangeDeletionAggregator::Bounds bounds = {smallest, largest,
                                                  file_smallest};
  ASSERT_TRUE(aggregator.Add(deletions, &bounds).ok());
  std::vector<std::string> begins;
  aggregator.VisitBegins(
      [&](const Slice& key) { begins.push_back(key.ToString()); });
  EXPECT_EQ(begins,
            (std::vector<std::string>{
                file_smallest,
                MakeInternalKey("p", 5, ValueType::kTypeRangeDeletion)}));
}

TEST(RangeDeletionAggregator, AsksWithinStripes) {
  const std::vector<RangeDeletion> deletions = {{"a", "z", 10}};
  RangeDeletionAggregator::Options options;
  options.snapshots = {5};
  RangeDeletionAggregator aggregator(options);
  ASSERT_TRUE(aggregator.Add(deletions).ok());
  EXPECT_TRUE(aggregator.Deletes("b", PackTail(6, kValue)));
  EXPECT_FALSE(aggregator.Deletes("b", PackTail(5, kValue)));
}

// The filter skips to d, and removes d itself.
TEST(CompactionIterator, CountsWhatItDrops) {
  class SkipAll final : public CompactionFilter {
   public:
    std::string_view Name() const override { return "SkipAll"; }
    Decision Filter(const Entry& entry, Change* change) override {
      if (entry.key == "d") return Decision::kRemove;
      if (entry.key != "b") return Decision::kKeep;
      change->skip_until = "d";
      return Decision::kRemoveAndSkipUntil;
    }
  };
  SkipAll filter;
  const EntryMap map =
      MapOf({Value("a", 9, "new"), Value("a", 1, "old"), Value("b", 2, "x"),
             Value("c", 3, "x"), Value("d", 4, "x"), Deletion("e", 5),
             Value("f", 6, "x"), Value("g", 7, "x")});
  RangeDeletionAggregator deletions(RangeDeletionAggregator::Options{});
  const std::vector<RangeDeletion> ranges = {{"f", "g", 8}};
  ASSERT_TRUE(deletions.Add(ranges).ok());
  CompactionIteratorOptions options;
  options.bottommost = true;
  options.compaction_filter = &filter;
  std::vector<Iterator> inputs;
  inputs.push_back(NewSourceIterator(BytewiseComparator(),
                                     std::make_unique<MapSource>(&map)));
  CompactionIterator it(options, std::move(inputs), &deletions);
  std::string shown;
  for (it.SeekToFirst(); it.Valid(); it.Next()) {
    shown += it.user_key().ToString() + std::to_string(it.sequence()) + " ";
  }
  EXPECT_TRUE(it.status().ok());
  EXPECT_EQ(shown, "a0 g0 ");
  const CompactionCounts& counts = it.counts();
  EXPECT_EQ(counts.output_entries, 2U);
  EXPECT_EQ(counts.dropped_hidden, 1U);
  EXPECT_EQ(counts.dropped_by_filter, 2U);
  EXPECT_EQ(counts.dropped_obsolete, 2U);
  EXPECT_EQ(counts.dropped_range_deleted, 1U);
  EXPECT_EQ(counts.zeroed_sequences, 2U);
  EXPECT_EQ(counts.input_entries, 7U);  // c was jumped over
  EXPECT_EQ(counts.input_deletions, 1U);
}

// The filter, and what it must be shown, can fail. The error names the key.
TEST(CompactionIterator, FiltersThatFailEndIt) {
  class DecidesNothing final : public CompactionFilter {
   public:
    std::string_view Name() const override { return "DecidesNothing"; }
    Decision Filter(const Entry& /*entry*/, Change* /*change*/) override {
      return static_cast<Decision>(99);
    }
  };
  DecidesNothing filter;
  CompactionIteratorOptions options;
  options.compaction_filter = &filter;
  const auto status_of = [&](const Entry& entry) {
    const EntryMap map = MapOf({entry});
    RangeDeletionAggregator deletions(RangeDeletionAggregator::Options{});
    std::vector<Iterator> inputs;
    inputs.push_back(NewSourceIterator(BytewiseComparator(),
                                       std::make_unique<MapSource>(&map)));
    CompactionIterator it(options, std::move(inputs), &deletions);
    it.SeekToFirst();
    EXPECT_FALSE(it.Valid());
    return it.status();
  };
  const Status none = status_of(Value("a", 9, "v"));
  EXPECT_TRUE(none.IsInvalidArgument());
  EXPECT_EQ(none.message(), "DecidesNothing returned a decision that is none");
  const Status entity = status_of(
      {MakeInternalKey("a", 9, ValueType::kTypeWideColumnEntity), "\1"});
  EXPECT_TRUE(entity.IsCorruption()) << entity.ToString();
  EXPECT_NE(entity.message().find("'a' seq:9"), std::string_view::npos)
      << entity.ToString();
  options.fetch_blob = [](const Slice&, const Slice&, std::string*) {
    return Status::IOError("no blob");
  };
  const Status blob =
      status_of({MakeInternalKey("a", 9, ValueType::kTypeBlobIndex), "blob"});
  EXPECT_TRUE(blob.IsIOError());
  EXPECT_NE(blob.message().find("'a' seq:9"), std::string_view::npos)
      << blob.ToString();
}

// Neighbours that share a user key at their border bound the range deletions of
// each other.
TEST(CompactTables, RangeDeletionsReachOverASharedKey) {
  CompactionOptions options;
  options.iterator.bottommost = true;
  options.build = FixedBuild();
  const auto left = [&](const std::string& border) {
    const auto first = OpenTable(BuildTable(
        options.table, {Value("k", 9, "v"), RangeDeleted("a", 20, "z")}));
    const auto second = OpenTable(
        BuildTable(options.table, {Value(border, 5, "v"), Value("x", 4, "v")}));
    const CompactionRun run = {
        {first.get(), RangeDeleted("a", 20, "").key, Key("k", 9)},
        {second.get(), Key(border, 5), Key("x", 4)}};
    MemoryOutputs outputs;
    CompactionResult result;
    Require(CompactTables(options, {run}, {}, &outputs, &result));
    return result.counts.output_entries;
  };
  EXPECT_EQ(left("k"), 0U);
  EXPECT_EQ(left("l"), 2U);
}

// Behind a version that got sequence number 0, a single deletion and what is
// next go whatever that is; else a deletion there is Corruption.
TEST(CompactionIterator, SingleDeletionsBehindZero) {
  const auto status = [](const EntryMap& map) {
    CompactionIteratorOptions options;
    options.bottommost = true;
    std::vector<Iterator> inputs;
    inputs.push_back(NewSourceIterator(BytewiseComparator(),
                                       std::make_unique<MapSource>(&map)));
    CompactionIterator it(options, std::move(inputs));
    for (it.SeekToFirst(); it.Valid(); it.Next()) {
    }
    return it.status();
  };
  const Entry single = {MakeInternalKey("a", 5, ValueType::kTypeSingleDeletion),
                        ""};
  EXPECT_TRUE(
      status(MapOf({Value("a", 9, "v"), single, Deletion("a", 4)})).ok());
  EXPECT_TRUE(status(MapOf({single, Deletion("a", 4)})).IsCorruption());
}

// Begins of range deletions are shown where they are asked for. A walk over
// operands passes over them, also over those of the next key.
TEST(CompactionIterator, ShowsBeginsOfRangeDeletions) {
  const auto shown = [](const EntryMap& map) {
    RangeDeletionAggregator deletions(RangeDeletionAggregator::Options{});
    const std::vector<RangeDeletion> ranges = {{"b", "c", 8}, {"e", "f", 8}};
    EXPECT_TRUE(deletions.Add(ranges).ok());
    const auto merge = NewMaxOperator();
    CompactionIteratorOptions options;
    options.merge_operator = merge.get();
    options.show_range_deletion_begins = true;
    std::vector<Iterator> inputs;
    inputs.push_back(NewSourceIterator(BytewiseComparator(),
                                       std::make_unique<MapSource>(&map)));
    CompactionIterator it(options, std::move(inputs), &deletions);
    std::string text;
    for (it.SeekToFirst(); it.Valid(); it.Next()) {
      text += it.user_key().ToString() + (it.AtRangeDeletion() ? "* " : " ");
    }
    EXPECT_TRUE(it.status().ok());
    return text;
  };
  EXPECT_EQ(shown(MapOf({Value("a", 1, "v"), Value("d", 2, "v")})),
            "a b* d e* ");
  EXPECT_EQ(shown(MapOf({Operand("a", 1, "v"), Value("d", 2, "v")})),
            "a d e* ");
}

// A deletion at the bottom hides nothing if the rest of its stripe is all that
// is older.
TEST(CompactionIterator, DeletionsAtTheBottomTakeTheirStripe) {
  const auto left = [](const EntryMap& map) {
    CompactionIteratorOptions options;
    options.bottommost = true;
    options.snapshots = {10};
    std::vector<Iterator> inputs;
    inputs.push_back(NewSourceIterator(BytewiseComparator(),
                                       std::make_unique<MapSource>(&map)));
    CompactionIterator it(options, std::move(inputs));
    std::string shown;
    for (it.SeekToFirst(); it.Valid(); it.Next()) {
      shown += it.user_key().ToString() + std::to_string(it.sequence()) + " ";
    }
    EXPECT_TRUE(it.status().ok());
    return shown;
  };
  EXPECT_EQ(left(MapOf({Deletion("a", 15), Value("a", 14, "v")})), "");
  EXPECT_EQ(
      left(MapOf({Deletion("a", 15), Value("a", 14, "v"), Value("a", 9, "v")})),
      "a15 a0 ");
}

}  // namespace
}  // namespace ashlar::testing
