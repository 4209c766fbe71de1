// Tables that are read right after they were built: data blocks that the
// builder put into the block cache, and readers that it handed over. The file
// counts its reads.

#include "ashlar/table/built_table.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ashlar/cache/cache_options.h"
#include "ashlar/table/table_cache.h"
#include "ashlar/util/worker_pool.h"
#include "test/support/faulty_file.h"
#include "test/support/random.h"
#include "test/support/random_table.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

std::shared_ptr<Cache> LargeCache() {
  LruCacheOptions options;
  options.capacity = size_t{64} << 20;
  return NewLruCache(options).value();
}

// So that what the cache holds is blocks alone.
void ChargeNothing(CacheUsageOptions* options) {
  options->options.charged = CacheEntryRoleOptions::Decision::kDisabled;
}

// A table that was built, with its builder.
struct Built {
  std::string bytes;
  std::unique_ptr<WritableFile> file;
  std::unique_ptr<TableBuilder> builder;
};

Built Build(const TableOptions& table, const BuildOptions& build,
            const std::vector<Entry>& entries) {
  Built built;
  built.file = NewMemoryWritableFile("built", &built.bytes);
  auto builder = TableBuilder::Create(table, build, built.file.get());
  Require(builder.status());
  built.builder = std::move(builder).value();
  for (const Entry& entry : entries) {
    Require(built.builder->Add(entry.key, entry.value));
  }
  Require(built.builder->Finish());
  return built;
}

Result<std::unique_ptr<TableReader>> OpenCounted(const Built& built,
                                                 const ReaderOptions& options,
                                                 FaultPlan* reads) {
  return OpenBuiltTable(*built.builder,
                        NewFaultyFile("built", built.bytes, reads), options);
}

// Reads all entries forward and backward, and looks up each.
void ReadAll(const TableReader& reader, const std::vector<Entry>& expected) {
  std::vector<Entry> entries;
  ASSERT_TRUE(ReadForward(reader, {}, &entries).ok());
  ASSERT_EQ(CanonicalDump(entries), CanonicalDump(expected));
  entries.clear();
  ASSERT_TRUE(ReadBackward(reader, {}, &entries).ok());
  EXPECT_EQ(entries.size(), expected.size());
  for (const Entry& entry : expected) {
    GetResult result;
    const Slice user_key = UserKeyOf(entry.key);
    const Status status =
        reader.Get({}, user_key, kMaxSequenceNumber, &result,
                   [](const MergeOperand& /*operand*/,
                      SequenceNumber /*sequence*/) { return true; });
    ASSERT_TRUE(status.ok()) << status.ToString();
    ASSERT_NE(result.state, GetResult::State::kNotFound);
  }
}

enum class Form : uint8_t { kWhole, kPartitioned };

TableOptions OptionsOf(Form form) {
  TableOptions options;
  options.block_size = 1000;
  if (form == Form::kPartitioned) {
    options.index_type = IndexType::kTwoLevelIndexSearch;
    options.partition_filters = true;
    options.metadata_block_size = 200;
  }
  return options;
}

class BuiltTables : public ::testing::TestWithParam<std::tuple<Form, bool>> {
 protected:
  BuiltTables() : cache_(LargeCache()) {
    build_.keep_tail = true;
    build_.prepopulate_block_cache = true;
    build_.block_cache = cache_;
    reader_.block_cache = cache_;
    reader_.cache_index_and_filter_blocks = std::get<1>(GetParam());
  }
  TableOptions Table() const { return OptionsOf(std::get<0>(GetParam())); }

  const std::shared_ptr<Cache> cache_;
  BuildOptions build_;
  ReaderOptions reader_;
};

INSTANTIATE_TEST_SUITE_P(
    Forms, BuiltTables,
    ::testing::Combine(::testing::Values(Form::kWhole, Form::kPartitioned),
                       ::testing::Bool()));

