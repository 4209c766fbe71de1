#include "table/inspect/hash_index_blocks.h"

#include <limits>

namespace ashlar::internal {

// Names ascend in the metaindex, so the metadata comes before the prefixes.
Status HashIndexBlocks::Take(const std::string& name, const Slice& contents,
                             const BlockPlace& place, const TableFacts& facts,
                             const std::optional<TableProperties>& properties,
                             const IndexedBlocks& blocks) {
  if (name == kHashIndexMetadataName) {
    metadata_ = contents.ToString();
    metadata_place_ = place;
    return {};
  }
  if (!metadata_.has_value()) {
    return place.Corruption("bad hash index",
                            "the file has rocksdb.hashindex.prefixes, but no "
                            "rocksdb.hashindex.metadata");
  }
  const uint64_t num_blocks = blocks.complete
                                  ? blocks.data_blocks.size()
                                  : std::numeric_limits<uint64_t>::max();
  Status status = HashSearchPrefixes::Check(contents, *metadata_,
                                            metadata_place_, num_blocks);
  if (!status.ok()) return status;
  // If keys have timestamps, prefixes may reach into them.
  if (properties.has_value() && facts.order.has_value() &&
      facts.order->comparator()->timestamp_size() == 0 &&
      properties->user_defined_timestamps_persisted != 0) {
    extractor_ = FindBuiltinPrefixExtractor(properties->prefix_extractor_name);
  }
  if (extractor_ != nullptr) {
    prefixes_ = contents.ToString();
  }
  return {};
}

bool HashIndexBlocks::Knows(const Slice& internal_key, size_t i,
                            HashSearchPrefixes* walk) const {
  const Slice user_key = UserKeyOf(internal_key);
  return !extractor_->InDomain(user_key) ||
         walk->Lead(extractor_->Transform(user_key), i);
}

}  // namespace ashlar::internal
