// OpenedTable: what a reader holds of a file once it is open.
//
// Made by OpenTable, never changed afterwards, so that any number of threads
// may use it. Get, iterators and checks work on this.
#ifndef ASHLAR_TABLE_READ_OPENED_TABLE_H_
#define ASHLAR_TABLE_READ_OPENED_TABLE_H_

#include <memory>
#include <optional>
#include <vector>

#include "ashlar/table/inspect.h"
#include "ashlar/util/status.h"
#include "table/filter/full_filter.h"
#include "table/filter/leveldb_filter.h"
#include "table/format/key_form.h"
#include "table/format/key_order.h"
#include "table/index/index.h"
#include "table/load/data_blocks.h"
#include "table/read/filter_partitions.h"
#include "table/read/range_deletions.h"
#include "util/mem/aligned_bytes.h"
#include "util/sync/atomic.h"

namespace ashlar::internal {

// Puts the file's name in front of a message. I/O errors come from the file,
// which names itself.
Status NamedAfter(const RandomAccessFile& file, const Status& status);

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
  // Stands in for a comparator that is not known.
  std::unique_ptr<const Comparator> placeholder;
  std::unique_ptr<RandomAccessFile> file;
  BlockSource source;
  DataBlocks data;
  KeyOrder order;
  KeyOrder order_without_timestamps;
  // How blocks store keys, and the order of the keys so stored.
  KeyForm key_form;
  KeyOrder stored_order;
  TableProperties properties;
  std::vector<MetaBlockEntry> meta_blocks;
  // Null where index and filter are kept here.
  std::unique_ptr<const MetadataCache> metadata_cache;
  std::unique_ptr<IndexReader> index;
  // Empty where there is no filter, or none that knows anything.
  std::optional<FilterBitsReader> filter;
  // Of a filter that is in the block cache, and held there or not.
  CachedFilterHandle pinned_filter;  // its bits are `filter`
  std::optional<BlockPlace> cached_filter;
  // Null where the filter is not cut into partitions.
  std::unique_ptr<FilterPartitions> filter_partitions;
  // Of LevelDB's files: asked for each data block.
  std::optional<LevelDbFilter> leveldb_filter;
  // What the filter may be asked.
  FilterSubject filter_subject;
  // The one given, or else the one that the file names. Null: neither is known.
  std::shared_ptr<const PrefixExtractor> prefixes;
  AlignedBytes filter_bytes;  // of `filter`
  LoadedBlock filter_block;   // of `leveldb_filter`
  // Null where the table has no range deletions.
  std::unique_ptr<const RangeDeletions> range_deletions;
  // Whether one search of one index by user key tells the first block that may
  // have a key, as it is stored: there are no timestamps, no partitions, and
  // nothing more that is to be asked of the block.
  bool one_search = false;
  // Whether the filter has let Gets pass of late: a guess.
  mutable RelaxedAtomic<bool> filter_passes{true};

  // Whether a read with these options has to honour any.
  bool HasRangeDeletions(const ReadOptions& options) const {
    return range_deletions != nullptr && !options.ignore_range_deletions;
  }

  bool HasFilter() const {
    return filter.has_value() || filter_partitions != nullptr ||
           cached_filter.has_value();
  }
  // Whether `asked`, which is a key or its prefix, may be in the table; the
  // internal key is where it would be. Only where HasFilter.
  Status AskFilter(const Slice& internal_key, const Slice& asked,
                   bool* maybe) const;
  // Puts a data block with whole keys in the place of one that was loaded,
  // where the file does not store them whole. Leaves entries out whose
  // timestamp is newer than `newest`, unless that is empty.
  Status RestoreData(const BlockPlace& place, const Slice& newest,
                     PinnedBlock* block) const;
  // NotSupported where what is asked needs an order that is not known.
  Status CheckOrderKnown(std::string_view asked) const;
  // Whether iterators can do what the options ask for.
  Status CheckRead(const ReadOptions& options) const;
  // Whether the timestamp is one of this table's.
  Status CheckTimestamp(const ReadOptions& options) const;
  // Where the versions of a user key, given without timestamp, begin that a
  // read of this timestamp and snapshot may see.
  void AppendTarget(const Slice& user_key, const Slice& timestamp,
                    SequenceNumber snapshot, std::string* target) const {
    // The largest type, so that all versions of that sequence number follow.
    AppendVersion(user_key, timestamp, '\xff', snapshot,
                  static_cast<ValueType>(0xff), target);
  }
  // Where they end, if those before `sequence` are left out.
  void AppendLastTarget(const Slice& user_key, SequenceNumber sequence,
                        std::string* target) const {
    AppendVersion(user_key, Slice(), '\0', sequence, ValueType::kTypeDeletion,
                  target);
  }
  // Puts the file's name in front of a message.
  Status Named(const Status& status) const { return NamedAfter(*file, status); }

 private:
  // An empty timestamp is one of that byte all over.
  void AppendVersion(const Slice& user_key, const Slice& timestamp, char filler,
                     SequenceNumber sequence, ValueType type,
                     std::string* target) const {
    target->append(user_key.data(), user_key.size());
    target->append(timestamp.data(), timestamp.size());
    target->append(order.timestamp_size() - timestamp.size(), filler);
    AppendInternalKey(Slice(), sequence, type, target);
  }
};

// Reads the last bytes of the file, and what they say, into *footer. The
// window then holds the file's tail. Messages name the place.
Status ReadFooter(const RandomAccessFile& file, FileWindow* window,
                  Footer* footer);

// The comparator that the properties name, or `given`. NotSupported for one
// that is not built in and not given; InvalidArgument for one that differs
// from the given one.
Status ChooseComparator(const TableProperties& properties,
                        const Comparator* given, const Comparator** chosen);

// Rules that make a file damaged whatever one wants of it: those of external
// files, and the index type that must be there. Also tells which compression
// types the file declares.
Status CheckProperties(const TableProperties& properties,
                       const FormatTraits& traits,
                       DeclaredCompression* declared);

// Everything up to and including index and filter. Messages begin with the
// file's name.
Status OpenTable(std::unique_ptr<RandomAccessFile> file,
                 const ReaderOptions& options,
                 std::unique_ptr<OpenedTable>* table);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_READ_OPENED_TABLE_H_
