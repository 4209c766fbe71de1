// Compactions that are divided into parts give what one part gives, and fail as
// one.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "ashlar/table/compaction_filter.h"
#include "ashlar/table/merge_operator.h"
#include "ashlar/util/worker_pool.h"
#include "table/compaction/compaction_part.h"
#include "test/support/map_source.h"
#include "test/support/memory_outputs.h"
#include "test/support/random.h"
#include "test/support/scarcity.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

constexpr int kKeys = 500;

// Tables with several versions of each key, range deletions and operands.
class Inputs {
 public:
  Inputs(uint64_t seed, const TableOptions& options) : random_(seed) {
    const Comparator* const order = options.comparator;
    const std::string stamp(order->timestamp_size(), '\0');
    SequenceNumber sequence = 1;
    for (int table = 0; table < 4; ++table) {
      std::vector<Entry> entries;
      for (int i = 0; i < kKeys; ++i) {
        const uint64_t versions = random_.Below(4);
        for (uint64_t v = 0; v < versions; ++v) {
          entries.push_back(RandomEntry(KeyOf(i), stamp, sequence++));
        }
      }
      std::stable_sort(entries.begin(), entries.end(),
                       [order](const Entry& a, const Entry& b) {
                         return InternalKeyLess{order}(a.key, b.key);
                       });
      for (int i = 0; stamp.empty() && i < 6; ++i) {
        const auto from = static_cast<int>(random_.Below(kKeys));
        const auto to = static_cast<int>(from + random_.Between(1, 200));
        entries.push_back(
            RangeDeleted(KeyOf(from), sequence++, KeyOf(std::min(to, kKeys))));
      }
      bytes_.push_back(BuildTable(options, entries));
    }
    for (int i = 0; i < 3; ++i) {
      snapshots_.push_back(random_.Between(1, sequence));
    }
    Open(options.comparator);
  }

  static std::string KeyOf(int i) { return "key" + std::to_string(1000 + i); }
  const std::vector<CompactionRun>& runs() const { return runs_; }
  const std::vector<SequenceNumber>& snapshots() const { return snapshots_; }
  const std::vector<std::string>& bytes() const { return bytes_; }

 private:
  Entry RandomEntry(const std::string& key, const std::string& stamp,
                    SequenceNumber sequence) {
    const std::string value(random_.Between(1, 30), 'v');
    const uint64_t kind = random_.Below(8);
    if (kind == 0 && stamp.empty()) return Deletion(key, sequence);
    if (kind == 1) return Operand(key + stamp, sequence, value);
    return Value(key + stamp, sequence, value);
  }
  void Open(const Comparator* comparator) {
    ReaderOptions options;
    options.comparator = comparator;
    for (const std::string& bytes : bytes_) {
      readers_.push_back(OpenTable(bytes, options));
      runs_.push_back({{readers_.back().get(), "", ""}});
    }
  }

  Random random_;
  std::vector<std::string> bytes_;
  std::vector<SequenceNumber> snapshots_;
  std::vector<std::unique_ptr<TableReader>> readers_;
  std::vector<CompactionRun> runs_;
};

CompactionOptions Options(const MergeOperator* merge) {
  CompactionOptions options;
  options.iterator.merge_operator = merge;
  options.cutter.target_file_size = 700;
  options.table.block_size = 200;
  options.build = FixedBuild();
  return options;
}

// What outputs say: entries, and for each key the newest range deletion.
struct Contents {
  std::vector<Entry> entries;
  std::vector<SequenceNumber> deleted;
  friend bool operator==(const Contents& a, const Contents& b) {
    return a.deleted == b.deleted &&
           std::equal(a.entries.begin(), a.entries.end(), b.entries.begin(),
                      b.entries.end(), [](const Entry& x, const Entry& y) {
                        return x.key == y.key && x.value == y.value;
                      });
  }
};

