// Scenarios of what runs on the threads of a pool.
#include <array>

#include "ashlar/util/status.h"
#include "ashlar/util/worker_pool.h"
#include "test/schedules/controlled_threads.h"
#include "test/schedules/scenario.h"
#include "util/sync/pool_call.h"
#include "util/sync/request_threads.h"
#include "util/sync/semaphore.h"
#include "util/sync/worker_crew.h"

namespace ashlar::testing {

namespace {

using internal::CountingSemaphore;
using internal::PoolCall;
using internal::WorkerCrew;

// Counts for the thread that waits for this one.
void AddOne(int* count) {
  ChangesData(count);
  ++*count;
}

// A loop of three units, of which one fails in every other form.
void LoopOver(const WorkerCrew& crew, bool fails) {
  constexpr uint32_t kUnits = 3;
  std::array<int, kUnits> done{};
  const bool all = crew.ForEach(kUnits, [&](uint32_t unit) {
    internal::LookPoint();
    AddOne(&done[unit]);
    return !fails || unit != 1;
  });
  Expect(all != fails, "a loop says the wrong thing about its units");
  for (const int& times : done) {
    ReadsData(&times);
    Expect(times <= 1, "a unit is done twice");
    Expect(times == 1 || fails, "a unit is left out");
  }
}

void Crew(uint64_t form) {
  WorkerPool pool(1 + form % 2);
  const WorkerCrew crew(pool.state(), 2);
  ScenarioThreads threads;
  threads.Start([&] { LoopOver(crew, form % 4 >= 2); });
  LoopOver(crew, false);
}

void Call(uint64_t form) {
  WorkerPool pool(1 + form % 2);
  int made = 0;
  {
    PoolCall call;
    call.Start(pool.state(), [&] {
      AddOne(&made);
      return form % 4 >= 2 ? Status::Aborted("told to") : Status();
    });
    if (form % 8 < 4) {
      const bool failed = !call.Wait().ok();
      ReadsData(&made);
      Expect(made == 1, "a call is not made once");
      Expect(failed == (form % 4 >= 2), "the result of a call is lost");
    }
  }
  ReadsData(&made);
  Expect(made <= 1, "a call is made twice");
}

void Requests(uint64_t form) {
  std::array<int, 4> done{};
  {
    RequestThreads threads(2);
    CountingSemaphore ended;
    for (int& times : done) {
      const bool taken = threads.state()->Submit([&] {
        AddOne(&times);
        ended.Release();
      });
      Expect(taken, "a request is refused");
      if (form % 2 == 0) ended.Acquire();
    }
    for (size_t i = 0; form % 2 != 0 && i < done.size(); ++i) ended.Acquire();
  }
  for (const int& times : done) {
    ReadsData(&times);
    Expect(times == 1, "a request is lost");
  }
}

constexpr std::array kScenarios = {
    Scenario{"crew", &Crew},
    Scenario{"call", &Call},
    Scenario{"requests", &Requests},
};

}  // namespace

std::span<const Scenario> PoolScenarios() { return kScenarios; }

}  // namespace ashlar::testing
