// What a compression ring reports of itself when it is in trouble, and the
// assertion that it is not. Debug builds only, like util/sync/watchdog.h. Pure
// functions: thread-safe.
#ifndef ASHLAR_TABLE_WRITE_RING_WATCH_H_
#define ASHLAR_TABLE_WRITE_RING_WATCH_H_

#include <cstdint>
#include <string>

#include "table/write/ring_state.h"
#include "util/sync/watchdog.h"

namespace ashlar::internal {

// Returns every field of the state, in one line.
std::string DescribeRingState(const RingState& s);

// Returns a thread's last step as a number for a ThreadNote; 0 stands for no
// step yet.
uint64_t NoteOf(const RingStep& step);
// Returns such a number as text.
std::string DescribeNote(uint64_t note);

// Prints the state, and ends the process: all threads of the ring sleep.
[[noreturn]] void EverybodySleeps(const RingState& s);

// Asserts that the state that a step is about to make leaves a thread awake.
// This is exact: it needs no timer.
inline void RequireSomebodyAwake(const RingState& s) {
  if constexpr (kWatchdog) {
    if (RingProtocol::IsStuck(s)) [[unlikely]] {
      EverybodySleeps(s);
    }
  }
}

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_WRITE_RING_WATCH_H_
