// Tests MultiGetFromTables. It gives the answers of a search of one table after
// the other, and those of a model, for any levels, tables, keys and caches. It
// reads no other blocks than that search, and reads what is missing in several
// tables together. Damage concerns only the keys that need it.

#include "ashlar/table/multi_table_get.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "ashlar/cache/cache_options.h"
#include "ashlar/table/statistics.h"
#include "test/support/faulty_file.h"
#include "test/support/random_levels.h"
#include "test/support/random_table.h"
#include "test/support/thorough.h"

namespace ashlar::testing {
namespace {

using State = GetResult::State;

// Open tables, as MultiGetFromTables takes them.
struct OpenLevels {
  std::vector<std::unique_ptr<TableReader>> readers;
  std::vector<std::vector<TableRange>> ranges;
  std::vector<TableLevel> levels;

  // `made` must outlive this.
  void Add(const RandomLevels::Level& made,
           const std::vector<const TableReader*>& tables) {
    std::vector<TableRange>& of_level = ranges.emplace_back();
    for (size_t i = 0; i < tables.size(); ++i) {
      const RandomLevels::Table& table = made.tables[i];
      of_level.push_back(
          {tables[i], table.smallest, table.largest, table.excludes_largest});
    }
    levels.push_back({of_level, made.sorted});
  }
};

struct Batch {
  explicit Batch(std::vector<std::string> keys_in)
      : keys(std::move(keys_in)),
        results(keys.size()),
        statuses(keys.size()),
        operands(keys.size()) {
    for (const std::string& key : keys) slices.emplace_back(key);
  }
  // `most`: how many operands of a key are taken.
  void Run(const OpenLevels& open, const ReadOptions& options = {},
           SequenceNumber snapshot = kMaxSequenceNumber, size_t most = 1000) {
    for (auto& of_key : operands) of_key.clear();
    MultiGetFromTables(options, open.levels, slices, snapshot, results,
                       statuses,
                       [&](size_t k, const Slice& operand, SequenceNumber) {
                         operands[k].push_back(operand.ToString());
                         return operands[k].size() < most;
                       });
  }

  std::vector<std::string> keys;
  std::vector<Slice> slices;
  std::vector<GetResult> results;
  std::vector<Status> statuses;
  std::vector<std::vector<std::string>> operands;
};

// Looks up a key in one table after the other.
struct OneByOne {
  LevelsAnswer answer;
  Status status;
  uint32_t blocks_read = 0;

  OneByOne(const OpenLevels& open, const Comparator& comparator,
           const std::string& key, const ReadOptions& options,
           SequenceNumber snapshot, size_t most) {
    for (const TableLevel& level : open.levels) {
      for (const TableRange& range : level.tables) {
        const int at_end =
            comparator.CompareWithoutTimestamp(key, range.largest);
        if (comparator.CompareWithoutTimestamp(key, range.smallest) < 0 ||
            at_end > 0 || (at_end == 0 && range.excludes_largest)) {
          continue;
        }
        if (Ask(*range.table, key, options, snapshot, most)) return;
      }
    }
  }

