// OPT (Belady): evicts what will not be used for longest. It knows the trace,
// and no policy that takes in what is missed has fewer misses.

#include <queue>
#include <utility>
#include <vector>

#include "tools/cache_sim/models/models.h"

namespace ashlar::sim {

namespace {

class OptModel final : public Policy {
 public:
  OptModel(const PolicyOptions& options, const Trace& trace)
      : capacity_(options.capacity),
        next_use_(NextUses(trace)),
        next_of_(trace.distinct_keys, kNotHere) {}

  bool Access(uint32_t key) override {
    const bool found = next_of_[key] != kNotHere;
    if (!found) {
      if (entries_ == capacity_) {
        Evict();
      } else {
        ++entries_;
      }
    }
    next_of_[key] = next_use_[now_++];
    by_next_use_.emplace(next_of_[key], key);
    return found;
  }

 private:
  // Above any place in a trace.
  static constexpr uint32_t kNotHere = UINT32_MAX;
  static constexpr uint32_t kNever = UINT32_MAX - 1;

  // Of the key of each access.
  static std::vector<uint32_t> NextUses(const Trace& trace) {
    std::vector<uint32_t> uses(trace.accesses.size());
    std::vector<uint32_t> last_seen(trace.distinct_keys, kNever);
    for (size_t i = uses.size(); i-- > 0;) {
      uses[i] =
          std::exchange(last_seen[trace.accesses[i]], static_cast<uint32_t>(i));
    }
    return uses;
  }

  // What was used since it was queued is queued again, with another number.
  void Evict() {
    while (true) {
      const auto [next_use, key] = by_next_use_.top();
      by_next_use_.pop();
      if (next_of_[key] != next_use) continue;
      next_of_[key] = kNotHere;
      return;
    }
  }

  const uint32_t capacity_;
  const std::vector<uint32_t> next_use_;
  std::vector<uint32_t> next_of_;  // of each key that is here
  std::priority_queue<std::pair<uint32_t, uint32_t>> by_next_use_;
  uint32_t entries_ = 0;
  size_t now_ = 0;
};

}  // namespace

MadePolicy MakeOptModel(const PolicyOptions& options, const Trace& trace) {
  return MakeModel<OptModel>(options, trace);
}

}  // namespace ashlar::sim
