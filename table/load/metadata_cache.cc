#include "table/load/metadata_cache.h"

#include <utility>

namespace ashlar::internal {

Status CheckFilterPartition(const BlockPlace& place, const Slice& contents) {
  if (contents.size() != place.handle.size) {
    return place.Corruption("bad filter", "it is compressed");
  }
  if (FilterBitsReader::IsDamaged(contents)) {
    return place.Corruption("bad filter",
                            "its size or its parameters do not fit its kind");
  }
  return {};
}

template <CacheEntryRole kRole>
IndexHold MetadataCache::IndexBlocks<kRole>::Find(const BlockPlace& place,
                                                  const KeyOrder& order,
                                                  const IndexForm& form) const {
  const CacheKey key = file_.AtOffset(place.handle.offset);
  auto found = blocks_.Lookup(key);
  const bool fits =
      found && found->handle == place.handle && found->kind == place.kind &&
      found->parsed.order().IsSameAs(order) && found->parsed.form() == form;
  if (!fits) {
    // Else this reader's own block would find the key taken, each time.
    if (found) blocks_.Erase(key);
    counters_.CountCacheMisses(place.kind, 1);
    counters_.Trace(key, place.kind, TracedCaller::kOther, false);
    return {};
  }
  counters_.CountCacheHits(place.kind, 1);
  counters_.Trace(key, place.kind, TracedCaller::kOther, true);
  return IndexHold(std::move(found));
}

template <CacheEntryRole kRole>
IndexHold MetadataCache::IndexBlocks<kRole>::Keep(const BlockPlace& place,
                                                  ParsedIndex parsed) const {
  auto block = std::make_unique<CachedIndexBlock>(place, std::move(parsed));
  const size_t charge = block->ApproximateMemoryUsage();
  bool found_room = false;
  IndexHold held(blocks_.InsertAndHold(file_.AtOffset(place.handle.offset),
                                       std::move(block), priority_,
                                       &found_room));
  counters_.CountCacheAdd(place.kind, charge, found_room);
  return held;
}

template class MetadataCache::IndexBlocks<CacheEntryRole::kIndexBlock>;
template class MetadataCache::IndexBlocks<CacheEntryRole::kFilterMetaBlock>;

Status MetadataCache::HoldFilter(const BlockPlace& place,
                                 CachedFilterHandle* filter) const {
  const CacheKey key = file_.AtOffset(place.handle.offset);
  *filter = filters_.Lookup(key);
  if (*filter && (*filter)->handle == place.handle) {
    counters_.CountCacheHits(place.kind, 1);
    counters_.Trace(key, place.kind, TracedCaller::kOther, true);
    return {};
  }
  counters_.CountCacheMisses(place.kind, 1);
  counters_.Trace(key, place.kind, TracedCaller::kOther, false);
  filter->Reset();
  LoadedBlock block;
  Status status = source_->LoadOwned(place, true, &block);
  if (!status.ok()) return status;
  if (place.kind == BlockKind::kFilterPartition) {
    status = CheckFilterPartition(place, block.contents);
    if (!status.ok()) return status;
  }
  auto made = std::make_unique<CachedFilter>(place.handle);
  if (made->bytes.Assign(block.contents)) {
    made->bits = FilterBitsReader(made->bytes.slice());
    const size_t charge = made->ApproximateMemoryUsage();
    bool found_room = false;
    *filter =
        filters_.InsertAndHold(key, std::move(made), priority_, &found_room);
    counters_.CountCacheAdd(place.kind, charge, found_room);
  }
  return *filter ? Status() : place.NoMemory();
}

}  // namespace ashlar::internal
