// What an engine keeps of its tables: versions, their readers, the files of a
// compaction, and what deeper files say to it.
#include "ashlar/table/table_version.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "ashlar/table/numbered_outputs.h"
#include "ashlar/util/worker_pool.h"
#include "test/support/folder.h"
#include "test/support/random.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

std::string KeyAt(std::string_view user_key) {
  return MakeInternalKey(user_key, 1, ValueType::kTypeValue);
}
FileRange Range(std::string_view from, std::string_view to) {
  return {KeyAt(from), KeyAt(to), 10};
}
std::shared_ptr<const VersionFile> File(uint64_t number, std::string_view from,
                                        std::string_view to) {
  return std::make_shared<VersionFile>(number, Range(from, to));
}
std::vector<uint64_t> Numbers(const VersionLevel& level) {
  std::vector<uint64_t> numbers;
  for (const auto& file : level) numbers.push_back(file->number());
  return numbers;
}

TEST(TableVersion, FindsWhatOverlaps) {
  TableVersion version;
  version.levels[0] = {File(9, "d", "e"), File(8, "a", "k")};
  version.levels[1] = {File(1, "a", "c"), File(2, "d", "f"), File(3, "h", "k")};
  EXPECT_THAT(Numbers(version.All()), ElementsAre(9, 8, 1, 2, 3));
  EXPECT_THAT(version.Overlapping(1, {}), IsEmpty());
  EXPECT_THAT(Numbers(version.Overlapping(1, {File(7, "g", "g")})), IsEmpty());
  EXPECT_THAT(Numbers(version.Overlapping(1, {File(7, "c", "d")})),
              ElementsAre(1, 2));
  // From the first to the last key of all.
  EXPECT_THAT(
      Numbers(version.Overlapping(1, {File(7, "h", "i"), File(6, "ca", "cb")})),
      ElementsAre(2, 3));
  EXPECT_THAT(Numbers(version.Overlapping(0, {File(7, "b", "c")})),
              ElementsAre(8));
}

TEST(TableVersion, ComparesByItsComparator) {
  TableVersion version(2, ReverseBytewiseComparator());
  version.levels[1] = {File(1, "z", "x"), File(2, "m", "k")};
  EXPECT_THAT(Numbers(version.Overlapping(1, {File(3, "x", "n")})),
              ElementsAre(1));
  version.Replace({}, {File(4, "o", "n")}, 1);
  EXPECT_THAT(Numbers(version.levels[1]), ElementsAre(1, 4, 2));
}

TEST(TableVersion, ReplacesInputsByOutputs) {
  TableVersion version(3);
  const auto newest = File(9, "a", "k");
  version.Replace({}, {File(8, "a", "z")}, 0);
  version.Replace({}, {newest}, 0);
  EXPECT_THAT(Numbers(version.levels[0]), ElementsAre(9, 8));
  version.Replace(version.levels[0], {File(11, "m", "p"), File(10, "a", "c")},
                  1);
  EXPECT_THAT(version.levels[0], IsEmpty());
  EXPECT_THAT(Numbers(version.levels[1]), ElementsAre(10, 11));
  version.Replace({version.levels[1][0]}, {}, 2);
  EXPECT_THAT(Numbers(version.All()), ElementsAre(11));
  const auto below = version.RangesBelow(0);
  ASSERT_EQ(below.size(), 2u);
  ASSERT_EQ(below[0].size(), 1u);
  EXPECT_EQ(below[0][0].smallest, KeyAt("m"));
  EXPECT_EQ(below[0][0].size, 10u);
  EXPECT_THAT(below[1], IsEmpty());
  EXPECT_THAT(version.RangesBelow(2), IsEmpty());
}

// Otherwise a deletion that goes shows what an older table of level 0 has.
TEST(TableVersion, OutputsInLevel0AreAboveItsOlderTables) {
  TableVersion version(2);
  version.levels[0] = {File(3, "a", "a"), File(2, "b", "b"), File(1, "a", "c")};
  const auto below = version.RangesBelow(0);
  ASSERT_EQ(below.size(), 4u);
  EXPECT_EQ(below[2][0].smallest, KeyAt("a"));
  CompactionOptions options;
  SetDeeperFiles(below, {}, &options);
  EXPECT_FALSE(options.iterator.bottommost);
  EXPECT_TRUE(options.iterator.may_exist_deeper("a"));
  EXPECT_FALSE(options.iterator.may_exist_deeper("d"));
  // All of them are inputs.
  SetDeeperFiles(version.RangesBelow(0, version.levels[0]), {}, &options);
  EXPECT_TRUE(options.iterator.bottommost);
  EXPECT_FALSE(options.iterator.may_exist_deeper("a"));
}

