// Tests index and filter blocks in the block cache. Whatever the cache evicts,
// the answers are those of a reader that keeps these blocks itself, and errors
// name the block.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ashlar/cache/cache_options.h"
#include "ashlar/table/inspect.h"
#include "ashlar/table/perf_context.h"
#include "ashlar/table/table_reader.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

constexpr int kEntries = 3000;

std::shared_ptr<Cache> LruOf(size_t capacity, double high_pri_pool_ratio = 0) {
  LruCacheOptions options;
  options.capacity = capacity;
  options.num_shard_bits = 0;
  options.high_pri_pool_ratio = high_pri_pool_ratio;
  return std::move(NewLruCache(options)).value();
}

std::string KeyNumber(int number) {
  return "key" + std::to_string(100000 + number).substr(1);
}

struct Kind {
  const char* name;
  IndexType index;
  bool partition_filters;
};
constexpr Kind kKinds[] = {
    {"binary", IndexType::kBinarySearch, false},
    {"first keys", IndexType::kBinarySearchWithFirstKey, false},
    {"partitioned", IndexType::kTwoLevelIndexSearch, false},
    {"all partitioned", IndexType::kTwoLevelIndexSearch, true},
};

std::string TableOf(const Kind& kind) {
  TableOptions options;
  options.block_size = 300;
  options.metadata_block_size = 500;
  options.filter = FilterType::kBloom;
  options.index_type = kind.index;
  options.partition_filters = kind.partition_filters;
  return BuildTable(options, SomeEntries(kEntries), FixedBuild());
}

ReaderOptions InCache(std::shared_ptr<Cache> cache,
                      PinningTier tier = PinningTier::kNone) {
  ReaderOptions options;
  options.block_cache = std::move(cache);
  options.load_index_and_filter = LoadTime::kAtOpen;
  options.cache_index_and_filter_blocks = true;
  options.unpartitioned_pinning = tier;
  options.partition_pinning = tier;
  return options;
}

// Returns what a reader says of present and absent keys, in all ways of
// reading. Calls `before_each` before each read.
std::vector<std::string> Answers(const TableReader& reader,
                                 const std::function<void()>& before_each) {
  std::vector<std::string> keys;
  for (int i = 0; i < kEntries + 40; i += 7) keys.push_back(KeyNumber(i));
  keys.emplace_back("a");
  keys.emplace_back("z");
  std::vector<std::string> answers;
  const auto add = [&](const Status& status, const GetResult& result) {
    answers.push_back(status.ToString() + " " + result.value.ToString() + " " +
                      std::to_string(static_cast<int>(result.filter)));
  };
  for (const std::string& key : keys) {
    before_each();
    GetResult result;
    const Status status = reader.Get(key, &result);
    add(status, result);
  }
  for (size_t begin = 0; begin < keys.size(); begin += 50) {
    before_each();
    const size_t n = std::min<size_t>(50, keys.size() - begin);
    const std::vector<Slice> slices(keys.begin() + begin,
                                    keys.begin() + begin + n);
    std::vector<GetResult> results(n);
    std::vector<Status> statuses(n);
    reader.MultiGet(slices, results, statuses);
    for (size_t i = 0; i < n; ++i) add(statuses[i], results[i]);
  }
  for (size_t i = 0; i < keys.size(); i += 20) {
    before_each();
    Iterator it = reader.NewIterator();
    it.Seek(keys[i]);
    for (int n = 0; n < 30 && it.Valid(); ++n, it.Next()) {
      answers.push_back(it.user_key().ToString());
    }
    answers.push_back(it.status().ToString());
    it.SeekForPrev(keys[i]);
    for (int n = 0; n < 30 && it.Valid(); ++n, it.Prev()) {
      answers.push_back(it.user_key().ToString());
    }
  }
  return answers;
}

TEST(MetadataCache, SameAnswersWhateverIsEvicted) {
  for (const Kind& kind : kKinds) {
    SCOPED_TRACE(kind.name);
    const std::string table = TableOf(kind);
    const auto plain = OpenTable(table);
    const std::vector<std::string> expected = Answers(*plain, [] {});
    for (const PinningTier tier : {PinningTier::kNone, PinningTier::kAll}) {
      for (const size_t capacity : {size_t{1} << 20, size_t{0}}) {
        const auto cache = LruOf(capacity);
        auto reader = OpenTable(table, InCache(cache, tier));
        EXPECT_EQ(Answers(*reader, [] {}), expected);
        EXPECT_EQ(Answers(*reader, [&] { cache->EraseUnRefEntries(); }),
                  expected);
        Require(reader->VerifyChecksum());
        EXPECT_EQ(reader->ApproximateOffsetOf(KeyNumber(1500)),
                  plain->ApproximateOffsetOf(KeyNumber(1500)));
        reader.reset();
        EXPECT_EQ(cache->GetPinnedUsage(), 0u);
      }
    }
  }
}

