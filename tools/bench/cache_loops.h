// The hot loops of cache_bench. They are written once, and compiled into each
// engine.
//
// `Access` is a cache of one library: a final class whose calls are inlined, so
// that only that library's calls are measured.
//
//   using Handle = ...;                    a pointer; null: none
//   static constexpr bool kStores;         whether it stores values
//   static constexpr bool kHints, kBatches;
//   Handle Lookup(const CacheKey&);
//   Handle Lookup(const CacheKey&, uint32_t* hint);              with kHints
//   void LookupBatch(std::span<const CacheKey>, Handle*);        with kBatches
//   void Release(Handle);
//   bool Insert(const CacheKey&, char* value, Handle*);  null: no handle wanted
//   void Erase(const CacheKey&);
//   const char* Value(Handle);                                   with kStores
//   void GatherStats();                                visits every entry
//   void Report(RunResult*);                           what the cache holds
//
// One thread makes the object; its loops run on several.
#ifndef ASHLAR_TOOLS_BENCH_CACHE_LOOPS_H_
#define ASHLAR_TOOLS_BENCH_CACHE_LOOPS_H_

#include <chrono>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tools/bench/cache_engine.h"
#include "tools/bench/threads.h"
#include "util/sync/atomic.h"

namespace ashlar::bench {

template <typename Access>
class CacheLoops {
 public:
  CacheLoops(const CacheBenchOptions& options, Access* cache)
      : options_(options), cache_(*cache) {}

  // Does what CacheEngine::Run does, with the given cache.
  std::string Run(const std::string& benchmark, RunResult* result,
                  CacheLatencies* latencies) {
    const bool mixed = benchmark == "mixed";
    const bool hits =
        benchmark.starts_with("hit") || benchmark.starts_with("hot_key");
    std::vector<Handle> pinned;
    std::string error;
    if (hits) error = FillWithHits();
    if (mixed && options_.populate_cache) Populate();
    if (benchmark == "pinned_insert") pinned = FillWithPins();
    if (!error.empty()) return error;
    const std::vector<std::unique_ptr<Thread>> threads = MakeThreads();
    if (mixed) {
      RunMixed(threads, result, latencies);
    } else if (benchmark == "growth") {
      RunGrowth(threads, result, latencies);
    } else {
      const Loop loop = LoopOf(benchmark);
      TimeThreads(options_.threads, result,
                  [&](size_t i) { (this->*loop)(*threads[i]); });
    }
    for (const auto& thread : threads) {
      result->operations += thread->operations;
      result->lookups += thread->lookups;
      result->found += thread->hits;
      if (latencies != nullptr) latencies->operations.Merge(thread->latencies);
    }
    cache_.Report(result);
    for (const auto& thread : threads) {
      for (const Handle handle : thread->pins) Unpin(handle);
    }
    for (const Handle handle : pinned) Unpin(handle);
    return "";
  }

 private:
  using Handle = typename Access::Handle;
  using Clock = std::chrono::steady_clock;

  // The state of one thread, on its own cache lines.
  struct alignas(128) Thread {
    explicit Thread(uint64_t seed) : draws(seed) {}
    Draws draws;
    uint64_t number = 0;
    uint64_t operations = 0;
    uint64_t lookups = 0;
    uint64_t hits = 0;
    uint64_t sum = 0;  // of the bytes that were read
    // The handles that the thread holds, in a ring: first in, first out.
    std::vector<Handle> pins;
    size_t oldest = 0;
    LatencyHistogram latencies;
  };
  using Loop = void (CacheLoops::*)(Thread&);

  // A slot hint that a caller keeps. Other threads may set it at any time.
  struct Hint {
    internal::RelaxedAtomic<uint32_t> slot{UINT32_MAX};
  };

