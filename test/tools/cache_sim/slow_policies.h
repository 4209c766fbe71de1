// Slow and simple implementations of the policies: no links, no states, only
// searches through lists in the policy's order. The models must agree with
// them, access by access.
#ifndef ASHLAR_TEST_TOOLS_CACHE_SIM_SLOW_POLICIES_H_
#define ASHLAR_TEST_TOOLS_CACHE_SIM_SLOW_POLICIES_H_

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

namespace ashlar::sim {

using Keys = std::vector<uint32_t>;
using Hits = std::vector<bool>;

inline bool Has(const Keys& keys, uint32_t key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}
// Returns true if the key was in the list.
inline bool Drop(Keys* keys, uint32_t key) {
  return std::erase(*keys, key) > 0;
}
inline uint32_t TakeFirst(Keys* keys) {
  const uint32_t key = keys->front();
  keys->erase(keys->begin());
  return key;
}

// A hit: fewer other keys than the capacity since the key's last use.
inline Hits SlowLru(const Keys& trace, uint32_t capacity) {
  Hits hits;
  for (size_t i = 0; i < trace.size(); ++i) {
    std::set<uint32_t> others;
    size_t j = i;
    while (j > 0 && trace[j - 1] != trace[i]) others.insert(trace[--j]);
    hits.push_back(j > 0 && others.size() < capacity);
  }
  return hits;
}

inline Hits SlowFifo(const Keys& trace, uint32_t capacity) {
  Hits hits;
  Keys queue;
  for (const uint32_t key : trace) {
    hits.push_back(Has(queue, key));
    if (hits.back()) continue;
    if (queue.size() == capacity) TakeFirst(&queue);
    queue.push_back(key);
  }
  return hits;
}

// A ring of fixed slots, and a hand that moves around it.
inline Hits SlowClock(const Keys& trace, uint32_t capacity) {
  struct Slot {
    uint32_t key;
    bool was_hit;
  };
  Hits hits;
  std::vector<Slot> ring;
  size_t hand = 0;
  for (const uint32_t key : trace) {
    const auto found =
        std::find_if(ring.begin(), ring.end(),
                     [&](const Slot& slot) { return slot.key == key; });
    hits.push_back(found != ring.end());
    if (hits.back()) {
      found->was_hit = true;
    } else if (ring.size() < capacity) {
      ring.push_back({key, false});
    } else {
      for (; ring[hand].was_hit; hand = (hand + 1) % capacity) {
        ring[hand].was_hit = false;
      }
      ring[hand] = {key, false};
      hand = (hand + 1) % capacity;
    }
  }
  return hits;
}

// Oldest first. The hand is the number of keys older than its position.
inline Hits SlowSieve(const Keys& trace, uint32_t capacity) {
  Hits hits;
  Keys queue;
  std::set<uint32_t> was_hit;
  size_t hand = 0;
  for (const uint32_t key : trace) {
    hits.push_back(Has(queue, key));
    if (hits.back()) {
      was_hit.insert(key);
      continue;
    }
    if (queue.size() == capacity) {
      if (hand == queue.size()) hand = 0;
      while (was_hit.erase(queue[hand]) > 0) {
        hand = (hand + 1) % queue.size();
      }
      const bool was_newest = hand + 1 == queue.size();
      queue.erase(queue.begin() + static_cast<std::ptrdiff_t>(hand));
      if (was_newest) hand = 0;
    }
    queue.push_back(key);
  }
  return hits;
}

// Evicts the key whose next use is farthest away.
inline Hits SlowOpt(const Keys& trace, uint32_t capacity) {
  Hits hits;
  Keys here;
  for (size_t i = 0; i < trace.size(); ++i) {
    hits.push_back(Has(here, trace[i]));
    if (hits.back()) continue;
    if (here.size() == capacity) {
      const auto next_use = [&](uint32_t key) {
        return std::find(trace.begin() + static_cast<std::ptrdiff_t>(i),
                         trace.end(), key);
      };
      here.erase(std::max_element(
          here.begin(), here.end(),
          [&](uint32_t a, uint32_t b) { return next_use(a) < next_use(b); }));
    }
    here.push_back(trace[i]);
  }
  return hits;
}

inline Hits SlowTwoQ(const Keys& trace, uint32_t capacity) {
  const size_t most_new = std::max(1U, capacity / 4);
  const size_t most_remembered = std::max(1U, capacity / 2);
  Hits hits;
  Keys newcomers;  // oldest first, like all lists here
  Keys remembered;
  Keys main;
  for (const uint32_t key : trace) {
    hits.push_back(Has(newcomers, key) || Has(main, key));
    if (Drop(&main, key)) {
      main.push_back(key);
      continue;
    }
    if (hits.back()) continue;
    const bool known = Drop(&remembered, key);
    if (newcomers.size() + main.size() == capacity) {
      if (newcomers.size() > most_new || main.empty()) {
        remembered.push_back(TakeFirst(&newcomers));
        if (remembered.size() > most_remembered) TakeFirst(&remembered);
      } else {
        TakeFirst(&main);
      }
    }
    (known ? main : newcomers).push_back(key);
  }
  return hits;
}

class SlowS3Fifo {
 public:
  explicit SlowS3Fifo(uint32_t capacity) : capacity_(capacity) {}

  bool Access(uint32_t key) {
    if (Has(small_, key) || Has(main_, key)) {
      uses_.push_back(key);
      return true;
    }
    const bool known = Drop(&remembered_, key);
    while (small_.size() + main_.size() == capacity_) Evict();
    (known ? main_ : small_).push_back(key);
    return false;
  }

