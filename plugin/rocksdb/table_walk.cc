#include "table_walk.h"

#include "read_options.h"

namespace ashlar_rocksdb {

namespace {

ashlar::ReadOptions WalkOptionsFrom(const rocksdb::ReadOptions& theirs,
                                    size_t readahead_size,
                                    bool allow_unprepared_value) {
  ashlar::ReadOptions ours = ReadOptionsFrom(theirs);
  ours.readahead_size = readahead_size;
  ours.async_io = theirs.async_io;
  ours.pin_data = theirs.pin_data;
  ours.allow_unprepared_value = allow_unprepared_value;
  return ours;
}

}  // namespace

TableWalk::TableWalk(const ashlar::TableReader& reader,
                     const rocksdb::ReadOptions& read_options,
                     size_t readahead_size, bool allow_unprepared_value)
    : iterator_(reader.NewIterator(WalkOptionsFrom(
          read_options, readahead_size, allow_unprepared_value))),
      read_options_(read_options),
      is_prepared_(!allow_unprepared_value) {
  TakeUpperBound();
}

void TableWalk::TakeUpperBound() {
  const rocksdb::Slice* theirs = read_options_.iterate_upper_bound;
  if (theirs == nullptr) {
    if (!has_upper_bound_) [[likely]] return;
    has_upper_bound_ = false;
    bound_status_ = iterator_.SetBounds(nullptr, nullptr);
    return;
  }
  if (has_upper_bound_ && *theirs == rocksdb::Slice(upper_bound_)) return;
  upper_bound_.assign(theirs->data(), theirs->size());
  has_upper_bound_ = true;
  const ashlar::Slice bound(upper_bound_);
  bound_status_ = iterator_.SetBounds(nullptr, &bound);
}

void TableWalk::SeekToFirst() {
  TakeUpperBound();
  iterator_.SeekToFirst();
}

void TableWalk::SeekToLast() {
  TakeUpperBound();
  iterator_.SeekToLast();
}

void TableWalk::Seek(const rocksdb::Slice& target) {
  TakeUpperBound();
  iterator_.SeekInternal(ToAshlar(target));
}

void TableWalk::SeekForPrev(const rocksdb::Slice& target) {
  TakeUpperBound();
  iterator_.SeekForPrevInternal(ToAshlar(target));
}

void TableWalk::SetPinnedItersMgr(rocksdb::PinnedIteratorsManager* pins) {
  pins_ = pins;
  // With pin_data all values stay until the iterator ends.
  if (pins == nullptr || read_options_.pin_data) {
    pins_ = nullptr;
    iterator_.SetValueKeeper({});
    return;
  }
  iterator_.SetValueKeeper([pins](ashlar::Cleanable values) {
    // Pins that RocksDB has released meanwhile end here.
    if (pins->PinningEnabled()) values.HandCleanupsTo(pins);
  });
}

bool TableWalk::NextAndGetResult(rocksdb::IterateResult* result) {
  iterator_.Next();
  if (!iterator_.Valid()) [[unlikely]] {
    result->bound_check_result = UpperBoundCheckResult();
    return false;
  }
  result->key = ToRocksDB(iterator_.key());
  result->bound_check_result = rocksdb::IterBoundCheck::kInbound;
  result->value_prepared = is_prepared_;
  return true;
}

rocksdb::Status TableWalk::status() const {
  if (!bound_status_.ok()) return ToRocksDB(bound_status_);
  return ToRocksDB(iterator_.status());
}

rocksdb::IterBoundCheck TableWalk::UpperBoundCheckResult() {
  if (iterator_.Valid()) return rocksdb::IterBoundCheck::kInbound;
  return iterator_.AtUpperBound() ? rocksdb::IterBoundCheck::kOutOfBound
                                  : rocksdb::IterBoundCheck::kUnknown;
}

}  // namespace ashlar_rocksdb
