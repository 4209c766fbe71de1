// ReaderGate: lets one thread wait until all readers of an old object are gone.
//
// Internal, installed as a part of FifoCache. A thread that reads what a
// pointer refers to passes the gate first. Another thread replaces the pointer,
// then waits at the gate until every thread that may still use the old object
// is out, and frees it. Readers never wait. Each thread counts itself on a
// cache line of its own, if there are few threads. Any number of readers, and
// one thread at a time that waits for them. Not a lock: readers do not exclude
// each other, nor the writer.
//
// Protocol. Each stripe has two counts, chosen by the parity of the epoch.
//   Enter   reads the epoch, adds 1 to its count of that parity, and reads the
//           epoch again. If the epoch has changed, it subtracts 1 again and
//           starts over.
//   Leave   subtracts 1 from the same count.
//   WaitForReaders  moves to the next epoch, then waits until all counts of the
//           epoch before are 0.
//
// Memory orders. Everything in Enter, and the change of the epoch, is
// sequentially consistent. So either the reader's second look sees the change
// of the epoch, or the change comes after the reader's addition, and then the
// waiting thread sees that addition. Leave releases and the waiting thread
// acquires: so a reader's reads are complete before the object is gone.
//
// Progress. Readers that come later count for the other parity. So a stream of
// readers cannot delay the waiting thread for ever. The counts of the new
// parity were 0 when its last epoch ended. A reader that still adds to one of
// them for that old epoch subtracts itself again.
#ifndef ASHLAR_UTIL_SYNC_READER_GATE_H_
#define ASHLAR_UTIL_SYNC_READER_GATE_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "ashlar/util/export.h"
#include "ashlar/util/sync/schedule_point.h"
#include "ashlar/util/sync/shared_word.h"
#include "ashlar/util/sync/thread_number.h"

namespace ashlar::internal {

class ReaderGate {
 public:
  // A reader is inside the gate as long as its Pass lives. Requires: the gate
  // outlives it.
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
    SharedWord<uint64_t>* const count_;
  };

  // Waits until every reader is out that came in before this call. Requires:
  // one thread at a time.
  ASHLAR_EXPORT void WaitForReaders();

 private:
  static constexpr size_t kStripes = 8;
  struct alignas(64) Stripe {
    std::array<SharedWord<uint64_t>, 2> inside{};
  };

  SharedWord<uint64_t>* Enter() {
    Stripe& stripe = stripes_[ThreadNumber() % kStripes];
    for (;;) {
      LookPoint();
      const uint64_t epoch = epoch_.load(std::memory_order_seq_cst);
      SharedWord<uint64_t>& count = stripe.inside[epoch % 2];
      SchedulePoint();
      count.fetch_add(1, std::memory_order_seq_cst);
      LookPoint();
      if (epoch_.load(std::memory_order_seq_cst) == epoch) return &count;
      LookPoint();
      count.fetch_sub(1, std::memory_order_release);
    }
  }

  std::array<Stripe, kStripes> stripes_;
  alignas(64) SharedWord<uint64_t> epoch_ = 0;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_SYNC_READER_GATE_H_