  // Returns whether the search has ended.
  bool Ask(const TableReader& table, const std::string& key,
           const ReadOptions& options, SequenceNumber snapshot, size_t most) {
    bool stopped = false;
    GetResult result;
    status = table.Get(options, key, snapshot, &result,
                       [&](const Slice& operand, SequenceNumber) {
                         answer.operands.push_back(operand.ToString());
                         stopped = answer.operands.size() >= most;
                         return !stopped;
                       });
    blocks_read += result.data_blocks_read;
    if (!status.ok()) {
      answer = {};
      return true;
    }
    if (result.state == State::kNotFound) return false;
    answer.state = result.state;
    answer.value = result.value.ToString();
    answer.sequence = result.sequence;
    answer.timestamp = result.timestamp;
    return result.state != State::kMerged || stopped;
  }
};

LevelsAnswer AnswerOf(const Batch& batch, size_t k) {
  const GetResult& result = batch.results[k];
  if (result.state == State::kNotFound) return {};
  return {result.state, result.value.ToString(), result.sequence,
          result.timestamp, batch.operands[k]};
}

std::string Describe(const LevelsAnswer& answer) {
  return std::to_string(static_cast<int>(answer.state)) + " " + answer.value +
         " @" + std::to_string(answer.sequence) + ", " +
         std::to_string(answer.operands.size()) + " operands";
}

ReaderOptions AnyReaderOptions(const Comparator* comparator,
                               std::shared_ptr<Cache> cache, Random* random) {
  ReaderOptions options;
  options.comparator = comparator;
  options.load_index_and_filter = static_cast<LoadTime>(random->Below(3));
  options.cache_index_and_filter_blocks = cache != nullptr && random->OneIn(3);
  options.partition_pinning =
      random->OneIn(3) ? PinningTier::kAll : PinningTier::kNone;
  options.block_cache = std::move(cache);
  return options;
}

// Opens all tables, in which `damage` may change bytes.
template <typename Damage>
bool OpenAll(const RandomLevels& made, Random* random, const Damage& damage,
             OpenLevels* open) {
  const std::shared_ptr<Cache> cache = AnyBlockCache(random->Next());
  for (const RandomLevels::Level& level : made.levels()) {
    std::vector<const TableReader*> tables;
    for (const RandomLevels::Table& table : level.tables) {
      std::string bytes = table.bytes;
      damage(&bytes);
      const std::string name =
          "table" + std::to_string(open->readers.size()) + ".sst";
      auto reader = TableReader::Open(
          NewMemoryFile(name, std::move(bytes)),
          AnyReaderOptions(&made.comparator(),
                           random->OneIn(4) ? nullptr : cache, random));
      if (!reader.ok()) return false;
      tables.push_back(reader->get());
      open->readers.push_back(std::move(reader).value());
    }
    open->Add(level, tables);
  }
  return true;
}

std::vector<std::string> AnyKeys(const RandomLevels& made, Random* random) {
  constexpr uint64_t kSizes[] = {1, 2, 10, 63, 64, 65, 150};
  std::vector<std::string> keys(random->Pick(kSizes));
  for (std::string& key : keys) key = made.AnyKey(random);
  return keys;
}

ReadOptions AnyReadOptions(const Slice& timestamp, Random* random) {
  ReadOptions options;
  options.timestamp = timestamp;
  options.fill_cache = !random->OneIn(4);
  options.ignore_range_deletions = random->OneIn(6);
  return options;
}

// In parts, so that several processes can share the seeds.
class MultiTableGetInParts : public ::testing::TestWithParam<uint64_t> {};
INSTANTIATE_TEST_SUITE_P(OfFour, MultiTableGetInParts,
                         ::testing::Range<uint64_t>(0, 4));

TEST_P(MultiTableGetInParts,
       GivesTheAnswersOfTheModelAndOfOneTableAfterTheOther) {
  const uint64_t count = IsThorough() ? 2500 : 125;
  ForEachSeed(1 + GetParam() * count, count, [](uint64_t seed) {
    Random random(seed);
    const RandomLevels made(&random);
    OpenLevels open;
    ASSERT_TRUE(OpenAll(
        made, &random, [](std::string*) {}, &open));
    for (int round = 0; round < 6; ++round) {
      const std::string timestamp = made.AnyTimestamp(&random);
      const ReadOptions options = AnyReadOptions(timestamp, &random);
      const SequenceNumber snapshot =
          random.OneIn(2) ? kMaxSequenceNumber
                          : random.Below(made.last_sequence() + 2);
      const size_t most = random.OneIn(4) ? random.Between(1, 4) : 1000;
      Batch batch(AnyKeys(made, &random));
      batch.Run(open, options, snapshot, most);
      for (size_t k = 0; k < batch.keys.size(); ++k) {
        ASSERT_TRUE(batch.statuses[k].ok()) << batch.statuses[k].ToString();
        const LevelsAnswer answer = AnswerOf(batch, k);
        const OneByOne loop(open, made.comparator(), batch.keys[k], options,
                            snapshot, most);
        EXPECT_EQ(answer, loop.answer)
            << batch.keys[k] << ": " << Describe(answer) << ", not "
            << Describe(loop.answer);
        EXPECT_EQ(batch.results[k].data_blocks_read, loop.blocks_read);
        if (most < 1000) continue;
        const LevelsAnswer expected = made.Expected(
            batch.keys[k], snapshot, timestamp, options.ignore_range_deletions);
        ASSERT_EQ(answer, expected) << batch.keys[k] << ": " << Describe(answer)
                                    << ", not " << Describe(expected);
      }
    }
  });
}

// Bytes of the tables are changed. Each key has the answer or the error of the
// search of one table after the other.
TEST_P(MultiTableGetInParts, DamageConcernsOnlyTheKeysThatNeedIt) {
  size_t errors = 0;
  size_t answers = 0;
  const uint64_t count = IsThorough() ? 2500 : 75;
  ForEachSeed(1 + GetParam() * count, count, [&](uint64_t seed) {
    Random random(seed);
    const RandomLevels made(&random);
    OpenLevels open;
    const auto damage = [&](std::string* bytes) {
      if (random.OneIn(2)) return;
      // Mostly in data blocks.
      const size_t n = bytes->size() / (random.OneIn(4) ? 1 : 4);
      (*bytes)[random.Below(n)] ^= static_cast<char>(random.Between(1, 255));
    };
    if (!OpenAll(made, &random, damage, &open)) return;
    Batch batch(AnyKeys(made, &random));
    const bool loop_first = random.OneIn(2);
    const auto run_batch = [&] { batch.Run(open); };
    if (!loop_first) run_batch();
    std::vector<OneByOne> loops;
    loops.reserve(batch.keys.size());
    for (const std::string& key : batch.keys) {
      loops.emplace_back(open, made.comparator(), key, ReadOptions(),
                         kMaxSequenceNumber, 1000);
    }
    if (loop_first) run_batch();
    for (size_t k = 0; k < batch.keys.size(); ++k) {
      ASSERT_EQ(batch.statuses[k].ToString(), loops[k].status.ToString());
      if (batch.statuses[k].ok()) {
        ++answers;
        ASSERT_EQ(AnswerOf(batch, k), loops[k].answer);
      } else {
        ++errors;
        EXPECT_EQ(batch.results[k].state, State::kNotFound);
        EXPECT_EQ(batch.results[k].data_blocks_read, 0u);
      }
    }
  });
  if (std::getenv("ASHLAR_TEST_SEED") != nullptr) return;
  EXPECT_GT(errors, 25u);
  EXPECT_GT(answers, 250u);
}

// Hand-made levels of tables, whose ranges are those of their entries.
class Tables {
 public:
  explicit Tables(TableOptions options = {}, ReaderOptions readers = {})
      : options_(std::move(options)), readers_(std::move(readers)) {
    // Reads of the index are not those that are looked at here.
    readers_.load_index_and_filter = LoadTime::kAtOpen;
  }

