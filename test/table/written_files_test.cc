// Tables in files of the operating system, with every way to write and to read
// these. The bytes are always those of a table in memory.

#include <gtest/gtest.h>

#include <condition_variable>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "ashlar/cache/cache_options.h"
#include "ashlar/table/compaction.h"
#include "ashlar/table/external_file_writer.h"
#include "ashlar/util/worker_pool.h"
#include "test/support/folder.h"
#include "test/support/manual_clock.h"
#include "test/support/memory_outputs.h"
#include "test/support/random_table.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

bool HasDirectIo(const TestFolder& folder) {
  auto file = OpenWritableFile(folder / "probe", {.use_direct_writes = true});
  EXPECT_TRUE(file.ok() || file.status().IsNotSupported());
  return file.ok();
}

// Bytes of periods that begin whenever somebody waits.
std::shared_ptr<RateLimiter> LimiterOf(SystemClock* clock, uint64_t rate) {
  return NewGenericRateLimiter({.rate_bytes_per_sec = rate, .clock = clock});
}

WritableFileOptions RandomFileOptions(Random* random, SystemClock* clock,
                                      bool may_be_direct) {
  constexpr uint64_t kBuffers[] = {0, 8192, uint64_t{1} << 20};
  constexpr uint64_t kSteps[] = {0, 4096, 100'000};
  constexpr uint64_t kRates[] = {30'000, 1'000'000, 100'000'000};
  WritableFileOptions options;
  options.use_direct_writes = may_be_direct && random->OneIn(2);
  options.writable_file_max_buffer_size = random->Pick(kBuffers);
  options.bytes_per_sync = random->Pick(kSteps);
  options.strict_bytes_per_sync = random->OneIn(2);
  options.use_fsync = random->OneIn(2);
  if (random->OneIn(2)) {
    options.rate_limiter = LimiterOf(clock, random->Pick(kRates));
  }
  return options;
}

Status BuildInto(WritableFile* file, const TableOptions& table,
                 const BuildOptions& build, const std::vector<Entry>& entries) {
  auto builder = TableBuilder::Create(table, build, file);
  Require(builder.status());
  Status status;
  for (const Entry& entry : entries) {
    if (status.ok()) status = (*builder)->Add(entry.key, entry.value);
  }
  return status.ok() ? (*builder)->Finish() : status;
}

TEST(WrittenFiles, AnyOptionsGiveTheBytesOfTheTable) {
  const TestFolder folder;
  const bool may_be_direct = HasDirectIo(folder);
  ForEachSeed(1, 40, [&](uint64_t seed) {
    Random random(seed);
    ManualClock clock;
    const RandomTable table = MakeRandomTable(&random);
    SCOPED_TRACE(table.description);
    const auto& entries = table.model.entries();
    BuildOptions build = FixedBuild();
    build.workers = static_cast<uint32_t>(random.Below(4));
    const AtomicFile::Options options = {
        .sync = random.OneIn(2),
        .file = RandomFileOptions(&random, &clock, may_be_direct)};
    const std::string path = folder / "table.sst";
    auto file = AtomicFile::Create(path, options);
    ASSERT_TRUE(file.ok()) << file.status().ToString();
    ASSERT_TRUE(BuildInto((*file)->file(), table.options, build, entries).ok());
    ASSERT_TRUE((*file)->Commit().ok());
    const std::string bytes = ReadFile(path);
    EXPECT_TRUE(bytes == BuildTable(table.options, entries));
    if (options.file.rate_limiter != nullptr) {
      EXPECT_GE(
          options.file.rate_limiter->GetTotalBytesThrough(IoPriority::kLow),
          bytes.size());
    }
  });
}

TEST(WrittenFiles, AWriterTakesTheOptions) {
  const TestFolder folder;
  ManualClock clock;
  const auto limiter = LimiterOf(&clock, 10'000);
  const std::string path = folder / "table.sst";
  auto writer = ExternalFileWriter::Open(
      path, {}, {},
      {.file = {.use_direct_writes = HasDirectIo(folder),
                .rate_limiter = limiter,
                .rate_limiter_priority = IoPriority::kHigh}});
  ASSERT_TRUE(writer.ok()) << writer.status().ToString();
  ASSERT_TRUE((*writer)->Put("key", "value").ok());
  ASSERT_TRUE((*writer)->Finish().ok());
  EXPECT_GE(limiter->GetTotalBytesThrough(IoPriority::kHigh),
            (*writer)->FileSize());
  auto reader = TableReader::Open(path);
  ASSERT_TRUE(reader.ok());
  GetResult result;
  ASSERT_TRUE((*reader)->Get("key", &result).ok());
  EXPECT_EQ(result.value.ToString(), "value");
}

// Lets nobody pass until it is opened.
class Gate final : public RateLimiter {
 public:
  void Request(uint64_t /*bytes*/, IoPriority /*priority*/,
               OpType /*type*/) override {
    std::unique_lock lock(mutex_);
    ++waiting_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return open_; });
  }
  void AwaitWaiter() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return waiting_ != 0; });
  }
  void Open() {
    const std::scoped_lock lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  void SetBytesPerSecond(uint64_t /*rate*/) override {}
  uint64_t GetBytesPerSecond() const override { return 1; }
  uint64_t GetTotalBytesThrough(IoPriority /*priority*/) const override {
    return 0;
  }
  uint64_t GetTotalRequests(IoPriority /*priority*/) const override {
    return 0;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
  int waiting_ = 0;
};

// A builder that waits for the limiter holds nothing that readers, other
// builders of the same pool, or the cache need.
TEST(WrittenFiles, OthersGoOnWhileABuilderWaitsForTheLimiter) {
  const TestFolder folder;
  const auto gate = std::make_shared<Gate>();
  LruCacheOptions cache_options;
  cache_options.capacity = size_t{16} << 20;
  const auto cache = NewLruCache(cache_options).value();
  WorkerPool pool(2);
  std::vector<Entry> entries;
  Random random(1);
  entries.reserve(4000);
  for (int i = 0; i < 4000; ++i) {
    entries.push_back(
        Value("key" + std::to_string(10'000 + i), 1, random.Bytes(500)));
  }
  BuildOptions build = FixedBuild();
  build.workers = 1;
  build.worker_pool = &pool;
  build.block_cache = cache;
  build.prepopulate_block_cache = true;
  std::string limited_bytes;
  Status limited;
  std::thread waiting([&] {
    const auto file =
        NewRateLimitedFile(NewMemoryWritableFile("limited", &limited_bytes),
                           gate, IoPriority::kLow);
    limited = BuildInto(file.get(), {}, build, entries);
  });
  gate->AwaitWaiter();
  BuildOptions other = build;
  other.identity = FixedBuild("other").identity;
  std::string bytes;
  const auto file = NewMemoryWritableFile("free", &bytes);
  EXPECT_TRUE(BuildInto(file.get(), {}, other, entries).ok());
  ReaderOptions reader_options;
  reader_options.block_cache = cache;
  const auto reader = OpenTable(bytes, reader_options);
  std::vector<Entry> read;
  EXPECT_TRUE(ReadForward(*reader, {}, &read).ok());
  EXPECT_EQ(read.size(), entries.size());
  gate->Open();
  waiting.join();
  EXPECT_TRUE(limited.ok()) << limited.ToString();
  EXPECT_TRUE(limited_bytes == BuildTable({}, entries));
}

// Direct reads of inputs work with each way in which a compaction reads.
TEST(WrittenFiles, CompactionsReadInputsDirectly) {
  const TestFolder folder;
  if (!HasDirectIo(folder)) {
    GTEST_SKIP() << "the file system of temporary folders has no direct I/O";
  }
  Random random(3);
  std::vector<std::string> paths;
  for (int table = 0; table < 3; ++table) {
    std::vector<Entry> entries;
    entries.reserve(3000);
    for (int i = 0; i < 3000; ++i) {
      entries.push_back(Value("key" + std::to_string(10'000 + 3 * i + table),
                              1 + static_cast<uint64_t>(table),
                              random.Text(100)));
    }
    paths.push_back(folder / std::to_string(table));
    WriteFile(paths.back(), BuildTable({}, entries));
  }
  WorkerPool pool(2);
  std::vector<std::string> expected;
  for (const bool direct : {false, true}) {
    std::vector<std::unique_ptr<TableReader>> readers;
    std::vector<CompactionRun> runs;
    for (const std::string& path : paths) {
      ReaderOptions options;
      options.use_direct_reads = direct;
      auto reader = TableReader::Open(path, options);
      ASSERT_TRUE(reader.ok()) << reader.status().ToString();
      runs.push_back({{reader->get(), "", ""}});
      readers.push_back(std::move(reader).value());
    }
    for (const uint64_t readahead : {uint64_t{0}, uint64_t{1} << 20}) {
      for (WorkerPool* workers : {static_cast<WorkerPool*>(nullptr), &pool}) {
        CompactionOptions options;
        options.build = FixedBuild();
        options.cutter.target_file_size = 200'000;
        options.compaction_readahead_size = readahead;
        options.read.worker_pool = workers;
        MemoryOutputs outputs;
        CompactionResult result;
        ASSERT_TRUE(CompactTables(options, runs, {}, &outputs, &result).ok());
        std::vector<std::string> files;
        files.reserve(outputs.files.size());
        for (const auto& file : outputs.files) files.push_back(file.bytes);
        ASSERT_GT(files.size(), 1U);
        if (expected.empty()) expected = files;
        EXPECT_TRUE(files == expected);
      }
    }
  }
}

}  // namespace
}  // namespace ashlar::testing
