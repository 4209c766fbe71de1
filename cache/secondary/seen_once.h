// SeenOnce: which keys came by a short while ago.
//
// Used by JoinedTiers, for what must happen only the second time. It keeps 32
// bits of a key's hash in one of the four positions of the key's bucket. If all
// four are taken, it overwrites one of them, which is how old keys are
// forgotten. So "seen" is wrong once in 2^30 times. "Not seen" is wrong if many
// keys came since, or if two threads noted keys at once. Thread-safe, without
// locks.
#ifndef ASHLAR_CACHE_SECONDARY_SEEN_ONCE_H_
#define ASHLAR_CACHE_SECONDARY_SEEN_ONCE_H_

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "util/sync/atomic.h"

namespace ashlar::internal {

class SeenOnce {
 public:
  // Remembers about this many keys.
  explicit SeenOnce(size_t keys)
      : notes_(std::bit_ceil(std::clamp(keys, kFewest, kMost))) {}

  // Returns whether the key is noted, and forgets it. If it is not noted, notes
  // it.
  bool TakeOrNote(uint64_t hash) {
    const size_t bucket = hash & (notes_.size() - 1) & ~(kWays - 1);
    const std::span<RelaxedAtomic<uint32_t>> notes(&notes_[bucket], kWays);
    const auto mark = static_cast<uint32_t>(hash >> 32) | 1;
    RelaxedAtomic<uint32_t>* place = &notes[(mark >> 1) % kWays];
    for (RelaxedAtomic<uint32_t>& note : notes) {
      const uint32_t there = note.Load();
      if (there == 0) place = &note;
      if (there != mark) continue;
      note.Store(0);
      return true;
    }
    place->Store(mark);
    return false;
  }

  size_t bytes() const { return notes_.size() * sizeof(notes_[0]); }

 private:
  static constexpr size_t kWays = 4;
  static constexpr size_t kFewest = 64;
  static constexpr size_t kMost = size_t{1} << 26;

  std::vector<RelaxedAtomic<uint32_t>> notes_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_CACHE_SECONDARY_SEEN_ONCE_H_
