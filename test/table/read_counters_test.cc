// Tests perf context and statistics. They record what the reads of this thread
// or of all threads did, and nothing where they are off.

#include <gtest/gtest.h>

#include <array>
#include <barrier>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "ashlar/cache/cache_options.h"
#include "ashlar/table/block_kind.h"
#include "ashlar/table/perf_context.h"
#include "ashlar/table/statistics.h"
#include "ashlar/table/table_reader.h"
#include "test/support/random.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

constexpr int kEntries = 2000;

std::shared_ptr<Cache> SomeCache() {
  LruCacheOptions options;
  options.capacity = size_t{16} << 20;
  return std::move(NewLruCache(options)).value();
}

std::string SomeTable(CompressionType codec) {
  TableOptions options;
  options.block_size = 512;
  options.compression = codec;
  options.filter = FilterType::kBloom;
  return BuildTable(options, SomeEntries(kEntries), FixedBuild());
}

std::string KeyNumber(uint64_t number) {
  return "key" + std::to_string(100000 + number).substr(1);
}

// While this object lives, the perf context of this thread counts, from 0.
class Counting {
 public:
  explicit Counting(PerfLevel level = PerfLevel::kEnableCount) {
    SetPerfLevel(level);
    GetPerfContext()->Reset();
  }
  ~Counting() { SetPerfLevel(PerfLevel::kDisable); }
};

TEST(PerfContext, LevelsOfAThread) {
  EXPECT_EQ(GetPerfLevel(), PerfLevel::kDisable);
  for (const PerfLevel level :
       {PerfLevel::kEnableCount, PerfLevel::kEnableTime, PerfLevel::kDisable}) {
    SetPerfLevel(level);
    EXPECT_EQ(GetPerfLevel(), level);
    std::thread([] { EXPECT_EQ(GetPerfLevel(), PerfLevel::kDisable); }).join();
  }
}

TEST(PerfContext, GetsOfOneBlock) {
  const auto reader = OpenTable(
      SomeTable(CompressionType::kNoCompression),
      {.load_index_and_filter = LoadTime::kAtOpen, .block_cache = SomeCache()});
  const PerfContext& context = *GetPerfContext();
  GetResult result;
  {
    const Counting counting;
    for (int i = 0; i < 3; ++i) Require(reader->Get(KeyNumber(7), &result));
    Require(reader->Get("absent", &result));
  }
  ASSERT_EQ(result.filter, GetResult::Filter::kAbsent);
  EXPECT_EQ(context.get_count, 4u);
  EXPECT_EQ(context.get_read_bytes, 3 * std::string("value7").size());
  EXPECT_EQ(context.bloom_sst_hit_count, 3u);
  EXPECT_EQ(context.bloom_sst_miss_count, 1u);
  EXPECT_EQ(context.block_cache_hit_count, 2u);
  EXPECT_EQ(context.block_cache_miss_count, 1u);
  EXPECT_EQ(context.block_read_count, 1u);
  EXPECT_GT(context.block_read_byte, 300u);
  EXPECT_LT(context.block_read_byte, 600u);
  EXPECT_EQ(context.block_read_time + context.filter_nanos, 0u);
  EXPECT_TRUE(context.ToString(true).starts_with(
      "get_count = 4, get_read_bytes = 18, bloom_sst_hit_count = 3"))
      << context.ToString(true);
  // Counting is off again, and the context keeps its values.
  Require(reader->Get(KeyNumber(7), &result));
  EXPECT_EQ(context.get_count, 4u);
}

// The bytes of a cold table by the kind of block.
TEST(PerfContext, BytesByKind) {
  TableOptions table;
  table.block_size = 512;
  table.filter = FilterType::kBloom;
  table.index_type = IndexType::kTwoLevelIndexSearch;
  table.compression = CompressionType::kLZ4Compression;
  table.compression_opts.max_dict_bytes = 4096;
  const std::string bytes =
      BuildTable(table, SomeEntries(kEntries), FixedBuild());
  const Counting counting;
  const PerfContext& context = *GetPerfContext();
  const auto reader =
      OpenTable(bytes, {.load_index_and_filter = LoadTime::kAtFirstUse,
                        .cache_index_and_filter_blocks = true,
                        .block_cache = SomeCache()});
  EXPECT_GT(context.metadata_block_read_byte, 0u);
  EXPECT_EQ(context.metadata_block_read_byte, context.block_read_byte);
  GetResult result;
  Require(reader->Get(KeyNumber(7), &result));
  const TableProperties& properties = reader->properties();
  EXPECT_EQ(context.filter_block_read_byte,
            properties.filter_size + kBlockTrailerBytes);
  EXPECT_GT(context.index_block_read_byte, 0u);
  EXPECT_LT(context.index_block_read_byte, properties.index_size);
  EXPECT_GT(context.compression_dict_block_read_byte, 4000u);
  EXPECT_GT(context.data_block_read_byte, 0u);
  EXPECT_EQ(context.data_block_read_byte + context.index_block_read_byte +
                context.filter_block_read_byte +
                context.compression_dict_block_read_byte +
                context.metadata_block_read_byte,
            context.block_read_byte);
  GetPerfContext()->Reset();
  Require(reader->Get(KeyNumber(7), &result));
  EXPECT_EQ(context.block_read_byte, 0u);
  EXPECT_EQ(context.block_cache_hit_count, 3u);
  EXPECT_GT(context.block_cache_index_read_byte, 0u);
  EXPECT_GT(context.block_cache_filter_read_byte, 0u);
  EXPECT_GT(context.block_cache_read_byte,
            context.block_cache_index_read_byte +
                context.block_cache_filter_read_byte);
  Require(reader->Get(KeyNumber(1900), &result));
  EXPECT_GT(context.block_cache_compression_dict_read_byte, 4000u);
}

