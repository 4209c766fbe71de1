// Engine: runs benchmarks with one library, or as one physical limit.
//
// table_bench runs the same benchmark through several engines in turn. Each
// engine has its own hot loop, so that the measured time includes no call
// between driver and engine.
#ifndef ASHLAR_TOOLS_BENCH_ENGINE_H_
#define ASHLAR_TOOLS_BENCH_ENGINE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tools/bench/run_result.h"
#include "tools/bench/workload.h"

namespace ashlar::bench {

// How multireadrandom of our library reads the blocks of its keys: by MultiGet,
// by one Get after the other, or at the offsets that MultiGet would read, by
// one MultiRead of the file or by one Read after the other. The last two only
// read. kTables is for lsm: by the MultiGet of one table after the other.
// kCodec, for lsm and readseq, only decompresses as many blocks as they read.
enum class BatchBy : uint8_t {
  kMultiGet,
  kGets,
  kMultiRead,
  kReads,
  kTables,
  kCodec
};

struct BenchOptions {
  WorkloadOptions workload;
  uint64_t reads = 0;  // by the random benchmarks; 0: num
  uint64_t block_size = 4096;
  int block_restart_interval = 16;
  std::string compression_type = "none";
  int compression_level = 32767;
  uint32_t format_version = 6;
  double bloom_bits = 10;  // 0: no filter
  bool ribbon = false;     // with bloom_bits bits, instead of Bloom
  uint64_t cache_size = uint64_t{8} << 30;
  double cache_percent = 0;  // of the table's file; 0: cache_size counts
  std::string cache_type = "hyper_clock_cache";
  bool cache_admission = false;
  bool cache_index_and_filter_blocks = false;
  uint64_t compressed_secondary_cache_size = 0;  // 0: there is none
  std::string compressed_secondary_cache_compression_type = "lz4";
  // Whether to print what the block cache holds after each run of reads.
  bool cache_report = false;
  uint32_t parallel_threads = 1;
  uint32_t subcompactions = 1;                     // parts of compact, at most
  uint64_t target_file_size = uint64_t{64} << 20;  // of outputs of compact
  int workers = -1;
  uint32_t pool_threads = 0;  // 0: each builder has its own workers
  int builders = 8;           // for multifillseq
  int tables = 48;            // for indexfind, lsm and opened tables
  bool mmap_read = false;
  int threads = 1;
  int batch_size = 32;
  bool fetch_ahead = false;
  uint64_t hot_keys = 0;     // reads only the first n keys; 0: all
  uint64_t hot_ranges = 0;   // the same for ranges; 0: as hot_keys
  bool spread_keys = false;  // spreads hot keys evenly over the table
  double zipf = 0;           // the exponent of Zipf's law for keys; 0: evenly
  uint64_t write_rate = uint64_t{2} << 20;  // bytes/s, for ...whilewriting
  bool latencies = false;                   // measures each random read
  // Returns the number of allocations by this thread so far; null: not counted.
  uint64_t (*count_allocations)() = nullptr;
  // Whether the table's bytes are discarded, instead of written to a file.
  bool null_sink = false;
  std::string folder;

