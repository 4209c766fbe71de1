#include "table/meta/plain_block.h"

#include <utility>

#include "table/block/block.h"
#include "table/block/block_builder.h"
#include "table/format/block_handle.h"
#include "table/format/hash_search_names.h"
#include "util/coding/word_compare.h"

namespace ashlar::internal {

void EncodePlainBlock(const std::map<std::string, std::string>& entries,
                      int restart_interval, Buffer* out) {
  BlockBuilder builder(restart_interval, out);
  Slice last;
  for (const auto& [key, value] : entries) {
    builder.Add(key, CommonPrefix(last, key), value);
    last = key;
  }
  static_cast<void>(builder.Finish());
}

Status DecodeMetaindex(const Slice& contents, const BlockPlace& place,
                       uint64_t file_limit,
                       std::vector<MetaBlockEntry>* entries) {
  BlockView view;
  Status status = ParseBlock(contents, place, &view);
  if (!status.ok()) return status;
  return ForEachPlainEntry(
      view, place, [&](const Slice& key, const Slice& value) -> Status {
        std::string name = key.ToString();
        if (!entries->empty() && entries->back().name >= name) {
          return place.Corruption("metaindex unsorted",
                                  "'" + name + "' is not larger than '" +
                                      entries->back().name + "'");
        }
        Decoder decoder(value);
        BlockHandle handle;
        if (!handle.DecodeFrom(&decoder)) {
          return place.Corruption("bad block handle",
                                  "'" + name + "' has none");
        }
        // In a table without data blocks, the first block of a hash search
        // index has no bytes and is at offset 0.
        if (handle.IsNull() && name != kHashIndexMetadataName) return {};
        if (!handle.FitsBelow(file_limit)) {
          return place.Corruption(
              "bad block handle",
              "'" + name + "' names offset " + std::to_string(handle.offset) +
                  " size " + std::to_string(handle.size) +
                  ", expected to end by " + std::to_string(file_limit));
        }
        entries->push_back({std::move(name), handle.offset, handle.size});
        return {};
      });
}

const MetaBlockEntry* FindMetaBlock(const std::vector<MetaBlockEntry>& entries,
                                    std::string_view name) {
  for (const MetaBlockEntry& entry : entries) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

BlockKind MetaBlockKind(std::string_view name) {
  if (name == kIndexBlockName) return BlockKind::kIndex;
  if (name == kPropertiesBlockName || name == kOldPropertiesBlockName) {
    return BlockKind::kProperties;
  }
  if (name == kDictionaryBlockName) return BlockKind::kDictionary;
  if (name == kRangeDeletionBlockName ||
      name == kPebbleRangeDeletionBlockName) {
    return BlockKind::kRangeDeletion;
  }
  for (const std::string_view prefix :
       {kFullFilterPrefix, kPartitionedFilterPrefix, kOldFilterPrefix}) {
    if (name.starts_with(prefix)) return BlockKind::kFilter;
  }
  return BlockKind::kOther;
}

}  // namespace ashlar::internal
