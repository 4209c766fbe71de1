// The part of the Inspector that looks at filters, and asks them.

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "port/huge_pages.h"
#include "table/inspect/inspector.h"
#include "table/load/metadata_cache.h"
#include "table/meta/plain_block.h"

namespace ashlar::internal {

// Makes room in huge pages, since the filter is asked about keys in no order.
void Inspector::ExpectFilter(const BlockHandle& handle, Buffer* stored) const {
  const uint64_t bytes = handle.size + kBlockTrailerSize;
  if (stored->capacity() >= bytes ||
      !handle.FitsBelow(source_->footer().offset)) {
    return;
  }
  *stored = Buffer();
  if (stored->TryReserve(bytes)) port::UseHugePages(stored->data(), bytes);
}

// A file without properties counts as one whose properties say nothing.
void Inspector::TakeFilterSubject() {
  filter_subject_ = found_->properties.has_value()
                        ? FilterSubject(*found_->properties, nullptr)
                        : FilterSubject(TableProperties(), nullptr);
}

// The same rule as the reader's. Pebble gives a table without entries one data
// block, which is empty, and counts range deletions among the entries.
bool Inspector::HasPoints() const {
  const std::optional<TableProperties>& properties = found_->properties;
  const bool tells = properties.has_value() &&
                     properties->stored.contains("rocksdb.num.entries");
  if (!tells) return !data_blocks_.empty();
  return properties->num_entries > properties->num_range_deletions &&
         (!data_blocks_.empty() || !index_complete_);
}

// Keeps the filter, so that it can be asked about every key that is met.
Status Inspector::InspectFilter(const std::string& name, const Slice& contents,
                                const BlockPlace& place) {
  const FilterBitsReader reader(contents);
  TakeFilterSubject();
  if (reader.kind() == FilterBitsReader::Kind::kEmpty && HasPoints() &&
      filter_subject_.whole_keys()) {
    return place.Corruption("bad filter",
                            "expected more than 5 bytes in a table with "
                            "entries, found " +
                                std::to_string(contents.size()));
  }
  if (FilterBitsReader::IsDamaged(contents)) {
    return place.Corruption(
        "bad filter",
        "the marker byte names a known kind of filter, but its size of " +
            std::to_string(contents.size()) +
            " bytes or its other metadata do not fit that kind");
  }
  // If there are several filters, one is asked.
  const bool asked = filter_.empty() &&
                     name == std::string(kFullFilterPrefix) +
                                 std::string(kBuiltinFilterName) &&
                     filter_subject_.any();
  if (asked && reader.kind() != FilterBitsReader::Kind::kAlways) {
    FilterPart& part = filter_.emplace_back();
    part.bits = reader;
    // The payload stays where it is: in `stored`, unless it was compressed.
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
  if (leveldb_filter_.has_value()) {
    if (names_full_filter_) leveldb_filter_.reset();
    return {};
  }
  return place.Corruption("bad filter",
                          "the offsets of its filters are not within its " +
                              std::to_string(contents.size()) + " bytes");
}

// Keeps a partition. One that is stored with no bytes knows no key. A damaged
// one lets everything pass.
void Inspector::TakeFilterPart(const Slice& end, const Slice& contents,
                               bool sound) {
  FilterPart& part = filter_.emplace_back();
  part.payload.Append(contents);
  if (sound) part.bits = FilterBitsReader(part.payload.slice());
  part.end = end.ToString();
  const Slice user_key = WithoutTimestamp(
      index_form_.user_keys ? end : UserKeyOf(end), order_->timestamp_size());
  Slice prefix;
  std::optional<Slice> prefix_there;
  if (filter_subject_.OfPrefix(user_key, &prefix)) prefix_there = prefix;
  filter_runs_.Add(
      user_key, prefix_there, filter_subject_.whole_keys(),
      [&](const Slice& asked) { return part.bits.MayMatchBytes(asked); });
}

bool Inspector::PartsKnow(const Slice& asked, size_t first, size_t last) const {
  for (size_t i = first; i <= last; ++i) {
    if (!filter_[i].bits.MayMatchBytes(asked)) return false;
  }
  return true;
}

// A read asks the partition where the versions that it may see begin. That may
// be before the partition of the stored key.
bool Inspector::FilterKnows(const Slice& internal_key,
                            uint64_t block_offset) const {
  const Slice user_key =
      WithoutTimestamp(UserKeyOf(internal_key), order_->timestamp_size());
  if (leveldb_filter_.has_value() &&
      !leveldb_filter_->MayMatch(block_offset, user_key)) {
    return false;
  }
  if (filter_.empty()) return true;
  std::string target;
  const size_t last = FilterPartOf(internal_key);
  size_t first = FirstPartOf(user_key, &target);
  if (filter_subject_.whole_keys()) {
    const std::optional<bool> known =
        filter_runs_.KnowKey(user_key, first, last);
    if (!known.value_or(true) ||
        !PartsKnow(user_key, known.has_value() ? last : first, last)) {
      return false;
    }
  }
  Slice prefix;
  if (!filter_subject_.OfPrefix(user_key, &prefix)) return true;
  // A seek to a key of the prefix that is before all versions of this one may
  // ask a partition that ends with a key of the prefix: keys of a prefix follow
  // each other.
  first = filter_runs_.FirstBefore(first, prefix);
  const std::optional<bool> known =
      filter_runs_.KnowPrefix(prefix, first, last);
  return known.value_or(true) &&
         PartsKnow(prefix, known.has_value() ? last : first, last);
}

size_t Inspector::FirstPartOf(const Slice& user_key,
                              std::string* target) const {
  if (filter_.size() == 1) return 0;
  target->assign(user_key.data(), user_key.size());
  target->append(order_->timestamp_size() + kInternalKeyTailBytes, '\xff');
  return FilterPartOf(*target);
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
  // An empty block is a filter that lets everything pass.
  if (contents.empty()) return {};
  BlockView view;
  Status status = ParseBlock(contents, place, &view);
  if (!status.ok()) return status;
  IndexItems items;
  status = ParseFilterIndex(view, place, &items);
  *num_entries = items.size();
  TakeFilterSubject();
  // If there are several filters, one is asked.
  bool asked = status.ok() && filter_.empty() && !names_full_filter_ &&
               order_.has_value() && index_form_known_ &&
               filter_subject_.any() &&
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
    if (Read(part, &info, &payload)) {
      info.status = CheckFilterPartition(part, payload);
    }
    const bool sound = info.status.ok();
    if (asked) {
      TakeFilterPart(items[i].separator, sound ? payload : Slice(), sound);
    }
    Keep(std::move(info));
  }
  return status;
}

}  // namespace ashlar::internal
