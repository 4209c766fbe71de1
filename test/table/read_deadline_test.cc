// Tests ReadOptions::deadline, io_timeout and rate_limiter_priority, by a clock
// that the reads of the file move.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ashlar/cache/cache_options.h"
#include "ashlar/table/multi_table_get.h"
#include "ashlar/table/table_reader.h"
#include "test/support/faulty_file.h"
#include "test/support/manual_clock.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

using State = GetResult::State;
using std::chrono::microseconds;

// Notes what it is asked for. Each request takes some time.
class NotedLimiter final : public RateLimiter {
 public:
  explicit NotedLimiter(ManualClock* clock) : clock_(*clock) {}
  void Request(uint64_t bytes, IoPriority priority, OpType type) override {
    EXPECT_EQ(type, OpType::kRead);
    clock_.Advance(micros);
    requests.emplace_back(bytes, priority);
  }
  void SetBytesPerSecond(uint64_t) override {}
  uint64_t GetBytesPerSecond() const override { return 1; }
  uint64_t GetTotalBytesThrough(IoPriority) const override { return 0; }
  uint64_t GetTotalRequests(IoPriority) const override { return 0; }

  uint64_t micros = 0;
  std::vector<std::pair<uint64_t, IoPriority>> requests;

 private:
  ManualClock& clock_;
};

std::string KeyNumber(size_t i) {
  return "key" + std::to_string(100000 + i).substr(1);
}

class ReadDeadline : public ::testing::Test {
 protected:
  static constexpr size_t kEntries = 600;

  ReadDeadline() { slowness_.clock = &clock_; }

  void Open(bool partitioned = false, bool cache = false) {
    OpenWith({}, partitioned, cache);
  }
  void OpenWith(TableOptions options, bool partitioned, bool cache) {
    options.block_size = 200;
    options.compression = CompressionType::kNoCompression;
    options.filter = FilterType::kNone;
    if (partitioned) options.index_type = IndexType::kTwoLevelIndexSearch;
    options.metadata_block_size = 300;
    ReaderOptions reader_options;
    reader_options.clock = &clock_;
    reader_options.rate_limiter = limiter_;
    reader_options.load_index_and_filter = LoadTime::kAtOpen;
    if (cache) {
      reader_options.block_cache =
          std::move(NewLruCache({.capacity = size_t{8} << 20})).value();
    }
    reader_ = std::move(
        TableReader::Open(
            std::make_unique<SlowFile>(
                NewFaultyFile("t.sst",
                              BuildTable(options, SomeEntries(static_cast<int>(
                                                      kEntries))),
                              &plan_),
                &slowness_),
            reader_options)
            .value());
    slowness_.reads = 0;
    EXPECT_TRUE(limiter_->requests.empty());
    EXPECT_TRUE(slowness_.timeouts.empty());
  }

  Status Get(size_t i, GetResult* result) const {
    return reader_->Get(options_, KeyNumber(i), kMaxSequenceNumber, result);
  }
  // Asks for every third key.
  void MultiGet(bool from_tables) {
    std::vector<std::string> keys;
    for (size_t i = 0; i < kEntries; i += 3) keys.push_back(KeyNumber(i));
    const std::vector<Slice> slices(keys.begin(), keys.end());
    results_ = std::vector<GetResult>(keys.size());
    statuses_ = std::vector<Status>(keys.size());
    if (!from_tables) {
      return reader_->MultiGet(options_, slices, kMaxSequenceNumber, results_,
                               statuses_);
    }
    const TableRange table{reader_.get(), "key", "kez"};
    const TableLevel level{{&table, 1}, /*sorted=*/true};
    MultiGetFromTables(options_, {&level, 1}, slices, kMaxSequenceNumber,
                       results_, statuses_);
  }

