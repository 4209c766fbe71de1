// Blocks whose keys are plain strings: metaindex and properties.
//
// Used by builder, reader and inspection. Pure functions: thread-safe.
#ifndef ASHLAR_TABLE_META_PLAIN_BLOCK_H_
#define ASHLAR_TABLE_META_PLAIN_BLOCK_H_

#include <map>
#include <string>
#include <vector>

#include "ashlar/table/block_kind.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"
#include "table/format/block_place.h"
#include "util/mem/buffer.h"

namespace ashlar::internal {

// Appends a block of these entries to *out.
void EncodePlainBlock(const std::map<std::string, std::string>& entries,
                      int restart_interval, Buffer* out);

// Decodes the metaindex, name to handle, and appends it to *entries. Null
// handles are left out. Bytes that follow a handle are ignored. Returns
// Corruption unless names ascend and every other handle fits below
// `file_limit`.
Status DecodeMetaindex(const Slice& contents, const BlockPlace& place,
                       uint64_t file_limit,
                       std::vector<MetaBlockEntry>* entries);

// Returns the entry of that name, or null.
const MetaBlockEntry* FindMetaBlock(const std::vector<MetaBlockEntry>& entries,
                                    std::string_view name);

// Returns the kind of the block that has this name in the metaindex.
BlockKind MetaBlockKind(std::string_view name);

inline constexpr std::string_view kIndexBlockName = "rocksdb.index";
inline constexpr std::string_view kPropertiesBlockName = "rocksdb.properties";
inline constexpr std::string_view kOldPropertiesBlockName = "rocksdb.stats";
inline constexpr std::string_view kDictionaryBlockName =
    "rocksdb.compression_dict";
inline constexpr std::string_view kRangeDeletionBlockName = "rocksdb.range_del";
inline constexpr std::string_view kPebbleRangeDeletionBlockName =
    "rocksdb.range_del2";
inline constexpr std::string_view kFullFilterPrefix = "fullfilter.";
inline constexpr std::string_view kPartitionedFilterPrefix =
    "partitionedfilter.";
inline constexpr std::string_view kOldFilterPrefix = "filter.";
inline constexpr std::string_view kLevelDbFilterBlockName =
    "filter.leveldb.BuiltinBloomFilter2";
// The name under which files have all built-in filters.
inline constexpr std::string_view kBuiltinFilterName =
    "rocksdb.BuiltinBloomFilter";

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_META_PLAIN_BLOCK_H_
