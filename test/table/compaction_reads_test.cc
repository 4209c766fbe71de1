// How compactions read their inputs: runs of tables, read-ahead, and blocks
// that are decoded ahead by workers.

#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

#include "ashlar/cache/cache_options.h"
#include "ashlar/table/compaction.h"
#include "ashlar/table/compaction_filter.h"
#include "ashlar/util/worker_pool.h"
#include "test/support/faulty_file.h"
#include "test/support/memory_outputs.h"
#include "test/support/random.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

std::string Key(size_t table, int i) {
  return "key" + std::to_string(100 + table) + std::to_string(10000 + i);
}

// A table of about 400 KB of data blocks that compress by half.
std::string Table(const TableOptions& options, size_t number) {
  Random random(number + 1);
  std::vector<Entry> entries;
  for (int i = 0; i < 4000; ++i) {
    std::string value(100, 'v');
    for (size_t j = 0; j < 50; ++j) value[j] = static_cast<char>(random.Next());
    entries.push_back(Value(Key(number, i), 1 + number, value));
  }
  return BuildTable(options, entries);
}

// Lets one thread at a time read.
class LockedFile final : public RandomAccessFile {
 public:
  LockedFile(std::string bytes, FaultPlan* plan, std::mutex* mutex)
      : mutex_(*mutex), file_(NewFaultyFile("input", std::move(bytes), plan)) {}
  Status Read(uint64_t offset, size_t n, char* scratch,
              Slice* data) const override {
    const std::lock_guard lock(mutex_);
    return file_->Read(offset, n, scratch, data);
  }
  uint64_t Size() const override { return file_->Size(); }
  std::string name() const override { return file_->name(); }

 private:
  std::mutex& mutex_;
  std::unique_ptr<RandomAccessFile> file_;
};

// Tables whose reads are counted, or fail.
struct Inputs {
  explicit Inputs(size_t count) : plans(count) {
    TableOptions options;
    options.compression = CompressionType::kLZ4Compression;
    for (size_t i = 0; i < count; ++i) bytes.push_back(Table(options, i));
    Open();
  }
  void Open(const ReaderOptions& options = {}) {
    readers.clear();
    for (FaultPlan& plan : plans) plan = FaultPlan();
    for (size_t i = 0; i < bytes.size(); ++i) {
      auto reader = TableReader::Open(
          std::make_unique<LockedFile>(bytes[i], &plans[i], &mutex), options);
      Require(reader.status());
      readers.push_back(std::move(reader).value());
    }
    for (FaultPlan& plan : plans) plan = FaultPlan();
  }
  std::vector<CompactionRun> EachARun() const {
    std::vector<CompactionRun> runs;
    runs.reserve(readers.size());
    for (const auto& reader : readers) runs.push_back({{reader.get(), "", ""}});
    return runs;
  }
  std::vector<CompactionRun> OneRun() const {
    CompactionRun run;
    run.reserve(readers.size());
    for (const auto& reader : readers) run.push_back({reader.get(), "", ""});
    return {run};
  }

  std::mutex mutex;
  std::vector<std::string> bytes;
  std::vector<FaultPlan> plans;
  std::vector<std::unique_ptr<TableReader>> readers;
};

CompactionOptions Options() {
  CompactionOptions options;
  options.build = FixedBuild();
  options.cutter.target_file_size = 200000;
  return options;
}

Status Compact(const CompactionOptions& options,
               const std::vector<CompactionRun>& runs, MemoryOutputs* outputs) {
  CompactionResult result;
  return CompactTables(options, runs, {}, outputs, &result);
}

void ExpectEqual(const MemoryOutputs& a, const MemoryOutputs& b) {
  ASSERT_EQ(a.files.size(), b.files.size());
  for (size_t i = 0; i < a.files.size(); ++i) {
    EXPECT_EQ(a.files[i].bytes, b.files[i].bytes);
  }
}

TEST(CompactionReads, AreOfTheSizeThatIsAskedFor) {
  Inputs inputs(1);
  CompactionOptions options = Options();
  MemoryOutputs outputs;
  ASSERT_TRUE(Compact(options, inputs.EachARun(), &outputs).ok());
  // The index, and all data at once.
  EXPECT_LE(inputs.plans[0].operations, 3U);
  inputs.Open();
  options.compaction_readahead_size = 20000;
  MemoryOutputs small;
  ASSERT_TRUE(Compact(options, inputs.EachARun(), &small).ok());
  EXPECT_GE(inputs.plans[0].operations,
            inputs.bytes[0].size() / 2 / options.compaction_readahead_size);
  ExpectEqual(outputs, small);
}

// Says that the page cache holds it. Notes how it is read.
class CachedFile final : public RandomAccessFile {
 public:
  struct Reads {
    size_t largest = 0;
    uint64_t expected_to = 0;  // the end of what was announced
    bool any_unexpected = false;
  };
  CachedFile(std::string bytes, Reads* reads)
      : reads_(*reads), file_(NewMemoryFile("input", std::move(bytes))) {}
  Status Read(uint64_t offset, size_t n, char* scratch,
              Slice* data) const override {
    reads_.largest = std::max(reads_.largest, n);
    if (reads_.expected_to != 0 && offset >= reads_.expected_to) {
      reads_.any_unexpected = true;
    }
    return file_->Read(offset, n, scratch, data);
  }
  void Expect(uint64_t offset, uint64_t n) const override {
    reads_.expected_to = std::max(reads_.expected_to, offset + n);
  }
  int FileDescriptor() const override { return 0; }
  uint64_t Size() const override { return file_->Size(); }
  std::string name() const override { return file_->name(); }

 private:
  Reads& reads_;
  std::unique_ptr<RandomAccessFile> file_;
};