TEST(PerfContext, TimesOfStages) {
  const auto reader = OpenTable(
      SomeTable(CompressionType::kSnappyCompression),
      {.load_index_and_filter = LoadTime::kAtOpen, .block_cache = SomeCache()});
  const Counting counting(PerfLevel::kEnableTime);
  GetResult result;
  for (uint64_t i = 0; i < 500; ++i) {
    Require(reader->Get(KeyNumber(i), &result));
  }
  std::set<std::string> none;
  GetPerfContext()->ForEach([&](std::string_view name, uint64_t value) {
    const bool is_time = name.ends_with("_time") || name.ends_with("_nanos");
    if (is_time && value == 0) none.emplace(name);
  });
  EXPECT_EQ(none, std::set<std::string>());
  const PerfContext& context = *GetPerfContext();
  EXPECT_GE(context.block_load_nanos, context.block_read_time +
                                          context.block_checksum_time +
                                          context.block_decompress_time);
}

// Counts every seek, and the blocks of a walk.
TEST(PerfContext, Walks) {
  const auto reader = OpenTable(
      SomeTable(CompressionType::kNoCompression),
      {.load_index_and_filter = LoadTime::kAtOpen, .block_cache = SomeCache()});
  const Counting counting;
  const PerfContext& context = *GetPerfContext();
  std::vector<Entry> found;
  Require(ReadForward(*reader, {}, &found));
  const uint64_t blocks = reader->properties().num_data_blocks;
  EXPECT_EQ(context.iter_seek_count, 1u);
  EXPECT_EQ(context.block_read_count, blocks);
  EXPECT_EQ(context.block_cache_hit_count, 0u);
  Require(ReadForward(*reader, {}, &found));
  EXPECT_EQ(context.block_read_count, blocks);
  EXPECT_EQ(context.block_cache_hit_count, blocks);
  Iterator it = reader->NewIterator();
  it.SeekToLast();
  it.Seek(KeyNumber(5));
  it.SeekForPrev(KeyNumber(5));
  EXPECT_EQ(context.iter_seek_count, 5u);
}

uint64_t Of(const Statistics& statistics, Ticker ticker) {
  return statistics.GetTickerCount(ticker);
}

// Sums up the results of reads.
struct Expected {
  uint64_t keys = 0, found = 0, bytes = 0, ruled_out = 0, let_pass = 0,
           there = 0;
  void Add(const GetResult& result) {
    const bool is_found = result.state == GetResult::State::kFound;
    ++keys;
    found += is_found ? 1 : 0;
    bytes += result.value.size();
    ruled_out += result.filter == GetResult::Filter::kAbsent ? 1 : 0;
    const bool passed = result.filter == GetResult::Filter::kMaybe;
    let_pass += passed ? 1 : 0;
    there += passed && is_found ? 1 : 0;
  }
};

// Only data blocks were read and found, of some 500 bytes.
void CheckBytesOfBlocks(const Statistics& s) {
  const PerfContext& context = *GetPerfContext();
  EXPECT_EQ(context.data_block_read_byte, context.block_read_byte);
  EXPECT_EQ(context.block_cache_read_byte, Of(s, Ticker::kBlockCacheBytesRead));
  EXPECT_GE(context.block_cache_read_byte, context.block_cache_hit_count * 100);
  EXPECT_LE(context.block_cache_read_byte,
            context.block_cache_hit_count * 2000);
}

