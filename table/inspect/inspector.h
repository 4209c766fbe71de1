// Inspector: walks over all blocks of a file that can be reached, and goes on
// behind each fault.
//
// Steps, each of which leaves what it found in a TableInspection: footer,
// metaindex, properties, index, the other meta blocks, data blocks, and last
// whether any two blocks overlap. What one step could not read the next ones do
// without.
#ifndef ASHLAR_TABLE_INSPECT_INSPECTOR_H_
#define ASHLAR_TABLE_INSPECT_INSPECTOR_H_

#include <optional>
#include <string>
#include <vector>

#include "ashlar/table/inspect.h"
#include "table/block/block_iterator.h"
#include "table/block/prove_entries.h"
#include "table/filter/full_filter.h"
#include "table/filter/leveldb_filter.h"
#include "table/format/footer.h"
#include "table/index/hash_search_index.h"
#include "table/index/index_block.h"
#include "table/inspect/filter_questions.h"
#include "table/inspect/filter_runs.h"
#include "table/inspect/index_items.h"
#include "table/load/block_source.h"

namespace ashlar::internal {

class RestartPoints;

class Inspector {
 public:
  Inspector(const RandomAccessFile& file, const InspectOptions& options,
            TableInspection* inspection)
      : file_(file),
        options_(options),
        found_(inspection),
        walk_(&file, options.data_blocks == InspectOptions::DataBlocks::kSkip
                         ? 0  // what is read lies together
                         : options.readahead_size) {}

  // Errors only where there is nothing to tell.
  Status Run();

 private:
  struct FoundBlob {
    size_t data_block;  // that refers to it
    BlockHandle handle;
  };
  // What one thread reads blocks with, and what it comes to.
  struct Walk {
    // Much is read in pieces that stay in a near cache until they are done.
    static constexpr uint64_t kMostAtOnce = uint64_t{256} << 10;

    Walk(const RandomAccessFile* file, uint64_t readahead_size)
        : window(file,
                 readahead_size < kMostAtOnce ? readahead_size : kMostAtOnce) {}
    // Asks what is left; begins anew.
    bool FilterKnowsAll();

    FileWindow window;
    BlockWorkspace workspace;
    LoadedBlock loaded;
    uint64_t bytes_checked = 0;
    // Of blocks that were gone for, and how many may be.
    uint64_t bytes_sought = 0;
    uint64_t most_bytes_sought = ~uint64_t{0};
    // Once data blocks are read.
    std::optional<BlockIterator> iterator;
    ShortKeys keys;
    std::string first_key;
    std::string target;  // kept for its memory
    // Whether blocks are gone over quickly.
    bool proves = true;
    // What `asked` was not asked yet, and whether an answer was no. Answers
    // take their time: a walk whose blocks can be done again asks_later, and
    // one no is then of any block since FilterKnowsAll.
    FilterQuestions questions;
    const FilterBitsReader* asked = nullptr;
    bool denied = false;
    bool asks_later = false;
    // Goes along with the keys, where there is a hash index.
    std::optional<HashSearchPrefixes> hash_index;
    std::vector<FoundBlob> blobs;
  };
  // The filter that can be asked, or a partition of it.
  struct FilterPart {
    Buffer payload;
    FilterBitsReader bits;
    std::string end;
  };
  // Threads that read data blocks together (inspect_together.cc).
  class Crew;

