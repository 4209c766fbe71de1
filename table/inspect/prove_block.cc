#include "table/inspect/prove_block.h"

#include <algorithm>
#include <array>

namespace ashlar::internal {

namespace {

// Asks the filter about the walk's keys.
void AskFilter(const DataBlockInputs& inputs, const FilterBitsReader& filter,
               DataWalk* walk) {
  if (walk->asked != &filter) {
    walk->denied = !walk->FilterKnowsAll();
    walk->asked = &filter;
  }
  const ShortKeys& keys = walk->keys;
  const size_t num_keys = keys.size();
  const FilterSubject& subject = inputs.meta.filter.subject();
  const size_t timestamp = inputs.facts.order->timestamp_size();
  std::array<uint64_t, 2 * ShortKeys::kMost> hashes;
  static_assert(hashes.size() <= FilterQuestions::kMostAtOnce);
  size_t n = 0;
  if (subject.whole_keys()) {
    for (; n < num_keys; ++n) {
      hashes[n] = filter.Hash(WithoutTimestamp(UserKeyOf(keys[n]), timestamp));
    }
  }
  if (subject.prefixes() != nullptr) {
    for (size_t i = 0; i < num_keys; ++i) {
      Slice prefix;
      if (subject.OfPrefix(WithoutTimestamp(UserKeyOf(keys[i]), timestamp),
                           &prefix)) {
        hashes[n++] = filter.Hash(prefix);
      }
    }
  }
  if (!walk->questions.Add(filter, {hashes.data(), n})) walk->denied = true;
}

// Proves everything except what the filter has not answered yet.
bool ProveEntries(const DataBlockInputs& inputs, const BlockView& view,
                  const BlockPlace& place, DataWalk* walk,
                  uint64_t* num_entries) {
  const TableFacts& facts = inputs.facts;
  const AskedFilter& filter = inputs.meta.filter;
  // These need values, restart intervals, the block's number, or keys that
  // differ from the stored ones.
  if (facts.has_blobs || facts.key_form.sequence.has_value() ||
      filter.has_leveldb_filter() || walk->hash_index.has_value() ||
      view.num_buckets != 0) {
    return false;
  }
  const size_t most = inputs.AsksFilter(DataBlockInputs::kFirstKeys)
                          ? ShortKeys::kMost
                          : DataBlockInputs::kFirstKeys;
  const ShortKeys& keys = walk->keys;
  const AskedFilter::Part* part = nullptr;
  EntryProof proof(view, *facts.order, &walk->keys);
  while (proof.Next(most)) {
    if (*num_entries == 0) {
      walk->first_key.assign(keys[0].data(), keys[0].size());
      if (!filter.parts().empty()) {
        part = filter.PartOfBlock(keys[0], &walk->target);
        if (part == nullptr) return false;
      }
    }
    *num_entries += keys.size();
    if (part != nullptr) {
      // Few blocks have keys of two partitions.
      if (part != &filter.parts()[filter.PartOf(keys.back())]) return false;
      AskFilter(inputs, part->bits, walk);
    }
    const bool wants_more = part != nullptr && most == ShortKeys::kMost;
    if (!wants_more && !proof.PassRest(num_entries)) return false;
  }
  return proof.proven() &&
         (*num_entries == 0 ||
          CheckSeparators(inputs, place, walk->first_key, keys.back()).ok());
}

}  // namespace

bool ProveBlock(const DataBlockInputs& inputs, const BlockView& view,
                const BlockPlace& place, DataWalk* walk, BlockInfo* info) {
  if (!walk->proves) return false;
  uint64_t num_entries = 0;
  const bool proven = ProveEntries(inputs, view, place, walk, &num_entries);
  const bool known = walk->asks_later || walk->FilterKnowsAll();
  if (!proven || !known) return false;
  if (inputs.options.first_keys && num_entries != 0) {
    info->first_key = UserKeyOf(walk->first_key).ToString();
  }
  info->num_entries = num_entries;
  info->contents_sound = true;
  return true;
}

}  // namespace ashlar::internal
