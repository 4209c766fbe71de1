// EvictedKeys: which keys a table has evicted recently.
//
// Used by Admission. One record of 8 bytes per key has 32 bits of the key's
// hash, whether the entry was on probation, and when it was evicted, twice:
// counted in misses of the table, and in evictions of its kind. Both are in
// steps of about a thousandth of the table, so few bits are enough.
//
// The records are in buckets of 8, one cache line each, chosen by the hash. The
// oldest record of a bucket makes room. So there is no list and no index. It
// takes 16 bytes for each entry of the table to remember twice as many keys,
// and a look is one line. Which keys are remembered is a little less even than
// with a FIFO: a record stays until 8 more have come into its bucket, which is
// two turnovers of the table on average, +- 35 %. (With buckets of 64, which is
// nearly a FIFO, misses on recorded traces were 0.2 % fewer. With 16, they were
// 0.1 % more.)
//
// Any number of threads, without order: a record is one word. If two threads
// write into one position, one record is lost. If two find one record, both may
// take it. When the number of buckets grows, the old records are where nobody
// looks for them, and are soon the oldest of their buckets.
#ifndef ASHLAR_CACHE_CLOCK_ADMISSION_EVICTED_KEYS_H_
#define ASHLAR_CACHE_CLOCK_ADMISSION_EVICTED_KEYS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "util/sync/atomic.h"

namespace ashlar::internal {

class EvictedKeys {
 public:
  // When a key was evicted, in steps. The counts wrap around: only differences
  // mean something.
  struct When {
    uint32_t miss = 0;
    uint32_t of_kind = 0;  // evictions of its kind
  };
  struct Found {
    bool was_on_probation = false;
    When when;
  };
  // Masks for differences.
  static constexpr uint32_t kMissMask = 0xffff;
  static constexpr uint32_t kOfKindMask = 0x7fff;

  // Returns the bytes of memory for a table of `most_entries`. The memory must
  // be all zeros.
  static constexpr size_t BytesFor(size_t most_entries) {
    return BucketsFor(most_entries) * sizeof(Bucket);
  }
  explicit EvictedKeys(char* memory)
      : buckets_(reinterpret_cast<Bucket*>(memory)) {}

  // Sets the number of entries. Requires: there is memory for that many.
  void SetEntries(size_t entries) {
    count_.Store(static_cast<uint32_t>(BucketsFor(entries)));
  }
  size_t bytes() const { return count_.Load() * sizeof(Bucket); }

  void Prefetch(uint64_t hash) const { __builtin_prefetch(&Of(Key(hash)), 1); }

  void Remember(uint64_t hash, bool was_on_probation, const When& now) {
    Bucket& bucket = Of(Key(hash));
    size_t oldest = 0;
    uint32_t most = 0;
    for (size_t i = 0; i < kWays; ++i) {
      const uint64_t record = bucket.records[i].Load();
      const uint32_t age = record == kNone
                               ? kMissMask + 1
                               : (now.miss - MissOf(record)) & kMissMask;
      if (age < most) continue;
      most = age;
      oldest = i;
    }
    bucket.records[oldest].Store(
        uint64_t{Key(hash)} << 32 | uint64_t{was_on_probation} << 31 |
        uint64_t{now.of_kind & kOfKindMask} << 16 | (now.miss & kMissMask));
  }

  // Returns the record of the key, and forgets it.
  std::optional<Found> Find(uint64_t hash) {
    Bucket& bucket = Of(Key(hash));
    for (auto& each : bucket.records) {
      const uint64_t record = each.Load();
      if (record >> 32 != Key(hash) || record == kNone) continue;
      each.Store(kNone);
      return Found{
          (record >> 31 & 1) != 0,
          {MissOf(record), static_cast<uint32_t>(record >> 16) & kOfKindMask}};
    }
    return {};
  }

 private:
  static constexpr size_t kWays = 8;
  static constexpr size_t kTimes = 2;  // times as many as the table has entries
  static constexpr uint64_t kNone = 0;
  struct alignas(64) Bucket {
    std::array<RelaxedAtomic<uint64_t>, kWays> records;
  };

  static constexpr size_t BucketsFor(size_t entries) {
    return (kTimes * entries + kWays - 1) / kWays + 1;
  }
  static uint32_t MissOf(uint64_t record) {
    return static_cast<uint32_t>(record) & kMissMask;
  }
  // The bits on which the table and the bucket there do not depend.
  static uint32_t Key(uint64_t hash) { return static_cast<uint32_t>(hash); }
  Bucket& Of(uint32_t key) const {
    return buckets_[uint64_t{key} * count_.Load() >> 32];
  }

  Bucket* const buckets_;
  RelaxedAtomic<uint32_t> count_{1};
};

}  // namespace ashlar::internal

#endif  // ASHLAR_CACHE_CLOCK_ADMISSION_EVICTED_KEYS_H_