  ManualClock clock_;
  Slowness slowness_;
  FaultPlan plan_;
  std::shared_ptr<NotedLimiter> limiter_ =
      std::make_shared<NotedLimiter>(&clock_);
  std::unique_ptr<TableReader> reader_;
  ReadOptions options_;
  std::vector<GetResult> results_;
  std::vector<Status> statuses_;
};

TEST_F(ReadDeadline, APassedDeadlineReadsNothingButFindsWhatIsInMemory) {
  Open(false, /*cache=*/true);
  GetResult result;
  Require(Get(100, &result));
  const uint64_t reads = slowness_.reads;
  options_.deadline = clock_.In(0);
  const Status status = Get(300, &result);
  EXPECT_TRUE(status.IsTimedOut()) << status.ToString();
  EXPECT_TRUE(status.message().starts_with("t.sst: the deadline has passed"))
      << status.ToString();
  EXPECT_EQ(result.state, State::kNotFound);
  Require(Get(100, &result));
  EXPECT_EQ(result.state, State::kFound);
  Iterator it = reader_->NewIterator(options_);
  it.Seek(KeyNumber(100));
  EXPECT_TRUE(it.Valid());
  while (it.Valid()) it.Next();
  EXPECT_TRUE(it.status().IsTimedOut());
  uint64_t entries;
  EXPECT_TRUE(
      reader_->CheckEntries(options_, nullptr, {}, &entries).IsTimedOut());
  EXPECT_TRUE(reader_->VerifyChecksum(options_).IsTimedOut());
  EXPECT_EQ(slowness_.reads, reads);
  // A microsecond is enough for a read to begin.
  options_.deadline = clock_.In(1);
  Require(Get(300, &result));
}

// An index partition and a data block: two reads.
TEST_F(ReadDeadline, IsAskedBeforeEachRead) {
  for (const uint64_t allowed : {10, 11, 19, 20, 21}) {
    slowness_ = {.clock = &clock_};
    Open(/*partitioned=*/true);
    slowness_.micros = 10;
    options_.deadline = clock_.In(allowed);
    GetResult result;
    const Status status = Get(400, &result);
    EXPECT_EQ(status.IsTimedOut(), allowed <= 10) << status.ToString();
    EXPECT_EQ(slowness_.reads, allowed <= 10 ? 1u : 2u);
    EXPECT_EQ(slowness_.timeouts.front(), static_cast<int64_t>(allowed));
    slowness_ = {.clock = &clock_};
  }
}

TEST_F(ReadDeadline, AFileMayKeepTheLimit) {
  Open();
  slowness_.micros = 50;
  slowness_.keeps_limit = true;
  options_.io_timeout = microseconds(49);
  GetResult result;
  EXPECT_TRUE(Get(1, &result).IsTimedOut());
  MultiGet(false);
  for (const Status& status : statuses_) EXPECT_TRUE(status.IsTimedOut());
  MultiGet(true);
  for (const Status& status : statuses_) EXPECT_TRUE(status.IsTimedOut());
  Iterator it = reader_->NewIterator(options_);
  it.SeekToFirst();
  EXPECT_TRUE(!it.Valid() && it.status().IsTimedOut());
  for (const int64_t timeout : slowness_.timeouts) EXPECT_EQ(timeout, 49);
  options_.io_timeout = microseconds(50);
  Require(Get(1, &result));
  it = reader_->NewIterator(options_);
  it.SeekToFirst();
  EXPECT_TRUE(it.Valid());
  // The shorter time counts.
  slowness_.timeouts.clear();
  options_.deadline = clock_.In(70);
  Require(Get(1, &result));  // 50 of 70 are gone now
  EXPECT_TRUE(Get(1, &result).IsTimedOut());
  EXPECT_EQ(slowness_.timeouts, (std::vector<int64_t>{50, 20}));
}

TEST_F(ReadDeadline, WithoutALimitTheFileIsReadAsEver) {
  Open();
  GetResult result;
  Require(Get(1, &result));
  MultiGet(false);
  MultiGet(true);
  EXPECT_TRUE(slowness_.timeouts.empty());
  EXPECT_TRUE(limiter_->requests.empty());
}

