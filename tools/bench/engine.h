// Engine: one library, or one physical limit, that runs a benchmark.
//
// table_bench runs the same benchmark through several engines by turns. Each
// keeps its hot loop to itself, so that no call between driver and engine is in
// the time that is measured.
#ifndef ASHLAR_TOOLS_BENCH_ENGINE_H_
#define ASHLAR_TOOLS_BENCH_ENGINE_H_

#include <cstdint>
#include <memory>
#include <string>

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
  std::string cache_type = "hyper_clock_cache";
  uint32_t parallel_threads = 1;
  int workers = -1;
  uint32_t pool_threads = 0;  // 0: workers are each builder's own
  int builders = 8;           // of multifillseq
  bool mmap_read = false;
  int threads = 1;
  int batch_size = 32;
  bool fetch_ahead = false;
  uint64_t hot_keys = 0;  // reads are of the first so many; 0: of all
  // Whether the file is written, or only handed over.
  bool null_sink = false;
  std::string folder;

  bool entry_words = true;  // of our cached blocks
  bool huge_page_cache = false;
  uint64_t num_read_keys() const {
    return hot_keys == 0 || hot_keys > workload.num ? workload.num : hot_keys;
  }
  uint64_t num_reads() const { return reads == 0 ? workload.num : reads; }
};

// Of fwdrange.
inline constexpr uint64_t kRangeEntries = 10;

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
// `engine` with so many parallel_threads, whatever the options say; 1 is
// serial. Its name is "engine:threads".
std::unique_ptr<Engine> WithParallelThreads(std::unique_ptr<Engine> engine,
                                            uint32_t threads);
// kind: "generator" makes keys and values and no more, "copy" also copies them,
// "limit" also does what no table can be written or read without: codec,
// checksum, write, a walk over the bytes.
std::unique_ptr<Engine> NewLimitEngine(const std::string& kind);
// Null, and *why, where it is not installed. With shared_codecs it calls the
// zstd, lz4 and snappy that this program calls, else those that it carries.
std::unique_ptr<Engine> LoadRocksDbEngine(bool shared_codecs, std::string* why);

}  // namespace ashlar::bench

#endif  // ASHLAR_TOOLS_BENCH_ENGINE_H_
