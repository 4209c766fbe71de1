// InspectTable: looks at a table file block by block, even if it is damaged or
// uses what TableReader refuses.
//
// For tools that verify, list or identify files. It goes on after each fault,
// and reports all that it found in a TableInspection. Nothing here needs the
// comparator: keys are shown as bytes, and their order is checked only if the
// comparator is built in or given.
//
// InspectTable depends on the file and its options alone, so any number of
// threads may call it at once. It repairs nothing. To check only what a reader
// would meet, TableReader::CheckEntries is faster.
#ifndef ASHLAR_TABLE_INSPECT_H_
#define ASHLAR_TABLE_INSPECT_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ashlar/table/block_kind.h"
#include "ashlar/table/table_properties.h"
#include "ashlar/util/checksum_type.h"
#include "ashlar/util/comparator.h"
#include "ashlar/util/compression.h"
#include "ashlar/util/export.h"
#include "ashlar/util/file.h"
#include "ashlar/util/status.h"
#include "ashlar/util/worker_pool.h"

namespace ashlar {

class CustomCodec;
class FilterPolicy;

// What was found out about one block. Offsets and sizes are in bytes.
struct BlockInfo {
  BlockKind kind = BlockKind::kOther;
  uint64_t index = 0;   // its number among the blocks of this kind, from 0
  uint64_t offset = 0;  // in the file
  uint64_t size = 0;    // as stored, without its trailer (kBlockTrailerBytes)
  std::string name;     // in the metaindex; empty if it is not named there
  // These are set only if the block was read.
  uint8_t compression_type = 0;  // the byte as stored
  uint64_t raw_size = 0;         // after decompression; 0 if that was not done
  uint32_t stored_checksum = 0;
  uint32_t computed_checksum = 0;
  uint64_t num_entries = 0;  // of blocks of keys and values that were decoded
  // The user key of the first entry of a data block:
  // InspectOptions::first_keys.
  std::string first_key;
  // ok, or the first fault of the block, as in TableFault.
  Status status;
  // Whether its contents are as they were written. True also for a data block
  // whose `status` says that index, filter or a hash index do not agree with
  // it.
  bool contents_sound = false;
};

// How far an inspection goes.
struct InspectOptions {
  // How far to go. kSkip reads footer, metaindex and properties alone: a few
  // KiB at the end of a file of any size. kList also reads the index and the
  // other meta blocks, and lists data blocks as the index has them. kRead, the
  // default, reads all blocks.
  enum class DataBlocks : uint8_t { kSkip, kList, kRead };
  DataBlocks data_blocks = DataBlocks::kRead;
  // Whether blocks that are read are also decompressed and parsed. Default:
  // true. With false, only checksums are checked, except for blocks that are
  // needed to find others, such as the index.
  bool decode = true;
  // If not empty: says for each data block, by its number in the index, whether
  // `decode` holds for it. Numbers of entries are then not compared with the
  // properties. With a worker_pool, several threads call it at once.
  std::function<bool(uint64_t index)> decodes_block;
  // Which keys of each data block the filter is asked about, since Get does not
  // find a key that its filter denies. kAll is the default. kFirst asks about
  // the first 8 keys; it finds a filter of other keys, or one that lacks a
  // block, and takes a fifth less time.
  enum class FilterKeys : uint8_t { kFirst, kAll };
  FilterKeys filter_keys = FilterKeys::kAll;
  // Whether to set BlockInfo::first_key (kRead and `decode` only). Default:
  // false.
  bool first_keys = false;
  // Whether on_entry shows entries of data blocks as a reader would, with the
  // values of their embedded blobs (ashlar/table/entry/blob_index.h) in place
  // of references. Default: false. An entry whose blob is damaged is shown as
  // it is stored. For programs that copy entries.
  bool follow_blobs = false;
  // Whether to look for blocks in the bytes of the file where footer,
  // metaindex or index are lost, which takes another walk over it (kList and
  // kRead only). Default: false. Data blocks that are found so are numbered
  // after those of the index, and inspected with them; on_block and on_entry
  // show all in file order, or in the order of keys if the file has it not. Of
  // keys without a comparator, the order is taken to be bytewise. See
  // TableInspection::found_blocks and lost_bytes.
  //
  // Without context checksums (format versions 2 to 5), a block may also be
  // sound where the index names another. If on_entry is set, `decode` is true
  // and decodes_block is empty, all blocks are read once more before the first
  // is shown: each is then shown where its keys belong by the index, and of two
  // copies one. A block of the index that is a copy of another is at fault, and
  // its contents are not sound.
  //
  // Blocks of format version 6 on are also found where bytes before them were
  // inserted or cut out. One fault of kind kOther then says so, and all offsets
  // and sizes are those of the file as it was written. Where as many bytes were
  // inserted as cut out, index and footer do not show it. Such blocks, of any
  // version, are looked for only if on_entry is set: then all checksums are
  // compared before the first block is shown. In a file of versions 2 to 5 with
  // moved blocks, a block of which each value could be a block handle may be an
  // index. Between damaged bytes it is not shown.
  //
  // The time and the memory grow with the size of the file, not with the size
  // that it had by what its blocks say.
  bool find_blocks = false;
  // The largest size of a decompressed block, in bytes. Default: 1 GiB. A
  // larger one is a fault.
  uint64_t max_uncompressed_block_bytes = uint64_t{1} << 30;
  // Threads take turns at pieces of the file of this many bytes. Default: 2
  // MiB, which is also the most. One read takes at most 256 KiB. 0: a thread
  // takes one block at a time.
  uint64_t readahead_size = uint64_t{2} << 20;
  // The order of keys. Null, the default: the built-in comparator that the file
  // names. If there is none, or the file names another than the given one, the
  // order of keys is not checked.
  const Comparator* comparator = nullptr;
  // As in ReaderOptions. Without the file's codec each compressed block is a
  // fault, NotSupported; without its filter policy the filter is not asked.
  std::vector<std::shared_ptr<const CustomCodec>> codecs;
  std::vector<std::shared_ptr<const FilterPolicy>> filter_policies;
  // Called on the calling thread for each block that was read, or could not be,
  // once that is known: first the meta blocks and the index, then data blocks
  // in the order of the index, then the blobs that they refer to, and last the
  // footer.
  std::function<void(const BlockInfo& block)> on_block;
  // Called after on_block for each entry of these kinds of blocks, with keys
  // and values as they are stored. Not called for a block whose contents are
  // not sound, except that an index is shown up to its first fault. The slices
  // live until the call returns.
  //
  //   data, range-del         internal key, value
  //   index, index-partition  user key of the separator; encoded block handle,
  //                           with the first internal key if the index has them
  //   dictionary              once: no key, the whole dictionary
  std::function<void(const BlockInfo& block, const Slice& key,
                     const Slice& value)>
      on_entry;
  // The pool whose workers help to read data blocks. Null, the default: none.
  // The result does not depend on the number of workers. With on_block or
  // on_entry none help, since those are called for one block after the other.
  WorkerPool* worker_pool = nullptr;
  // If not empty: called now and then on the calling thread, with the bytes
  // that are done and the size of the file. If it returns false, InspectTable
  // returns Aborted.
  std::function<bool(uint64_t done, uint64_t total)> on_progress;
};

// One fault of a file, and the block that has it. The status says "<what> in
// <kind> block #<i> offset <o> size <s>: <detail>", without the name of the
// file. If the fault is not in one block (a block is missing, say), `kind` says
// which kind, and index, offset and size are 0.
struct TableFault {
  BlockKind kind = BlockKind::kOther;
  uint64_t index = 0;
  uint64_t offset = 0;
  uint64_t size = 0;
  Status status;
};

// Bytes of a file.
struct FileBytes {
  uint64_t offset = 0;
  uint64_t size = 0;
};

// What InspectTable found out about a file.
struct TableInspection {
  uint64_t file_size = 0;  // in bytes
  TableMagic magic = TableMagic::kUnknown;
  // These four are absent if the file has none, or if they could not be read.
  std::optional<uint32_t> format_version;
  std::optional<ChecksumType> checksum_type;
  std::optional<uint32_t> base_context_checksum;
  std::optional<TableProperties> properties;
  // Whether the order of keys was checked.
  bool knows_order = false;
  // Whether the separators of the index are user keys: then all versions of a
  // key are in one data block. A guess if there are no properties to say so.
  bool index_has_user_keys = false;
  std::vector<MetaBlockEntry> meta_blocks;  // by name, as in the metaindex
  // All blocks that were read or listed, in file order, the footer last.
  std::vector<BlockInfo> blocks;
  // All faults, in the order in which they were found. Empty: the file is
  // sound, as far as the options asked.
  std::vector<TableFault> faults;
  // How many of the blocks that were read are sound, and how many are not.
  uint64_t blocks_ok = 0;
  uint64_t blocks_bad = 0;
  // Tables with embedded blobs only: how many bytes among the data blocks
  // belong to no block, and to no blob that an entry refers to. Padding of
  // zeros does not count. 0 if there are faults, or if not all was read.
  uint64_t unreferenced_blob_bytes = 0;
  // With find_blocks, if blocks were looked for: how many data blocks were
  // found that the index does not name, and the bytes in which no block was.
  // Runs of fewer than 4096 zeros count as padding. Set before data blocks are
  // shown.
  bool looked_for_blocks = false;
  uint64_t found_blocks = 0;
  std::vector<FileBytes> lost_bytes;
  // How many bytes of the file were read, trailers and footer included.
  uint64_t bytes_checked = 0;
};

// Inspects as much of the file as can be reached, and overwrites *inspection
// with what it found. Returns ok also if the file is damaged: then
// inspection->faults is not empty. A file that is no table, or one of a kind or
// version that is not read, has one fault, that of the footer. Returns an error
// only if the inspection could not be made: IOError if the footer cannot be
// read, InvalidArgument for codecs or filter policies that are null or of one
// name, Aborted if on_progress ended it, MemoryLimit if memory runs out, or if
// the keys of the index would take many times as much as the file has.
// *inspection then has a part of what there is. A block that cannot be read is
// a fault.
//
// Requires: what the options point to, and *inspection, outlive the call.
ASHLAR_EXPORT Status InspectTable(const RandomAccessFile& file,
                                  const InspectOptions& options,
                                  TableInspection* inspection);

}  // namespace ashlar

#endif  // ASHLAR_TABLE_INSPECT_H_
