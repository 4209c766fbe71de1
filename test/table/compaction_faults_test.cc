// Compactions whose inputs, outputs or memory fail.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ashlar/table/compaction.h"
#include "ashlar/table/merge_operator.h"
#include "test/support/faulty_file.h"
#include "test/support/map_source.h"
#include "test/support/memory_outputs.h"
#include "test/support/scarcity.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

std::string Key(int i) { return "key" + std::to_string(1000 + i); }

// Two tables that overlap, with all kinds of entries.
std::vector<std::string> Tables(const TableOptions& options) {
  std::vector<Entry> older;
  std::vector<Entry> newer;
  for (int i = 0; i < 60; ++i) {
    older.push_back(Value(Key(i), 1 + i, "older"));
    if (i % 3 == 0) newer.push_back(Operand(Key(i), 200 + i, "operand"));
    if (i % 3 == 1) newer.push_back(Deletion(Key(i), 200 + i));
  }
  newer.push_back(RangeDeleted(Key(20), 150, Key(30)));
  return {BuildTable(options, older), BuildTable(options, newer)};
}

CompactionOptions Options(const MergeOperator* merge) {
  CompactionOptions options;
  options.iterator.merge_operator = merge;
  options.iterator.bottommost = true;
  options.iterator.snapshots = {100};
  options.cutter.target_file_size = 500;
  options.table.block_size = 100;
  options.build = FixedBuild();
  return options;
}

// Compacts the tables. Their reads are operations of `reads`, and the appends
// to outputs of `writes`; either may be null.
Status Compact(const std::vector<std::string>& tables, FaultPlan* reads,
               MemoryOutputs* outputs) {
  const auto merge = NewStringAppendOperator();
  const CompactionOptions options = Options(merge.get());
  std::vector<std::unique_ptr<TableReader>> readers;
  std::vector<CompactionRun> runs;
  for (const std::string& bytes : tables) {
    FaultPlan sound;
    auto reader = TableReader::Open(
        NewFaultyFile("input", bytes, reads != nullptr ? reads : &sound));
    if (!reader.ok()) return reader.status();
    readers.push_back(std::move(reader).value());
    runs.push_back({{readers.back().get(), "", ""}});
    if (reads == nullptr) readers.back() = OpenTable(bytes);
    runs.back()[0].table = readers.back().get();
  }
  CompactionResult result;
  return CompactTables(options, runs, {}, outputs, &result);
}

TEST(CompactionFaults, EveryWriteMayFail) {
  const auto tables = Tables(Options(nullptr).table);
  FaultPlan plan;
  MemoryOutputs sound(&plan);
  ASSERT_TRUE(Compact(tables, nullptr, &sound).ok());
  ASSERT_GT(sound.files.size(), 2U);
  const uint64_t operations = plan.operations;
  ASSERT_GT(operations, 5U);
  for (uint64_t n = 1; n <= operations; ++n) {
    SCOPED_TRACE(n);
    FaultPlan failing;
    failing.fail_at = n;
    MemoryOutputs outputs(&failing);
    const Status status = Compact(tables, nullptr, &outputs);
    EXPECT_TRUE(status.IsIOError()) << status.ToString();
    EXPECT_NE(status.message().find(kInjected), std::string_view::npos);
    EXPECT_EQ(outputs.open, 0);
    EXPECT_LT(outputs.files.size(), sound.files.size());
    for (size_t i = 0; i < outputs.files.size(); ++i) {
      EXPECT_EQ(outputs.files[i].bytes, sound.files[i].bytes);
    }
  }
}

TEST(CompactionFaults, EveryReadMayFail) {
  const auto tables = Tables(Options(nullptr).table);
  FaultPlan plan;
  MemoryOutputs sound;
  ASSERT_TRUE(Compact(tables, &plan, &sound).ok());
  const uint64_t operations = plan.operations;
  ASSERT_GT(operations, 4U);
  for (uint64_t n = 1; n <= operations; ++n) {
    SCOPED_TRACE(n);
    FaultPlan failing;
    failing.fail_at = n;
    MemoryOutputs outputs;
    const Status status = Compact(tables, &failing, &outputs);
    EXPECT_TRUE(status.IsIOError()) << status.ToString();
    EXPECT_EQ(outputs.open, 0);
  }
}

