// 2Q, the full version: has a queue (a quarter of the capacity) for new keys,
// in which hits have no effect; a memory of keys that left it (half the
// capacity); and an LRU list of keys that came back while they were in the
// memory.

#include <algorithm>
#include <vector>

#include "tools/cache_sim/models/key_list.h"
#include "tools/cache_sim/models/models.h"

namespace ashlar::sim {

namespace {

class TwoQModel final : public Policy {
 public:
  TwoQModel(const PolicyOptions& options, const Trace& trace)
      : capacity_(options.capacity),
        new_capacity_(std::max(1U, capacity_ / 4)),
        memory_capacity_(std::max(1U, capacity_ / 2)),
        where_(trace.distinct_keys),
        links_(trace.distinct_keys) {}

  bool Access(uint32_t key) override {
    if (where_[key] == kMain) main_.MoveToFront(key);
    if (where_[key] == kMain || where_[key] == kNew) return true;
    const bool known = where_[key] == kMemory;
    if (known) memory_.Remove(key);
    where_[key] = kNowhere;
    if (new_.size() + main_.size() == capacity_) Evict();
    where_[key] = known ? kMain : kNew;
    (known ? main_ : new_).PushFront(key);
    return false;
  }

 private:
  enum Place : uint8_t { kNowhere, kNew, kMain, kMemory };

  void Evict() {
    if (new_.size() <= new_capacity_ && !main_.empty()) {
      where_[main_.PopBack()] = kNowhere;
      return;
    }
    const uint32_t key = new_.PopBack();
    where_[key] = kMemory;
    memory_.PushFront(key);
    if (memory_.size() > memory_capacity_) {
      where_[memory_.PopBack()] = kNowhere;
    }
  }

  const uint32_t capacity_;
  const uint32_t new_capacity_;
  const uint32_t memory_capacity_;
  std::vector<Place> where_;
  KeyLinks links_;
  KeyList new_{&links_};
  KeyList main_{&links_};
  KeyList memory_{&links_};
};

}  // namespace

MadePolicy MakeTwoQModel(const PolicyOptions& options, const Trace& trace) {
  return MakeModel<TwoQModel>(options, trace);
}

}  // namespace ashlar::sim
