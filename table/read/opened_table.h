// OpenedTable: what a reader holds of a file once it is open.
//
// OpenTable makes it. Get, MultiGet, iterators and checks work on it. It does
// not change afterwards, except that index and filter are loaded by the first
// thread that needs them (load_parts.h). Any number of threads may use it.
#ifndef ASHLAR_TABLE_READ_OPENED_TABLE_H_
#define ASHLAR_TABLE_READ_OPENED_TABLE_H_

#include <memory>
#include <string_view>
#include <vector>

#include "ashlar/table/block_kind.h"
#include "ashlar/util/status.h"
#include "table/blob/embedded_blobs.h"
#include "table/format/key_form.h"
#include "table/format/key_order.h"
#include "table/format/seek_target.h"
#include "table/index/index.h"
#include "table/load/data_blocks.h"
#include "table/load/read_charges.h"
#include "table/meta/plain_block.h"
#include "table/read/range_deletions.h"
#include "table/read/table_filter.h"

namespace ashlar::internal {

// Returns the status with the file's name in front. An IOError is returned as
// it is: it comes from the file, which has named itself.
Status NamedAfter(const RandomAccessFile& file, const Status& status);

// Returns InvalidArgument if a timestamp of the options has not the size of
// those of this order's keys.
Status CheckTimestampSize(const KeyOrder& order, const ReadOptions& options);

// Which blocks of index and filter are held as long as the table is open.
struct MetadataPins {
  bool whole = false;       // an index or filter that is not partitioned
  bool partitions = false;  // all partitions
};

struct OpenedTable {
  OpenedTable(std::unique_ptr<RandomAccessFile> file_in, const Footer& footer,
              uint64_t max_uncompressed_bytes,
              std::shared_ptr<Statistics> statistics_in,
              std::shared_ptr<BlockCacheTracer> tracer_in)
      : statistics(std::move(statistics_in)),
        tracer(std::move(tracer_in)),
        counters(statistics.get(),
                 tracer == nullptr ? nullptr : tracer->recorder()),
        file(std::move(file_in)),
        source(file.get(), footer, max_uncompressed_bytes, counters),
        data(&source, counters),
        order(BytewiseComparator()),
        order_without_timestamps(order),
        stored_order(order) {}

  std::shared_ptr<Statistics> statistics;
  std::shared_ptr<BlockCacheTracer> tracer;
  const ReadCounters counters;
  // Before everything that is charged: it ends last.
  ReadCharges charges;
  // Stands in for a comparator that is not known: has its name only.
  std::unique_ptr<const Comparator> placeholder;
  std::unique_ptr<RandomAccessFile> file;
  std::shared_ptr<RateLimiter> rate_limiter;  // which the source asks
  BlockSource source;
  DataBlocks data;
  KeyOrder order;
  KeyOrder order_without_timestamps;
  // How blocks store keys, and the order of keys in that form.
  KeyForm key_form;
  KeyOrder stored_order;
  TableProperties properties;
  // Whether the file says how many entries it has.
  bool counts_entries = false;
  std::vector<MetaBlockEntry> meta_blocks;
  // Null if index and filter are kept here instead of in the block cache.
  std::unique_ptr<const MetadataCache> metadata_cache;
  // Null if there is no dictionary, or the source keeps it.
  std::unique_ptr<const DictionaryStore> dictionary_store;
  BlockPlace index_place;
  // The name of the file's filter in the metaindex, that of its policy.
  std::string_view filter_name = kBuiltinFilterName;
  FilterSubject filter_subject;
  bool skips_filter = false;  // nothing of the file's filter is used
  MetadataPins pins;
  LateIndex index;
  OnDemand<const TableFilter> filter;
  // The extractor that was given, or else the built-in one that the file names.
  // Null: neither.
  std::shared_ptr<const PrefixExtractor> prefixes;
  // Null if the table has no range deletions.
  std::unique_ptr<const RangeDeletions> range_deletions;
  // Null if the table has no embedded blobs.
  std::unique_ptr<const EmbeddedBlobs> blobs;
  // How far walks read ahead by themselves.
  AutoReadahead readahead;
  // Whether one search of the index, by user key, finds the first block that
  // may have a key, and the block can be used as it is stored, if the index is
  // of one part: there are no timestamps and no other question to ask.
  bool one_search = false;
  // The root of the index, if Get needs no more than one look at the filter and
  // one search of this: one_search, both are loaded, the index is of one part,
  // and neither is found in the block cache. The first Get that finds this to
  // be so publishes it. Null until then.
  mutable PublishedPointer<const ParsedIndex> quick_root;