TEST_P(BuiltTables, ReadNothingOfTheFile) {
  const std::vector<Entry> entries = SomeEntries(3000);
  for (const uint32_t workers : {0U, 3U}) {
    for (const uint32_t dictionary : {0U, 2000U}) {
      SCOPED_TRACE(std::to_string(workers) + " workers, dictionary of " +
                   std::to_string(dictionary));
      TableOptions table = Table();
      table.compression_opts.max_dict_bytes = dictionary;
      build_.workers = workers;
      const Built built = Build(table, build_, entries);
      FaultPlan reads;
      auto reader = OpenCounted(built, reader_, &reads);
      ASSERT_TRUE(reader.ok()) << reader.status().ToString();
      ReadAll(**reader, entries);
      GetResult absent;
      ASSERT_TRUE((*reader)->Get("absent", &absent).ok());
      EXPECT_EQ(reads.operations, 0U);
      EXPECT_GT((*reader)->EraseFromBlockCache(), 0U);
      // And the file has what the cache had.
      ReadAll(**reader, entries);
      EXPECT_GT(reads.operations, 0U);
    }
  }
}

TEST_P(BuiltTables, AreTheSameBytes) {
  const std::vector<Entry> entries = SomeEntries(3000);
  build_.identity = FixedBuild().identity;
  const Built built = Build(Table(), build_, entries);
  EXPECT_TRUE(built.bytes == BuildTable(Table(), entries));
}

TEST_P(BuiltTables, NeedNotTheirBuilder) {
  const std::vector<Entry> entries = SomeEntries(3000);
  Built built = Build(Table(), build_, entries);
  FaultPlan reads;
  auto reader = OpenCounted(built, reader_, &reads);
  ASSERT_TRUE(reader.ok());
  built.builder.reset();
  built.file.reset();
  cache_->EraseUnRefEntries();
  ReadAll(**reader, entries);
  EXPECT_GT(reads.operations, 0U);
}

TEST_P(BuiltTables, WithoutTailTheFileIsRead) {
  const std::vector<Entry> entries = SomeEntries(3000);
  build_.keep_tail = false;
  const Built built = Build(Table(), build_, entries);
  FaultPlan reads;
  auto reader = OpenCounted(built, reader_, &reads);
  ASSERT_TRUE(reader.ok());
  const uint64_t opening = reads.operations;
  EXPECT_GT(opening, 0U);
  ReadAll(**reader, entries);
  // Data blocks are in the cache, and index and filter were loaded.
  EXPECT_EQ(reads.operations, opening);
}

TEST_P(BuiltTables, WithoutPrepopulationTheFileIsReadForData) {
  const std::vector<Entry> entries = SomeEntries(3000);
  build_.prepopulate_block_cache = false;
  const Built built = Build(Table(), build_, entries);
  FaultPlan reads;
  auto reader = OpenCounted(built, reader_, &reads);
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ(reads.operations, 0U);
  ReadAll(**reader, entries);
  EXPECT_GT(reads.operations, 0U);
}

// Counts how it is asked.
class AskedFile final : public RandomAccessFile {
 public:
  struct Asked {
    int alone = 0;
    int together = 0;
    int alone_in_time = 0;
    int together_in_time = 0;
  };
  AskedFile(std::string bytes, Asked* asked)
      : file_(NewMemoryFile("built", std::move(bytes))), asked_(asked) {}
  Status Read(uint64_t offset, size_t n, char* scratch,
              Slice* data) const override {
    ++asked_->alone;
    return file_->Read(offset, n, scratch, data);
  }
  void MultiRead(std::span<ReadRequest> requests) const override {
    ++asked_->together;
    file_->MultiRead(requests);
  }
  Status ReadWithin(const ReadContext& /*context*/, uint64_t offset, size_t n,
                    char* scratch, Slice* data) const override {
    ++asked_->alone_in_time;
    return file_->Read(offset, n, scratch, data);
  }
  void MultiReadWithin(const ReadContext& /*context*/,
                       std::span<ReadRequest> requests) const override {
    ++asked_->together_in_time;
    file_->MultiRead(requests);
  }
  uint64_t Size() const override { return file_->Size(); }
  std::string name() const override { return file_->name(); }

 private:
  const std::unique_ptr<RandomAccessFile> file_;
  Asked* const asked_;
};

