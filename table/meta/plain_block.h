// Blocks whose keys are plain strings: metaindex and properties.
#ifndef ASHLAR_TABLE_META_PLAIN_BLOCK_H_
#define ASHLAR_TABLE_META_PLAIN_BLOCK_H_

#include <map>
#include <string>
#include <vector>

#include "ashlar/table/inspect.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"
#include "table/format/block_place.h"
#include "util/mem/buffer.h"

namespace ashlar::internal {

// Appends a block of these entries to *out.
void EncodePlainBlock(const std::map<std::string, std::string>& entries,
                      int restart_interval, Buffer* out);

// The metaindex: name to handle. Every handle of a block that is there must fit
// below `file_limit`; null handles are left out. Other bytes may follow a
// handle. Names must ascend.
Status DecodeMetaindex(const Slice& contents, const BlockPlace& place,
                       uint64_t file_limit,
                       std::vector<MetaBlockEntry>* entries);

// Null where there is no block of that name.
const MetaBlockEntry* FindMetaBlock(const std::vector<MetaBlockEntry>& entries,
                                    std::string_view name);

// Which kind a name of the metaindex stands for.
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
// The compatibility name of all built-in filters.
inline constexpr std::string_view kBuiltinFilterName =
    "rocksdb.BuiltinBloomFilter";

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_META_PLAIN_BLOCK_H_
