#include "test/interop/sample_plans.h"

#include <algorithm>
#include <optional>
#include <random>
#include <utility>

#include "test/interop/plan_fields.h"

namespace ashlar::interop {

namespace {

using Random = std::mt19937_64;

// One value of one field.
struct Setting {
  size_t field;
  size_t value;
};

struct Candidate {
  Choices choices;
  Plan plan;
};

// Returns a plan with these settings, possible or not. The share of later
// fields that keep their first value varies from plan to plan.
Choices DrawChoices(const std::vector<Setting>& fixed, Random* random) {
  const auto fields = PlanFields();
  const uint64_t tenths_plain = std::min<uint64_t>((*random)() % 12, 9);
  Choices choices;
  for (size_t i = 0; i < fields.size(); ++i) {
    uint64_t value = (*random)() % fields[i].CountValues();
    if (i >= kEvenFields && (*random)() % 10 < tenths_plain) value = 0;
    choices.push_back(static_cast<uint8_t>(value));
  }
  for (const Setting& setting : fixed) {
    choices[setting.field] = static_cast<uint8_t>(setting.value);
  }
  return choices;
}

// Returns a possible plan that passes the filter, or nothing after `tries`
// tries.
std::optional<Candidate> Draw(const std::vector<Setting>& fixed,
                              const PlanFilter& filter, size_t tries,
                              Random* random) {
  for (; tries > 0; --tries) {
    Choices choices = DrawChoices(fixed, random);
    Plan plan = MakePlan(choices);
    if (IsPossible(plan) && (!filter || filter(plan))) {
      return Candidate{std::move(choices), std::move(plan)};
    }
  }
  return std::nullopt;
}

// The pairs of values of two fields that no plan has yet.
class MissingPairs {
 public:
  MissingPairs() {
    for (const PlanField& field : PlanFields()) {
      first_.push_back(settings_);
      settings_ += field.CountValues();
    }
    missing_.resize(settings_ * settings_);
    for (size_t i = 0; i < first_.size(); ++i) {
      for (size_t j = i + 1; j < first_.size(); ++j) AddAll(i, j);
    }
  }

  size_t size() const { return size_; }

  size_t CountIn(const Choices& choices) const {
    size_t count = 0;
    for (size_t i = 0; i < choices.size(); ++i) {
      for (size_t j = i + 1; j < choices.size(); ++j) {
        count += missing_[At({i, choices[i]}, {j, choices[j]})] ? 1 : 0;
      }
    }
    return count;
  }

  void Remove(const Setting& a, const Setting& b) {
    const size_t at = At(a, b);
    size_ -= missing_[at] ? 1 : 0;
    missing_[at] = false;
  }

  void RemoveAllIn(const Choices& choices) {
    for (size_t i = 0; i < choices.size(); ++i) {
      for (size_t j = i + 1; j < choices.size(); ++j) {
        Remove({i, choices[i]}, {j, choices[j]});
      }
    }
  }

  // Returns a random pair. Requires that one is missing.
  std::vector<Setting> Pick(Random* random) const {
    size_t at = (*random)() % missing_.size();
    while (!missing_[at]) at = (at + 1) % missing_.size();
    return {SettingOf(at / settings_), SettingOf(at % settings_)};
  }

 private:
  size_t At(const Setting& a, const Setting& b) const {
    return (first_[a.field] + a.value) * settings_ + first_[b.field] + b.value;
  }

  void AddAll(size_t i, size_t j) {
    const auto fields = PlanFields();
    for (size_t a = 0; a < fields[i].CountValues(); ++a) {
      for (size_t b = 0; b < fields[j].CountValues(); ++b) {
        missing_[At({i, a}, {j, b})] = true;
        ++size_;
      }
    }
  }

  Setting SettingOf(size_t number) const {
    const auto above = std::upper_bound(first_.begin(), first_.end(), number);
    const auto field = static_cast<size_t>(above - first_.begin()) - 1;
    return {field, number - first_[field]};
  }

  std::vector<size_t> first_;  // of each field, its first setting
  size_t settings_ = 0;
  std::vector<bool> missing_;  // by two settings, the earlier field's first
  size_t size_ = 0;
};

}  // namespace

PairwiseSample PairwisePlans(const PlanFilter& filter) {
  // A pair counts as impossible after kTries plans. The best of kCandidates
  // plans with a pair is taken.
  constexpr size_t kTries = 3000;
  constexpr size_t kCandidates = 60;
  Random random(7);
  MissingPairs missing;
  PairwiseSample sample;
  sample.pairs = missing.size();
  while (missing.size() > 0) {
    const std::vector<Setting> pair = missing.Pick(&random);
    std::optional<Candidate> best = Draw(pair, filter, kTries, &random);
    if (!best) {
      missing.Remove(pair[0], pair[1]);
      const auto label = [](const Setting& setting) {
        return std::string(PlanFields()[setting.field].Label(setting.value));
      };
      sample.impossible.push_back(label(pair[0]) + " with " + label(pair[1]));
      continue;
    }
    size_t most = missing.CountIn(best->choices);
    for (size_t i = 1; i < kCandidates; ++i) {
      std::optional<Candidate> other = Draw(pair, filter, 20, &random);
      if (!other || missing.CountIn(other->choices) <= most) continue;
      most = missing.CountIn(other->choices);
      best = std::move(other);
    }
    missing.RemoveAllIn(best->choices);
    sample.plans.push_back(std::move(best->plan));
  }
  return sample;
}

std::vector<Plan> RandomPlans(size_t count, uint64_t seed,
                              const PlanFilter& filter) {
  constexpr size_t kTries = 100000;
  Random random(seed);
  std::vector<Plan> plans;
  while (plans.size() < count) {
    std::optional<Candidate> drawn = Draw({}, filter, kTries, &random);
    if (!drawn) break;
    plans.push_back(std::move(drawn->plan));
  }
  return plans;
}

std::vector<Plan> FirstPlans(std::vector<Plan> plans, size_t count) {
  plans.resize(std::min(count, plans.size()));
  return plans;
}

}  // namespace ashlar::interop
