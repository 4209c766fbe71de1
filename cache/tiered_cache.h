// TieredCache: a block cache with a second tier behind it.
//
//   ashlar::CompressedSecondaryCacheOptions second;
//   second.capacity = size_t{4} << 30;
//   auto compressed = ashlar::NewCompressedSecondaryCache(second);
//   if (!compressed.ok()) return compressed.status();
//   // `first` is a std::shared_ptr<Cache>, made by NewHyperClockCache.
//   auto cache = ashlar::NewTieredCache(
//       {.primary = first, .secondary = *compressed});
//   if (!cache.ok()) return cache.status();
//   options.block_cache = *cache;       // of readers
//
// A table reader uses a TieredCache like any other block cache.
//
// Values that the first tier evicts are saved to the second. If a Lookup does
// not find a key, LookupSecondary makes the value again from the saved bytes.
// The first time that this succeeds for a key, the caller gets a standalone
// handle, which no lookup finds. The next time, the value is put back into the
// first tier. So a value that is read only once takes room in the first tier
// only while its handle is held. The saved bytes stay in the second tier, and
// are not saved again while they are there. If the second tier fails, nothing
// else fails.
//
// Requires: a key names the same value forever, as the key of a block does.
// Erase removes a key from both tiers. But a value that is being evicted at
// that moment may arrive in the second tier afterwards.
//
// All that Cache reports (capacity, usage, entries) is about the first tier.
// The second tier has its own figures. A TieredCache may be the first tier of
// another one: then all second tiers are offered what is evicted, and are asked
// one after the other.
//
// Thread safety: as Cache. Not a cache on disk by itself: that depends on the
// SecondaryCache that you pass.
#ifndef ASHLAR_CACHE_TIERED_CACHE_H_
#define ASHLAR_CACHE_TIERED_CACHE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "ashlar/cache/cache.h"
#include "ashlar/cache/secondary_cache.h"
#include "ashlar/util/export.h"
#include "ashlar/util/result.h"

namespace ashlar {

// Which evicted values are saved to the second tier. The names are RocksDB's.
enum class TieredAdmissionPolicy : uint8_t {
  // A value is saved the second time that its key is evicted, as long as the
  // first time is remembered.
  kAdmPolicyPlaceholder,
  // The same, and at once if the value was hit in the first tier. If the first
  // tier uses admission, hits shortly after the insertion do not count, and a
  // key that came back shortly after its eviction counts as hit
  // (Cache::EvictionCallback). So a scan that looks at each block more than
  // once saves none of its blocks.
  kAdmPolicyAllowCacheHits,
  // Every value is saved.
  kAdmPolicyAllowAll,
};

// The tiers that NewTieredCache joins.
struct TieredCacheOptions {
  // The first tier. Requires: it has no eviction callback, and from now on
  // nobody uses it except through the TieredCache, not even after that is
  // destroyed.
  std::shared_ptr<Cache> primary;
  // The second tier.
  std::shared_ptr<SecondaryCache> secondary;
  TieredAdmissionPolicy adm_policy =
      TieredAdmissionPolicy::kAdmPolicyAllowCacheHits;
  // Bytes that an entry is charged on average. Together with the capacities
  // that both tiers have now, it decides how many keys are remembered, at 4
  // bytes each. Not 0.
  size_t estimated_entry_charge = 4096;
  // The seed of the hash of the keys that are remembered. 0: a random one.
  uint64_t hash_seed = 0;
};

// Counts since the TieredCache was made.
struct TieredCacheStats {
  uint64_t lookups = 0;     // in the second tier
  uint64_t hits = 0;        // lookups that found a value
  uint64_t promotions = 0;  // hits that were put back into the first tier
  uint64_t evictions = 0;   // by the first tier, of values that can be saved
  uint64_t demotions = 0;   // evictions that were saved
  uint64_t touches = 0;     // evictions whose key was in the second tier
  // Evictions that TieredAdmissionPolicy did not let in.
  uint64_t not_admitted = 0;
  // Values that could not be saved, and all calls in which the second tier
  // threw an exception.
  uint64_t failures = 0;
  // Lookups that returned other bytes than were saved.
  uint64_t damaged = 0;
  // Lookups that returned bytes of which CacheItemOps::create made no value.
  uint64_t refused = 0;
};

class ASHLAR_EXPORT TieredCache : public Cache {
 public:
  // For the implementation: users call NewTieredCache.
  using Cache::Cache;

  // Return the two tiers, which live as long as the TieredCache. Use the first
  // one only to look at its figures.
  virtual Cache& primary() const = 0;
  virtual SecondaryCache& secondary() const = 0;
  virtual TieredCacheStats GetStats() const = 0;
  // Returns all figures of both tiers in a few lines, for the operator, and
  // what the first tier holds by role and age. For that it looks at every
  // entry.
  virtual std::string Report() const = 0;
};

// Joins two tiers, and shares their ownership. Returns InvalidArgument if a
// tier is missing or estimated_entry_charge is 0, MemoryLimit if there is no
// memory for the keys to remember.
ASHLAR_EXPORT Result<std::shared_ptr<TieredCache>> NewTieredCache(
    const TieredCacheOptions& options);

}  // namespace ashlar

#endif  // ASHLAR_CACHE_TIERED_CACHE_H_
