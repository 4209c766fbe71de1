// BuildCharges: what a builder charges to the block cache of BuildOptions.
//
// Each part of a builder that takes memory has a MemoryCharge of its own, made
// from one of these by Sibling. Belongs to one thread.
#ifndef ASHLAR_TABLE_WRITE_BUILD_CHARGES_H_
#define ASHLAR_TABLE_WRITE_BUILD_CHARGES_H_

#include "ashlar/table/options.h"
#include "cache/charge/memory_charge.h"

namespace ashlar::internal {

struct BuildCharges {
  // Charges nothing.
  BuildCharges() = default;
  // Throws std::bad_alloc.
  explicit BuildCharges(const BuildOptions& o)
      : write_buffers(o.block_cache, o.cache_usage_options,
                      CacheEntryRole::kWriteBuffer),
        dictionary(o.block_cache, o.cache_usage_options,
                   CacheEntryRole::kCompressionDictionaryBuildingBuffer),
        filter(o.block_cache, o.cache_usage_options,
               CacheEntryRole::kFilterConstruction) {}

  MemoryCharge write_buffers;
  MemoryCharge dictionary;
  MemoryCharge filter;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_WRITE_BUILD_CHARGES_H_
