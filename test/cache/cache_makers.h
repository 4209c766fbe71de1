// The caches that every test of Cache runs on. To add one, add a line to
// AllCacheMakers().
#ifndef ASHLAR_TEST_CACHE_CACHE_MAKERS_H_
#define ASHLAR_TEST_CACHE_CACHE_MAKERS_H_

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "ashlar/cache/cache_options.h"

namespace ashlar::testing {

// With a fixed seed, keys spread over shards in the same way in each run.
inline constexpr uint64_t kTestHashSeed = 1;

struct CacheConfig {
  size_t capacity = 1 << 20;
  bool strict = false;
  // kDontCharge makes sums exact. kFullCharge has its own tests.
  CacheMetadataChargePolicy policy = CacheMetadataChargePolicy::kDontCharge;
  std::shared_ptr<MemoryAllocator> allocator;
  // The charge of most entries of the test.
  size_t entry_charge = 1000;
  uint32_t (*age_clock)() = nullptr;
};

struct CacheMaker {
  using Make = Result<std::shared_ptr<Cache>> (*)(const CacheConfig& config,
                                                  int num_shard_bits);
  const char* name;
  Make make;
  int num_shard_bits;

  std::shared_ptr<Cache> operator()(const CacheConfig& config) const {
    return make(config, num_shard_bits).value();
  }
};

inline void PrintTo(const CacheMaker& maker, std::ostream* out) {
  *out << maker.name;
}

inline Result<std::shared_ptr<Cache>> MakeLru(const CacheConfig& config,
                                              int num_shard_bits) {
  LruCacheOptions options;
  options.capacity = config.capacity;
  options.num_shard_bits = num_shard_bits;
  options.strict_capacity_limit = config.strict;
  options.metadata_charge_policy = config.policy;
  options.memory_allocator = config.allocator;
  options.hash_seed = kTestHashSeed;
  options.age_clock = config.age_clock;
  return NewLruCache(options);
}

inline HyperClockCacheOptions ClockOptions(const CacheConfig& config,
                                           int num_shard_bits) {
  HyperClockCacheOptions options;
  options.capacity = config.capacity;
  options.estimated_entry_charge = config.entry_charge;
  options.num_shard_bits = num_shard_bits;
  options.strict_capacity_limit = config.strict;
  options.metadata_charge_policy = config.policy;
  options.memory_allocator = config.allocator;
  options.hash_seed = kTestHashSeed;
  options.age_clock = config.age_clock;
  return options;
}

inline Result<std::shared_ptr<Cache>> MakeClock(const CacheConfig& config,
                                                int num_shard_bits) {
  return NewHyperClockCache(ClockOptions(config, num_shard_bits));
}

// The growing cache, which sizes its table itself.
inline Result<std::shared_ptr<Cache>> MakeAutoClock(const CacheConfig& config,
                                                    int num_shard_bits) {
  HyperClockCacheOptions options = ClockOptions(config, num_shard_bits);
  options.estimated_entry_charge = 0;
  options.min_avg_entry_charge = config.entry_charge;
  return NewHyperClockCache(options);
}

// The fixed and the growing cache with admission.
inline Result<std::shared_ptr<Cache>> MakeAdmission(const CacheConfig& config,
                                                    int num_shard_bits) {
  HyperClockCacheOptions options = ClockOptions(config, num_shard_bits);
  options.admission = true;
  return NewHyperClockCache(options);
}
inline Result<std::shared_ptr<Cache>> MakeAutoAdmission(
    const CacheConfig& config, int num_shard_bits) {
  HyperClockCacheOptions options = ClockOptions(config, num_shard_bits);
  options.estimated_entry_charge = 0;
  options.min_avg_entry_charge = config.entry_charge;
  options.admission = true;
  return NewHyperClockCache(options);
}

inline std::vector<CacheMaker> AllCacheMakers() {
  return {
      {"Lru", MakeLru, 0},
      {"Lru4Shards", MakeLru, 2},
      {"HyperClock", MakeClock, 0},
      {"HyperClock4Shards", MakeClock, 2},
      {"AutoHyperClock", MakeAutoClock, 0},
      {"AutoHyperClock4Shards", MakeAutoClock, 2},
      {"Admission", MakeAdmission, 0},
      {"Admission4Shards", MakeAdmission, 2},
      {"AutoAdmission", MakeAutoAdmission, 0},
      {"AutoAdmission4Shards", MakeAutoAdmission, 2},
  };
}

// Names the test for INSTANTIATE_TEST_SUITE_P.
inline std::string CacheMakerName(
    const ::testing::TestParamInfo<CacheMaker>& info) {
  return info.param.name;
}

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_CACHE_CACHE_MAKERS_H_
