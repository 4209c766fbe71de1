// The part of the Inspector that looks at filters, and asks them.

#include <algorithm>
#include <string>
#include <utility>

#include "port/huge_pages.h"
#include "table/dump/inspector.h"
#include "table/meta/plain_block.h"

namespace ashlar::internal {

// It is asked about keys in no order.
void Inspector::ExpectFilter(const BlockHandle& handle, Buffer* stored) const {
  const uint64_t bytes = handle.size + kBlockTrailerSize;
  if (stored->capacity() >= bytes ||
      !handle.FitsBelow(source_->footer().offset)) {
    return;
  }
  *stored = Buffer();
  if (stored->TryReserve(bytes)) port::UseHugePages(stored->data(), bytes);
}

// Takes the filter along, so that every key that is met can be asked of it.
Status Inspector::InspectFilter(const std::string& name, const Slice& contents,
                                const BlockPlace& place) {
  const FilterBitsReader reader(contents);
  const bool has_entries =
      found_->properties.has_value() &&
      found_->properties->num_entries > found_->properties->num_range_deletions;
  if (found_->properties.has_value()) {
    filter_subject_ = FilterSubject(*found_->properties, nullptr);
  }
  if (reader.kind() == FilterBitsReader::Kind::kEmpty && has_entries &&
      filter_subject_.whole_keys()) {
    return place.Corruption("bad filter",
                            "expected more than 5 bytes in a table with "
                            "entries, found " +
                                std::to_string(contents.size()));
  }
  if (FilterBitsReader::IsDamaged(contents)) {
    return place.Corruption("bad filter",
                            "the marker is that of a kind we know, but size " +
                                std::to_string(contents.size()) +
                                " or the other metadata are not");
  }
  // Of several filters one is asked.
  const bool asked = filter_.empty() &&
                     name == std::string(kFullFilterPrefix) +
                                 std::string(kBuiltinFilterName) &&
                     filter_subject_.any();
  if (asked && reader.kind() != FilterBitsReader::Kind::kAlways) {
    FilterPart& part = filter_.emplace_back();
    part.bits = reader;
    // It stays where it is, unless it was compressed.
    Buffer* const home = contents.data() == walk_.workspace.stored.data()
                             ? &walk_.workspace.stored
                             : &walk_.loaded.owned;
    part.payload = std::move(*home);
  }
  return {};
}

Status Inspector::InspectLevelDbFilter(const Slice& contents,
                                       const BlockPlace& place) {
  filter_payload_.Append(contents);
  leveldb_filter_ = LevelDbFilter::Parse(filter_payload_.slice());
  if (leveldb_filter_.has_value()) return {};
  return place.Corruption("bad filter",
                          "the starts of the filters lie outside of " +
                              std::to_string(contents.size()) + " bytes");
}

void Inspector::TakeFilterPart(std::string end, const Slice& contents) {
  FilterPart& part = filter_.emplace_back();
  part.payload.Append(contents);
  if (!contents.empty()) part.bits = FilterBitsReader(part.payload.slice());
  part.end = std::move(end);
}

bool Inspector::FilterKnows(const Slice& internal_key,
                            uint64_t block_offset) const {
  const Slice user_key =
      WithoutTimestamp(UserKeyOf(internal_key), order_->timestamp_size());
  if (leveldb_filter_.has_value() &&
      !leveldb_filter_->MayMatch(block_offset, user_key)) {
    return false;
  }
  if (filter_.empty()) return true;
  const FilterBitsReader& bits = filter_[FilterPartOf(internal_key)].bits;
  if (filter_subject_.whole_keys() && !bits.MayMatchBytes(user_key)) {
    return false;
  }
  Slice prefix;
  return !filter_subject_.OfPrefix(user_key, &prefix) ||
         bits.MayMatchBytes(prefix);
}

size_t Inspector::FilterPartOf(const Slice& internal_key) const {
  const auto last = filter_.end() - 1;
  const auto part = std::partition_point(
      filter_.begin(), last, [&](const FilterPart& candidate) {
        return CompareSeparator(candidate.end, internal_key) < 0;
      });
  return static_cast<size_t>(part - filter_.begin());
}

Status Inspector::InspectFilterPartitions(const std::string& name,
                                          const Slice& contents,
                                          const BlockPlace& place,
                                          uint64_t* num_entries) {
  // An empty one is a filter that lets everything pass.
  if (contents.empty()) return {};
  BlockView view;
  Status status = ParseBlock(contents, place, &view);
  if (!status.ok()) return status;
  IndexItems items;
  status = ParseFilterIndex(view, place, &items);
  *num_entries = items.size();
  if (found_->properties.has_value()) {
    filter_subject_ = FilterSubject(*found_->properties, nullptr);
  }
  // Of several filters one is asked.
  bool asked = status.ok() && filter_.empty() && order_.has_value() &&
               index_form_known_ && filter_subject_.any() &&
               name == std::string(kPartitionedFilterPrefix) +
                           std::string(kBuiltinFilterName);
  if (asked) {
    status = CheckFilterSeparators(items, place);
    asked = status.ok();
  }
  for (size_t i = 0; i < items.size(); ++i) {
    if (!GoesOnToPart(i)) return GivenUp();
    const BlockPlace part{BlockKind::kFilterPartition, items[i].handle, i};
    BlockInfo info;
    Slice payload;
    if (Read(part, &info, &payload) && FilterBitsReader::IsDamaged(payload)) {
      info.status = part.Corruption("bad filter",
                                    "size or parameters are not of its kind");
    }
    if (asked) {
      TakeFilterPart(items[i].separator.ToString(),
                     info.status.ok() ? payload : Slice());
    }
    Keep(std::move(info));
  }
  return status;
}

}  // namespace ashlar::internal