  Loop LoopOf(const std::string& benchmark) {
    if (benchmark == "pinned_insert") return &CacheLoops::InsertLoop;
    if constexpr (Access::kHints) {
      if (benchmark == "hot_key_hint") return &CacheLoops::HotKeyHintLoop;
      if (benchmark == "hit_hint") {
        LearnHints();
        return &CacheLoops::HintLoop;
      }
    }
    if constexpr (Access::kBatches) {
      if (benchmark == "hit_batch") return &CacheLoops::BatchLoop;
    }
    return benchmark.starts_with("hot_key") ? &CacheLoops::HotKeyLoop
                                            : &CacheLoops::HitLoop;
  }

  std::vector<std::unique_ptr<Thread>> MakeThreads() {
    const auto n = static_cast<uint64_t>(options_.threads);
    std::vector<std::unique_ptr<Thread>> threads;
    for (uint64_t i = 0; i < n; ++i) {
      threads.push_back(std::make_unique<Thread>(options_.seed * 1000 + i));
      threads.back()->number = i;
      threads.back()->pins.resize((options_.pins() + i) / n);
    }
    return threads;
  }

  void Unpin(Handle handle) {
    if (handle != nullptr) cache_.Release(handle);
  }

  // Returns the value of an entry: null, unless real_values is set.
  char* NewValue() {
    if (!options_.real_values) return nullptr;
    char* const value = new char[options_.value_bytes];
    std::memset(value, 'v', options_.value_bytes);
    return value;
  }

  // If the cache refuses a value, the caller owns it again.
  void Insert(const CacheKey& key, Handle* handle) {
    char* const value = NewValue();
    if (!cache_.Insert(key, value, handle)) delete[] value;
  }

  void Read([[maybe_unused]] Handle handle, [[maybe_unused]] Thread& self) {
    if constexpr (Access::kStores) {
      if (!options_.real_values || options_.lean) return;
      const char* const value = cache_.Value(handle);
      for (uint64_t i = 0; i + sizeof(uint64_t) <= options_.value_bytes;
           i += sizeof(uint64_t)) {
        uint64_t word;
        std::memcpy(&word, value + i, sizeof word);
        self.sum += word;
      }
      asm volatile("" : : "r"(self.sum));
    }
  }

  // Inserts keys as the load would, until there is no more room, or until the
  // remaining keys are drawn too rarely.
  void Populate() {
    if (!Access::kStores) return;
    constexpr uint64_t kDrawsPerKey = 4;
    Draws draws(options_.seed * 1000 + 999);
    const uint64_t max_key = options_.max_key();
    uint64_t room = options_.entries_in_capacity();
    for (uint64_t i = kDrawsPerKey * max_key; i > 0 && room > 0; --i) {
      const CacheKey key = KeyAt(draws.BelowSkewed(max_key, options_.skew));
      const Handle handle = cache_.Lookup(key);
      if (handle != nullptr) {
        cache_.Release(handle);
        continue;
      }
      Insert(key, nullptr);
      --room;
    }
  }

  std::string FillWithHits() {
    const uint64_t keys = options_.hit_keys();
    for (uint64_t i = 0; i < keys; ++i) Insert(KeyAt(i), nullptr);
    uint64_t there = 0;
    for (uint64_t i = 0; i < keys; ++i) {
      const Handle handle = cache_.Lookup(KeyAt(i));
      if (handle == nullptr) continue;
      ++there;
      cache_.Release(handle);
    }
    if (there == keys) return "";
    return "only " + std::to_string(there) + " of " + std::to_string(keys) +
           " keys are resident: take fewer (--hit_fill) or larger shards "
           "(--num_shard_bits)";
  }

  void LearnHints() {
    hints_ = std::vector<Hint>(options_.hit_keys());
    for (uint64_t i = 0; i < hints_.size(); ++i) {
      uint32_t hint = hints_[i].slot.Load();
      Unpin(cache_.Lookup(KeyAt(i), &hint));
      hints_[i].slot.Store(hint);
    }
  }

  std::vector<Handle> FillWithPins() {
    std::vector<Handle> pinned(options_.entries_in_capacity());
    for (size_t i = 0; i < pinned.size(); ++i) Insert(KeyAt(i), &pinned[i]);
    return pinned;
  }

