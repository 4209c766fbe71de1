// Tests MultiGet. It gives the answers of Get for any table, batch and cache.
// Values share the pin of their block, and faults affect only the keys of the
// block.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "ashlar/cache/cache_options.h"
#include "ashlar/table/statistics.h"
#include "ashlar/table/table_builder.h"
#include "ashlar/table/table_reader.h"
#include "test/support/faulty_file.h"
#include "test/support/random_table.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

std::shared_ptr<Cache> ClockOf(size_t capacity) {
  HyperClockCacheOptions options;
  options.capacity = capacity;
  options.estimated_entry_charge = 512;
  return std::move(NewHyperClockCache(options)).value();
}

std::string KeyNumber(int i) {
  char key[16];
  std::snprintf(key, sizeof key, "key%05d", i);
  return key;
}

// A block has about five entries.
std::string SomeTable(int entries, std::string_view seed = "test") {
  TableOptions options;
  options.block_size = 700;
  options.filter = FilterType::kBloom;
  std::vector<Entry> all;
  all.reserve(static_cast<size_t>(entries));
  for (int i = 0; i < entries; ++i) {
    all.push_back(Value(KeyNumber(i), 1,
                        "value " + KeyNumber(i) + std::string(120, 'v')));
  }
  return BuildTable(options, all, FixedBuild(seed));
}

struct Batch {
  explicit Batch(std::vector<std::string> keys_in)
      : keys(std::move(keys_in)), results(keys.size()), statuses(keys.size()) {
    for (const std::string& key : keys) slices.emplace_back(key);
  }
  void Run(const TableReader& reader, const ReadOptions& options = {}) {
    reader.MultiGet(options, slices, kMaxSequenceNumber, results, statuses);
  }

  std::vector<std::string> keys;
  std::vector<Slice> slices;
  std::vector<GetResult> results;
  std::vector<Status> statuses;
};

TEST(MultiGet, AnyNumberInAnyOrderWithRepeats) {
  const auto reader =
      OpenTable(SomeTable(500), {.block_cache = ClockOf(1 << 20)});
  for (const int n : {0, 1, 2, 31, 32, 33, 64, 65, 200}) {
    std::vector<std::string> keys;
    keys.reserve(static_cast<size_t>(n));
    for (int i = 0; i < n; ++i) keys.push_back(KeyNumber(i * 37 % 600));
    Batch batch(keys);
    for (int round = 0; round < 2; ++round) {
      batch.Run(*reader);
      for (int i = 0; i < n; ++i) {
        const auto at = static_cast<size_t>(i);
        ASSERT_TRUE(batch.statuses[at].ok());
        const bool there = i * 37 % 600 < 500;
        ASSERT_EQ(batch.results[at].state == GetResult::State::kFound, there);
        if (there) {
          EXPECT_EQ(batch.results[at].value.ToString(),
                    "value " + keys[at] + std::string(120, 'v'));
        }
      }
    }
  }
}

