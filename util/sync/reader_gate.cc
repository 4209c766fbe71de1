#include "ashlar/util/sync/reader_gate.h"

#include "port/threads.h"

namespace ashlar::internal {

void ReaderGate::WaitForReaders() {
  SchedulePoint();
  const uint64_t before = epoch_.fetch_add(1, std::memory_order_seq_cst);
  for (Stripe& stripe : stripes_) {
    while (stripe.inside[before % 2].load(std::memory_order_seq_cst) != 0) {
      port::YieldThread();
    }
  }
}

}  // namespace ashlar::internal