  void AddLevel(bool sorted,
                const std::vector<std::vector<Entry>>& entries_of_tables) {
    RandomLevels::Level& level =
        *levels_.emplace_back(std::make_unique<RandomLevels::Level>());
    level.sorted = sorted;
    std::vector<const TableReader*> tables;
    for (const std::vector<Entry>& entries : entries_of_tables) {
      RandomLevels::Table& table = level.tables.emplace_back();
      table.smallest = UserKeyOf(entries.front().key).ToString();
      table.largest = UserKeyOf(entries.back().key).ToString();
      const std::string name = "t" + std::to_string(open_.readers.size());
      auto reader = TableReader::Open(
          OpenFile(name, BuildTable(options_, entries, FixedBuild(name))),
          readers_);
      Require(reader.status());
      tables.push_back(reader->get());
      open_.readers.push_back(std::move(reader).value());
    }
    open_.Add(level, tables);
  }
  const OpenLevels& open() const { return open_; }
  // What the files were asked for, such as "t0 Expect", in order.
  std::vector<std::string> calls;

 private:
  class LoggedFile final : public RandomAccessFile {
   public:
    LoggedFile(std::unique_ptr<RandomAccessFile> file,
               std::vector<std::string>* calls)
        : file_(std::move(file)), calls_(calls) {}
    Status Read(uint64_t offset, size_t n, char* scratch,
                Slice* data) const override {
      calls_->push_back(name() + " Read");
      return file_->Read(offset, n, scratch, data);
    }
    void MultiRead(std::span<ReadRequest> requests) const override {
      calls_->push_back(name() + " MultiRead of " +
                        std::to_string(requests.size()));
      file_->MultiRead(requests);
    }
    void Expect(uint64_t /*offset*/, uint64_t /*n*/) const override {
      calls_->push_back(name() + " Expect");
    }
    uint64_t Size() const override { return file_->Size(); }
    std::string name() const override { return file_->name(); }

