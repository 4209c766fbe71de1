#include "table/read/filter_partitions.h"

#include <algorithm>

#include "table/format/block_trailer.h"

namespace ashlar::internal {

Status FilterPartitions::Open(const BlockSource* source,
                              const MetadataCache* cache, const KeyOrder& order,
                              IndexForm form, const BlockPlace& place,
                              FileWindow* window,
                              std::unique_ptr<FilterPartitions>* filter) {
  form.first_keys = false;
  std::unique_ptr<FilterPartitions> opened(new FilterPartitions(source, cache));
  Status status = opened->TakeIndex(place, order, form, window);
  if (!status.ok() || opened->size() == 0) return status;
  if (cache == nullptr) {
    opened->partitions_ =
        std::make_unique<LatePart<const Partition>[]>(opened->size());
  }
  *filter = std::move(opened);
  return {};
}

Status FilterPartitions::TakeIndex(const BlockPlace& place,
                                   const KeyOrder& order, const IndexForm& form,
                                   FileWindow* window) {
  const auto parse = [&](ParsedIndex* parsed) {
    LoadedBlock block;
    BlockWorkspace workspace;
    const bool is_there =
        window != nullptr &&
        window->Has(place.handle.offset, place.handle.size + kBlockTrailerSize);
    Status status = is_there
                        ? source_->Load(place, true, window, &workspace, &block)
                        : source_->LoadOwned(place, true, &block);
    // An empty index lets every key pass.
    if (!status.ok() || block.contents.empty()) return status;
    return parsed->Parse(block.contents, place, source_->footer().offset);
  };
  if (cache_ != nullptr) {
    const IndexBlockStore& store = *cache_->filter_top();
    Cache::SlotHint slot = Cache::kNoSlotHint;
    index_ = store.Find(place, order, form, &slot);
    return index_ ? Status() : store.Load(place, order, form, parse, &index_);
  }
  auto parsed = std::make_unique<ParsedIndex>(order, form);
  Status status = parse(parsed.get());
  kept_index_ = std::move(parsed);
  index_ = IndexHold(kept_index_.get());
  return status;
}

Status FilterPartitions::Load(size_t i, const Partition** partition) const {
  return partitions_[i].Need(
      [&](std::unique_ptr<const Partition>* made) {
        return LoadKept(Place(i), made);
      },
      partition);
}

Status FilterPartitions::LoadKept(
    const BlockPlace& place,
    std::unique_ptr<const Partition>* partition) const {
  auto loaded = std::make_unique<Partition>();
  Status status = source_->LoadAligned(place, true, nullptr, &loaded->bytes);
  if (status.ok()) status = check_(place, loaded->bytes.slice());
  if (status.ok()) {
    status = ReadFilterAt(source_->filter_policy(), place,
                          loaded->bytes.slice(), &loaded->bits);
  }
  if (!status.ok()) return status;
  MemoryCharge* const charge = source_->kept_charge();
  if (charge != nullptr) {
    status = charge->Add(sizeof *loaded + loaded->bytes.room());
    if (!status.ok()) return place.Wrap("cannot keep it", status);
  }
  *partition = std::move(loaded);
  return {};
}

Status FilterPartitions::MayMatchInCache(size_t i, const Slice& asked,
                                         bool* maybe) const {
  if (i < pinned_.size() && pinned_[i]) {
    *maybe = pinned_[i]->bits.MayMatchBytes(asked);
    return {};
  }
  CachedFilterHandle partition;
  const Cache::SlotHint expected = index_->hint(i).slot;
  Cache::SlotHint slot = expected;
  Status status = cache_->HoldFilter(Place(i), check_, &slot, &partition);
  if (!status.ok()) return status;
  if (slot != expected) index_->Note(i, slot, partition.get());
  *maybe = partition->bits.MayMatchBytes(asked);
  return {};
}

// A key after the end of the last partition is asked of the last one, since the
// separator of the table's end may have been shortened.
Status FilterPartitions::MayMatch(const Slice& internal_key, const Slice& asked,
                                  bool* maybe) const {
  const size_t i = std::min(index_->Find(internal_key), size() - 1);
  *maybe = false;
  if (index_->handle(i).size == 0) return {};
  if (cache_ != nullptr) return MayMatchInCache(i, asked, maybe);
  const Partition* partition;
  Status status = Load(i, &partition);
  if (status.ok()) *maybe = partition->bits.MayMatchBytes(asked);
  return status;
}

Status FilterPartitions::Warm(size_t i) const {
  if (index_->handle(i).size == 0) return {};
  const Partition* kept;
  if (cache_ == nullptr) return Load(i, &kept);
  CachedFilterHandle partition;
  Cache::SlotHint slot = Cache::kNoSlotHint;
  return cache_->HoldFilter(Place(i), check_, &slot, &partition);
}

void FilterPartitions::LoadAll() {
  if (cache_ != nullptr) pinned_.resize(size());
  for (size_t i = 0; i < size(); ++i) {
    const Partition* partition;
    Cache::SlotHint slot = Cache::kNoSlotHint;
    if (cache_ == nullptr) {
      Load(i, &partition).IgnoreError();
    } else if (index_->handle(i).size != 0) {
      cache_->HoldFilter(Place(i), check_, &slot, &pinned_[i]).IgnoreError();
    }
  }
}

uint64_t FilterPartitions::MemoryUsage() const {
  if (partitions_ == nullptr) return 0;
  uint64_t bytes = index_->MemoryUsage() + size() * sizeof(partitions_[0]);
  for (size_t i = 0; i < size(); ++i) {
    const Partition* const partition = partitions_[i].IfLoaded();
    if (partition != nullptr) {
      bytes += sizeof *partition + partition->bytes.room();
    }
  }
  return bytes;
}

}  // namespace ashlar::internal
