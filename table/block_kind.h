// BlockKind and TableMagic: what a block holds, and what a file is.
//
// Messages, counters and inspections use these values. They are not the bytes
// that a file stores: FORMAT.md has those. Plain values, for any thread.
#ifndef ASHLAR_TABLE_BLOCK_KIND_H_
#define ASHLAR_TABLE_BLOCK_KIND_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "ashlar/util/export.h"

namespace ashlar {

// What the last 8 bytes of a file say it is.
enum class TableMagic : uint8_t {
  kBlockBased,        // format versions 1 and later
  kLegacyBlockBased,  // format version 0: LevelDB
  kPlain,
  kCuckoo,
  kPebble,  // Pebble's own formats
  kUnknown,
};
// Returns the name for messages: "block-based table", "legacy LevelDB table",
// "plain table" and so on. The text lives for ever.
ASHLAR_EXPORT std::string_view TableMagicName(TableMagic magic);

// What a block holds.
enum class BlockKind : uint8_t {
  kData,
  kIndex,  // the whole index, or the top level of a partitioned one
  kIndexPartition,
  kFilter,  // the whole filter, or the top level of a partitioned one
  kFilterPartition,
  kDictionary,  // of the compression
  kRangeDeletion,
  kProperties,
  kMetaIndex,
  kFooter,
  kBlob,   // a value that the table stores among its data blocks
  kOther,  // known only by its name in the metaindex
};
// Returns the kind's name: "data", "index", "index-partition", "filter",
// "filter-partition", "dictionary", "range-del", "properties", "meta-index",
// "footer", "blob", "other". The text lives for ever.
ASHLAR_EXPORT std::string_view BlockKindName(BlockKind kind);

// Size in bytes of the trailer after each block except the footer: the type
// byte and the checksum.
inline constexpr uint64_t kBlockTrailerBytes = 5;

// A name in the metaindex, and the block that it names.
struct MetaBlockEntry {
  std::string name;
  uint64_t offset = 0;
  uint64_t size = 0;
};

}  // namespace ashlar

#endif  // ASHLAR_TABLE_BLOCK_KIND_H_