  bool entry_words = true;  // for our cached blocks
  // When our readers load index and filter: at_open, index_at_first_use or
  // at_first_use.
  std::string load_index_and_filter = "index_at_first_use";
  int perf_level = 0;       // PerfLevel of our readers
  bool statistics = false;  // for our readers
  // If present, our readers have a BlockCacheTracer, which traces one block in
  // n; 0: it traces none.
  std::optional<uint32_t> trace_one_in;
  bool huge_page_cache = false;
  BatchBy batch_by = BatchBy::kMultiGet;
  bool async_io = false;        // for our walks
  uint32_t read_pool = 0;       // threads of our reads' worker_pool; 0: none
  uint64_t readahead_size = 0;  // bytes, for our walks
  // Whether the files are dropped from the page cache before each run.
  bool cold = false;
  // RocksDB reads the table as the only table of a read-only database.
  bool read_only_db = false;
  uint64_t num_reads() const { return reads == 0 ? workload.num : reads; }
  // Returns whether the block cache itself, without a second tier, certainly
  // holds the whole table.
  bool HoldsTable(uint64_t raw_bytes) const {
    return cache_percent == 0 && cache_size / 2 >= raw_bytes;
  }
  uint64_t CacheSizeFor(uint64_t file_bytes) const {
    if (cache_percent == 0) return cache_size;
    return static_cast<uint64_t>(static_cast<double>(file_bytes) *
                                 cache_percent / 100);
  }
};

// The number of entries per range in fwdrange.
inline constexpr uint64_t kRangeEntries = 10;
// The same in seekmerged.
inline constexpr uint64_t kMergedEntries = 20;

// Benchmarks with this suffix read while a writer builds tables.
inline constexpr std::string_view kWhileWriting = "whilewriting";

// Returns whether the benchmark reads a table that was written before.
bool ReadsTable(std::string_view benchmark);
// Returns whether it is a value of load_index_and_filter.
bool IsLoadTime(std::string_view name);
// Returns whether it is of the inputs of a compaction (compaction_inputs.h).
inline bool ReadsCompactionInputs(std::string_view benchmark) {
  return benchmark == "compact" || benchmark == "readmerged" ||
         benchmark == "seekmerged";
}
// Returns whether the benchmark makes and opens many tables (open_tables.h).
inline bool OpensTables(std::string_view benchmark) {
  return benchmark.starts_with("open") || benchmark == "reopen" ||
         benchmark == "lsmget";
}

// Calls take(key, value) for the keys of a table of the benchmark lsm, of which
// there are options.tables: each has every so many-th key, so that the ranges
// of all overlap.
template <typename Take>
void ForEachKeyOfTable(const BenchOptions& options, const Workload& workload,
                       int table, Take take) {
  const auto step = static_cast<uint64_t>(options.tables);
  std::string key(workload.key_size(), '\0');
  for (auto i = static_cast<uint64_t>(table); i < workload.num(); i += step) {
    workload.Key(i, key.data());
    take(std::string_view(key), workload.Value(i));
  }
}

class Engine {
 public:
  virtual ~Engine() = default;
  virtual std::string Name() const = 0;
  // Returns the options of the runs, in one line.
  virtual std::string Describe(const BenchOptions& options) const = 0;
  virtual bool Has(const std::string& benchmark) const = 0;
  // Called before the rounds of a benchmark: makes what other engines read too.
  virtual std::string Prepare(const std::string& /*benchmark*/,
                              const BenchOptions& /*options*/,
                              const Workload& /*workload*/) {
    return "";
  }
  // Runs the benchmark once. Returns an error message, or an empty string.
  virtual std::string Run(const std::string& benchmark,
                          const BenchOptions& options, const Workload& workload,
                          RunResult* result) = 0;
};

std::unique_ptr<Engine> NewAshlarEngine();
// Returns `engine` with changed options; its name is "engine:variant". Returns
// null if there is no such variant. For ashlar and rocksdb: a number, which
// sets parallel_threads (1 is serial), and "onetier" (the memory of the
// compressed secondary cache goes to the block cache), and "sub" and a number
// (subcompactions). For ashlar: "nowords"
// (no entry_words), "admission" (of the hyper clock cache), "stats"
// (statistics), "tracer" and "traced" (trace_one_in 0 and 100), "perf"
// (perf_level 1), "async" (async_io), "pool" (read_pool 1), "gets",
// "multiread", "reads", "tables" and "codec" (batch_by), and "at_open",
// "index_at_first_use" and "at_first_use" (load_index_and_filter). For rocksdb:
// "db" (read_only_db).
std::unique_ptr<Engine> NewVariant(std::unique_ptr<Engine> engine,
                                   const std::string& variant);
// `kind`: "generator" only makes keys and values. "copy" also copies them.
// "limit" also does what writing or reading a table always requires: codec,
// checksum, write, a walk over the bytes.
std::unique_ptr<Engine> NewLimitEngine(const std::string& kind);
// Returns null and sets *why if RocksDB is not installed. With shared_codecs,
// it uses the zstd, lz4 and snappy of this program; otherwise those in its own
// library.
std::unique_ptr<Engine> LoadRocksDbEngine(bool shared_codecs, std::string* why);

}  // namespace ashlar::bench

#endif  // ASHLAR_TOOLS_BENCH_ENGINE_H_
