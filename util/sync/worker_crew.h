// WorkerCrew: who may help a thread with a loop of independent units.
//
// Used where a builder has to do much at once: the parts or partitions of a
// filter. The caller works through the loop itself; workers of the pool that
// come in time take units off it. Nothing goes on after ForEach: errors come
// back from it, and there is nothing to abandon. loop_state.h has the protocol.
//
// A plain value; ForEach may be called by any thread.
#ifndef ASHLAR_UTIL_SYNC_WORKER_CREW_H_
#define ASHLAR_UTIL_SYNC_WORKER_CREW_H_

#include <cstdint>

#include "ashlar/util/worker_pool.h"

namespace ashlar::internal {

class WorkerCrew {
 public:
  // Nobody.
  WorkerCrew() = default;
  // At most `workers` of the pool at a time. Null: nobody.
  WorkerCrew(WorkerPool::State* pool, uint32_t workers)
      : pool_(pool), workers_(pool == nullptr ? 0 : workers) {}

  // Whether the caller will do it all.
  bool alone() const { return workers_ == 0; }

  // Calls do_unit(i) once for each i below `units` (at most kMaxLoopUnits), on
  // several threads at once; it returns whether all went well. After one that
  // did not, units that nobody has begun are left out. Returns whether all
  // units are done, and when no other thread is in any. Where a unit throws for
  // want of memory, on whatever thread, this throws std::bad_alloc.
  template <typename DoUnit>
  [[nodiscard]] bool ForEach(uint32_t units, DoUnit do_unit) const {
    return Run(units, {[](void* context, uint32_t unit) {
                         return (*static_cast<DoUnit*>(context))(unit);
                       },
                       &do_unit});
  }

 private:
  friend class SharedLoop;
  struct Body {
    bool (*call)(void* context, uint32_t unit);
    void* context;
  };
  [[nodiscard]] bool Run(uint32_t units, Body body) const;

  WorkerPool::State* pool_ = nullptr;
  uint32_t workers_ = 0;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_SYNC_WORKER_CREW_H_