 private:
  // Returns the hits since the key came to its queue, at most 3.
  size_t Uses(uint32_t key) {
    const auto uses = std::count(uses_.begin(), uses_.end(), key);
    return static_cast<size_t>(std::min<std::ptrdiff_t>(uses, 3));
  }
  void SetUses(uint32_t key, size_t uses) {
    Drop(&uses_, key);
    uses_.insert(uses_.end(), uses, key);
  }
  void Evict() {
    const bool from_small =
        small_.size() >= std::max(1U, capacity_ / 10) || main_.empty();
    if (!from_small) return EvictFromMain();
    while (!small_.empty()) {
      const uint32_t key = TakeFirst(&small_);
      const size_t uses = Uses(key);
      SetUses(key, 0);
      (uses >= 2 ? main_ : remembered_).push_back(key);
      if (uses >= 2) continue;
      if (remembered_.size() > capacity_ - capacity_ / 10) {
        TakeFirst(&remembered_);
      }
      return;
    }
  }
  void EvictFromMain() {
    while (Uses(main_.front()) > 0) {
      const uint32_t key = TakeFirst(&main_);
      SetUses(key, Uses(key) - 1);
      main_.push_back(key);
    }
    SetUses(TakeFirst(&main_), 0);
  }

  uint32_t capacity_;
  Keys small_;
  Keys main_;
  Keys remembered_;
  Keys uses_;
};

// With the names of the paper: T1, T2, B1, B2, the oldest first.
class SlowArc {
 public:
  explicit SlowArc(uint32_t capacity) : c_(capacity) {}

  bool Access(uint32_t key) {
    if (Drop(&t1_, key) || Drop(&t2_, key)) {
      t2_.push_back(key);
      return true;
    }
    const double c = static_cast<double>(c_);
    if (Has(b1_, key)) {
      p_ = std::min(c, p_ + std::max(1.0, Ratio(b2_, b1_)));
      Replace(false);
      Drop(&b1_, key);
      t2_.push_back(key);
    } else if (Has(b2_, key)) {
      p_ = std::max(0.0, p_ - std::max(1.0, Ratio(b1_, b2_)));
      Replace(true);
      Drop(&b2_, key);
      t2_.push_back(key);
    } else {
      MakeRoom();
      t1_.push_back(key);
    }
    return false;
  }

 private:
  static double Ratio(const Keys& a, const Keys& b) {
    return static_cast<double>(a.size()) / static_cast<double>(b.size());
  }
  void Replace(bool in_b2) {
    const double t1 = static_cast<double>(t1_.size());
    if (!t1_.empty() && (t1 > p_ || (in_b2 && t1 == p_) || t2_.empty())) {
      b1_.push_back(TakeFirst(&t1_));
    } else {
      b2_.push_back(TakeFirst(&t2_));
    }
  }
  void MakeRoom() {
    const size_t all = t1_.size() + t2_.size() + b1_.size() + b2_.size();
    if (t1_.size() + b1_.size() == c_) {
      if (t1_.size() == c_) {
        TakeFirst(&t1_);
      } else {
        TakeFirst(&b1_);
        Replace(false);
      }
    } else if (all >= c_) {
      if (all == 2 * c_) TakeFirst(&b2_);
      Replace(false);
    }
  }

  size_t c_;
  double p_ = 0;
  Keys t1_;
  Keys t2_;
  Keys b1_;
  Keys b2_;
};

// The stack is a list, the oldest first. The lists that contain a key show what
// the key is: LIR, in the queue (resident HIR), or evicted.
class SlowLirs {
 public:
  explicit SlowLirs(uint32_t capacity)
      : capacity_(capacity),
        most_lir_(capacity - std::max(1U, capacity / 100)) {}

  bool Access(uint32_t key) {
    const bool found = Has(lir_, key) || Has(queue_, key);
    if (Has(lir_, key)) {
      ToTop(key);
      Prune();
      return true;
    }
    Drop(&gone_, key);
    if (!found && lir_.size() < most_lir_) {
      ToTop(key);
      lir_.push_back(key);
      return false;
    }
    if (!found && lir_.size() + queue_.size() == capacity_) EvictFromQueue();
    Drop(&queue_, key);
    const bool was_in_stack = Has(stack_, key);
    ToTop(key);
    if (!was_in_stack) {
      queue_.push_back(key);
      return found;
    }
    lir_.push_back(key);
    if (lir_.size() > most_lir_) {
      Prune();
      const uint32_t oldest = TakeFirst(&stack_);
      Drop(&lir_, oldest);
      queue_.push_back(oldest);
    }
    Prune();
    return found;
  }

 private:
  void ToTop(uint32_t key) {
    Drop(&stack_, key);
    stack_.push_back(key);
  }
  void Prune() {
    while (!stack_.empty() && !Has(lir_, stack_.front())) {
      Drop(&gone_, TakeFirst(&stack_));
    }
  }
  void EvictFromQueue() {
    const uint32_t key = TakeFirst(&queue_);
    if (!Has(stack_, key)) return;
    gone_.push_back(key);
    if (gone_.size() > 2 * capacity_) Drop(&stack_, TakeFirst(&gone_));
  }

  size_t capacity_;
  size_t most_lir_;
  Keys stack_;
  Keys queue_;
  Keys gone_;
  Keys lir_;
};

template <typename Slow>
Hits HitsOf(const Keys& trace, uint32_t capacity) {
  Slow slow(capacity);
  Hits hits;
  for (const uint32_t key : trace) hits.push_back(slow.Access(key));
  return hits;
}

}  // namespace ashlar::sim

#endif  // ASHLAR_TEST_TOOLS_CACHE_SIM_SLOW_POLICIES_H_