TEST(Statistics, SayWhatReadsFound) {
  ForEachSeed(1, 20, [](uint64_t seed) {
    Random random(seed);
    const auto statistics = std::make_shared<Statistics>();
    ReaderOptions options;
    options.load_index_and_filter = LoadTime::kAtOpen;
    options.statistics = statistics;
    options.block_cache = AnyBlockCache(random.Next());
    const auto reader =
        OpenTable(SomeTable(CompressionType::kNoCompression), options);
    statistics->Reset();
    const Counting counting;
    Expected gets;
    Expected batches;
    uint64_t calls = 0;
    for (int i = 0; i < 100; ++i) {
      GetResult result;
      Require(reader->Get(KeyNumber(random.Below(kEntries * 2)), &result));
      gets.Add(result);
    }
    for (int i = 0; i < 10; ++i) {
      std::vector<std::string> keys;
      for (uint64_t n = random.Below(80); n > 0; --n) {
        keys.push_back(KeyNumber(random.Below(kEntries * 2)));
      }
      const std::vector<Slice> slices(keys.begin(), keys.end());
      std::vector<GetResult> results(keys.size());
      std::vector<Status> statuses(keys.size());
      reader->MultiGet(slices, results, statuses);
      for (const GetResult& result : results) batches.Add(result);
      ++calls;
    }
    const Statistics& s = *statistics;
    EXPECT_EQ(Of(s, Ticker::kNumberKeysRead), gets.keys);
    EXPECT_EQ(Of(s, Ticker::kBytesRead), gets.bytes);
    EXPECT_EQ(Of(s, Ticker::kNumberMultiGetCalls), calls);
    EXPECT_EQ(Of(s, Ticker::kNumberMultiGetKeysRead), batches.keys);
    EXPECT_EQ(Of(s, Ticker::kNumberMultiGetKeysFound), batches.found);
    EXPECT_EQ(Of(s, Ticker::kNumberMultiGetBytesRead), batches.bytes);
    EXPECT_EQ(Of(s, Ticker::kBloomFilterUseful),
              gets.ruled_out + batches.ruled_out);
    EXPECT_EQ(Of(s, Ticker::kBloomFilterFullPositive),
              gets.let_pass + batches.let_pass);
    EXPECT_EQ(Of(s, Ticker::kBloomFilterFullTruePositive),
              gets.there + batches.there);
    // Perf context and statistics count the same things.
    const PerfContext& context = *GetPerfContext();
    EXPECT_EQ(context.get_count, gets.keys);
    EXPECT_EQ(context.multiget_count, calls);
    EXPECT_EQ(context.multiget_key_count, batches.keys);
    EXPECT_EQ(context.multiget_read_bytes, batches.bytes);
    EXPECT_EQ(context.bloom_sst_hit_count, gets.let_pass + batches.let_pass);
    EXPECT_EQ(context.bloom_sst_miss_count, gets.ruled_out + batches.ruled_out);
    EXPECT_EQ(context.block_cache_hit_count, Of(s, Ticker::kBlockCacheHit));
    EXPECT_EQ(context.block_cache_miss_count, Of(s, Ticker::kBlockCacheMiss));
    EXPECT_EQ(context.block_read_count, Of(s, Ticker::kBlockReadCount));
    EXPECT_EQ(context.block_read_byte, Of(s, Ticker::kBlockReadBytes));
    EXPECT_EQ(Of(s, Ticker::kFileReadBytes), Of(s, Ticker::kBlockReadBytes));
    EXPECT_EQ(Of(s, Ticker::kBlockChecksumComputeCount),
              Of(s, Ticker::kBlockReadCount));
    CheckBytesOfBlocks(s);
    if (options.block_cache != nullptr) {
      EXPECT_EQ(Of(s, Ticker::kBlockCacheMiss), Of(s, Ticker::kBlockReadCount));
      EXPECT_GT(Of(s, Ticker::kBlockCacheHit) + Of(s, Ticker::kBlockCacheMiss),
                50u);
    }
  });
}

