// Tests dumping and loading a cache without memory. Each allocation fails once,
// and then all allocations from each one on. The outcome is MemoryLimit or a
// dump, and the reads of a cache that was loaded are right.

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "test/support/dumped_tables.h"
#include "test/support/scarcity.h"

namespace ashlar::testing {
namespace {

constexpr int kFew = 60;

TEST(ScarceMemory, CacheDumps) {
  for (const DumpedForm& form : {kDumpedForms[0], kDumpedForms[3]}) {
    for (const bool clock : {false, true}) {
      const auto make = [&] {
        return clock ? DumpedClock(size_t{1} << 20, false, 0)
                     : DumpedLru(size_t{1} << 20);
      };
      const std::string table =
          BuildTable(OptionsOf(form), SomeEntries(kFew), FixedBuild("test"));
      const auto first = make();
      const auto reader = OpenTable(table, InCache(first));
      const std::vector<Entry> expected = AllEntries(*reader);
      const size_t pinned = first->GetPinnedUsage();  // by the reader
      for (const bool compressed : {false, true}) {
        CacheDumpOptions options;
        if (compressed) options.compression_type = DefaultCompressionType();
        std::string dump;
        std::string sound;
        const auto file = NewMemoryWritableFile("cache.dump", &dump);
        const ScarcityCounts counts = ForEachFailure(
            [&] {
              dump.clear();
              CacheDumpStats stats;
              return DumpBlockCache(*first, file.get(), options, &stats);
            },
            [&] {
              if (sound.empty()) sound = dump;
              EXPECT_EQ(dump.size(), sound.size());
              EXPECT_EQ(first->GetPinnedUsage(), pinned);
            });
        EXPECT_GT(counts.failures, 0u);

        std::shared_ptr<Cache> second = make();
        const auto memory = NewMemoryFile("cache.dump", sound);
        CacheLoadStats stats;
        ForEachFailure(
            [&] {
              second->EraseUnRefEntries();
              return LoadBlockCache(*memory, second.get(), {}, &stats);
            },
            [&] {
              EXPECT_EQ(second->GetPinnedUsage(), 0u);
              EXPECT_EQ(AllEntries(*OpenTable(table, InCache(second))),
                        expected);
              second->EraseUnRefEntries();
            });

        const auto again = OpenTable(table, InCache(second));
        const TableReader* const tables[] = {again.get()};
        ForEachFailure(
            [&] {
              second->EraseUnRefEntries();
              return WarmTables(*memory, tables, {}, &stats);
            },
            [&] { EXPECT_EQ(AllEntries(*again), expected); });
      }
    }
  }
}

}  // namespace
}  // namespace ashlar::testing
