// ClockSlot: one entry of a hyper clock cache, in a line of 64 bytes.
//
// slot_word.h has the protocol. What lies in a slot is the owner's to write and
// the holders' to read; the key's words, kind and charge anyone may read at any
// time, as hints.
#ifndef ASHLAR_CACHE_CLOCK_CLOCK_SLOT_H_
#define ASHLAR_CACHE_CLOCK_CLOCK_SLOT_H_

#include <cstddef>
#include <cstdint>

#include "ashlar/cache/cache.h"
#include "cache/clock/slot_word.h"
#include "util/sync/atomic.h"

namespace ashlar::internal {

// One entry. Standalone ones lie on the heap, all others in a table.
class alignas(64) ClockSlot : public CacheHandle {
 public:
  enum Kind : uint8_t {
    kEmpty,  // also of memory that is all zeros
    kUsual,
    kSpread,      // see spread.h
    kStandalone,  // on the heap
    kOutsize,     // standalone; see ClockTable::CreateOutsize
  };

  // A hint, unless by who holds a reference or owns the slot.
  CacheKey key() const { return {key_file_.Load(), key_block_.Load()}; }
  bool HasKey(const CacheKey& key) const {
    return key_file_.Load() == key.file && key_block_.Load() == key.block;
  }
  // What the table's usage holds for it, its own memory by policy included.
  size_t charged() const { return charged_.Load(); }
  // For who holds a reference: how long ago, now, it was filled.
  uint32_t AgeAt(uint32_t now_seconds) const {
    return (now_seconds - came_at_) & kAgeMask;
  }
  // By the owner.
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

  // While it is empty, where a table keeps such slots one on top of the other.
  void set_empty_below(uint32_t number) { charged_.Store(number); }
  uint32_t empty_below() const {
    return static_cast<uint32_t>(charged_.Load());
  }

  // When it came on probation, as ProbationFifo counts. A hint.
  uint32_t arrival() const { return arrival_.Load(); }
  void set_arrival(uint32_t arrival) { arrival_.Store(arrival); }

  HoldAtomic<uint64_t> word{slot::kEmptyWord};
  // Of what must not be treated as most are, for those who would not look at
  // the word before they change it. A hint but for standalone ones.
  RelaxedAtomic<Kind> kind{kEmpty};

 private:
  static constexpr int kAgeBits = 24;
  static constexpr uint32_t kAgeMask = (uint32_t{1} << kAgeBits) - 1;

  // In bytes that nothing else needs: no hit looks at it.
  uint32_t came_at_ : kAgeBits = 0;
  RelaxedAtomic<uint32_t> arrival_{0};
  RelaxedAtomic<uint64_t> key_file_{0};
  RelaxedAtomic<uint64_t> key_block_{0};
  RelaxedAtomic<size_t> charged_{0};
};
static_assert(sizeof(ClockSlot) == 64);

// Where an index says, at a glance, that the entry of a key is.
struct LikelySlot {
  ClockSlot* slot = nullptr;  // null: not at a glance
  // It may be spread: not to be changed before a look at its kind.
  bool is_unusual = false;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_CACHE_CLOCK_CLOCK_SLOT_H_
