// table_bench: compares this library, RocksDB and the physical limits, over the
// same data in the same run. Flags and lines are those of db_bench, where it
// has them.

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "ashlar/util/compression.h"
#include "third-party/gflags_lib.h"
#include "tools/bench/allocations.h"
#include "tools/bench/command_line.h"
#include "tools/bench/engine.h"
#include "tools/bench/page_cache.h"
#include "tools/bench/print_report.h"
#include "tools/bench/rounds.h"

DEFINE_string(
    benchmarks, "fillseq,readseq,readreverse,readrandom,readmissing",
    "comma-separated: fillseq, multifillseq (--builders at once), filterbuild, "
    "filterfinish (without hashing), filterquery, readseq, readreverse, "
    "readrandom, multireadrandom (--batch_size keys per call), readmissing, "
    "seekrandom, fwdrange (a seek and 10 entries), readwhilewriting, "
    "fwdrangewhilewriting (beside a writer that builds tables, at "
    "--write_rate), blockinsert (a data block in memory is parsed and put into "
    "a full cache), indexparse (an index block in memory is parsed), indexfind "
    "(--tables such indexes are searched), lsm (--batch_size keys per call "
    "are looked up in --tables levels of one table each; 1: by Get), verify, "
    "compact (--tables tables of level 0, with other keys each, into tables of "
    "--target_file_size), readmerged (walks over these as a user sees them; "
    "ashlar:tables over all that is stored), seekmerged (the same: a seek and "
    "20 entries); "
    "of --tables "
    "tables with "
    "files of their own: open, openget (opens, and gets one key of each), "
    "openall (opens and reads all; the memory), reopen (index and filter are "
    "in the cache), lsmget (gets keys of tables that are open)");
DEFINE_string(
    engines, "ashlar,rocksdb,limit",
    "comma-separated: ashlar, rocksdb, limit, generator, copy; "
    "ashlar:N and rocksdb:N build with --parallel_threads=N, and "
    "ashlar:1 is what ashlar's wall and CPU time are compared with; "
    "ashlar:subN and rocksdb:subN compact with --subcompactions=N; "
    "ashlar:onetier and rocksdb:onetier have no second tier; "
    "ashlar:nowords has --noentry_words, ashlar:admission --cache_type's "
    "admission, ashlar:tracer has a block cache tracer, ashlar:traced one that "
    "traces one block in 100, ashlar:stats --statistics and ashlar:perf "
    "--perf_level=1, ashlar:at_open, ashlar:index_at_first_use and "
    "ashlar:at_first_use that --load_index_and_filter, ashlar:async walks with "
    "async_io; multireadrandom: "
    "ashlar:gets by one Get after the other, ashlar:multiread and "
    "ashlar:reads only read the blocks, by one MultiRead or one by one; lsm: "
    "ashlar:tables calls the MultiGet of one table after the other; lsm and "
    "readseq: ashlar:codec only decompresses as many blocks as they read; "
    "rocksdb reads by its SstFileReader, "
    "and as rocksdb:db, which is added for reads, by a read-only database");
DEFINE_uint64(num, 1000000, "entries");
DEFINE_uint64(reads, 0, "operations of the random benchmarks; 0: num");
DEFINE_int32(key_size, 16, "bytes of a key");
DEFINE_int32(value_size, 100, "bytes of a value");
DEFINE_string(values_from, "",
              "a file whose bytes are the values, one after the other, "
              "repeated as often as necessary; empty: values are made by "
              "--compression_ratio");
DEFINE_string(key_kind, "digits", "digits or random");
DEFINE_uint64(block_size, 4096, "bytes of a data block");
DEFINE_int32(block_restart_interval, 16, "entries between whole keys");
DEFINE_string(compression_type, "none", "none, snappy, lz4 or zstd");
DEFINE_int32(compression_level, 32767, "32767: the codec's default");
DEFINE_double(compression_ratio, 0.5,
              "compressed size of the values as a share of their size, about");
DEFINE_uint32(format_version, 6,
              "format version of the files that are written");
DEFINE_double(bloom_bits, 10, "bits per key of the filter; 0: no filter");
DEFINE_bool(ribbon, false, "a Ribbon filter instead of a Bloom filter");
DEFINE_uint64(cache_size, 8ULL << 30, "bytes of the block cache");
DEFINE_double(cache_percent, 0,
              "percent of the table's file that the block cache has room for, "
              "instead of --cache_size; random reads then warm it up");
DEFINE_uint64(compressed_secondary_cache_size, 0,
              "bytes of a compressed second tier after the block cache; "
              "ashlar:onetier and rocksdb:onetier give this memory to the "
              "block cache instead");
