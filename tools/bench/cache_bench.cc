// cache_bench: compares this library's caches, RocksDB's and the physical
// limits, under the same load in the same run. The flags are those of RocksDB's
// cache_bench, where it has them.

#include <charconv>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "third-party/gflags_lib.h"
#include "tools/bench/cache_engine.h"
#include "tools/bench/cache_record.h"
#include "tools/bench/cache_report.h"
#include "tools/bench/command_line.h"
#include "tools/bench/rounds.h"

DEFINE_string(
    benchmarks, "mixed",
    "comma-separated: mixed (the operations by percentages), hit "
    "(lookup and release alone, all keys resident), hit_hint (by "
    "slot hint), hit_batch (by --batch_size keys), hot_key (one key, "
    "all threads), hot_key_hint (by slot hint), pinned_insert (the "
    "cache full of pinned entries), growth (lookups while one of the "
    "threads inserts, from 1000 entries up to the number of keys of hit); of "
    "the "
    "FIFO cache: record (entries of 24 bytes, by its write buffer), discard "
    "(the buffer's sink drops all)");
DEFINE_string(engines, "ashlar,rocksdb,limit",
              "comma-separated: ashlar, rocksdb, limit (only makes the keys; "
              "hot_key: two atomic additions; record: inserts and erases in a "
              "bare hash table, or limit:erase_oldest, limit:mutexed_lru; "
              "discard: an atomic addition); name:lru_cache and name@4 have "
              "their own cache type and number of threads; the first is "
              "compared with the others");
DEFINE_int32(threads, 16, "threads at once");
DEFINE_uint64(cache_size, 1ULL << 30, "bytes of capacity");
DEFINE_int32(num_shard_bits, -1, "2^n shards; -1: the cache chooses");
DEFINE_double(resident_ratio, 0.25, "mixed: capacity as a share of all keys");
DEFINE_uint64(ops_per_thread, 2000000,
              "operations of each thread; record and discard: of all threads "
              "together");
DEFINE_uint64(value_bytes, 8192, "bytes that an entry is charged");
DEFINE_uint64(
    value_bytes_estimate, 0,
    "bytes that a hyper clock cache is passed as its estimate of a charge; 0: "
    "--value_bytes, or no estimate for a cache that sizes itself");
DEFINE_uint32(skew, 5, "mixed: a key is the least of skew + 1 random numbers");
DEFINE_bool(populate_cache, true, "mixed: the cache is full at the start");
DEFINE_double(pinned_ratio, 0.25,
              "mixed: share of the capacity that all threads hold by handles");
DEFINE_uint32(lookup_insert_percent, 82,
              "percent of mixed: lookups, with an insert after a miss");
DEFINE_uint32(insert_percent, 2,
              "percent of mixed: inserts that take a handle");
DEFINE_uint32(blind_insert_percent, 5,
              "percent of mixed: inserts without a handle");
DEFINE_uint32(lookup_percent, 10, "percent of mixed: lookups alone");
DEFINE_uint32(erase_percent, 1, "percent of mixed: erasures");
DEFINE_int32(eviction_effort_cap, 30, "option of a hyper clock cache");
DEFINE_bool(strict_capacity_limit, false,
            "inserts fail instead of exceeding the capacity");
DEFINE_string(cache_type, "hyper_clock_cache",
              "hyper_clock_cache, auto_hyper_clock_cache (sizes itself), "
              "lru_cache; fifo_cache, which has only record and discard");
DEFINE_bool(real_values, false,
            "values are buffers, made for each insert and read by each hit; "
            "otherwise an entry is only a charge");
DEFINE_bool(lean, false, "hits do not read real values");
DEFINE_bool(histograms, true,
            "mixed and growth: measure latencies in a separate run after the "
            "rounds, so "
            "that reading the clock takes no time in the rounds");
DEFINE_bool(gather_stats, false,
            "mixed: one more thread visits every entry again and again");
DEFINE_uint32(gather_stats_sleep_ms, 1000,
              "milliseconds that the thread of --gather_stats pauses");
DEFINE_double(hit_fill, 0.9,
              "hits: keys, as a share of the entries that fit into the "
              "capacity");
DEFINE_int32(batch_size, 32, "keys of a batch");
DEFINE_uint32(buffer_blocks, 64,
              "blocks of 4 KiB in the write buffer of record; it has "
              "2^num_shard_bits shards, or 16 if that is -1");
