// The part of the Inspector that checks the two blocks of a hash search index,
// and whether they lead to every key.

#include <limits>

#include "table/inspect/inspector.h"

namespace ashlar::internal {

// Names ascend in the metaindex, so the metadata comes before the prefixes.
Status Inspector::InspectHashIndex(const std::string& name,
                                   const Slice& contents,
                                   const BlockPlace& place) {
  if (name == kHashIndexMetadataName) {
    hash_index_metadata_ = contents.ToString();
    hash_index_place_ = place;
    return {};
  }
  if (!hash_index_metadata_.has_value()) {
    return place.Corruption("bad hash index",
                            "the file has rocksdb.hashindex.prefixes, but no "
                            "rocksdb.hashindex.metadata");
  }
  const uint64_t num_blocks = index_complete_
                                  ? data_blocks_.size()
                                  : std::numeric_limits<uint64_t>::max();
  Status status = HashSearchPrefixes::Check(contents, *hash_index_metadata_,
                                            hash_index_place_, num_blocks);
  if (!status.ok()) return status;
  // If keys have timestamps, prefixes may reach into them.
  if (found_->properties.has_value() && order_.has_value() &&
      order_->comparator()->timestamp_size() == 0 &&
      found_->properties->user_defined_timestamps_persisted != 0) {
    hash_index_extractor_ =
        FindBuiltinPrefixExtractor(found_->properties->prefix_extractor_name);
  }
  if (hash_index_extractor_ != nullptr) {
    hash_index_prefixes_ = contents.ToString();
  }
  return {};
}

bool Inspector::HashIndexKnows(const Slice& internal_key, size_t i,
                               HashSearchPrefixes* hash_index) const {
  const Slice user_key = UserKeyOf(internal_key);
  return !hash_index_extractor_->InDomain(user_key) ||
         hash_index->Lead(hash_index_extractor_->Transform(user_key), i);
}

}  // namespace ashlar::internal
