// SortedTableWriter makes, byte for byte, what a writer makes of the entries
// that std::stable_sort has sorted, whatever memory and threads it has.

#include "ashlar/table/sorted_table_writer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "ashlar/table/external_file_writer.h"
#include "ashlar/table/table_builder.h"
#include "test/support/folder.h"
#include "test/support/memory_folder.h"
#include "test/support/random.h"
#include "test/support/tables.h"
#include "test/table/sort_oracle.h"

namespace ashlar::testing {
namespace {

// Sets sync each file.
[[maybe_unused]] const auto* const kInMemory =
    ::testing::AddGlobalTestEnvironment(new FoldersInMemory);

using Entries = std::vector<OwnedEntry>;

SortedTableWriterOptions SomeOptions() {
  SortedTableWriterOptions options;
  options.build = FixedBuild();
  options.table.block_size = 1024;
  return options;
}

bool AreEqual(const OwnedEntry& a, const OwnedEntry& b, bool internal_keys) {
  return a.key == b.key &&
         (!internal_keys || (a.sequence == b.sequence && a.type == b.type));
}

// Returns the entries that the tables must have, in order.
Entries Expected(const SortedTableWriterOptions& options, Entries entries) {
  SortByOracle(*options.table.comparator, options.internal_keys, &entries);
  Entries kept;
  for (OwnedEntry& entry : entries) {
    if (kept.empty() || !AreEqual(kept.back(), entry, options.internal_keys)) {
      kept.push_back(entry);
    } else if (options.on_duplicate == DuplicatePolicy::kLast) {
      kept.back() = entry;
    }
  }
  return kept;
}

// Returns the bytes of the one table of these entries.
std::string OneTable(const SortedTableWriterOptions& options,
                     const Entries& entries) {
  std::string bytes;
  const auto file = NewMemoryWritableFile("test.sst", &bytes);
  if (options.internal_keys) {
    auto builder =
        TableBuilder::Create(options.table, options.build, file.get());
    Require(builder.status());
    for (const OwnedEntry& e : entries) {
      Require((*builder)->Add(e.key, PackTail(e.sequence, e.type), e.value));
    }
    Require((*builder)->Finish());
    return bytes;
  }
  auto writer =
      ExternalFileWriter::Create(file.get(), options.table, options.build);
  Require(writer.status());
  for (const OwnedEntry& e : entries) {
    Require(e.type == ValueType::kTypeValue   ? (*writer)->Put(e.key, e.value)
            : e.type == ValueType::kTypeMerge ? (*writer)->Merge(e.key, e.value)
            : e.type == ValueType::kTypeDeletion
                ? (*writer)->Delete(e.key)
                : (*writer)->SingleDelete(e.key));
  }
  Require((*writer)->Finish());
  return bytes;
}

Status Write(const std::string& path, const SortedTableWriterOptions& options,
             const Entries& entries, SortedTableProgress* progress = nullptr,
             std::vector<TableSetTable>* tables = nullptr) {
  auto writer = SortedTableWriter::Open(path, options);
  if (!writer.ok()) return writer.status();
  for (const OwnedEntry& e : entries) {
    Status status = (*writer)->Add(e.key, e.sequence, e.type, e.value);
    if (!status.ok()) return status;
  }
  Status status = (*writer)->Finish();
  if (progress != nullptr) *progress = (*writer)->progress();
  if (tables != nullptr) *tables = (*writer)->tables();
  return status;
}

const Comparator* SomeComparator(Random* draw) {
  return draw->Pick({BytewiseComparator(), ReverseBytewiseComparator(),
                     BytewiseComparatorWithU64Ts(),
                     ReverseBytewiseComparatorWithU64Ts()});
}

SortedTableWriterOptions DrawOptions(Random* draw) {
  SortedTableWriterOptions options = SomeOptions();
  options.table.comparator = SomeComparator(draw);
  options.internal_keys = draw->OneIn(2);
  options.on_duplicate =
      draw->Pick({DuplicatePolicy::kFirst, DuplicatePolicy::kLast});
  return options;
}

Entries DrawFor(const SortedTableWriterOptions& options, size_t count,
                Random* draw) {
  return DrawEntries({count, options.internal_keys,
                      options.table.comparator->timestamp_size()},
                     draw);
}

TEST(SortedTableWriter, OneTable) {
  ForEachSeed(1, 12, [](uint64_t seed) {
    Random draw(seed);
    SortedTableWriterOptions options = DrawOptions(&draw);
    const Entries entries =
        DrawFor(options, draw.Pick({1u, 300u, 5000u}), &draw);
    const Entries expected = Expected(options, entries);
    const std::string bytes = OneTable(options, expected);
    const TestFolder folder;
    options.temp_folder = folder.path();
    for (const uint64_t memory : {1, 300000, 64 << 20}) {
      options.memory = memory;
      for (const uint32_t threads : {1, 2, 4}) {
        options.threads = threads;
        options.build.parallel_threads = threads;
        SCOPED_TRACE(std::to_string(memory) + " bytes, " +
                     std::to_string(threads) + " threads");
        SortedTableProgress progress;
        std::vector<TableSetTable> tables;
        Require(Write(folder / "t.sst", options, entries, &progress, &tables));
        ASSERT_TRUE(ReadFile(folder / "t.sst") == bytes);
        ASSERT_EQ(folder.Names(), std::vector<std::string>{"t.sst"});
        EXPECT_EQ(progress.sort.entries, entries.size());
        EXPECT_EQ(progress.written, expected.size());
        EXPECT_EQ(progress.duplicates, entries.size() - expected.size());
        EXPECT_EQ(progress.tables, 1u);
        ASSERT_EQ(tables.size(), 1u);
        EXPECT_EQ(tables[0].path, folder / "t.sst");
        EXPECT_EQ(tables[0].smallest, expected.front().key);
        EXPECT_EQ(tables[0].largest, expected.back().key);
        EXPECT_EQ(tables[0].entries, expected.size());
        EXPECT_EQ(tables[0].file_bytes, bytes.size());
      }
    }
  });
}

// The tables of a set have the same bytes each time, together all entries, and
// share no user key.
TEST(SortedTableWriter, Sets) {
  size_t most_tables = 0;
  ForEachSeed(1, 5, [&most_tables](uint64_t seed) {
    Random draw(seed);
    SortedTableWriterOptions options = DrawOptions(&draw);
    options.build.target_file_size = 20000;
    const Entries entries = DrawFor(options, 5000, &draw);
    const Entries expected = Expected(options, entries);
    std::vector<std::string> first;
    for (const uint64_t memory : {1, 300000, 64 << 20}) {
      options.memory = memory;
      for (const uint32_t threads : {1, 3}) {
        options.threads = threads;
        options.build.parallel_threads = threads;
        const TestFolder folder;
        std::vector<TableSetTable> tables;
        Require(Write(folder / "t.sst", options, entries, nullptr, &tables));
        ASSERT_EQ(folder.Names().size(), tables.size() + 1);
        std::vector<std::string> all;
        ReaderOptions reader_options;
        reader_options.comparator = options.table.comparator;
        std::vector<Entry> read;
        for (const TableSetTable& table : tables) {
          all.push_back(ReadFile(table.path));
          EXPECT_LT(all.back().size(), 60000u);
          const auto reader = OpenTable(all.back(), reader_options);
          // The tables have one identity, and so different numbers.
          EXPECT_EQ(reader->properties().orig_file_number, all.size());
          Require(ReadForward(*reader, {}, &read));
        }
        most_tables = std::max(most_tables, all.size());
        if (first.empty()) first = all;
        ASSERT_TRUE(all == first);
        ASSERT_EQ(read.size(), expected.size());
        for (size_t i = 0; i < read.size(); ++i) {
          const OwnedEntry& e = expected[i];
          ASSERT_EQ(read[i].key, MakeInternalKey(e.key, e.sequence, e.type));
          ASSERT_EQ(read[i].value, e.value);
        }
        const size_t size = options.table.comparator->timestamp_size();
        for (size_t i = 1; i < tables.size(); ++i) {
          EXPECT_LT(options.table.comparator->CompareWithoutTimestamp(
                        WithoutTimestamp(tables[i - 1].largest, size),
                        WithoutTimestamp(tables[i].smallest, size)),
                    0);
        }
      }
    }
  });
  EXPECT_GT(most_tables, 5u);
}

TEST(SortedTableWriter, DuplicatesAreAnErrorByDefault) {
  for (const uint64_t memory : {1, 64 << 20}) {
    for (const bool is_set : {false, true}) {
      const TestFolder folder;
      SortedTableWriterOptions options = SomeOptions();
      options.memory = memory;
      if (is_set) options.build.target_file_size = 20000;
      auto writer = SortedTableWriter::Open(folder / "t.sst", options);
      Require(writer.status());
      for (int i = 0; i < 5000; ++i) {
        const std::string key = "key" + std::to_string(i * 7919 % 5003);
        Require((*writer)->Put(key, "v"));
      }
      Require((*writer)->Delete("key7919"));  // entry 5001
      Require((*writer)->Put("key7919", "v"));
      const Status status = (*writer)->Finish();
      EXPECT_EQ(status.subcode(), Status::SubCode::kDuplicateKey);
      EXPECT_NE(status.message().find("'key7919'"), std::string_view::npos);
      EXPECT_NE(status.message().find(
                    "was added twice: as entry 5001 and as entry 5002"),
                std::string_view::npos)
          << status.ToString();
      EXPECT_TRUE((*writer)->tables().empty());
      EXPECT_TRUE(folder.Names().empty());
      EXPECT_FALSE((*writer)->Finish().ok());
    }
  }
}

TEST(SortedTableWriter, TimestampsAndEntities) {
  TableOptions table;
  table.comparator = BytewiseComparatorWithU64Ts();
  const std::vector<WideColumn> columns = {{"b", "2"}, {"a", "1"}};
  const std::string old = EncodeU64Ts(1);
  const std::string young = EncodeU64Ts(2);
  const TestFolder folder;
  auto sorted =
      ExternalFileWriter::Open(folder / "sorted", table, FixedBuild());
  Require(sorted.status());
  Require((*sorted)->DeleteAt("a", young));
  Require((*sorted)->PutAt("a", old, "1"));
  Require((*sorted)->PutEntity("b" + old, columns));
  Require((*sorted)->Merge("c" + old, "m"));
  Require((*sorted)->SingleDelete("d" + old));
  Require((*sorted)->DeleteRange("e" + old, "f" + old));
  Require((*sorted)->Finish());
  auto writer = SortedTableWriter::Open(
      folder / "t", {.table = table, .build = FixedBuild()});
  Require(writer.status());
  EXPECT_TRUE((*writer)->PutAt("a", "short", "1").IsInvalidArgument());
  EXPECT_TRUE((*writer)->Put("short", "1").IsInvalidArgument());
  EXPECT_TRUE((*writer)
                  ->PutEntity("b" + old, {{"a", "1"}, {"a", "2"}})
                  .IsInvalidArgument());
  Require(
      (*writer)->Add("e" + old, 0, ValueType::kTypeRangeDeletion, "f" + old));
  Require((*writer)->SingleDelete("d" + old));
  Require((*writer)->PutEntity("b" + old, columns));
  Require((*writer)->PutAt("a", old, "1"));
  Require((*writer)->DeleteAt("a", young));
  Require((*writer)->Merge("c" + old, "m"));
  Require((*writer)->Finish());
  EXPECT_TRUE(ReadFile(folder / "t") == ReadFile(folder / "sorted"));
  EXPECT_TRUE((*writer)->tables()[0].largest_is_exclusive);
}

TEST(SortedTableWriter, EntriesThatNoTableTakes) {
  const TestFolder folder;
  SortedTableWriterOptions options = SomeOptions();
  for (const bool internal_keys : {false, true}) {
    options.internal_keys = internal_keys;
    auto writer = SortedTableWriter::Open(folder / "t", options);
    Require(writer.status());
    const auto add = [&](SequenceNumber sequence, ValueType type,
                         std::string_view value) {
      return (*writer)->Add("k", sequence, type, value);
    };
    EXPECT_TRUE(add(0, ValueType::kTypeDeletion, "v").IsInvalidArgument());
    EXPECT_TRUE(add(0, ValueType{3}, "v").IsInvalidArgument());
    EXPECT_TRUE(add(0, ValueType::kTypeRangeDeletion, "a").IsInvalidArgument());
    EXPECT_TRUE(add(kMaxSequenceNumber + 1, ValueType::kTypeValue, "v")
                    .IsInvalidArgument());
    EXPECT_EQ(add(1, ValueType::kTypeValue, "v").IsInvalidArgument(),
              !internal_keys);
    EXPECT_EQ(add(0, ValueType::kTypeBlobIndex, "v").IsNotSupported(),
              !internal_keys);
    // All of them were refused: without internal keys nothing was added.
    EXPECT_EQ((*writer)->Finish().IsInvalidArgument(), !internal_keys);
  }
  options = SomeOptions();
  options.build.target_file_size = 1000;
  auto set = SortedTableWriter::Open(folder / "set", options);
  Require(set.status());
  const auto delete_until = [&set](const Slice& end) {
    return (*set)->Add("b", 0, ValueType::kTypeRangeDeletion, end);
  };
  EXPECT_TRUE(delete_until("a").IsInvalidArgument());
  std::string end(TableBuilder::kMaxUserKeyBytes + 1, 'c');
  EXPECT_TRUE(delete_until(end).IsInvalidArgument());
  end.pop_back();
  Require(delete_until(end));
  Require((*set)->Put("a", "1"));
  Require((*set)->Finish());
}

// Readers put a timestamp of 0 back, also into range deletions.
TEST(SortedTableWriter, TimestampsThatAreNotWritten) {
  SortedTableWriterOptions options = SomeOptions();
  options.table.comparator = BytewiseComparatorWithU64Ts();
  options.table.persist_user_defined_timestamps = false;
  for (const uint64_t target : {0, 1000}) {
    options.build.target_file_size = target;
    for (const bool internal_keys : {false, true}) {
      options.internal_keys = internal_keys;
      const TestFolder folder;
      auto writer = SortedTableWriter::Open(folder / "t", options);
      Require(writer.status());
      for (const ValueType type :
           {ValueType::kTypeRangeDeletion, ValueType::kTypeValue}) {
        const auto add_at = [&](uint64_t time) {
          const std::string stamp = EncodeU64Ts(time);
          return (*writer)->Add("b" + stamp, 0, type, "c" + stamp);
        };
        EXPECT_EQ(add_at(7).IsInvalidArgument(), !internal_keys);
        if (!internal_keys) Require(add_at(0));
      }
      Require((*writer)->Finish());
    }
  }
}

// Of a set with range deletions: each key is deleted by as many of them, in its
// own table, as were added over it, and tables do not reach into each other.
TEST(SortedTableWriter, RangeDeletionsOfASet) {
  ForEachSeed(1, 20, [](uint64_t seed) {
    Random draw(seed);
    SortedTableWriterOptions options = SomeOptions();
    options.build.target_file_size = 3000;
    const bool timed = draw.OneIn(2);
    if (timed) options.table.comparator = BytewiseComparatorWithU64Ts();
    const auto key_of = [timed](uint64_t number) {
      const std::string key = std::to_string(100000 + number);
      return timed ? key + EncodeU64Ts(7) : key;
    };
    const auto number_of = [](const Slice& key) {
      return std::stoul(key.ToString().substr(0, 6)) - 100000;
    };
    constexpr uint64_t kKeys = 1000;
    std::vector<size_t> deleted(kKeys, 0);
    const TestFolder folder;
    auto writer = SortedTableWriter::Open(folder / "t.sst", options);
    Require(writer.status());
    for (uint64_t i = 0; i < kKeys; ++i) {
      Require((*writer)->Put(key_of(i * 7919 % kKeys), draw.Text(20)));
      if (!draw.OneIn(40)) continue;
      const uint64_t begin = draw.Below(kKeys - 1);
      const uint64_t end = draw.Between(begin + 1, kKeys - 1);
      Require((*writer)->Add(key_of(begin), 0, ValueType::kTypeRangeDeletion,
                             key_of(end)));
      for (uint64_t k = begin; k < end; ++k) ++deleted[k];
    }
    Require((*writer)->Finish());
    const std::vector<TableSetTable>& tables = (*writer)->tables();
    ASSERT_GT(tables.size(), 3u);
    std::vector<size_t> found(kKeys, 0);
    ReaderOptions reader_options;
    reader_options.comparator = options.table.comparator;
    uint64_t reached = 0;
    for (const TableSetTable& table : tables) {
      const auto reader = OpenTable(ReadFile(table.path), reader_options);
      EXPECT_LE(reached, number_of(table.smallest));
      reached = number_of(table.largest);
      for (const RangeDeletion& d : reader->RangeDeletions()) {
        EXPECT_GE(number_of(d.begin), number_of(table.smallest));
        EXPECT_LE(number_of(d.end), reached);
        if (timed) {
          EXPECT_EQ(DecodeU64Ts(TimestampOf(d.begin, 8)), 7u);
        }
        for (uint64_t k = number_of(d.begin); k < number_of(d.end); ++k) {
          ++found[k];
        }
      }
    }
    ASSERT_EQ(found, deleted);
  });
}

TEST(SortedTableWriter, NamesThatAreTaken) {
  const TestFolder folder;
  SortedTableWriterOptions options = SomeOptions();
  options.overwrite = false;
  const Entries entries = {{"a", "1"}};
  for (const uint64_t target : {0, 1000}) {
    options.build.target_file_size = target;
    Require(Write(folder / "t.sst", options, entries));
    const auto names = folder.Names();
    EXPECT_TRUE(Write(folder / "t.sst", options, entries).IsInvalidArgument());
    EXPECT_EQ(folder.Names(), names);
  }
  options.overwrite = true;
  Require(Write(folder / "t.sst", options, entries));
}

TEST(SortedTableWriter, ImpossibleOptionsAreReportedAtOnce) {
  const TestFolder folder;
  SortedTableWriterOptions options = SomeOptions();
  options.table.comparator = nullptr;
  EXPECT_TRUE(SortedTableWriter::Open(folder / "t", options)
                  .status()
                  .IsInvalidArgument());
  EXPECT_TRUE(folder.Names().empty());
}

// Whenever it is cancelled, nothing is left, and afterwards nothing is done.
TEST(SortedTableWriter, Cancelled) {
  Random draw(1);
  SortedTableWriterOptions options = SomeOptions();
  options.on_duplicate = DuplicatePolicy::kFirst;
  const Entries entries = DrawFor(options, 5000, &draw);
  for (const uint64_t target : {0, 20000}) {
    options.build.target_file_size = target;
    for (const uint64_t memory : {1, 64 << 20}) {
      options.memory = memory;
      bool is_complete = false;
      for (int last = 0; !is_complete; last += 1 + last / 3) {
        const TestFolder folder;
        options.temp_folder = folder.path();
        std::atomic<int> asked = 0;
        options.is_cancelled = [&] { return asked++ >= last; };
        const Status status = Write(folder / "t.sst", options, entries);
        is_complete = status.ok();
        if (!is_complete) {
          ASSERT_TRUE(status.IsAborted()) << status.ToString();
          ASSERT_TRUE(folder.Names().empty());
        }
      }
    }
  }
}

// Tables in memory, as an application may have them elsewhere.
class MemoryOutputs final : public CompactionOutputs {
 public:
  Result<WritableFile*> Begin(size_t number, TableOptions* /*table_options*/,
                              BuildOptions* /*build_options*/) override {
    EXPECT_EQ(number, bytes.size());
    EXPECT_EQ(file_, nullptr);
    if (number == fails_at) return Status::IOError("no room");
    bytes.push_back(std::make_unique<std::string>());
    file_ = NewMemoryWritableFile("memory", bytes.back().get());
    return file_.get();
  }
  Status End(const CompactionOutput& output) override {
    EXPECT_EQ(output.builder->FileSize(), bytes[output.number]->size());
    file_.reset();
    smallest.push_back(UserKeyOf(output.smallest).ToString());
    return {};
  }
  void Drop(size_t number) override {
    dropped.push_back(number);
    file_.reset();
  }