TEST_F(ReadDeadline, AMultiGetGivesUpTheRest) {
  for (const bool from_tables : {false, true}) {
    slowness_ = {.clock = &clock_};
    Open();
    slowness_.micros = 1;
    options_.deadline = {};
    MultiGet(from_tables);
    const uint64_t all_reads = slowness_.reads;
    bool was_cut = false;
    for (uint64_t allowed = 0; allowed <= all_reads + 1; ++allowed) {
      slowness_.reads = 0;
      options_.deadline = clock_.In(allowed);
      MultiGet(from_tables);
      // One read may begin a moment before the deadline.
      EXPECT_LE(slowness_.reads, allowed + 32);
      size_t found = 0;
      for (size_t i = 0; i < statuses_.size(); ++i) {
        if (statuses_[i].ok()) {
          ++found;
          EXPECT_EQ(results_[i].value.ToString(),
                    "value" + std::to_string(3 * i));
          continue;
        }
        EXPECT_TRUE(statuses_[i].IsTimedOut()) << statuses_[i].ToString();
        EXPECT_EQ(results_[i].state, State::kNotFound);
      }
      if (allowed == 0) {
        EXPECT_EQ(found, 0u);
      }
      was_cut |= found != 0 && found != statuses_.size();
      if (allowed > all_reads) {
        EXPECT_EQ(found, statuses_.size());
      }
      // The last keys are given up first.
      if (found != statuses_.size()) {
        EXPECT_FALSE(statuses_.back().ok());
      }
    }
    EXPECT_TRUE(was_cut);
  }
}

// Keys whose blocks are all in memory are TimedOut too, once the deadline has
// passed before their chunk: as RocksDB does.
TEST_F(ReadDeadline, AMultiGetAsksBeforeEachChunk) {
  Open(false, /*cache=*/true);
  MultiGet(false);
  options_.deadline = clock_.In(0);
  for (const bool from_tables : {false, true}) {
    MultiGet(from_tables);
    for (const Status& status : statuses_) EXPECT_TRUE(status.IsTimedOut());
  }
}

TEST_F(ReadDeadline, TheLimiterIsAskedForEachRead) {
  Open(/*partitioned=*/true);
  options_.rate_limiter_priority = IoPriority::kHigh;
  GetResult result;
  Require(Get(300, &result));
  ASSERT_EQ(limiter_->requests.size(), 2u);
  EXPECT_EQ(limiter_->requests.size(), slowness_.reads);
  for (const auto& [bytes, priority] : limiter_->requests) {
    EXPECT_GT(bytes, 100u);
    EXPECT_LT(bytes, 500u);
    EXPECT_EQ(priority, IoPriority::kHigh);
  }
  // A batch asks once for all that it reads of a file.
  options_.rate_limiter_priority = IoPriority::kLow;
  for (const bool from_tables : {false, true}) {
    limiter_->requests.clear();
    MultiGet(from_tables);
    for (const Status& status : statuses_) Require(status);
    uint64_t bytes = 0;
    for (const auto& request : limiter_->requests) bytes += request.first;
    EXPECT_GT(bytes, 6000u);
    EXPECT_LT(limiter_->requests.size(), 60u);
  }
  limiter_->requests.clear();
  Iterator it = reader_->NewIterator(options_);
  for (it.SeekToFirst(); it.Valid(); it.Next()) {
  }
  Require(it.status());
  uint64_t bytes = 0;
  for (const auto& request : limiter_->requests) bytes += request.first;
  EXPECT_GE(bytes, reader_->properties().data_size);
  limiter_->requests.clear();
  Require(reader_->VerifyChecksum(options_));
  EXPECT_FALSE(limiter_->requests.empty());
}

