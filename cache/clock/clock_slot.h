// ClockSlot: one entry of a hyper clock cache, in a cache line of 64 bytes.
//
// Used by the clock tables. slot_word.h has the protocol. The owner of a slot
// may write its contents, and holders of a reference may read them. Any thread
// may read the key's words, the kind and the charge at any time, as hints.
#ifndef ASHLAR_CACHE_CLOCK_CLOCK_SLOT_H_
#define ASHLAR_CACHE_CLOCK_CLOCK_SLOT_H_

#include <cstddef>
#include <cstdint>

#include "ashlar/cache/cache.h"
#include "cache/clock/slot_word.h"
#include "util/sync/atomic.h"

namespace ashlar::internal {

// One entry. Standalone entries are on the heap, all others in a table.
class alignas(64) ClockSlot : public CacheHandle {
 public:
  enum Kind : uint8_t {
    kEmpty,  // also in memory that is all zeros
    kUsual,
    kSpread,      // see spread.h
    kStandalone,  // on the heap
    kOutsize,     // standalone: see ClockTable::CreateOutsize
  };

  // Returns the key. A hint, unless the caller holds a reference or owns the
  // slot.
  CacheKey key() const { return {key_file_.Load(), key_block_.Load()}; }
  bool HasKey(const CacheKey& key) const {
    return key_file_.Load() == key.file && key_block_.Load() == key.block;
  }
  // Returns the bytes that the table's usage counts for it, including (by
  // policy) the cache's own memory.
  size_t charged() const { return charged_.Load(); }
  // Returns the seconds from when the slot was filled until `now_seconds`. For
  // holders of a reference.
  uint32_t AgeAt(uint32_t now_seconds) const {
    return (now_seconds - came_at_) & kAgeMask;
  }
  // Called by the owner.
  void Fill(const CacheKey& key, void* value, const CacheItemOps* ops,
            size_t charge, size_t charged, Kind its_kind,
            uint32_t now_seconds) {
    kind.Store(its_kind);
    key_file_.Store(key.file);
    key_block_.Store(key.block);
    charged_.Store(charged);
    value_ = value;
    ops_ = ops;
    charge_ = charge;
    came_at_ = now_seconds & kAgeMask;
  }

  // While the slot is empty. A growing table keeps its empty slots in a stack:
  // this is the number of the slot below.
  void set_empty_below(uint32_t number) { charged_.Store(number); }
  uint32_t empty_below() const {
    return static_cast<uint32_t>(charged_.Load());
  }

  // When the entry came on probation, as ProbationFifo counts arrivals. A hint.
  uint32_t arrival() const { return arrival_.Load(); }
  void set_arrival(uint32_t arrival) { arrival_.Store(arrival); }

  HoldAtomic<uint64_t> word{slot::kEmptyWord};
  // Marks slots that must not be treated like most. For threads that would
  // otherwise change the word without looking at it first. A hint, except for
  // standalone entries.
  RelaxedAtomic<Kind> kind{kEmpty};

 private:
  static constexpr int kAgeBits = 24;
  static constexpr uint32_t kAgeMask = (uint32_t{1} << kAgeBits) - 1;

  // In bytes that nothing else needs. No hit looks at it.
  uint32_t came_at_ : kAgeBits = 0;
  RelaxedAtomic<uint32_t> arrival_{0};
  RelaxedAtomic<uint64_t> key_file_{0};
  RelaxedAtomic<uint64_t> key_block_{0};
  RelaxedAtomic<size_t> charged_{0};
};
static_assert(sizeof(ClockSlot) == 64);

// Where an index finds, at a glance, that the entry of a key is.
struct LikelySlot {
  ClockSlot* slot = nullptr;  // null: not found at a glance
  // The slot may be spread: look at its kind before changing it.
  bool is_unusual = false;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_CACHE_CLOCK_CLOCK_SLOT_H_