TEST(TableVersion, TheLastVersionRemovesAnObsoleteFile) {
  std::vector<uint64_t> removed;
  const auto make = [&](uint64_t number) {
    return std::make_shared<const VersionFile>(
        number, Range("a", "b"), [&](uint64_t n) { removed.push_back(n); });
  };
  TableVersion version(1);
  version.levels[0] = {make(1), make(2)};
  TableVersion read_by_others = version;
  VersionLevel gone = {version.levels[0][0]};
  version.Replace(gone, {}, 0);
  gone[0]->MarkObsolete();
  EXPECT_THAT(removed, IsEmpty());
  read_by_others = version;
  EXPECT_THAT(removed, IsEmpty());  // `gone` has it
  gone.clear();
  EXPECT_THAT(removed, ElementsAre(1));
  version.levels[0].clear();
  read_by_others = version;
  EXPECT_THAT(removed, ElementsAre(1));  // 2 is not obsolete
}

// Versions of random files, each a table that has the first and the last key of
// its range.
class RandomVersion {
 public:
  explicit RandomVersion(uint64_t seed) : random_(seed), version(4) {
    for (int i = 0; i < 4; ++i) {
      const uint64_t first = random_.Below(90);
      Add(0, first, first + random_.Below(10));
    }
    for (size_t level = 1; level < 4; ++level) {
      uint64_t at = random_.Below(20);
      while (level != 2 && at < 95) {
        const uint64_t last = at + random_.Below(8);
        Add(level, at, last);
        // The next table may begin with the last key of this one.
        at = last + random_.Below(6);
      }
    }
    TableCacheOptions options;
    options.open = [this](uint64_t number, TableToOpen* table) {
      table->file = NewMemoryFile("table", bytes_.at(number));
      return Status();
    };
    cache = TableCache::Create(options).value();
  }

  static std::string Key(uint64_t number) {
    return {static_cast<char>('a' + number / 10),
            static_cast<char>('0' + number % 10)};
  }
  uint64_t Below(uint64_t n) { return random_.Below(n); }

 private:
  void Add(size_t level, uint64_t first, uint64_t last) {
    const uint64_t number = bytes_.size() + 1;
    std::vector<Entry> entries = {Value(Key(first), 1000 - number, "v")};
    if (last > first) entries.push_back(Value(Key(last), 1000 - number, "v"));
    bytes_[number] = BuildTable({}, entries);
    version.levels[level].push_back(std::make_shared<VersionFile>(
        number, FileRange{entries.front().key, entries.back().key, 10}));
  }

  Random random_;
  std::map<uint64_t, std::string> bytes_;

 public:
  TableVersion version;
  std::unique_ptr<TableCache> cache;
};

TEST(OpenedTables, AreThoseThatMayHaveAKey) {
  ForEachSeed(1, 30, [](uint64_t seed) {
    RandomVersion of(seed);
    std::vector<std::string> names(1 + of.Below(4));
    for (std::string& name : names) name = RandomVersion::Key(of.Below(100));
    const std::vector<Slice> keys(names.begin(), names.end());
    const auto opened = OpenedTables::OpenFor(keys, of.version, of.cache.get());
    ASSERT_TRUE(opened.ok()) << opened.status().ToString();
    ASSERT_EQ(opened->levels().size(), of.version.levels.size());
    for (size_t i = 0; i < of.version.levels.size(); ++i) {
      std::vector<std::string> expected;
      for (const auto& file : of.version.levels[i]) {
        const Slice first = UserKeyOf(file->range().smallest);
        const Slice last = UserKeyOf(file->range().largest);
        if (std::any_of(keys.begin(), keys.end(), [&](const Slice& key) {
              return first <= key && key <= last;
            })) {
          expected.push_back(first.ToString() + last.ToString());
        }
      }
      std::vector<std::string> found;
      for (const TableRange& each : opened->levels()[i].tables) {
        found.push_back(each.smallest.ToString() + each.largest.ToString());
        EXPECT_FALSE(each.excludes_largest);
      }
      EXPECT_EQ(found, expected);
      EXPECT_EQ(opened->levels()[i].sorted, i > 0);
    }
    // Every key of every table is found by them.
    std::vector<GetResult> results(keys.size());
    std::vector<Status> statuses(keys.size());
    MultiGetFromTables(opened->levels(), keys, results, statuses);
    const auto all = OpenedTables::Open(of.version, of.cache.get());
    ASSERT_TRUE(all.ok());
    UserIterator it({}, {}, all->ForIterator());
    for (size_t i = 0; i < keys.size(); ++i) {
      it.Seek(keys[i]);
      EXPECT_EQ(results[i].state == GetResult::State::kFound,
                it.Valid() && it.key() == keys[i]);
    }
  });
}

