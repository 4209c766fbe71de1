// Tests when blocks other than data blocks go into the block cache: the
// dictionary of the compression, reads that may not fill the cache, and caches
// without room.

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "ashlar/cache/cache_options.h"
#include "ashlar/table/perf_context.h"
#include "ashlar/table/statistics.h"
#include "ashlar/table/table_reader.h"
#include "test/support/random.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

constexpr int kEntries = 3000;

std::shared_ptr<Cache> LruOf(size_t capacity, bool strict = false) {
  LruCacheOptions options;
  options.capacity = capacity;
  options.num_shard_bits = 0;
  options.strict_capacity_limit = strict;
  return std::move(NewLruCache(options)).value();
}

std::string KeyNumber(int number) {
  return "key" + std::to_string(100000 + number).substr(1);
}

// Values share their middle parts, so that a dictionary is of use.
std::string TableWithDictionary(CompressionType codec,
                                uint32_t max_dict_bytes = 4096) {
  TableOptions options;
  options.block_size = 512;
  options.compression = codec;
  options.filter = FilterType::kBloom;
  options.compression_opts.max_dict_bytes = max_dict_bytes;
  std::vector<Entry> entries = SomeEntries(kEntries);
  for (Entry& entry : entries) {
    entry.value += " is one of many that a dictionary has the most of " +
                   std::to_string(entry.value.size());
  }
  return BuildTable(options, entries, FixedBuild());
}

ReaderOptions InCache(std::shared_ptr<Cache> cache,
                      PinningTier tier = PinningTier::kNone) {
  ReaderOptions options;
  options.block_cache = std::move(cache);
  options.load_index_and_filter = LoadTime::kAtOpen;
  options.cache_index_and_filter_blocks = true;
  options.unpartitioned_pinning = tier;
  options.statistics = std::make_shared<Statistics>();
  return options;
}

std::string ValueOf(const TableReader& reader, int number,
                    const ReadOptions& read = {}) {
  GetResult result;
  const Status status =
      reader.Get(read, KeyNumber(number), kMaxSequenceNumber, &result);
  return status.ok() ? result.value.ToString() : status.ToString();
}

// What was counted of dictionaries: "hits misses additions".
std::string Dictionaries(const ReaderOptions& options) {
  const Statistics& s = *options.statistics;
  return std::to_string(
             s.GetTickerCount(Ticker::kBlockCacheCompressionDictHit)) +
         " " +
         std::to_string(
             s.GetTickerCount(Ticker::kBlockCacheCompressionDictMiss)) +
         " " +
         std::to_string(
             s.GetTickerCount(Ticker::kBlockCacheCompressionDictAdd));
}

TEST(CachedDictionary, IsFoundOrReadAgain) {
  for (const CompressionType codec :
       {CompressionType::kLZ4Compression, CompressionType::kZSTD}) {
    const std::string table = TableWithDictionary(codec);
    const auto plain = OpenTable(table);
    const std::string first = ValueOf(*plain, 5);
    const std::string last = ValueOf(*plain, kEntries - 5);
    ASSERT_NE(first.find("dictionary"), std::string::npos) << first;

    const auto cache = LruOf(size_t{4} << 20);
    const ReaderOptions options = InCache(cache);
    const auto reader = OpenTable(table, options);
    EXPECT_EQ(Dictionaries(options), "0 1 1");  // by opening
    EXPECT_GT(cache->CollectEntryStats().of(CacheEntryRole::kOtherBlock).charge,
              4000u);
    EXPECT_EQ(ValueOf(*reader, 5), first);
    EXPECT_EQ(Dictionaries(options), "1 1 1");
    EXPECT_EQ(ValueOf(*reader, 5), first);  // needs no dictionary
    EXPECT_EQ(Dictionaries(options), "1 1 1");
    cache->EraseUnRefEntries();
    EXPECT_EQ(cache->GetOccupancyCount(), 0u);
    EXPECT_EQ(ValueOf(*reader, kEntries - 5), last);
    EXPECT_EQ(Dictionaries(options), "1 2 2");
    std::vector<Entry> all;
    Require(ReadForward(*reader, {}, &all));
    EXPECT_EQ(all.size(), static_cast<size_t>(kEntries));
    EXPECT_GT(options.statistics->GetTickerCount(Ticker::kBlockCacheBytesRead),
              4000u);
    reader->EraseFromBlockCache();
    EXPECT_EQ(cache->GetOccupancyCount(), 0u);
  }
}

