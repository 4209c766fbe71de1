// ARC: has one list of keys that were used once and one of keys that were used
// again. Each list has a memory of keys that left it. If a key is found in a
// memory, the target size of that list grows. Lists and memories together hold
// twice the capacity.

#include <algorithm>
#include <vector>

#include "tools/cache_sim/models/key_list.h"
#include "tools/cache_sim/models/models.h"

namespace ashlar::sim {

namespace {

class ArcModel final : public Policy {
 public:
  ArcModel(const PolicyOptions& options, const Trace& trace)
      : capacity_(options.capacity),
        where_(trace.distinct_keys, kNowhere),
        links_(trace.distinct_keys) {}

  bool Access(uint32_t key) override {
    const Place place = where_[key];
    if (place == kOnce || place == kAgain) {
      ListOf(place).Remove(key);
      PutIn(key, kAgain);
      return true;
    }
    if (place == kOnceMemory || place == kAgainMemory) {
      Adapt(place);
      Replace(place == kAgainMemory);
      ListOf(place).Remove(key);
      PutIn(key, kAgain);
      return false;
    }
    MakeRoomForNew();
    PutIn(key, kOnce);
    return false;
  }

 private:
  enum Place : uint8_t { kOnce, kAgain, kOnceMemory, kAgainMemory, kNowhere };

  KeyList& ListOf(Place place) { return lists_[place]; }
  double Size(Place place) const { return lists_[place].size(); }

  void PutIn(uint32_t key, Place place) {
    where_[key] = place;
    ListOf(place).PushFront(key);
  }
  void Forget(Place place) { where_[ListOf(place).PopBack()] = kNowhere; }

  // A key found in the smaller memory has more effect.
  void Adapt(Place found) {
    if (found == kOnceMemory) {
      const double step = std::max(1.0, Size(kAgainMemory) / Size(kOnceMemory));
      share_of_once_ =
          std::min(share_of_once_ + step, static_cast<double>(capacity_));
    } else {
      const double step = std::max(1.0, Size(kOnceMemory) / Size(kAgainMemory));
      share_of_once_ = std::max(share_of_once_ - step, 0.0);
    }
  }

  // Moves the oldest key of one list to that list's memory. It takes the list
  // that has more than its share.
  void Replace(bool for_key_used_again) {
    const double once = Size(kOnce);
    const bool from_once =
        once >= 1 && (once > share_of_once_ ||
                      (for_key_used_again && once == share_of_once_) ||
                      ListOf(kAgain).empty());
    const uint32_t key = ListOf(from_once ? kOnce : kAgain).PopBack();
    PutIn(key, from_once ? kOnceMemory : kAgainMemory);
  }

  void MakeRoomForNew() {
    const uint32_t once = ListOf(kOnce).size() + ListOf(kOnceMemory).size();
    const uint32_t all =
        once + ListOf(kAgain).size() + ListOf(kAgainMemory).size();
    if (once == capacity_) {
      if (ListOf(kOnceMemory).empty()) return Forget(kOnce);
      Forget(kOnceMemory);
      return Replace(false);
    }
    if (all < capacity_) return;
    if (all == 2 * capacity_) Forget(kAgainMemory);
    Replace(false);
  }

  const uint32_t capacity_;
  double share_of_once_ = 0;  // entries
  std::vector<Place> where_;
  KeyLinks links_;
  KeyList lists_[4] = {KeyList(&links_), KeyList(&links_), KeyList(&links_),
                       KeyList(&links_)};
};

}  // namespace

MadePolicy MakeArcModel(const PolicyOptions& options, const Trace& trace) {
  return MakeModel<ArcModel>(options, trace);
}

}  // namespace ashlar::sim
