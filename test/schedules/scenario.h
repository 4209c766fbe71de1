// What the schedules are tried on: pieces of work for a few threads, which end,
// and which check what they did.
#ifndef ASHLAR_TEST_SCHEDULES_SCENARIO_H_
#define ASHLAR_TEST_SCHEDULES_SCENARIO_H_

#include <pthread.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace ashlar::testing {

struct Scenario {
  // Each scenario is run in this many forms.
  static constexpr uint64_t kForms = 64;

  std::string_view name;
  // Runs in controlled threads, or in one thread that is not controlled, before
  // a schedule is chosen. A form always does the same.
  void (*run)(uint64_t form);
};

std::span<const Scenario> SyncScenarios();
std::span<const Scenario> PoolScenarios();
std::span<const Scenario> CacheScenarios();
std::span<const Scenario> TableScenarios();
// Each has a fault that the campaign must find. For its own test.
std::span<const Scenario> FaultyScenarios();
// Faults where memory is weak, but for those whose names end with "_kept".
std::span<const Scenario> WeakScenarios();

// The threads of a scenario.
class ScenarioThreads {
 public:
  ScenarioThreads() = default;
  ScenarioThreads(const ScenarioThreads&) = delete;
  ScenarioThreads& operator=(const ScenarioThreads&) = delete;
  // Joins all threads.
  ~ScenarioThreads() { Join(); }

  void Start(std::function<void()> work);
  void Join();

 private:
  struct Started {
    std::function<void()> work;
    pthread_t handle{};
  };
  // In memory that does not move.
  std::vector<std::unique_ptr<Started>> threads_;
};

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SCHEDULES_SCENARIO_H_
