// Inspector: walks over all blocks of a file that can be reached, and goes on
// after each fault.
//
// It is what is behind InspectTable. Its steps, each of which adds what it
// found to a TableInspection: footer, metaindex, properties, index, the other
// meta blocks, data blocks, blobs, and last whether any two blocks overlap, and
// whether the properties count entries right. What one step could not read, the
// next ones do without.
//
// The source files: inspector.cc (the steps, and reading one block),
// inspect_index.cc and guess_index.cc, inspect_filter.cc,
// inspect_hash_index.cc, inspect_data.cc, inspect_together.cc (several
// threads), prove_block.cc (the quick way over sound blocks), inspect_blobs.cc,
// show_entries.cc.
//
// One inspection, one object. Const functions may be called by several threads,
// each with a Walk of its own, while data blocks are read.
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
                         ? 0  // what is read is stored together
                         : options.readahead_size) {}

  // Runs all steps. Returns the errors of InspectTable.
  Status Run();

 private:
  struct FoundBlob {
    size_t data_block;  // the number of the block that refers to it
    BlockHandle handle;
  };
  // What one thread reads blocks with, and what it finds out.
  struct Walk {
    // The largest read, in bytes: its bytes stay in a near cache until they are
    // checked.
    static constexpr uint64_t kMostAtOnce = uint64_t{256} << 10;

    Walk(const RandomAccessFile* file, uint64_t readahead_size)
        : window(file,
                 readahead_size < kMostAtOnce ? readahead_size : kMostAtOnce) {}
    // Asks the filter the questions that are left. Returns whether it denied
    // none since the last call.
    bool FilterKnowsAll();

    FileWindow window;
    BlockWorkspace workspace;
    LoadedBlock loaded;
    uint64_t bytes_checked = 0;
    // How many bytes of blocks were read or tried, and how many may be.
    uint64_t bytes_sought = 0;
    uint64_t most_bytes_sought = ~uint64_t{0};
    // Present once data blocks are read.
    std::optional<BlockIterator> iterator;
    ShortKeys keys;
    std::string first_key;
    std::string target;  // kept for its memory
    // Whether blocks are first tried the quick way (ProveBlock).
    bool proves = true;
    // Questions that the filter `asked` was not asked yet, and whether it
    // denied a key. Answers come late. So a walk whose blocks can be done again
    // has asks_later: `denied` may then mean any block since the last
    // FilterKnowsAll.
    FilterQuestions questions;
    const FilterBitsReader* asked = nullptr;
    bool denied = false;
    bool asks_later = false;
    // Present if there is a hash index; moves along with the keys.
    std::optional<HashSearchPrefixes> hash_index;
    std::vector<FoundBlob> blobs;
  };
  // A filter that can be asked, or a partition of one.
  struct FilterPart {
    Buffer payload;
    FilterBitsReader bits;
    std::string end;
  };
  // One of the threads that read data blocks together (inspect_together.cc).
  class RunReader;

  Status ReadFooter(Footer* footer);
  // Inspects all blocks that metaindex and properties lead to.
  Status InspectWhatTheyLeadTo();
  // Begins a step, which may read twice as many bytes as the file has, and no
  // more. Blocks that do not overlap are not larger together than their file;
  // but names may lead to one block any number of times.
  void BeginStep();
  // Returns whether the step may read this block too.
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
  // How many keys of each block the filter is asked about with
  // FilterKeys::kFirst.
  static constexpr size_t kFirstKeys = 8;
  static_assert(kFirstKeys <= ShortKeys::kMost);
  // Returns whether it is asked about entry `number` of a block.
  bool AsksFilter(uint64_t number) const {
    return number < kFirstKeys ||
           options_.filter_keys == InspectOptions::FilterKeys::kAll;
  }
  // Returns whether the filter lets every read of this internal key pass, by
  // the key and by its prefix.
  bool FilterKnows(const Slice& internal_key, uint64_t block_offset) const;
  // Returns whether parts `first` to `last` of the filter let these bytes pass.
  bool PartsKnow(const Slice& asked, size_t first, size_t last) const;
  // Returns the number of the part of filter_ that internal_key belongs to.
  // Requires: filter_ is not empty.
  size_t FilterPartOf(const Slice& internal_key) const;
  // Returns the number of the part that a read of this user key (without
  // timestamp) asks if it may see all versions. *target is kept for its memory.
  size_t FirstPartOf(const Slice& user_key, std::string* target) const;
  Status InspectFilterPartitions(const std::string& name, const Slice& contents,
                                 const BlockPlace& place,
                                 uint64_t* num_entries);
  // To be called before partition i of an index or filter, of which there may
  // be many: now and then reports progress. Returns false to give up.
  bool GoesOnToPart(size_t i) const;
  // The same before another block i that the calling thread reads, if many
  // blocks or bytes were read since the last report.
  bool GoesOnToBlock(size_t i, uint64_t done);
  // Returns Corruption if the separators of a filter's partitions do not
  // ascend: then no partition can be looked for.
  Status CheckFilterSeparators(const IndexItems& parts,
                               const BlockPlace& place) const;
  void TakeFilterPart(const Slice& end, const Slice& contents, bool sound);
  void TakeFilterSubject();
  // Returns whether properties and index say that there are entries.
  bool HasPoints() const;
  // Values that the file stores itself. Where they are is known once all data
  // blocks have been read.
  static Status TakeBlobs(const Slice& internal_key, const Slice& value,
                          size_t data_block, Walk* walk);
  static Status TakeBlob(const Slice& blob_index, size_t data_block,
                         Walk* walk);
  Status InspectBlobs();
  // Takes one of the two blocks of a hash index, and checks both once it has
  // them.
  Status InspectHashIndex(const std::string& name, const Slice& contents,
                          const BlockPlace& place);
  // Returns whether the hash index leads to data block i for this internal key.
  bool HashIndexKnows(const Slice& internal_key, size_t i,
                      HashSearchPrefixes* hash_index) const;
  Status InspectDataBlocks();
  Status TakeDataBlocks();
  void ListDataBlocks();
  Status ReadDataBlocks();
  Status ReadDataBlocksTogether();
  // Reports progress. Returns false to give up.
  bool ReportProgress(uint64_t done) const;
  Status GivenUp() const;
  void InspectFooter();
  void SortBlocks();
  void CheckOverlaps();
  void CheckCounts();

  // Returns the handle of the index: from the footer, or, from version 6 on,
  // from the metaindex.
  std::optional<BlockHandle> IndexHandle() const;
  // Parses an index block in the form that the properties say, or, if they say
  // none, in one that fits.
  Status ParseIndex(const Slice& contents, const BlockPlace& place,
                    IndexItems* items);
  Status ParseIndexAs(const IndexForm& form, const BlockView& view,
                      const BlockPlace& place, IndexItems* items,
                      RestartPoints* restarts) const;
  Status CheckIndexOrder(const IndexItems& items, size_t first,
                         const BlockPlace& place, bool first_keys) const;
  // The next ones are for files without properties (guess_index.cc).
  // Returns whether the separators from number `first` on can be internal keys.
  static bool AreInternalKeys(const IndexItems& items, size_t first);
  Status GuessIndex(const BlockView& view, const BlockPlace& place,
                    IndexItems* items);
  // Parses the index block of a filter's partitions, which has the form of the
  // index, and may be read before that.
  Status ParseFilterIndex(const BlockView& view, const BlockPlace& place,
                          IndexItems* items) const;
  // Sets *two_levels to whether the index is partitioned; to nothing if the
  // blocks that it names leave that open.
  Status GuessTwoLevels(const IndexItems& top, std::optional<bool>* two_levels);
  bool LooksLikePartition(const IndexItem& item, IndexItems* children);
  bool IsDataBlock(const BlockHandle& handle);
  // Reads a block that is not reported. Returns whether that could be done.
  bool Peek(const BlockPlace& place, Slice* contents);
  Status InspectPartitions();
  // Bounds of the bytes that a reader needs for index partitions in memory.
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
  // Returns MemoryLimit: a reader could not keep all partitions. That is a
  // limit, and no fault of the file.
  Status IndexIsTooLarge() const;
  // Compares two separators of an index.
  int CompareSeparators(const Slice& a, const Slice& b) const;
  // Checks the items that the partition added to data_blocks_, from number
  // `first` on.
  Status CheckPartition(const BlockPlace& place, size_t first) const;
  // Returns the separator before data block i. Requires: i > 0.
  Slice SeparatorBefore(size_t i) const;

  void BeginDataBlocks(Walk* walk) const;
  // Reads and checks data block i. Returns whether *contents can be shown.
  // Changes nothing but what it is given, so that several threads may call it.
  bool ReadDataBlock(size_t i, Walk* walk, BlockInfo* info,
                     Slice* contents) const;
  Status WalkDataBlock(const Slice& contents, const BlockPlace& place,
                       Walk* walk, BlockInfo* info) const;
  Status WalkInOrder(const BlockView& view, const BlockPlace& place, Walk* walk,
                     BlockInfo* info) const;
  // Does what WalkInOrder does, faster, for most sound blocks (prove_block.cc).
  // Returns false if WalkInOrder has to do it.
  bool ProveBlock(const BlockView& view, const BlockPlace& place, Walk* walk,
                  BlockInfo* info) const;
  bool ProveEntries(const BlockView& view, const BlockPlace& place, Walk* walk,
                    uint64_t* num_entries) const;
  const FilterPart* PartOfBlock(const Slice& first_key,
                                std::string* target) const;
  void AskFilter(const FilterBitsReader& filter, Walk* walk) const;
  // Returns Corruption unless filter, hash index and the block's own hash index
  // lead to the walk's current entry: number `number`, in restart interval
  // `interval`.
  Status CheckIsFound(const BlockView& view, const BlockPlace& place,
                      Walk* walk, uint64_t number, uint32_t interval) const;
  // Returns the internal key that a reader shows in place of a stored one,
  // except for timestamps that are not stored.
  Slice AsRead(const Slice& stored, std::string* whole) const;
  class ReadKeys;  // of one block (inspect_data.cc)
  // Returns < 0 if separator s is before the key. A separator that is a user
  // key counts as after all versions of it.
  int CompareSeparator(const Slice& s, const Slice& key) const;
  // Compares both separators around a data block with its first and last key,
  // and the first key with that in the index.
  Status CheckSeparators(const BlockPlace& place, const Slice& first_key,
                         const Slice& last_key) const;

  // Reads a block. Returns whether its contents can be parsed. In any case sets
  // *info to what was found, which the caller passes to Keep.
  bool Read(const BlockPlace& place, BlockInfo* info, Slice* contents) {
    return Read(place, &walk_, info, contents);
  }
  bool Read(const BlockPlace& place, Walk* walk, BlockInfo* info,
            Slice* contents) const;
  // Makes room for a filter, if its place is one where a block can be.
  void ExpectFilter(const BlockHandle& handle, Buffer* stored) const;
  bool LacksDictionary(const StoredBlock& stored) const;
  bool Decodes(const BlockPlace& data_block) const;
  // Judges the block, reports it, and adds it to the inspection.
  void Keep(BlockInfo info);
  // Counts the block, and adds its fault if it has one.
  void Judge(BlockInfo* info);
  // These call InspectOptions::on_entry for the block that was kept last.
  void ShowEntries(const Slice& contents, const BlockPlace& place) const;
  void ShowIndexEntries(const IndexItems& items, size_t first) const;
  void AddFault(const BlockPlace& place, Status status);

  const RandomAccessFile& file_;
  const InspectOptions& options_;
  TableInspection* const found_;
  Walk walk_;  // that of the thread that calls Run
  std::optional<BlockSource> source_;

  IndexForm index_form_;
  bool index_form_known_ = false;
  bool index_levels_known_ = false;
  bool index_is_two_level_ = false;
  bool index_complete_ = false;
  bool metaindex_sound_ = false;
  bool names_dictionary_ = false;
  // If so, a reader uses that one, whatever it holds, and no other filter.
  bool names_full_filter_ = false;
  uint64_t reported_at_ = 0;  // walk_.bytes_sought at the last report
  IndexItems data_blocks_;
  // For a partitioned index: its top level; and for each partition, how many of
  // data_blocks_ come before those that it names.
  IndexItems top_level_;
  std::vector<size_t> partition_begins_;
  // The filter, or its partitions in the order of the keys where they end. A
  // damaged one lets everything pass.
  std::vector<FilterPart> filter_;
  FilterRuns filter_runs_;  // of these partitions
  FilterSubject filter_subject_;
  Buffer filter_payload_;  // the bytes of leveldb_filter_
  std::optional<LevelDbFilter> leveldb_filter_;
  // Until they are sorted, data blocks come first in found_->blocks: this many.
  size_t num_data_blocks_kept_ = 0;
  bool has_blobs_ = false;
  // The blocks of the hash index; the prefixes only if it can be asked about
  // keys.
  std::optional<std::string> hash_index_metadata_;
  std::optional<std::string> hash_index_prefixes_;
  BlockPlace hash_index_place_;
  std::shared_ptr<const PrefixExtractor> hash_index_extractor_;
  // Present if order can be checked: the order of keys as they are stored, and
  // of whole keys.
  std::optional<KeyOrder> order_;
  std::optional<KeyOrder> whole_order_;
  // The order by which data blocks are walked, which may be unknown.
  KeyOrder walk_order_ = KeyOrder::Unknown(BytewiseComparator());
  KeyForm key_form_;
  uint64_t num_points_ = 0;
  uint64_t num_range_deletions_ = 0;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_INSPECT_INSPECTOR_H_
