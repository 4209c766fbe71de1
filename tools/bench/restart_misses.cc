// restart_misses: counts what a restart costs, with a dump of the block cache
// and without.
//
//   restart_misses [--cache_types=lru,hyper_clock] [--cache_percent=25]
//
// Builds tables in memory, and reads random keys by Get until the block cache
// is as warm as it gets. Then it dumps the cache, throws cache and readers
// away, and goes on with the same requests and an empty cache, which has loaded
// the dump or not. Misses are counted until the share of hits among --window
// requests is 90 % of what it was before. These are counts, not times: every
// run has the same.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ashlar/cache/cache_options.h"
#include "ashlar/table/cache_dump.h"
#include "ashlar/table/entry/table_identity.h"
#include "ashlar/table/statistics.h"
#include "ashlar/table/table_builder.h"
#include "ashlar/table/table_reader.h"
#include "third-party/gflags_lib.h"
#include "tools/bench/command_line.h"

DEFINE_string(cache_types, "lru,hyper_clock,admission",
              "comma-separated: lru, hyper_clock, admission");
DEFINE_uint32(tables, 8, "tables");
DEFINE_uint64(num, 200000, "entries of each table");
DEFINE_uint32(value_size, 100, "bytes of a value");
DEFINE_double(cache_percent, 25, "capacity, in percent of all data blocks");
DEFINE_uint32(skew, 3, "a key is the least of skew + 1 random numbers");
DEFINE_uint64(warm_requests, 600000, "requests before the restart");
DEFINE_uint64(window, 1000, "requests whose hits are looked at together");
DEFINE_uint64(seed, 1, "seed of the requests");

namespace ashlar::bench {
namespace {

// The first request that fails ends the program.
void Require(const Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "restart_misses: %s\n", status.ToString().c_str());
  std::exit(1);
}

class Draw {
 public:
  explicit Draw(uint64_t seed) : state_(seed) {}

  uint64_t Below(uint64_t n) {
    uint64_t z = (state_ += 0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return (z ^ (z >> 31)) % n;
  }
  uint64_t Skewed(uint64_t n) {
    uint64_t least = Below(n);
    for (uint32_t i = 0; i < FLAGS_skew; ++i) least = std::min(least, Below(n));
    return least;
  }

 private:
  uint64_t state_;
};

std::string KeyOf(uint64_t number) {
  char key[32];
  std::snprintf(key, sizeof key, "user:%011llu",
                static_cast<unsigned long long>(number));
  return key;
}

std::string BuildOne(uint32_t number) {
  constexpr uint64_t kSomeTime = 1'700'000'000;
  BuildOptions options;
  options.identity =
      FixedTableIdentity("restart" + std::to_string(number), kSomeTime);
  std::string bytes;
  const auto file = NewMemoryWritableFile("built.sst", &bytes);
  auto builder = TableBuilder::Create({}, options, file.get());
  Require(builder.status());
  Draw draw(number + 1);
  std::string value(FLAGS_value_size, 'v');
  for (uint64_t i = 0; i < FLAGS_num; ++i) {
    for (char& c : value) c = static_cast<char>('a' + draw.Below(16));
    Require((*builder)->Add(MakeInternalKey(KeyOf(i), 1, ValueType::kTypeValue),
                            value));
  }
  Require((*builder)->Finish());
  return bytes;
}

std::shared_ptr<Cache> CacheOf(const std::string& type, size_t capacity) {
  if (type == "lru") {
    LruCacheOptions options;
    options.capacity = capacity;
    auto cache = NewLruCache(options);
    Require(cache.status());
    return std::move(cache).value();
  }
  if (type != "hyper_clock" && type != "admission") {
    Usage("unknown cache type " + type);
  }
  HyperClockCacheOptions options;
  options.capacity = capacity;
  options.estimated_entry_charge = 4096;
  options.admission = type == "admission";
  auto cache = NewHyperClockCache(options);
  Require(cache.status());
  return std::move(cache).value();
}

// A process: readers, and their cache.
class Process {
 public:
  Process(const std::vector<std::string>& tables, std::shared_ptr<Cache> cache)
      : cache_(std::move(cache)), statistics_(std::make_shared<Statistics>()) {
    ReaderOptions options;
    options.block_cache = cache_;
    options.statistics = statistics_;
    for (const std::string& table : tables) {
      auto reader =
          TableReader::Open(NewMemoryFile("table.sst", table), options);
      Require(reader.status());
      readers_.push_back(std::move(reader).value());
      pointers_.push_back(readers_.back().get());
    }
  }

  Cache& cache() { return *cache_; }
  std::span<const TableReader* const> readers() const { return pointers_; }

