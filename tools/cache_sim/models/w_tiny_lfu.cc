// W-TinyLFU: has an LRU window (1 % of the capacity) for new keys. A key that
// leaves the window enters the rest of the cache only if it was used more often
// recently than the key that would be evicted for it. The size of the window
// does not adapt.
//
// The rest is a segmented LRU list: four fifths are protected, for keys that
// were hit in the other fifth, where all keys begin.

#include <algorithm>
#include <vector>

#include "tools/cache_sim/models/frequency_sketch.h"
#include "tools/cache_sim/models/key_list.h"
#include "tools/cache_sim/models/models.h"

namespace ashlar::sim {

namespace {

class WTinyLfuModel final : public Policy {
 public:
  WTinyLfuModel(const PolicyOptions& options, const Trace& trace)
      : window_capacity_(std::max(1U, options.capacity / 100)),
        rest_capacity_(options.capacity - window_capacity_),
        protected_capacity_(
            static_cast<uint32_t>(uint64_t{rest_capacity_} * 4 / 5)),
        sketch_(options.capacity, options.seed),
        where_(trace.distinct_keys),
        links_(trace.distinct_keys) {}

  bool Access(uint32_t key) override {
    sketch_.Add(key);
    switch (where_[key]) {
      case kWindow:
        window_.MoveToFront(key);
        return true;
      case kProtected:
        protected_.MoveToFront(key);
        return true;
      case kProbation:
        Protect(key);
        return true;
      case kNowhere:
        Put(key, kWindow, &window_);
        if (window_.size() > window_capacity_) LeaveWindow();
        return false;
    }
    return false;
  }

 private:
  enum Place : uint8_t { kNowhere, kWindow, kProbation, kProtected };

  void Put(uint32_t key, Place place, KeyList* list) {
    where_[key] = place;
    list->PushFront(key);
  }

  void Protect(uint32_t key) {
    probation_.Remove(key);
    Put(key, kProtected, &protected_);
    if (protected_.size() > protected_capacity_) {
      Put(protected_.PopBack(), kProbation, &probation_);
    }
  }

  void LeaveWindow() {
    const uint32_t candidate = window_.PopBack();
    where_[candidate] = kNowhere;
    if (rest_capacity_ == 0) return;
    if (probation_.size() + protected_.size() == rest_capacity_) {
      KeyList* const list = probation_.empty() ? &protected_ : &probation_;
      const uint32_t victim = list->Back();
      if (sketch_.Estimate(candidate) <= sketch_.Estimate(victim)) return;
      list->Remove(victim);
      where_[victim] = kNowhere;
    }
    Put(candidate, kProbation, &probation_);
  }

  const uint32_t window_capacity_;
  const uint32_t rest_capacity_;
  const uint32_t protected_capacity_;
  FrequencySketch sketch_;
  std::vector<Place> where_;
  KeyLinks links_;
  KeyList window_{&links_};
  KeyList probation_{&links_};
  KeyList protected_{&links_};
};

}  // namespace

MadePolicy MakeWTinyLfuModel(const PolicyOptions& options, const Trace& trace) {
  return MakeModel<WTinyLfuModel>(options, trace);
}

}  // namespace ashlar::sim
