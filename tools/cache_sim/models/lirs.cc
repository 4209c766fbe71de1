// LIRS: 99 % of the entries are those whose last two uses were closest together
// (low inter-reference recency: LIR). The others (HIR) pass through a queue.
//
// A stack orders keys by their last use. It has all keys that were used after
// the oldest LIR key: the LIR keys, HIR entries and, at most twice the
// capacity, HIR keys that were evicted. A HIR key that is used while it is in
// the stack was used again sooner than the oldest LIR key, and takes its place.

#include <algorithm>
#include <vector>

#include "tools/cache_sim/models/key_list.h"
#include "tools/cache_sim/models/models.h"

namespace ashlar::sim {

namespace {

class LirsModel final : public Policy {
 public:
  LirsModel(const PolicyOptions& options, const Trace& trace)
      : lir_capacity_(options.capacity - std::max(1U, options.capacity / 100)),
        capacity_(options.capacity),
        gone_capacity_(2 * uint64_t{options.capacity}),
        state_(trace.distinct_keys),
        in_stack_(trace.distinct_keys),
        stack_links_(trace.distinct_keys),
        queue_links_(trace.distinct_keys) {}

  bool Access(uint32_t key) override {
    switch (state_[key]) {
      case kLir:
        stack_.MoveToFront(key);
        Prune();
        return true;
      case kHir:
        queue_.Remove(key);
        UseHir(key);
        return true;
      case kGone:
        gone_.Remove(key);
        Load(key);
        return false;
      case kUnknown:
        Load(key);
        return false;
    }
    return false;
  }

 private:
  // The stack has all kLir, all kGone and some kHir keys.
  enum State : uint8_t { kUnknown, kLir, kHir, kGone };

  void Load(uint32_t key) {
    // The key is still in the stack, but no longer as an evicted one.
    state_[key] = kHir;
    if (lirs_ < lir_capacity_) {
      PutOnStack(key);
      state_[key] = kLir;
      ++lirs_;
      return;
    }
    if (lirs_ + queue_.size() == capacity_) EvictHir();
    UseHir(key);
  }

  // Uses a HIR key: makes it LIR if it is in the stack, or else puts it into
  // the queue. Requires: the key is in no queue.
  void UseHir(uint32_t key) {
    const bool was_in_stack = in_stack_[key];
    PutOnStack(key);
    if (!was_in_stack) {
      queue_.PushFront(key);
      state_[key] = kHir;
      return;
    }
    state_[key] = kLir;
    ++lirs_;
    if (lirs_ > lir_capacity_) DemoteOldestLir();
  }

  void PutOnStack(uint32_t key) {
    if (in_stack_[key]) stack_.Remove(key);
    stack_.PushFront(key);
    in_stack_[key] = true;
  }

  void DemoteOldestLir() {
    Prune();
    const uint32_t key = stack_.PopBack();
    in_stack_[key] = false;
    state_[key] = kHir;
    queue_.PushFront(key);
    --lirs_;
    Prune();
  }

  // Removes keys until the oldest of the stack is LIR.
  void Prune() {
    while (!stack_.empty() && state_[stack_.Back()] != kLir) {
      const uint32_t key = stack_.PopBack();
      in_stack_[key] = false;
      if (state_[key] != kGone) continue;
      gone_.Remove(key);
      state_[key] = kUnknown;
    }
  }

  void EvictHir() {
    const uint32_t key = queue_.PopBack();
    state_[key] = in_stack_[key] ? kGone : kUnknown;
    if (!in_stack_[key]) return;
    gone_.PushFront(key);
    if (gone_.size() <= gone_capacity_) return;
    const uint32_t oldest = gone_.PopBack();
    stack_.Remove(oldest);
    in_stack_[oldest] = false;
    state_[oldest] = kUnknown;
  }

  const uint32_t lir_capacity_;
  const uint32_t capacity_;
  const uint64_t gone_capacity_;
  uint32_t lirs_ = 0;
  std::vector<State> state_;
  std::vector<bool> in_stack_;
  KeyLinks stack_links_;
  KeyList stack_{&stack_links_};
  KeyLinks queue_links_;
  KeyList queue_{&queue_links_};
  KeyList gone_{&queue_links_};  // the last evicted key first
};

}  // namespace

MadePolicy MakeLirsModel(const PolicyOptions& options, const Trace& trace) {
  return MakeModel<LirsModel>(options, trace);
}

}  // namespace ashlar::sim