  // Charges the memory of a part that the reader is going to keep. `place` is
  // for the message. Any thread may call it. Returns MemoryLimit if the cache
  // has no room: the part must then not be kept.
  Status ChargePart(const BlockPlace& place, uint64_t bytes) {
    if (!charges.table.any()) return {};
    return place.Wrap("cannot keep it", charges.table.Add(bytes));
  }
  // Charges everything that opening has loaded, in place of what was charged.
  Status ChargeLoaded() {
    if (!charges.table.any()) return {};
    const IndexReader* const loaded = index.IfLoaded();
    return charges.table.UpdateTo(
        MemoryUsage() + (loaded == nullptr ? 0 : loaded->HintMemory()) +
        source.dictionary_bytes());
  }
  // Returns the bytes of memory of the table, without what the cache holds.
  uint64_t MemoryUsage() const;

  // Returns whether the filter is asked about keys by their prefixes alone.
  bool AsksPrefixesAlone() const { return !filter_subject.whole_keys(); }
  // Returns whether a read with these options has to apply range deletions.
  bool HasRangeDeletions(const ReadOptions& options) const {
    return range_deletions != nullptr && !options.ignore_range_deletions;
  }

  // If the file does not store whole keys, replaces a data block that was
  // loaded by one with whole keys. Leaves out entries whose timestamp is newer
  // than `newest`, unless that is empty.
  Status RestoreData(const BlockPlace& place, const Slice& newest,
                     PinnedBlock* block) const;
  // Returns NotSupported if the order of keys is not known. `asked` names, for
  // the message, what needs it.
  Status CheckOrderKnown(std::string_view asked) const;
  // Returns an error if an iterator cannot do what the options ask for.
  Status CheckRead(const ReadOptions& options) const;
  // Most reads have no timestamp, and then call nothing.
  Status CheckTimestamp(const ReadOptions& options) const {
    if (options.timestamp.empty() && options.iter_start_ts.empty()) return {};
    return CheckTimestampSize(order, options);
  }
  // Calls AppendFirstTarget with the size of this table's timestamps.
  void AppendTarget(const Slice& user_key, const Slice& timestamp,
                    SequenceNumber snapshot, std::string* target) const {
    AppendFirstTarget(user_key, timestamp, order.timestamp_size(), snapshot,
                      target);
  }
  // Returns the status with the file's name in front.
  Status Named(const Status& status) const { return NamedAfter(*file, status); }
};

// Reads and decodes the footer. The window then holds the last `tail_size`
// bytes of the file; 0: as many as mostly have all but index and filter.
// Messages name the place.
Status ReadFooter(const RandomAccessFile& file, uint64_t tail_size,
                  FileWindow* window, Footer* footer);

// Makes *chosen the comparator `given`, or, if that is null, the built-in one
// that the properties name. Returns NotSupported if the one that they name is
// neither given nor built in, and InvalidArgument if another one is given. A
// table that does not store its timestamps may be read without them, by the
// comparator whose name lacks ".u64ts".
Status ChooseComparator(const TableProperties& properties,
                        const Comparator* given, const Comparator** chosen);

// Returns Corruption if the properties break a rule that holds for every
// reader: those of external files, and that the index type must be there. Sets
// *declared to the compression types that the file declares.
Status CheckProperties(const TableProperties& properties,
                       const FormatTraits& traits,
                       DeclaredCompression* declared);

// Opens the table: reads what the options say, and range deletions. Messages
// begin with the file's name. *file goes to *table as soon as there is one,
// also if opening that fails: TakeFile gives it back.
Status OpenTable(std::unique_ptr<RandomAccessFile>* file,
                 const ReaderOptions& options,
                 std::unique_ptr<OpenedTable>* table);

// Ends a table that nobody uses, and returns its file.
std::unique_ptr<RandomAccessFile> TakeFile(std::unique_ptr<OpenedTable> table);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_READ_OPENED_TABLE_H_