DEFINE_string(compressed_secondary_cache_compression_type, "lz4",
              "codec of the second tier: none, snappy, lz4 or zstd");
DEFINE_bool(cache_report, false,
            "print on standard error, after each run of reads, what the "
            "block cache holds; RocksDB's cache is asked by random reads, "
            "after the time is taken");
DEFINE_string(cache_type, "hyper_clock_cache",
              "hyper_clock_cache, lru_cache or auto_hyper_clock_cache "
              "(RocksDB's cache that grows; Ashlar's hyper_clock_cache grows "
              "in any case)");
DEFINE_uint32(parallel_threads, 1,
              "threads of a build, as RocksDB counts them: 1 is serial, n "
              "adds n workers; 0: automatic");
DEFINE_uint32(subcompactions, 1, "parts of compact that may run at once");
DEFINE_uint64(target_file_size, 64ULL << 20, "bytes of a table of compact");
DEFINE_int32(workers, -1,
             "extra threads of Ashlar's builds, exactly this many; -1: by "
             "--parallel_threads, or with a pool the number of its threads");
DEFINE_uint32(pool_threads, 0,
              "threads of a pool that Ashlar's builds share, and that outlives "
              "them; 0: each build has its own threads");
DEFINE_int32(tables, 48,
             "tables that open, openget, openall, reopen and lsmget open, and "
             "indexes that indexfind searches in random order");
DEFINE_bool(cache_index_and_filter_blocks, false,
            "index and filter are in the block cache, of both libraries");
DEFINE_string(load_index_and_filter, "index_at_first_use",
              "when Ashlar's readers load these: at_open, index_at_first_use "
              "or at_first_use (ReaderOptions::load_index_and_filter)");
DEFINE_int32(builders, 8,
             "builders at once in multifillseq, each of --num entries");
DEFINE_bool(mmap_read, false,
            "map Ashlar's file into memory instead of reading it; RocksDB "
            "still uses its warm block cache, with which it is faster");
DEFINE_int32(threads, 1, "threads of the random reads");
DEFINE_int32(batch_size, 32, "keys of a batch");
DEFINE_bool(
    fetch_ahead, false,
    "filterquery: Ashlar and limit know the next batch when they ask one, as "
    "a MultiGet of many keys does, and fetch its cache lines first");
DEFINE_uint64(hot_keys, 0,
              "keys, the first of the table, that random reads are of; 0: all "
              "keys");
DEFINE_bool(spread_keys, false,
            "hot keys are spread evenly over the table, instead of at its "
            "beginning");
DEFINE_double(
    zipf, 0,
    "random reads are of keys by Zipf's law with this exponent, other "
    "than 1, which are scattered over the table; 0: evenly");
DEFINE_string(skew, "",
              "P.R: point reads are of the first P keys, and ranges begin at "
              "the first R keys; none: of all keys");
DEFINE_uint64(write_rate, 2 << 20,
              "bytes per second of keys and values that the writer of "
              "...whilewriting adds");
DEFINE_bool(latencies, false,
            "measure each Get of readrandom, readmissing and readwhilewriting; "
            "prints percentiles, and their ratios; two readings of the clock "
            "are added to each Get");
DEFINE_int32(perf_level, 0,
             "PerfLevel of Ashlar's reads in one thread: 0 counts nothing, 1 "
             "counts, 2 also takes times");
DEFINE_bool(statistics, false,
            "give Ashlar's readers a Statistics (ReaderOptions::statistics)");
DEFINE_bool(entry_words, true,
            "Ashlar's cached blocks have a word for each entry "
            "(ReaderOptions::cache_entry_words)");
DEFINE_bool(huge_page_cache, false,
            "Ashlar's cache has its blocks in huge pages "
            "(NewHugePageAllocator)");
DEFINE_uint32(read_pool, 0,
              "threads of the worker_pool of Ashlar's scans and MultiGets; "
              "0: none");
DEFINE_uint64(readahead_size, 0, "bytes that Ashlar's walks read at once");
DEFINE_bool(cold, false,
            "before each run, drop the files from the page cache; needs "
            "--cache_size=0 and a --db that is on a disk. Each round reads "
            "other keys");
DEFINE_uint64(seed, 1, "seed of keys and values");
DEFINE_int32(rounds, 3, "number of undisturbed rounds; use 15 for a claim");
DEFINE_bool(keep_disturbed, false,
            "keep disturbed rounds too, to measure memory rather than time");
