// Fuzz target: dumps of the block cache, loaded and then read through.
//
// In the first form the input is a dump. Reads must then be right, whatever was
// loaded: damage does not pass the checksums. In the second form the input says
// what is in the records, and these are sound. Then the bytes of each record
// meet the parsers, and reads may be wrong, but must end.
#include "ashlar/table/cache_dump.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "ashlar/cache/cache_options.h"
#include "table/dump/dump_format.h"
#include "table/read/reader_internals.h"
#include "test/fuzz/cost.h"
#include "test/fuzz/fuzz_input.h"
#include "test/support/tables.h"

namespace ashlar {

namespace {

using testing::Entry;

constexpr int kEntries = 40;
constexpr fuzz::CostLimit kCostOfLoad = {.what = "load dump",
                                         .bytes = 8 * fuzz::kMaxBlockBytes,
                                         .bytes_per_byte = 64,
                                         .seconds = 2};

std::shared_ptr<Cache> NewCache() {
  LruCacheOptions options;
  options.capacity = size_t{1} << 20;
  options.num_shard_bits = 0;
  return std::move(NewLruCache(options)).value();
}

// A table with blocks of all kinds, and the keys of its blocks.
struct Subject {
  Subject() {
    TableOptions options;
    options.block_size = 250;
    options.metadata_block_size = 200;
    options.filter = FilterType::kBloom;
    options.index_type = IndexType::kTwoLevelIndexSearch;
    options.partition_filters = true;
    table = testing::BuildTable(options, testing::SomeEntries(kEntries));
    const auto cache = NewCache();
    const auto reader = Open(cache);
    entries = Read(*reader);
    cache->ForEachEntry(
        [this](const CacheEntryView& entry) { keys.push_back(entry.key); });
    // By their offsets, so that an input does the same in each process.
    const uint64_t base =
        ReaderInternals::TableOf(*reader).data.cache().file().block;
    std::sort(keys.begin(), keys.end(),
              [base](const CacheKey& a, const CacheKey& b) {
                return (a.block ^ base) < (b.block ^ base);
              });
  }

  std::unique_ptr<TableReader> Open(const std::shared_ptr<Cache>& cache) const {
    ReaderOptions options;
    options.block_cache = cache;
    options.cache_index_and_filter_blocks = true;
    return testing::OpenTable(table, options);
  }
  // Reads in every way. Returns what a walk has found.
  static std::vector<Entry> Read(const TableReader& reader) {
    GetResult result;
    for (const char* key : {"key00000", "key00017", "key00039", "absent"}) {
      reader.Get(key, &result).IgnoreError();
    }
    std::vector<Entry> found;
    testing::ReadBackward(reader, {}, &found).IgnoreError();
    testing::ReadForward(reader, {}, &found).IgnoreError();
    return found;
  }

  std::string table;
  std::vector<Entry> entries;
  std::vector<CacheKey> keys;
};

const Subject& TheSubject() {
  static const Subject subject;
  return subject;
}

// Makes a sound dump of the records that the input describes.
std::string SoundDump(fuzz::FuzzInput input, bool has_blocks) {
  std::string bytes;
  const auto file = NewMemoryWritableFile("dump", &bytes);
  internal::DumpWriter writer(file.get(), 1);
  writer.AddHeader(has_blocks).IgnoreError();
  const std::vector<CacheKey>& keys = TheSubject().keys;
  while (!input.empty()) {
    internal::DumpRecord record;
    record.entry.key = keys[input.Byte() % keys.size()];
    record.entry.role =
        static_cast<CacheEntryRole>(input.Byte() % kCacheEntryRoles);
    record.entry.was_hit = (input.Byte() & 1) != 0;
    record.compression = static_cast<CompressionType>(input.Byte());
    record.raw_size = static_cast<uint32_t>(input.Number(2));
    record.body = input.Bytes(input.Number(2));
    writer.AddBlock(record).IgnoreError();
  }
  writer.AddEnd().IgnoreError();
  return bytes;
}

}  // namespace

}  // namespace ashlar

// Input: form; for the second form, records: number of a key, role, flags,
// compression, uncompressed size (2), size (2) and bytes of the body.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace ashlar;
  fuzz::FuzzInput input(data, size);
  const bool is_dump = (input.Byte() & 1) == 0;
  const Subject& subject = TheSubject();
  const auto file = NewMemoryFile(
      "cache.dump", is_dump ? input.rest().ToString() : SoundDump(input, true));
  const auto cache = NewCache();
  CacheLoadStats stats;
  Status loaded;
  {
    const fuzz::Cost cost(kCostOfLoad, file->Size());
    loaded = LoadBlockCache(*file, cache.get(), {}, &stats);
  }
  FUZZ_CHECK(loaded.ok() || stats.loaded == 0);
  FUZZ_CHECK(is_dump || (loaded.ok() && stats.damaged == 0));
  FUZZ_CHECK(cache->GetOccupancyCount() == stats.loaded);
  auto reader = subject.Open(cache);
  const auto found = Subject::Read(*reader);
  FUZZ_CHECK(!is_dump || found == subject.entries);
  // A reader holds the top level of its index. If that may be a record's, only
  // another reader must read right afterwards.
  if (!is_dump) reader.reset();
  cache->EraseUnRefEntries();
  if (!is_dump) reader = subject.Open(cache);
  const TableReader* const tables[] = {reader.get()};
  FUZZ_CHECK(WarmTables(*file, tables, {}, &stats).code() == loaded.code());
  FUZZ_CHECK(Subject::Read(*reader) == subject.entries);
  return 0;
}
