// TableFilter: the filter of an open table, of whatever kind, or none.
//
// A file has one full filter, or one that is cut into partitions, or neither.
// Either kind is in the reader's memory or in the block cache, and is asked for
// whole keys or for prefixes (FilterSubject). A LevelDB file has small filters
// for ranges of the file instead, which are asked once the data block is known.
//
// Get asks by AskKey, MultiGet by AskKeys, and an iterator that seeks a prefix
// by AskPrefix. Each of them asks once, before it searches the index. Get and
// MultiGet ask the filters of a LevelDB file by AskBlock, once per data block.
// The answer kAbsent is certain. If a filter or partition cannot be read, the
// question returns that error, and the read fails. A filter of an unknown kind
// lets every key pass, and so does a damaged full filter. A damaged partition
// is Corruption. If the read may not touch the file (ReadOptions::read_tier),
// what is not in memory of a filter lets every key pass too.
//
// A question about a filter in the reader's memory makes no virtual call and no
// allocation, except those of a prefix extractor.
//
// LoadFilter (load_parts.h) makes it. It does not change afterwards, except
// that partitions are read in when they are first asked: thread-safe.
#ifndef ASHLAR_TABLE_READ_TABLE_FILTER_H_
#define ASHLAR_TABLE_READ_TABLE_FILTER_H_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "ashlar/table/table_reader.h"
#include "table/counters/read_counters.h"
#include "table/filter/full_filter.h"
#include "table/filter/leveldb_filter.h"
#include "table/load/metadata_cache.h"
#include "table/read/filter_partitions.h"
#include "util/mem/aligned_bytes.h"
#include "util/sync/atomic.h"

namespace ashlar::internal {

class TableFilter {
 public:
  // kNone: there is no filter, or it cannot know.
  using Answer = GetResult::Filter;

  // `subject`: what of a key the filter may be asked for.
  explicit TableFilter(FilterSubject subject) : subject_(std::move(subject)) {}

  // While it is loaded. Without these calls there is no filter.

  // Keeps a full filter, whose payload `bits` asks. One that lets every key
  // pass is not asked.
  void KeepFull(const FilterBitsReader& bits, AlignedBytes payload);
  // From then on the full filter at `place` is found in the cache, which reads
  // and checks it if it was evicted. `pin`: the filter is held in the cache as
  // long as this lives, and is read now. Requires: the cache outlives this.
  Status UseCachedFull(const MetadataCache* cache, const BlockPlace& place,
                       MetadataCache::CheckFilter check, bool pin);
  // From then on the filter is this partitioned one. Null: there is none.
  void UsePartitions(std::unique_ptr<FilterPartitions> partitions);
  // Keeps the filter block of a LevelDB file. If it is damaged, there are no
  // such filters.
  void KeepOfLevelDb(LoadedBlock block);
  // Reads all partitions, and keeps or holds them as long as this lives. Those
  // that cannot be read are left out.
  void PinPartitions();