// The last value of a block releases the block, in any order of release.
TEST(MultiGet, ValuesShareTheirBlock) {
  ForEachSeed(1, 100, [](uint64_t seed) {
    Random random(seed);
    const std::shared_ptr<Cache> cache = ClockOf(1 << 20);
    auto reader = OpenTable(SomeTable(200), {.block_cache = cache});
    std::vector<std::string> keys;
    const int first = static_cast<int>(random.Below(150));
    keys.reserve(40);
    for (int i = 0; i < 40; ++i) {
      keys.push_back(KeyNumber(first + static_cast<int>(random.Below(12))));
    }
    Batch batch(keys);
    batch.Run(*reader);
    reader.reset();  // the values outlive it
    std::vector<size_t> order(keys.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    for (size_t i = order.size() - 1; i > 0; --i) {
      std::swap(order[i], order[random.Below(i + 1)]);
    }
    for (const size_t i : order) {
      EXPECT_GT(cache->GetPinnedUsage(), 0u);
      EXPECT_EQ(batch.results[i].value.ToString(),
                "value " + keys[i] + std::string(120, 'v'));
      if (random.OneIn(2)) {
        batch.results[i].value.Reset();
      } else {
        PinnableSlice moved = std::move(batch.results[i].value);
      }
    }
    EXPECT_EQ(cache->GetPinnedUsage(), 0u);
  });
}

// Values keep their block alive after the cache has evicted it.
TEST(MultiGet, ValuesOutliveCacheEntriesAndReader) {
  const std::shared_ptr<Cache> cache = ClockOf(1);
  auto reader = OpenTable(SomeTable(200), {.block_cache = cache});
  std::vector<std::string> keys;
  keys.reserve(64);
  for (int i = 0; i < 64; ++i) keys.push_back(KeyNumber(i * 3));
  Batch cached(keys);
  cached.Run(*reader);
  auto bare = OpenTable(SomeTable(200));
  Batch uncached(keys);
  uncached.Run(*bare);
  reader.reset();
  bare.reset();
  cache->EraseUnRefEntries();
  for (Batch* batch : {&cached, &uncached}) {
    for (size_t i = 0; i < keys.size(); ++i) {
      EXPECT_EQ(batch->results[i].value.ToString(),
                "value " + keys[i] + std::string(120, 'v'));
    }
  }
}

// Each block is read once, and neighbouring blocks are read together.
TEST(MultiGet, ReadsWhatIsMissingTogether) {
  FaultPlan plan;
  auto opened =
      TableReader::Open(NewFaultyFile("f.sst", SomeTable(1000), &plan),
                        {.load_index_and_filter = LoadTime::kAtOpen});
  Require(opened.status());
  std::vector<std::string> run;
  run.reserve(32);
  for (int i = 100; i < 132; ++i) run.push_back(KeyNumber(i));
  plan.operations = 0;
  Batch neighbours(run);
  neighbours.Run(**opened);
  EXPECT_EQ(plan.operations, 1u);
  std::vector<std::string> two;
  two.reserve(16);
  for (int i = 0; i < 8; ++i) {
    two.push_back(KeyNumber(500));
    two.push_back(KeyNumber(100));
  }
  plan.operations = 0;
  Batch apart(two);
  apart.Run(**opened);
  EXPECT_EQ(plan.operations, 2u);
  for (const GetResult& result : apart.results) {
    EXPECT_EQ(result.state, GetResult::State::kFound);
  }
}

// With a cache, only blocks that are not in it are read.
TEST(MultiGet, ReadsOnlyWhatIsMissing) {
  FaultPlan plan;
  auto opened =
      TableReader::Open(NewFaultyFile("f.sst", SomeTable(1000), &plan),
                        ReaderOptions{.block_cache = ClockOf(1 << 20)});
  Require(opened.status());
  std::vector<std::string> keys;
  keys.reserve(20);
  for (int i = 0; i < 20; ++i) keys.push_back(KeyNumber(i * 50));
  Batch batch(keys);
  GetResult result;
  Require((*opened)->Get(keys[3], &result));
  plan.operations = 0;
  batch.Run(**opened, {.fill_cache = false});
  EXPECT_EQ(plan.operations, 19u);
  plan.operations = 0;
  batch.Run(**opened);
  EXPECT_EQ(plan.operations, 19u);
  plan.operations = 0;
  batch.Run(**opened);
  EXPECT_EQ(plan.operations, 0u);
}

// Each read fails in turn, in each way. The keys of the affected blocks get the
// error, and all other keys get their values.
TEST(MultiGet, FaultsStayWithTheirKeys) {
  using Kind = FaultPlan::Kind;
  const std::string table = SomeTable(1000);
  std::vector<std::string> keys;
  keys.reserve(40);
  for (int i = 0; i < 40; ++i) keys.push_back(KeyNumber(i * 41 % 1000));
  for (const bool cached : {false, true}) {
    for (const Kind kind :
         {Kind::kError, Kind::kNothing, Kind::kOneByte, Kind::kOneShort}) {
      uint64_t total = 1000;
      size_t failures = 0;
      for (uint64_t n = 1; n <= total; ++n) {
        FaultPlan plan;
        ReaderOptions options;
        options.load_index_and_filter = LoadTime::kAtOpen;
        if (cached) options.block_cache = ClockOf(1 << 20);
        auto opened =
            TableReader::Open(NewFaultyFile("f.sst", table, &plan), options);
        Require(opened.status());
        plan = {.fail_at = n, .kind = kind};
        Batch batch(keys);
        batch.Run(**opened);
        if (plan.faults == 0) {
          total = plan.operations;
          break;
        }
        size_t failed = 0;
        for (size_t i = 0; i < keys.size(); ++i) {
          if (batch.statuses[i].ok()) {
            ASSERT_EQ(batch.results[i].value.ToString(),
                      "value " + keys[i] + std::string(120, 'v'));
            continue;
          }
          ++failed;
          EXPECT_EQ(batch.results[i].state, GetResult::State::kNotFound);
          if (kind == Kind::kError) {
            EXPECT_EQ(batch.statuses[i].message(), "read f.sst: injected");
          } else {
            EXPECT_TRUE(batch.statuses[i].IsCorruption());
            EXPECT_TRUE(batch.statuses[i].message().starts_with("f.sst: "));
          }
        }
        // If a read of several blocks fails, they are read again one by one.
        EXPECT_LE(failed, 1u);
        failures += failed;
        // The same batch again, without a fault.
        batch.Run(**opened);
        for (const Status& status : batch.statuses) EXPECT_TRUE(status.ok());
      }
      EXPECT_GT(total, 10u);
      EXPECT_GT(failures, 10u);
    }
  }
}

// If a part of a read is unreadable, the blocks beside it in the file are still
// read.
TEST(MultiGet, ABadSectorFailsOnlyItsBlock) {
  class BadSector final : public RandomAccessFile {
   public:
    BadSector(std::unique_ptr<RandomAccessFile> file, const uint64_t* at)
        : file_(std::move(file)), at_(at) {}
    Status Read(uint64_t offset, size_t n, char* scratch,
                Slice* data) const override {
      if (offset <= *at_ && *at_ < offset + n) {
        return Status::IOError("bad");
      }
      return file_->Read(offset, n, scratch, data);
    }
    uint64_t Size() const override { return file_->Size(); }
    std::string name() const override { return file_->name(); }

   private:
    std::unique_ptr<RandomAccessFile> file_;
    const uint64_t* const at_;
  };
  const std::string table = SomeTable(1000);
  uint64_t bad = table.size();
  auto opened = TableReader::Open(
      std::make_unique<BadSector>(NewMemoryFile("f.sst", table), &bad),
      ReaderOptions());
  Require(opened.status());
  bad = (*opened)->ApproximateOffsetOf(KeyNumber(500)) + 20;
  std::vector<std::string> keys;
  keys.reserve(32);
  for (int i = 484; i < 516; ++i) keys.push_back(KeyNumber(i));
  Batch batch(keys);
  batch.Run(**opened);
  size_t failed = 0;
  for (size_t i = 0; i < keys.size(); ++i) {
    GetResult alone;
    EXPECT_EQ(batch.statuses[i].ok(), (*opened)->Get(keys[i], &alone).ok());
    failed += batch.statuses[i].ok() ? 0 : 1;
  }
  EXPECT_GE(failed, 1u);
  EXPECT_LE(failed, 6u);
}

// Two readers of one file share a cache. The comparator of one has the name of
// a built-in one, but is another object. That reader must not use entry words
// that the other one made.
TEST(MultiGet, WordsOfAnotherComparatorAreNotUsed) {
  class Namesake final : public Comparator {
   public:
    std::string_view Name() const override {
      return ReverseBytewiseComparator()->Name();
    }
    int Compare(const Slice& a, const Slice& b) const override {
      return ReverseBytewiseComparator()->Compare(a, b);
    }
  };
  TableOptions options;
  options.comparator = ReverseBytewiseComparator();
  std::vector<Entry> entries;
  for (int i = 99; i >= 0; --i) {
    entries.push_back(Value(KeyNumber(i), 1, std::string(120, 'v')));
  }
  const std::string table = BuildTable(options, entries, FixedBuild());
  const std::shared_ptr<Cache> cache = ClockOf(1 << 20);
  const Namesake namesake;
  const auto first = OpenTable(table, {.block_cache = cache});
  const auto second =
      OpenTable(table, {.comparator = &namesake, .block_cache = cache});
  for (int i = 0; i < 100; ++i) {
    for (const auto* reader : {first.get(), second.get()}) {
      GetResult result;
      ASSERT_TRUE(reader->Get(KeyNumber(i), &result).ok());
      EXPECT_EQ(result.state, GetResult::State::kFound) << KeyNumber(i);
    }
  }
}

TEST(MultiGet, ADamagedBlockFailsOnlyItsKeys) {
  std::string table = SomeTable(1000);
  const auto before = OpenTable(table);
  const uint64_t offset = before->ApproximateOffsetOf(KeyNumber(500));
  table[offset + 20] = static_cast<char>(table[offset + 20] ^ 1);
  const auto reader = OpenTable(table, {.block_cache = ClockOf(1 << 20)});
  std::vector<std::string> keys;
  keys.reserve(100);
  for (int i = 0; i < 100; ++i) keys.push_back(KeyNumber(i * 10));
  Batch batch(keys);
  batch.Run(*reader);
  for (size_t i = 0; i < keys.size(); ++i) {
    EXPECT_EQ(batch.statuses[i].ok(), keys[i] != KeyNumber(500)) << keys[i];
    EXPECT_EQ(batch.results[i].state == GetResult::State::kFound,
              keys[i] != KeyNumber(500));
  }
}

TEST(MultiGet, OperandsGoToTheirKey) {
  std::vector<Entry> entries;
  for (int i = 0; i < 50; ++i) {
    for (SequenceNumber s = 9; s > 6; --s) {
      entries.push_back(
          Operand(KeyNumber(i), s, KeyNumber(i) + std::to_string(s)));
    }
    if (i % 2 == 0) entries.push_back(Value(KeyNumber(i), 3, "base"));
  }
  TableOptions options;
  options.block_size = 40;  // operands continue in later blocks
  const auto reader = OpenTable(BuildTable(options, entries));
  std::vector<std::string> keys;
  keys.reserve(50);
  for (int i = 0; i < 50; ++i) keys.push_back(KeyNumber(49 - i));
  Batch batch(keys);
  std::vector<std::vector<std::string>> operands(keys.size());
  reader->MultiGet(
      {}, batch.slices, 8, batch.results, batch.statuses,
      [&](size_t key, const Slice& operand, SequenceNumber sequence) {
        EXPECT_LE(sequence, 8u);
        operands[key].push_back(operand.ToString());
        return keys[key] != KeyNumber(7);
      });
  for (size_t i = 0; i < keys.size(); ++i) {
    std::vector<std::string> expected = {keys[i] + "8", keys[i] + "7"};
    if (keys[i] == KeyNumber(7)) expected.pop_back();
    EXPECT_EQ(operands[i], expected);
    const bool has_base = (49 - i) % 2 == 0;
    EXPECT_EQ(batch.results[i].state,
              has_base ? GetResult::State::kFound : GetResult::State::kMerged);
  }
  // Without a callback each key gets an error.
  batch.Run(*reader);
  for (const Status& status : batch.statuses) {
    EXPECT_TRUE(status.IsMergeInProgress());
  }
}

// A file that records the number of its reads and the size of the largest.
class MeasuredFile final : public RandomAccessFile {
 public:
  struct Reads {
    size_t count = 0;
    size_t largest = 0;
  };
  MeasuredFile(std::unique_ptr<RandomAccessFile> file, Reads* reads)
      : file_(std::move(file)), reads_(reads) {}
  Status Read(uint64_t offset, size_t n, char* scratch,
              Slice* data) const override {
    ++reads_->count;
    reads_->largest = std::max(reads_->largest, n);
    return file_->Read(offset, n, scratch, data);
  }
  uint64_t Size() const override { return file_->Size(); }
  std::string name() const override { return file_->name(); }

 private:
  const std::unique_ptr<RandomAccessFile> file_;
  Reads* const reads_;
};

// Eight blocks of 8 MiB and a key have more than 64 MiB, stored or
// decompressed. The remaining blocks are read one by one.
TEST(MultiGet, LargeBlocksAreNotHeldTogether) {
  constexpr int kBlocks = 13;
  constexpr size_t kValue = size_t{8} << 20;
  std::vector<Entry> entries;
  entries.reserve(kBlocks);
  for (int i = 0; i < kBlocks; ++i) {
    entries.push_back(Value(KeyNumber(i), 1,
                            std::string(kValue, static_cast<char>('a' + i))));
  }
  for (const CompressionType type :
       {CompressionType::kNoCompression, CompressionType::kZSTD}) {
    TableOptions table;
    table.compression = type;
    const std::string bytes = BuildTable(table, entries);
    for (const size_t capacity :
         {size_t{0}, size_t{1} << 20, size_t{1} << 30}) {
      MeasuredFile::Reads reads;
      ReaderOptions options;
      options.load_index_and_filter = LoadTime::kAtOpen;
      if (capacity != 0) options.block_cache = ClockOf(capacity);
      options.statistics = std::make_shared<Statistics>();
      auto opened = TableReader::Open(
          std::make_unique<MeasuredFile>(NewMemoryFile("f.sst", bytes), &reads),
          options);
      Require(opened.status());
      std::vector<std::string> keys;
      keys.reserve(2 * kBlocks);
      // The batch has present and absent keys. A value keeps its block, and
      // some pairs of keys share a block.
      for (int i = kBlocks; i-- > 0;) keys.push_back(KeyNumber(i));
      for (int i = 1; i < kBlocks; i += 2)
        keys.push_back(KeyNumber(i - 1) + "x");
      reads = {};
      Batch batch(keys);
      batch.Run(**opened);
      for (size_t i = 0; i < keys.size(); ++i) {
        ASSERT_TRUE(batch.statuses[i].ok()) << batch.statuses[i].ToString();
        const bool present = i < kBlocks;
        ASSERT_EQ(batch.results[i].state == GetResult::State::kFound, present);
        if (!present) continue;
        const Slice value = batch.results[i].value.slice();
        ASSERT_EQ(value.size(), kValue);
        ASSERT_EQ(value[kValue - 1], static_cast<char>('a' + kBlocks - 1 - i));
      }
      EXPECT_EQ(reads.count, 1U + (kBlocks - 8));
      EXPECT_LT(reads.largest, size_t{80} << 20);
      // The statistics count one lookup per block.
      EXPECT_EQ(options.statistics->GetTickerCount(Ticker::kBlockCacheDataMiss),
                capacity != 0 ? kBlocks : 0u);
      EXPECT_EQ(options.statistics->GetTickerCount(Ticker::kBlockCacheDataHit),
                0u);
    }
  }
}

// Keys are stored without timestamps and share 40 KiB. When the timestamps are
// restored, a block of 69 KB grows to nearly 4 MiB, since every sixteenth key
// is then stored whole.
std::string TableThatGrows(int keys, const std::string& stem) {
  TableOptions options;
  options.comparator = BytewiseComparatorWithU64Ts();
  options.persist_user_defined_timestamps = false;
  options.compression = CompressionType::kNoCompression;
  options.block_restart_interval = 1 << 20;
  options.block_size = size_t{69} << 10;
  std::string bytes;
  const auto file = NewMemoryWritableFile("f.sst", &bytes);
  auto builder = TableBuilder::Create(options, FixedBuild(), file.get());
  Require(builder.status());
  const std::string timestamp(sizeof(uint64_t), '\0');
  for (int i = 0; i < keys; ++i) {
    std::string user_key = stem;
    user_key += KeyNumber(i);
    user_key += timestamp;
    Require((*builder)->Add(MakeInternalKey(user_key, 1, ValueType::kTypeValue),
                            "v"));
  }
  Require((*builder)->Finish());
  return bytes;
}

TEST(MultiGet, BlocksThatGrowAreNotHeldTogether) {
  constexpr int kKeys = 30000;
  const std::string stem(size_t{40} << 10, 'k');
  MeasuredFile::Reads reads;
  auto opened = TableReader::Open(std::make_unique<MeasuredFile>(
      NewMemoryFile("f.sst", TableThatGrows(kKeys, stem)), &reads));
  Require(opened.status());
  const auto blocks = static_cast<int>((*opened)->properties().num_data_blocks);
  ASSERT_GT(blocks, 18);
  ASSERT_LE(blocks, 32);
  std::vector<std::string> keys;
  keys.reserve(32);
  for (int i = 0; i < 32; ++i) keys.push_back(stem + KeyNumber(i * kKeys / 32));
  reads = {};
  Batch batch(keys);
  batch.Run(**opened);
  for (size_t i = 0; i < keys.size(); ++i) {
    ASSERT_TRUE(batch.statuses[i].ok()) << batch.statuses[i].ToString();
    ASSERT_EQ(batch.results[i].state, GetResult::State::kFound) << i;
  }
  // All blocks are read together, and those beyond 64 MiB are read again.
  EXPECT_GT(reads.count, 2U);
  EXPECT_LT(reads.count, 10U);
}

TEST(MultiGet, WrongOptionsFailEveryKey) {
  const auto reader = OpenTable(SomeTable(10));
  Batch batch({KeyNumber(1), KeyNumber(2)});
  batch.Run(*reader, {.timestamp = "12345678"});
  for (const Status& status : batch.statuses) {
    EXPECT_TRUE(status.IsInvalidArgument()) << status.ToString();
  }
}

}  // namespace
}  // namespace ashlar::testing
