#include "table/read/filter_partitions.h"

#include <algorithm>

namespace ashlar::internal {

FilterPartitions::~FilterPartitions() {
  if (partitions_ == nullptr) return;
  for (size_t i = 0; i < size(); ++i) delete partitions_[i].Load();
}

Status FilterPartitions::Open(const BlockSource* source,
                              const MetadataCache* cache, const KeyOrder& order,
                              IndexForm form, const Slice& contents,
                              const BlockPlace& place,
                              std::unique_ptr<FilterPartitions>* filter) {
  form.first_keys = false;
  ParsedIndex index(order, form);
  // An empty index lets every key pass.
  if (contents.empty()) return {};
  Status status = index.Parse(contents, place, source->footer().offset);
  if (!status.ok() || index.size() == 0) return status;
  std::unique_ptr<FilterPartitions> opened(new FilterPartitions(source, cache));
  if (cache != nullptr) {
    opened->index_ = cache->filter_top()->Keep(place, std::move(index));
    if (!opened->index_) return place.NoMemory();
  } else {
    opened->kept_index_ = std::make_unique<const ParsedIndex>(std::move(index));
    opened->index_ = IndexHold(opened->kept_index_.get());
    opened->partitions_ =
        std::make_unique<PublishedPointer<const Partition>[]>(opened->size());
  }
  *filter = std::move(opened);
  return {};
}

Status FilterPartitions::Load(size_t i, const Partition** partition) const {
  *partition = partitions_[i].Load();
  if (*partition != nullptr) [[likely]]
    return {};
  auto loaded = std::make_unique<Partition>();
  const BlockPlace place = Place(i);
  Status status = source_->LoadOwned(place, true, &loaded->block);
  if (!status.ok()) return status;
  status = CheckFilterPartition(place, loaded->block.contents);
  if (!status.ok()) return status;
  loaded->bits = FilterBitsReader(loaded->block.contents);
  MemoryCharge* const charge = source_->kept_charge();
  const uint64_t charged = sizeof *loaded + loaded->block.owned.room();
  if (charge != nullptr) {
    status = charge->Add(charged);
    if (!status.ok()) return place.Wrap("cannot keep it", status);
  }
  *partition = partitions_[i].PublishFirst(loaded.get());
  if (*partition == loaded.get()) {
    static_cast<void>(loaded.release());
  } else if (charge != nullptr) {
    charge->Remove(charged);
  }
  return {};
}

Status FilterPartitions::MayMatchInCache(size_t i, const Slice& asked,
                                         bool* maybe) const {
  if (i < pinned_.size() && pinned_[i]) {
    *maybe = pinned_[i]->bits.MayMatchBytes(asked);
    return {};
  }
  CachedFilterHandle partition;
  Status status = cache_->HoldFilter(Place(i), &partition);
  if (status.ok()) *maybe = partition->bits.MayMatchBytes(asked);
  return status;
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

void FilterPartitions::LoadAll() {
  if (cache_ != nullptr) pinned_.resize(size());
  for (size_t i = 0; i < size(); ++i) {
    const Partition* partition;
    if (cache_ == nullptr) {
      Load(i, &partition).IgnoreError();
    } else if (index_->handle(i).size != 0) {
      cache_->HoldFilter(Place(i), &pinned_[i]).IgnoreError();
    }
  }
}

uint64_t FilterPartitions::MemoryUsage() const {
  if (partitions_ == nullptr) return 0;
  uint64_t bytes = index_->MemoryUsage() + size() * sizeof(partitions_[0]);
  for (size_t i = 0; i < size(); ++i) {
    const Partition* const partition = partitions_[i].Load();
    if (partition != nullptr) {
      bytes += sizeof *partition + partition->block.owned.capacity();
    }
  }
  return bytes;
}

}  // namespace ashlar::internal
