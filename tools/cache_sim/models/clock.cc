// CLOCK with one bit per entry. A hit sets the bit. The hand clears bits that
// are set, and evicts the first entry whose bit is clear. A new entry is put
// right behind the hand, with its bit clear.
//
// It is implemented as a queue: an entry that the hand passes moves to the
// front.

#include <vector>

#include "tools/cache_sim/models/key_list.h"
#include "tools/cache_sim/models/models.h"

namespace ashlar::sim {

namespace {

class ClockModel final : public Policy {
 public:
  ClockModel(const PolicyOptions& options, const Trace& trace)
      : capacity_(options.capacity),
        is_here_(trace.distinct_keys),
        was_hit_(trace.distinct_keys),
        links_(trace.distinct_keys) {}

  bool Access(uint32_t key) override {
    if (is_here_[key]) {
      was_hit_[key] = true;
      return true;
    }
    if (ring_.size() == capacity_) Evict();
    is_here_[key] = true;
    was_hit_[key] = false;
    ring_.PushFront(key);
    return false;
  }

 private:
  void Evict() {
    while (was_hit_[ring_.Back()]) {
      was_hit_[ring_.Back()] = false;
      ring_.MoveToFront(ring_.Back());
    }
    is_here_[ring_.PopBack()] = false;
  }

  const uint32_t capacity_;
  std::vector<bool> is_here_;
  std::vector<bool> was_hit_;
  KeyLinks links_;
  KeyList ring_{&links_};
};

}  // namespace

MadePolicy MakeClockModel(const PolicyOptions& options, const Trace& trace) {
  return MakeModel<ClockModel>(options, trace);
}

}  // namespace ashlar::sim