Contents ContentsOf(const MemoryOutputs& outputs,
                    const Comparator* comparator) {
  Contents contents;
  contents.deleted.resize(kKeys);
  std::string last;
  for (const MemoryOutputs::File& file : outputs.files) {
    ReaderOptions options;
    options.comparator = comparator;
    const auto reader = OpenTable(file.bytes, options);
    ReadOptions all;
    all.ignore_range_deletions = true;
    Require(ReadForward(*reader, all, &contents.entries));
    if (!last.empty()) {
      EXPECT_LT(comparator->Compare(last, UserKeyOf(file.smallest)), 1);
    }
    last = UserKeyOf(file.largest).ToString();
    for (int i = 0; i < kKeys; ++i) {
      const std::string key = Inputs::KeyOf(i);
      // Only what is between the output's bounds counts.
      if (key < UserKeyOf(file.smallest).ToStringView()) continue;
      const int order = Slice(key).compare(UserKeyOf(file.largest));
      if (order > 0 ||
          (order == 0 && SequenceOf(file.largest) == kMaxSequenceNumber)) {
        continue;
      }
      contents.deleted[i] =
          std::max(contents.deleted[i],
                   reader->NewestRangeDeletionOver(key, kMaxSequenceNumber));
    }
  }
  return contents;
}

CompactionResult Compact(const CompactionOptions& options, const Inputs& inputs,
                         MemoryOutputs* outputs) {
  CompactionResult result;
  const Status status =
      CompactTables(options, inputs.runs(), {}, outputs, &result);
  EXPECT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(outputs->open, 0);
  EXPECT_EQ(result.outputs, outputs->files.size());
  outputs->Order(result.output_numbers);
  return result;
}

void CompareWithOnePart(CompactionOptions options, const Inputs& inputs,
                        WorkerPool* pool) {
  const Comparator* const comparator = options.table.comparator;
  options.iterator.comparator = comparator;
  MemoryOutputs serial;
  const CompactionResult expected = Compact(options, inputs, &serial);
  options.max_subcompactions = 4;
  options.worker_pool = pool;
  size_t parts = 0;
  options.prepare_part = [&](size_t part, CompactionOptions* of_part) {
    EXPECT_EQ(part, parts++);
    EXPECT_EQ(of_part->start.empty(), part == 0);
  };
  MemoryOutputs outputs;
  const CompactionResult result = Compact(options, inputs, &outputs);
  EXPECT_EQ(parts, 4U);
  EXPECT_EQ(result.counts.input_entries, expected.counts.input_entries);
  EXPECT_EQ(result.counts.output_entries, expected.counts.output_entries);
  EXPECT_TRUE(ContentsOf(outputs, comparator) ==
              ContentsOf(serial, comparator));
}

TEST(Subcompactions, GiveWhatOnePartGives) {
  const auto merge = NewStringAppendOperator();
  WorkerPool pool(3);
  ForEachSeed(1, 40, [&](uint64_t seed) {
    Random random(seed);
    CompactionOptions options = Options(merge.get());
    options.table.index_type = random.OneIn(2) ? IndexType::kTwoLevelIndexSearch
                                               : IndexType::kBinarySearch;
    options.table.metadata_block_size = 100;
    options.table.format_version = random.OneIn(2) ? 2 : 6;
    options.iterator.bottommost = random.OneIn(2);
    const Inputs inputs(seed, options.table);
    options.iterator.snapshots = inputs.snapshots();
    CompareWithOnePart(options, inputs, random.OneIn(4) ? nullptr : &pool);
  });
}

