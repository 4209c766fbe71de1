// IndexGroup: 14 words of the growing index, in a cache line of 64 bytes.
// IndexTags: the tags of these words, in 16 bytes elsewhere.
//
// Used by GrowingPart. A word has the number of a slot (growing_steps.h). Its
// tag is the byte of the hash by which it is found. One comparison of 16 bytes
// finds the word that a lookup wants, or that there is none. The tags of all
// groups are next to each other, so that they stay in the L1 cache. A hit knows
// its group at once, so it fetches the line of its words while it compares the
// tags.
//
// IndexTags also has a count and a bit: how many entries whose home group this
// is, or that passed it on the way, are in a later group; and whether the group
// is being filled. The latter is also a bit beside the words. IndexGroup also
// has one bit per word: its slot may be spread (spread.h). These bits are
// hints. Threads that spread and gather set and clear them, and they may be
// lost or left over if a word is moved at that moment. That costs lookups
// nothing but time.
#ifndef ASHLAR_CACHE_CLOCK_INDEX_GROUP_H_
#define ASHLAR_CACHE_CLOCK_INDEX_GROUP_H_

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <array>
#include <cstdint>

#include "cache/clock/growing_steps.h"
#include "cache/clock/tag_group.h"
#include "port/sanitizers.h"
#include "util/sync/one_order_atomic.h"

namespace ashlar::internal {

inline constexpr uint32_t kWordsOfGroup = 14;

class alignas(16) IndexTags {
 public:
  static constexpr uint32_t kAllWords = (uint32_t{1} << kWordsOfGroup) - 1;

  // Returns the tag, never 0. Other bits of the hash choose the group.
  static constexpr uint8_t TagOf(uint64_t hash) {
    return TagGroup::TagOf(hash);
  }

  // Returns a mask: bit i is set if word i is shown with this tag.
  uint32_t Matches(uint8_t tag) const {
// The race detector must see which thread reads what.
#if defined(__SSE2__) && !ASHLAR_UNDER_THREAD_SANITIZER
    // As in tag_group.h, and in order with what is read before and after.
    __m128i all;
    asm volatile("movdqa %1, %0" : "=x"(all) : "m"(*this) : "memory");
    const __m128i wanted = _mm_set1_epi8(static_cast<char>(tag));
    return static_cast<uint32_t>(
               _mm_movemask_epi8(_mm_cmpeq_epi8(all, wanted))) &
           kAllWords;
#else
    const uint64_t low = low_.Load();
    return tags::MatchesByVectors(low, high_.Load(), tag);
#endif
  }
  uint32_t Empty() const { return Matches(0); }
  uint32_t Filled() const { return ~Empty() & kAllWords; }

  // For the only thread that may change word i. Requires: it has no tag (Show),
  // or this one (Unshow).
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
  // Above the six tags of the upper half.
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
  // Returns whether the group is being filled, or has a slot that may be
  // spread.
  bool IsUnusual() const { return state_.Load() != 0; }

 private:
  static constexpr uint32_t Bit(uint32_t i) { return uint32_t{1} << i; }

  std::array<OneOrderAtomic<uint32_t>, kWordsOfGroup> words_;
  OneOrderAtomic<uint32_t> state_;
};
static_assert(sizeof(IndexGroup) == 64);

}  // namespace ashlar::internal

#endif  // ASHLAR_CACHE_CLOCK_INDEX_GROUP_H_
