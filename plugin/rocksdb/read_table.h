// ReadTable: a rocksdb::TableReader whose table Ashlar reads.
//
// Thread safety: any number of threads, as RocksDB asks.
#ifndef ASHLAR_PLUGIN_ROCKSDB_READ_TABLE_H_
#define ASHLAR_PLUGIN_ROCKSDB_READ_TABLE_H_

#include <array>
#include <atomic>
#include <memory>
#include <vector>

#include "ashlar/table/table_reader.h"
#include "db/range_tombstone_fragmenter.h"
#include "db/seqno_to_time_mapping.h"
#include "read_plan.h"
#include "rocksdb/cache.h"
#include "table/table_reader.h"
#include "their_counters.h"

namespace ashlar_rocksdb {

class ReadTable final : public rocksdb::TableReader {
 public:
  // Takes an open table over, whose data blocks are in this cache, or in none
  // if it is null. Returns Corruption if it is not the file that
  // RocksDB's manifest names.
  static rocksdb::Status Create(std::unique_ptr<ashlar::TableReader> reader,
                                const rocksdb::TableReaderOptions& theirs,
                                std::shared_ptr<rocksdb::Cache> block_cache,
                                uint64_t file_size,
                                std::unique_ptr<rocksdb::TableReader>* table);
  ~ReadTable() override;

  rocksdb::InternalIterator* NewIterator(
      const rocksdb::ReadOptions& read_options,
      const rocksdb::SliceTransform* prefix_extractor, rocksdb::Arena* arena,
      bool skip_filters, rocksdb::TableReaderCaller caller,
      size_t compaction_readahead_size, bool allow_unprepared_value) override;
  rocksdb::FragmentedRangeTombstoneIterator* NewRangeTombstoneIterator(
      const rocksdb::ReadOptions& read_options) override;
  rocksdb::FragmentedRangeTombstoneIterator* NewRangeTombstoneIterator(
      rocksdb::SequenceNumber read_seqno,
      const rocksdb::Slice* timestamp) override;

  rocksdb::Status Get(const rocksdb::ReadOptions& read_options,
                      const rocksdb::Slice& key,
                      rocksdb::GetContext* get_context,
                      const rocksdb::SliceTransform* prefix_extractor,
                      bool skip_filters) override;
  void MultiGet(const rocksdb::ReadOptions& read_options,
                const rocksdb::MultiGetContext::Range* mget_range,
                const rocksdb::SliceTransform* prefix_extractor,
                bool skip_filters) override;

  uint64_t ApproximateOffsetOf(const rocksdb::ReadOptions& read_options,
                               const rocksdb::Slice& key,
                               rocksdb::TableReaderCaller caller) override;
  uint64_t ApproximateSize(const rocksdb::ReadOptions& read_options,
                           const rocksdb::Slice& start,
                           const rocksdb::Slice& end,
                           rocksdb::TableReaderCaller caller) override;
  void SetupForCompaction() override {}
  std::shared_ptr<const rocksdb::TableProperties> GetTableProperties()
      const override {
    return properties_;
  }
  size_t ApproximateMemoryUsage() const override;
  rocksdb::Status VerifyChecksum(const rocksdb::ReadOptions& read_options,
                                 rocksdb::TableReaderCaller caller,
                                 bool meta_blocks_only) override;
  rocksdb::Status ApproximateKeyAnchors(
      const rocksdb::ReadOptions& read_options,
      std::vector<Anchor>& anchors) override;
  rocksdb::Status Prefetch(const rocksdb::ReadOptions& read_options,
                           const rocksdb::Slice* begin,
                           const rocksdb::Slice* end) override;
  rocksdb::Status DumpTable(rocksdb::WritableFile* out_file,
                            bool show_sequence_number_type) override;
  void MarkObsolete(uint32_t uncache_aggressiveness) override;