TEST(CompactionFaults, EveryMoveOfAMemtableMayFail) {
  const EntryMap map =
      MapOf({Value("a", 1, "1"), Value("b", 2, "2"), Deletion("c", 3)});
  for (const auto kind :
       {SourceFaults::Kind::kStatus, SourceFaults::Kind::kNoMemory}) {
    for (uint64_t n = 1; n <= 4; ++n) {
      SourceFaults faults;
      faults.fail_at = n;
      faults.kind = kind;
      CompactionOptions options = Options(nullptr);
      options.iterator.is_flush = true;
      options.cuts_outputs = false;
      std::vector<CompactionMemory> memory(1);
      memory[0].entries = std::make_unique<MapSource>(&map, &faults);
      MemoryOutputs outputs;
      CompactionResult result;
      const Status status =
          CompactTables(options, {}, std::move(memory), &outputs, &result);
      if (kind == SourceFaults::Kind::kStatus) {
        EXPECT_TRUE(status.IsIOError()) << status.ToString();
      } else {
        EXPECT_TRUE(status.IsMemoryLimit()) << status.ToString();
      }
      EXPECT_EQ(outputs.open, 0);
      EXPECT_TRUE(outputs.files.empty());
    }
  }
}

TEST(CompactionFaults, EveryAllocationMayFail) {
  const auto tables = Tables(Options(nullptr).table);
  std::vector<std::unique_ptr<TableReader>> readers;
  std::vector<CompactionRun> runs;
  for (const std::string& bytes : tables) {
    readers.push_back(OpenTable(bytes));
    runs.push_back({{readers.back().get(), "", ""}});
  }
  const auto merge = NewStringAppendOperator();
  const CompactionOptions options = Options(merge.get());
  size_t files = 0;
  // Outputs allocate too; what they throw is the application's.
  class NoOutputs final : public CompactionOutputs {
   public:
    Result<WritableFile*> Begin(size_t, TableOptions*, BuildOptions*) override {
      ++open;
      return &file;
    }
    Status End(const CompactionOutput& output) override {
      --open;
      EXPECT_TRUE(output.builder->status().ok());
      ++files;
      return {};
    }
    void Drop(size_t) override { --open; }

    class Sink final : public WritableFile {
     public:
      Status Append(const Slice&) override { return {}; }
      Status Sync() override { return {}; }
      Status Close() override { return {}; }
      std::string name() const override { return "sink"; }
    };
    Sink file;
    int open = 0;
    size_t files = 0;
  };
  const ScarcityCounts counts = ForEachFailure(
      [&] {
        NoOutputs outputs;
        CompactionResult result;
        Status status = CompactTables(options, runs, {}, &outputs, &result);
        EXPECT_EQ(outputs.open, 0);
        files = outputs.files;
        return status;
      },
      [&] { EXPECT_GT(files, 2U); }, 7);
  EXPECT_GT(counts.failures, 20U);
}

TEST(CompactionFaults, RulesThatAreBrokenAreErrors) {
  const auto compact = [](const std::vector<Entry>& entries,
                          const CompactionOptions& options) {
    const auto reader = OpenTable(BuildTable(options.table, entries));
    MemoryOutputs outputs;
    CompactionResult result;
    Status status = CompactTables(options, {{{reader.get(), "", ""}}}, {},
                                  &outputs, &result);
    EXPECT_EQ(outputs.open, 0);
    EXPECT_TRUE(outputs.files.empty());
    return status;
  };
  const Status no_operator = compact({Operand("k", 2, "o")}, Options(nullptr));
  EXPECT_TRUE(no_operator.IsInvalidArgument()) << no_operator.ToString();
  EXPECT_NE(no_operator.message().find("'k' seq:2"), std::string_view::npos);
  const auto merge = NewStringAppendOperator();
  const Entry blob = {MakeInternalKey("k", 1, ValueType::kTypeBlobIndex), "b"};
  CompactionOptions without_snapshot = Options(merge.get());
  without_snapshot.iterator.snapshots.clear();
  const Status no_blobs =
      compact({Operand("k", 2, "o"), blob}, without_snapshot);
  EXPECT_TRUE(no_blobs.IsNotSupported()) << no_blobs.ToString();
  const Entry bad_entity = {
      MakeInternalKey("k", 1, ValueType::kTypeWideColumnEntity), "\x01"};
  const Status damaged =
      compact({Operand("k", 2, "o"), bad_entity}, without_snapshot);
  EXPECT_TRUE(damaged.IsCorruption()) << damaged.ToString();
}

}  // namespace
}  // namespace ashlar::testing