  void RunMixed(const std::vector<std::unique_ptr<Thread>>& threads,
                RunResult* result, CacheLatencies* latencies) {
    std::optional<Repeating> gathering;
    if (options_.gather_stats) {
      gathering.emplace(
          std::chrono::milliseconds(options_.gather_stats_sleep_ms),
          [this, latencies] {
            const auto begin = Clock::now();
            cache_.GatherStats();
            if (latencies == nullptr) return;
            latencies->gathers.Add(NanosecondsSince(begin));
          });
    }
    TimeThreads(options_.threads, result, [&](size_t i) {
      if (latencies == nullptr) {
        MixedLoop<false>(*threads[i]);
      } else {
        MixedLoop<true>(*threads[i]);
      }
    });
  }

  static uint64_t NanosecondsSince(Clock::time_point begin) {
    return static_cast<uint64_t>(
        std::chrono::nanoseconds(Clock::now() - begin).count());
  }

  // The first thread inserts keys until the resident keys of `hit` are all
  // present. Meanwhile, the others look up those that already are.
  void RunGrowth(const std::vector<std::unique_ptr<Thread>>& threads,
                 RunResult* result, CacheLatencies* latencies) {
    constexpr uint64_t kFirst = 1000;
    const uint64_t keys = options_.hit_keys();
    uint64_t there = 0;
    while (there < std::min(kFirst, keys)) Insert(KeyAt(there++), nullptr);
    internal::AcqRelAtomic<uint64_t> inserted(there);
    TimeThreads(options_.threads, result, [&](size_t i) {
      if (i == 0) {
        for (uint64_t n = there; n < keys;) {
          Insert(KeyAt(n), nullptr);
          inserted.Store(++n);
        }
      } else if (latencies == nullptr) {
        GrowthLoop<false>(inserted, *threads[i]);
      } else {
        GrowthLoop<true>(inserted, *threads[i]);
      }
    });
  }

  template <bool kTimed>
  void GrowthLoop(const internal::AcqRelAtomic<uint64_t>& inserted,
                  Thread& self) {
    const uint64_t keys = options_.hit_keys();
    for (uint64_t there = 0; there < keys; ++self.lookups) {
      there = inserted.Load();
      const CacheKey key = KeyAt(self.draws.Below(there));
      Clock::time_point begin;
      if constexpr (kTimed) begin = Clock::now();
      const Handle handle = cache_.Lookup(key);
      if constexpr (kTimed) self.latencies.Add(NanosecondsSince(begin));
      if (handle == nullptr) continue;
      ++self.hits;
      cache_.Release(handle);
    }
    self.operations = self.lookups;
  }

  // Keeps the handle as this thread's newest pin, and releases the oldest.
  void Pin(Handle handle, Thread& self) {
    if (handle == nullptr) return;
    if (self.pins.empty()) {
      cache_.Release(handle);
      return;
    }
    Unpin(std::exchange(self.pins[self.oldest], handle));
    if (++self.oldest == self.pins.size()) self.oldest = 0;
  }

  template <bool kTimed>
  void MixedLoop(Thread& self) {
    constexpr uint64_t kPercent = UINT64_MAX / 100;
    const uint64_t lookup_insert = options_.lookup_insert_percent * kPercent;
    const uint64_t insert = lookup_insert + options_.insert_percent * kPercent;
    const uint64_t blind = insert + options_.blind_insert_percent * kPercent;
    const uint64_t lookup = blind + options_.lookup_percent * kPercent;
    const uint64_t max_key = options_.max_key();
    for (uint64_t i = 0; i < options_.ops_per_thread; ++i) {
      const CacheKey key =
          KeyAt(self.draws.BelowSkewed(max_key, options_.skew));
      const uint64_t operation = self.draws.Next();
      Clock::time_point begin;
      if constexpr (kTimed) begin = Clock::now();
      Handle handle = nullptr;
      if (operation < lookup_insert ||
          (operation >= blind && operation < lookup)) {
        ++self.lookups;
        handle = cache_.Lookup(key);
        if (handle != nullptr) {
          ++self.hits;
          Read(handle, self);
        } else if (operation < lookup_insert) {
          Insert(key, &handle);
        }
      } else if (operation < insert) {
        Insert(key, &handle);
      } else if (operation < blind) {
        Insert(key, nullptr);
      } else {
        cache_.Erase(key);
      }
      Pin(handle, self);
      if constexpr (kTimed) self.latencies.Add(NanosecondsSince(begin));
    }
    self.operations = options_.ops_per_thread;
  }

