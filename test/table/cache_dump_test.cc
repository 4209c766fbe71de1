// Tests dumping a block cache and loading the dump: what was cached is cached
// again, the best of it first, within the limits, and while others use the
// cache.

#include "ashlar/table/cache_dump.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ashlar/cache/typed_cache.h"
#include "table/dump/dump_format.h"
#include "table/load/cached_data_block.h"
#include "test/support/dumped_tables.h"
#include "test/support/folder.h"
#include "test/support/run_together.h"

namespace ashlar::testing {
namespace {

using Contents = std::set<std::pair<CacheKey, CacheEntryRole>>;

Contents ContentsOf(Cache& cache) {
  Contents contents;
  cache.ForEachEntry([&](const CacheEntryView& entry) {
    contents.emplace(entry.key, entry.ops->role);
  });
  return contents;
}

// Returns the keys of all entries, those that stay longest first.
std::vector<CacheKey> KeysByStay(Cache& cache, bool hit_only = false) {
  std::vector<std::pair<uint64_t, CacheKey>> order;
  cache.ForEachEntry([&](const CacheEntryView& entry) {
    if (entry.was_hit || !hit_only) order.emplace_back(~entry.stay, entry.key);
  });
  std::sort(order.begin(), order.end());
  std::vector<CacheKey> keys;
  keys.reserve(order.size());
  for (const auto& [stay, key] : order) keys.push_back(key);
  return keys;
}

TEST(CacheDump, EveryKindOfBlockInEveryCache) {
  for (const DumpedCache& make : kDumpedCaches) {
    for (const DumpedForm& form : kDumpedForms) {
      for (const bool compressed : {false, true}) {
        SCOPED_TRACE(std::string(make.name) + " " + form.name);
        const std::string table = TableOf(form);
        const auto first = make.make(size_t{4} << 20);
        const auto reader = OpenTable(table, InCache(first));
        const std::vector<Entry> expected = AllEntries(*reader);
        CheckGets(*reader);
        CacheDumpOptions options;
        if (compressed) options.compression_type = DefaultCompressionType();
        CacheDumpStats dumped;
        const std::string dump = DumpOf(*first, options, &dumped);
        EXPECT_EQ(dumped.entries, ContentsOf(*first).size());
        EXPECT_EQ(dumped.bytes, dump.size());
        EXPECT_EQ(dumped.end, CacheDumpEnd::kAll);
        EXPECT_EQ(dumped.temporary + dumped.not_savable + dumped.evicted, 0u);

        const auto second = make.make(size_t{4} << 20);
        const CacheLoadStats loaded = Load(dump, second.get());
        EXPECT_EQ(loaded.loaded, dumped.entries);
        EXPECT_EQ(loaded.end, CacheDumpEnd::kAll);
        EXPECT_EQ(loaded.damaged + loaded.refused + loaded.present, 0u);
        EXPECT_FALSE(loaded.cut_off);
        EXPECT_EQ(ContentsOf(*second), ContentsOf(*first));

        FaultPlan plan;
        const auto again = OpenCounted(table, InCache(second), &plan);
        EXPECT_EQ(AllEntries(*again), expected);
        CheckGets(*again);
        EXPECT_EQ(plan.operations, 0u);
        // It is all there, so nothing is loaded.
        EXPECT_EQ(Load(dump, second.get()).present, dumped.entries);
      }
    }
  }
}

// In a cache of one shard exactly, whatever its size.
TEST(CacheDump, ASmallerCacheGetsWhatStaysLongest) {
  for (const DumpedCache& make : kDumpedCaches) {
    if (!make.is_exact) continue;
    SCOPED_TRACE(make.name);
    const std::string table = TableOf(kDumpedForms[0]);
    const auto first = make.make(size_t{4} << 20);
    const auto reader = OpenTable(table, In(first));
    AllEntries(*reader);
    Random random(1);
    for (int i = 0; i < 200; ++i) {
      GetOne(*reader, static_cast<int>(random.Below(kDumpedEntries / 4)));
    }
    const std::vector<CacheKey> order = KeysByStay(*first);
    const std::string dump = DumpOf(*first, {});
    for (const size_t share : {3, 2, 1}) {
      const auto second = make.make(first->GetUsage() * share / 4);
      const CacheLoadStats loaded = Load(dump, second.get());
      EXPECT_EQ(loaded.end, CacheDumpEnd::kFull);
      EXPECT_GT(loaded.loaded, order.size() * share / 4 * 9 / 10);
      EXPECT_LE(second->GetUsage(), second->GetCapacity());
      const Contents contents = ContentsOf(*second);
      EXPECT_EQ(contents.size(), loaded.loaded);
      for (size_t i = 0; i < loaded.loaded; ++i) {
        EXPECT_TRUE(contents.contains({order[i], CacheEntryRole::kDataBlock}));
      }
    }
  }
}

// Entries that were hit are evicted in their old order, after all others.
TEST(CacheDump, TheOrderOfAnLruCacheComesBack) {
  const std::string table = TableOf(kDumpedForms[0]);
  const auto first = kDumpedCaches[0].make(size_t{4} << 20);
  const auto reader = OpenTable(table, In(first));
  AllEntries(*reader);
  Random random(2);
  for (int i = 0; i < 100; ++i) {
    GetOne(*reader, static_cast<int>(random.Below(kDumpedEntries)));
  }
  const std::vector<CacheKey> hit = KeysByStay(*first, true);
  ASSERT_GT(hit.size(), 20u);
  const auto second = kDumpedCaches[0].make(size_t{4} << 20);
  Load(DumpOf(*first, {}), second.get());
  EXPECT_EQ(KeysByStay(*second, true), hit);
  std::vector<CacheKey> all = KeysByStay(*second);
  all.resize(hit.size());
  EXPECT_EQ(all, hit);
}

class FakeClock final : public CacheDumpClock {
 public:
  explicit FakeClock(uint64_t step = 0) : step_(step) {}
  uint64_t NowMicros() override { return now += step_; }
  void SleepForMicroseconds(uint64_t micros) override {
    EXPECT_LE(micros, 50'000u);
    now += micros;
  }
  uint64_t now = 1'000'000;

 private:
  const uint64_t step_;
};

struct Filled {
  Filled() : table(TableOf(kDumpedForms[0])) {
    cache = kDumpedCaches[0].make(size_t{4} << 20);
    reader = OpenTable(table, In(cache));
    AllEntries(*reader);
    order = KeysByStay(*cache);
  }
  std::string table;
  std::shared_ptr<Cache> cache;
  std::unique_ptr<TableReader> reader;
  std::vector<CacheKey> order;
};

TEST(CacheDump, LimitsKeepTheBest) {
  const Filled filled;
  for (const auto contents : {CacheDumpOptions::Contents::kBlocks,
                              CacheDumpOptions::Contents::kKeys}) {
    for (const bool by_size : {false, true}) {
      FakeClock clock(1000);
      CacheDumpOptions options;
      options.contents = contents;
      options.clock = &clock;
      if (by_size) {
        options.max_size_bytes = 2000;
      } else {
        options.deadline = std::chrono::milliseconds(20);
      }
      CacheDumpStats dumped;
      const std::string dump = DumpOf(*filled.cache, options, &dumped);
      EXPECT_EQ(dumped.end,
                by_size ? CacheDumpEnd::kMaxSize : CacheDumpEnd::kDeadline);
      EXPECT_GT(dumped.entries, 3u);
      EXPECT_LT(dumped.entries, filled.order.size());
      if (by_size) {
        EXPECT_LE(dump.size(), 2000u);
        EXPECT_GT(dump.size(), 1500u);
      }
      if (contents == CacheDumpOptions::Contents::kKeys) continue;
      const auto second = kDumpedCaches[0].make(size_t{4} << 20);
      const CacheLoadStats loaded = Load(dump, second.get());
      EXPECT_EQ(loaded.loaded, dumped.entries);
      EXPECT_FALSE(loaded.cut_off);  // it has its end
      for (size_t i = 0; i < loaded.loaded; ++i) {
        EXPECT_TRUE(
            second->VisitEntry(filled.order[i], [](const CacheEntryView&) {}));
      }
    }
  }
}

TEST(CacheDump, LimitsOfLoadingKeepTheBest) {
  const Filled filled;
  const std::string dump = DumpOf(*filled.cache, {});
  for (const bool by_size : {false, true}) {
    FakeClock clock(1000);
    CacheLoadOptions options;
    options.clock = &clock;
    if (by_size) {
      options.max_size_bytes = 2000;
    } else {
      options.deadline = std::chrono::milliseconds(20);
    }
    const auto second = kDumpedCaches[0].make(size_t{4} << 20);
    const CacheLoadStats loaded = Load(dump, second.get(), options);
    EXPECT_EQ(loaded.end,
              by_size ? CacheDumpEnd::kMaxSize : CacheDumpEnd::kDeadline);
    EXPECT_GT(loaded.loaded, 3u);
    EXPECT_LT(loaded.loaded, filled.order.size());
    EXPECT_FALSE(loaded.cut_off);
    EXPECT_TRUE(second->VisitEntry(filled.order[loaded.loaded - 1],
                                   [](const CacheEntryView&) {}));
    EXPECT_FALSE(second->VisitEntry(filled.order[loaded.loaded],
                                    [](const CacheEntryView&) {}));
  }
}

TEST(CacheDump, TheRateIsKept) {
  const Filled filled;
  constexpr uint64_t kRate = 10'000;
  FakeClock clock;
  int reports = 0;
  CacheDumpOptions options;
  options.clock = &clock;
  options.rate_bytes_per_sec = kRate;
  options.on_progress = [&](uint64_t entries, uint64_t bytes) {
    ++reports;
    // Not faster, and not slower either, than a record's worth of time.
    const uint64_t micros = clock.now - 1'000'000;
    EXPECT_LE(bytes, micros * kRate / 1'000'000 + 600);
    EXPECT_GE(bytes + 600, micros * kRate / 1'000'000);
    EXPECT_LE(entries, filled.order.size());
    return true;
  };
  CacheDumpStats dumped;
  const std::string dump = DumpOf(*filled.cache, options, &dumped);
  const uint64_t micros = clock.now - 1'000'000;
  EXPECT_NEAR(static_cast<double>(micros),
              static_cast<double>(dump.size()) * 1e6 / kRate, 60'000);
  EXPECT_GE(static_cast<uint64_t>(reports), micros / 50'000);
}

TEST(CacheDump, CanBeEndedAndKeepsTheOlderDump) {
  const Filled filled;
  const TestFolder folder;
  const std::string path = folder / "cache.dump";
  CacheDumpStats dumped;
  Require(DumpBlockCache(*filled.cache, path, {}, &dumped));
  const std::string before = ReadFile(path);
  EXPECT_EQ(before.size(), dumped.bytes);
  FakeClock clock(20'000);
  CacheDumpOptions options;
  options.clock = &clock;
  options.on_progress = [](uint64_t entries, uint64_t) { return entries < 5; };
  EXPECT_EQ(DumpBlockCache(*filled.cache, path, options, &dumped).code(),
            Status::Code::kAborted);
  EXPECT_EQ(ReadFile(path), before);
  CacheLoadOptions load;
  load.clock = &clock;
  load.on_progress = options.on_progress;
  const auto second = kDumpedCaches[0].make(size_t{4} << 20);
  CacheLoadStats loaded;
  EXPECT_EQ(LoadBlockCache(path, second.get(), load, &loaded).code(),
            Status::Code::kAborted);
  EXPECT_GE(loaded.loaded, 5u);
  load.on_progress = nullptr;
  Require(LoadBlockCache(path, second.get(), load, &loaded));
  EXPECT_EQ(loaded.loaded + loaded.present, filled.order.size());
}

TEST(CacheDump, FilesCanBeChosen) {
  const auto first = kDumpedCaches[0].make(size_t{4} << 20);
  const std::string a = TableOf(kDumpedForms[0], "a");
  const std::string b = TableOf(kDumpedForms[0], "b");
  const auto reader_a = OpenTable(a, In(first));
  const auto reader_b = OpenTable(b, In(first));
  AllEntries(*reader_a);
  const size_t of_a = first->GetOccupancyCount();
  AllEntries(*reader_b);
  const size_t of_b = first->GetOccupancyCount() - of_a;
  CacheDumpOptions options;
  options.files = {FileKeyOf(*reader_a)};
  CacheDumpStats dumped;
  DumpOf(*first, options, &dumped);
  EXPECT_EQ(dumped.entries, of_a);
  EXPECT_EQ(dumped.other_files, of_b);
  CacheLoadOptions load;
  load.files = {FileKeyOf(*reader_b)};
  const auto second = kDumpedCaches[0].make(size_t{4} << 20);
  const CacheLoadStats loaded = Load(DumpOf(*first, {}), second.get(), load);
  EXPECT_EQ(loaded.loaded, of_b);
  EXPECT_EQ(loaded.other_files, of_a);
}

// The blocks of one file are at the offsets of another's.
TEST(CacheDump, ADumpOfAnotherFileIsNotFound) {
  const auto first = kDumpedCaches[0].make(size_t{4} << 20);
  const auto reader_a =
      OpenTable(TableOf(kDumpedForms[3], "a", "other"), InCache(first));
  AllEntries(*reader_a);
  const auto second = kDumpedCaches[0].make(size_t{4} << 20);
  Load(DumpOf(*first, {}), second.get());
  const std::string b = TableOf(kDumpedForms[3], "b");
  FaultPlan plan;
  const auto reader_b = OpenCounted(b, InCache(second), &plan);
  EXPECT_EQ(AllEntries(*reader_b), AllEntries(*OpenTable(b)));
  CheckGets(*reader_b);
  EXPECT_GT(plan.operations, 5u);
}

TEST(CacheDump, WhatIsOfNoUseIsLeftOut) {
  using internal::CachedDataBlock;
  const Filled filled;
  TypedCache<int> numbers(filled.cache);
  Require(numbers.Insert({1, 2}, std::make_unique<int>(3)));
  // A block of a file without an identity.
  std::string saved;
  filled.cache->VisitEntry(filled.order[0], [&](const CacheEntryView& entry) {
    saved.resize(entry.ops->saved_size(entry.value));
    entry.ops->save_to(entry.value, saved.data());
  });
  std::unique_ptr<CachedDataBlock> block;
  Require(CachedDataBlock::Create(saved, nullptr, nullptr, &block));
  TypedCache<CachedDataBlock, CacheEntryRole::kDataBlock> blocks(filled.cache);
  Require(blocks.Insert(CacheKey::Temporary(5, 6).AtOffset(1000),
                        std::move(block)));
  CacheDumpStats dumped;
  DumpOf(*filled.cache, {}, &dumped);
  EXPECT_EQ(dumped.entries, filled.order.size());
  EXPECT_EQ(dumped.not_savable, 1u);
  EXPECT_EQ(dumped.temporary, 1u);
}

class OwnOrder final : public Comparator {
 public:
  std::string_view Name() const override { return "test.OwnOrder"; }
  int Compare(const Slice& a, const Slice& b) const override {
    return a.compare(b);
  }
};

// Only the index needs to know the order.
TEST(CacheDump, AComparatorOfTheApplication) {
  const OwnOrder order;
  TableOptions table_options = OptionsOf(kDumpedForms[3]);
  table_options.comparator = &order;
  const std::string table =
      BuildTable(table_options, SomeEntries(kDumpedEntries), FixedBuild("own"));
  const auto open = [&](const std::shared_ptr<Cache>& cache) {
    ReaderOptions options = InCache(cache);
    options.comparator = &order;
    return OpenTable(table, options);
  };
  const auto first = kDumpedCaches[0].make(size_t{4} << 20);
  const auto reader = open(first);
  const std::vector<Entry> expected = AllEntries(*reader);
  CacheDumpStats dumped;
  const std::string dump = DumpOf(*first, {}, &dumped);
  EXPECT_GT(dumped.not_savable, 2u);
  EXPECT_GT(dumped.entries, 20u);
  const auto second = kDumpedCaches[0].make(size_t{4} << 20);
  EXPECT_EQ(Load(dump, second.get()).loaded, dumped.entries);
  EXPECT_EQ(AllEntries(*open(second)), expected);
}

// A block that had room for entry words has it again, whatever its order, and
// one that had none has none.
TEST(CacheDump, RoomForEntryWordsComesBack) {
  using internal::CachedDataBlock;
  const auto rooms = [](Cache& cache) {
    std::vector<std::pair<CacheKey, bool>> found;
    cache.ForEachEntry([&](const CacheEntryView& entry) {
      const auto* const block = static_cast<CachedDataBlock*>(entry.value);
      found.emplace_back(entry.key, block->has_room_for_words());
    });
    std::sort(found.begin(), found.end());
    return found;
  };
  for (const Comparator* comparator :
       {BytewiseComparator(), ReverseBytewiseComparator()}) {
    for (const bool words : {false, true}) {
      TableOptions options;
      options.block_size = 2000;
      options.comparator = comparator;
      std::vector<Entry> entries = SomeEntries(500);
      if (comparator != BytewiseComparator()) std::ranges::reverse(entries);
      for (Entry& entry : entries) entry.value.resize(100, 'v');
      const std::string table = BuildTable(options, entries, FixedBuild("w"));
      const auto first = kDumpedCaches[0].make(size_t{4} << 20);
      ReaderOptions in = In(first);
      in.cache_entry_words = words;
      AllEntries(*OpenTable(table, in));
      EXPECT_EQ(rooms(*first)[0].second, words);
      const auto second = kDumpedCaches[0].make(size_t{4} << 20);
      Load(DumpOf(*first, {}), second.get());
      EXPECT_EQ(rooms(*second), rooms(*first));
      const auto again = OpenTable(table, In(second));
      for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < 500; i += 11) {
          EXPECT_TRUE(GetOne(*again, i).starts_with(ValueNumber(i)));
        }
      }
      EXPECT_EQ(AllEntries(*again), entries);
    }
  }
}

// Readers of one file that differ in how they read it.
TEST(CacheDump, BlocksAreParsedAsTheReaderWould) {
  const Filled filled;
  const std::string dump = DumpOf(*filled.cache, {});
  for (const bool words : {false, true}) {
    const auto second = kDumpedCaches[0].make(size_t{4} << 20);
    Load(dump, second.get());
    // Room for entry words, which take an eighth, is there as before.
    EXPECT_NEAR(static_cast<double>(second->GetUsage()),
                static_cast<double>(filled.cache->GetUsage()),
                static_cast<double>(filled.cache->GetUsage()) / 50);
    ReaderOptions options = In(second);
    options.cache_entry_words = words;
    options.largest_seqno = 99;
    const auto reader = OpenTable(filled.table, options);
    for (int round = 0; round < 3; ++round) CheckGets(*reader);
  }
}

TEST(CacheDump, AStrictCacheThatIsFullLoadsNothing) {
  const Filled filled;
  LruCacheOptions options;
  options.capacity = 1000;
  options.num_shard_bits = 0;
  options.strict_capacity_limit = true;
  const auto second = std::move(NewLruCache(options)).value();
  const CacheLoadStats loaded = Load(DumpOf(*filled.cache, {}), second.get());
  EXPECT_EQ(loaded.end, CacheDumpEnd::kFull);
  EXPECT_LE(second->GetUsage(), 1000u);
}

TEST(CacheDump, AnUnknownCodecIsRefusedAtOnce) {
  const Filled filled;
  CacheDumpOptions options;
  options.compression_type = static_cast<CompressionType>(0x77);
  std::string bytes;
  const auto file = NewMemoryWritableFile("dump", &bytes);
  CacheDumpStats dumped;
  EXPECT_FALSE(
      DumpBlockCache(*filled.cache, file.get(), options, &dumped).ok());
  EXPECT_EQ(bytes, "");
}

// zlib would write streams that no reader of dumps can read.
TEST(CacheDump, OptionsOfTheCodecAreCheckedBeforeTheOlderDumpIsReplaced) {
  if (!IsCompressionSupported(CompressionType::kZlibCompression)) return;
  const Filled filled;
  const TestFolder folder;
  const std::string path = folder / "cache.dump";
  CacheDumpStats dumped;
  Require(DumpBlockCache(*filled.cache, path, {}, &dumped));
  const std::string before = ReadFile(path);
  CacheDumpOptions options;
  options.compression_type = CompressionType::kZlibCompression;
  options.compression_opts.window_bits = 15;
  const Status status = DumpBlockCache(*filled.cache, path, options, &dumped);
  EXPECT_TRUE(status.IsInvalidArgument()) << status.ToString();
  EXPECT_TRUE(ReadFile(path) == before);
}

TEST(CacheDump, FaultsOfTheFileAreReturned) {
  const Filled filled;
  FaultPlan plan;
  plan.fail_at = 1;
  std::string bytes;
  const auto file = NewFaultyWritableFile("dump", &bytes, &plan);
  CacheDumpStats dumped;
  EXPECT_TRUE(
      DumpBlockCache(*filled.cache, file.get(), {}, &dumped).IsIOError());
  const std::string dump = DumpOf(*filled.cache, {});
  for (const auto kind : {FaultPlan::Kind::kError, FaultPlan::Kind::kNothing,
                          FaultPlan::Kind::kOneShort}) {
    FaultPlan reads;
    reads.fail_at = 1;
    reads.persistent = true;
    reads.kind = kind;
    const auto faulty = NewFaultyFile("dump", dump, &reads);
    const auto second = kDumpedCaches[0].make(size_t{4} << 20);
    CacheLoadStats loaded;
    const Status status = LoadBlockCache(*faulty, second.get(), {}, &loaded);
    EXPECT_EQ(status.IsIOError(), kind == FaultPlan::Kind::kError)
        << status.ToString();
  }
}

// Reads, evictions, dumps and loads at the same time. Every answer is right.
TEST(CacheDump, WhileOthersUseTheCache) {
  for (const DumpedCache& make : kDumpedCaches) {
    SCOPED_TRACE(make.name);
    const std::string table = TableOf(kDumpedForms[3]);
    const auto cache = make.make(20'000);  // too small for all blocks
    const auto reader = OpenTable(table, InCache(cache));
    std::string dump = DumpOf(*cache, {});
    RunTogether(4, [&](int thread) -> std::string {
      Random random(static_cast<uint64_t>(thread));
      for (int round = 0; round < 20; ++round) {
        if (thread == 0) {
          dump = DumpOf(*cache, {});
          Load(dump, cache.get());
          cache->EraseUnRefEntries();
          Load(dump, cache.get());
          continue;
        }
        for (int i = 0; i < 50; ++i) {
          const auto number = static_cast<int>(random.Below(kDumpedEntries));
          const std::string found = GetOne(*reader, number);
          if (found != ValueNumber(number)) return "wrong value " + found;
        }
        if (thread == 1) {
          CacheDumpOptions keys;
          keys.contents = CacheDumpOptions::Contents::kKeys;
          Warm(DumpOf(*cache, keys), {reader.get()});
        }
      }
      return "";
    });
  }
}

}  // namespace
}  // namespace ashlar::testing
