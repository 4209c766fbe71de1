// LRU: evicts the entry that was not used for the longest time.

#include <vector>

#include "tools/cache_sim/models/key_list.h"
#include "tools/cache_sim/models/models.h"

namespace ashlar::sim {

namespace {

class LruModel final : public Policy {
 public:
  LruModel(const PolicyOptions& options, const Trace& trace)
      : capacity_(options.capacity),
        is_here_(trace.distinct_keys),
        links_(trace.distinct_keys) {}

  bool Access(uint32_t key) override {
    if (is_here_[key]) {
      by_use_.MoveToFront(key);
      return true;
    }
    if (by_use_.size() == capacity_) is_here_[by_use_.PopBack()] = false;
    is_here_[key] = true;
    by_use_.PushFront(key);
    return false;
  }

 private:
  const uint32_t capacity_;
  std::vector<bool> is_here_;
  KeyLinks links_;
  KeyList by_use_{&links_};
};

}  // namespace

MadePolicy MakeLruModel(const PolicyOptions& options, const Trace& trace) {
  return MakeModel<LruModel>(options, trace);
}

}  // namespace ashlar::sim