// The empty key is no border: as a bound it would mean that there is none. The
// first block has it alone, or the last one.
TEST(Subcompactions, AreNotDividedAtTheEmptyKey) {
  for (const Comparator* const order :
       {BytewiseComparator(), ReverseBytewiseComparator()}) {
    CompactionOptions options = Options(nullptr);
    options.table.comparator = options.iterator.comparator = order;
    std::vector<Entry> entries;
    entries.reserve(21);
    for (int i = 0; i < 20; ++i) {
      entries.push_back(Value(Inputs::KeyOf(i), 9, std::string(5000, 'v')));
    }
    if (order == BytewiseComparator()) {
      entries.insert(entries.begin(), Value("", 9, std::string(150000, 'v')));
    } else {
      std::reverse(entries.begin(), entries.end());
      entries.push_back(Value("", 9, std::string(150000, 'v')));
    }
    const auto table = OpenTable(BuildTable(options.table, entries));
    const auto same = OpenTable(BuildTable(options.table, {entries.back()}));
    options.max_subcompactions = 2;
    MemoryOutputs outputs;
    CompactionResult result;
    Require(CompactTables(options,
                          {{{table.get(), "", ""}}, {{same.get(), "", ""}}}, {},
                          &outputs, &result));
    EXPECT_EQ(result.counts.input_entries, entries.size() + 1);
    EXPECT_EQ(result.counts.output_entries, entries.size());
  }
}

// Compares bytes, and looks at whether there are keys at all.
class KeysOfThisTest final : public Comparator {
 public:
  std::string_view Name() const override { return "KeysOfThisTest"; }
  int Compare(const Slice& a, const Slice& b) const override {
    EXPECT_LT(std::max(a.size(), b.size()), 100U);
    return a.compare(b);
  }
};

// Only one of two neighbours has bounds, since only it has range deletions.
TEST(Compaction, ATableWithoutBoundsSharesNoKeyWithItsNeighbours) {
  const KeysOfThisTest order;
  CompactionOptions options = Options(nullptr);
  options.table.comparator = options.iterator.comparator = &order;
  const auto deleting = OpenTable(
      BuildTable(options.table, {Value("c", 9, "1"), Value("e", 8, "2"),
                                 RangeDeleted("c", 7, "f")}),
      {.comparator = &order});
  const auto before = OpenTable(BuildTable(options.table, {Value("a", 5, "3")}),
                                {.comparator = &order});
  const auto behind = OpenTable(BuildTable(options.table, {Value("x", 5, "4")}),
                                {.comparator = &order});
  const CompactionRun run = {
      {before.get(), "", ""},
      {deleting.get(), MakeInternalKey("c", 9, ValueType::kTypeValue),
       MakeInternalKey("e", 8, ValueType::kTypeValue)},
      {behind.get(), "", ""}};
  MemoryOutputs outputs;
  CompactionResult result;
  Require(CompactTables(options, {run}, {}, &outputs, &result));
  EXPECT_EQ(result.counts.output_entries, 4U);
}

TEST(Subcompactions, GiveWhatOnePartGivesWithTimestamps) {
  const auto merge = NewStringAppendOperator();
  WorkerPool pool(3);
  for (const bool persists : {true, false}) {
    CompactionOptions options = Options(merge.get());
    options.table.comparator = BytewiseComparatorWithU64Ts();
    options.table.persist_user_defined_timestamps = persists;
    const Inputs inputs(7, options.table);
    CompareWithOnePart(options, inputs, &pool);
  }
}

TEST(Subcompactions, AreAboutEqualAndStayBetweenStartAndEnd) {
  CompactionOptions options = Options(nullptr);
  const auto merge = NewStringAppendOperator();
  options.iterator.merge_operator = merge.get();
  const Inputs inputs(3, options.table);
  options.start = Inputs::KeyOf(100);
  options.end = Inputs::KeyOf(400);
  options.max_subcompactions = 3;
  std::vector<std::pair<std::string, std::string>> ranges;
  options.prepare_part = [&](size_t, CompactionOptions* part) {
    ranges.emplace_back(part->start, part->end);
  };
  MemoryOutputs outputs;
  const CompactionResult all = Compact(options, inputs, &outputs);
  ASSERT_EQ(ranges.size(), 3U);
  EXPECT_EQ(ranges.front().first, options.start);
  EXPECT_EQ(ranges.back().second, options.end);
  options.max_subcompactions = 1;
  for (size_t i = 0; i < ranges.size(); ++i) {
    if (i > 0) {
      EXPECT_EQ(ranges[i].first, ranges[i - 1].second);
    }
    options.start = ranges[i].first;
    options.end = ranges[i].second;
    MemoryOutputs of_part;
    const CompactionResult result = Compact(options, inputs, &of_part);
    EXPECT_GT(result.counts.input_entries, all.counts.input_entries / 4);
    EXPECT_LT(result.counts.input_entries, all.counts.input_entries / 2);
  }
}

