// Tests WarmTables: the blocks that a dump names are read from open tables, in
// the order of each file, and nothing else is.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "ashlar/table/inspect.h"
#include "table/dump/dump_format.h"
#include "test/support/dumped_tables.h"
#include "test/support/folder.h"

namespace ashlar::testing {
namespace {

CacheDumpOptions Keys() {
  CacheDumpOptions options;
  options.contents = CacheDumpOptions::Contents::kKeys;
  return options;
}

TEST(WarmTables, EveryKindOfBlockInEveryCache) {
  for (const DumpedCache& make : kDumpedCaches) {
    for (const DumpedForm& form : kDumpedForms) {
      for (const bool keys : {true, false}) {
        SCOPED_TRACE(std::string(make.name) + " " + form.name);
        const std::string table = TableOf(form);
        const auto first = make.make(size_t{4} << 20);
        const auto reader = OpenTable(table, InCache(first));
        const std::vector<Entry> expected = AllEntries(*reader);
        CheckGets(*reader);
        CacheDumpStats dumped;
        const std::string dump =
            DumpOf(*first, keys ? Keys() : CacheDumpOptions(), &dumped);

        const auto second = make.make(size_t{4} << 20);
        FaultPlan plan;
        const auto again = OpenCounted(table, InCache(second), &plan);
        const uint64_t present = second->GetOccupancyCount();
        const CacheLoadStats warmed = Warm(dump, {again.get()});
        EXPECT_EQ(warmed.present, present);
        EXPECT_EQ(warmed.loaded, dumped.entries - present);
        EXPECT_EQ(warmed.not_in_table + warmed.unreadable + warmed.refused +
                      warmed.other_files,
                  0u);
        EXPECT_FALSE(warmed.cut_off);
        plan.operations = 0;
        EXPECT_EQ(AllEntries(*again), expected);
        CheckGets(*again);
        EXPECT_EQ(plan.operations, 0u);
        // A reader that keeps index and filter itself.
        const auto plain = make.make(size_t{4} << 20);
        const auto keeps = OpenTable(table, In(plain));
        const CacheLoadStats data = Warm(dump, {keeps.get()});
        EXPECT_EQ(data.loaded + data.not_in_table, dumped.entries);
        EXPECT_EQ(plain->GetOccupancyCount(), data.loaded);
        // A dump of keys has nothing to load.
        const auto third = make.make(size_t{4} << 20);
        const CacheLoadStats loaded = Load(dump, third.get());
        EXPECT_EQ(loaded.loaded, keys ? 0 : dumped.entries);
      }
    }
  }
}

// Notes where it was read.
class NotedFile final : public RandomAccessFile {
 public:
  NotedFile(std::string bytes, std::vector<uint64_t>* offsets)
      : file_(NewMemoryFile("test.sst", std::move(bytes))),
        offsets_(*offsets) {}
  Status Read(uint64_t offset, size_t n, char* scratch,
              Slice* data) const override {
    offsets_.push_back(offset);
    return file_->Read(offset, n, scratch, data);
  }
  uint64_t Size() const override { return file_->Size(); }
  std::string name() const override { return file_->name(); }

 private:
  const std::unique_ptr<RandomAccessFile> file_;
  std::vector<uint64_t>& offsets_;
};

TEST(WarmTables, ReadsInTheOrderOfTheFile) {
  const std::string table = TableOf(kDumpedForms[0]);
  const auto first = DumpedLru(size_t{4} << 20);
  const auto reader = OpenTable(table, In(first));
  Random random(1);
  for (int i = 0; i < 60; ++i) {
    GetOne(*reader, static_cast<int>(random.Below(kDumpedEntries)));
  }
  const size_t blocks = first->GetOccupancyCount();
  std::vector<uint64_t> offsets;
  const auto second = DumpedLru(size_t{4} << 20);
  ReaderOptions options = In(second);
  options.load_index_and_filter = LoadTime::kAtOpen;
  auto again =
      TableReader::Open(std::make_unique<NotedFile>(table, &offsets), options);
  Require(again.status());
  offsets.clear();
  const CacheLoadStats warmed = Warm(DumpOf(*first, Keys()), {again->get()});
  EXPECT_EQ(warmed.loaded, blocks);
  EXPECT_EQ(offsets.size(), blocks);
  EXPECT_TRUE(std::ranges::is_sorted(offsets));
  EXPECT_EQ(second->GetOccupancyCount(), blocks);
}

TEST(WarmTables, ASmallerCacheGetsTheFirstKeys) {
  const std::string table = TableOf(kDumpedForms[0]);
  const auto first = DumpedLru(size_t{4} << 20);
  const auto reader = OpenTable(table, In(first));
  AllEntries(*reader);
  for (int i = 100; i < 200; ++i) GetOne(*reader, i);
  const auto second = DumpedLru(first->GetUsage() / 3);
  FaultPlan plan;
  const auto again = OpenCounted(table, In(second), &plan);
  const CacheLoadStats warmed = Warm(DumpOf(*first, Keys()), {again.get()});
  EXPECT_EQ(warmed.end, CacheDumpEnd::kFull);
  EXPECT_GT(warmed.loaded, first->GetOccupancyCount() / 4);
  plan.operations = 0;
  for (int i = 100; i < 200; ++i) {
    EXPECT_EQ(GetOne(*again, i), ValueNumber(i));
  }
  EXPECT_EQ(plan.operations, 0u);
}

class StepClock final : public CacheDumpClock {
 public:
  uint64_t NowMicros() override { return now_ += 1000; }
  void SleepForMicroseconds(uint64_t micros) override { now_ += micros; }

