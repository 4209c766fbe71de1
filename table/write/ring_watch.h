// What a compression ring says of itself when it is in trouble, and the
// assertion that it is not. Debug builds only, as util/sync/watchdog.h.
#ifndef ASHLAR_TABLE_WRITE_RING_WATCH_H_
#define ASHLAR_TABLE_WRITE_RING_WATCH_H_

#include <cstdint>
#include <string>

#include "table/write/ring_state.h"
#include "util/sync/watchdog.h"

namespace ashlar::internal {

// Of every field, in one line.
std::string DescribeRingState(const RingState& s);

// A thread's last step, as a number for a ThreadNote; 0 is none yet.
uint64_t NoteOf(const RingStep& step);
std::string DescribeNote(uint64_t note);

[[noreturn]] void EverybodySleeps(const RingState& s);

// Of the state that a step is about to make. Exact: no timer is needed.
inline void RequireSomebodyAwake(const RingState& s) {
  if constexpr (kWatchdog) {
    if (RingProtocol::IsStuck(s)) [[unlikely]] {
      EverybodySleeps(s);
    }
  }
}

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_WRITE_RING_WATCH_H_
