// Tests a reader that has a block cache tracer. The trace contains every access
// to the block cache that the statistics count, exactly once, with its block
// kind and caller, and whether it was a hit.

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ashlar/cache/block_cache_tracer.h"
#include "ashlar/cache/cache_options.h"
#include "ashlar/table/statistics.h"
#include "ashlar/table/table_reader.h"
#include "cache/trace/trace_format.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

using internal::TracedAccess;

constexpr int kEntries = 2000;

std::shared_ptr<Cache> SomeCache() {
  LruCacheOptions options;
  options.capacity = size_t{16} << 20;
  return std::move(NewLruCache(options)).value();
}

std::vector<TracedAccess> AccessesOf(const std::string& bytes) {
  size_t at = 0;
  internal::TraceFileReader reader("t", [&](char* out, size_t n, size_t* got) {
    *got = bytes.copy(out, n, at);
    at += *got;
    return Status();
  });
  internal::TraceHeader header;
  Require(reader.ReadHeader(&header));
  std::vector<TracedAccess> all;
  std::vector<TracedAccess> chunk;
  internal::TraceEnd end;
  do {
    Require(reader.ReadChunk(&chunk, &end));
    all.insert(all.end(), chunk.begin(), chunk.end());
  } while (!chunk.empty());
  return all;
}

class BlockCacheTrace : public ::testing::Test {
 protected:
  BlockCacheTrace() {
    TableOptions table;
    table.block_size = 512;
    table.filter = FilterType::kBloom;
    table.index_type = IndexType::kTwoLevelIndexSearch;
    reader_ = OpenTable(BuildTable(table, SomeEntries(kEntries)),
                        {.cache_index_and_filter_blocks = true,
                         .block_cache = cache_,
                         .statistics = statistics_,
                         .block_cache_tracer = tracer_});
    statistics_->Reset();
  }

  void Start() {
    Require(tracer_->StartTrace({}, NewMemoryWritableFile("t", &bytes_)));
  }
  std::vector<TracedAccess> End() {
    Require(tracer_->EndTrace());
    return AccessesOf(bytes_);
  }
  // Expects that the trace has the hits and misses that the statistics counted,
  // for each block kind.
  void ExpectAllCounted(const std::vector<TracedAccess>& accesses) const {
    constexpr std::array<std::array<Ticker, 2>, 3> kTickers = {{
        {Ticker::kBlockCacheDataMiss, Ticker::kBlockCacheDataHit},
        {Ticker::kBlockCacheIndexMiss, Ticker::kBlockCacheIndexHit},
        {Ticker::kBlockCacheFilterMiss, Ticker::kBlockCacheFilterHit},
    }};
    std::array<std::array<uint64_t, 2>, 3> counts = {};
    for (const TracedAccess& each : accesses) {
      ++counts[static_cast<size_t>(each.kind)][each.hit ? 1 : 0];
    }
    for (size_t kind = 0; kind < 3; ++kind) {
      for (const size_t hit : {0, 1}) {
        EXPECT_EQ(counts[kind][hit],
                  statistics_->GetTickerCount(kTickers[kind][hit]))
            << kind << (hit != 0 ? " hit" : " miss");
      }
    }
  }

  const std::shared_ptr<Cache> cache_ = SomeCache();
  const std::shared_ptr<Statistics> statistics_ =
      std::make_shared<Statistics>();
  const std::shared_ptr<BlockCacheTracer> tracer_ =
      std::make_shared<BlockCacheTracer>();
  std::unique_ptr<TableReader> reader_;
  std::string bytes_;
};

TEST_F(BlockCacheTrace, HasEveryAccessOfEveryCaller) {
  Start();
  const std::vector<Entry> entries = SomeEntries(kEntries);
  const auto key = [&](size_t i) {
    const std::string& internal_key = entries[i].key;
    return internal_key.substr(0, internal_key.size() - 8);
  };
  GetResult result;
  for (size_t i = 0; i < 300; i += 7) Require(reader_->Get(key(i), &result));
  std::vector<std::string> keys;
  for (size_t i = 0; i < kEntries; i += 5) keys.push_back(key(i));
  const std::vector<Slice> asked(keys.begin(), keys.end());
  std::vector<GetResult> results(asked.size());
  std::vector<Status> statuses(asked.size());
  reader_->MultiGet(asked, results, statuses);
  for (int i = 0; i < 2; ++i) {
    std::vector<Entry> found;
    Require(ReadForward(*reader_, {}, &found));
    ASSERT_EQ(found.size(), entries.size());
  }
  const auto accesses = End();
  ExpectAllCounted(accesses);
  std::array<uint64_t, 4> of_caller = {};
  std::map<CacheKey, uint64_t> charges;
  for (const TracedAccess& each : accesses) {
    const bool of_data = each.kind == TracedBlockKind::kData;
    EXPECT_EQ(of_data, each.caller != TracedCaller::kOther);
    ++of_caller[static_cast<size_t>(each.caller)];
    // What was found has a charge, which is that of the cache.
    EXPECT_EQ(each.charge != 0, each.hit);
    if (each.hit) charges[each.key] = each.charge;
  }
  size_t known = 0;
  cache_->ForEachEntry([&](const CacheEntryView& entry) {
    const auto found = charges.find(entry.key);
    if (found == charges.end()) return;
    ++known;
    EXPECT_EQ(found->second, entry.charge);
  });
  EXPECT_EQ(known, charges.size());
  EXPECT_GT(known, reader_->properties().num_data_blocks);
  EXPECT_EQ(of_caller[1], 43U);
  EXPECT_GE(of_caller[2], 50U);
  EXPECT_EQ(of_caller[3], 2 * reader_->properties().num_data_blocks);
}

TEST_F(BlockCacheTrace, IsNoMoreThanWhatWasAskedForMeanwhile) {
  GetResult result;
  Require(reader_->Get("key00007", &result));
  Start();
  EXPECT_TRUE(End().empty());
}

}  // namespace
}  // namespace ashlar::testing