 private:
  uint64_t now_ = 0;
};

TEST(WarmTables, ADeadlineKeepsTheBest) {
  const std::string table = TableOf(kDumpedForms[0]);
  const auto first = DumpedLru(size_t{4} << 20);
  const auto reader = OpenTable(table, In(first));
  AllEntries(*reader);
  for (int i = 500; i < 550; ++i) GetOne(*reader, i);  // the best, at the end
  const auto second = DumpedLru(size_t{4} << 20);
  FaultPlan plan;
  const auto again = OpenCounted(table, In(second), &plan);
  StepClock clock;
  CacheLoadOptions options;
  options.clock = &clock;
  const size_t blocks = first->GetOccupancyCount();
  options.deadline = std::chrono::milliseconds(blocks / 3);
  const CacheLoadStats warmed =
      Warm(DumpOf(*first, Keys()), {again.get()}, options);
  EXPECT_EQ(warmed.end, CacheDumpEnd::kDeadline);
  EXPECT_LT(warmed.loaded, blocks / 2);
  plan.operations = 0;
  for (int i = 500; i < 550; ++i) GetOne(*again, i);
  EXPECT_EQ(plan.operations, 0u);
}

TEST(WarmTables, DamageCostsItsBlock) {
  for (const DumpedForm& form : kDumpedForms) {
    SCOPED_TRACE(form.name);
    std::string table = TableOf(form);
    const auto first = DumpedLru(size_t{4} << 20);
    const auto reader = OpenTable(table, InCache(first));
    AllEntries(*reader);
    CheckGets(*reader);
    CacheDumpStats dumped;
    const std::string dump = DumpOf(*first, Keys(), &dumped);
    table[1000] = static_cast<char>(table[1000] ^ 1);  // in a data block
    const auto second = DumpedLru(size_t{4} << 20);
    const auto again = OpenTable(table, InCache(second));
    const CacheLoadStats warmed = Warm(dump, {again.get()});
    EXPECT_EQ(warmed.unreadable, 1u);
    EXPECT_EQ(warmed.loaded + warmed.present, dumped.entries - 1);
  }
}

TEST(WarmTables, ManyTablesAndThoseThatAreGone) {
  const auto first = DumpedLru(size_t{4} << 20);
  std::vector<std::string> tables;
  std::vector<std::unique_ptr<TableReader>> readers;
  for (const char* seed : {"a", "b", "c", "d"}) {
    tables.push_back(TableOf(kDumpedForms[0], seed));
    readers.push_back(OpenTable(tables.back(), In(first)));
    AllEntries(*readers.back());
  }
  const uint64_t each = first->GetOccupancyCount() / 4;
  const std::string dump = DumpOf(*first, Keys());
  const auto second = DumpedLru(size_t{4} << 20);
  const auto b = OpenTable(tables[1], In(second));
  const auto d = OpenTable(tables[3], In(second));
  const auto uncached = OpenTable(tables[0]);
  const CacheLoadStats warmed = Warm(dump, {d.get(), uncached.get(), b.get()});
  EXPECT_EQ(warmed.loaded, 2 * each);
  EXPECT_EQ(warmed.other_files, 2 * each);
  EXPECT_EQ(Warm(dump, {}).loaded, 0u);

  CacheLoadStats stats;
  const auto file = NewMemoryFile("cache.dump", dump);
  const std::vector<const TableReader*> different = {d.get(), readers[0].get()};
  EXPECT_EQ(WarmTables(*file, different, {}, &stats).code(),
            Status::Code::kInvalidArgument);
}

// The dump says which blocks, and nothing else.
TEST(WarmTables, OnlyBlocksThatTheIndexNamesAreRead) {
  const std::string table = TableOf(kDumpedForms[3]);
  const auto cache = DumpedLru(size_t{4} << 20);
  FaultPlan plan;
  const auto reader = OpenCounted(table, InCache(cache), &plan);
  std::string bytes;
  const auto file = NewMemoryWritableFile("dump", &bytes);
  internal::DumpWriter writer(file.get(), 1);
  Require(writer.AddHeader(false));
  internal::Buffer keys;
  constexpr int kKeys = 300;
  Random random(1);
  for (int i = 0; i < kKeys; ++i) {
    internal::AppendDumpKey(
        {.key = FileKeyOf(*reader).AtOffset(random.Below(uint64_t{1} << 39) |
                                            uint64_t{1} << 30),
         .role = static_cast<CacheEntryRole>(i % 4)},
        &keys);
  }
  Require(writer.AddKeys(keys.slice()));
  Require(writer.AddEnd());
  const CacheLoadStats warmed = Warm(bytes, {reader.get()});
  EXPECT_EQ(warmed.loaded, 0u);
  EXPECT_EQ(warmed.not_in_table, static_cast<uint64_t>(kKeys));
}

// Roles that this release does not have are those of a later one.
TEST(WarmTables, KeysOfUnknownRolesAreRefused) {
  const auto reader =
      OpenTable(TableOf(kDumpedForms[3]), InCache(DumpedLru(size_t{4} << 20)));
  std::string bytes;
  const auto file = NewMemoryWritableFile("dump", &bytes);
  internal::DumpWriter writer(file.get(), 1);
  Require(writer.AddHeader(false));
  internal::Buffer keys;
  for (const size_t role : {size_t{0}, kCacheEntryRoles, size_t{255}}) {
    internal::AppendDumpKey(
        {.key = FileKeyOf(*reader).AtOffset(uint64_t{1} << 30),
         .role = static_cast<CacheEntryRole>(role)},
        &keys);
  }
  Require(writer.AddKeys(keys.slice()));
  Require(writer.AddEnd());
  const CacheLoadStats warmed = Warm(bytes, {reader.get()});
  EXPECT_EQ(warmed.refused, 2u);
  EXPECT_EQ(warmed.not_in_table, 1u);
}

// A dump of more keys than one record may have.
TEST(WarmTables, ManyKeysComeInSeveralRecords) {
  TableOptions options;
  options.block_size = 64;
  const std::string table = BuildTable(options, SomeEntries(6000));
  const auto cache = DumpedLru(size_t{16} << 20);
  const auto reader = OpenTable(table, InCache(cache));
  const std::vector<Entry> expected = AllEntries(*reader);
  CacheDumpStats dumped;
  const std::string dump = DumpOf(*cache, Keys(), &dumped);
  ASSERT_GT(dumped.entries, 2 * internal::kMostDumpKeys);
  const auto again = OpenTable(table, InCache(DumpedLru(size_t{16} << 20)));
  const CacheLoadStats warmed = Warm(dump, {again.get()});
  EXPECT_EQ(warmed.loaded + warmed.present, dumped.entries);
  EXPECT_EQ(AllEntries(*again), expected);
}

TEST(WarmTables, DumpsAreOpenedByTheirPath) {
  const TestFolder folder;
  const std::string table = TableOf(kDumpedForms[3]);
  const auto cache = DumpedLru(size_t{4} << 20);
  const auto reader = OpenTable(table, InCache(cache));
  AllEntries(*reader);
  CacheDumpStats dumped;
  WriteFile(folder / "dump", DumpOf(*cache, Keys(), &dumped));
  const auto again = OpenTable(table, InCache(DumpedLru(size_t{4} << 20)));
  const std::vector<const TableReader*> tables = {again.get()};
  CacheLoadStats stats;
  Require(WarmTables(folder / "dump", tables, {}, &stats));
  EXPECT_EQ(stats.loaded + stats.present, dumped.entries);
  EXPECT_TRUE(WarmTables(folder / "none", tables, {}, &stats).IsIOError());
  EXPECT_EQ(stats.loaded, 0u);
}

}  // namespace
}  // namespace ashlar::testing