// The reads of embedded blobs are reads of the file like all others.
TEST_F(ReadDeadline, ReadsOfBlobsAskToo) {
  TableOptions with_blobs;
  with_blobs.format_version = 7;
  with_blobs.embedded_blob_options = {.enable = true, .min_blob_size = 1};
  OpenWith(with_blobs, false, false);
  options_.rate_limiter_priority = IoPriority::kHigh;
  // By the clock of the reader there is time left.
  options_.deadline = clock_.In(1'000'000);
  const auto asked = [&] {
    uint64_t bytes = 0;
    for (const auto& request : limiter_->requests) bytes += request.first;
    return bytes;
  };
  const uint64_t data = reader_->properties().data_size;
  ASSERT_GT(data, kEntries * 10);
  uint64_t entries = 0;
  Iterator it = reader_->NewIterator(options_);
  for (it.SeekToFirst(); it.Valid(); it.Next()) ++entries;
  Require(it.status());
  EXPECT_EQ(entries, kEntries);
  EXPECT_GE(asked(), data);
  limiter_->requests.clear();
  Require(reader_->CheckEntries(options_, nullptr, {}, &entries));
  EXPECT_EQ(entries, kEntries);
  EXPECT_GE(asked(), data);
  // A limit of time ends a walk at a blob.
  it = reader_->NewIterator(options_);
  it.SeekToFirst();
  clock_.Advance(2'000'000);
  while (it.Valid()) it.Next();
  EXPECT_TRUE(it.status().IsTimedOut()) << it.status().ToString();
}

TEST_F(ReadDeadline, WaitsForTheLimiterCount) {
  Open();
  limiter_->micros = 30;
  options_.rate_limiter_priority = IoPriority::kUser;
  options_.deadline = clock_.In(30);
  GetResult result;
  EXPECT_TRUE(Get(1, &result).IsTimedOut());
  EXPECT_EQ(slowness_.reads, 0u);
  options_.deadline = clock_.In(31);
  Require(Get(1, &result));
  EXPECT_EQ(slowness_.timeouts, std::vector<int64_t>{1});
  // After the deadline the limiter is not asked.
  limiter_->requests.clear();
  options_.deadline = clock_.In(0);
  EXPECT_TRUE(Get(1, &result).IsTimedOut());
  EXPECT_TRUE(limiter_->requests.empty());
}

// Reads that fail or are short give what they give without limits.
TEST_F(ReadDeadline, FaultsOfTheFileComeThrough) {
  using Kind = FaultPlan::Kind;
  for (const Kind kind : {Kind::kError, Kind::kNothing, Kind::kOneByte}) {
    for (const bool from_tables : {false, true}) {
      plan_ = {};
      Open(/*partitioned=*/true);
      options_.io_timeout = microseconds(1000);
      options_.deadline = clock_.In(1'000'000);
      options_.rate_limiter_priority = IoPriority::kMid;
      limiter_->requests.clear();
      const uint64_t before = plan_.operations;
      MultiGet(from_tables);
      const uint64_t operations = plan_.operations - before;
      slowness_.timeouts.clear();
      limiter_->requests.clear();
      for (uint64_t i = 1; i <= operations; ++i) {
        plan_ = {};
        Open(/*partitioned=*/true);
        plan_.fail_at = plan_.operations + i;
        plan_.persistent = true;
        plan_.kind = kind;
        MultiGet(from_tables);
        size_t failed = 0;
        for (size_t k = 0; k < statuses_.size(); ++k) {
          if (statuses_[k].ok()) {
            EXPECT_EQ(results_[k].state, State::kFound);
            continue;
          }
          ++failed;
          EXPECT_EQ(statuses_[k].IsIOError(), kind == Kind::kError)
              << statuses_[k].ToString();
          EXPECT_EQ(statuses_[k].IsCorruption(), kind != Kind::kError);
        }
        EXPECT_GT(failed, 0u);
        slowness_.timeouts.clear();
        limiter_->requests.clear();
      }
      plan_ = {};
    }
  }
}

}  // namespace
}  // namespace ashlar::testing
