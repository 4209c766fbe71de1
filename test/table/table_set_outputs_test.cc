// In which order a set lists outputs of a compaction, and what stays of outputs
// that fail.
#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include "ashlar/table/compaction_filter.h"
#include "ashlar/table/numbered_outputs.h"
#include "ashlar/table/table_set.h"
#include "ashlar/util/file_checksum.h"
#include "ashlar/util/worker_pool.h"
#include "test/support/faulty_calls.h"
#include "test/support/folder.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

// Passes outputs to a set. The first part of the compaction begins none until
// another part has begun one.
class OutputsOutOfOrder final : public CompactionOutputs,
                                private CompactionFilter {
 public:
  OutputsOutOfOrder(TableSet* set, CompactionOptions* options) : set_(*set) {
    options->prepare_part = [this](size_t part, CompactionOptions* of_part) {
      if (part == 0) of_part->iterator.compaction_filter = this;
    };
  }

  Result<WritableFile*> Begin(size_t number, TableOptions* table,
                              BuildOptions* build) override {
    {
      const std::scoped_lock lock(mutex_);
      any_begun_ = true;
      changed_.notify_all();
    }
    return set_.Begin(number, table, build);
  }
  Status End(const CompactionOutput& output) override {
    return set_.End(output);
  }
  void Drop(size_t number) override { set_.Drop(number); }

 private:
  std::string_view Name() const override { return "AwaitsAnotherPart"; }
  Decision Filter(const Entry& /*entry*/, Change* /*change*/) override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return any_begun_; });
    return Decision::kKeep;
  }

  TableSet& set_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool any_begun_ = false;
};

// Whatever the order in which parts begin their outputs.
void CheckPartsAreInKeyOrder(const Comparator* comparator) {
  TableOptions table;
  table.comparator = comparator;
  table.block_size = 100;
  std::vector<Entry> entries;
  for (int i = 0; i < 900; ++i) {
    const std::string key = "key" + std::to_string(1000 + i);
    entries.push_back(Value(key, 100 + i, "value"));
  }
  if (comparator->Compare("a", "b") > 0) {
    std::reverse(entries.begin(), entries.end());
  }
  const std::string first = UserKeyOf(entries.front().key).ToString();
  const std::string last = UserKeyOf(entries.back().key).ToString();
  ReaderOptions reader_options;
  reader_options.comparator = comparator;
  const auto input = OpenTable(BuildTable(table, entries), reader_options);
  CompactionOptions options;
  options.iterator.comparator = comparator;
  options.table = table;
  options.build = FixedBuild();
  options.cutter.target_file_size = 1500;
  options.max_subcompactions = 3;
  WorkerPool pool(2);
  options.worker_pool = &pool;
  const TestFolder folder;
  auto set = TableSet::Create({.path = folder / "t.sst"});
  Require(set.status());
  OutputsOutOfOrder outputs(set->get(), &options);
  CompactionResult result;
  Require(
      CompactTables(options, {{{input.get(), "", ""}}}, {}, &outputs, &result));
  ASSERT_GT(result.outputs, 5U);
  // Else the test shows nothing.
  EXPECT_FALSE(std::is_sorted(result.output_numbers.begin(),
                              result.output_numbers.end()));
  Require((*set)->Commit());
  const auto tables = ReadTableSet(folder / "t.sst");
  Require(tables.status());
  ASSERT_EQ(tables->size(), result.outputs);
  EXPECT_EQ(tables->front().smallest, first);
  EXPECT_EQ(tables->back().largest, last);
  for (size_t i = 0; i < tables->size(); ++i) {
    const TableSetTable& listed = (*tables)[i];
    EXPECT_TRUE(
        listed.path.ends_with("t-00000" + std::to_string(i + 1) + ".sst") ||
        i >= 9);
    EXPECT_EQ((*set)->tables()[i].path, listed.path);
    const std::string bytes = ReadFile(listed.path);
    EXPECT_EQ(listed.file_checksum, ExtendFileChecksum(0, bytes));
    const auto reader = OpenTable(bytes, reader_options);
    Iterator it = reader->NewIterator({});
    it.SeekToFirst();
    EXPECT_EQ(it.user_key().ToString(), listed.smallest);
    if (i > 0) {
      EXPECT_LT(comparator->Compare((*tables)[i - 1].largest, listed.smallest),
                0);
    }
  }
}

