// An engine of cache_bench that does what every cache must do: it makes the
// keys of the load, and for one hot key makes two atomic additions on one word.
// For records, it does the same job in other ways (cache_record.h).

#include <string>

#include "tools/bench/cache_loops.h"
#include "tools/bench/cache_record.h"

namespace ashlar::bench {

namespace {

// A handle to nothing.
char* Nothing() {
  static char nothing = 0;
  return &nothing;
}

class KeysAlone final {
 public:
  using Handle = char*;
  static constexpr bool kStores = false;
  static constexpr bool kHints = true;
  static constexpr bool kBatches = true;

  static Handle Lookup(const CacheKey& key) {
    // Pretends to use the key, so that the compiler must make it.
    asm volatile("" : : "r"(key.file), "r"(key.block));
    return Nothing();
  }
  static Handle Lookup(const CacheKey& key, const uint32_t* hint) {
    asm volatile("" : : "r"(*hint));
    return Lookup(key);
  }
  static void LookupBatch(std::span<const CacheKey> keys, Handle* handles) {
    for (const CacheKey& key : keys) *handles++ = Lookup(key);
  }
  static void Release(Handle handle) { asm volatile("" : : "r"(handle)); }
  // Keeps no value.
  static bool Insert(const CacheKey& key, const char*, Handle* handle) {
    const Handle found = Lookup(key);
    if (handle != nullptr) *handle = found;
    return false;
  }
  static void Erase(const CacheKey& key) { Lookup(key); }
  static void GatherStats() {}
  static void Report(RunResult*) {}
};

class TwoAdditions final {
 public:
  using Handle = char*;
  static constexpr bool kStores = false;
  static constexpr bool kHints = false;
  static constexpr bool kBatches = false;

  Handle Lookup(const CacheKey&) {
    word_.FetchAdd(1);
    return Nothing();
  }
  void Release(Handle) { word_.FetchAdd(uint64_t{1} << 32); }
  static bool Insert(const CacheKey&, const char*, Handle*) { return false; }
  static void Erase(const CacheKey&) {}
  static void GatherStats() {}
  static void Report(RunResult*) {}

 private:
  alignas(128) internal::RelaxedAtomic<uint64_t> word_{0};
};

class LimitCacheEngine final : public CacheEngine {
 public:
  std::string Name() const override { return "limit"; }
  std::string Describe(const CacheBenchOptions&) const override {
    return "the keys are made, no more; hot_key: two atomic additions on one "
           "word; record: a hash table alone, or a map and a list with a "
           "mutex; discard: one atomic addition";
  }
  bool HasType(const std::string&) const override { return true; }
  std::string Run(const std::string& benchmark,
                  const CacheBenchOptions& options, RunResult* result,
                  CacheLatencies* latencies) override {
    if (IsRecordBenchmark(benchmark)) {
      return RunRecordLimit(benchmark, options, result);
    }
    // The loops would read values through handles to nothing.
    CacheBenchOptions without_values = options;
    without_values.real_values = false;
    if (benchmark.starts_with("hot_key")) {
      TwoAdditions access;
      return CacheLoops(without_values, &access)
          .Run(benchmark, result, latencies);
    }
    KeysAlone access;
    return CacheLoops(without_values, &access)
        .Run(benchmark, result, latencies);
  }
};

}  // namespace

std::unique_ptr<CacheEngine> NewLimitCacheEngine() {
  return std::make_unique<LimitCacheEngine>();
}

}  // namespace ashlar::bench
