// IndexGroup: 14 words of the growing index, in a line of 64 bytes; and in 16
// bytes elsewhere, IndexTags, what is in them.
//
// A word tells the number of a slot (growing_steps.h), a byte for each the tag
// of the hash that it is shown by: one comparison of 16 bytes tells the word
// that a lookup wants, or that there is none. The tags of all groups lie close
// to each other, so that they stay in the first cache, and a hit, which knows
// its group before, gets the line of its words while it compares the tags.
//
// Beside the tags: how many entries whose home this group is, or was passed on
// the way, lie in a later one; and whether the group is being filled, which is
// said beside the words too. There is a bit a word besides: its slot may be
// spread (spread.h). These are hints: set and cleared by who spreads and
// gathers, and lost or left over where a word is moved at that moment, which
// costs lookups nothing but time.
#ifndef ASHLAR_CACHE_CLOCK_INDEX_GROUP_H_
#define ASHLAR_CACHE_CLOCK_INDEX_GROUP_H_

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <array>
#include <cstdint>

#include "cache/clock/growing_steps.h"
#include "cache/clock/tag_group.h"
#include "util/sync/one_order_atomic.h"

namespace ashlar::internal {

inline constexpr uint32_t kWordsOfGroup = 14;

class alignas(16) IndexTags {
 public:
  static constexpr uint32_t kAllWords = (uint32_t{1} << kWordsOfGroup) - 1;

  // Never 0. The group is made of other bits of the hash.
  static constexpr uint8_t TagOf(uint64_t hash) {
    return TagGroup::TagOf(hash);
  }

  // Bit i: word i is shown with this tag.
  uint32_t Matches(uint8_t tag) const {
// The race detector must see who reads what.
#if defined(__SSE2__) && !defined(__SANITIZE_THREAD__)
    // As tag_group.h; in the order of what is read before and after.
    __m128i all;
    asm volatile("movdqa %1, %0" : "=x"(all) : "m"(*this) : "memory");
    const __m128i wanted = _mm_set1_epi8(static_cast<char>(tag));
    return static_cast<uint32_t>(
               _mm_movemask_epi8(_mm_cmpeq_epi8(all, wanted))) &
           kAllWords;
#else
    const uint64_t low = low_.Load();
    return tags::Matches(low, high_.Load(), tag);
#endif
  }
  uint32_t Empty() const { return Matches(0); }
  uint32_t Filled() const { return ~Empty() & kAllWords; }

  // By who alone may change word i: it has no tag, or this one.
  void Show(uint32_t i, uint8_t tag) { HalfOf(i).FetchAdd(ByteOf(i, tag)); }
  void Unshow(uint32_t i, uint8_t tag) { HalfOf(i).FetchSub(ByteOf(i, tag)); }

  uint32_t Passed() const {
    return static_cast<uint32_t>((high_.Load() & ~kFilling) >> kPassedShift);
  }
  void AddPassed() { high_.FetchAdd(uint64_t{1} << kPassedShift); }
  void SubPassed() { high_.FetchSub(uint64_t{1} << kPassedShift); }

  bool IsFilling() const { return (high_.Load() & kFilling) != 0; }
  void SetFilling() { high_.FetchOr(kFilling); }
  void ClearFilling() { high_.FetchAnd(~kFilling); }

 private:
  // Above six tags.
  static constexpr int kPassedShift = 48;
  static constexpr uint64_t kFilling = uint64_t{1} << 63;
  OneOrderAtomic<uint64_t>& HalfOf(uint32_t i) { return i < 8 ? low_ : high_; }
  static uint64_t ByteOf(uint32_t i, uint8_t tag) {
    return uint64_t{tag} << (i % 8 * 8);
  }

  OneOrderAtomic<uint64_t> low_;
  OneOrderAtomic<uint64_t> high_;
};
static_assert(sizeof(IndexTags) == 16);

class alignas(64) IndexGroup {
 public:
  uint32_t Word(uint32_t i) const { return words_[i].Load(); }
  bool Change(uint32_t i, uint32_t seen, uint32_t desired) {
    return words_[i].CompareExchange(&seen, desired);
  }
  void Put(uint32_t i, uint32_t word) { words_[i].Exchange(word); }

  bool MayBeSpread(uint32_t i) const { return (state_.Load() & Bit(i)) != 0; }
  void SetSpread(uint32_t i) { state_.FetchOr(Bit(i)); }
  void ClearSpread(uint32_t i) { state_.FetchAnd(~Bit(i)); }
  void SetFilling() { state_.FetchOr(Bit(kWordsOfGroup)); }
  void ClearFilling() { state_.FetchAnd(~Bit(kWordsOfGroup)); }
  // Being filled, or with a slot that may be spread.
  bool IsUnusual() const { return state_.Load() != 0; }

 private:
  static constexpr uint32_t Bit(uint32_t i) { return uint32_t{1} << i; }

  std::array<OneOrderAtomic<uint32_t>, kWordsOfGroup> words_;
  OneOrderAtomic<uint32_t> state_;
};
static_assert(sizeof(IndexGroup) == 64);

}  // namespace ashlar::internal

#endif  // ASHLAR_CACHE_CLOCK_INDEX_GROUP_H_
