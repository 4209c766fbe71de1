#include "table/read/table_filter.h"

namespace ashlar::internal {

void TableFilter::KeepFull(const FilterBitsReader& bits, AlignedBytes payload) {
  if (bits.kind() == FilterBitsReader::Kind::kAlways) return;
  bytes_ = std::move(payload);
  full_ = bits;
  kind_ = Kind::kFull;
}

Status TableFilter::UseCachedFull(const MetadataCache* cache,
                                  const BlockPlace& place,
                                  MetadataCache::CheckFilter check, bool pin) {
  if (!pin) {
    cache_ = cache;
    place_ = place;
    check_ = std::move(check);
    kind_ = Kind::kCached;
    return {};
  }
  Cache::SlotHint slot = Cache::kNoSlotHint;
  Status status = cache->HoldFilter(place, check, &slot, &pinned_);
  if (!status.ok()) return status;
  if (pinned_->bits.kind() == FilterBitsReader::Kind::kAlways) {
    pinned_.Reset();
    return {};
  }
  full_ = pinned_->bits;
  kind_ = Kind::kFull;
  return {};
}

Status TableFilter::Warm() const {
  CachedFilterHandle held;
  return kind_ == Kind::kCached ? HoldCached(&held) : Status();
}

Status TableFilter::HoldCached(CachedFilterHandle* held) const {
  const Cache::SlotHint expected = slot_.Load();
  Cache::SlotHint slot = expected;
  Status status = cache_->HoldFilter(place_, check_, &slot, held);
  // Threads must not write what other threads read all the time.
  if (slot != expected) slot_.Store(slot);
  return status;
}

void TableFilter::UsePartitions(std::unique_ptr<FilterPartitions> partitions) {
  partitions_ = std::move(partitions);
  if (partitions_ != nullptr) kind_ = Kind::kPartitioned;
}

void TableFilter::KeepOfLevelDb(LoadedBlock block) {
  leveldb_block_ = std::move(block);
  leveldb_ = LevelDbFilter::Parse(leveldb_block_.contents);
}

void TableFilter::PinPartitions() {
  if (partitions_ != nullptr) partitions_->LoadAll();
}

// Asks a filter that is not at hand. `asked` is a user key or its prefix.
Status TableFilter::AskElsewhere(const Slice& asked, const Slice& internal_key,
                                 Answer* answer) const {
  if (kind_ == Kind::kPartitioned) {
    bool maybe = true;
    Status status = partitions_->MayMatch(internal_key, asked, &maybe);
    if (status.IsIncomplete()) return {};
    if (status.ok()) *answer = AnswerOf(maybe);
    return status;
  }
  CachedFilterHandle held;
  Status status = HoldCached(&held);
  if (status.IsIncomplete()) return {};
  if (status.ok() && held->bits.kind() != FilterBitsReader::Kind::kAlways) {
    *answer = AnswerOf(held->bits.MayMatchBytes(asked));
  }
  return status;
}

Status TableFilter::AskKeyElsewhere(Slice user_key, Slice internal_key,
                                    PerfContext* timing, Answer* answer) const {
  const StageTimer timer(&PerfContext::filter_nanos, timing);
  Slice asked;
  return subject_.OfKey(user_key, &asked)
             ? AskElsewhere(asked, internal_key, answer)
             : Status();
}

Status TableFilter::AskPrefix(const Slice& user_key, const Slice& internal_key,
                              Answer* answer) const {
  Slice asked;
  if (kind_ == Kind::kNone || !subject_.OfPrefix(user_key, &asked)) return {};
  if (kind_ != Kind::kFull) return AskElsewhere(asked, internal_key, answer);
  *answer = AnswerOf(full_.MayMatchBytes(asked));
  return {};
}

bool TableFilter::AskBlock(uint64_t block_offset, const Slice& user_key,
                           Answer* answer) const {
  const bool maybe = leveldb_->MayMatch(block_offset, user_key);
  if (maybe) {
    *answer = Answer::kMaybe;
  } else if (*answer == Answer::kNone) {
    *answer = Answer::kAbsent;
  }
  return maybe;
}

uint64_t TableFilter::MemoryUsage() const {
  return bytes_.room() + leveldb_block_.owned.capacity() +
         (partitions_ == nullptr ? 0 : partitions_->MemoryUsage());
}

}  // namespace ashlar::internal