   private:
    const std::unique_ptr<RandomAccessFile> file_;
    std::vector<std::string>* const calls_;
  };

  std::unique_ptr<RandomAccessFile> OpenFile(const std::string& name,
                                             std::string bytes) {
    return std::make_unique<LoggedFile>(NewMemoryFile(name, std::move(bytes)),
                                        &calls);
  }

  const TableOptions options_;
  ReaderOptions readers_;
  std::vector<std::unique_ptr<RandomLevels::Level>> levels_;
  OpenLevels open_;
};

std::vector<Entry> Values(SequenceNumber sequence,
                          const std::vector<std::string>& keys) {
  std::vector<Entry> entries;
  entries.reserve(keys.size());
  for (const std::string& key : keys) {
    entries.push_back(Value(key, sequence, key + std::to_string(sequence)));
  }
  return entries;
}

TableOptions WithFilter() {
  TableOptions options;
  options.filter = FilterType::kBloom;
  options.block_size = 1;
  return options;
}

// The blocks of all tables are announced before the first is read, and read in
// one wave.
TEST(MultiTableGet, ReadsAllTablesTogether) {
  Tables tables(WithFilter());
  tables.AddLevel(false, {Values(9, {"a", "z"}), Values(8, {"b", "y"})});
  tables.AddLevel(true, {Values(7, {"c", "d"}), Values(7, {"e", "f", "x"})});
  tables.calls.clear();
  Batch batch({"a", "b", "c", "e", "f", "x"});
  batch.Run(tables.open());
  const std::vector<std::string> expected = {
      "t0 Expect",         "t1 Expect",         "t2 Expect",
      "t3 Expect",         "t0 MultiRead of 1", "t1 MultiRead of 1",
      "t2 MultiRead of 1", "t3 MultiRead of 1"};
  EXPECT_EQ(tables.calls, expected);
  for (size_t k = 0; k < batch.keys.size(); ++k) {
    EXPECT_TRUE(batch.statuses[k].ok());
    EXPECT_TRUE(batch.results[k].value.ToString().starts_with(batch.keys[k]));
  }
}

// A key that its newest table has reads nothing from older ones, also without
// filters.
TEST(MultiTableGet, ReadsNothingBeyondTheAnswer) {
  TableOptions options;
  options.filter = FilterType::kNone;
  Tables tables(options);
  tables.AddLevel(false, {Values(9, {"a", "m", "z"})});
  tables.AddLevel(true, {Values(8, {"a", "m", "z"})});
  tables.calls.clear();
  Batch found({"m"});
  found.Run(tables.open());
  EXPECT_EQ(found.results[0].sequence, 9u);
  EXPECT_EQ(found.results[0].data_blocks_read, 1u);
  EXPECT_EQ(tables.calls, std::vector<std::string>{"t0 MultiRead of 1"});
  Batch missing({"n"});
  missing.Run(tables.open());
  EXPECT_EQ(missing.results[0].state, State::kNotFound);
  EXPECT_EQ(missing.results[0].data_blocks_read, 2u);
}

TEST(MultiTableGet, ReportsWhatTheFiltersSaid) {
  using Filter = GetResult::Filter;
  Tables tables(WithFilter());
  tables.AddLevel(false, {Values(9, {"a", "m", "z"})});
  tables.AddLevel(true, {Values(8, {"a", "k", "z"})});
  Batch batch({"k", "n", "~"});
  batch.Run(tables.open());
  EXPECT_EQ(batch.results[0].filter, Filter::kMaybe);
  EXPECT_EQ(batch.results[1].filter, Filter::kAbsent);
  EXPECT_EQ(batch.results[2].filter, Filter::kNone);  // beyond all ranges
  EXPECT_EQ(batch.results[1].data_blocks_read, 0u);
}

// Two levels may have the same table, and so the same index and block.
TEST(MultiTableGet, ATableMayBeListedTwice) {
  FaultPlan plan;
  auto reader = TableReader::Open(
      NewFaultyFile("t", BuildTable({}, Values(9, {"a", "m", "z"})), &plan));
  Require(reader.status());
  OpenLevels twice;
  RandomLevels::Level level;
  level.tables.resize(2);
  for (RandomLevels::Table& table : level.tables) {
    table.smallest = "a";
    table.largest = "z";
  }
  level.tables[0].largest = "b";
  twice.Add(level, {reader->get(), reader->get()});
  Batch batch({"a", "m", "z", "b"});
  batch.Run(twice);
  EXPECT_EQ(batch.results[0].value.ToString(), "a9");
  EXPECT_EQ(batch.results[1].value.ToString(), "m9");
  EXPECT_EQ(batch.results[2].value.ToString(), "z9");
  EXPECT_EQ(batch.results[3].state, State::kNotFound);
  plan = {.fail_at = 1, .persistent = true};
  batch.Run(twice);
  for (size_t k = 0; k < 3; ++k) EXPECT_TRUE(batch.statuses[k].IsIOError());
}

TEST(MultiTableGet, NoTablesAndNoKeys) {
  Batch batch({"a", "b"});
  batch.statuses[0] = Status::Aborted("old");
  OpenLevels open;
  batch.Run(open);
  EXPECT_TRUE(batch.statuses[0].ok());
  EXPECT_EQ(batch.results[1].state, State::kNotFound);
  open.levels.resize(3);
  open.levels[1].sorted = true;
  batch.Run(open);
  EXPECT_TRUE(batch.statuses[1].ok());
  Batch none({});
  none.Run(open);
}

// Without a callback, a merge operand is an error of its key alone.
TEST(MultiTableGet, OperandsNeedACallback) {
  Tables tables;
  tables.AddLevel(false, {{Operand("a", 9, "x"), Value("b", 8, "y")}});
  Batch batch({"a", "b"});
  MultiGetFromTables(tables.open().levels, batch.slices, batch.results,
                     batch.statuses);
  EXPECT_TRUE(batch.statuses[0].IsMergeInProgress());
  EXPECT_EQ(batch.results[0].state, State::kNotFound);
  EXPECT_TRUE(batch.statuses[1].ok());
}

// A key may be the last of one range and the first of the next, and be in the
// second table alone, whatever the filter of the first one says.
TEST(MultiTableGet, RangesMayTouch) {
  for (const FilterType filter : {FilterType::kNone, FilterType::kBloom}) {
    TableOptions options;
    options.filter = filter;
    OpenLevels open;
    RandomLevels::Level level;
    level.sorted = true;
    level.tables.push_back({"", "a", "m"});
    level.tables.push_back({"", "m", "m"});
    level.tables.push_back({"", "m", "z"});
    std::vector<const TableReader*> readers;
    for (const char* const key : {"a", "b", "m"}) {
      open.readers.push_back(
          OpenTable(BuildTable(options, Values(9, {key}), FixedBuild(key))));
      readers.push_back(open.readers.back().get());
    }
    open.Add(level, readers);
    Batch batch({"m", "a", "n"});
    batch.Run(open);
    EXPECT_EQ(batch.results[0].value.ToString(), "m9");
    EXPECT_EQ(batch.results[1].value.ToString(), "a9");
    EXPECT_EQ(batch.results[2].state, State::kNotFound);
  }
}

// Versions of a key may go on in the next table of a level. A range deletion
// that both tables have may be older than these.
TEST(MultiTableGet, ARangeDeletionMayBeOlderThanTheNextTable) {
  OpenLevels open;
  RandomLevels::Level level;
  level.sorted = true;
  level.tables.push_back({"", "a", "m"});
  level.tables.push_back({"", "m", "z"});
  open.readers.push_back(OpenTable(
      BuildTable({}, {Operand("m", 15, "+"), RangeDeleted("a", 8, "z")},
                 FixedBuild("first"))));
  open.readers.push_back(OpenTable(
      BuildTable({}, {Value("m", 10, "base"), RangeDeleted("a", 8, "z")},
                 FixedBuild("second"))));
  open.readers.push_back(
      OpenTable(BuildTable({}, Values(3, {"m"}), FixedBuild("older"))));
  open.Add(level, {open.readers[0].get(), open.readers[1].get()});
  RandomLevels::Level deeper;
  deeper.tables.push_back({"", "m", "m"});
  open.Add(deeper, {open.readers[2].get()});
  Batch batch({"m"});
  batch.Run(open);
  EXPECT_EQ(batch.results[0].value.ToString(), "base");
  EXPECT_EQ(batch.operands[0], std::vector<std::string>{"+"});
  batch.Run(open, {}, 12);
  EXPECT_EQ(batch.results[0].value.ToString(), "base");
  EXPECT_TRUE(batch.operands[0].empty());
  batch.Run(open, {}, 9);
  EXPECT_EQ(batch.results[0].state, State::kDeleted);
  EXPECT_EQ(batch.results[0].sequence, 8u);
  batch.Run(open, {}, 7);
  EXPECT_EQ(batch.results[0].value.ToString(), "m3");
}

// A range that ends before its largest key does not have it, so what a table
// says of that key does not count.
TEST(MultiTableGet, ARangeMayExcludeItsLargestKey) {
  const std::string deletes =
      BuildTable({}, {RangeDeleted("a", 9, "z")}, FixedBuild("deletes"));
  const std::string values =
      BuildTable({}, Values(8, {"l", "m", "n"}), FixedBuild("values"));
  for (const bool excludes : {false, true}) {
    OpenLevels open;
    RandomLevels::Level upper;
    upper.tables.push_back({"", "a", "m", excludes});
    RandomLevels::Level lower;
    lower.tables.push_back({"", "l", "n"});
    for (const std::string& bytes : {deletes, values}) {
      open.readers.push_back(OpenTable(bytes));
    }
    open.Add(upper, {open.readers[0].get()});
    open.Add(lower, {open.readers[1].get()});
    Batch batch({"l", "m", "n"});
    batch.Run(open);
    EXPECT_EQ(batch.results[0].state, State::kDeleted);
    EXPECT_EQ(batch.results[0].sequence, 9u);
    EXPECT_EQ(batch.results[1].state,
              excludes ? State::kFound : State::kDeleted);
    EXPECT_EQ(batch.results[2].state, State::kFound);
  }
}

// Options that do not fit the tables, and tables whose order is not known, are
// errors of the keys that come there.
TEST(MultiTableGet, TablesWhoseOrderIsNotKnown) {
  TableOptions options;
  options.comparator = ShorterFirstComparator();
  const std::string bytes = BuildTable(options, Values(9, {"a", "m"}));
  OpenLevels open;
  open.readers.push_back(OpenTable(bytes, {.allow_unknown_comparator = true}));
  for (const bool sorted : {false, true}) {
    RandomLevels::Level level;
    level.sorted = sorted;
    level.tables.push_back({"", "a", "m"});
    level.tables.push_back({"", "n", "z"});
    open.Add(level, {open.readers[0].get(), open.readers[0].get()});
  }
  for (const TableLevel& level : open.levels) {
    OpenLevels one;
    one.levels = {level};
    Batch batch({"a", "zz"});
    batch.Run(one);
    for (const Status& status : batch.statuses) {
      EXPECT_TRUE(status.IsNotSupported()) << status.ToString();
    }
  }
}

TEST(MultiTableGet, OptionsThatDoNotFit) {
  Tables tables;
  tables.AddLevel(false, {Values(9, {"a", "m"})});
  Batch batch({"a", "n"});
  batch.Run(tables.open(), {.timestamp = Slice("12345678")});
  EXPECT_TRUE(batch.statuses[0].IsInvalidArgument());
  EXPECT_TRUE(batch.statuses[1].ok());  // in no table
}

// Keys count once, in the table that ends their search; filters count for each
// table that is asked.
TEST(MultiTableGet, CountsKeysOnce) {
  ReaderOptions readers;
  readers.statistics = std::make_shared<Statistics>();
  Tables tables(WithFilter(), readers);
  tables.AddLevel(false, {Values(9, {"a", "m", "z"})});
  tables.AddLevel(true, {Values(8, {"a", "k", "z"})});
  readers.statistics->Reset();
  Batch batch({"a", "k", "n", "~"});
  batch.Run(tables.open());
  const auto count = [&](Ticker ticker) {
    return readers.statistics->GetTickerCount(ticker);
  };
  EXPECT_EQ(count(Ticker::kNumberMultiGetCalls), 1u);
  EXPECT_EQ(count(Ticker::kNumberMultiGetKeysRead), 4u);
  EXPECT_EQ(count(Ticker::kNumberMultiGetKeysFound), 2u);
  EXPECT_EQ(count(Ticker::kNumberMultiGetBytesRead), 4u);
  EXPECT_EQ(count(Ticker::kBloomFilterUseful), 3u);  // k once, n twice
  EXPECT_EQ(count(Ticker::kBloomFilterFullPositive), 2u);
  EXPECT_EQ(count(Ticker::kBloomFilterFullTruePositive), 2u);
}

// Each read fails in turn. Only the keys of the affected blocks get the error.
TEST(MultiTableGet, FaultsStayWithTheirKeys) {
  FaultPlan plan;
  OpenLevels open;
  RandomLevels::Level level;
  std::vector<const TableReader*> readers;
  std::vector<std::string> keys;
  for (int t = 0; t < 3; ++t) {
    std::vector<std::string> of_table;
    of_table.reserve(8);
    for (int i = 0; i < 8; ++i) {
      of_table.push_back(std::string(1, static_cast<char>('a' + i)) +
                         std::to_string(t));
    }
    keys.insert(keys.end(), of_table.begin(), of_table.end());
    RandomLevels::Table& table = level.tables.emplace_back();
    table.smallest = of_table.front();
    table.largest = of_table.back();
    auto reader = TableReader::Open(
        NewFaultyFile("t" + std::to_string(t),
                      BuildTable(WithFilter(), Values(9, of_table)), &plan),
        {.load_index_and_filter = LoadTime::kAtOpen});
    Require(reader.status());
    readers.push_back(reader->get());
    open.readers.push_back(std::move(reader).value());
  }
  open.Add(level, readers);
  Batch batch({keys[0], keys[2], keys[5], keys[9], keys[14], keys[16]});
  plan = {};
  batch.Run(open);
  const uint64_t total = plan.operations;
  EXPECT_EQ(total, 6u);
  for (uint64_t n = 1; n <= total; ++n) {
    plan = {.fail_at = n};
    batch.Run(open);
    size_t failed = 0;
    for (size_t k = 0; k < batch.keys.size(); ++k) {
      if (batch.statuses[k].ok()) {
        EXPECT_EQ(batch.results[k].value.ToString(), batch.keys[k] + "9");
        continue;
      }
      ++failed;
      EXPECT_EQ(batch.statuses[k].message(),
                "read t" + batch.keys[k].substr(1) + ": injected");
    }
    EXPECT_EQ(failed, 1u);
  }
}

}  // namespace
}  // namespace ashlar::testing
