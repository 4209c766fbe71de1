// Claims: if several threads want one thing done, one of them does it, and the
// others can wait for it.
//
// Things are identified by numbers below 2^62, such as offsets in a file.
// Readers use it to load a missing block once. It knows nothing of what is
// done, or how it went. Any number of threads. Never allocates.
//
// Protocol. A number belongs to one of kSlots slots. The slot's word has the
// number that was claimed last, and a bit that says whether it is still being
// done (busy).
//   Claim    takes a slot whose word is not busy, by compare-exchange.
//   Finish   clears the bit, adds 1 to the slot's count of finishes, and wakes
//            the threads that sleep on that count.
//   Await    counts itself as a waiter. Then it looks at the count of finishes
//            and at the word, in this order, and sleeps on the count that it
//            saw.
// Finish changes the word, then the count, then looks at the waiters. All of
// these are sequentially consistent. So either the waiter sees the word
// changed, or the kernel sees the count changed, or Finish sees the waiter.
//
// Requires: a thread that has claimed something and not finished it does not
// wait, or waits only for what is never waited for in the other direction. Then
// there can be no cycle of waiting threads. Await ends at the second
// finish of the slot at the latest. The first of the two may belong to an
// earlier thing. So a thing that is done again and again holds up no thread.
//
// If two things meet in a slot, the later one has no place. It is done without
// a claim, perhaps by several threads, and no thread waits for it. There is
// also no place in a child of fork: a thread that had a claim at the fork does
// not exist there to finish it.
//
// An object takes 64 KiB.
#ifndef ASHLAR_UTIL_SYNC_CLAIMS_H_
#define ASHLAR_UTIL_SYNC_CLAIMS_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "ashlar/util/sync/shared_word.h"

namespace ashlar::internal {

class Claims {
 public:
  static constexpr size_t kSlots = 4096;

  enum class Turn : uint8_t {
    kMine,       // the caller must do it, then Finish
    kMineAgain,  // the same, but it was finished not long ago
    kAnothers,   // another thread does it: the caller may Await
    kNoPlace,    // the caller must do it, without Finish
  };

  Claims();
  Claims(const Claims&) = delete;
  Claims& operator=(const Claims&) = delete;

  // Claims the thing, if no other thread has.
  Turn Claim(uint64_t number);
  // Returns whether this is a child of fork of the process that made this
  // object: then there is no place for any claim.
  bool IsOfParent() const;
  // Ends a claim. What was written before it is visible to threads that waited,
  // or that claim it again.
  void Finish(uint64_t number);
  // Returns when the thing is not being done: at once if no thread does it.
  void Await(uint64_t number);

 private:
  static constexpr uint64_t kBusy = 1;
  struct Slot {
    SharedWord<uint64_t> word{~kBusy};  // no number
    SharedWord<uint32_t> finishes{0};
    SharedWord<uint32_t> waiters{0};
  };
  static_assert(sizeof(SharedWord<uint32_t>) == sizeof(uint32_t));

  Slot& SlotOf(uint64_t number) {
    // The upper bits of a product are the well-mixed ones.
    constexpr int kShift = 64 - 12;
    static_assert(size_t{1} << (64 - kShift) == kSlots);
    return slots_[(number * 0x9E3779B97F4A7C15) >> kShift];
  }

  // Tell whether this process is a child of the one that made this object.
  const bool can_tell_forks_;
  const uint32_t forks_;
  std::array<Slot, kSlots> slots_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_SYNC_CLAIMS_H_
