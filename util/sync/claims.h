// Claims: of the threads that want one thing done, one does it, and the others
// can wait for that.
//
// Things are known by numbers below 2^62, such as places in a file. Used where
// readers load blocks that a cache shall have; knows nothing of what is done,
// or of how it went. Any number of threads; never allocates.
//
// Protocol. A number belongs to one of kSlots slots, whose word is the number
// claimed last, and whether it is still being done. Claim takes a slot whose
// word is not busy, by compare-exchange. Finish clears the bit, counts the
// slot's finishes, and wakes who sleeps on that count. Await counts itself as a
// waiter, then looks at the count of finishes and at the word, in this order,
// and sleeps on the count as it was. Finish changes word, then count, then
// looks at the waiters; all of these are sequentially consistent. So either the
// waiter sees the word changed, or the kernel sees the count changed, or Finish
// sees the waiter.
//
// Nobody may wait who has claimed something himself and not finished it: then
// no cycle of waiting threads can come to be. Await ends at the second finish
// of the slot at the latest, the first of which may be of a thing before this
// one: a thing that is done again and again holds nobody up.
//
// Two things may meet in a slot: the later one then has no place, is done
// without a claim, perhaps by several, and nobody waits for it. Nor is there a
// place in a child of fork: who had a claim when that came to be is not there
// to finish.
#ifndef ASHLAR_UTIL_SYNC_CLAIMS_H_
#define ASHLAR_UTIL_SYNC_CLAIMS_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace ashlar::internal {

class Claims {
 public:
  static constexpr size_t kSlots = 64;

  enum class Turn : uint8_t {
    kMine,       // to do, and to Finish
    kMineAgain,  // the same, but someone has finished it not long ago
    kAnothers,   // may be awaited
    kNoPlace,    // to do, without Finish
  };

  Claims();
  Claims(const Claims&) = delete;
  Claims& operator=(const Claims&) = delete;

  Turn Claim(uint64_t number);
  // What was written before it is seen by those who waited, or claim it again.
  void Finish(uint64_t number);
  // Returns once it is not being done; at once if nobody does it.
  void Await(uint64_t number);

 private:
  static constexpr uint64_t kBusy = 1;
  struct Slot {
    std::atomic<uint64_t> word{~kBusy};  // no number
    std::atomic<uint32_t> finishes{0};
    std::atomic<uint32_t> waiters{0};
  };
  static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t));

  Slot& SlotOf(uint64_t number) {
    // The upper bits of a product are the well mixed ones.
    constexpr int kShift = 64 - 6;
    static_assert(size_t{1} << (64 - kShift) == kSlots);
    return slots_[(number * 0x9E3779B97F4A7C15) >> kShift];
  }

  // Whether this process is a child of that which made this.
  const bool can_tell_forks_;
  const uint32_t forks_;
  std::array<Slot, kSlots> slots_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_SYNC_CLAIMS_H_
