#include "util/sync/worker_crew.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <string>

#include "util/sync/atomic.h"
#include "util/sync/loop_state.h"
#include "util/sync/pool_job.h"

namespace ashlar::internal {

// One call of ForEach with help, on the caller's stack.
class SharedLoop {
 public:
  SharedLoop(WorkerPool::State* pool, uint32_t tickets, uint32_t units,
             WorkerCrew::Body body)
      : body_(body),
        job_({&Attend, this}, {.units = units, .tickets = tickets}) {
    job_.Begin(pool, {&AppendState, this});
    for (uint32_t i = 0; i < tickets; ++i) job_.SendWorker();
  }

  // The caller's part: it does its share of the units, then waits for the end.
  bool Run() {
    for (;;) {
      const LoopStep step = job_.Move(&LoopProtocol::Claim);
      if (step.task == LoopTask::kProceed) break;
      DoUnit(step.unit);
    }
    const LoopState end = job_.End(LoopProtocol());
    // No thread is in the loop any more.
    if (lacks_memory_.Load()) throw std::bad_alloc();
    return !end.failed;
  }

 private:
  static void Attend(void* loop, uint32_t) {
    static_cast<SharedLoop*>(loop)->Work();
  }

  // For the watchdog's message.
  static void AppendState(const void* loop, std::string* out) {
    const LoopState s = static_cast<const SharedLoop*>(loop)->job_.Look();
    *out += "  loop, job " + std::to_string(reinterpret_cast<uintptr_t>(loop)) +
            ": unit " + std::to_string(s.next) + " of " +
            std::to_string(s.units) + ", " + std::to_string(s.attending) +
            " attending, " + std::to_string(s.tickets) + " tickets" +
            (s.caller_sleeps ? ", the caller sleeps" : "") +
            (s.failed ? ", failed" : "") + "\n";
  }

  // A worker's part.
  void Work() {
    WorkerPool::State* const pool = job_.pool();
    job_.Move(&LoopProtocol::Arrive);
    for (bool first = true;; first = false) {
      const bool yield = !first && pool->OthersWait();
      const LoopStep step =
          job_.Move(yield ? &LoopProtocol::Yield : &LoopProtocol::Look);
      if (step.task == LoopTask::kLeave) return;
      DoUnit(step.unit);
    }
  }

  // An exception would end a worker's thread, or leave the caller's loop before
  // the other threads have left it.
  void DoUnit(uint32_t unit) {
    bool done = false;
    try {
      done = body_.call(body_.context, unit);
    } catch (const std::bad_alloc&) {
      lacks_memory_.Store(true);
    } catch (const std::length_error&) {
      lacks_memory_.Store(true);
    }
    if (!done) job_.Move(&LoopProtocol::Fail);
  }

  const WorkerCrew::Body body_;
  // Written before the word, so that the caller sees it with the word.
  RelaxedAtomic<bool> lacks_memory_{false};
  PoolJob<LoopProtocol> job_;
};

bool WorkerCrew::Run(uint32_t units, Body body) const {
  assert(units <= kMaxLoopUnits);
  const uint32_t threads = alone() ? 0 : pool_->threads();
  const uint32_t tickets = std::min(
      {workers_, threads, units == 0 ? 0 : units - 1, kMaxLoopWorkers});
  if (tickets > 0) return SharedLoop(pool_, tickets, units, body).Run();
  for (uint32_t unit = 0; unit < units; ++unit) {
    if (!body.call(body.context, unit)) return false;
  }
  return true;
}

}  // namespace ashlar::internal
