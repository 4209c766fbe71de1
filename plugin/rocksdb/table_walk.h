// TableWalk: a rocksdb::InternalIterator over one table that Ashlar reads.
#ifndef ASHLAR_PLUGIN_ROCKSDB_TABLE_WALK_H_
#define ASHLAR_PLUGIN_ROCKSDB_TABLE_WALK_H_

#include <string>

#include "ashlar/table/iterator.h"
#include "ashlar/table/table_reader.h"
#include "conversions.h"
#include "db/pinned_iterators_manager.h"
#include "rocksdb/options.h"
#include "table/internal_iterator.h"

namespace ashlar_rocksdb {

class TableWalk final : public rocksdb::InternalIterator {
 public:
  // `reader` and `read_options` must outlive it. `readahead_size`: 0 for
  // Ashlar's own growing readahead.
  TableWalk(const ashlar::TableReader& reader,
            const rocksdb::ReadOptions& read_options, size_t readahead_size,
            bool allow_unprepared_value);

  bool Valid() const override {
    return bound_status_.ok() && iterator_.Valid();
  }
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
  rocksdb::Slice value() const override {
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

 private:
  // While RocksDB pins, the value has to stay where it is until RocksDB
  // releases its pins. RocksDB may start in the middle of a walk, so it is
  // asked when it wants the value. Returns whether the value stays.
  bool KeepIfAsked() const {
    if (pins_ == nullptr || !pins_->PinningEnabled()) [[likely]] return false;
    return iterator_.KeepValue().ok();
  }
  // RocksDB may change the bound that its options point to between two seeks.
  void TakeUpperBound();

  // Its position is not changed by const functions.
  mutable ashlar::Iterator iterator_;
  const rocksdb::ReadOptions& read_options_;
  const bool is_prepared_;  // whether every entry comes with its value
  rocksdb::PinnedIteratorsManager* pins_ = nullptr;
  bool has_upper_bound_ = false;
  std::string upper_bound_;
  // What a new upper bound met, until the next seek.
  ashlar::Status bound_status_;
};

}  // namespace ashlar_rocksdb

#endif  // ASHLAR_PLUGIN_ROCKSDB_TABLE_WALK_H_
