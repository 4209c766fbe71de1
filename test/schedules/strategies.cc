#include "test/schedules/strategies.h"

#include <algorithm>

namespace ashlar::testing {

namespace {

// Returns the index of the n-th bit that is set. Requires: there are more.
uint32_t BitAt(uint32_t bits, uint64_t n) {
  for (; n > 0; --n) bits &= bits - 1;
  return static_cast<uint32_t>(__builtin_ctz(bits));
}

}  // namespace

// Returns what a load sees: mostly the newest value, so that threads come on.
uint32_t SeenBy(const SchedulePlace& place, ScheduleDice* dice) {
  constexpr uint64_t kOneIn = 4;
  if (dice->Below(kOneIn) != 0) return place.current;
  const auto count = static_cast<uint64_t>(__builtin_popcount(place.ready));
  return BitAt(place.ready, dice->Below(count));
}

uint32_t ReplayStrategy::Next(const SchedulePlace& place) {
  while (next_ < deviations_.size() &&
         deviations_[next_].point < place.number) {
    ++next_;
  }
  const bool told =
      next_ < deviations_.size() && deviations_[next_].point == place.number;
  return told ? deviations_[next_].thread : DefaultNext(place);
}

// SplitMix64 (Steele and others, OOPSLA 2014).
uint64_t ScheduleDice::Next() {
  state_ += 0x9E3779B97F4A7C15;
  uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

PriorityStrategy::PriorityStrategy(uint64_t seed, const Settings& settings)
    : dice_(seed),
      patience_(settings.patience),
      wakes_early_(settings.wakes_early) {
  for (uint32_t i = 1; i < settings.depth; ++i) {
    falls_.push_back(1 + dice_.Below(settings.expected_points));
  }
  std::sort(falls_.begin(), falls_.end());
}

void PriorityStrategy::Started(uint32_t thread) {
  priorities_[thread] = dice_.Next() | uint64_t{1} << 63;
}

bool PriorityStrategy::Falls(const SchedulePlace& place) {
  bool falls = false;
  if (place.kind == PointKind::kPause) {
    falls = ++pauses_ > patience_;
  } else if (place.kind != PointKind::kStep) {
    pauses_ = 0;
  }
  for (; next_fall_ < falls_.size() && falls_[next_fall_] <= place.number;
       ++next_fall_) {
    falls = true;
  }
  if (falls) pauses_ = 0;
  return falls;
}

uint32_t PriorityStrategy::Next(const SchedulePlace& place) {
  constexpr uint64_t kOneIn = 8;
  if (place.kind == PointKind::kLook) return SeenBy(place, &dice_);
  if (Falls(place)) priorities_[place.current] = --lowest_;
  if (wakes_early_ && place.kind == PointKind::kSleep &&
      dice_.Below(kOneIn) == 0) {
    return place.current;
  }
  uint32_t best = kMostThreads;
  for (uint32_t rest = place.ready; rest != 0; rest &= rest - 1) {
    const auto thread = static_cast<uint32_t>(__builtin_ctz(rest));
    if (best == kMostThreads || priorities_[thread] > priorities_[best]) {
      best = thread;
    }
  }
  return best;
}

uint32_t WalkStrategy::Next(const SchedulePlace& place) {
  if (place.kind == PointKind::kLook) return SeenBy(place, &dice_);
  if (place.kind == PointKind::kStep && dice_.Below(one_in_) != 0) {
    return place.current;
  }
  // One that waits gives others a chance, or it would wait for ever.
  uint32_t options = place.ready;
  const uint32_t others = options & ~(1U << place.current);
  if (place.kind == PointKind::kPause && others != 0) options = others;
  const auto count = static_cast<uint64_t>(__builtin_popcount(options));
  return BitAt(options, dice_.Below(count));
}

uint32_t BoundedSearch::Next(const SchedulePlace& place) {
  const uint32_t mine = 1U << place.current;
  uint32_t options = place.ready;
  const bool preempts =
      place.kind == PointKind::kStep || place.kind == PointKind::kLook;
  if (preempts) {
    if (used_ == preemptions_) options = mine;
  } else if ((options & ~mine) != 0) {
    options &= ~mine;
  }
  if ((options & (options - 1)) == 0) return DefaultNext(place);
  if (depth_ == choices_.size()) {
    const uint32_t first = DefaultNext(place);
    choices_.push_back({place.number, options & ~(1U << first), first, used_,
                        preempts ? place.current : kMostThreads});
  }
  const Choice& choice = choices_[depth_++];
  if (choice.point != place.number) diverged_ = true;
  used_ = choice.preemptions;
  if (choice.current != kMostThreads && choice.chosen != choice.current) {
    ++used_;
  }
  return choice.chosen;
}

bool BoundedSearch::Advance() {
  choices_.resize(depth_);
  depth_ = 0;
  used_ = 0;
  while (!choices_.empty() && choices_.back().options == 0) choices_.pop_back();
  if (choices_.empty()) return false;
  Choice& last = choices_.back();
  last.chosen = BitAt(last.options, 0);
  last.options &= last.options - 1;
  return true;
}

}  // namespace ashlar::testing