  // Does requests. Returns how many blocks were missing.
  uint64_t Run(uint64_t requests, Draw* draw) {
    const uint64_t before = Misses();
    GetResult result;
    for (uint64_t i = 0; i < requests; ++i) {
      const TableReader& reader = *readers_[draw->Below(readers_.size())];
      Require(reader.Get(KeyOf(draw->Skewed(FLAGS_num)), &result));
      result.Reset();
    }
    return Misses() - before;
  }

 private:
  uint64_t Misses() const {
    return statistics_->GetTickerCount(Ticker::kBlockCacheDataMiss);
  }

  const std::shared_ptr<Cache> cache_;
  const std::shared_ptr<Statistics> statistics_;
  std::vector<std::unique_ptr<TableReader>> readers_;
  std::vector<const TableReader*> pointers_;
};

double HitsOf(uint64_t misses, uint64_t requests) {
  return 1 - static_cast<double>(misses) / static_cast<double>(requests);
}

struct Recovery {
  uint64_t misses = 0;
  uint64_t requests = 0;
};

Recovery Recover(Process* process, Draw draw, double former_hits) {
  constexpr double kEnough = 0.9;
  Recovery recovery;
  double hits = 0;
  while (hits < kEnough * former_hits) {
    const uint64_t misses = process->Run(FLAGS_window, &draw);
    hits = HitsOf(misses, FLAGS_window);
    recovery.misses += misses;
    recovery.requests += FLAGS_window;
  }
  return recovery;
}

void Print(const char* how, uint64_t loaded, const Recovery& recovery,
           const Recovery& without) {
  std::printf(
      "  %-22s %8llu blocks loaded %8llu misses in %8llu requests, "
      "ratio %.3f\n",
      how, static_cast<unsigned long long>(loaded),
      static_cast<unsigned long long>(recovery.misses),
      static_cast<unsigned long long>(recovery.requests),
      static_cast<double>(recovery.misses) /
          static_cast<double>(without.misses));
}

void RunType(const std::string& type, const std::vector<std::string>& tables,
             size_t capacity) {
  Draw draw(FLAGS_seed);
  Process before(tables, CacheOf(type, capacity));
  before.Run(FLAGS_warm_requests, &draw);
  const uint64_t last = 20 * FLAGS_window;
  const double hits = HitsOf(before.Run(last, &draw), last);
  std::printf("%s, %zu bytes, hit ratio %.3f before the restart\n",
              type.c_str(), capacity, hits);
  std::string blocks;
  std::string keys;
  CacheDumpStats dumped;
  CacheDumpOptions options;
  Require(DumpBlockCache(before.cache(),
                         NewMemoryWritableFile("blocks", &blocks).get(),
                         options, &dumped));
  options.contents = CacheDumpOptions::Contents::kKeys;
  Require(DumpBlockCache(before.cache(),
                         NewMemoryWritableFile("keys", &keys).get(), options,
                         &dumped));
  Process cold(tables, CacheOf(type, capacity));
  const Recovery without = Recover(&cold, draw, hits);
  Print("without a dump", 0, without, without);
  const auto block_file = NewMemoryFile("blocks", blocks);
  const auto key_file = NewMemoryFile("keys", keys);
  CacheLoadStats loaded;
  for (const uint64_t share : {1, 2, 4}) {
    Process warm(tables, CacheOf(type, capacity));
    CacheLoadOptions load;
    load.max_size_bytes = blocks.size() / share;
    Require(LoadBlockCache(*block_file, &warm.cache(), load, &loaded));
    const std::string how =
        share == 1 ? "all blocks" : "1/" + std::to_string(share) + " of them";
    Print(how.c_str(), loaded.loaded, Recover(&warm, draw, hits), without);
  }
  Process warm(tables, CacheOf(type, capacity));
  Require(WarmTables(*key_file, warm.readers(), {}, &loaded));
  Print("all keys", loaded.loaded, Recover(&warm, draw, hits), without);
}

int Main() {
  if (FLAGS_tables < 1 || FLAGS_num < 1 || FLAGS_window < 1) {
    Usage("--tables, --num and --window must be 1 or more");
  }
  std::vector<std::string> tables;
  size_t bytes = 0;
  for (uint32_t i = 0; i < FLAGS_tables; ++i) {
    tables.push_back(BuildOne(i));
    auto reader = TableReader::Open(NewMemoryFile("table.sst", tables.back()));
    Require(reader.status());
    bytes += (*reader)->properties().raw_key_size +
             (*reader)->properties().raw_value_size;
  }
  const auto capacity = static_cast<size_t>(static_cast<double>(bytes) *
                                            FLAGS_cache_percent / 100);
  for (const std::string& type : Split(FLAGS_cache_types)) {
    RunType(type, tables, capacity);
  }
  return 0;
}

}  // namespace
}  // namespace ashlar::bench

int main(int argc, char** argv) {
  ashlar::bench::ParseFlags(
      "counts what a restart costs, with and without a dump of the cache", argc,
      argv);
  return ashlar::bench::Main();
}
