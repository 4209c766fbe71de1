// The part of the Inspector that goes over sound data blocks quickly.
//
// Whatever it comes to that it cannot prove, a fault above all, it leaves to
// the walk that goes entry by entry, from the first one on: so that one tells
// what is wrong, and no fault is told that it does not see.

#include <array>
#include <string>

#include "table/block/prove_entries.h"
#include "table/dump/inspector.h"

namespace ashlar::internal {

bool Inspector::ProveBlock(const BlockView& view, const BlockPlace& place,
                           Walk* walk, BlockInfo* info) const {
  // What is asked of values, or by restart intervals and blocks.
  if (has_blobs_ || leveldb_filter_.has_value() ||
      walk->hash_index.has_value() || view.num_buckets != 0) {
    return false;
  }
  const FilterBitsReader* filter = nullptr;
  uint64_t num_entries = 0;
  std::string first_key;
  walk->questions.Clear();
  EntryProof proof(view, *order_, &walk->keys);
  while (proof.Next()) {
    const ShortKeys& keys = walk->keys;
    if (num_entries == 0) {
      first_key = keys[0].ToString();
      if (!filter_.empty()) filter = &filter_[FilterPartOf(keys[0])].bits;
    }
    num_entries += keys.size();
    if (filter == nullptr) continue;
    // Few blocks have keys of two parts.
    if (filter != &filter_[FilterPartOf(keys.back())].bits ||
        !AskFilter(*filter, keys, &walk->questions)) {
      return false;
    }
  }
  if (!proof.proven()) return false;
  if (num_entries != 0) {
    if ((filter != nullptr && !walk->questions.AskRest(*filter)) ||
        !CheckSeparators(place, first_key, walk->keys.back()).ok()) {
      return false;
    }
    if (options_.first_keys) {
      info->first_key = UserKeyOf(first_key).ToString();
    }
  }
  info->num_entries = num_entries;
  info->contents_sound = true;
  return true;
}

// False: the answer of one was no.
bool Inspector::AskFilter(const FilterBitsReader& filter, const ShortKeys& keys,
                          FilterQuestions* questions) const {
  const size_t timestamp = order_->timestamp_size();
  std::array<uint64_t, 2 * ShortKeys::kMost> hashes;
  static_assert(hashes.size() <= FilterQuestions::kMostAtOnce);
  size_t n = 0;
  if (filter_subject_.whole_keys()) {
    for (; n < keys.size(); ++n) {
      hashes[n] = filter.Hash(WithoutTimestamp(UserKeyOf(keys[n]), timestamp));
    }
  }
  if (filter_subject_.prefixes() != nullptr) {
    for (size_t i = 0; i < keys.size(); ++i) {
      Slice prefix;
      if (filter_subject_.OfPrefix(
              WithoutTimestamp(UserKeyOf(keys[i]), timestamp), &prefix)) {
        hashes[n++] = filter.Hash(prefix);
      }
    }
  }
  return questions->Add(filter, {hashes.data(), n});
}

}  // namespace ashlar::internal
