// WorkerCrew: the workers that may help a thread with a loop of independent
// units.
//
// A builder uses it where it has much to do at once: the parts or partitions of
// a filter. The caller works through the loop itself, and workers of the pool
// that come in time take units off it. Nothing continues after ForEach: errors
// come back from it, and there is nothing to abandon. loop_state.h has the
// protocol.
//
// A plain value. Any thread may call ForEach.
#ifndef ASHLAR_UTIL_SYNC_WORKER_CREW_H_
#define ASHLAR_UTIL_SYNC_WORKER_CREW_H_

#include <cstdint>

#include "ashlar/util/worker_pool.h"

namespace ashlar::internal {

class WorkerCrew {
 public:
  // No workers.
  WorkerCrew() = default;
  // At most `workers` of the pool at a time. A null pool means none.
  WorkerCrew(WorkerPool::State* pool, uint32_t workers)
      : pool_(pool), workers_(pool == nullptr ? 0 : workers) {}

  // Returns whether the caller will do everything itself.
  bool alone() const { return workers_ == 0; }

  // Calls do_unit(i) once for each i below `units`, on several threads at once.
  // do_unit returns whether all went well. After one that did not, units that
  // no thread has begun are left out. Returns whether all units are done. When
  // it returns, no other thread is in any unit. If a unit throws because memory
  // is out, on whatever thread, this throws std::bad_alloc. Requires: `units`
  // is at most kMaxLoopUnits.
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