TEST(Subcompactions, AreOnlyMadeWhereTheyAreWorthIt) {
  const auto merge = NewStringAppendOperator();
  CompactionOptions options = Options(merge.get());
  const Inputs inputs(3, options.table);
  uint64_t bytes = 0;
  for (const CompactionRun& run : inputs.runs()) {
    bytes += run[0].table->properties().data_size;
  }
  options.max_subcompactions = 8;
  size_t parts = 0;
  options.prepare_part = [&](size_t, CompactionOptions*) { ++parts; };
  for (const uint64_t wanted : {1, 2, 5}) {
    options.cutter.target_file_size = bytes / wanted;
    parts = 0;
    MemoryOutputs outputs;
    Compact(options, inputs, &outputs);
    EXPECT_EQ(parts, wanted == 1 ? 0 : wanted);
  }
  // What must be one output is one part.
  options.cuts_outputs = false;
  parts = 0;
  MemoryOutputs one;
  Compact(options, inputs, &one);
  EXPECT_EQ(parts, 0U);
  options.cuts_outputs = true;
  // A flush is one part.
  const EntryMap map = MapOf({Value("a", 1, "1"), Value("b", 2, "2")});
  options.cutter.target_file_size = 1;
  parts = 0;
  std::vector<CompactionMemory> memory(1);
  memory[0].entries = std::make_unique<MapSource>(&map);
  MemoryOutputs outputs;
  CompactionResult result;
  ASSERT_TRUE(CompactTables(options, inputs.runs(), std::move(memory), &outputs,
                            &result)
                  .ok());
  EXPECT_EQ(parts, 0U);
}

// Of one part. Does something once it has seen some keys.
class PartFilter final : public CompactionFilter {
 public:
  std::string_view Name() const override { return "Part"; }
  Decision Filter(const Entry& entry, Change* /*change*/) override {
    const std::string key = entry.key.ToString();
    EXPECT_LE(last, key);  // operands of one key are shown one by one
    last = key;
    if (++calls == 10 && at_ten) at_ten();
    return Decision::kKeep;
  }
  std::string last;
  uint64_t calls = 0;
  std::function<void()> at_ten;
};

class PartFilters {
 public:
  explicit PartFilters(CompactionOptions* options) {
    options->max_subcompactions = 4;
    options->prepare_part = [this](size_t part, CompactionOptions* of_part) {
      of_part->iterator.compaction_filter = &filters[part];
    };
  }
  std::vector<PartFilter> filters = std::vector<PartFilter>(4);
};

TEST(Subcompactions, EachHasItsOwnFilterAndAllReportProgress) {
  const auto merge = NewStringAppendOperator();
  WorkerPool pool(3);
  CompactionOptions options = Options(merge.get());
  const Inputs inputs(5, options.table);
  PartFilters parts(&options);
  CompactionProgress progress;
  options.progress = &progress;
  options.worker_pool = &pool;
  MemoryOutputs outputs;
  const CompactionResult result = Compact(options, inputs, &outputs);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_GT(parts.filters[i].calls, 10U);
    if (i > 0) {
      EXPECT_LT(parts.filters[i - 1].last, parts.filters[i].last);
    }
  }
  const CompactionAmounts amounts = progress.Amounts();
  EXPECT_EQ(amounts.input_entries, result.counts.input_entries);
  EXPECT_EQ(amounts.output_entries, result.counts.output_entries);
  EXPECT_EQ(amounts.outputs, outputs.files.size());
  uint64_t expected = 0;
  for (const CompactionRun& run : inputs.runs()) {
    expected += run[0].table->properties().raw_key_size +
                run[0].table->properties().raw_value_size;
  }
  EXPECT_EQ(amounts.expected_bytes, expected);
}

