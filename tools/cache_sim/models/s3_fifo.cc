// S3-FIFO: has a small queue (a tenth of the capacity) for new keys, a main
// queue for keys that were hit there, and a memory of keys that left the small
// queue (nine tenths of the capacity). A missed key that is in the memory goes
// to the main queue at once.
//
// Hits are counted up to 3. A key with two hits in the small queue moves to the
// main queue. There, each hit saves an entry once.

#include <algorithm>
#include <vector>

#include "tools/cache_sim/models/key_list.h"
#include "tools/cache_sim/models/models.h"

namespace ashlar::sim {

namespace {

class S3FifoModel final : public Policy {
 public:
  S3FifoModel(const PolicyOptions& options, const Trace& trace)
      : capacity_(options.capacity),
        small_capacity_(std::max(1U, capacity_ / 10)),
        memory_capacity_(capacity_ - capacity_ / 10),
        where_(trace.distinct_keys),
        hits_(trace.distinct_keys),
        links_(trace.distinct_keys) {}

  bool Access(uint32_t key) override {
    if (where_[key] == kSmall || where_[key] == kMain) {
      hits_[key] = std::min<uint8_t>(hits_[key] + 1, kMostHits);
      return true;
    }
    const bool known = where_[key] == kMemory;
    if (known) memory_.Remove(key);
    // Takes the key out of the memory while room is made.
    where_[key] = kNowhere;
    while (small_.size() + main_.size() >= capacity_) Evict();
    hits_[key] = 0;
    where_[key] = known ? kMain : kSmall;
    (known ? main_ : small_).PushFront(key);
    return false;
  }

 private:
  enum Place : uint8_t { kNowhere, kSmall, kMain, kMemory };
  static constexpr uint8_t kMostHits = 3;
  static constexpr uint8_t kHitsForMain = 2;

  void Evict() {
    if (small_.size() >= small_capacity_ || main_.empty()) {
      EvictFromSmall();
    } else {
      EvictFromMain();
    }
  }

  void EvictFromSmall() {
    while (!small_.empty()) {
      const uint32_t key = small_.PopBack();
      if (hits_[key] < kHitsForMain) return Remember(key);
      hits_[key] = 0;
      where_[key] = kMain;
      main_.PushFront(key);
    }
  }

  void EvictFromMain() {
    while (hits_[main_.Back()] > 0) {
      --hits_[main_.Back()];
      main_.MoveToFront(main_.Back());
    }
    where_[main_.PopBack()] = kNowhere;
  }

  void Remember(uint32_t key) {
    where_[key] = kMemory;
    memory_.PushFront(key);
    if (memory_.size() > memory_capacity_) {
      where_[memory_.PopBack()] = kNowhere;
    }
  }

  const uint32_t capacity_;
  const uint32_t small_capacity_;
  const uint32_t memory_capacity_;
  std::vector<Place> where_;
  std::vector<uint8_t> hits_;
  KeyLinks links_;
  KeyList small_{&links_};
  KeyList main_{&links_};
  KeyList memory_{&links_};
};

}  // namespace

MadePolicy MakeS3FifoModel(const PolicyOptions& options, const Trace& trace) {
  return MakeModel<S3FifoModel>(options, trace);
}

}  // namespace ashlar::sim