// The reader's file passes all kinds of reads on: several at once, and those
// with a limit on their time.
TEST_P(BuiltTables, AskTheFileAsTheirReadsDo) {
  const std::vector<Entry> entries = SomeEntries(3000);
  const Built built = Build(Table(), build_, entries);
  AskedFile::Asked asked;
  auto reader =
      OpenBuiltTable(*built.builder,
                     std::make_unique<AskedFile>(built.bytes, &asked), reader_);
  ASSERT_TRUE(reader.ok()) << reader.status().ToString();
  std::vector<Slice> keys;
  for (size_t i = 0; i < entries.size(); i += 300) {
    keys.push_back(UserKeyOf(entries[i].key));
  }
  std::vector<GetResult> results(keys.size());
  std::vector<Status> statuses(keys.size());
  const auto get_all = [&](const ReadOptions& options) {
    (*reader)->EraseFromBlockCache();
    asked = {};
    (*reader)->MultiGet(options, keys, kMaxSequenceNumber, results, statuses);
    for (const Status& status : statuses) EXPECT_TRUE(status.ok());
  };
  get_all({});
  EXPECT_GT(asked.together, 0);
  EXPECT_EQ(asked.together_in_time + asked.alone_in_time, 0);
  ReadOptions in_time;
  in_time.io_timeout = std::chrono::hours(1);
  get_all(in_time);
  EXPECT_GT(asked.together_in_time, 0);
  EXPECT_EQ(asked.together + asked.alone, 0);
  (*reader)->EraseFromBlockCache();
  asked = {};
  ASSERT_TRUE(
      (*reader)->Get(in_time, keys[3], kMaxSequenceNumber, &results[0]).ok());
  EXPECT_GT(asked.alone_in_time, 0);
  EXPECT_EQ(asked.alone, 0);
}

// What a failed build left in the cache must not be found by the build that is
// repeated with the same identity.
TEST_P(BuiltTables, BuildsThatEndEarlyLeaveNothingInTheCache) {
  const std::vector<Entry> entries = SomeEntries(3000);
  build_.identity = FixedBuild().identity;
  ChargeNothing(&build_.cache_usage_options);
  for (const std::string end : {"failed", "abandoned", "destroyed"}) {
    for (const uint32_t workers : {0U, 3U}) {
      SCOPED_TRACE(end);
      build_.workers = workers;
      const size_t before = cache_->GetUsage();
      std::string bytes;
      FaultPlan plan;
      const auto file = NewFaultyWritableFile("f", &bytes, &plan);
      auto builder = TableBuilder::Create(Table(), build_, file.get());
      ASSERT_TRUE(builder.ok());
      for (const Entry& entry : entries) {
        ASSERT_TRUE((*builder)->Add(entry.key, std::string(200, 'x')).ok());
      }
      if (end == "failed") {
        plan.fail_at = plan.operations + 1;
        EXPECT_FALSE((*builder)->Finish().ok());
        EXPECT_FALSE((*builder)->KeptTail().ok());
        EXPECT_EQ(cache_->GetUsage(), before);
      } else if (end == "abandoned") {
        (*builder)->Abandon();
        EXPECT_EQ(cache_->GetUsage(), before);
        EXPECT_FALSE((*builder)->KeptTail().ok());
      }
      builder->reset();
      EXPECT_EQ(cache_->GetUsage(), before);
    }
  }
  build_.workers = 0;
  const Built built = Build(Table(), build_, entries);
  FaultPlan reads;
  auto reader = OpenCounted(built, reader_, &reads);
  ASSERT_TRUE(reader.ok());
  ReadAll(**reader, entries);
}

TEST_P(BuiltTables, ACacheWithoutRoomChangesNoAnswer) {
  const std::vector<Entry> entries = SomeEntries(3000);
  ForEachSeed(1, 12, [&](uint64_t seed) {
    Random random(seed);
    const std::shared_ptr<Cache> cache = AnyBlockCache(random.Next());
    if (cache == nullptr) return;
    build_.block_cache = cache;
    ChargeNothing(&build_.cache_usage_options);
    reader_.block_cache = cache;
    const Built built = Build(Table(), build_, entries);
    FaultPlan reads;
    auto reader = OpenCounted(built, reader_, &reads);
    if (!reader.ok()) {
      EXPECT_TRUE(reader.status().IsMemoryLimit());
      return;
    }
    ReadAll(**reader, entries);
  });
}