TEST(OpenedTables, MakeARunOfEachTableOrLevel) {
  RandomVersion of(1);
  const auto opened = OpenedTables::Open(of.version, of.cache.get());
  ASSERT_TRUE(opened.ok());
  const std::vector<CompactionRun> runs = opened->Runs();
  ASSERT_EQ(runs.size(), 6u);  // four of level 0; levels 1 and 3
  EXPECT_EQ(runs[3].size(), 1u);
  EXPECT_EQ(runs[4].size(), of.version.levels[1].size());
  EXPECT_EQ(runs[5].size(), of.version.levels[3].size());
  EXPECT_EQ(runs[5].back().largest,
            of.version.levels[3].back()->range().largest);
}

TEST(OpenedTables, AnOpenRangeDeletionExcludesItsEnd) {
  TableVersion version(2);
  const std::string end =
      MakeInternalKey("m", kMaxSequenceNumber, ValueType::kTypeRangeDeletion);
  version.levels[1].push_back(
      std::make_shared<VersionFile>(1, FileRange{KeyAt("b"), end, 1}));
  TableCacheOptions options;
  options.open = [](uint64_t /*number*/, TableToOpen* table) {
    table->file = NewMemoryFile(
        "table",
        BuildTable({}, {Value("b", 1, "v"), RangeDeleted("c", 2, "m")}));
    return Status();
  };
  const auto cache = TableCache::Create(options).value();
  const auto opened = OpenedTables::Open(version, cache.get());
  ASSERT_TRUE(opened.ok()) << opened.status().ToString();
  EXPECT_TRUE(opened->levels()[1].tables[0].excludes_largest);
}

TEST(OpenedTables, AnEntryOfTheLargestNumberIsFound) {
  TableVersion version(2);
  const Entry last = Value("m", kMaxSequenceNumber, "last");
  version.levels[1].push_back(
      std::make_shared<VersionFile>(1, FileRange{KeyAt("b"), last.key, 1}));
  TableCacheOptions options;
  options.open = [&last](uint64_t /*number*/, TableToOpen* table) {
    table->file =
        NewMemoryFile("table", BuildTable({}, {Value("b", 1, "first"), last}));
    return Status();
  };
  const auto cache = TableCache::Create(options).value();
  const std::vector<Slice> keys = {"m"};
  const auto opened = OpenedTables::OpenFor(keys, version, cache.get());
  ASSERT_TRUE(opened.ok()) << opened.status().ToString();
  std::vector<GetResult> results(1);
  std::vector<Status> statuses(1);
  MultiGetFromTables(opened->levels(), keys, results, statuses);
  EXPECT_TRUE(statuses[0].ok()) << statuses[0].ToString();
  EXPECT_EQ(results[0].state, GetResult::State::kFound);
  EXPECT_EQ(results[0].value.ToString(), "last");
}

TEST(OpenedTables, ReportATableThatCannotBeOpened) {
  TableVersion version(2);
  version.levels[0] = {File(7, "a", "b")};
  TableCacheOptions options;
  options.open = [](uint64_t /*number*/, TableToOpen* /*table*/) {
    return Status::IOError("gone");
  };
  const auto cache = TableCache::Create(options).value();
  EXPECT_TRUE(OpenedTables::Open(version, cache.get()).status().IsIOError());
}

// What SetDeeperFiles says.
struct DeeperCase {
  CompactionOptions options;
  void Set(const std::vector<std::vector<FileRange>>& levels,
           const CompactionRun& run) {
    SetDeeperFiles(levels, {run}, &options);
  }
  std::vector<std::string> Grandparents() const {
    std::vector<std::string> keys;
    keys.reserve(options.cutter.grandparents.size());
    for (const FileRange& file : options.cutter.grandparents) {
      keys.push_back(UserKeyOf(file.smallest).ToString());
    }
    return keys;
  }
};