TEST(TableSet, SubcompactionsAreListedInKeyOrder) {
  CheckPartsAreInKeyOrder(BytewiseComparator());
  CheckPartsAreInKeyOrder(ReverseBytewiseComparator());
}

// A set that a caller makes of both kinds of tables.
TEST(TableSet, TablesOfTheCallerComeBehindOutputs) {
  TableOptions table;
  const auto input = OpenTable(BuildTable(table, {Value("k", 1, "value")}));
  CompactionOptions options;
  options.build = FixedBuild();
  const TestFolder folder;
  auto set = TableSet::Create({.path = folder / "t.sst"});
  Require(set.status());
  for (const size_t number : {7, 5}) {
    Require((*set)->BeginTable(number).status());
    TableSetTable listed;
    listed.smallest = std::to_string(number);
    Require((*set)->EndTable(number, listed));
  }
  CompactionResult result;
  Require(CompactTables(options, {{{input.get(), "", ""}}}, {}, set->get(),
                        &result));
  Require((*set)->Commit());
  std::string found;
  for (const TableSetTable& listed : (*set)->tables()) found += listed.smallest;
  EXPECT_EQ(found, "k57");
}

// A file that has its name already, but whose folder could not be synced, does
// not stay: the engine never learns of it.
TEST(NumberedOutputs, AFileThatIsNotSafeInItsFolderGoes) {
  const TestFolder folder;
  const auto input = OpenTable(BuildTable({}, SomeEntries(10)));
  BeginFaults(folder.path(), "");
  const auto run = [&] {
    NumberedOutputs outputs({.next_number = [] { return uint64_t{7}; },
                             .path = [&](uint64_t) { return folder / "7.sst"; },
                             .file = {}});
    CompactionResult result;
    Status status =
        CompactTables({}, {{{input.get(), "", ""}}}, {}, &outputs, &result);
    if (status.ok()) outputs.Take(result);
    return status;
  };
  Require(run());
  const std::vector<CountedCall> calls = EndFaults();
  EXPECT_EQ(folder.Names(), std::vector<std::string>{"7.sst"});
  std::filesystem::remove(folder / "7.sst");
  const auto is_sync = [](const CountedCall& call) {
    return call.name == "fsync";
  };
  const auto last = std::find_if(calls.rbegin(), calls.rend(), is_sync);
  ASSERT_NE(last, calls.rend());
  EXPECT_EQ(last->path, ".");
  const auto number = std::count_if(calls.begin(), calls.end(), is_sync);
  BeginFaults(folder.path(), "fsync@" + std::to_string(number) + ":EIO");
  const Status failed = run();
  EndFaults();
  EXPECT_TRUE(failed.IsIOError()) << failed.ToString();
  EXPECT_TRUE(folder.Names().empty());
}

// Somebody else makes a file of the same name before each table is complete.
class TakenNames final : public CompactionOutputs {
 public:
  TakenNames(CompactionOutputs* outputs, std::string path)
      : outputs_(outputs), path_(std::move(path)) {}

  Result<WritableFile*> Begin(size_t number, TableOptions* table_options,
                              BuildOptions* build_options) override {
    return outputs_->Begin(number, table_options, build_options);
  }
  Status End(const CompactionOutput& output) override {
    WriteFile(path_, "theirs");
    return outputs_->End(output);
  }
  void Drop(size_t number) override { outputs_->Drop(number); }

 private:
  CompactionOutputs* const outputs_;
  const std::string path_;
};

TEST(NumberedOutputs, AFileOfSomebodyElseStays) {
  const TestFolder folder;
  const auto input = OpenTable(BuildTable({}, SomeEntries(10)));
  const std::string path = folder / "7.sst";
  {
    NumberedOutputs files({.next_number = [] { return uint64_t{7}; },
                           .path = [&](uint64_t) { return folder / "7.sst"; },
                           .file = {.overwrite = false}});
    TakenNames outputs(&files, path);
    CompactionResult result;
    const Status status =
        CompactTables({}, {{{input.get(), "", ""}}}, {}, &outputs, &result);
    EXPECT_EQ(status.ToString(), "Invalid argument: " + path + ": file exists");
  }
  EXPECT_EQ(folder.Names(), std::vector<std::string>{"7.sst"});
  EXPECT_EQ(ReadFile(path), "theirs");
}

}  // namespace
}  // namespace ashlar::testing
