#include "table/load/metadata_cache.h"

#include <utility>

#include "table/load/file_gate.h"

namespace ashlar::internal {

Status CheckFilterPartition(const std::shared_ptr<const FilterPolicy>& policy,
                            const BlockPlace& place, const Slice& contents) {
  if (contents.size() != place.handle.size) {
    return place.Corruption("bad filter", "it is compressed");
  }
  if (policy == nullptr && FilterBitsReader::IsDamaged(contents)) {
    return place.Corruption("bad filter",
                            "its size or its parameters do not fit its kind");
  }
  return {};
}

Status ReadFilterAt(const std::shared_ptr<const FilterPolicy>& policy,
                    const BlockPlace& place, const Slice& contents,
                    FilterBitsReader* bits) {
  Status status = ReadFilterBits(contents, policy, bits);
  if (status.IsCorruption() && place.kind == BlockKind::kFilter) return {};
  return place.Wrap("bad filter", status);
}

// Looks, and counts nothing.
template <CacheEntryRole kRole>
IndexHold MetadataCache::IndexBlocks<kRole>::Look(
    const BlockPlace& place, const KeyOrder& order, const IndexForm& form,
    Cache::SlotHint* slot_hint) const {
  const CacheKey key = file_.AtOffset(place.handle.offset);
  auto found = blocks_.Lookup(key, slot_hint);
  if (!found) return {};
  if (found->handle == place.handle && found->kind == place.kind &&
      found->parsed.order().IsSameAs(order) && found->parsed.form() == form) {
    return IndexHold(std::move(found));
  }
  // Else this reader's own block would find the key taken, each time.
  blocks_.Erase(key);
  return {};
}

template <CacheEntryRole kRole>
IndexHold MetadataCache::IndexBlocks<kRole>::Find(
    const BlockPlace& place, const KeyOrder& order, const IndexForm& form,
    Cache::SlotHint* slot_hint) const {
  IndexHold found = Look(place, order, form, slot_hint);
  const CacheKey key = file_.AtOffset(place.handle.offset);
  if (found) {
    counters_.CountCacheHits(place.kind, 1, found.charge());
    counters_.TraceHit(key, place.kind, TracedCaller::kOther,
                       [&found] { return found.charge(); });
  } else {
    counters_.CountCacheMisses(place.kind, 1);
    counters_.TraceMiss(key, place.kind, TracedCaller::kOther);
  }
  return found;
}

template <CacheEntryRole kRole>
Status MetadataCache::IndexBlocks<kRole>::Load(const BlockPlace& place,
                                               const KeyOrder& order,
                                               const IndexForm& form,
                                               const ParseIndexBlock& parse,
                                               IndexHold* held) const {
  return LoadOnce(
      loads_, place.handle.offset,
      [&] {
        *held = Look(place, order, form, nullptr);
        return static_cast<bool>(*held);
      },
      [&] {
        ParsedIndex parsed(order, form);
        Status status = parse(&parsed);
        return status.ok() ? Keep(place, std::move(parsed), held) : status;
      });
}

template <CacheEntryRole kRole>
Status MetadataCache::IndexBlocks<kRole>::Keep(const BlockPlace& place,
                                               ParsedIndex parsed,
                                               IndexHold* held) const {
  TypedHandle<CachedIndexBlock> kept;
  Status status = KeepInCache(
      &blocks_, file_.AtOffset(place.handle.offset), place, filling_, counters_,
      std::make_unique<CachedIndexBlock>(place, std::move(parsed)), &kept);
  if (status.ok()) *held = IndexHold(std::move(kept));
  return status;
}

template class MetadataCache::IndexBlocks<CacheEntryRole::kIndexBlock>;
template class MetadataCache::IndexBlocks<CacheEntryRole::kFilterMetaBlock>;

CachedFilterHandle MetadataCache::LookForFilter(
    const BlockPlace& place, Cache::SlotHint* slot_hint) const {
  CachedFilterHandle found =
      filters_.Lookup(file_.AtOffset(place.handle.offset), slot_hint);
  if (found && found->handle != place.handle) found.Reset();
  return found;
}

Status MetadataCache::HoldFilter(const BlockPlace& place,
                                 const CheckFilter& check,
                                 Cache::SlotHint* slot_hint,
                                 CachedFilterHandle* filter) const {
  *filter = LookForFilter(place, slot_hint);
  const CacheKey key = file_.AtOffset(place.handle.offset);
  if (*filter) [[likely]] {
    counters_.TraceHit(key, place.kind, TracedCaller::kOther, [filter] {
      return (*filter)->ApproximateMemoryUsage();
    });
    counters_.CountCacheHits(place.kind, 1,
                             (*filter)->ApproximateMemoryUsage());
    return {};
  }
  counters_.TraceMiss(key, place.kind, TracedCaller::kOther);
  counters_.CountCacheMisses(place.kind, 1);
  return LoadOnce(
      loads_, place.handle.offset,
      [&] {
        *filter = LookForFilter(place, nullptr);
        return static_cast<bool>(*filter);
      },
      [&] { return LoadFilter(place, check, filter); });
}

Status MetadataCache::LoadFilter(const BlockPlace& place,
                                 const CheckFilter& check,
                                 CachedFilterHandle* filter) const {
  auto made = std::make_unique<CachedFilter>(place.handle);
  Status status = source_->LoadAligned(place, true, nullptr, &made->bytes);
  if (status.ok()) status = check(place, made->bytes.slice());
  if (!status.ok()) return status;
  status = ReadFilterAt(source_->filter_policy(), place, made->bytes.slice(),
                        &made->bits);
  if (!status.ok()) return status;
  return KeepInCache(&filters_, file_.AtOffset(place.handle.offset), place,
                     filling_, counters_, std::move(made), filter);
}

}  // namespace ashlar::internal