DEFINE_uint64(seed, 1, "seed of keys and hashes");
DEFINE_int32(rounds, 3, "number of undisturbed rounds; use 15 for a claim");
DEFINE_bool(keep_disturbed, false, "keep disturbed rounds too");
DEFINE_bool(json, false, "one JSON document instead of lines");

namespace ashlar::bench {

namespace {

CacheBenchOptions OptionsFromFlags() {
  CacheBenchOptions o;
  o.threads = FLAGS_threads;
  o.ops_per_thread = FLAGS_ops_per_thread;
  o.seed = FLAGS_seed;
  o.cache_type = FLAGS_cache_type;
  o.cache_size = FLAGS_cache_size;
  o.num_shard_bits = FLAGS_num_shard_bits;
  o.value_bytes = FLAGS_value_bytes;
  o.value_bytes_estimate = FLAGS_value_bytes_estimate;
  o.eviction_effort_cap = FLAGS_eviction_effort_cap;
  o.strict_capacity_limit = FLAGS_strict_capacity_limit;
  o.resident_ratio = FLAGS_resident_ratio;
  o.skew = FLAGS_skew;
  o.populate_cache = FLAGS_populate_cache;
  o.pinned_ratio = FLAGS_pinned_ratio;
  o.lookup_insert_percent = FLAGS_lookup_insert_percent;
  o.insert_percent = FLAGS_insert_percent;
  o.blind_insert_percent = FLAGS_blind_insert_percent;
  o.lookup_percent = FLAGS_lookup_percent;
  o.erase_percent = FLAGS_erase_percent;
  o.real_values = FLAGS_real_values;
  o.lean = FLAGS_lean;
  o.gather_stats = FLAGS_gather_stats;
  o.gather_stats_sleep_ms = FLAGS_gather_stats_sleep_ms;
  o.hit_fill = FLAGS_hit_fill;
  o.batch_size = FLAGS_batch_size;
  o.buffer_blocks = FLAGS_buffer_blocks;
  return o;
}

void CheckFlags() {
  if (FLAGS_lookup_insert_percent + FLAGS_insert_percent +
          FLAGS_blind_insert_percent + FLAGS_lookup_percent +
          FLAGS_erase_percent !=
      100) {
    Usage("the percentages of the operations must add up to 100");
  }
  if (FLAGS_threads < 1 || FLAGS_rounds < 1 || FLAGS_batch_size < 1 ||
      FLAGS_value_bytes < 1 || FLAGS_ops_per_thread < 1 || FLAGS_seed < 1) {
    Usage(
        "--threads, --rounds, --batch_size, --value_bytes, --ops_per_thread "
        "and --seed must be 1 or more");
  }
  if (FLAGS_cache_size < FLAGS_value_bytes) {
    Usage("--cache_size must be --value_bytes or more");
  }
  const auto is_part = [](double x) { return x > 0 && x <= 1; };
  if (!is_part(FLAGS_resident_ratio) || !is_part(FLAGS_hit_fill) ||
      FLAGS_pinned_ratio < 0) {
    Usage(
        "--resident_ratio and --hit_fill must be above 0 and at most 1, "
        "--pinned_ratio 0 or more");
  }
}

// Returns null if it is RocksDB's and no RocksDB is installed.
std::unique_ptr<CacheEngine> EngineOf(const std::string& name) {
  if (name == "ashlar") return NewAshlarCacheEngine();
  if (name == "limit") return NewLimitCacheEngine();
  if (name != "rocksdb") Usage("unknown engine " + name);
  std::string why;
  auto engine = LoadRocksDbCacheEngine(&why);
  if (engine == nullptr) {
    std::fprintf(stderr,
                 "cache_bench: engine rocksdb is skipped: %s "
                 "(tools/interop/fetch_oracle sets it up)\n",
                 why.c_str());
  }
  return engine;
}

int ThreadsFrom(const std::string& number, const std::string& spec) {
  int threads = 0;
  const char* const end = number.data() + number.size();
  const auto [stop, error] = std::from_chars(number.data(), end, threads);
  if (error != std::errc() || stop != end || threads < 1) {
    Usage("unknown number of threads in engine " + spec);
  }
  return threads;
}

using Engines = std::map<std::string, std::unique_ptr<CacheEngine>>;

// Adds an entrant. `spec` is "name", "name:cache_type", "name@threads" or
// "name:cache_type@threads".
void AddEntrant(const std::string& spec, Engines* engines,
                std::vector<CacheEntrant>* entrants) {
  CacheEntrant entrant = {spec, nullptr, OptionsFromFlags()};
  std::string name = spec;
  if (const size_t at = name.find('@'); at != std::string::npos) {
    entrant.options.threads = ThreadsFrom(name.substr(at + 1), spec);
    name.resize(at);
  }
  if (const size_t colon = name.find(':'); colon != std::string::npos) {
    entrant.options.cache_type = name.substr(colon + 1);
    name.resize(colon);
  }
  if (!engines->contains(name)) (*engines)[name] = EngineOf(name);
  entrant.engine = (*engines)[name].get();
  if (entrant.engine == nullptr) return;
  if (!entrant.engine->HasType(entrant.options.cache_type)) {
    Usage("engine " + name + " has no cache type " +
          entrant.options.cache_type);
  }
  for (const CacheEntrant& other : *entrants) {
    if (other.name == spec) Usage("engine " + spec + " is listed twice");
  }
  entrants->push_back(std::move(entrant));
}

void CheckBenchmark(const std::string& name) {
  if (name == "growth" && FLAGS_threads < 2) {
    Usage("growth needs --threads of 2 or more");
  }
  for (const char* known :
       {"mixed", "hit", "hit_hint", "hit_batch", "hot_key", "hot_key_hint",
        "pinned_insert", "growth", "record", "discard"}) {
    if (name == known) return;
  }
  Usage("unknown benchmark " + name);
}

// The FIFO cache has other benchmarks than the caches of blocks.
void CheckTypes(const std::string& benchmark,
                const std::vector<CacheEntrant>& entrants) {
  for (const CacheEntrant& entrant : entrants) {
    const bool is_fifo = entrant.options.cache_type == "fifo_cache";
    if (entrant.is_limit() || IsRecordBenchmark(benchmark) == is_fifo) continue;
    Usage("engine " + entrant.name + ", of cache type " +
          entrant.options.cache_type + ", has no benchmark " + benchmark);
  }
}

std::string RunOne(const std::string& benchmark,
                   const std::vector<CacheEntrant>& entrants,
                   CacheReport* report) {
  std::vector<Contestant> contestants;
  contestants.reserve(entrants.size());
  for (const CacheEntrant& entrant : entrants) {
    contestants.push_back({entrant.name, [&](RunResult* result) {
                             return entrant.engine->Run(
                                 benchmark, entrant.options, result, nullptr);
                           }});
  }
  std::string error;
  report->rounds = RunRounds(benchmark, contestants, FLAGS_rounds,
                             FLAGS_keep_disturbed, &error);
  const bool has_latencies = benchmark == "mixed" || benchmark == "growth";
  if (!error.empty() || !has_latencies || !FLAGS_histograms) return error;
  for (const CacheEntrant& entrant : entrants) {
    RunResult ignored;
    error = entrant.engine->Run(benchmark, entrant.options, &ignored,
                                &report->latencies[entrant.name]);
    if (!error.empty()) return entrant.name + ": " + error;
  }
  return error;
}

int Main() {
  CheckFlags();
  const std::vector<std::string> benchmarks = Split(FLAGS_benchmarks);
  for (const std::string& benchmark : benchmarks) CheckBenchmark(benchmark);
  Engines engines;
  std::vector<CacheEntrant> entrants;
  for (const std::string& spec : Split(FLAGS_engines)) {
    AddEntrant(spec, &engines, &entrants);
  }
  if (entrants.empty()) Usage("there is no engine to run");
  for (const std::string& benchmark : benchmarks) {
    CheckTypes(benchmark, entrants);
  }
  if (!FLAGS_json) {
    for (const CacheEntrant& entrant : entrants) {
      std::printf("%-9s %s\n", entrant.name.c_str(),
                  entrant.engine->Describe(entrant.options).c_str());
    }
  }
  std::vector<CacheReport> reports;
  for (const std::string& benchmark : benchmarks) {
    reports.emplace_back();
    const std::string error = RunOne(benchmark, entrants, &reports.back());
    if (!error.empty()) {
      std::fprintf(stderr, "cache_bench: %s: %s\n", benchmark.c_str(),
                   error.c_str());
      return 1;
    }
    if (!FLAGS_json) PrintText(reports.back(), entrants);
  }
  if (FLAGS_json) std::printf("%s\n", ToJson(reports, entrants).c_str());
  return 0;
}

}  // namespace

}  // namespace ashlar::bench

int main(int argc, char** argv) {
  ashlar::bench::ParseFlags(
      "measures the caches of Ashlar and RocksDB side by side", argc, argv);
  return ashlar::bench::Main();
}