TEST(BuiltTable, RandomTablesAnswerAsTheirModels) {
  ForEachSeed(1, 60, [&](uint64_t seed) {
    Random random(seed);
    const RandomTable table = MakeRandomTable(&random);
    SCOPED_TRACE(table.description);
    BuildOptions build;
    build.keep_tail = true;
    build.prepopulate_block_cache = true;
    build.block_cache = LargeCache();
    build.workers = static_cast<uint32_t>(random.Below(3));
    const Built built = Build(table.options, build, table.model.entries());
    ReaderOptions options;
    options.comparator = table.options.comparator;
    options.block_cache = build.block_cache;
    options.cache_index_and_filter_blocks = random.OneIn(2);
    options.cache_entry_words = random.OneIn(2);
    FaultPlan reads;
    auto reader = OpenCounted(built, options, &reads);
    ASSERT_TRUE(reader.ok()) << reader.status().ToString();
    std::vector<Entry> entries;
    ASSERT_TRUE(ReadForward(**reader, {}, &entries).ok());
    EXPECT_EQ(CanonicalDump(entries), CanonicalDump(table.model.entries()));
    for (int i = 0; i < 50 && !entries.empty(); ++i) {
      const Entry& entry = entries[random.Below(entries.size())];
      const Slice user_key = UserKeyOf(entry.key);
      GetResult result;
      ASSERT_TRUE((*reader)
                      ->Get({}, user_key, kMaxSequenceNumber, &result,
                            [](const MergeOperand& /*operand*/,
                               SequenceNumber /*sequence*/) { return true; })
                      .ok());
      const ModelAnswer answer = table.model.Get(user_key, kMaxSequenceNumber);
      EXPECT_EQ(result.state, answer.state);
      EXPECT_EQ(result.value.ToString(), answer.value);
    }
    // Values that are stored apart are in no cache.
    if (!table.options.embedded_blob_options.enable) {
      EXPECT_EQ(reads.operations, 0U);
    }
  });
}

TEST(BuiltTable, GoesIntoATableCache) {
  const std::vector<Entry> entries = SomeEntries(1000);
  BuildOptions build;
  build.keep_tail = true;
  build.prepopulate_block_cache = true;
  build.block_cache = LargeCache();
  const Built built = Build({}, build, entries);
  TableCacheOptions options;
  options.reader_options.block_cache = build.block_cache;
  auto cache = TableCache::Create(options);
  ASSERT_TRUE(cache.ok());
  FaultPlan reads;
  auto found = (*cache)->Find(1, [&](uint64_t /*number*/, TableToOpen* table) {
    auto reader = OpenCounted(built, table->options, &reads);
    if (!reader.ok()) return reader.status();
    table->reader = std::move(reader).value();
    return Status();
  });
  ASSERT_TRUE(found.ok()) << found.status().ToString();
  ReadAll(**found, entries);
  EXPECT_TRUE((*cache)->FindOpen(1));
  EXPECT_EQ(reads.operations, 0U);
}

TEST(BuiltTable, WrongUses) {
  const std::vector<Entry> entries = SomeEntries(10);
  std::string bytes;
  const auto file = NewMemoryWritableFile("f", &bytes);
  BuildOptions build;
  build.prepopulate_block_cache = true;
  EXPECT_EQ(TableBuilder::Create({}, build, file.get()).status().message(),
            "prepopulate_block_cache needs a block_cache");
  auto builder = TableBuilder::Create({}, {}, file.get());
  ASSERT_TRUE(builder.ok());
  EXPECT_TRUE(OpenBuiltTable(**builder, NewMemoryFile("f", ""))
                  .status()
                  .IsInvalidArgument());
  const Built built = Build({}, {}, entries);
  EXPECT_EQ(OpenBuiltTable(*built.builder,
                           NewMemoryFile("short", built.bytes.substr(1)))
                .status()
                .message(),
            "short: " + std::to_string(built.bytes.size() - 1) +
                " bytes, expected those of the table that was built, " +
                std::to_string(built.bytes.size()));
}

}  // namespace
}  // namespace ashlar::testing
