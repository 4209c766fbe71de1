// Engine: one library, or one physical limit, that runs a benchmark.
//
// table_bench runs the same benchmark through several engines by turns. Each
// keeps its hot loop to itself, so that no call between driver and engine is in
// the time that is measured.
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

struct BenchOptions {
  WorkloadOptions workload;
  uint64_t reads = 0;  // of the random benchmarks; 0: num
  uint64_t block_size = 4096;
  int block_restart_interval = 16;
  std::string compression_type = "none";
  int compression_level = 32767;
  uint32_t format_version = 6;
  double bloom_bits = 10;  // 0: no filter
  bool ribbon = false;     // of as many bits, instead of Bloom
  uint64_t cache_size = uint64_t{8} << 30;
  double cache_percent = 0;  // of the table's file, instead; 0: cache_size
  std::string cache_type = "hyper_clock_cache";
  bool cache_admission = false;
  uint64_t compressed_secondary_cache_size = 0;  // 0: there is none
  std::string compressed_secondary_cache_compression_type = "lz4";
  // Say after each run of reads what the block cache holds.
  bool cache_report = false;
  uint32_t parallel_threads = 1;
  int workers = -1;
  uint32_t pool_threads = 0;  // 0: workers are each builder's own
  int builders = 8;           // of multifillseq
  bool mmap_read = false;
  int threads = 1;
  int batch_size = 32;
  bool fetch_ahead = false;
  uint64_t hot_keys = 0;     // reads are of the first so many; 0: of all
  uint64_t hot_ranges = 0;   // the same of ranges; 0: as hot_keys
  bool spread_keys = false;  // hot keys lie evenly over the table instead
  uint64_t write_rate = uint64_t{2} << 20;  // bytes/s, of ...whilewriting
  // Calls of malloc and its like by this thread so far; null: not counted.
  uint64_t (*count_allocations)() = nullptr;
  // Whether the file is written, or only handed over.
  bool null_sink = false;
  std::string folder;

  bool entry_words = true;  // of our cached blocks
  int perf_level = 0;       // of our readers: PerfLevel
  bool statistics = false;  // of our readers
  // Our readers have a BlockCacheTracer, which traces one block in so many;
  // 0: none. Absent: they have none.
  std::optional<uint32_t> trace_one_in;
  bool huge_page_cache = false;
  // RocksDB reads the table as the only one of a read-only database.
  bool read_only_db = false;
  uint64_t num_reads() const { return reads == 0 ? workload.num : reads; }
  // Whether the block cache, not a tier behind it, holds all of the table for
  // certain.
  bool HoldsTable(uint64_t raw_bytes) const {
    return cache_percent == 0 && cache_size / 2 >= raw_bytes;
  }
  uint64_t CacheSizeFor(uint64_t file_bytes) const {
    if (cache_percent == 0) return cache_size;
    return static_cast<uint64_t>(static_cast<double>(file_bytes) *
                                 cache_percent / 100);
  }
};

// Of fwdrange.
inline constexpr uint64_t kRangeEntries = 10;

// Reads beside which a writer builds tables.
inline constexpr std::string_view kWhileWriting = "whilewriting";

// Whether it reads a table that was written before.
bool ReadsTable(std::string_view benchmark);

class Engine {
 public:
  virtual ~Engine() = default;
  virtual std::string Name() const = 0;
  // The options that the runs will use, in one line.
  virtual std::string Describe(const BenchOptions& options) const = 0;
  virtual bool Has(const std::string& benchmark) const = 0;
  // Runs it once. Returns what went wrong, or nothing.
  virtual std::string Run(const std::string& benchmark,
                          const BenchOptions& options, const Workload& workload,
                          RunResult* result) = 0;
};

std::unique_ptr<Engine> NewAshlarEngine();
// `engine` with options changed; its name is "engine:variant". Variants: a
// number, which is that of parallel_threads, 1 being serial; "onetier" (the
// memory of the compressed secondary cache goes to the block cache); of ashlar,
// "nowords" (no entry_words), "admission" (of the hyper clock cache), "stats"
// (statistics), "tracer" and "traced" (trace_one_in 0 and 100) and "perf"
// (perf_level 1); of rocksdb, "db" (read_only_db). Null: there is none such.
std::unique_ptr<Engine> NewVariant(std::unique_ptr<Engine> engine,
                                   const std::string& variant);
// kind: "generator" makes keys and values and no more, "copy" also copies them,
// "limit" also does what no table can be written or read without: codec,
// checksum, write, a walk over the bytes.
std::unique_ptr<Engine> NewLimitEngine(const std::string& kind);
// Null, and *why, where it is not installed. With shared_codecs it calls the
// zstd, lz4 and snappy that this program calls, else those that it carries.
std::unique_ptr<Engine> LoadRocksDbEngine(bool shared_codecs, std::string* why);

}  // namespace ashlar::bench

#endif  // ASHLAR_TOOLS_BENCH_ENGINE_H_
