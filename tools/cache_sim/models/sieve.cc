// SIEVE: like CLOCK, but an entry that the hand passes stays where it is, and a
// new entry is put at the front of the queue, far from the hand.

#include <vector>

#include "tools/cache_sim/models/key_list.h"
#include "tools/cache_sim/models/models.h"

namespace ashlar::sim {

namespace {

class SieveModel final : public Policy {
 public:
  SieveModel(const PolicyOptions& options, const Trace& trace)
      : capacity_(options.capacity),
        is_here_(trace.distinct_keys),
        was_hit_(trace.distinct_keys),
        links_(trace.distinct_keys) {}

  bool Access(uint32_t key) override {
    if (is_here_[key]) {
      was_hit_[key] = true;
      return true;
    }
    if (queue_.size() == capacity_) Evict();
    is_here_[key] = true;
    was_hit_[key] = false;
    queue_.PushFront(key);
    return false;
  }

 private:
  static constexpr uint32_t kAtBack = UINT32_MAX;

  void Evict() {
    uint32_t key = hand_ == kAtBack ? queue_.Back() : hand_;
    while (was_hit_[key]) {
      was_hit_[key] = false;
      key = queue_.BeforeOrBack(key);
    }
    // At the front, the hand starts again at the entry that is then at the
    // back.
    hand_ = queue_.IsFront(key) ? kAtBack : queue_.BeforeOrBack(key);
    queue_.Remove(key);
    is_here_[key] = false;
  }

  const uint32_t capacity_;
  std::vector<bool> is_here_;
  std::vector<bool> was_hit_;
  KeyLinks links_;
  KeyList queue_{&links_};
  uint32_t hand_ = kAtBack;
};

}  // namespace

MadePolicy MakeSieveModel(const PolicyOptions& options, const Trace& trace) {
  return MakeModel<SieveModel>(options, trace);
}

}  // namespace ashlar::sim