TEST(Statistics, BlocksAndBytes) {
  const auto statistics = std::make_shared<Statistics>();
  ReaderOptions options;
  options.load_index_and_filter = LoadTime::kAtOpen;
  options.statistics = statistics;
  options.block_cache = SomeCache();
  const auto reader =
      OpenTable(SomeTable(CompressionType::kSnappyCompression), options);
  EXPECT_GT(Of(*statistics, Ticker::kBlockReadCount), 2u);  // of opening
  statistics->Reset();
  for (std::string_view name : {"rocksdb.block.cache.hit COUNT : 0\n",
                                "ashlar.file.read.bytes COUNT : 0\n"}) {
    EXPECT_NE(statistics->ToString().find(name), std::string::npos)
        << statistics->ToString();
  }
  std::vector<Entry> found;
  Require(ReadForward(*reader, {}, &found));
  const uint64_t blocks = reader->properties().num_data_blocks;
  const Statistics& s = *statistics;
  EXPECT_EQ(Of(s, Ticker::kNumberDbSeek), 1u);
  EXPECT_EQ(Of(s, Ticker::kBlockCacheAdd), blocks);
  EXPECT_EQ(Of(s, Ticker::kBlockCacheDataAdd), blocks);
  // The cache's usage also counts the cache's own memory for each entry.
  EXPECT_LE(Of(s, Ticker::kBlockCacheBytesWrite),
            options.block_cache->GetUsage());
  EXPECT_GT(Of(s, Ticker::kBlockCacheBytesWrite), blocks * 500);
  EXPECT_EQ(Of(s, Ticker::kNumberBlockDecompressed), blocks);
  EXPECT_GT(Of(s, Ticker::kBytesDecompressedTo),
            Of(s, Ticker::kBytesDecompressedFrom));
  EXPECT_EQ(Of(s, Ticker::kBlockChecksumMismatchCount), 0u);
  uint64_t tickers = 0;
  std::set<std::string> names;
  s.ForEach([&](std::string_view name, uint64_t count) {
    EXPECT_EQ(count, Of(s, static_cast<Ticker>(tickers)));
    EXPECT_EQ(name, TickerName(static_cast<Ticker>(tickers++)));
    names.emplace(name);
  });
  EXPECT_EQ(tickers, kTickers);
  EXPECT_EQ(names.size(), kTickers);
}

// The cache has a strict capacity limit, and no room for a block.
TEST(Statistics, ABlockWithoutRoomIsAFailure) {
  LruCacheOptions cache_options;
  cache_options.capacity = 100;
  cache_options.strict_capacity_limit = true;
  const auto statistics = std::make_shared<Statistics>();
  ReaderOptions options;
  options.statistics = statistics;
  options.block_cache = std::move(NewLruCache(cache_options)).value();
  const auto reader =
      OpenTable(SomeTable(CompressionType::kNoCompression), options);
  statistics->Reset();
  GetResult result;
  for (uint64_t i = 0; i < 3; ++i) {
    Require(reader->Get(KeyNumber(i * 500), &result));
  }
  EXPECT_EQ(Of(*statistics, Ticker::kBlockCacheDataMiss), 3u);
  EXPECT_EQ(Of(*statistics, Ticker::kBlockCacheAdd), 0u);
  EXPECT_EQ(Of(*statistics, Ticker::kBlockCacheBytesWrite), 0u);
  EXPECT_EQ(Of(*statistics, Ticker::kBlockCacheAddFailures), 3u);
}

TEST(Statistics, DamageIsCounted) {
  std::string table = SomeTable(CompressionType::kNoCompression);
  table[20] = static_cast<char>(table[20] ^ 1);
  const auto statistics = std::make_shared<Statistics>();
  ReaderOptions options;
  options.statistics = statistics;
  const auto reader = OpenTable(table, options);
  GetResult result;
  EXPECT_TRUE(reader->Get(KeyNumber(0), &result).IsCorruption());
  EXPECT_EQ(Of(*statistics, Ticker::kBlockChecksumMismatchCount), 1u);
  EXPECT_EQ(Of(*statistics, Ticker::kNumberKeysRead), 1u);
}

// A thread that uses several statistics in turn finds its own shard of each.
TEST(Statistics, ManyInOneThread) {
  const std::string table = SomeTable(CompressionType::kNoCompression);
  std::array<std::shared_ptr<Statistics>, 3> statistics;
  std::array<std::unique_ptr<TableReader>, 3> readers;
  for (size_t i = 0; i < 3; ++i) {
    statistics[i] = std::make_shared<Statistics>();
    ReaderOptions options;
    options.statistics = statistics[i];
    readers[i] = OpenTable(table, options);
  }
  GetResult result;
  for (uint64_t n = 0; n < 30; ++n) {
    for (size_t i = 0; i < 3; ++i) {
      for (size_t again = 0; again <= i; ++again) {
        Require(readers[i]->Get(KeyNumber(n), &result));
      }
    }
    if (n == 19) {  // a new one starts at 0
      EXPECT_EQ(Of(*statistics[0], Ticker::kNumberKeysRead), 20u);
      ReaderOptions options;
      options.statistics = statistics[0] = std::make_shared<Statistics>();
      readers[0] = OpenTable(table, options);
    }
  }
  EXPECT_EQ(Of(*statistics[0], Ticker::kNumberKeysRead), 10u);
  EXPECT_EQ(Of(*statistics[1], Ticker::kNumberKeysRead), 60u);
  EXPECT_EQ(Of(*statistics[2], Ticker::kNumberKeysRead), 90u);
}

}  // namespace
}  // namespace ashlar::testing