TEST(Subcompactions, OneThatCancelsEndsAll) {
  const auto merge = NewStringAppendOperator();
  WorkerPool pool(3);
  for (size_t part = 0; part < 4; ++part) {
    CompactionOptions options = Options(merge.get());
    const Inputs inputs(5, options.table);
    PartFilters parts(&options);
    CompactionProgress progress;
    parts.filters[part].at_ten = [&] { progress.Cancel(); };
    options.progress = &progress;
    options.worker_pool = &pool;
    MemoryOutputs outputs;
    CompactionResult result;
    const Status status =
        CompactTables(options, inputs.runs(), {}, &outputs, &result);
    EXPECT_TRUE(status.IsIncomplete()) << status.ToString();
    EXPECT_EQ(outputs.open, 0);
    outputs.Order(result.output_numbers);
  }
}

TEST(Subcompactions, APartThatIsToldToStopStopsWithinABlock) {
  const auto merge = NewStringAppendOperator();
  CompactionOptions options = Options(merge.get());
  const Inputs inputs(5, options.table);
  internal::RelaxedAtomic<bool> stop{false};
  PartFilter filter;
  filter.at_ten = [&] { stop.Store(true); };
  options.iterator.compaction_filter = &filter;
  MemoryOutputs outputs;
  CompactionResult result;
  const Status status =
      internal::CompactionPart(options, &outputs, &stop, &result)
          .Run(inputs.runs(), {});
  EXPECT_TRUE(status.IsIncomplete()) << status.ToString();
  EXPECT_EQ(outputs.open, 0);
  EXPECT_LT(
      result.counts.input_raw_key_bytes + result.counts.input_raw_value_bytes,
      3 * CompactionIteratorOptions::kProgressBytes);
}

TEST(Subcompactions, AnExceptionOfAnyPartPassesThrough) {
  const auto merge = NewStringAppendOperator();
  WorkerPool pool(3);
  for (size_t part = 0; part < 4; ++part) {
    CompactionOptions options = Options(merge.get());
    const Inputs inputs(5, options.table);
    PartFilters parts(&options);
    parts.filters[part].at_ten = [] { throw std::runtime_error("filter"); };
    options.worker_pool = &pool;
    MemoryOutputs outputs;
    CompactionResult result;
    EXPECT_THROW(CompactTables(options, inputs.runs(), {}, &outputs, &result)
                     .IgnoreError(),
                 std::runtime_error);
    EXPECT_EQ(outputs.open, 0);
    outputs.Order(result.output_numbers);
  }
}

// Inputs whose reads are operations of the plan.
Status CompactFaulty(const Inputs& inputs, CompactionOptions options,
                     FaultPlan* reads, MemoryOutputs* outputs) {
  WorkerPool nobody(0);
  options.max_subcompactions = 4;
  options.worker_pool = &nobody;
  std::vector<std::unique_ptr<TableReader>> readers;
  std::vector<CompactionRun> runs;
  for (const std::string& bytes : inputs.bytes()) {
    auto reader = TableReader::Open(NewFaultyFile("input", bytes, reads));
    if (!reader.ok()) return reader.status();
    readers.push_back(std::move(reader).value());
    runs.push_back({{readers.back().get(), "", ""}});
  }
  CompactionResult result;
  Status status = CompactTables(options, runs, {}, outputs, &result);
  EXPECT_EQ(outputs->open, 0);
  outputs->Order(result.output_numbers);
  return status;
}

TEST(Subcompactions, EveryReadMayFail) {
  const auto merge = NewStringAppendOperator();
  CompactionOptions options = Options(merge.get());
  options.table.index_type = IndexType::kTwoLevelIndexSearch;
  options.table.metadata_block_size = 300;
  const Inputs inputs(5, options.table);
  FaultPlan plan;
  MemoryOutputs sound;
  ASSERT_TRUE(CompactFaulty(inputs, options, &plan, &sound).ok());
  ASSERT_GT(plan.operations, 50U);
  for (uint64_t n = 1; n <= plan.operations; ++n) {
    SCOPED_TRACE(n);
    FaultPlan failing;
    failing.fail_at = n;
    MemoryOutputs outputs;
    const Status status = CompactFaulty(inputs, options, &failing, &outputs);
    // An estimate of progress hides its errors; there is none here.
    EXPECT_TRUE(status.IsIOError()) << status.ToString();
  }
}