// The reader keeps nothing itself, and all of the memory is charged to the
// cache.
TEST(MetadataCache, MemoryIsTheCaches) {
  for (const Kind& kind : kKinds) {
    SCOPED_TRACE(kind.name);
    const std::string table = TableOf(kind);
    const auto plain =
        OpenTable(table, {.load_index_and_filter = LoadTime::kAtOpen,
                          .partition_pinning = PinningTier::kAll});
    const auto cache = LruOf(size_t{4} << 20);
    const auto reader = OpenTable(table, InCache(cache, PinningTier::kAll));
    uint64_t properties = 0;
    for (const auto& [name, value] : reader->properties().stored) {
      properties += name.size() + value.size();
    }
    EXPECT_LT(reader->MemoryUsage(), properties + 4096);
    // The filter, and for each block a word and the end of its handle.
    const uint64_t least = reader->properties().filter_size +
                           reader->properties().num_data_blocks * 11;
    EXPECT_GT(least, 4000u);
    EXPECT_GT(plain->MemoryUsage(), reader->MemoryUsage() + least);
    const CacheEntryStats stats = cache->CollectEntryStats();
    const auto of = [&](CacheEntryRole role) { return stats.of(role); };
    const auto index = of(CacheEntryRole::kIndexBlock);
    const auto filter = of(CacheEntryRole::kFilterBlock);
    const auto top = of(CacheEntryRole::kFilterMetaBlock);
    const bool partitioned = kind.index == IndexType::kTwoLevelIndexSearch;
    EXPECT_EQ(index.count > 2, partitioned);
    EXPECT_GE(index.count, 1u);
    EXPECT_EQ(filter.count > 2, kind.partition_filters);
    EXPECT_GE(filter.count, 1u);
    EXPECT_EQ(top.count, kind.partition_filters ? 1u : 0u);
    EXPECT_EQ(of(CacheEntryRole::kDataBlock).count, 0u);
    const uint64_t charged = index.charge + filter.charge + top.charge;
    EXPECT_GT(charged + properties + 4096, plain->MemoryUsage());
    EXPECT_LE(charged, cache->GetPinnedUsage());
    // Without pinning, the cache can evict all of these blocks, except the top
    // level of a partitioned index or filter.
    const auto other = LruOf(size_t{4} << 20);
    const auto loose = OpenTable(table, InCache(other));
    other->EraseUnRefEntries();
    EXPECT_EQ(other->GetOccupancyCount() == 0, !partitioned);
    EXPECT_LT(other->GetUsage(), charged / 3);
  }
}

// Counts the reads of index and filter blocks that this thread makes.
struct MetadataReads {
  MetadataReads() {
    SetPerfLevel(PerfLevel::kEnableCount);
    GetPerfContext()->Reset();
  }
  ~MetadataReads() { SetPerfLevel(PerfLevel::kDisable); }
  static uint64_t index() { return GetPerfContext()->index_block_read_count; }
  static uint64_t filter() { return GetPerfContext()->filter_block_read_count; }
};

TEST(MetadataCache, ReadAgainOnlyWhereNotPinned) {
  for (const Kind& kind : kKinds) {
    for (const PinningTier tier : {PinningTier::kNone, PinningTier::kAll}) {
      SCOPED_TRACE(kind.name);
      const auto cache = LruOf(size_t{4} << 20);
      const auto reader = OpenTable(TableOf(kind), InCache(cache, tier));
      GetResult result;
      const uint64_t reads = tier == PinningTier::kAll ? 0 : 1;
      {
        cache->EraseUnRefEntries();
        const MetadataReads counted;
        Require(reader->Get(KeyNumber(77), &result));
        EXPECT_EQ(counted.index(), reads);
        EXPECT_EQ(counted.filter(), reads);
      }
      {
        const MetadataReads counted;
        Require(reader->Get(KeyNumber(77), &result));
        EXPECT_EQ(counted.index() + counted.filter(), 0u);
        EXPECT_EQ(GetPerfContext()->block_cache_index_hit_count, reads);
        EXPECT_EQ(GetPerfContext()->block_cache_filter_hit_count, reads);
        EXPECT_EQ(GetPerfContext()->block_cache_hit_count, 1 + 2 * reads);
      }
    }
  }
}

