// Engines with changed options, so that one run compares several of them round
// by round.

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string_view>

#include "tools/bench/engine.h"

namespace ashlar::bench {

namespace {

class EngineVariant final : public Engine {
 public:
  EngineVariant(std::unique_ptr<Engine> engine, std::string variant,
                uint32_t threads, uint32_t subcompactions)
      : engine_(std::move(engine)),
        variant_(std::move(variant)),
        threads_(threads),
        subcompactions_(subcompactions) {}

  std::string Name() const override { return engine_->Name() + ":" + variant_; }
  std::string Describe(const BenchOptions& options) const override {
    return engine_->Describe(With(options));
  }
  bool Has(const std::string& benchmark) const override {
    if (variant_ == "db" && !ReadsTable(benchmark) && benchmark != "lsm") {
      return false;
    }
    if (variant_ == "db" && benchmark == "blockinsert") return false;
    if (variant_ == "codec" && benchmark != "lsm" && benchmark != "readseq") {
      return false;
    }
    return engine_->Has(benchmark);
  }
  std::string Prepare(const std::string& benchmark, const BenchOptions& options,
                      const Workload& workload) override {
    return engine_->Prepare(benchmark, With(options), workload);
  }
  std::string Run(const std::string& benchmark, const BenchOptions& options,
                  const Workload& workload, RunResult* result) override {
    return engine_->Run(benchmark, With(options), workload, result);
  }

 private:
  BenchOptions With(BenchOptions options) const {
    if (threads_ != kNoNumber) {
      options.parallel_threads = threads_;
      options.workers = -1;
    }
    if (subcompactions_ != kNoNumber) options.subcompactions = subcompactions_;
    if (variant_ == "nowords") options.entry_words = false;
    if (variant_ == "admission") options.cache_admission = true;
    if (variant_ == "stats") options.statistics = true;
    if (variant_ == "tracer") options.trace_one_in = 0;
    if (variant_ == "traced") options.trace_one_in = 100;
    if (variant_ == "perf") options.perf_level = 1;
    if (variant_ == "async") options.async_io = true;
    if (variant_ == "pool") options.read_pool = 1;
    if (variant_ == "gets") options.batch_by = BatchBy::kGets;
    if (variant_ == "multiread") options.batch_by = BatchBy::kMultiRead;
    if (variant_ == "reads") options.batch_by = BatchBy::kReads;
    if (variant_ == "tables") options.batch_by = BatchBy::kTables;
    if (variant_ == "codec") options.batch_by = BatchBy::kCodec;
    if (IsLoadTime(variant_)) options.load_index_and_filter = variant_;
    if (variant_ == "db") options.read_only_db = true;
    if (variant_ == "onetier") {
      options.cache_size += options.compressed_secondary_cache_size;
      options.compressed_secondary_cache_size = 0;
    }
    return options;
  }

 public:
  static constexpr uint32_t kNoNumber = UINT32_MAX;

 private:
  const std::unique_ptr<Engine> engine_;
  const std::string variant_;
  const uint32_t threads_;
  const uint32_t subcompactions_;
};

}  // namespace

bool IsLoadTime(std::string_view name) {
  return name == "at_open" || name == "index_at_first_use" ||
         name == "at_first_use";
}

bool ReadsTable(std::string_view benchmark) {
  return !benchmark.ends_with("fillseq") && !benchmark.starts_with("filter") &&
         !benchmark.starts_with("index") && benchmark != "lsm" &&
         !ReadsCompactionInputs(benchmark) && !OpensTables(benchmark);
}

std::unique_ptr<Engine> NewVariant(std::unique_ptr<Engine> engine,
                                   const std::string& variant) {
  const std::string name = engine->Name();
  uint32_t threads = EngineVariant::kNoNumber;
  uint32_t subcompactions = EngineVariant::kNoNumber;
  const bool has_cache = name == "ashlar" || name == "rocksdb";
  constexpr std::string_view kOurs[] = {
      "nowords", "admission", "stats",     "perf",  "tracer", "traced", "async",
      "pool",    "gets",      "multiread", "reads", "tables", "codec"};
  const bool is_ours =
      IsLoadTime(variant) ||
      std::find(std::begin(kOurs), std::end(kOurs), variant) != std::end(kOurs);
  const bool known = (name == "ashlar" && is_ours) ||
                     (name == "rocksdb" && variant == "db") ||
                     (has_cache && variant == "onetier");
  if (!known) {
    constexpr std::string_view kSub = "sub";
    const bool is_sub = variant.starts_with(kSub);
    const char* const begin = variant.data() + (is_sub ? kSub.size() : 0);
    const char* const end = variant.data() + variant.size();
    uint32_t* const number = is_sub ? &subcompactions : &threads;
    const auto [at, error] = std::from_chars(begin, end, *number);
    if (error != std::errc() || at != end || !has_cache) return nullptr;
  }
  return std::make_unique<EngineVariant>(std::move(engine), variant, threads,
                                         subcompactions);
}

}  // namespace ashlar::bench