TEST(CompactionReads, CopyPiecesOfWhatThePageCacheReadsAhead) {
  CachedFile::Reads reads;
  TableOptions table_options;
  table_options.compression = CompressionType::kNoCompression;
  const std::string bytes = Table(table_options, 0);
  auto reader = TableReader::Open(std::make_unique<CachedFile>(bytes, &reads));
  ASSERT_TRUE(reader.ok());
  reads = {};
  CompactionOptions options = Options();
  options.compaction_readahead_size = 160000;
  MemoryOutputs outputs;
  ASSERT_TRUE(Compact(options, {{{reader->get(), "", ""}}}, &outputs).ok());
  EXPECT_EQ(reads.largest, options.compaction_readahead_size / 8);
  EXPECT_GT(reads.expected_to, bytes.size() * 9 / 10);
  EXPECT_FALSE(reads.any_unexpected);
}

TEST(CompactionReads, TablesOfARunAreReadOneAfterTheOther) {
  class Watcher final : public CompactionFilter {
   public:
    explicit Watcher(const std::vector<FaultPlan>* plans) : plans_(*plans) {}
    std::string_view Name() const override { return "Watcher"; }
    Decision Filter(const Entry& entry, Change* /*change*/) override {
      const std::string key = entry.key.ToString();
      while (table_ + 1 < plans_.size() && key >= Key(table_ + 1, 0)) ++table_;
      for (size_t i = 0; i < plans_.size(); ++i) {
        // What is behind the last table that was come to, was not read.
        if (i <= table_) {
          EXPECT_NE(plans_[i].operations, 0U);
        } else {
          EXPECT_EQ(plans_[i].operations, 0U);
        }
      }
      return Decision::kKeep;
    }

   private:
    const std::vector<FaultPlan>& plans_;
    size_t table_ = 0;
  };
  Inputs inputs(4);
  CompactionOptions options = Options();
  MemoryOutputs apart;
  ASSERT_TRUE(Compact(options, inputs.EachARun(), &apart).ok());
  inputs.Open();
  Watcher watcher(&inputs.plans);
  options.iterator.compaction_filter = &watcher;
  MemoryOutputs together;
  ASSERT_TRUE(Compact(options, inputs.OneRun(), &together).ok());
  ExpectEqual(apart, together);
  // A part in the middle reads what it needs.
  options.iterator.compaction_filter = nullptr;
  options.start = Key(1, 3990);
  options.end = Key(2, 10);
  for (const bool bounds : {false, true}) {
    inputs.Open();
    std::vector<CompactionRun> runs = inputs.OneRun();
    for (size_t i = 0; bounds && i < runs[0].size(); ++i) {
      runs[0][i].smallest =
          MakeInternalKey(Key(i, 0), 1 + i, ValueType::kTypeValue);
      runs[0][i].largest =
          MakeInternalKey(Key(i, 3999), 1 + i, ValueType::kTypeValue);
    }
    MemoryOutputs part;
    ASSERT_TRUE(Compact(options, runs, &part).ok());
    ASSERT_EQ(part.files.size(), 1U);
    EXPECT_EQ(part.files[0].summary.num_entries, 20U);
    EXPECT_EQ(inputs.plans[0].operations != 0, !bounds);
    EXPECT_EQ(inputs.plans[3].operations != 0, !bounds);
  }
}

TEST(CompactionReads, DecodingAheadChangesNothingAndIsBounded) {
  constexpr size_t kRuns = CompactionOptions::kMostDecodedAhead + 2;
  Inputs inputs(kRuns);
  CompactionOptions options = Options();
  MemoryOutputs alone;
  ASSERT_TRUE(Compact(options, inputs.EachARun(), &alone).ok());
  LruCacheOptions cache_options;
  cache_options.capacity = 100 << 20;
  ReaderOptions reader;
  reader.block_cache = NewLruCache(cache_options).value();
  inputs.Open(reader);
  const size_t usage = reader.block_cache->GetUsage();
  WorkerPool pool(2);
  options.read.worker_pool = &pool;
  MemoryOutputs ahead;
  ASSERT_TRUE(Compact(options, inputs.EachARun(), &ahead).ok());
  ExpectEqual(alone, ahead);
  EXPECT_EQ(reader.block_cache->GetUsage(), usage);
  // Blocks that are decoded ahead are read in small runs.
  for (size_t i = 0; i < kRuns; ++i) {
    if (i < CompactionOptions::kMostDecodedAhead) {
      EXPECT_GT(inputs.plans[i].operations, 3U);
    } else {
      EXPECT_LE(inputs.plans[i].operations, 3U);
    }
  }
}

TEST(CompactionReads, DecodingAheadReportsReadsThatFail) {
  Inputs inputs(3);
  WorkerPool pool(2);
  CompactionOptions options = Options();
  options.read.worker_pool = &pool;
  MemoryOutputs sound;
  ASSERT_TRUE(Compact(options, inputs.EachARun(), &sound).ok());
  const uint64_t operations = inputs.plans[1].operations;
  for (const bool persistent : {true, false}) {
    for (uint64_t n = 1; n <= operations; ++n) {
      SCOPED_TRACE(n);
      inputs.Open();
      inputs.plans[1].fail_at = n;
      inputs.plans[1].persistent = persistent;
      MemoryOutputs outputs;
      const Status status = Compact(options, inputs.EachARun(), &outputs);
      EXPECT_EQ(outputs.open, 0);
      // The merge reads again what a worker could not read.
      if (status.ok()) {
        EXPECT_TRUE(!persistent || inputs.plans[1].faults == 0);
        ExpectEqual(outputs, sound);
      } else {
        EXPECT_TRUE(status.IsIOError()) << status.ToString();
      }
    }
  }
}

}  // namespace
}  // namespace ashlar::testing
