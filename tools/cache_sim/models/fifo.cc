// FIFO: evicts the oldest entry, regardless of hits.

#include <vector>

#include "tools/cache_sim/models/key_list.h"
#include "tools/cache_sim/models/models.h"

namespace ashlar::sim {

namespace {

class FifoModel final : public Policy {
 public:
  FifoModel(const PolicyOptions& options, const Trace& trace)
      : capacity_(options.capacity),
        is_here_(trace.distinct_keys),
        links_(trace.distinct_keys) {}

  bool Access(uint32_t key) override {
    if (is_here_[key]) return true;
    if (queue_.size() == capacity_) is_here_[queue_.PopBack()] = false;
    is_here_[key] = true;
    queue_.PushFront(key);
    return false;
  }

 private:
  const uint32_t capacity_;
  std::vector<bool> is_here_;
  KeyLinks links_;
  KeyList queue_{&links_};
};

}  // namespace

MadePolicy MakeFifoModel(const PolicyOptions& options, const Trace& trace) {
  return MakeModel<FifoModel>(options, trace);
}

}  // namespace ashlar::sim
