#include "table/read/filter_partitions.h"

#include <algorithm>

namespace ashlar::internal {

FilterPartitions::FilterPartitions(const BlockSource* source, ParsedIndex index)
    : source_(source),
      index_(std::move(index)),
      partitions_(std::make_unique<PublishedPointer<const Partition>[]>(
          index_.size())) {}

FilterPartitions::~FilterPartitions() {
  for (size_t i = 0; i < size(); ++i) delete partitions_[i].Load();
}

Status FilterPartitions::Open(const BlockSource* source,
                              const ParsedIndex& root, const Slice& contents,
                              const BlockPlace& place,
                              std::unique_ptr<FilterPartitions>* filter) {
  IndexForm form = root.form();
  form.first_keys = false;
  ParsedIndex index(root.order(), form);
  // Nothing at all lets everything pass.
  if (contents.empty()) return {};
  Status status = index.Parse(contents, place, source->footer().offset);
  if (!status.ok() || index.size() == 0) return status;
  filter->reset(new FilterPartitions(source, std::move(index)));
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
  if (loaded->block.contents.size() != place.handle.size) {
    return place.Corruption("bad filter", "it is compressed");
  }
  if (FilterBitsReader::IsDamaged(loaded->block.contents)) {
    return place.Corruption("bad filter",
                            "size or parameters are not of its kind");
  }
  loaded->bits = FilterBitsReader(loaded->block.contents);
  *partition = partitions_[i].PublishFirst(loaded.get());
  if (*partition == loaded.get()) static_cast<void>(loaded.release());
  return {};
}

// Behind the last partition's end the last one is asked: the end of the table
// may have been shortened.
Status FilterPartitions::MayMatch(const Slice& internal_key, const Slice& asked,
                                  bool* maybe) const {
  const size_t i = std::min(index_.Find(internal_key), size() - 1);
  *maybe = false;
  if (index_.handle(i).size == 0) return {};
  const Partition* partition;
  Status status = Load(i, &partition);
  if (status.ok()) *maybe = partition->bits.MayMatchBytes(asked);
  return status;
}

void FilterPartitions::LoadAll() const {
  for (size_t i = 0; i < size(); ++i) {
    const Partition* partition;
    Load(i, &partition).IgnoreError();
  }
}

uint64_t FilterPartitions::MemoryUsage() const {
  uint64_t bytes = index_.MemoryUsage() + size() * sizeof(partitions_[0]);
  for (size_t i = 0; i < size(); ++i) {
    const Partition* const partition = partitions_[i].Load();
    if (partition != nullptr) {
      bytes += sizeof *partition + partition->block.owned.capacity();
    }
  }
  return bytes;
}

}  // namespace ashlar::internal