// Blocks that are read once after the index evict an index of low priority, but
// not one of high priority.
TEST(MetadataCache, HighPriorityStays) {
  const std::string table = TableOf(kKinds[0]);
  for (const bool high : {false, true}) {
    const auto cache = LruOf(size_t{200} << 10, 0.5);
    ReaderOptions options = InCache(cache);
    options.cache_index_and_filter_blocks_with_high_priority = high;
    const auto reader = OpenTable(table, options);
    const auto other =
        OpenTable(BuildTable({}, SomeEntries(20000), FixedBuild("other")),
                  {.block_cache = cache});
    std::vector<Entry> all;
    Require(ReadForward(*other, {}, &all));
    const MetadataReads counted;
    GetResult result;
    Require(reader->Get(KeyNumber(77), &result));
    EXPECT_EQ(counted.index() + counted.filter(), high ? 0u : 2u);
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

TEST(MetadataCache, DamageByThenIsToldAndPasses) {
  for (const Kind& kind : kKinds) {
    const bool partitioned = kind.index == IndexType::kTwoLevelIndexSearch;
    for (const BlockKind damaged :
         {partitioned ? BlockKind::kIndexPartition : BlockKind::kIndex,
          kind.partition_filters ? BlockKind::kFilterPartition
                                 : BlockKind::kFilter}) {
      SCOPED_TRACE(std::string(kind.name) + ", " +
                   std::string(BlockKindName(damaged)));
      std::string bytes = TableOf(kind);
      const std::string sound = bytes;
      const auto cache = LruOf(size_t{4} << 20);
      auto opened = TableReader::Open(std::make_unique<ChangingFile>(&bytes),
                                      InCache(cache));
      Require(opened.status());
      const TableReader& reader = **opened;
      TableInspection found;
      Require(InspectTable(reader.file(), {}, &found));
      for (const BlockInfo& block : found.blocks) {
        if (block.kind == damaged) bytes[block.offset + 9] ^= 1;
      }
      ASSERT_NE(bytes, sound);
      cache->EraseUnRefEntries();
      GetResult result;
      const Status got = reader.Get(KeyNumber(5), &result);
      EXPECT_TRUE(got.IsCorruption()) << got.ToString();
      const std::string place = "f.sst: block checksum mismatch in " +
                                std::string(BlockKindName(damaged)) + " block";
      EXPECT_TRUE(got.message().starts_with(place)) << got.ToString();
      EXPECT_EQ(result.state, GetResult::State::kNotFound);
      std::vector<GetResult> results(2);
      std::vector<Status> statuses(2);
      const std::vector<Slice> keys = {"key00005", "key00006"};
      reader.MultiGet(keys, results, statuses);
      for (const Status& status : statuses) {
        EXPECT_EQ(status.ToString(), got.ToString());
      }
      Iterator it = reader.NewIterator();
      it.Seek(KeyNumber(5));
      const bool walks = damaged == BlockKind::kFilter ||
                         damaged == BlockKind::kFilterPartition;
      EXPECT_EQ(it.Valid(), walks);
      EXPECT_EQ(it.status().IsCorruption(), !walks);
      bytes = sound;
      Require(reader.Get(KeyNumber(5), &result));
      EXPECT_EQ(result.value.ToString(), "value5");
    }
  }
}

TEST(MetadataCache, NeedsACache) {
  const auto opened =
      OpenBytes(TableOf(kKinds[0]), {.cache_index_and_filter_blocks = true});
  EXPECT_TRUE(opened.status().IsInvalidArgument());
}

// Readers of one file do not share these blocks if their comparators are not
// known to be the same.
TEST(MetadataCache, AnotherComparatorHasItsOwn) {
  class Namesake final : public Comparator {
   public:
    std::string_view Name() const override {
      return BytewiseComparator()->Name();
    }
    int Compare(const Slice& a, const Slice& b) const override {
      return BytewiseComparator()->Compare(a, b);
    }
  };
  for (const Kind& kind : kKinds) {
    const std::string table = TableOf(kind);
    const std::vector<std::string> expected = Answers(*OpenTable(table), [] {});
    const auto cache = LruOf(size_t{4} << 20);
    const auto first = OpenTable(table, InCache(cache));
    {
      const auto namesake = std::make_unique<Namesake>();
      ReaderOptions options = InCache(cache);
      options.comparator = namesake.get();
      const auto second = OpenTable(table, options);
      EXPECT_EQ(Answers(*second, [] {}), expected);
      cache->EraseUnRefEntries();
      EXPECT_EQ(Answers(*second, [] {}), expected);
    }
    // Blocks that the second reader cached must not be used, because its
    // comparator is destroyed.
    EXPECT_EQ(Answers(*first, [] {}), expected);
  }
}

}  // namespace
}  // namespace ashlar::testing
