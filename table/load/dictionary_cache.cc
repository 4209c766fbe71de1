#include "table/load/dictionary_cache.h"

#include <utility>

namespace ashlar::internal {

Status DictionaryCache::Hold(CachedDictionaryHandle* held,
                             const DecompressionDictionary** dictionary) const {
  if (pinned_) {
    *dictionary = &pinned_->dictionary;
    return {};
  }
  Status status = Find(nullptr, held);
  if (status.ok()) *dictionary = &(*held)->dictionary;
  return status;
}

Status DictionaryCache::Warm(FileWindow* window) const {
  CachedDictionaryHandle held;
  return Find(window, &held);
}

// Looks, and counts nothing.
CachedDictionaryHandle DictionaryCache::Look() const {
  CachedDictionaryHandle found = dictionaries_.Lookup(key_);
  if (found && found->handle != place_.handle) found.Reset();
  return found;
}

Status DictionaryCache::Find(FileWindow* window,
                             CachedDictionaryHandle* held) const {
  *held = Look();
  if (*held) {
    counters_.CountCacheHits(place_.kind, 1, (*held)->ApproximateMemoryUsage());
    return {};
  }
  counters_.CountCacheMisses(place_.kind, 1);
  return LoadOnce(
      loads_, place_.handle.offset,
      [&] {
        *held = Look();
        return static_cast<bool>(*held);
      },
      [&] { return Load(window, held); });
}

Status DictionaryCache::Load(FileWindow* window,
                             CachedDictionaryHandle* held) const {
  LoadedBlock block;
  BlockWorkspace workspace;
  const BlockHandle& at = place_.handle;
  const bool is_there =
      window != nullptr && window->Has(at.offset, at.size + kBlockTrailerSize);
  Status status = is_there
                      ? source_.Load(place_, true, window, &workspace, &block)
                      : source_.LoadOwned(place_, true, &block);
  if (status.ok())
    status = BlockSource::CheckDictionary(block.contents, place_);
  if (!status.ok()) return status;
  return KeepInCache(
      &dictionaries_, key_, place_, filling_, counters_,
      std::make_unique<CachedDictionary>(place_.handle, block.contents, types_),
      held);
}

}  // namespace ashlar::internal