TEST(CachedDictionary, IsReadAtFirstUseOrHeld) {
  const std::string table =
      TableWithDictionary(CompressionType::kLZ4Compression);
  ReaderOptions options = InCache(LruOf(size_t{4} << 20));
  options.load_index_and_filter = LoadTime::kAtFirstUse;
  const auto late = OpenTable(table, options);
  EXPECT_EQ(Dictionaries(options), "0 0 0");
  EXPECT_NE(ValueOf(*late, 5).find("dictionary"), std::string::npos);
  EXPECT_EQ(Dictionaries(options), "0 1 1");

  const auto cache = LruOf(size_t{4} << 20);
  options = InCache(cache, PinningTier::kAll);
  options.load_index_and_filter = LoadTime::kAtFirstUse;
  auto held = OpenTable(table, options);
  EXPECT_EQ(Dictionaries(options), "0 1 1");
  cache->EraseUnRefEntries();
  EXPECT_NE(ValueOf(*held, 5).find("dictionary"), std::string::npos);
  EXPECT_EQ(Dictionaries(options), "0 1 1");
  held.reset();
  EXPECT_EQ(cache->GetPinnedUsage(), 0u);
}

// A table whose tail is known needs no read of its own for the dictionary.
TEST(CachedDictionary, IsReadWithTheTail) {
  for (const PinningTier tier : {PinningTier::kNone, PinningTier::kAll}) {
    uint64_t without = 0;
    for (const uint32_t max_dict_bytes : {0U, 4096U}) {
      const std::string table =
          TableWithDictionary(CompressionType::kLZ4Compression, max_dict_bytes);
      ReaderOptions options = InCache(LruOf(size_t{4} << 20), tier);
      options.tail_size = table.size();
      const auto reader = OpenTable(table, options);
      const uint64_t reads =
          options.statistics->GetTickerCount(Ticker::kFileReadCount);
      EXPECT_EQ(Dictionaries(options), max_dict_bytes == 0 ? "0 0 0" : "0 1 1");
      if (max_dict_bytes == 0) without = reads;
      EXPECT_EQ(reads, without);
    }
  }
}

// A file in memory that changes while a reader has it open.
class ChangingFile final : public RandomAccessFile {
 public:
  explicit ChangingFile(const std::string* bytes) : bytes_(bytes) {}
  Status Read(uint64_t offset, size_t n, char* scratch,
              Slice* data) const override {
    if (offset > bytes_->size()) offset = bytes_->size();
    n = std::min<size_t>(n, bytes_->size() - offset);
    std::memcpy(scratch, bytes_->data() + offset, n);
    *data = Slice(scratch, n);
    return {};
  }
  uint64_t Size() const override { return bytes_->size(); }
  std::string name() const override { return "f.sst"; }

 private:
  const std::string* const bytes_;
};

TEST(CachedDictionary, DamageByThenIsToldAndPasses) {
  std::string bytes = TableWithDictionary(CompressionType::kLZ4Compression);
  const std::string sound = bytes;
  const size_t sample = bytes.find("that a dictionary has", bytes.size() / 2);
  ASSERT_NE(sample, std::string::npos);
  const auto cache = LruOf(size_t{4} << 20);
  auto opened =
      TableReader::Open(std::make_unique<ChangingFile>(&bytes), InCache(cache));
  Require(opened.status());
  cache->EraseUnRefEntries();
  bytes[sample] ^= 1;
  const std::string got = ValueOf(**opened, 5);
  EXPECT_NE(got.find("f.sst: block checksum mismatch in dictionary block"),
            std::string::npos)
      << got;
  bytes = sound;
  EXPECT_NE(ValueOf(**opened, 5).find("dictionary"), std::string::npos);
}