TEST(SetDeeperFiles, SaysWhereThereIsOlderData) {
  const std::vector<std::vector<FileRange>> levels = {
      {},
      {Range("a", "b"), Range("x", "z")},
      {Range("d", "e"), Range("g", "h"), Range("w", "w")}};
  DeeperCase deeper;
  deeper.Set(levels, {{nullptr, KeyAt("e"), KeyAt("k")},
                      {nullptr, KeyAt("c"), KeyAt("d")}});
  EXPECT_FALSE(deeper.options.iterator.bottommost);
  // The first level that the inputs reach, and what they reach of it.
  EXPECT_THAT(deeper.Grandparents(), ElementsAre("d", "g"));
  EXPECT_TRUE(deeper.options.iterator.may_exist_deeper("d"));
  EXPECT_FALSE(deeper.options.iterator.may_exist_deeper("f"));
  EXPECT_TRUE(deeper.options.range_may_exist_deeper("f", "ga"));
  EXPECT_FALSE(deeper.options.range_may_exist_deeper("f", "g"));

  deeper.Set(levels, {{nullptr, KeyAt("i"), KeyAt("k")}});
  EXPECT_TRUE(deeper.options.iterator.bottommost);
  EXPECT_THAT(deeper.Grandparents(), IsEmpty());
  EXPECT_FALSE(deeper.options.iterator.may_exist_deeper("j"));
}

TEST(SetDeeperFiles, WithoutBoundsEveryFileCounts) {
  DeeperCase deeper;
  deeper.Set({{Range("a", "b")}}, {{nullptr, {}, {}}});
  EXPECT_FALSE(deeper.options.iterator.bottommost);
  EXPECT_THAT(deeper.Grandparents(), ElementsAre("a"));
  deeper.Set({{}, {}}, {{nullptr, {}, {}}});
  EXPECT_TRUE(deeper.options.iterator.bottommost);
}

// A compaction into files of a folder.
class NumberedFiles {
 public:
  explicit NumberedFiles(int entries)
      : input_(
            OpenTable(BuildTable({.block_size = 100}, SomeEntries(entries)))) {
    options.table.block_size = 100;
    options.cutter.target_file_size = 1000;
  }
  NumberedOutputsOptions OutputOptions() {
    return {.next_number = [this] { return next_number_++; },
            .path = [this](uint64_t n) { return PathOf(n); },
            .file = {.sync = false}};
  }
  Status Run(CompactionOutputs* outputs) {
    return CompactTables(options, {{{input_.get(), {}, {}}}}, {}, outputs,
                         &result);
  }
  std::string PathOf(uint64_t number) const {
    return folder / (std::to_string(number) + ".sst");
  }

  TestFolder folder;
  CompactionOptions options;
  CompactionResult result;

 private:
  uint64_t next_number_ = 41;
  std::unique_ptr<TableReader> input_;
};

TEST(NumberedOutputs, AreFilesInKeyOrder) {
  for (const uint32_t parts : {1U, 4U}) {
    NumberedFiles files(600);
    files.options.max_subcompactions = parts;
    std::vector<NumberedOutput> taken;
    {
      NumberedOutputs outputs(files.OutputOptions());
      Require(files.Run(&outputs));
      taken = outputs.Take(files.result);
    }
    ASSERT_GT(taken.size(), 4u);
    EXPECT_EQ(files.folder.Names().size(), taken.size());
    uint64_t entries = 0;
    std::string last;
    for (const NumberedOutput& each : taken) {
      EXPECT_EQ(each.path, files.PathOf(each.number));
      EXPECT_EQ(each.range.size, ReadFile(each.path).size());
      EXPECT_EQ(each.range.smallest, each.summary.smallest);
      EXPECT_LT(last, each.range.smallest);
      last = each.range.largest;
      const auto reader = TableReader::Open(each.path);
      Require(reader.status());
      EXPECT_EQ((*reader)->properties().orig_file_number, each.number);
      entries += (*reader)->properties().num_entries;
    }
    EXPECT_EQ(entries, 600u);
  }
}

TEST(NumberedOutputs, GoIfNobodyTakesThem) {
  NumberedFiles files(600);
  {
    NumberedOutputs outputs(files.OutputOptions());
    Require(files.Run(&outputs));
    EXPECT_GT(files.folder.Names().size(), 4u);
  }
  EXPECT_THAT(files.folder.Names(), IsEmpty());
}

TEST(NumberedOutputs, LeaveNothingOfACompactionThatFails) {
  NumberedFiles files(600);
  WriteFile(files.PathOf(43), "of somebody else");
  NumberedOutputsOptions options = files.OutputOptions();
  options.file.overwrite = false;
  {
    NumberedOutputs outputs(std::move(options));
    EXPECT_TRUE(files.Run(&outputs).IsInvalidArgument());
    EXPECT_EQ(files.folder.Names().size(), 3u);
  }
  EXPECT_THAT(files.folder.Names(), UnorderedElementsAre("43.sst"));
}

}  // namespace
}  // namespace ashlar::testing