  Status ReadFooter(Footer* footer);
  Status InspectWhatTheyLeadTo();
  // Blocks that do not overlap are not larger than their file. A step that goes
  // for more than twice as much reads no more: names may lead to one block any
  // number of times.
  void BeginStep();
  // Whether the step may read this block too.
  bool MaySeek(const BlockPlace& place, Walk* walk) const;
  void InspectMetaindex();
  void InspectProperties();
  void TakeOrder(const Comparator* comparator);
  Status TakeProperties(const BlockPlace& place, TableProperties properties);
  Status InspectIndex();
  Status InspectOtherMetaBlocks();
  Status InspectMetaBlock(const std::string& name, const Slice& contents,
                          const BlockPlace& place, uint64_t* num_entries);
  Status InspectRangeDeletions(const Slice& contents, const BlockPlace& place,
                               uint64_t* num_entries);
  Status InspectFilter(const std::string& name, const Slice& contents,
                       const BlockPlace& place);
  Status InspectLevelDbFilter(const Slice& contents, const BlockPlace& place);
  // Of each block, those that the filter is asked about where not about all.
  static constexpr size_t kFirstKeys = 8;
  static_assert(kFirstKeys <= ShortKeys::kMost);
  // Whether it is asked about entry `number` of a block.
  bool AsksFilter(uint64_t number) const {
    return number < kFirstKeys ||
           options_.filter_keys == InspectOptions::FilterKeys::kAll;
  }
  // Whether the filter lets every read of this internal key pass, by the key
  // and by its prefix.
  bool FilterKnows(const Slice& internal_key, uint64_t block_offset) const;
  // Whether parts `first` to `last` of the filter do, of these bytes.
  bool PartsKnow(const Slice& asked, size_t first, size_t last) const;
  // Which of filter_, if there is any.
  size_t FilterPartOf(const Slice& internal_key) const;
  // The part that a read of this user key, given without timestamp, asks if it
  // may see all versions. *target is kept for its memory.
  size_t FirstPartOf(const Slice& user_key, std::string* target) const;
  Status InspectFilterPartitions(const std::string& name, const Slice& contents,
                                 const BlockPlace& place,
                                 uint64_t* num_entries);
  // Before part i of an index or a filter, of which there may be many: what
  // TellProgress says.
  bool GoesOnToPart(size_t i) const;
  // The same before other block i that the caller's thread reads, where much
  // was read since.
  bool GoesOnToBlock(size_t i, uint64_t done);
  // Those of filter_, without which no part can be looked for.
  Status CheckFilterSeparators(const IndexItems& parts,
                               const BlockPlace& place) const;
  void TakeFilterPart(const Slice& end, const Slice& contents, bool sound);
  void TakeFilterSubject();
  // Whether the properties and the index say that there are entries.
  bool HasPoints() const;
  // Values that the file holds itself: where they lie is known once all data
  // blocks have been read.
  static Status TakeBlobs(const Slice& internal_key, const Slice& value,
                          size_t data_block, Walk* walk);
  static Status TakeBlob(const Slice& blob_index, size_t data_block,
                         Walk* walk);
  Status InspectBlobs();
  // One of the two; both are looked at when the second one is there.
  Status InspectHashIndex(const std::string& name, const Slice& contents,
                          const BlockPlace& place);
  // Whether the hash index leads to data block i for this internal key.
  bool HashIndexKnows(const Slice& internal_key, size_t i,
                      HashSearchPrefixes* hash_index) const;
  Status InspectDataBlocks();
  Status TakeDataBlocks();
  void ListDataBlocks();
  Status ReadDataBlocks();
  Status ReadDataBlocksTogether();
  // False: the work is to be given up.
  bool TellProgress(uint64_t done) const;
  Status GivenUp() const;
  void InspectFooter();
  void SortBlocks();
  void CheckOverlaps();
  void CheckCounts();

  // The index handle, wherever this version keeps it.
  std::optional<BlockHandle> IndexHandle() const;
  // Parses an index block in the form that the properties told, or, where they
  // told none, in one that fits.
  Status ParseIndex(const Slice& contents, const BlockPlace& place,
                    IndexItems* items);
  Status ParseIndexAs(const IndexForm& form, const BlockView& view,
                      const BlockPlace& place, IndexItems* items,
                      RestartPoints* restarts) const;
  Status CheckIndexOrder(const IndexItems& items, size_t first,
                         const BlockPlace& place, bool first_keys) const;
  // Where the properties tell nothing. Whether the items from number `first` on
  // can have internal keys.
  static bool AreInternalKeys(const IndexItems& items, size_t first);
  Status GuessIndex(const BlockView& view, const BlockPlace& place,
                    IndexItems* items);
  // That of a filter's parts: of the same form, and told of before the index is
  // read.
  Status ParseFilterIndex(const BlockView& view, const BlockPlace& place,
                          IndexItems* items) const;
  // Nothing where what it names leaves that open.
  Status GuessTwoLevels(const IndexItems& top, std::optional<bool>* two_levels);
  bool LooksLikePartition(const IndexItem& item, IndexItems* children);
  bool IsDataBlock(const BlockHandle& handle);
  // Reads a block that is not told of. Whether that could be done.
  bool Peek(const BlockPlace& place, Slice* contents);
  Status InspectPartitions();
  // Bounds of what a reader needs for index partitions.
  struct PartMemory {
    uint64_t least = 0;
    uint64_t most = 0;
  };
  PartMemory MemoryOfItems(size_t first) const;
  Status MeasurePartition(const Slice& contents, const BlockPlace& place,
                          uint64_t* bytes) const;
  Status CheckMemoryOfPartition(const Slice& contents, const BlockPlace& place,
                                const PartMemory& memory) const;
  Status MeasurePartitions();
  // What a reader that keeps all of them has no room for: a limit, and no fault
  // of the file.
  Status IndexIsTooLarge() const;
  // Of two separators of an index.
  int CompareSeparators(const Slice& a, const Slice& b) const;
  // What the partition added to data_blocks_, from number `first` on.
  Status CheckPartition(const BlockPlace& place, size_t first) const;
  // The separator before data block i > 0.
  Slice SeparatorBefore(size_t i) const;

