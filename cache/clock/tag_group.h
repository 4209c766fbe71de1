// TagGroup: what is in a group of 14 slots, in 16 bytes.
//
// Used by the fixed table. One byte per slot has eight bits of the hash of the
// slot's key, or 0 if the slot has none. 11 bits count the entries whose home
// group this is, or that passed it on the way, and that are in a later group. 5
// bits count the spread slots. So a lookup finds the one slot that it wants, or
// that there is none, by looking at 16 bytes. It walks no chain of slots, and
// no branch depends on how full the table is. Slots can be three quarters full.
//
// Who may write.
//   a slot's tag      the owner of the slot (slot_word.h), after claiming and
//                     before publishing it, and again before vacating it
//   the count of      a thread that puts an entry farther away, before it
//   entries passed    publishes it. The thread that ends the entry takes that
//                     back
//   the count of      a thread that spreads a slot, before it does so, and the
//   spread slots      thread that gathers it, afterwards
// All changes are additions, so they do not disturb each other.
//
// Memory orders: relaxed. A tag is a hint. If a thread published an entry
// before a lookup began, then the tag and the counts are visible to the lookup
// in the same way as the fact that the thread did so.
//
// The count of entries passed never overflows. An entry passes at most
// kMaxGroupsPassed groups. So at most 14 times as many pass any one group, plus
// those that are just being inserted or taken back. The count of spread slots
// is the uppermost field.
#ifndef ASHLAR_CACHE_CLOCK_TAG_GROUP_H_
#define ASHLAR_CACHE_CLOCK_TAG_GROUP_H_

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#include <cstdint>

#include "util/sync/atomic.h"

namespace ashlar::internal {

inline constexpr uint32_t kSlotsPerGroup = 14;
inline constexpr uint32_t kMaxGroupsPassed = 15;

namespace tags {

inline constexpr int kCountShift = 48;
inline constexpr int kSpreadShift = 59;
inline constexpr uint32_t kAllSlots = (uint32_t{1} << kSlotsPerGroup) - 1;
inline constexpr uint64_t kOnes = 0x0101010101010101;

// Returns a mask: bit i is set if byte i is 0.
constexpr uint32_t ZeroBytes(uint64_t x) {
  constexpr uint64_t kLow7 = 0x7f7f7f7f7f7f7f7f;
  // Moves the lowest bits of eight bytes side by side into the uppermost byte.
  constexpr uint64_t kGather = 0x0102040810204080;
  const uint64_t not_zero = ((x & kLow7) + kLow7) | x | kLow7;
  return static_cast<uint32_t>(((~not_zero >> 7) * kGather) >> 56);
}

constexpr uint32_t Matches(uint64_t low, uint64_t high, uint8_t tag) {
  const uint64_t all = kOnes * tag;
  return (ZeroBytes(low ^ all) | ZeroBytes(high ^ all) << 8) & kAllSlots;
}

// The same, with the vectors of AArch64 where there are any. The caller has
// loaded both words, in the order that it needs.
inline uint32_t MatchesByVectors(uint64_t low, uint64_t high, uint8_t tag) {
#if defined(__aarch64__)
  // A bit for each byte of a half, so that a sum puts them side by side.
  const uint8x16_t bits = vreinterpretq_u8_u64(vdupq_n_u64(0x8040201008040201));
  const uint8x16_t all = vcombine_u8(vcreate_u8(low), vcreate_u8(high));
  const uint8x16_t found = vandq_u8(vceqq_u8(all, vdupq_n_u8(tag)), bits);
  const uint32_t upper = vaddv_u8(vget_high_u8(found));
  return (vaddv_u8(vget_low_u8(found)) | upper << 8) & kAllSlots;
#else
  return Matches(low, high, tag);
#endif
}

}  // namespace tags

class alignas(16) TagGroup {
 public:
  // Returns the tag, never 0. The upper bits of the hash choose the group.
  static constexpr uint8_t TagOf(uint64_t hash) {
    const auto byte = static_cast<uint8_t>(hash);
    return static_cast<uint8_t>(byte + (byte == 0 ? 1 : 0));
  }

  // Returns a mask: bit i is set if slot i has this tag.
  uint32_t Matches(uint8_t tag) const {
#if defined(__SSE2__)
    // The processor reads each half at once, as the loads below do. C++ cannot
    // say that without a move between registers for each half.
    __m128i all;
    asm volatile("movdqa %1, %0" : "=x"(all) : "m"(*this));
    const __m128i wanted = _mm_set1_epi8(static_cast<char>(tag));
    return static_cast<uint32_t>(
               _mm_movemask_epi8(_mm_cmpeq_epi8(all, wanted))) &
           tags::kAllSlots;
#else
    return tags::MatchesByVectors(low_.Load(), high_.Load(), tag);
#endif
  }
  bool HasTag(uint32_t i) const {
    const uint64_t word = i < 8 ? low_.Load() : high_.Load();
    return static_cast<uint8_t>(word >> (i % 8 * 8)) != 0;
  }
  uint32_t Empty() const { return Matches(0); }
  uint32_t Passed() const {
    constexpr uint64_t kMask =
        (uint64_t{1} << (tags::kSpreadShift - tags::kCountShift)) - 1;
    return static_cast<uint32_t>(high_.Load() >> tags::kCountShift & kMask);
  }
  // Returns whether some slot of the group is spread, or is just being spread.
  bool HasSpread() const { return static_cast<int64_t>(high_.Load()) < 0; }

  // Requires: slot i has no tag.
  void Set(uint32_t i, uint8_t tag) { WordOf(i).FetchAdd(ByteOf(i, tag)); }
  // Requires: slot i has this tag.
  void Clear(uint32_t i, uint8_t tag) { WordOf(i).FetchSub(ByteOf(i, tag)); }
  void AddPassed() { high_.FetchAdd(uint64_t{1} << tags::kCountShift); }
  void SubPassed() { high_.FetchSub(uint64_t{1} << tags::kCountShift); }
  // Counted downwards from zero, so that the sign bit tells.
  void AddSpread() { high_.FetchSub(uint64_t{1} << tags::kSpreadShift); }
  void SubSpread() { high_.FetchAdd(uint64_t{1} << tags::kSpreadShift); }

 private:
  RelaxedAtomic<uint64_t>& WordOf(uint32_t i) { return i < 8 ? low_ : high_; }
  static uint64_t ByteOf(uint32_t i, uint8_t tag) {
    return uint64_t{tag} << (i % 8 * 8);
  }

  RelaxedAtomic<uint64_t> low_{0};
  RelaxedAtomic<uint64_t> high_{0};
};
static_assert(sizeof(TagGroup) == 16);

}  // namespace ashlar::internal

#endif  // ASHLAR_CACHE_CLOCK_TAG_GROUP_H_
