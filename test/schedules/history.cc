#include "test/schedules/history.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace ashlar::testing {

namespace {

using Kind = CacheCall::Kind;

bool IsBefore(const CacheCall& a, const CacheCall& b) {
  if (a.weak_end && b.weak_begin) {
    return ComesBefore(*a.weak_end, *b.weak_begin);
  }
  return a.end < b.begin;
}

bool Overlap(const CacheCall& a, const CacheCall& b) {
  return !IsBefore(a, b) && !IsBefore(b, a);
}

// Tries the orders of the calls for one key.
class KeyOrders {
 public:
  explicit KeyOrders(std::vector<CacheCall> calls) : calls_(std::move(calls)) {}

  bool Explain() { return Continue(0, 0); }

 private:
  // `taken` are the calls that have taken effect, `present` the values that are
  // in the cache, a bit each.
  bool Continue(uint32_t taken, uint32_t present) {
    if (taken == (1U << calls_.size()) - 1) return true;
    if (!tried_.insert({taken, present}).second) return false;
    if (EraseLate(taken, present)) return true;
    for (size_t i = 0; i < calls_.size(); ++i) {
      if (!MayBeNext(i, taken)) continue;
      if (Take(i, taken | 1U << i, present)) return true;
    }
    return false;
  }

  // A call that ended before another began takes effect before it.
  bool MayBeNext(size_t i, uint32_t taken) const {
    if ((taken >> i & 1) != 0) return false;
    for (size_t j = 0; j < calls_.size(); ++j) {
      if ((taken >> j & 1) == 0 && IsBefore(calls_[j], calls_[i])) {
        return false;
      }
    }
    return true;
  }

  bool Take(size_t i, uint32_t taken, uint32_t present) {
    const CacheCall& call = calls_[i];
    switch (call.kind) {
      case Kind::kErase:
        return Erase(call, taken, present);
      case Kind::kLookup:
        if (call.value < 0 ? present != 0 : (present >> call.value & 1) == 0) {
          return false;
        }
        return Continue(taken, present);
      case Kind::kInsert:
        const bool both = std::any_of(
            calls_.begin(), calls_.end(), [&](const CacheCall& other) {
              return &other != &call && other.kind == Kind::kInsert &&
                     Overlap(call, other);
            });
        if (present != 0 && Continue(taken, present)) return true;
        return (present == 0 || both) &&
               Continue(taken, present | 1U << call.value);
    }
    return false;
  }

  // Tries to remove each of the values whose Insert overlaps an Erase that may
  // be running.
  bool EraseLate(uint32_t taken, uint32_t present) {
    for (const CacheCall& insert : calls_) {
      if (insert.kind != Kind::kInsert) continue;
      const uint32_t value = 1U << insert.value;
      if ((present & value) == 0) continue;
      const bool may_go = std::any_of(
          calls_.begin(), calls_.end(), [&](const CacheCall& erase) {
            return erase.kind == Kind::kErase && Overlap(insert, erase) &&
                   MayRun(erase, taken);
          });
      if (may_go && Continue(taken, present & ~value)) return true;
    }
    return false;
  }

  // Returns whether the call may have begun and not ended, after those taken.
  bool MayRun(const CacheCall& call, uint32_t taken) const {
    for (size_t i = 0; i < calls_.size(); ++i) {
      const bool is_taken = (taken >> i & 1) != 0;
      if (is_taken ? IsBefore(call, calls_[i]) : IsBefore(calls_[i], call)) {
        return false;
      }
    }
    return true;
  }

  // Tries to leave each of the values whose Insert overlaps the Erase.
  bool Erase(const CacheCall& erase, uint32_t taken, uint32_t present) {
    uint32_t may_stay = 0;
    for (const CacheCall& call : calls_) {
      if (call.kind != Kind::kInsert || !Overlap(call, erase)) continue;
      may_stay |= present & 1U << call.value;
    }
    for (uint32_t stay = may_stay;; stay = (stay - 1) & may_stay) {
      if (Continue(taken, stay)) return true;
      if (stay == 0) return false;
    }
  }

  const std::vector<CacheCall> calls_;
  std::set<std::pair<uint32_t, uint32_t>> tried_;
};

std::string NameOf(const CacheCall& call) {
  std::string name = " [" + std::to_string(call.begin) + ", " +
                     std::to_string(call.end) + "] ";
  switch (call.kind) {
    case Kind::kInsert:
      return name + "Insert " + std::to_string(call.value) + ";";
    case Kind::kLookup:
      return name + "Lookup finds " + std::to_string(call.value) + ";";
    case Kind::kErase:
      return name + "Erase;";
  }
  return name;
}

}  // namespace

std::string Unexplained(const std::vector<CacheCall>& calls) {
  std::set<uint64_t> keys;
  for (const CacheCall& call : calls) keys.insert(call.key);
  for (const uint64_t key : keys) {
    std::vector<CacheCall> of_key;
    std::copy_if(calls.begin(), calls.end(), std::back_inserter(of_key),
                 [key](const CacheCall& call) { return call.key == key; });
    if (KeyOrders(of_key).Explain()) continue;
    std::string text =
        "no order explains the calls for key " + std::to_string(key) + ":";
    for (const CacheCall& call : of_key) text += NameOf(call);
    return text;
  }
  return {};
}

}  // namespace ashlar::testing