  void BeginDataBlocks(Walk* walk) const;
  // Data block i; true where *contents are there to be shown. Changes nothing
  // but what it is given, so that several threads may be here.
  bool ReadDataBlock(size_t i, Walk* walk, BlockInfo* info,
                     Slice* contents) const;
  Status WalkDataBlock(const Slice& contents, const BlockPlace& place,
                       Walk* walk, BlockInfo* info) const;
  Status WalkInOrder(const BlockView& view, const BlockPlace& place, Walk* walk,
                     BlockInfo* info) const;
  // What WalkInOrder would, of most blocks and faster (prove_block.cc). False:
  // it is left to tell.
  bool ProveBlock(const BlockView& view, const BlockPlace& place, Walk* walk,
                  BlockInfo* info) const;
  bool ProveEntries(const BlockView& view, const BlockPlace& place, Walk* walk,
                    uint64_t* num_entries) const;
  const FilterPart* PartOfBlock(const Slice& first_key,
                                std::string* target) const;
  void AskFilter(const FilterBitsReader& filter, Walk* walk) const;
  // Whether filter, hash index and the block's own hash index lead to entry
  // `number` of restart interval `interval`, that the walk stands on.
  Status CheckIsFound(const BlockView& view, const BlockPlace& place,
                      Walk* walk, uint64_t number, uint32_t interval) const;
  // The internal key that a reader has in the place of a stored one, but for
  // timestamps that are not stored.
  Slice AsRead(const Slice& stored, std::string* whole) const;
  class ReadKeys;  // of one block (inspect_data.cc)
  // < 0: separator s before the key. As a user key it counts as behind all
  // versions.
  int CompareSeparator(const Slice& s, const Slice& key) const;
  // Both separators around data block i against its outermost keys, and the
  // first key against what the index tells.
  Status CheckSeparators(const BlockPlace& place, const Slice& first_key,
                         const Slice& last_key) const;

  // Reads a block; true when its contents are there to be parsed. In any case
  // `info` tells what was found, and is to be given to Keep.
  bool Read(const BlockPlace& place, BlockInfo* info, Slice* contents) {
    return Read(place, &walk_, info, contents);
  }
  bool Read(const BlockPlace& place, Walk* walk, BlockInfo* info,
            Slice* contents) const;
  // Room for a filter, if it is where a block can be.
  void ExpectFilter(const BlockHandle& handle, Buffer* stored) const;
  bool LacksDictionary(const StoredBlock& stored) const;
  bool Decodes(const BlockPlace& data_block) const;
  void Keep(BlockInfo info);
  // Counts the block, and tells what is wrong with it.
  void Judge(BlockInfo* info);
  // For InspectOptions::on_entry, of the block that was kept last.
  void ShowEntries(const Slice& contents, const BlockPlace& place) const;
  void ShowIndexEntries(const IndexItems& items, size_t first) const;
  void AddFault(const BlockPlace& place, Status status);

  const RandomAccessFile& file_;
  const InspectOptions& options_;
  TableInspection* const found_;
  Walk walk_;  // of the thread that runs this
  std::optional<BlockSource> source_;

  IndexForm index_form_;
  bool index_form_known_ = false;
  bool index_levels_known_ = false;
  bool index_is_two_level_ = false;
  bool index_complete_ = false;
  bool metaindex_sound_ = false;
  bool names_dictionary_ = false;
  // A reader has it then, whatever it holds, and looks at no other filter.
  bool names_full_filter_ = false;
  uint64_t reported_at_ = 0;  // of walk_.bytes_sought
  IndexItems data_blocks_;
  // Of a partitioned index; and for each partition, how many of data_blocks_
  // come before those that it names.
  IndexItems top_level_;
  std::vector<size_t> partition_begins_;
  // In the order of the keys where they end, up to the last of which they are
  // looked for. One that is damaged lets everything pass.
  std::vector<FilterPart> filter_;
  FilterRuns filter_runs_;  // of partitions
  FilterSubject filter_subject_;
  Buffer filter_payload_;  // of the next
  std::optional<LevelDbFilter> leveldb_filter_;
  size_t num_data_blocks_kept_ = 0;  // first in found_->blocks until sorted
  bool has_blobs_ = false;
  // Contents of the hash index; the prefixes only where keys can be asked of
  // it.
  std::optional<std::string> hash_index_metadata_;
  std::optional<std::string> hash_index_prefixes_;
  BlockPlace hash_index_place_;
  std::shared_ptr<const PrefixExtractor> hash_index_extractor_;
  // Where order can be checked: of keys as they are stored, and of whole keys.
  std::optional<KeyOrder> order_;
  std::optional<KeyOrder> whole_order_;
  // What data blocks are walked by, which may know nothing of the order.
  KeyOrder walk_order_ = KeyOrder::Unknown(BytewiseComparator());
  KeyForm key_form_;
  uint64_t num_points_ = 0;
  uint64_t num_range_deletions_ = 0;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_INSPECT_INSPECTOR_H_
