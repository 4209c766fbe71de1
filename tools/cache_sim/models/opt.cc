// OPT (Belady): evicts the entry whose next use is farthest away. It knows the
// whole trace. Among policies that insert every missed key, none has fewer
// misses.

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
  // Above any position in a trace.
  static constexpr uint32_t kNotHere = UINT32_MAX;
  static constexpr uint32_t kNever = UINT32_MAX - 1;

  // Returns, for each access, the position of the next access to its key.
  static std::vector<uint32_t> NextUses(const Trace& trace) {
    std::vector<uint32_t> uses(trace.accesses.size());
    std::vector<uint32_t> last_seen(trace.distinct_keys, kNever);
    for (size_t i = uses.size(); i-- > 0;) {
      uses[i] =
          std::exchange(last_seen[trace.accesses[i]], static_cast<uint32_t>(i));
    }
    return uses;
  }

  // Evicts the entry with the farthest next use. A pair in the queue whose key
  // was used since is outdated, since the key was queued again with another
  // number.
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
  std::vector<uint32_t> next_of_;  // for each key in the cache
  std::priority_queue<std::pair<uint32_t, uint32_t>> by_next_use_;
  uint32_t entries_ = 0;
  size_t now_ = 0;
};

}  // namespace

MadePolicy MakeOptModel(const PolicyOptions& options, const Trace& trace) {
  return MakeModel<OptModel>(options, trace);
}

}  // namespace ashlar::sim
