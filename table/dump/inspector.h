// Inspector: walks over all blocks of a file that can be reached, and goes on
// behind each fault.
//
// Steps, each of which leaves what it found in a TableInspection: footer,
// metaindex, properties, index, the other meta blocks, data blocks, and last
// whether any two blocks overlap. What one step could not read the next ones do
// without.
#ifndef ASHLAR_TABLE_DUMP_INSPECTOR_H_
#define ASHLAR_TABLE_DUMP_INSPECTOR_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "table/block/block_iterator.h"
#include "table/dump.h"
#include "table/filter/full_filter.h"
#include "table/filter/leveldb_filter.h"
#include "table/format/footer.h"
#include "table/index/hash_search_index.h"
#include "table/index/index_block.h"
#include "table/read/block_source.h"
#include "util/status.h"

namespace ashlar::internal {

class Inspector {
 public:
  Inspector(const RandomAccessFile& file, const InspectOptions& options,
            TableInspection* inspection)
      : file_(file),
        options_(options),
        found_(inspection),
        window_(&file, options.readahead_size) {}

  // Errors only where there is nothing to tell.
  Status Run();

 private:
  struct IndexItem {
    BlockHandle handle;
    std::string separator;
    std::string first_key;  // of type 3 only
  };

  Status ReadFooter(Footer* footer);
  void InspectMetaindex();
  void InspectProperties();
  Status TakeProperties(const BlockPlace& place, TableProperties properties);
  void InspectIndex();
  void InspectOtherMetaBlocks();
  Status InspectFilter(const std::string& name, const Slice& contents,
                       const BlockPlace& place);
  Status InspectLevelDbFilter(const Slice& contents, const BlockPlace& place);
  // Whether the filter lets this internal key pass, and its prefix.
  bool FilterKnows(const Slice& internal_key, uint64_t block_offset) const;
  Status InspectFilterPartitions(const std::string& name, const Slice& contents,
                                 const BlockPlace& place,
                                 uint64_t* num_entries);
  void TakeFilterPart(std::string end, const Slice& contents);
  // Values that the file holds itself: where they lie is known once all data
  // blocks have been read.
  Status TakeBlobs(const Slice& internal_key, const Slice& value);
  Status TakeBlob(const Slice& blob_index);
  void InspectBlobs();
  // One of the two; both are looked at when the second one is there.
  Status InspectHashIndex(const std::string& name, const Slice& contents,
                          const BlockPlace& place);
  // Whether the hash index leads to data block i for this internal key.
  bool HashIndexKnows(const Slice& internal_key, size_t i);
  Status InspectDataBlocks();
  void InspectFooter();
  void CheckOverlaps();
  void CheckCounts();

  // The index handle, wherever this version keeps it.
  std::optional<BlockHandle> IndexHandle() const;
  // Parses an index block in the form that the properties told, or, where they
  // told none, in the first form that fits.
  Status ParseIndex(const Slice& contents, const BlockPlace& place,
                    std::vector<IndexItem>* items);
  Status ParseIndexAs(const IndexForm& form, const BlockView& view,
                      const BlockPlace& place,
                      std::vector<IndexItem>* items) const;
  void InspectPartitions(const std::vector<IndexItem>& top);
  // What the partition added to data_blocks_, from number `first` on.
  Status CheckPartition(const BlockPlace& place, size_t first,
                        const std::vector<IndexItem>& top) const;

  void InspectDataBlock(size_t i);
  Status WalkDataBlock(const Slice& contents, const BlockPlace& place,
                       BlockInfo* info);
  Status WalkInOrder(const BlockView& view, const BlockPlace& place,
                     BlockInfo* info);
  // < 0: separator s before the key. As a user key it counts as behind all
  // versions.
  int CompareSeparator(const std::string& s, const Slice& key) const;
  // Both separators around data block i against its outermost keys, and the
  // first key against what the index tells.
  Status CheckSeparators(const BlockPlace& place, const Slice& first_key,
                         const Slice& last_key) const;

  // Reads a block; true when its contents are there to be parsed. In any case
  // `info` tells what was found, and is to be given to Keep.
  bool Read(const BlockPlace& place, BlockInfo* info, Slice* contents);
  bool LacksDictionary(const StoredBlock& stored) const;
  void Keep(BlockInfo info);
  void AddFault(const BlockPlace& place, Status status);

  const RandomAccessFile& file_;
  const InspectOptions& options_;
  TableInspection* const found_;
  FileWindow window_;
  std::optional<BlockSource> source_;
  BlockWorkspace workspace_;
  LoadedBlock loaded_;

  IndexForm index_form_;
  bool index_form_known_ = false;
  bool index_is_two_level_ = false;
  bool index_complete_ = false;
  std::vector<IndexItem> data_blocks_;
  // The filter that can be asked, or its partitions in the order of the keys
  // where they end, up to the last of which they are looked for. One that is
  // damaged lets everything pass.
  struct FilterPart {
    Buffer payload;
    FilterBitsReader bits;
    std::string end;
  };
  std::vector<FilterPart> filter_;
  FilterSubject filter_subject_;
  Buffer filter_payload_;  // of the next
  std::optional<LevelDbFilter> leveldb_filter_;
  bool has_blobs_ = false;
  std::vector<BlockHandle> blobs_;
  // Contents of the hash index until both are there, and then what they say.
  std::optional<std::string> hash_index_metadata_;
  BlockPlace hash_index_place_;
  std::optional<HashSearchPrefixes> hash_index_;
  std::shared_ptr<const PrefixExtractor> hash_index_extractor_;
  // Where order can be checked.
  std::optional<KeyOrder> order_;
  std::optional<BlockIterator> block_iterator_;
  uint64_t num_points_ = 0;
  uint64_t num_range_deletions_ = 0;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_DUMP_INSPECTOR_H_
