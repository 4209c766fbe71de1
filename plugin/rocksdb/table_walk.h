// TableWalk: a rocksdb::InternalIterator over one table that Ashlar reads.
#ifndef ASHLAR_PLUGIN_ROCKSDB_TABLE_WALK_H_
#define ASHLAR_PLUGIN_ROCKSDB_TABLE_WALK_H_

#include <string>

#include "ashlar/table/iterator.h"
#include "ashlar/table/table_reader.h"
#include "conversions.h"
#include "db/pinned_iterators_manager.h"
#include "db/seqno_to_time_mapping.h"
#include "rocksdb/cache.h"
#include "rocksdb/options.h"
#include "rocksdb/slice_transform.h"
#include "table/internal_iterator.h"
#include "their_counters.h"

namespace ashlar_rocksdb {

struct WalkOptions {
  const rocksdb::ReadOptions& read_options;  // must outlive the walk
  size_t timestamp_size = 0;
  size_t readahead_size = 0;  // 0: Ashlar's own, which grows
  // Whether the walk announces to the file what it will read next.
  bool tells_file = false;
  bool allow_unprepared_value = false;
  // When entries were written. Null: not known. Must outlive the walk.
  const rocksdb::SeqnoToTimeMapping* times = nullptr;
  // If not null, seeks ask the filter for the prefix of their key by this,
  // which the table was built with, and find nothing if the table does not have
  // it.
  // The table keeps it alive.
  const rocksdb::SliceTransform* asked_prefixes = nullptr;
  // Whether only those seeks ask that end at an upper bound before another
  // prefix begins. `order` is that of user keys, and must outlive the walk.
  bool asks_within_bound = false;
  const rocksdb::Comparator* order = nullptr;
  // The block cache, where the ranges of a multi-scan are read ahead. Null:
  // there is none. Must outlive the walk.
  const rocksdb::Cache* block_cache = nullptr;
  // Count seeks, by the table's level. Null: not counted. They must outlive the
  // walk.
  rocksdb::Statistics* statistics = nullptr;
  int level = 0;
  bool is_last_level = false;
};

class TableWalk final : public rocksdb::InternalIterator {
 public:
  // `reader` must outlive it.
  TableWalk(const ashlar::TableReader& reader, const WalkOptions& options);
  // Passes on what moves between seeks have counted.
  ~TableWalk() override { const PassedPerfContext perf(options_.level); }

  bool Valid() const override { return !is_void_ && iterator_.Valid(); }
  void SeekToFirst() override;
  void SeekToLast() override;
  void Seek(const rocksdb::Slice& target) override;
  void SeekForPrev(const rocksdb::Slice& target) override;
  void Next() override { iterator_.Next(); }
  bool NextAndGetResult(rocksdb::IterateResult* result) override;
  void Prev() override { iterator_.Prev(); }

  rocksdb::Slice key() const override { return ToRocksDB(iterator_.key()); }
  rocksdb::Slice user_key() const override {
    return ToRocksDB(iterator_.user_key());
  }
  uint64_t write_unix_time() const override;
  rocksdb::Slice value() const override {
    if (waits_for_use_) [[unlikely]]
      CountUse();
    KeepIfAsked();
    return ToRocksDB(iterator_.value());
  }
  rocksdb::Status status() const override;
  bool PrepareValue() override { return iterator_.PrepareValue(); }

  rocksdb::IterBoundCheck UpperBoundCheckResult() override;
  bool IsKeyPinned() const override { return iterator_.IsKeyPinned(); }
  bool IsValuePinned() const override {
    return iterator_.IsValuePinned() || KeepIfAsked();
  }
  void SetPinnedItersMgr(rocksdb::PinnedIteratorsManager* pins) override;
  void Prepare(const rocksdb::MultiScanArgs* scans) override;

 private:
  // While RocksDB pins, the value has to stay where it is until RocksDB
  // releases its pins. RocksDB may start in the middle of a walk, so it is
  // asked when it wants the value. Returns whether the value stays.
  bool KeepIfAsked() const {
    if (pins_ == nullptr || !pins_->PinningEnabled()) [[likely]]
      return false;
    return iterator_.KeepValue().ok();
  }
  // Prepares for a seek. RocksDB may change the bound that its options point to
  // between two seeks.
  void TakeUpperBound();
  // Counts that the seek has come to data, if it has: to an entry, or to the
  // bound.
  void CountData() {
    waits_for_use_ = false;
    if (options_.statistics == nullptr || is_void_) return;
    if (!iterator_.Valid() && !iterator_.AtUpperBound()) return;
    CountSeekData(options_.statistics, options_.is_last_level);
    waits_for_use_ = true;
  }
  // Counts that RocksDB takes a value of these data: once.
  void CountUse() const {
    waits_for_use_ = false;
    CountSeekDataUse(options_.statistics, options_.is_last_level,
                     filter_passed_);
  }
  // Returns whether all keys from this one up to the bound have its prefix.
  bool EndsInPrefixOf(const rocksdb::Slice& user_key) const;
  // Returns whether the filter rules the prefix of the key out, for a walk that
  // seeks it backward or forward.
  bool IsRuledOut(const rocksdb::Slice& internal_key, bool backward);

  // Its position is not changed by const functions.
  mutable ashlar::Iterator iterator_;
  const ashlar::TableReader& reader_;
  const WalkOptions options_;
  rocksdb::PinnedIteratorsManager* pins_ = nullptr;
  bool has_upper_bound_;
  std::string upper_bound_;
  // Whether the last seek found nothing without asking the iterator: because of
  // this error of a bound, or because the filter ruled it out.
  bool is_void_ = false;
  // Whether a filter has let the last seek pass, and whether RocksDB has taken
  // no value since it. Counted alone.
  bool filter_passed_ = false;
  mutable bool waits_for_use_ = false;
  ashlar::Status seek_status_;
};

}  // namespace ashlar_rocksdb

#endif  // ASHLAR_PLUGIN_ROCKSDB_TABLE_WALK_H_
