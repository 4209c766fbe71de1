#include "table_walk.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "ashlar/table/options.h"
#include "read_options.h"
#include "rocksdb/advanced_cache.h"
#include "scanned_ranges.h"

namespace ashlar_rocksdb {

namespace {

// `bound` lives until the iterator is made.
ashlar::ReadOptions OptionsFrom(const WalkOptions& walk,
                                const ashlar::Slice& bound) {
  const rocksdb::ReadOptions& theirs = walk.read_options;
  ashlar::ReadOptions ours = ReadOptionsFrom(theirs);
  ours.readahead_size = walk.readahead_size;
  ours.async_io = walk.tells_file;
  ours.pin_data = theirs.pin_data;
  if (theirs.iterate_upper_bound != nullptr) ours.iterate_upper_bound = &bound;
  ours.allow_unprepared_value = walk.allow_unprepared_value;
  return ours;
}

ashlar::Slice UpperBoundOf(const WalkOptions& walk) {
  const rocksdb::Slice* bound = walk.read_options.iterate_upper_bound;
  return bound != nullptr ? ToAshlar(*bound) : ashlar::Slice();
}

}  // namespace

TableWalk::TableWalk(const ashlar::TableReader& reader,
                     const WalkOptions& options)
    : iterator_(
          reader.NewIterator(OptionsFrom(options, UpperBoundOf(options)))),
      reader_(reader),
      options_(options),
      has_upper_bound_(options.read_options.iterate_upper_bound != nullptr),
      upper_bound_(UpperBoundOf(options).ToString()) {}

void TableWalk::TakeUpperBound() {
  is_void_ = false;
  filter_passed_ = false;
  seek_status_ = ashlar::Status::OK();
  const rocksdb::Slice* theirs = options_.read_options.iterate_upper_bound;
  if (theirs == nullptr && !has_upper_bound_) [[likely]]
    return;
  if (theirs != nullptr && has_upper_bound_ &&
      *theirs == rocksdb::Slice(upper_bound_)) {
    return;
  }
  ashlar::Slice bound;
  if (theirs != nullptr) bound = ToAshlar(*theirs);
  seek_status_ =
      iterator_.SetBounds(nullptr, theirs != nullptr ? &bound : nullptr);
  is_void_ = !seek_status_.ok();
  if (is_void_) return;
  has_upper_bound_ = theirs != nullptr;
  upper_bound_.assign(bound.data(), bound.size());
}

bool TableWalk::EndsInPrefixOf(const rocksdb::Slice& user_key) const {
  const rocksdb::Slice* const bound = options_.read_options.iterate_upper_bound;
  const rocksdb::SliceTransform& prefixes = *options_.asked_prefixes;
  if (bound == nullptr || !prefixes.InDomain(*bound)) return false;
  const rocksdb::Slice prefix = prefixes.Transform(user_key);
  if (options_.order->CompareWithoutTimestamp(
          prefix, false, prefixes.Transform(*bound), false) == 0) {
    return true;
  }
  // The bound may be the first key of the next prefix.
  size_t length = 0;
  return prefixes.FullLengthEnabled(&length) && bound->size() == length &&
         options_.order->IsSameLengthImmediateSuccessor(prefix, *bound);
}

bool TableWalk::IsRuledOut(const rocksdb::Slice& internal_key, bool backward) {
  if (options_.asked_prefixes == nullptr) return false;
  constexpr size_t kTailBytes = 8;
  rocksdb::Slice asked(internal_key.data(), internal_key.size() - kTailBytes -
                                                options_.timestamp_size);
  if (!options_.asked_prefixes->InDomain(asked)) return false;
  if (options_.asks_within_bound && (backward || !EndsInPrefixOf(asked))) {
    return false;
  }
  if (backward) {
    // A partition of the filter is found by a key that is not after any key of
    // its prefix. In the order of bytes the prefix is one. Only tables with an
    // index of two levels have partitions.
    const bool may_have_partitions =
        reader_.properties().index_type ==
        static_cast<uint32_t>(ashlar::IndexType::kTwoLevelIndexSearch);
    if (may_have_partitions &&
        reader_.comparator() != ashlar::BytewiseComparator()) {
      return false;
    }
    asked = options_.asked_prefixes->Transform(asked);
  }
  ashlar::GetResult::Filter answer = ashlar::GetResult::Filter::kNone;
  const ashlar::Status status = reader_.PrefixMayMatch(
      ReadOptionsFrom(options_.read_options), ToAshlar(asked), &answer);
  // A filter that cannot be read rules nothing out.
  if (!status.ok() || answer == ashlar::GetResult::Filter::kNone) return false;
  const bool is_ruled_out = answer == ashlar::GetResult::Filter::kAbsent;
  CountSeekFilter(options_.statistics, options_.is_last_level, is_ruled_out);
  filter_passed_ = !is_ruled_out;
  return is_ruled_out;
}

void TableWalk::SeekToFirst() {
  const PassedPerfContext perf(options_.level);
  TakeUpperBound();
  if (!is_void_) iterator_.SeekToFirst();
  CountData();
}

void TableWalk::SeekToLast() {
  const PassedPerfContext perf(options_.level);
  TakeUpperBound();
  if (!is_void_) iterator_.SeekToLast();
  CountData();
}

void TableWalk::Seek(const rocksdb::Slice& target) {
  const PassedPerfContext perf(options_.level);
  TakeUpperBound();
  is_void_ = is_void_ || IsRuledOut(target, /*backward=*/false);
  if (!is_void_) iterator_.SeekInternal(ToAshlar(target));
  CountData();
}

void TableWalk::SeekForPrev(const rocksdb::Slice& target) {
  const PassedPerfContext perf(options_.level);
  TakeUpperBound();
  is_void_ = is_void_ || IsRuledOut(target, /*backward=*/true);
  if (!is_void_) iterator_.SeekForPrevInternal(ToAshlar(target));
  CountData();
}

void TableWalk::SetPinnedItersMgr(rocksdb::PinnedIteratorsManager* pins) {
  pins_ = pins;
  // With pin_data all values stay until the iterator ends.
  if (pins == nullptr || options_.read_options.pin_data) {
    pins_ = nullptr;
    iterator_.SetValueKeeper({});
    return;
  }
  iterator_.SetValueKeeper([pins](ashlar::Cleanable values) {
    // Pins that RocksDB has released meanwhile end here.
    if (pins->PinningEnabled()) values.HandCleanupsTo(pins);
  });
}

void TableWalk::Prepare(const rocksdb::MultiScanArgs* scans) {
  const rocksdb::ReadOptions& read = options_.read_options;
  if (scans == nullptr || !scans->HasBoundedScanRanges() ||
      options_.block_cache == nullptr || options_.timestamp_size != 0 ||
      !read.fill_cache || read.read_tier == rocksdb::kBlockCacheTier) {
    return;
  }
  const PassedPerfContext perf(options_.level);
  // More would evict what was read ahead first. Blocks are smaller in the file.
  constexpr uint64_t kPartOfCache = 4;
  uint64_t most_bytes = options_.block_cache->GetCapacity() / kPartOfCache;
  if (scans->max_prefetch_size != 0) {
    most_bytes = std::min(most_bytes, scans->max_prefetch_size);
  }
  ReadRangesAhead(reader_, read, *scans, most_bytes);
}

bool TableWalk::NextAndGetResult(rocksdb::IterateResult* result) {
  iterator_.Next();
  if (!iterator_.Valid()) [[unlikely]] {
    result->bound_check_result = UpperBoundCheckResult();
    return false;
  }
  result->key = ToRocksDB(iterator_.key());
  result->bound_check_result = rocksdb::IterBoundCheck::kInbound;
  result->value_prepared = iterator_.IsValuePrepared();
  return true;
}

uint64_t TableWalk::write_unix_time() const {
  rocksdb::SequenceNumber sequence = iterator_.sequence();
  if (sequence == rocksdb::kUnknownSeqnoBeforeAll) {
    return rocksdb::kUnknownTimeBeforeAll;
  }
  if (options_.times == nullptr) return std::numeric_limits<uint64_t>::max();
  if (iterator_.type() == ashlar::ValueType::kTypeValuePreferredSeqno) {
    sequence = rocksdb::ParsePackedValueForSeqno(value());
  }
  return options_.times->GetProximalTimeBeforeSeqno(sequence);
}

rocksdb::Status TableWalk::status() const {
  return ToRocksDB(is_void_ ? seek_status_ : iterator_.status());
}

rocksdb::IterBoundCheck TableWalk::UpperBoundCheckResult() {
  if (Valid()) return rocksdb::IterBoundCheck::kInbound;
  return !is_void_ && iterator_.AtUpperBound()
             ? rocksdb::IterBoundCheck::kOutOfBound
             : rocksdb::IterBoundCheck::kUnknown;
}

}  // namespace ashlar_rocksdb