  // Asks about one user key (without timestamp). Sets *answer, unless the
  // filter cannot know. internal_key says where in the table the key would be;
  // it may be empty if IsAtHand(). `begin_search` begins the search of the
  // index for the key, and is called at most once. If the key will probably
  // pass, it is called before the filter is asked, so that the waits for memory
  // overlap. Else it is called afterwards, unless the key is ruled out.
  // `timing` takes the time, or is null.
  template <typename BeginSearch>
  Status AskKey(const Slice& user_key, const Slice& internal_key,
                const BeginSearch& begin_search, PerfContext* timing,
                Answer* answer) const;
  // Does the same for a filter that IsAtHand(), and returns the answer.
  template <typename BeginSearch>
  Answer AskKeyAtHand(const Slice& user_key, const BeginSearch& begin_search,
                      PerfContext* timing) const;
  // Asks about the keys of a batch, whose waits for memory overlap. `keys` is
  // the set of their numbers, which ForEach visits. target(k) returns the
  // TargetKey of key k. take(k, status, answer) is called once for each key
  // that the filter knows about, and may remove the key from the set. If status
  // is an error, the answer means nothing. Requires: at most kFilterBatchMax
  // keys.
  template <typename KeySet, typename Target, typename Take>
  void AskKeys(const KeySet& keys, std::span<const Slice> user_keys,
               const Target& target, const Take& take) const;
  // Returns the full filter if it is at hand and is asked for whole keys, else
  // null. For callers that ask several tables for the same keys.
  const FilterBitsReader* WholeKeysAtHand() const {
    return kind_ == Kind::kFull && subject_.whole_keys() ? &full_ : nullptr;
  }
  // Asks whether there are keys with the prefix of this user key. Sets *answer,
  // unless the filter cannot know. internal_key is where they begin.
  Status AskPrefix(const Slice& user_key, const Slice& internal_key,
                   Answer* answer) const;
  // Returns whether the file has the filters of a LevelDB file, which are to be
  // asked for each data block.
  bool AsksBlocks() const { return leveldb_.has_value(); }
  // Asks whether the data block at this offset may have the key. Returns true
  // if it may. *answer is about all questions so far: kMaybe stays, and kAbsent
  // means that no block that was asked has the key. Requires: AsksBlocks().
  bool AskBlock(uint64_t block_offset, const Slice& user_key,
                Answer* answer) const;

  // Returns whether AskKey needs no internal key, and there are no blocks to
  // ask.
  bool IsWhole() const { return kind_ != Kind::kPartitioned && !AsksBlocks(); }
  // Starts to fetch the memory with which a question about a filter in the
  // cache begins.
  void Prefetch() const {
    if (kind_ == Kind::kCached) cache_->PrefetchFilter(slot_.Load());
  }
  // Returns whether IsWhole(), and AskKey neither reads nor fails.
  bool IsAtHand() const {
    return (kind_ == Kind::kNone || kind_ == Kind::kFull) && !AsksBlocks();
  }
  // Reads a full filter that is found in the cache, so that it is there.
  Status Warm() const;
  // Does the same for a partition, which may also be kept here.
  Status WarmPartition(size_t i) const { return partitions_->Warm(i); }
  // For checks of every block of the file.
  size_t num_partitions() const {
    return partitions_ == nullptr ? 0 : partitions_->size();
  }
  BlockPlace PartitionPlace(size_t i) const { return partitions_->Place(i); }
  uint64_t MemoryUsage() const;

 private:
  enum class Kind : uint8_t {
    kNone,
    kFull,         // full_ is at hand: kept here, or pinned in the cache
    kCached,       // a full filter, which each question finds in the cache
    kPartitioned,  // partitions_
  };

  static Answer AnswerOf(bool maybe) {
    return maybe ? Answer::kMaybe : Answer::kAbsent;
  }
  Status HoldCached(CachedFilterHandle* held) const;
  // Slices by value, so that AskKey need not keep them in memory.
  Status AskKeyElsewhere(Slice user_key, Slice internal_key,
                         PerfContext* timing, Answer* answer) const;
  Status AskElsewhere(const Slice& asked, const Slice& internal_key,
                      Answer* answer) const;