  size_t fails_at = SIZE_MAX;
  std::vector<std::unique_ptr<std::string>> bytes;
  std::vector<std::string> smallest;
  std::vector<size_t> dropped;

 private:
  std::unique_ptr<WritableFile> file_;
};

Status WriteTo(MemoryOutputs* outputs, const SortedTableWriterOptions& options,
               const Entries& entries) {
  auto writer = SortedTableWriter::OpenTo(outputs, options);
  if (!writer.ok()) return writer.status();
  for (const OwnedEntry& e : entries) {
    Status status = (*writer)->Add(e.key, e.sequence, e.type, e.value);
    if (!status.ok()) return status;
  }
  return (*writer)->Finish();
}

// Sorted or not, and wherever the tables are, they have the same bytes.
TEST(SortedTableWriter, OutputsOfTheCallerAndSortedEntries) {
  size_t most_tables = 0;
  ForEachSeed(1, 5, [&most_tables](uint64_t seed) {
    Random draw(seed);
    SortedTableWriterOptions options = DrawOptions(&draw);
    Entries entries = DrawFor(options, 3000, &draw);
    for (const uint64_t target : {0, 20000}) {
      options.build.target_file_size = target;
      options.is_sorted = false;
      MemoryOutputs sorted_here;
      Require(WriteTo(&sorted_here, options, entries));
      most_tables = std::max(most_tables, sorted_here.bytes.size());
      EXPECT_EQ(sorted_here.smallest.size(), sorted_here.bytes.size());
      EXPECT_TRUE(sorted_here.dropped.empty());

      Entries in_order = entries;
      SortByOracle(*options.table.comparator, options.internal_keys, &in_order);
      options.is_sorted = true;
      const TestFolder folder;
      std::vector<TableSetTable> tables;
      Require(Write(folder / "t.sst", options, in_order, nullptr, &tables));
      ASSERT_EQ(tables.size(), sorted_here.bytes.size());
      for (size_t i = 0; i < tables.size(); ++i) {
        EXPECT_EQ(ReadFile(tables[i].path), *sorted_here.bytes[i]);
      }
    }
  });
  EXPECT_GT(most_tables, 3u);
}

// Also where the two entries are in different tables.
TEST(SortedTableWriter, SortedEntriesOutOfOrder) {
  SortedTableWriterOptions options = SomeOptions();
  options.is_sorted = true;
  options.build.target_file_size = 4000;
  for (const int last : {1, 10, 1000}) {
    MemoryOutputs outputs;
    auto writer = SortedTableWriter::OpenTo(&outputs, options);
    Require(writer.status());
    for (int i = 0; i < last; ++i) {
      Require((*writer)->Put(std::to_string(10000 + i), std::string(50, 'v')));
    }
    const Status status = (*writer)->Put("0", "v");
    EXPECT_EQ(status.subcode(), Status::SubCode::kKeyOutOfOrder);
    EXPECT_NE(status.message().find("'0'"), std::string_view::npos);
    EXPECT_EQ((*writer)->Put("2", "v").ToString(), status.ToString());
    EXPECT_EQ((*writer)->Finish().ToString(), status.ToString());
    ASSERT_EQ(outputs.dropped.size(), 1u);
    EXPECT_EQ(outputs.dropped[0] + 1, outputs.bytes.size());
  }
}

TEST(SortedTableWriter, SortedEntriesAreCancelledNowAndThen) {
  SortedTableWriterOptions options = SomeOptions();
  options.is_sorted = true;
  bool is_cancelled = false;
  options.is_cancelled = [&] { return is_cancelled; };
  MemoryOutputs outputs;
  auto writer = SortedTableWriter::OpenTo(&outputs, options);
  Require(writer.status());
  Require((*writer)->Put("100000", "v"));
  is_cancelled = true;
  Status status;
  int i = 0;
  while (status.ok() && i < 10000) {
    status = (*writer)->Put(std::to_string(100001 + i++), "v");
  }
  EXPECT_TRUE(status.IsAborted()) << status.ToString();
  EXPECT_EQ(status.message(), "cancelled");
  EXPECT_EQ((*writer)->Finish().ToString(), status.ToString());
}

// A table that cannot begin is not dropped, and none is open afterwards.
TEST(SortedTableWriter, OutputsThatFail) {
  Random draw(1);
  SortedTableWriterOptions options = SomeOptions();
  options.on_duplicate = DuplicatePolicy::kFirst;
  options.build.target_file_size = 20000;
  const Entries entries = DrawFor(options, 3000, &draw);
  for (const size_t number : {0, 2}) {
    MemoryOutputs outputs;
    outputs.fails_at = number;
    const Status status = WriteTo(&outputs, options, entries);
    EXPECT_EQ(status.ToString(), "IO error: no room");
    EXPECT_EQ(outputs.smallest.size(), number);
    EXPECT_TRUE(outputs.dropped.empty());
  }
}

// Only the end of a range deletion is exclusive, and not an entry that has its
// sequence number.
TEST(SortedTableWriter, AnEntryOfTheLargestNumberBelongsToItsTable) {
  SortedTableWriterOptions options = SomeOptions();
  options.internal_keys = true;
  for (const uint64_t target : {0, 1000}) {
    options.build.target_file_size = target;
    for (const bool is_deletion : {false, true}) {
      const TestFolder folder;
      OwnedEntry entry = {"a", "v"};
      entry.sequence = kMaxSequenceNumber;
      if (is_deletion) entry.type = ValueType::kTypeRangeDeletion;
      std::vector<TableSetTable> tables;
      Require(Write(folder / "t", options, {entry}, nullptr, &tables));
      ASSERT_EQ(tables.size(), 1U);
      EXPECT_EQ(tables[0].largest, is_deletion ? "v" : "a");
      EXPECT_EQ(tables[0].largest_is_exclusive, is_deletion);
    }
  }
}

// Types above that of a range deletion sort before its end, if all is equal.
TEST(SortedTableWriter, AnEntryOfTheLargestNumberBelongsToItsTableAtAnEnd) {
  SortedTableWriterOptions options = SomeOptions();
  options.internal_keys = true;
  OwnedEntry range = {"a", "v"};
  range.sequence = 7;
  range.type = ValueType::kTypeRangeDeletion;
  OwnedEntry entry = {"v", ""};
  entry.sequence = kMaxSequenceNumber;
  entry.type = ValueType::kTypeDeletionWithTimestamp;
  const TestFolder folder;
  std::vector<TableSetTable> tables;
  Require(Write(folder / "t", options, {range, entry}, nullptr, &tables));
  ASSERT_EQ(tables.size(), 1U);
  EXPECT_EQ(tables[0].largest, "v");
  EXPECT_FALSE(tables[0].largest_is_exclusive);
}

// A thread that shows the progress while another one writes.
TEST(SortedTableWriter, ProgressFromAnotherThread) {
  Random draw(1);
  SortedTableWriterOptions options = SomeOptions();
  options.on_duplicate = DuplicatePolicy::kLast;
  options.memory = 400000;
  options.threads = 3;
  const Entries entries = DrawFor(options, 20000, &draw);
  const TestFolder folder;
  auto writer = SortedTableWriter::Open(folder / "t", options);
  Require(writer.status());
  std::atomic<bool> is_done = false;
  std::thread watcher([&] {
    SortedTableProgress seen;
    while (!is_done) {
      const SortedTableProgress now = (*writer)->progress();
      EXPECT_GE(now.sort.entries, seen.sort.entries);
      EXPECT_GE(now.written, seen.written);
      seen = now;
    }
  });
  for (const OwnedEntry& e : entries) {
    Require((*writer)->Add(e.key, e.sequence, e.type, e.value));
  }
  Require((*writer)->Finish());
  is_done = true;
  watcher.join();
}

// What no table takes is refused before anything compares or keeps it.
TEST(SortedTableWriter, KeysShorterThanTheirTimestampAreRefused) {
  for (const bool is_sorted : {true, false}) {
    for (const DuplicatePolicy policy :
         {DuplicatePolicy::kError, DuplicatePolicy::kLast}) {
      const TestFolder folder;
      SortedTableWriterOptions options = SomeOptions();
      options.table.comparator = BytewiseComparatorWithU64Ts();
      options.is_sorted = is_sorted;
      options.on_duplicate = policy;
      auto writer = SortedTableWriter::Open(folder / "t.sst", options);
      Require(writer.status());
      const std::string stamp(8, '\0');
      const std::string first = "abc" + std::string(40, 'k') + stamp;
      for (const std::string key : {"", "abc"}) {
        EXPECT_TRUE((*writer)->Put(key, "v").IsInvalidArgument());
      }
      Require((*writer)->Put(first, "v"));
      EXPECT_TRUE((*writer)->Put("abc", "v").IsInvalidArgument());
      Require((*writer)->Put("b" + stamp, "v"));
      Require((*writer)->Finish());
    }
  }
}

TEST(SortedTableWriter, RangeDeletionsOfASetComeFirst) {
  const TestFolder folder;
  SortedTableWriterOptions options = SomeOptions();
  options.is_sorted = true;
  options.build.target_file_size = 4096;
  auto writer = SortedTableWriter::Open(folder / "t.sst", options);
  Require(writer.status());
  const auto add_deletion = [&] {
    return (*writer)->Add("k", 0, ValueType::kTypeRangeDeletion, "l");
  };
  Require(add_deletion());
  for (int i = 0; i < 100; ++i) {
    Require((*writer)->Put("key" + std::to_string(1000 + i),
                           std::string(500, static_cast<char>('a' + i % 26))));
  }
  EXPECT_GT((*writer)->progress().tables, 0U);
  EXPECT_TRUE(add_deletion().IsInvalidArgument());
  Require((*writer)->Finish());
}

}  // namespace
}  // namespace ashlar::testing
