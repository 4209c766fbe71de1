// UserIterator: what it shows of single cases, and how it fails.

#include "ashlar/table/user_iterator.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ashlar/table/entry/blob_index.h"
#include "ashlar/table/merge_operator.h"
#include "test/support/faulty_file.h"
#include "test/support/map_source.h"
#include "test/support/scarcity.h"
#include "test/support/tables.h"
#include "test/support/visible_model.h"

namespace ashlar::testing {
namespace {

std::string Key(int i) { return "key" + std::to_string(1000 + i); }

// Two inputs that overlap, with all that is hidden or merged.
std::vector<VersionedInput> Inputs() {
  std::vector<Entry> older;
  std::vector<Entry> newer;
  for (int i = 0; i < 60; ++i) {
    const auto at = static_cast<SequenceNumber>(i);
    const SequenceNumber sequence = 200 + at;
    older.push_back(Value(Key(i), 1 + at, "older"));
    if (i % 3 == 0) newer.push_back(Operand(Key(i), sequence, "operand"));
    if (i % 3 == 1) newer.push_back(Deletion(Key(i), sequence));
  }
  newer.push_back(RangeDeleted(Key(20), 150, Key(30)));
  return {{older, "", ""}, {newer, "", ""}};
}

std::string SmallBlocks(const std::vector<Entry>& entries) {
  TableOptions options;
  options.block_size = 100;
  return BuildTable(options, entries);
}

std::vector<std::unique_ptr<TableReader>> Open(
    const std::vector<VersionedInput>& inputs) {
  std::vector<std::unique_ptr<TableReader>> readers;
  readers.reserve(inputs.size());
  for (const VersionedInput& input : inputs) {
    readers.push_back(OpenTable(SmallBlocks(input.entries)));
  }
  return readers;
}

std::vector<UserIteratorTable> TablesOf(
    const std::vector<std::unique_ptr<TableReader>>& readers) {
  std::vector<UserIteratorTable> tables;
  tables.reserve(readers.size());
  for (const auto& reader : readers) tables.push_back({reader.get()});
  return tables;
}

std::unique_ptr<TableReader> OneTable(const std::vector<Entry>& entries) {
  return OpenTable(BuildTable(TableOptions(), entries));
}

// Walks forward and then backward. Returns the first error. What is shown
// before must be right.
Status WalkBothWays(const std::vector<VisibleKey>& wanted, UserIterator* it) {
  size_t at = 0;
  for (it->SeekToFirst(); it->Valid(); it->Next(), ++at) {
    EXPECT_LT(at, wanted.size());
    if (at >= wanted.size()) return {};
    EXPECT_EQ(it->key(), Slice(wanted[at].key));
    EXPECT_EQ(it->value(), Slice(wanted[at].value));
  }
  if (!it->status().ok()) return it->status();
  EXPECT_EQ(at, wanted.size());
  for (it->SeekToLast(); it->Valid(); it->Prev(), --at) {
    EXPECT_GT(at, 0U);
    if (at == 0) return {};
    EXPECT_EQ(it->key(), Slice(wanted[at - 1].key));
    EXPECT_EQ(it->value(), Slice(wanted[at - 1].value));
  }
  if (it->status().ok()) {
    EXPECT_EQ(at, 0U);
  }
  return it->status();
}

TEST(UserIterator, EveryReadMayFail) {
  const std::vector<VersionedInput> inputs = Inputs();
  const auto wanted =
      VisibleModel(BytewiseComparator(), inputs).Keys(kMaxSequenceNumber, "");
  ASSERT_GT(wanted.size(), 30U);
  const auto merge = NewStringAppendOperator();
  const auto run = [&](FaultPlan* plan, uint64_t fail_at) {
    std::vector<std::unique_ptr<TableReader>> readers;
    for (const VersionedInput& input : inputs) {
      auto opened = TableReader::Open(
          NewFaultyFile("input", SmallBlocks(input.entries), plan));
      Require(opened.status());
      readers.push_back(std::move(opened).value());
    }
    plan->fail_at = fail_at == 0 ? 0 : plan->operations + fail_at;
    const uint64_t before = plan->operations;
    ReadOptions options;
    options.readahead_size = 1;  // so that each block is a read
    UserIterator it({.merge_operator = merge.get()}, options,
                    TablesOf(readers));
    Status status = WalkBothWays(wanted, &it);
    EXPECT_EQ(it.Valid(), false);
    // The next seek starts again.
    plan->fail_at = 0;
    EXPECT_TRUE(WalkBothWays(wanted, &it).ok());
    plan->operations -= before;
    return status;
  };
  FaultPlan sound;
  EXPECT_TRUE(run(&sound, 0).ok());
  const uint64_t operations = sound.operations;
  ASSERT_GT(operations, 20U);
  uint64_t errors = 0;
  for (const auto kind : {FaultPlan::Kind::kError, FaultPlan::Kind::kNothing,
                          FaultPlan::Kind::kOneShort}) {
    for (uint64_t n = 1; n <= operations; ++n) {
      SCOPED_TRACE(n);
      FaultPlan plan;
      plan.kind = kind;
      const Status status = run(&plan, n);
      if (status.ok()) continue;  // it fell into the second walk
      ++errors;
      EXPECT_TRUE(status.IsIOError() || status.IsCorruption())
          << status.ToString();
      EXPECT_NE(status.message().find("input"), std::string_view::npos);
    }
  }
  EXPECT_GT(errors, 20U);
}

TEST(UserIterator, EveryMoveOfAMemtableMayFail) {
  const std::vector<VersionedInput> inputs = {
      {{Value("a", 1, "1"), Operand("b", 3, "3"), Value("b", 2, "2"),
        Deletion("c", 4)},
       "",
       ""}};
  const EntryMap map = MapOf(inputs[0].entries);
  const auto wanted =
      VisibleModel(BytewiseComparator(), inputs).Keys(kMaxSequenceNumber, "");
  const auto merge = NewStringAppendOperator();
  for (const auto kind :
       {SourceFaults::Kind::kStatus, SourceFaults::Kind::kNoMemory}) {
    for (uint64_t n = 1; n <= 10; ++n) {
      SCOPED_TRACE(n);
      SourceFaults faults;
      faults.fail_at = n;
      faults.kind = kind;
      std::vector<UserIteratorMemory> memory(1);
      memory[0].entries = std::make_unique<MapSource>(&map, &faults);
      UserIterator it({.merge_operator = merge.get()}, {},
                      std::span<const UserIteratorTable>(), std::move(memory));
      const Status status = WalkBothWays(wanted, &it);
      ASSERT_GE(faults.moves, n);
      EXPECT_TRUE(kind == SourceFaults::Kind::kStatus ? status.IsIOError()
                                                      : status.IsMemoryLimit())
          << status.ToString();
    }
  }
}

TEST(UserIterator, EveryAllocationMayFail) {
  const std::vector<VersionedInput> inputs = Inputs();
  const auto wanted =
      VisibleModel(BytewiseComparator(), inputs).Keys(kMaxSequenceNumber, "");
  const auto readers = Open(inputs);
  const auto tables = TablesOf(readers);
  const auto merge = NewStringAppendOperator();
  const ScarcityCounts counts = ForEachFailure(
      [&] {
        UserIterator it({.merge_operator = merge.get()}, {}, tables);
        size_t at = 0;
        for (it.SeekToFirst(); it.Valid(); it.Next()) {
          if (it.key() != Slice(wanted[at++].key)) return Status::Aborted("");
        }
        if (!it.status().ok()) return it.status();
        for (it.SeekToLast(); it.Valid(); it.Prev()) {
          if (it.key() != Slice(wanted[--at].key)) return Status::Aborted("");
        }
        return it.status();
      },
      [] {}, 3);
  EXPECT_GT(counts.failures, 20U);
}

// Returns the error of a walk over one table.
Status ErrorOf(const std::vector<Entry>& entries,
               const UserIteratorOptions& options = {},
               const ReadOptions& read_options = {}) {
  const auto reader = OneTable(entries);
  UserIterator it(*reader, options, read_options);
  it.SeekToFirst();
  EXPECT_FALSE(it.Valid());
  Status forward = it.status();
  it.SeekToLast();
  EXPECT_FALSE(it.Valid());
  EXPECT_EQ(it.status().ToString(), forward.ToString());
  return forward;
}

TEST(UserIterator, WhatCannotBeShownIsAnError) {
  const auto merge = NewStringAppendOperator();
  const UserIteratorOptions with_merge = {.merge_operator = merge.get()};
  const Status no_operator = ErrorOf({Operand("k", 2, "o")});
  EXPECT_TRUE(no_operator.IsInvalidArgument()) << no_operator.ToString();
  EXPECT_NE(no_operator.message().find("'k'"), std::string_view::npos);
  const Entry blob = {MakeInternalKey("k", 1, ValueType::kTypeBlobIndex), "b"};
  const Status no_blob = ErrorOf({Operand("k", 2, "o"), blob}, with_merge);
  EXPECT_TRUE(no_blob.IsNotSupported()) << no_blob.ToString();
  const Entry bad = {MakeInternalKey("k", 1, ValueType::kTypeWideColumnEntity),
                     "\x01"};
  EXPECT_TRUE(ErrorOf({bad}).IsCorruption());
  EXPECT_TRUE(ErrorOf({Operand("k", 2, "o"), bad}, with_merge).IsCorruption());
  const Entry timed = {
      MakeInternalKey("k", 1, ValueType::kTypeValuePreferredSeqno), "short"};
  EXPECT_TRUE(ErrorOf({timed}).IsCorruption());
  class Failing final : public MergeOperator {
   public:
    std::string_view Name() const override { return "failing"; }
    bool FullMerge(const MergeInput&, MergeOutput*) const override {
      return false;
    }
  };
  const Failing failing;
  const Status failed =
      ErrorOf({Operand("k", 2, "o")}, {.merge_operator = &failing});
  EXPECT_TRUE(failed.IsCorruption()) << failed.ToString();
  EXPECT_NE(failed.message().find("failing"), std::string_view::npos);
}

TEST(UserIterator, ImpossibleOptionsAreAnErrorThatStays) {
  const std::vector<Entry> entries = {Value("k", 1, "v")};
  ReadOptions options;
  options.iter_start_seqnum = 1;
  EXPECT_TRUE(ErrorOf(entries, {}, options).IsNotSupported());
  options = {};
  options.timestamp = "8 bytes.";
  EXPECT_TRUE(ErrorOf(entries, {}, options).IsInvalidArgument());
  options = {};
  options.prefix_same_as_start = true;
  EXPECT_TRUE(ErrorOf(entries, {}, options).IsInvalidArgument());
  EXPECT_TRUE(ErrorOf(entries, {.comparator = ReverseBytewiseComparator()})
                  .IsInvalidArgument());
  const auto reader = OneTable(entries);
  UserIterator half_bounds({}, {}, {{reader.get(), "short", ""}});
  EXPECT_TRUE(half_bounds.status().IsInvalidArgument());
  UserIterator no_table({}, {}, {{nullptr}});
  EXPECT_TRUE(no_table.status().IsInvalidArgument());
  // pin_data needs memtables that keep their entries.
  const EntryMap map = MapOf(entries);
  std::vector<UserIteratorMemory> memory(1);
  memory[0].entries = std::make_unique<MapSource>(&map);
  options = {};
  options.pin_data = true;
  UserIterator unpinned({}, options, std::span<const UserIteratorTable>(),
                        std::move(memory));
  EXPECT_TRUE(unpinned.status().IsInvalidArgument());
}

TEST(UserIterator, CopiesOfOperandsMayCountOnce) {
  const auto add = NewStringAppendOperator();
  const auto first = OneTable(
      {Operand("a", 9, "+"), Operand("a", 7, "-"), Value("b", 3, "b")});
  const auto second = OneTable({Operand("a", 9, "other"), Operand("a", 7, "-"),
                                Value("a", 7, "hidden"), Value("a", 5, "x")});
  UserIterator it({.merge_operator = add.get(), .one_entry_per_sequence = true},
                  {}, {{first.get()}, {second.get()}});
  it.Seek("a");
  ASSERT_TRUE(it.Valid()) << it.status().ToString();
  EXPECT_EQ(it.value(), Slice("x,-,+"));
  EXPECT_EQ(it.sequence(), 9U);
  it.Next();
  ASSERT_TRUE(it.Valid());
  EXPECT_EQ(it.value(), Slice("b"));
  // It moves forward only, and a seek forward begins again.
  it.Prev();
  EXPECT_FALSE(it.Valid());
  EXPECT_TRUE(it.status().IsNotSupported());
  it.SeekToLast();
  EXPECT_TRUE(it.status().IsNotSupported());
  it.SeekForPrev("b");
  EXPECT_TRUE(it.status().IsNotSupported());
  it.SeekToFirst();
  ASSERT_TRUE(it.Valid());
  EXPECT_EQ(it.value(), Slice("x,-,+"));
}

TEST(UserIterator, NothingIsEmpty) {
  UserIterator it({}, {}, std::span<const UserIteratorTable>());
  it.SeekToFirst();
  EXPECT_FALSE(it.Valid());
  it.SeekForPrev("k");
  EXPECT_FALSE(it.Valid());
  EXPECT_TRUE(it.status().ok());
}

TEST(UserIterator, BlobsAreFetchedOrShownAsReferences) {
  const auto merge = NewStringAppendOperator();
  std::string entity;
  Require(
      EncodeWideColumns({{"", "ref3", true}, {"c", "ref4", true}}, &entity));
  const auto reader = OneTable(
      {{MakeInternalKey("a", 1, ValueType::kTypeBlobIndex), "ref1"},
       Operand("b", 2, "o"),
       {MakeInternalKey("b", 1, ValueType::kTypeBlobIndex), "ref2"},
       {MakeInternalKey("c", 1, ValueType::kTypeWideColumnEntity), entity}});
  const auto fetch = [](const Slice& key, const Slice& index,
                        std::string* value) {
    *value = key.ToString() + "(" + index.ToString() + ")";
    return Status();
  };
  UserIterator it(*reader,
                  {.merge_operator = merge.get(), .fetch_blob = fetch});
  for (const bool forward : {true, false}) {
    std::vector<std::string> shown;
    for (forward ? it.SeekToFirst() : it.SeekToLast(); it.Valid();
         forward ? it.Next() : it.Prev()) {
      EXPECT_FALSE(it.is_blob_index());
      const auto columns = it.columns();
      shown.push_back(it.value().ToString() + " " +
                      ColumnsText({columns.begin(), columns.end()}));
    }
    EXPECT_TRUE(it.status().ok()) << it.status().ToString();
    if (!forward) std::reverse(shown.begin(), shown.end());
    EXPECT_EQ(shown, (std::vector<std::string>{"a(ref1) =a(ref1);",
                                               "b(ref2),o =b(ref2),o;",
                                               "c(ref3) =c(ref3);c=c(ref4);"}));
  }
  UserIterator plain(*reader, {.merge_operator = merge.get()});
  plain.SeekToFirst();
  ASSERT_TRUE(plain.Valid());
  EXPECT_TRUE(plain.is_blob_index());
  EXPECT_EQ(plain.value(), Slice("ref1"));
  plain.Next();
  EXPECT_TRUE(plain.status().IsNotSupported());
  plain.Seek("c");
  ASSERT_TRUE(plain.Valid());
  EXPECT_TRUE(plain.is_blob_index());
  EXPECT_EQ(plain.columns().size(), 2U);
  const auto refuse = [](const Slice&, const Slice&, std::string*) {
    return Status::IOError("no blob file");
  };
  UserIterator refused(*reader,
                       {.merge_operator = merge.get(), .fetch_blob = refuse});
  for (const char* key : {"a", "b", "c"}) {
    refused.Seek(key);
    EXPECT_TRUE(refused.status().IsIOError()) << refused.status().ToString();
  }
}

// Two deletions, each with a value beneath it, are in front of the last key.
TEST(UserIterator, LeavesOutNoMoreEntriesThanItMay) {
  const auto reader =
      OneTable({Value("a", 1, "a"), Deletion("b", 3), Value("b", 2, "b"),
                Deletion("c", 5), Value("c", 4, "c"), Value("d", 6, "d")});
  for (uint64_t most = 1; most <= 5; ++most) {
    SCOPED_TRACE(most);
    ReadOptions options;
    options.max_skippable_internal_keys = most;
    UserIterator it(*reader, {}, options);
    it.Seek("a");
    ASSERT_TRUE(it.Valid());
    it.Next();
    EXPECT_EQ(it.Valid(), most >= 4);
    EXPECT_EQ(it.status().IsIncomplete(), most < 4);
    it.Seek("d");
    ASSERT_TRUE(it.Valid());
    EXPECT_EQ(it.value(), Slice("d"));
  }
}

TEST(UserIterator, PinnedValuesOutliveIteratorAndReader) {
  const auto merge = NewStringAppendOperator();
  std::string timed;
  AppendTimedValue({"timed", 1}, &timed);
  std::vector<PinnableSlice> pinned;
  {
    const auto reader =
        OneTable({Value("a", 1, "plain"),
                  Operand("b", 3, "o"),
                  Value("b", 2, "base"),
                  {MakeInternalKey("c", 4, ValueType::kTypeValuePreferredSeqno),
                   timed}});
    UserIterator it(*reader, {.merge_operator = merge.get()});
    for (it.SeekToFirst(); it.Valid(); it.Next()) {
      ASSERT_TRUE(it.PinValue(&pinned.emplace_back()).ok());
    }
    for (it.SeekToLast(); it.Valid(); it.Prev()) {
      ASSERT_TRUE(it.PinValue(&pinned.emplace_back()).ok());
    }
    ASSERT_TRUE(it.status().ok());
  }
  const char* const wanted[] = {"plain", "base,o", "timed",
                                "timed", "base,o", "plain"};
  ASSERT_EQ(pinned.size(), std::size(wanted));
  for (size_t i = 0; i < pinned.size(); ++i) {
    EXPECT_EQ(pinned[i].slice(), Slice(wanted[i]));
  }
}

// Whatever is added to a memtable after the snapshot is not seen, in either
// direction, also beside the key that is shown.
TEST(UserIterator, AMemtableMayGrow) {
  EntryMap map = MapOf({Value("b", 1, "b"), Value("d", 2, "d")});
  ReadOptions options;
  options.snapshot = 2;
  std::vector<UserIteratorMemory> memory(1);
  memory[0].entries = std::make_unique<MapSource>(&map);
  UserIterator it({}, options, std::span<const UserIteratorTable>(),
                  std::move(memory));
  it.SeekToFirst();
  ASSERT_TRUE(it.Valid());
  SequenceNumber sequence = 2;
  for (const char* key : {"a", "b", "c", "d", "e"}) {
    for (int i = 0; i < 12; ++i) {
      const Entry entry = Value(key, ++sequence, "new");
      map[entry.key] = entry.value;
    }
  }
  for (int turn = 0; turn < 3; ++turn) {
    EXPECT_EQ(it.value(), Slice("b"));
    it.Next();
    ASSERT_TRUE(it.Valid());
    EXPECT_EQ(it.value(), Slice("d"));
    it.Prev();
    ASSERT_TRUE(it.Valid());
  }
  it.Prev();
  EXPECT_FALSE(it.Valid());
  EXPECT_TRUE(it.status().ok());
}

}  // namespace
}  // namespace ashlar::testing