 private:
  ReadTable(std::unique_ptr<ashlar::TableReader> reader,
            const rocksdb::TableReaderOptions& theirs,
            std::shared_ptr<rocksdb::Cache> block_cache, uint64_t file_size);
  void CollectRangeTombstones();
  // Returns whether the table's prefixes are by this extractor, which may have
  // changed since the table was built. Null: there is none now.
  bool HasPrefixesOf(const rocksdb::SliceTransform* prefix_extractor) const;
  // Returns whether a point read asks no filter: it was told so, or the filter
  // has prefixes alone, by another extractor than the database has now.
  bool SkipsFilter(const rocksdb::SliceTransform* prefix_extractor,
                   bool skip_filters) const {
    return has_filter_ && (skip_filters || (!filters_whole_keys_ &&
                                            !HasPrefixesOf(prefix_extractor)));
  }
  // Returns whether a read of this key, without its timestamp, has failed since
  // the filter is damaged. RocksDB then lets every key pass.
  bool FailedByFilter(const ashlar::Status& status,
                      const ashlar::ReadOptions& options,
                      const ashlar::Slice& bare_key) const;
  // Returns what part of the data comes before the key, as RocksDB scales it:
  // to the size of the file. If that cannot be found out, returns the last
  // argument.
  uint64_t ScaledOffset(const rocksdb::ReadOptions& read_options,
                        const rocksdb::Slice& key, uint64_t if_unknown) const;
  // The keys of one MultiGet.
  static constexpr size_t kMostAsked = rocksdb::MultiGetContext::MAX_BATCH_SIZE;
  struct AskedKeys {
    std::array<rocksdb::KeyContext*, kMostAsked> keys;
    std::array<ashlar::Slice, kMostAsked> slices;
    size_t count = 0;
  };
  void GetBatch(const ashlar::ReadOptions& options, const AskedKeys& asked,
                PassedPerfContext* perf) const;
  rocksdb::Status GetOne(const ashlar::ReadOptions& options,
                         const rocksdb::Slice& key,
                         rocksdb::GetContext* get_context,
                         PassedPerfContext* perf) const;
  // These two are for reads whose callback decides which versions it sees.
  void VisitBatch(const ashlar::ReadOptions& options, const AskedKeys& asked,
                  PassedPerfContext* perf) const;
  rocksdb::Status GetByVersions(const ashlar::ReadOptions& given,
                                const rocksdb::Slice& key,
                                rocksdb::GetContext* get_context,
                                PassedPerfContext* perf) const;

  // For comparators that call keys with other bytes equal. Asks no filter.
  rocksdb::Status GetByWalk(const rocksdb::ReadOptions& read_options,
                            const rocksdb::Slice& key,
                            rocksdb::GetContext* get_context) const;

  const std::unique_ptr<ashlar::TableReader> reader_;
  const std::shared_ptr<rocksdb::Cache> block_cache_;
  // These two are the column family's, which outlives its tables.
  const rocksdb::ImmutableOptions& their_options_;
  const rocksdb::InternalKeyComparator& comparator_;
  const size_t timestamp_size_;
  // Ashlar's point reads go by it. RocksDB's comparators may do otherwise.
  const bool equal_keys_have_equal_bytes_;
  const int level_;  // in the tree, when the table was opened
  const uint64_t file_size_;
  // Whether the file system brings announced bytes into the page cache.
  const bool file_loads_ahead_;
  std::shared_ptr<const rocksdb::TableProperties> properties_;
  // What opening was given, and whether the table's prefixes are by it.
  const std::shared_ptr<const rocksdb::SliceTransform> opened_with_;
  const bool has_prefixes_;
  const bool has_filter_;
  const bool filters_whole_keys_;
  // When sequence numbers were written. Null: the table does not say.
  std::unique_ptr<rocksdb::SeqnoToTimeMapping> times_;
  // Null: the table has none.
  std::shared_ptr<rocksdb::FragmentedRangeTombstoneList> range_tombstones_;
  // Above 0: the file is obsolete. The destructor then drops its blocks.
  std::atomic<uint32_t> uncache_aggressiveness_{0};
};

}  // namespace ashlar_rocksdb

#endif  // ASHLAR_PLUGIN_ROCKSDB_READ_TABLE_H_
