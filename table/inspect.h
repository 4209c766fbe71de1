// Looking into a file block by block, also when it is damaged or uses things
// that TableReader refuses.
//
// For tools: verify, layout, properties, identify. Nothing here needs the
// comparator: keys are shown, order is checked only where the comparator is
// built in or given. Pure functions of the file: thread-safe.
#ifndef ASHLAR_TABLE_INSPECT_H_
#define ASHLAR_TABLE_INSPECT_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ashlar/table/table_properties.h"
#include "ashlar/util/checksum_type.h"
#include "ashlar/util/comparator.h"
#include "ashlar/util/compression.h"
#include "ashlar/util/export.h"
#include "ashlar/util/file.h"
#include "ashlar/util/status.h"
#include "ashlar/util/worker_pool.h"

namespace ashlar {

// What the last bytes of a file say it is.
enum class TableMagic : uint8_t {
  kBlockBased,        // versions 1 and later
  kLegacyBlockBased,  // version 0: LevelDB
  kPlain,
  kCuckoo,
  kPebble,  // Pebble's own formats
  kUnknown,
};
// "block-based table", "legacy LevelDB table", "plain table", ...
ASHLAR_EXPORT std::string_view TableMagicName(TableMagic magic);

enum class BlockKind : uint8_t {
  kData,
  kIndex,
  kIndexPartition,
  kFilter,
  kFilterPartition,
  kDictionary,
  kRangeDeletion,
  kProperties,
  kMetaIndex,
  kFooter,
  kBlob,   // a value that lies in the table itself, beside its data blocks
  kOther,  // known only by its name in the metaindex
};
// "data", "index", "filter-partition", "range-del", "meta-index", ...
ASHLAR_EXPORT std::string_view BlockKindName(BlockKind kind);

// The type byte and the checksum that follow each block but the footer.
inline constexpr uint64_t kBlockTrailerBytes = 5;

struct BlockInfo {
  BlockKind kind = BlockKind::kOther;
  uint64_t index = 0;  // among the blocks of this kind, from 0
  uint64_t offset = 0;
  uint64_t size = 0;  // as stored, without its trailer (kBlockTrailerBytes)
  std::string name;   // in the metaindex; empty for data and footer
  // From here on only when the block was read.
  uint8_t compression_type = 0;  // the byte as stored
  uint64_t raw_size = 0;         // decompressed; 0 when that was not done
  uint32_t stored_checksum = 0;
  uint32_t computed_checksum = 0;
  uint64_t num_entries = 0;  // of key/value blocks that were decoded
  std::string first_key;     // user key of the first entry of a data block
  // ok; or what is wrong with it, without file name and position.
  Status status;
  // Whether what it holds can be trusted: also where `status` tells that a data
  // block and the index, the filter or a hash index do not agree.
  bool contents_sound = false;
};

struct MetaBlockEntry {
  std::string name;
  uint64_t offset = 0;
  uint64_t size = 0;
};

struct InspectOptions {
  // Data blocks: not even listed, listed from the index, or read. What is no
  // data block is read too, but for kSkip, which looks at footer, metaindex and
  // properties alone: a few KiB at the end of a file of any size.
  enum class DataBlocks : uint8_t { kSkip, kList, kRead };
  DataBlocks data_blocks = DataBlocks::kRead;
  // Whether blocks that were read are decompressed and parsed too.
  bool decode = true;
  // Of which data blocks, by their number in the index; empty: of all. Where it
  // is given, entries are not counted. With a worker_pool, called by several
  // threads at once.
  std::function<bool(uint64_t index)> decodes_block;
  // Which keys of each data block the filter is asked about, since Get finds
  // nothing of what it denies: all; or the first 8, which shows a filter of
  // other keys, or one that a block is missing from, and takes a fifth less
  // time.
  enum class FilterKeys : uint8_t { kFirst, kAll };
  FilterKeys filter_keys = FilterKeys::kAll;
  // Whether BlockInfo::first_key is filled in (needs kRead and decode).
  bool first_keys = false;
  uint64_t max_uncompressed_block_bytes = uint64_t{1} << 30;
  uint64_t readahead_size = uint64_t{2} << 20;
  // Null: the built-in comparator that the file names. Where there is none, or
  // the file names another than the given one, nothing is said about the order
  // of keys.
  const Comparator* comparator = nullptr;
  // Called with each block once it is known whether it is sound, in the order
  // in which they are read: data blocks last, in the order of the index.
  std::function<void(const BlockInfo& block)> on_block;
  // Then, if its contents are sound (of an index: as far as they are), with
  // each of its entries, keys and values as they are stored. Only of these
  // kinds:
  //   data, range-del         internal key, value
  //   index, index-partition  user key of the separator, encoded handle, with
  //                           the first internal key where the index has them
  //   dictionary              once, with no key and all of it
  std::function<void(const BlockInfo& block, const Slice& key,
                     const Slice& value)>
      on_entry;
  // Whose workers help to read data blocks. What is found, and the order that
  // it is told in, are the same for any number of them. Null: nobody. Also
  // nobody where on_block or on_entry are called, by whom one looks at a time.
  WorkerPool* worker_pool = nullptr;
  // Called now and then with the bytes done and to do; false gives up with
  // Aborted. By the thread that called InspectTable.
  std::function<bool(uint64_t done, uint64_t total)> on_progress;
};

// One fault. The status says "<what> in <kind> block #<i> offset <o> size <s>:
// <detail>", without the file's name.
struct TableFault {
  BlockKind kind = BlockKind::kOther;
  uint64_t index = 0;
  uint64_t offset = 0;
  uint64_t size = 0;
  Status status;
};

struct TableInspection {
  uint64_t file_size = 0;
  TableMagic magic = TableMagic::kUnknown;
  // Absent when the footer could not be read that far.
  std::optional<uint32_t> format_version;
  std::optional<ChecksumType> checksum_type;
  std::optional<uint32_t> base_context_checksum;
  std::optional<TableProperties> properties;
  // Whether the order of keys was looked at.
  bool knows_order = false;
  // Whether the separators of the index are user keys: all versions of a key
  // then lie in one data block. Guessed where no properties tell.
  bool index_has_user_keys = false;
  std::vector<MetaBlockEntry> meta_blocks;  // by name, as in the metaindex
  // In file order, the footer last.
  std::vector<BlockInfo> blocks;
  // In the order in which they were found.
  std::vector<TableFault> faults;
  uint64_t blocks_ok = 0;
  uint64_t blocks_bad = 0;
  uint64_t bytes_checked = 0;
};

// Looks at as much of the file as can be reached. An error only where there is
// nothing to tell (I/O fails at once, Aborted), and MemoryLimit where memory
// is out: what *inspection has is then a part. Damage is told in `faults`: a
// file that is no table at all, or of a version or kind that is not read, has
// one fault for the footer.
ASHLAR_EXPORT Status InspectTable(const RandomAccessFile& file,
                                  const InspectOptions& options,
                                  TableInspection* inspection);

}  // namespace ashlar

#endif  // ASHLAR_TABLE_INSPECT_H_