TEST(Subcompactions, EveryWriteMayFail) {
  const auto merge = NewStringAppendOperator();
  const CompactionOptions options = Options(merge.get());
  const Inputs inputs(5, options.table);
  FaultPlan reads;
  FaultPlan plan;
  MemoryOutputs sound(&plan);
  ASSERT_TRUE(CompactFaulty(inputs, options, &reads, &sound).ok());
  ASSERT_GT(sound.files.size(), 4U);
  for (uint64_t n = 1; n <= plan.operations; ++n) {
    SCOPED_TRACE(n);
    FaultPlan failing;
    failing.fail_at = n;
    MemoryOutputs outputs(&failing);
    const Status status = CompactFaulty(inputs, options, &reads, &outputs);
    EXPECT_TRUE(status.IsIOError()) << status.ToString();
    EXPECT_NE(status.message().find(kInjected), std::string_view::npos);
    // No part begins after one has failed.
    EXPECT_LT(outputs.files.size(), sound.files.size());
    for (size_t i = 0; i < outputs.files.size(); ++i) {
      EXPECT_EQ(outputs.files[i].bytes, sound.files[i].bytes);
    }
  }
}

// Ends outputs until one of them fails.
class EndsSome final : public CompactionOutputs {
 public:
  explicit EndsSome(size_t fail_at) : fail_at_(fail_at) {}
  Result<WritableFile*> Begin(size_t number, TableOptions* table,
                              BuildOptions* build) override {
    begun.insert(number);
    return memory.Begin(number, table, build);
  }
  Status End(const CompactionOutput& output) override {
    EXPECT_EQ(begun.erase(output.number), 1U);
    Status status = memory.End(output);
    return ended++ == fail_at_ ? Status::IOError("end") : status;
  }
  void Drop(size_t number) override {
    EXPECT_EQ(begun.erase(number), 1U);
    memory.Drop(number);
  }

  MemoryOutputs memory;
  std::set<size_t> begun;
  size_t ended = 0;

 private:
  const size_t fail_at_;
};

TEST(Subcompactions, AWriteMayFailWhileOthersRun) {
  const auto merge = NewStringAppendOperator();
  WorkerPool pool(3);
  CompactionOptions options = Options(merge.get());
  options.max_subcompactions = 4;
  options.worker_pool = &pool;
  const Inputs inputs(5, options.table);
  CompactionResult result;
  EndsSome all(1000);
  ASSERT_TRUE(CompactTables(options, inputs.runs(), {}, &all, &result).ok());
  ASSERT_GE(all.ended, 4U);
  for (size_t n = 0; n < all.ended; ++n) {
    EndsSome outputs(n);
    const Status status =
        CompactTables(options, inputs.runs(), {}, &outputs, &result);
    EXPECT_TRUE(status.IsIOError()) << status.ToString();
    EXPECT_TRUE(outputs.begun.empty());
    EXPECT_EQ(result.output_numbers.size() + 1, outputs.ended);
  }
}

TEST(Subcompactions, EveryAllocationMayFail) {
  const auto merge = NewStringAppendOperator();
  WorkerPool nobody(0);
  CompactionOptions options = Options(merge.get());
  options.max_subcompactions = 3;
  options.worker_pool = &nobody;
  const Inputs inputs(5, options.table);
  size_t files = 0;
  const ScarcityCounts counts = ForEachFailure(
      [&] {
        MemoryOutputs outputs;
        CompactionResult result;
        Status status =
            CompactTables(options, inputs.runs(), {}, &outputs, &result);
        files = outputs.files.size();
        return status;
      },
      [&] { EXPECT_GT(files, 2U); }, 97);
  EXPECT_GT(counts.failures, 20U);
}

}  // namespace
}  // namespace ashlar::testing