  Kind kind_ = Kind::kNone;
  // Whether the filter has let Gets pass recently: a guess.
  mutable RelaxedAtomic<bool> passes_{true};
  FilterSubject subject_;
  FilterBitsReader full_;  // reads bytes_, or those of pinned_
  AlignedBytes bytes_;
  CachedFilterHandle pinned_;
  const MetadataCache* cache_ = nullptr;  // of kCached
  BlockPlace place_;                      // of kCached
  MetadataCache::CheckFilter check_;      // of kCached
  // Of kCached: where the cache had the filter last, a guess.
  mutable RelaxedAtomic<uint32_t> slot_{Cache::kNoSlotHint};
  std::unique_ptr<FilterPartitions> partitions_;
  LoadedBlock leveldb_block_;  // the bytes of leveldb_
  std::optional<LevelDbFilter> leveldb_;
};

// Inlined always: a call would cost a Get 15 instructions of 250.
template <typename BeginSearch>
[[gnu::always_inline]] inline TableFilter::Answer TableFilter::AskKeyAtHand(
    const Slice& user_key, const BeginSearch& begin_search,
    PerfContext* timing) const {
  const bool whole = subject_.whole_keys();
  Slice prefix;
  if (kind_ != Kind::kFull || (!whole && !subject_.OfKey(user_key, &prefix))) {
    begin_search();
    return Answer::kNone;
  }
  const bool expected = passes_.Load();
  if (expected) begin_search();
  const StageTimer timer(&PerfContext::filter_nanos, timing);
  // A whole key is not copied: reading what the caller has just written, to
  // copy it, stalls the processor.
  const uint64_t hash = full_.Hash(whole ? user_key : prefix);
  const bool maybe = full_.MayMatch(hash);
  // Only seldom, so that threads do not write what other threads read all the
  // time.
  constexpr uint64_t kSeldom = 64;
  if (maybe != expected && hash % kSeldom == 0) [[unlikely]]
    passes_.Store(maybe);
  if (maybe && !expected) begin_search();
  return AnswerOf(maybe);
}

template <typename BeginSearch>
Status TableFilter::AskKey(const Slice& user_key, const Slice& internal_key,
                           const BeginSearch& begin_search, PerfContext* timing,
                           Answer* answer) const {
  if (kind_ == Kind::kCached || kind_ == Kind::kPartitioned) {
    begin_search();
    return AskKeyElsewhere(user_key, internal_key, timing, answer);
  }
  const Answer found = AskKeyAtHand(user_key, begin_search, timing);
  if (found != Answer::kNone) *answer = found;
  return {};
}

template <typename KeySet, typename Target, typename Take>
void TableFilter::AskKeys(const KeySet& keys, std::span<const Slice> user_keys,
                          const Target& target, const Take& take) const {
  if (kind_ == Kind::kNone) return;
  // Calls visit(k, asked) for each key that the filter knows about.
  const auto for_each_known = [&](const auto& visit) {
    keys.ForEach([&](size_t k) {
      Slice asked;
      if (subject_.OfKey(user_keys[k], &asked)) visit(k, asked);
    });
  };
  if (kind_ == Kind::kPartitioned) {
    for_each_known([&](size_t k, const Slice& asked) {
      bool maybe = true;
      const Status status =
          partitions_->MayMatch(target(k).slice(), asked, &maybe);
      if (status.IsIncomplete()) return;
      take(k, status, AnswerOf(maybe));
    });
    return;
  }
  const FilterBitsReader* bits = &full_;
  CachedFilterHandle held;
  if (kind_ == Kind::kCached) {
    const Status status = HoldCached(&held);
    if (status.IsIncomplete()) return;
    if (!status.ok()) {
      return for_each_known(
          [&](size_t k, const Slice&) { take(k, status, Answer::kNone); });
    }
    bits = &held->bits;
    if (bits->kind() == FilterBitsReader::Kind::kAlways) return;
  }
  std::array<uint8_t, kFilterBatchMax> numbers;
  size_t n = 0;
  if (bits->custom() != nullptr) [[unlikely]] {
    std::array<Slice, kFilterBatchMax> together;
    for_each_known([&](size_t k, const Slice& asked) {
      together[n] = asked;
      numbers[n++] = static_cast<uint8_t>(k);
    });
    if (n == 0) return;
    const uint64_t answers =
        bits->custom()->MayMatchBatch(std::span(together).first(n));
    for (size_t i = 0; i < n; ++i) {
      take(numbers[i], Status(), AnswerOf((answers >> i & 1) != 0));
    }
    return;
  }
  std::array<uint64_t, kFilterBatchMax> hashes;
  for_each_known([&](size_t k, const Slice& asked) {
    hashes[n] = bits->Hash(asked);
    numbers[n++] = static_cast<uint8_t>(k);
  });
  const uint64_t answers = bits->MayMatchBatch(std::span(hashes).first(n));
  for (size_t i = 0; i < n; ++i) {
    take(numbers[i], Status(), AnswerOf((answers >> i & 1) != 0));
  }
}

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_READ_TABLE_FILTER_H_
