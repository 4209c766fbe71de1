// DictionaryCache: keeps the dictionary of a table's compression in the block
// cache instead of in the reader.
//
// A block that is decompressed holds the dictionary meanwhile: one lookup for
// each block that is read from the file. If it was evicted, it is read again,
// and compared with its checksum. Of the threads that miss it at once, one
// reads it, and the others wait (loads_in_flight.h has the protocol; a thread
// may wait here while it has claimed a data block, since a load of a dictionary
// waits for nothing).
//
// A reader has one, if it has a dictionary and keeps index and filter blocks in
// the cache. Pin is called first, while the table is opened. After that any
// number of threads may use it.
#ifndef ASHLAR_TABLE_LOAD_DICTIONARY_CACHE_H_
#define ASHLAR_TABLE_LOAD_DICTIONARY_CACHE_H_

#include <bitset>
#include <memory>

#include "ashlar/cache/typed_cache.h"
#include "table/counters/read_counters.h"
#include "table/load/block_source.h"
#include "table/load/cache_filling.h"
#include "table/load/dictionary_store.h"
#include "table/load/loads_in_flight.h"

namespace ashlar::internal {

class DictionaryCache final : public DictionaryStore {
 public:
  // The dictionary is at `place`, and blocks of these types may need it. `file`
  // is the cache key of the table. Requires: the source, and what the counters
  // write to, outlive this.
  DictionaryCache(const BlockSource* source, const BlockPlace& place,
                  const std::bitset<256>& types, std::shared_ptr<Cache> cache,
                  const CacheKey& file, CacheFilling filling,
                  ReadCounters counters)
      : source_(*source),
        place_(place),
        types_(types),
        key_(file.AtOffset(place.handle.offset)),
        filling_(filling),
        counters_(counters),
        loads_(cache.get(), file),
        dictionaries_(std::move(cache)) {}

  Status Hold(CachedDictionaryHandle* held,
              const DecompressionDictionary** dictionary) const override;
  // Brings it into the cache: from the window, if that has it.
  Status Warm(FileWindow* window) const;
  // Does the same, and holds it there as long as this lives.
  Status Pin(FileWindow* window) { return Find(window, &pinned_); }

 private:
  // Makes *held a handle to it: from the cache, or from the file. `window` may
  // be null.
  Status Find(FileWindow* window, CachedDictionaryHandle* held) const;
  CachedDictionaryHandle Look() const;
  Status Load(FileWindow* window, CachedDictionaryHandle* held) const;

  const BlockSource& source_;
  const BlockPlace place_;
  const std::bitset<256> types_;
  const CacheKey key_;
  const CacheFilling filling_;
  const ReadCounters counters_;
  const LoadsInFlight loads_;
  mutable TypedCache<CachedDictionary, CacheEntryRole::kOtherBlock>
      dictionaries_;
  CachedDictionaryHandle pinned_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_LOAD_DICTIONARY_CACHE_H_
