// TieredCache: a block cache with a second tier behind it.
//
//   ashlar::CompressedSecondaryCacheOptions second;
//   second.capacity = size_t{4} << 30;
//   auto compressed = ashlar::NewCompressedSecondaryCache(second);
//   if (!compressed.ok()) return compressed.status();
//   auto cache = ashlar::NewTieredCache(
//       {.primary = first, .secondary = *compressed});
//   if (!cache.ok()) return cache.status();
//   options.block_cache = *cache;       // of readers
//
// What the first tier evicts is saved to the second; what a Lookup does not
// find is made again, by LookupSecondary, from what was saved. The first such
// hit of a key gives a handle that no lookup finds; the next one puts the value
// back into the first tier, so that what is read once evicts no more than it
// takes while it is held. The copy in the second tier stays, and is not saved
// again while it is there. Nothing fails for want of the second tier.
//
// A key names one value for ever, as those of blocks do. Erase takes it from
// both tiers; what is just being evicted may come to the second afterwards.
//
// Everything that Cache tells (capacity, usage, entries) is of the first tier;
// the second has its own. A TieredCache can be the first tier of another: all
// of its tiers are then offered what is evicted, and asked one after the other.
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

// Which evicted values are saved. RocksDB's names.
enum class TieredAdmissionPolicy : uint8_t {
  // The second time that they are evicted, as far as that is remembered.
  kAdmPolicyPlaceholder,
  // The same, and at once if they were hit. Where the first tier has admission,
  // its memory of evicted keys has a say in that (Cache::EvictionCallback): a
  // scan that looks at blocks more than once has none of them compressed.
  kAdmPolicyAllowCacheHits,
  kAdmPolicyAllowAll,
};

struct TieredCacheOptions {
  // Used through the TieredCache alone from then on, with no eviction callback
  // of its own.
  std::shared_ptr<Cache> primary;
  std::shared_ptr<SecondaryCache> secondary;
  TieredAdmissionPolicy adm_policy =
      TieredAdmissionPolicy::kAdmPolicyAllowCacheHits;
  // What an entry is charged on average: how many keys are remembered follows
  // from it and from the capacities that both tiers have now, in 4 bytes each.
  size_t estimated_entry_charge = 4096;
  // The keys that are remembered are hashed with it. 0: drawn at random.
  uint64_t hash_seed = 0;
};

// Since it was made.
struct TieredCacheStats {
  uint64_t lookups = 0;     // in the second tier
  uint64_t hits = 0;        // of these
  uint64_t promotions = 0;  // of these: put back into the first tier
  uint64_t evictions = 0;   // from the first tier, of values that can be saved
  uint64_t demotions = 0;   // of these: saved
  uint64_t touches = 0;     // of these: there already
  uint64_t not_admitted = 0;
  uint64_t failures = 0;  // inserts that the second tier refused; what it threw
  uint64_t damaged = 0;   // lookups: bytes that are not those that were saved
  uint64_t refused = 0;   // lookups: bytes of which no value could be made
};

class ASHLAR_EXPORT TieredCache : public Cache {
 public:
  using Cache::Cache;

  virtual Cache& primary() const = 0;
  virtual SecondaryCache& secondary() const = 0;
  virtual TieredCacheStats GetStats() const = 0;
  // All figures of both tiers in some lines, for the operator; and what the
  // first one holds, by role and age, for which it looks at every entry.
  virtual std::string Report() const = 0;
};

// InvalidArgument where one of the two is missing, MemoryLimit where there is
// no memory for the keys.
ASHLAR_EXPORT Result<std::shared_ptr<TieredCache>> NewTieredCache(
    const TieredCacheOptions& options);

}  // namespace ashlar

#endif  // ASHLAR_CACHE_TIERED_CACHE_H_