// Whatever the read loads, the cache stays as it is.
TEST(CacheFilling, IsLeftToReadsThatMayFill) {
  for (const bool partitioned : {false, true}) {
    TableOptions table_options;
    table_options.block_size = 300;
    table_options.metadata_block_size = 500;
    table_options.filter = FilterType::kBloom;
    table_options.compression = CompressionType::kLZ4Compression;
    table_options.compression_opts.max_dict_bytes = 4096;
    if (partitioned) {
      table_options.index_type = IndexType::kTwoLevelIndexSearch;
      table_options.partition_filters = true;
    }
    const auto cache = LruOf(size_t{4} << 20);
    const ReaderOptions options = InCache(cache);
    const auto reader = OpenTable(
        BuildTable(table_options, SomeEntries(kEntries), FixedBuild()),
        options);
    // What is left is the top levels, which are held.
    cache->EraseUnRefEntries();
    const size_t before = cache->GetOccupancyCount();
    ReadOptions read;
    read.fill_cache = false;
    for (int i = 0; i < 20; ++i) {
      EXPECT_EQ(ValueOf(*reader, i * 100, read),
                "value" + std::to_string(i * 100));
    }
    Iterator it = reader->NewIterator(read);
    int entries = 0;
    for (it.SeekToFirst(); it.Valid(); it.Next()) ++entries;
    Require(it.status());
    EXPECT_EQ(entries, kEntries);
    EXPECT_EQ(cache->GetOccupancyCount(), before);
    EXPECT_EQ(ValueOf(*reader, 100), "value100");
    EXPECT_GT(cache->GetOccupancyCount(), before + 2);
    // What is there is found.
    const uint64_t misses =
        options.statistics->GetTickerCount(Ticker::kBlockCacheMiss);
    EXPECT_EQ(ValueOf(*reader, 100, read), "value100");
    EXPECT_EQ(options.statistics->GetTickerCount(Ticker::kBlockCacheMiss),
              misses);
  }
}

// A read gets an error in place of memory beyond the capacity, if the options
// say so.
TEST(CacheFilling, FailsWithoutRoomByOption) {
  const std::string table =
      BuildTable({.block_size = 512}, SomeEntries(kEntries), FixedBuild());
  for (const bool fails : {false, true}) {
    for (const bool index_in_cache : {false, true}) {
      const auto cache = LruOf(100, /*strict=*/true);
      ReaderOptions options;
      options.block_cache = cache;
      options.load_index_and_filter = LoadTime::kAtFirstUse;
      options.cache_index_and_filter_blocks = index_in_cache;
      options.fail_without_cache_room = fails;
      options.statistics = std::make_shared<Statistics>();
      const auto reader = OpenTable(table, options);
      GetResult result;
      const Status got = reader->Get(KeyNumber(5), &result);
      EXPECT_EQ(got.IsMemoryLimit(), fails) << got.ToString();
      const std::vector<std::string> keys = {KeyNumber(5), KeyNumber(2000)};
      const std::vector<Slice> slices(keys.begin(), keys.end());
      std::vector<GetResult> results(2);
      std::vector<Status> statuses(2);
      reader->MultiGet(slices, results, statuses);
      for (const Status& status : statuses) {
        EXPECT_EQ(status.IsMemoryLimit(), fails) << status.ToString();
      }
      Iterator it = reader->NewIterator();
      it.Seek(KeyNumber(5));
      EXPECT_EQ(it.Valid(), !fails);
      EXPECT_EQ(it.status().IsMemoryLimit(), fails) << it.status().ToString();
      EXPECT_GE(
          options.statistics->GetTickerCount(Ticker::kBlockCacheAddFailures),
          3u);
      EXPECT_EQ(cache->GetOccupancyCount(), 0u);
      // A read that fills nothing needs no room.
      ReadOptions read;
      read.fill_cache = false;
      EXPECT_EQ(ValueOf(*reader, 5, read), "value5");
      // Nor does one that finds room.
      cache->SetCapacity(size_t{1} << 20);
      EXPECT_EQ(ValueOf(*reader, 5), "value5");
    }
  }
}

}  // namespace
}  // namespace ashlar::testing
