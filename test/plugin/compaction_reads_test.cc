// How compactions read tables through RocksDB's file systems: in small reads of
// what the file system was told before, or else in reads of the whole size that
// the options say.
#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/file_system.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "plugin/rocksdb/ashlar_rocksdb.h"

namespace ashlar::testing {
namespace {

constexpr uint64_t kReadahead = uint64_t{64} << 10;
constexpr uint64_t kBlockBytes = uint64_t{4} << 10;

struct Range {
  uint64_t offset;
  uint64_t size;
};

// What was asked of one file, in order.
struct Asked {
  std::vector<Range> reads;
  std::vector<Range> told;
  std::vector<Range> read_untold;  // reads of which something was not told

  bool WasTold(const Range& range) const {
    uint64_t at = range.offset;
    for (const Range& one : told) {
      if (one.offset <= at) at = std::max(at, one.offset + one.size);
    }
    return at >= range.offset + range.size;
  }
};

class WatchedFile final : public rocksdb::FSRandomAccessFileOwnerWrapper {
 public:
  WatchedFile(std::unique_ptr<rocksdb::FSRandomAccessFile>&& file,
              std::vector<Asked>* closed)
      : FSRandomAccessFileOwnerWrapper(std::move(file)), closed_(closed) {}
  ~WatchedFile() override { closed_->push_back(std::move(asked_)); }

  rocksdb::IOStatus Read(uint64_t offset, size_t n,
                         const rocksdb::IOOptions& options,
                         rocksdb::Slice* result, char* scratch,
                         rocksdb::IODebugContext* debug) const override {
    const std::lock_guard lock(mutex_);
    asked_.reads.push_back({offset, n});
    if (!asked_.WasTold({offset, n})) asked_.read_untold.push_back({offset, n});
    return FSRandomAccessFileOwnerWrapper::Read(offset, n, options, result,
                                                scratch, debug);
  }
  rocksdb::IOStatus Prefetch(uint64_t offset, size_t n,
                             const rocksdb::IOOptions& /*options*/,
                             rocksdb::IODebugContext* /*debug*/) override {
    const std::lock_guard lock(mutex_);
    asked_.told.push_back({offset, n});
    return rocksdb::IOStatus::OK();
  }

 private:
  std::vector<Asked>* const closed_;
  mutable std::mutex mutex_;
  mutable Asked asked_;
};

// Keeps what is asked of tables while `watches` is set.
class WatchedFiles final : public rocksdb::FileSystemWrapper {
 public:
  explicit WatchedFiles(bool loads_ahead)
      : FileSystemWrapper(rocksdb::FileSystem::Default()),
        loads_ahead_(loads_ahead) {}
  const char* Name() const override { return "WatchedFiles"; }
  void SupportedOps(int64_t& operations) override {
    const int64_t prefetch = int64_t{1} << rocksdb::FSSupportedOps::kFSPrefetch;
    FileSystemWrapper::SupportedOps(operations);
    operations = loads_ahead_ ? operations | prefetch : operations & ~prefetch;
  }
  rocksdb::IOStatus NewRandomAccessFile(
      const std::string& name, const rocksdb::FileOptions& options,
      std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
      rocksdb::IODebugContext* debug) override {
    rocksdb::IOStatus status =
        FileSystemWrapper::NewRandomAccessFile(name, options, file, debug);
    if (status.ok() && name.ends_with(".sst")) {
      *file = std::make_unique<WatchedFile>(std::move(*file), &closed);
    }
    return status;
  }

  std::vector<Asked> closed;  // files, in the order in which they were closed

 private:
  const bool loads_ahead_;
};

void Require(const rocksdb::Status& status) {
  ASSERT_TRUE(status.ok()) << status.ToString();
}

// Returns what a compaction asked of its three inputs.
std::vector<Asked> Compact(bool loads_ahead) {
  const auto files = std::make_shared<WatchedFiles>(loads_ahead);
  const std::unique_ptr<rocksdb::Env> env = rocksdb::NewCompositeEnv(files);
  rocksdb::Options options;
  options.env = env.get();
  options.create_if_missing = true;
  options.disable_auto_compactions = true;
  options.compression = rocksdb::kNoCompression;
  options.compaction_readahead_size = kReadahead;
  ashlar_rocksdb::AshlarTableOptions ashlar;
  ashlar.allow_fallback = false;
  options.table_factory.reset(
      ashlar_rocksdb::NewAshlarTableFactory({}, ashlar));
  const std::string folder =
      ::testing::TempDir() + "compaction_reads_" + std::to_string(loads_ahead);
  Require(rocksdb::DestroyDB(folder, options));
  std::unique_ptr<rocksdb::DB> db;
  Require(rocksdb::DB::Open(options, folder, &db));
  for (int table = 0; table < 3; ++table) {
    for (int i = 0; i < 10'000; ++i) {
      const std::string key = std::to_string(10'000'000 + i * 3 + table);
      Require(db->Put({}, key, std::string(100, 'v')));
    }
    Require(db->Flush({}));
  }
  files->closed.clear();
  Require(db->CompactRange({}, nullptr, nullptr));
  db.reset();
  Require(rocksdb::DestroyDB(folder, options));
  // Others have few reads: the output, and inputs as flushes verified them.
  std::erase_if(files->closed,
                [](const Asked& asked) { return asked.reads.size() < 10; });
  return std::move(files->closed);
}

TEST(CompactionReads, AreSmallWhereTheFileSystemLoadsAhead) {
  const std::vector<Asked> files = Compact(true);
  ASSERT_EQ(files.size(), 3u);
  for (const Asked& asked : files) {
    for (const Range& read : asked.reads) {
      EXPECT_LE(read.size, kReadahead / 4 + kBlockBytes);
    }
    // Those at the table's end, by which it was opened, and the first two.
    EXPECT_LE(asked.read_untold.size(), 6u);
    EXPECT_GE(asked.reads.size(), 1'000'000 / (kReadahead / 4));
  }
}

TEST(CompactionReads, HaveTheSizeOfTheOptionsWhereItDoesNot) {
  const std::vector<Asked> files = Compact(false);
  ASSERT_EQ(files.size(), 3u);
  for (const Asked& asked : files) {
    EXPECT_TRUE(asked.told.empty());
    const auto whole = std::count_if(
        asked.reads.begin(), asked.reads.end(),
        [](const Range& read) { return read.size == kReadahead; });
    EXPECT_GE(whole, 10);
  }
}

}  // namespace
}  // namespace ashlar::testing