  void CountHits(Thread& self, uint64_t hits) {
    self.hits = hits;
    self.lookups = self.operations = options_.whole_batches();
  }

  void HitLoop(Thread& self) {
    Draws draws = self.draws;
    const uint64_t keys = options_.hit_keys();
    uint64_t hits = 0;
    for (uint64_t i = options_.whole_batches(); i > 0; --i) {
      const Handle handle = cache_.Lookup(KeyAt(draws.Below(keys)));
      if (handle == nullptr) continue;
      ++hits;
      cache_.Release(handle);
    }
    CountHits(self, hits);
  }

  void HintLoop(Thread& self) {
    Draws draws = self.draws;
    const uint64_t keys = options_.hit_keys();
    uint64_t hits = 0;
    for (uint64_t i = options_.whole_batches(); i > 0; --i) {
      const uint64_t number = draws.Below(keys);
      auto& kept = hints_[number].slot;
      const uint32_t before = kept.Load();
      uint32_t hint = before;
      const Handle handle = cache_.Lookup(KeyAt(number), &hint);
      if (handle == nullptr) continue;
      if (hint != before) kept.Store(hint);
      ++hits;
      cache_.Release(handle);
    }
    CountHits(self, hits);
  }

  void BatchLoop(Thread& self) {
    Draws draws = self.draws;
    const uint64_t keys = options_.hit_keys();
    const auto batch = static_cast<size_t>(options_.batch_size);
    std::vector<CacheKey> wanted(batch);
    std::vector<Handle> handles(batch);
    uint64_t hits = 0;
    for (uint64_t i = options_.whole_batches(); i > 0; i -= batch) {
      for (CacheKey& key : wanted) key = KeyAt(draws.Below(keys));
      cache_.LookupBatch(wanted, handles.data());
      for (const Handle handle : handles) {
        if (handle == nullptr) continue;
        ++hits;
        cache_.Release(handle);
      }
    }
    CountHits(self, hits);
  }

  void HotKeyLoop(Thread& self) {
    const CacheKey key = KeyAt(0);
    uint64_t hits = 0;
    for (uint64_t i = options_.whole_batches(); i > 0; --i) {
      const Handle handle = cache_.Lookup(key);
      if (handle == nullptr) continue;
      ++hits;
      cache_.Release(handle);
    }
    CountHits(self, hits);
  }

  void HotKeyHintLoop(Thread& self) {
    const CacheKey key = KeyAt(0);
    uint32_t hint = Hint().slot.Load();
    uint64_t hits = 0;
    for (uint64_t i = options_.whole_batches(); i > 0; --i) {
      const Handle handle = cache_.Lookup(key, &hint);
      if (handle == nullptr) continue;
      ++hits;
      cache_.Release(handle);
    }
    CountHits(self, hits);
  }

  // Inserts keys that no thread has inserted before.
  void InsertLoop(Thread& self) {
    const uint64_t first =
        options_.entries_in_capacity() + self.number * options_.ops_per_thread;
    for (uint64_t i = 0; i < options_.ops_per_thread; ++i) {
      Insert(KeyAt(first + i), nullptr);
    }
    self.operations = options_.ops_per_thread;
  }

  const CacheBenchOptions options_;
  Access& cache_;
  std::vector<Hint> hints_;  // by key; for hit_hint
};

}  // namespace ashlar::bench

#endif  // ASHLAR_TOOLS_BENCH_CACHE_LOOPS_H_
