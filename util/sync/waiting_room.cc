#include "ashlar/util/sync/waiting_room.h"

#include "port/threads.h"

namespace ashlar::internal {

void WaitingRoom::LetOthersRun() { port::YieldThread(); }

void WaitingRoom::Sleep(uint32_t news, uint32_t milliseconds) {
  port::FutexWaitFor(Word(), news, milliseconds);
}

void WaitingRoom::WakeOne() { port::FutexWake(Word(), 1); }

}  // namespace ashlar::internal
