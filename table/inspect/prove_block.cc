// The part of the Inspector that checks sound data blocks quickly.
//
// If it meets anything that it cannot prove, such as a fault, it leaves the
// whole block to the walk that goes entry by entry, from the first one on. So
// that walk reports what is wrong, and no fault is reported that it does not
// see.

#include <algorithm>
#include <array>
#include <string>

#include "table/block/prove_entries.h"
#include "table/inspect/inspector.h"

namespace ashlar::internal {

bool Inspector::Walk::FilterKnowsAll() {
  const bool known = !denied && (asked == nullptr || questions.AskRest(*asked));
  questions.Clear();
  asked = nullptr;
  denied = false;
  return known;
}

bool Inspector::ProveBlock(const BlockView& view, const BlockPlace& place,
                           Walk* walk, BlockInfo* info) const {
  if (!walk->proves) return false;
  uint64_t num_entries = 0;
  const bool proven = ProveEntries(view, place, walk, &num_entries);
  const bool known = walk->asks_later || walk->FilterKnowsAll();
  if (!proven || !known) return false;
  if (options_.first_keys && num_entries != 0) {
    info->first_key = UserKeyOf(walk->first_key).ToString();
  }
  info->num_entries = num_entries;
  info->contents_sound = true;
  return true;
}

// Proves everything except what the filter has not answered yet.
bool Inspector::ProveEntries(const BlockView& view, const BlockPlace& place,
                             Walk* walk, uint64_t* num_entries) const {
  // These need values, restart intervals, the block's number, or keys that
  // differ from the stored ones.
  if (has_blobs_ || key_form_.sequence.has_value() ||
      leveldb_filter_.has_value() || walk->hash_index.has_value() ||
      view.num_buckets != 0) {
    return false;
  }
  const size_t most = AsksFilter(kFirstKeys) ? ShortKeys::kMost : kFirstKeys;
  const ShortKeys& keys = walk->keys;
  const FilterPart* part = nullptr;
  EntryProof proof(view, *order_, &walk->keys);
  while (proof.Next(most)) {
    if (*num_entries == 0) {
      walk->first_key.assign(keys[0].data(), keys[0].size());
      if (!filter_.empty()) part = PartOfBlock(keys[0], &walk->target);
      if (!filter_.empty() && part == nullptr) return false;
    }
    *num_entries += keys.size();
    if (part != nullptr) {
      // Few blocks have keys of two partitions.
      if (part != &filter_[FilterPartOf(keys.back())]) return false;
      AskFilter(part->bits, walk);
    }
    const bool wants_more = part != nullptr && most == ShortKeys::kMost;
    if (!wants_more && !proof.PassRest(num_entries)) return false;
  }
  return proof.proven() &&
         (*num_entries == 0 ||
          CheckSeparators(place, walk->first_key, keys.back()).ok());
}

// Returns the partition of the filter that reads of the block's first key ask
// last, if all others that they ask are known to know it; else null.
const Inspector::FilterPart* Inspector::PartOfBlock(const Slice& first_key,
                                                    std::string* target) const {
  if (filter_.size() == 1) return filter_.data();
  const size_t part = FilterPartOf(first_key);
  const Slice user_key =
      WithoutTimestamp(UserKeyOf(first_key), order_->timestamp_size());
  if (FirstPartOf(user_key, target) != part) return nullptr;
  // The partitions before it were asked when they were read.
  Slice prefix;
  if (filter_subject_.OfPrefix(user_key, &prefix) &&
      !filter_runs_
           .KnowPrefix(prefix, filter_runs_.FirstBefore(part, prefix), part)
           .value_or(false)) {
    return nullptr;
  }
  return &filter_[part];
}

// Asks the filter about the walk's keys.
void Inspector::AskFilter(const FilterBitsReader& filter, Walk* walk) const {
  if (walk->asked != &filter) {
    walk->denied = !walk->FilterKnowsAll();
    walk->asked = &filter;
  }
  const ShortKeys& keys = walk->keys;
  const size_t num_keys = keys.size();
  const size_t timestamp = order_->timestamp_size();
  std::array<uint64_t, 2 * ShortKeys::kMost> hashes;
  static_assert(hashes.size() <= FilterQuestions::kMostAtOnce);
  size_t n = 0;
  if (filter_subject_.whole_keys()) {
    for (; n < num_keys; ++n) {
      hashes[n] = filter.Hash(WithoutTimestamp(UserKeyOf(keys[n]), timestamp));
    }
  }
  if (filter_subject_.prefixes() != nullptr) {
    for (size_t i = 0; i < num_keys; ++i) {
      Slice prefix;
      if (filter_subject_.OfPrefix(
              WithoutTimestamp(UserKeyOf(keys[i]), timestamp), &prefix)) {
        hashes[n++] = filter.Hash(prefix);
      }
    }
  }
  if (!walk->questions.Add(filter, {hashes.data(), n})) walk->denied = true;
}

}  // namespace ashlar::internal