DEFINE_string(sink, "file", "file, or null: nothing is written");
DEFINE_string(db, "", "folder of the files; empty: /dev/shm, or /tmp");
DEFINE_bool(shared_codecs, true,
            "RocksDB calls the same codec libraries as Ashlar; otherwise "
            "those that it contains");
DEFINE_bool(json, false, "one JSON document instead of lines");

namespace ashlar::bench {

namespace {

std::string DefaultFolder() {
  return ::access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
}

// `skew` is like "64.512". If it is empty, nothing changes.
bool ParseSkew(const std::string& skew, BenchOptions* options) {
  if (skew.empty()) return true;
  options->hot_keys = options->hot_ranges = 0;
  if (skew == "none") return true;
  const char* const end = skew.data() + skew.size();
  const auto points = std::from_chars(skew.data(), end, options->hot_keys);
  if (points.ec != std::errc() || points.ptr == end || *points.ptr != '.') {
    return false;
  }
  const auto ranges = std::from_chars(points.ptr + 1, end, options->hot_ranges);
  return ranges.ec == std::errc() && ranges.ptr == end &&
         options->hot_keys != 0 && options->hot_ranges != 0;
}

BenchOptions OptionsFromFlags() {
  BenchOptions o;
  o.workload = {
      FLAGS_num,      FLAGS_key_size, FLAGS_value_size, FLAGS_compression_ratio,
      FLAGS_key_kind, FLAGS_seed,     FLAGS_values_from};
  o.reads = FLAGS_reads;
  o.block_size = FLAGS_block_size;
  o.block_restart_interval = FLAGS_block_restart_interval;
  o.compression_type = FLAGS_compression_type;
  o.compression_level = FLAGS_compression_level;
  o.format_version = FLAGS_format_version;
  o.bloom_bits = FLAGS_bloom_bits;
  o.ribbon = FLAGS_ribbon;
  o.cache_size = FLAGS_cache_size;
  o.cache_percent = FLAGS_cache_percent;
  o.cache_type = FLAGS_cache_type;
  o.compressed_secondary_cache_size = FLAGS_compressed_secondary_cache_size;
  o.compressed_secondary_cache_compression_type =
      FLAGS_compressed_secondary_cache_compression_type;
  o.cache_report = FLAGS_cache_report;
  o.parallel_threads = FLAGS_parallel_threads;
  o.subcompactions = FLAGS_subcompactions;
  o.target_file_size = FLAGS_target_file_size;
  o.workers = FLAGS_workers;
  o.pool_threads = FLAGS_pool_threads;
  if (FLAGS_workers < 0 && FLAGS_parallel_threads == 1 &&
      FLAGS_pool_threads > 0) {
    o.workers = static_cast<int>(FLAGS_pool_threads);
  }
  o.builders = FLAGS_builders;
  o.tables = FLAGS_tables;
  o.cache_index_and_filter_blocks = FLAGS_cache_index_and_filter_blocks;
  o.load_index_and_filter = FLAGS_load_index_and_filter;
  o.mmap_read = FLAGS_mmap_read;
  o.hot_keys = FLAGS_hot_keys;
  if (!ParseSkew(FLAGS_skew, &o)) Usage("--skew must be none or P.R");
  o.spread_keys = FLAGS_spread_keys;
  o.zipf = FLAGS_zipf;
  o.write_rate = FLAGS_write_rate;
  o.latencies = FLAGS_latencies;
  o.count_allocations = CountAllocations();
  o.entry_words = FLAGS_entry_words;
  o.perf_level = FLAGS_perf_level;
  o.statistics = FLAGS_statistics;
  o.huge_page_cache = FLAGS_huge_page_cache;
  o.readahead_size = FLAGS_readahead_size;
  o.read_pool = FLAGS_read_pool;
  o.cold = FLAGS_cold;
  o.threads = FLAGS_threads;
  o.batch_size = FLAGS_batch_size;
  o.fetch_ahead = FLAGS_fetch_ahead;
  o.null_sink = FLAGS_sink == "null";
  o.folder = FLAGS_db.empty() ? DefaultFolder() : FLAGS_db;
  return o;
}

void CheckFlags() {
  if (FLAGS_sink != "file" && FLAGS_sink != "null") {
    Usage("--sink must be file or null");
  }
  if (FLAGS_key_kind != "digits" && FLAGS_key_kind != "random") {
    Usage("--key_kind must be digits or random");
  }
  if (FLAGS_key_size < 1 || FLAGS_value_size < 0 || FLAGS_num < 1) {
    Usage("--num and --key_size must be 1 or more, --value_size 0 or more");
  }
  if (FLAGS_threads < 1 || FLAGS_rounds < 1 || FLAGS_builders < 1 ||
      FLAGS_tables < 1) {
    Usage("--threads, --rounds, --builders and --tables must be 1 or more");
  }
  if (!IsLoadTime(FLAGS_load_index_and_filter)) {
    Usage(
        "--load_index_and_filter must be at_open, index_at_first_use or "
        "at_first_use");
  }
  if (FLAGS_cache_type != "hyper_clock_cache" &&
      FLAGS_cache_type != "auto_hyper_clock_cache" &&
      FLAGS_cache_type != "lru_cache") {
    Usage(
        "--cache_type must be hyper_clock_cache, auto_hyper_clock_cache or "
        "lru_cache");
  }
  if (FLAGS_batch_size < 1 || FLAGS_write_rate < 1 || FLAGS_cache_percent < 0) {
    Usage("--batch_size and --write_rate must be 1 or more");
  }
  if (FLAGS_cold && (FLAGS_cache_size != 0 || FLAGS_cache_percent != 0)) {
    Usage("--cold needs --cache_size=0, without --cache_percent");
  }
  for (const std::string& name :
       {FLAGS_compression_type,
        FLAGS_compressed_secondary_cache_compression_type}) {
    const auto codec = ParseCompressionType(name);
    if (!codec.ok() || !IsCompressionSupported(*codec)) {
      Usage("--compression_type: " + name + " is no codec of this build");
    }
  }
  if (!FLAGS_values_from.empty() &&
      ::access(FLAGS_values_from.c_str(), R_OK) != 0) {
    Usage("--values_from: no file " + FLAGS_values_from);
  }
  if (FLAGS_key_kind == "digits") {
    uint64_t largest = 1;
    for (int i = 0; i < FLAGS_key_size && largest < 2 * FLAGS_num; ++i) {
      largest *= 10;
    }
    if (largest < 2 * FLAGS_num)
      Usage("--num does not fit in --key_size digits");
  }
}

// Returns null if it is RocksDB and no RocksDB is installed.
std::unique_ptr<Engine> EngineOf(const std::string& name) {
  if (name == "ashlar") return NewAshlarEngine();
  if (name == "limit" || name == "generator" || name == "copy") {
    return NewLimitEngine(name);
  }
  if (name != "rocksdb") Usage("unknown engine " + name);
  std::string why;
  auto engine = LoadRocksDbEngine(FLAGS_shared_codecs, &why);
  if (engine == nullptr) {
    std::fprintf(stderr,
                 "table_bench: engine rocksdb is skipped: %s "
                 "(tools/interop/fetch_oracle sets it up)\n",
                 why.c_str());
  }
  return engine;
}

// `spec` is "name" or "name:variant".
std::unique_ptr<Engine> EngineFromSpec(const std::string& spec) {
  const size_t colon = spec.find(':');
  if (colon == std::string::npos) return EngineOf(spec);
  std::unique_ptr<Engine> engine = EngineOf(spec.substr(0, colon));
  if (engine == nullptr) return nullptr;
  engine = NewVariant(std::move(engine), spec.substr(colon + 1));
  if (engine == nullptr) Usage("unknown engine " + spec);
  return engine;
}

constexpr const char* kReadOnlyDb = "rocksdb:db";

std::vector<std::unique_ptr<Engine>> EnginesFromFlags() {
  std::vector<std::unique_ptr<Engine>> engines;
  std::vector<std::string> specs = Split(FLAGS_engines);
  const std::vector<std::string> benchmarks = Split(FLAGS_benchmarks);
  const bool reads = std::any_of(
      benchmarks.begin(), benchmarks.end(), [](const std::string& benchmark) {
        return ReadsTable(benchmark) || benchmark == "lsm";
      });
  const auto names = [&](const char* name) {
    return std::find(specs.begin(), specs.end(), name) != specs.end();
  };
  if (reads && names("rocksdb") && !names(kReadOnlyDb)) {
    specs.emplace_back(kReadOnlyDb);
  }
  for (const std::string& spec : specs) {
    std::unique_ptr<Engine> engine = EngineFromSpec(spec);
    if (engine != nullptr) engines.push_back(std::move(engine));
  }
  // An engine's own cost is relative to these.
  if (FLAGS_benchmarks.find("filterbuild") != std::string::npos ||
      (FLAGS_sink == "null" && FLAGS_compression_type == "none")) {
    for (const char* name : {"generator", "copy"}) {
      bool there = false;
      for (const auto& engine : engines) there |= engine->Name() == name;
      if (!there) engines.push_back(NewLimitEngine(name));
    }
  }
  return engines;
}

bool IsBenchmark(const std::string& name) {
  for (const char* known : {"fillseq",          "multifillseq",
                            "filterbuild",      "filterfinish",
                            "filterquery",      "readseq",
                            "readreverse",      "readrandom",
                            "multireadrandom",  "readmissing",
                            "seekrandom",       "fwdrange",
                            "readwhilewriting", "fwdrangewhilewriting",
                            "blockinsert",      "indexparse",
                            "indexfind",        "lsm",
                            "verify",           "open",
                            "openget",          "openall",
                            "reopen",           "lsmget",
                            "compact",          "readmerged",
                            "seekmerged"}) {
    if (name == known) return true;
  }
  return false;
}

// Makes the files that reads need, even if no fillseq was asked for.
std::string EnsureFiles(const std::vector<Engine*>& engines,
                        const BenchOptions& options, const Workload& workload) {
  BenchOptions to_file = options;
  to_file.null_sink = false;
  for (Engine* engine : engines) {
    if (!engine->Name().starts_with("ashlar") &&
        !engine->Name().starts_with("rocksdb")) {
      continue;
    }
    RunResult ignored;
    const std::string error =
        engine->Run("fillseq", to_file, workload, &ignored);
    if (!error.empty()) return engine->Name() + ": " + error;
  }
  return "";
}

// Between the seeds of the rounds. The threads of a round have seeds of their
// own.
constexpr uint64_t kSeedStep = 1000;

// Returns the engines that have this benchmark.
std::vector<Contestant> ContestantsOf(const std::string& benchmark,
                                      const std::vector<Engine*>& engines,
                                      const BenchOptions& options,
                                      const Workload& workload) {
  std::vector<Contestant> contestants;
  for (Engine* engine : engines) {
    if (!engine->Has(benchmark)) continue;
    const auto run = [&, engine,
                      seed = options.workload.seed](RunResult* result) mutable {
      if (!options.cold) {
        return engine->Run(benchmark, options, workload, result);
      }
      BenchOptions of_round = options;
      of_round.workload.seed = seed;
      seed += kSeedStep;
      DropFromPageCache(options.folder);
      return engine->Run(benchmark, of_round, workload, result);
    };
    contestants.push_back({engine->Name(), run});
  }
  return contestants;
}

int Main() {
  CheckFlags();
  const std::vector<std::string> benchmarks = Split(FLAGS_benchmarks);
  for (const std::string& benchmark : benchmarks) {
    if (!IsBenchmark(benchmark)) Usage("unknown benchmark " + benchmark);
  }
  const auto engines = EnginesFromFlags();
  BenchOptions options = OptionsFromFlags();
  options.folder += "/table_bench." + std::to_string(::getpid());
  std::error_code failed;
  std::filesystem::create_directories(options.folder, failed);
  if (failed) Usage("cannot make folder " + options.folder);
  const Workload workload(options.workload);
  std::vector<Engine*> all;
  all.reserve(engines.size());
  for (const auto& engine : engines) all.push_back(engine.get());
  if (!FLAGS_json) {
    for (const Engine* engine : all) {
      std::printf("%-9s %s\n", engine->Name().c_str(),
                  engine->Describe(options).c_str());
    }
  }
  bool files_made = false;
  std::string error;
  std::vector<BenchmarkReport> reports;
  for (const std::string& benchmark : benchmarks) {
    const bool fills = !ReadsTable(benchmark);
    if (!fills && !files_made) error = EnsureFiles(all, options, workload);
    files_made = files_made || !fills;
    for (Engine* engine : all) {
      if (error.empty()) error = engine->Prepare(benchmark, options, workload);
    }
    if (!error.empty()) break;
    reports.push_back(
        RunRounds(benchmark, ContestantsOf(benchmark, all, options, workload),
                  FLAGS_rounds, FLAGS_keep_disturbed, &error));
    if (!error.empty()) break;
    if (!FLAGS_json) PrintText(reports.back(), options);
  }
  std::filesystem::remove_all(options.folder, failed);
  if (!error.empty()) {
    std::fprintf(stderr, "table_bench: %s\n", error.c_str());
    return 1;
  }
  if (FLAGS_json) std::printf("%s\n", ToJson(reports, all, options).c_str());
  return 0;
}

}  // namespace

}  // namespace ashlar::bench

int main(int argc, char** argv) {
  ashlar::bench::ParseFlags(
      "measures Ashlar, RocksDB and the physical limits side by side", argc,
      argv);
  return ashlar::bench::Main();
}
