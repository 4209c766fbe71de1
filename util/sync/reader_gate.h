// ReaderGate: readers that nobody waits for, but who takes something away.
//
// Readers of what a pointer refers to say that they are inside, each thread on
// a line of its own where there are few. Who has put another pointer there
// waits until all who may still use the old one are out. Readers never wait.
// Any number of readers; one thread at a time takes away.
//
// Protocol. Each stripe has two counts, by the parity of the epoch.
//   Enter   reads the epoch, adds itself to its count, and reads the epoch
//           again: another one, it takes itself off and starts anew.
//   Leave   takes itself off.
//   WaitForReaders  goes on to the next epoch, then waits until the counts of
//           the one before are 0.
// All of Enter and the change of epoch are sequentially consistent: either the
// reader's second look sees the change, or the change comes after its addition,
// which the waiter then sees. Those that come later count for the other parity,
// so a stream of readers cannot keep the waiter waiting. The counts of the new
// parity were 0 when its last epoch ended; whoever adds to it with an epoch of
// long ago takes itself off again. Leave releases, the waiter acquires: what
// readers read is read before it is gone. Installed, as a part of FifoCache.
#ifndef ASHLAR_UTIL_SYNC_READER_GATE_H_
#define ASHLAR_UTIL_SYNC_READER_GATE_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "ashlar/util/export.h"
#include "ashlar/util/sync/schedule_point.h"
#include "ashlar/util/sync/thread_number.h"

namespace ashlar::internal {

class ReaderGate {
 public:
  // Inside for as long as it lives.
  class Pass {
   public:
    explicit Pass(ReaderGate* gate) : count_(gate->Enter()) {}
    ~Pass() {
      SchedulePoint();
      count_->fetch_sub(1, std::memory_order_release);
    }
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;

   private:
    std::atomic<uint64_t>* const count_;
  };

  // Until all are out that came in before. One thread at a time.
  ASHLAR_EXPORT void WaitForReaders();

 private:
  static constexpr size_t kStripes = 8;
  struct alignas(64) Stripe {
    std::array<std::atomic<uint64_t>, 2> inside{};
  };

  std::atomic<uint64_t>* Enter() {
    Stripe& stripe = stripes_[ThreadNumber() % kStripes];
    for (;;) {
      const uint64_t epoch = epoch_.load(std::memory_order_seq_cst);
      std::atomic<uint64_t>& count = stripe.inside[epoch % 2];
      SchedulePoint();
      count.fetch_add(1, std::memory_order_seq_cst);
      if (epoch_.load(std::memory_order_seq_cst) == epoch) return &count;
      count.fetch_sub(1, std::memory_order_release);
    }
  }

  std::array<Stripe, kStripes> stripes_;
  alignas(64) std::atomic<uint64_t> epoch_ = 0;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_SYNC_READER_GATE_H_
