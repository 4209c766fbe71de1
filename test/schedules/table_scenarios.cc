// Scenarios of tables: builders, readers, scans and table caches on threads of
// a pool. Each result must be the one that a single thread gets.
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ashlar/table/table_builder.h"
#include "ashlar/table/table_cache.h"
#include "ashlar/table/table_reader.h"
#include "ashlar/util/file.h"
#include "ashlar/util/worker_pool.h"
#include "test/cache/cache_makers.h"
#include "test/schedules/controlled_threads.h"
#include "test/schedules/scenario.h"
#include "test/support/faulty_file.h"
#include "test/support/tables.h"

namespace ashlar::testing {

namespace {

constexpr int kEntries = 12;

// Blocks of two entries each.
TableOptions SmallBlocks(bool compressed) {
  TableOptions options;
  options.block_size = 32;
  options.compression = compressed ? CompressionType::kLZ4Compression
                                   : CompressionType::kNoCompression;
  return options;
}

Status BuildInto(WritableFile* file, const TableOptions& options,
                 const BuildOptions& build) {
  auto builder = TableBuilder::Create(options, build, file);
  if (!builder.ok()) return builder.status();
  for (const Entry& entry : SomeEntries(kEntries)) {
    Status status = (*builder)->Add(entry.key, entry.value);
    if (!status.ok()) return status;
  }
  return (*builder)->Finish();
}

// The ring with two workers of a pool, and a file that fails in some forms.
void Ring(uint64_t form) {
  const TableOptions options = SmallBlocks(form % 2 == 0);
  std::string expected;
  WithoutPoints([&] { expected = BuildTable(options, SomeEntries(kEntries)); });
  FaultPlan plan;
  if (form % 4 >= 2) plan.fail_at = 1 + form / 4 % 8;
  std::string bytes;
  const auto file = NewFaultyWritableFile("built", &bytes, &plan);
  WorkerPool pool(2);
  BuildOptions build = FixedBuild();
  build.workers = 2;
  build.worker_pool = &pool;
  const Status status = BuildInto(file.get(), options, build);
  if (plan.faults > 0) {
    Expect(
        !status.ok() && status.ToString().find(kInjected) != std::string::npos,
        "an error is lost: " + status.ToString());
  } else {
    Expect(status.ok(), status.ToString());
    Expect(bytes == expected, "the table has other bytes");
  }
}

// Two builders share a pool of one thread.
void TwoRings(uint64_t form) {
  WorkerPool pool(1);
  const auto make = [&pool](bool compressed) {
    const TableOptions options = SmallBlocks(compressed);
    std::string expected;
    WithoutPoints(
        [&] { expected = BuildTable(options, SomeEntries(kEntries)); });
    std::string bytes;
    const auto file = NewMemoryWritableFile("built", &bytes);
    BuildOptions build = FixedBuild();
    build.workers = 1;
    build.worker_pool = &pool;
    const Status status = BuildInto(file.get(), options, build);
    Expect(status.ok(), status.ToString());
    Expect(bytes == expected, "the table has other bytes");
  };
  ScenarioThreads threads;
  threads.Start([&] { make(form % 2 == 0); });
  make(form / 2 % 2 == 0);
}

std::shared_ptr<Cache> BlockCacheOf(uint64_t form) {
  constexpr size_t kCapacities[] = {4000, 200};
  const CacheConfig config{.capacity = kCapacities[form / 2 % 2],
                           .entry_charge = 100};
  return form % 2 == 0 ? MakeClock(config, 0).value()
                       : MakeAutoClock(config, 0).value();
}

void ExpectValue(const TableReader& reader, int i) {
  const std::vector<Entry> entries = SomeEntries(kEntries);
  GetResult result;
  const std::string key = entries[static_cast<size_t>(i)].key;
  const Status status =
      reader.Get({}, UserKeyOf(key), kMaxSequenceNumber, &result);
  Expect(status.ok(), status.ToString());
  Expect(
      result.state == GetResult::State::kFound &&
          result.value.slice() == Slice(entries[static_cast<size_t>(i)].value),
      "a Get finds another value");
}

// Threads ask for the same blocks, which are not in the cache at first.
void Reads(uint64_t form) {
  std::shared_ptr<Cache> cache;
  std::unique_ptr<TableReader> reader;
  WithoutPoints([&] {
    cache = BlockCacheOf(form);
    ReaderOptions options;
    options.block_cache = cache;
    reader = OpenTable(
        BuildTable(SmallBlocks(form / 4 % 2 == 0), SomeEntries(kEntries)),
        options);
  });
  const auto read = [&](int first) {
    for (int i = 0; i < 3; ++i)
      ExpectValue(*reader, (first + 4 * i) % kEntries);
  };
  {
    ScenarioThreads threads;
    threads.Start([&] { read(0); });
    threads.Start([&] { read(form / 8 % 2 == 0 ? 0 : 4); });
    read(1);
  }
  WithoutPoints([&] {
    reader.reset();
    Expect(cache->GetPinnedUsage() == 0, "a block is held by nobody");
    cache.reset();
  });
}

// A scan whose blocks the threads of a pool decode ahead.
void Scan(uint64_t form) {
  std::unique_ptr<TableReader> reader;
  const std::vector<Entry> entries = SomeEntries(kEntries);
  WithoutPoints([&] {
    ReaderOptions options;
    if (form % 2 == 0) options.block_cache = BlockCacheOf(form / 2);
    reader =
        OpenTable(BuildTable(SmallBlocks(form / 8 % 2 == 0), entries), options);
  });
  WorkerPool pool(2);
  ReadOptions options;
  options.worker_pool = &pool;
  std::vector<Entry> seen;
  const auto scan = [&] { return ReadForward(*reader, options, &seen); };
  if (form / 4 % 2 == 0) {
    const Status status = scan();
    Expect(status.ok(), status.ToString());
    Expect(seen == entries, "a scan gives other entries");
    return;
  }
  // It ends in the middle.
  Iterator iterator = reader->NewIterator(options);
  iterator.SeekToFirst();
  for (int i = 0; i < kEntries / 2 && iterator.Valid(); ++i) iterator.Next();
  Expect(iterator.Valid() && iterator.key() == Slice(entries[kEntries / 2].key),
         "a scan gives another entry");
}

// Tables that threads open, use, evict and close.
void Tables(uint64_t form) {
  std::string bytes;
  std::unique_ptr<TableCache> cache;
  std::array<int, 2> opening{};
  TableCacheOptions options;
  options.max_open_files = form % 2 == 0 ? 1 : 10;
  options.open = [&](uint64_t number, TableToOpen* table) {
    Expect(++opening[number] == 1, "two threads open one table");
    table->file = NewMemoryFile("table", bytes);
    --opening[number];
    return form % 4 < 2 || number == 0 ? Status() : Status::IOError("told to");
  };
  WithoutPoints([&] {
    bytes = BuildTable(SmallBlocks(false), SomeEntries(kEntries));
    auto made = TableCache::Create(options);
    Expect(made.ok(), made.status().ToString());
    cache = std::move(made).value();
  });
  const auto use = [&](uint64_t first) {
    for (uint64_t i = 0; i < 2; ++i) {
      const uint64_t number = (first + i) % 2;
      const auto found = cache->Find(number);
      const bool fails = form % 4 >= 2 && number == 1;
      Expect(found.ok() != fails, "a Find says the wrong thing");
      if (found.ok()) ExpectValue(**found, static_cast<int>(first + i));
      if (form / 4 % 2 != 0) cache->Evict(number);
    }
  };
  ScenarioThreads threads;
  threads.Start([&] { use(0); });
  threads.Start([&] { use(form / 8 % 2); });
  use(1);
}

constexpr std::array kScenarios = {
    Scenario{"ring", &Ring},     Scenario{"two_rings", &TwoRings},
    Scenario{"reads", &Reads},   Scenario{"scan", &Scan},
    Scenario{"tables", &Tables},
};

}  // namespace

std::span<const Scenario> TableScenarios() { return kScenarios; }

}  // namespace ashlar::testing
