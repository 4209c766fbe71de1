#include "table/inspect/asked_filter.h"

#include <algorithm>
#include <utility>

namespace ashlar::internal {

void AskedFilter::TakeFull(const FilterBitsReader& bits, Buffer payload) {
  Part& part = parts_.emplace_back();
  part.bits = bits;
  part.payload = std::move(payload);
}

bool AskedFilter::TakeLevelDb(const Slice& contents, bool used) {
  leveldb_payload_.Append(contents);
  leveldb_filter_ = LevelDbFilter::Parse(leveldb_payload_.slice());
  const bool parsed = leveldb_filter_.has_value();
  if (!used) leveldb_filter_.reset();
  return parsed;
}

void AskedFilter::TakePartition(const Slice& end, const Slice& contents,
                                bool sound) {
  Part& part = parts_.emplace_back();
  part.payload.Append(contents);
  if (sound) {
    // What cannot be read was found before, and lets everything pass.
    ReadFilterBits(part.payload.slice(), policy_, &part.bits).IgnoreError();
  }
  part.end = end.ToString();
  const Slice user_key = WithoutTimestamp(user_keys_ ? end : UserKeyOf(end),
                                          order_->timestamp_size());
  Slice prefix;
  std::optional<Slice> prefix_there;
  if (subject_.OfPrefix(user_key, &prefix)) prefix_there = prefix;
  runs_.Add(user_key, prefix_there, subject_.whole_keys(),
            [&](const Slice& asked) { return part.bits.MayMatchBytes(asked); });
}

bool AskedFilter::PartsKnow(const Slice& asked, size_t first,
                            size_t last) const {
  for (size_t i = first; i <= last; ++i) {
    if (!parts_[i].bits.MayMatchBytes(asked)) return false;
  }
  return true;
}

// A read asks the partition where the versions that it may see begin. That may
// be before the partition of the stored key.
bool AskedFilter::Knows(const Slice& internal_key,
                        uint64_t block_offset) const {
  const Slice user_key =
      WithoutTimestamp(UserKeyOf(internal_key), order_->timestamp_size());
  if (leveldb_filter_.has_value() &&
      !leveldb_filter_->MayMatch(block_offset, user_key)) {
    return false;
  }
  if (parts_.empty()) return true;
  std::string target;
  const size_t last = PartOf(internal_key);
  size_t first = FirstPartOf(user_key, &target);
  if (subject_.whole_keys()) {
    const std::optional<bool> known = runs_.KnowKey(user_key, first, last);
    if (!known.value_or(true) ||
        !PartsKnow(user_key, known.has_value() ? last : first, last)) {
      return false;
    }
  }
  Slice prefix;
  if (!subject_.OfPrefix(user_key, &prefix)) return true;
  // A seek to a key of the prefix that is before all versions of this one may
  // ask a partition that ends with a key of the prefix: keys of a prefix follow
  // each other.
  first = runs_.FirstBefore(first, prefix);
  const std::optional<bool> known = runs_.KnowPrefix(prefix, first, last);
  return known.value_or(true) &&
         PartsKnow(prefix, known.has_value() ? last : first, last);
}

size_t AskedFilter::FirstPartOf(const Slice& user_key,
                                std::string* target) const {
  if (parts_.size() == 1) return 0;
  target->assign(user_key.data(), user_key.size());
  target->append(order_->timestamp_size() + kInternalKeyTailBytes, '\xff');
  return PartOf(*target);
}

size_t AskedFilter::PartOf(const Slice& internal_key) const {
  const SeparatorOrder order(*order_, user_keys_);
  const auto last = parts_.end() - 1;
  const auto part =
      std::partition_point(parts_.begin(), last, [&](const Part& candidate) {
        return order.CompareToKey(candidate.end, internal_key) < 0;
      });
  return static_cast<size_t>(part - parts_.begin());
}

const AskedFilter::Part* AskedFilter::PartOfBlock(const Slice& first_key,
                                                  std::string* target) const {
  if (parts_.size() == 1) return parts_.data();
  const size_t part = PartOf(first_key);
  const Slice user_key =
      WithoutTimestamp(UserKeyOf(first_key), order_->timestamp_size());
  if (FirstPartOf(user_key, target) != part) return nullptr;
  // The partitions before it were asked when they were read.
  Slice prefix;
  if (subject_.OfPrefix(user_key, &prefix) &&
      !runs_.KnowPrefix(prefix, runs_.FirstBefore(part, prefix), part)
           .value_or(false)) {
    return nullptr;
  }
  return &parts_[part];
}

}  // namespace ashlar::internal
