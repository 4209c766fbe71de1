// Lets each file call, or each allocation, of many pieces of work fail
// (fault_scenarios.h), in every way (injected_faults.h), and judges what comes
// of it (fault_judge.h).
//
//   faults_attack files <first> <count> <step> <flips>
//   faults_attack memory <first> <count> <step> <stride>
//
// Takes `count` scenarios, from number `first` on each `step`-th. Of each read,
// `flips` bits are changed; of the allocations, each `stride`-th fails, alone
// and with all after it. Prints one line of JSON: how many scenarios there are,
// how many were taken, at how many points something failed, in how many runs,
// and how these ended. Exits with 1 if a run was wrong, and says which on
// standard error.
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>

#include "ashlar/util/printable.h"
#include "test/attack/fault_judge.h"
#include "test/attack/fault_scenarios.h"

namespace ashlar::testing {
namespace {

struct Counts {
  uint64_t taken = 0;
  uint64_t points = 0;
  uint64_t runs = 0;
  uint64_t errors = 0;
  uint64_t wrong = 0;
};

void Take(const FaultScenario& scenario, const std::string& fault,
          const std::string& reason, bool has_failed, Counts* counts) {
  ++counts->runs;
  if (has_failed) ++counts->errors;
  if (reason.empty()) return;
  ++counts->wrong;
  // A reason may have bytes of a file.
  std::fprintf(stderr, "%s: %s: %s\n", scenario.name.c_str(), fault.c_str(),
               PrintableText(reason).c_str());
}

void AttackFiles(const FaultScenario& scenario, uint64_t flips,
                 Counts* counts) {
  FaultJudge judge(scenario);
  const std::vector<CountedCall> calls = judge.calls();
  counts->points += calls.size();
  for (const InjectedFault& fault : FaultsAt(calls, flips)) {
    const std::string reason = judge.OfFault(fault);
    Take(scenario, fault.Plan() + " (" + calls[fault.number - 1].name + ")",
         reason, judge.has_failed(), counts);
  }
}

void AttackMemory(const FaultScenario& scenario, uint64_t stride,
                  Counts* counts) {
  FaultJudge judge(scenario);
  for (uint64_t n = 1; n <= judge.allocations(); n += stride) {
    ++counts->points;
    for (const FailureMode mode :
         {FailureMode::kOnce, FailureMode::kFromThere}) {
      const std::string reason = judge.OfAllocation(n, mode);
      Take(scenario,
           "allocation " + std::to_string(n) +
               (mode == FailureMode::kOnce ? "" : " and all after it"),
           reason, judge.has_failed(), counts);
    }
  }
}

bool Parse(const char* text, uint64_t* number) {
  const char* const end = text + std::strlen(text);
  const auto [at, error] = std::from_chars(text, end, *number);
  return error == std::errc() && at == end;
}

int Run(int argc, char** argv) {
  std::array<uint64_t, 4> numbers = {};
  bool is_usable = argc == 6;
  for (size_t i = 0; is_usable && i < numbers.size(); ++i) {
    is_usable = Parse(argv[i + 2], &numbers[i]);
  }
  const std::string what = is_usable ? argv[1] : "";
  const auto [first, count, step, each] = numbers;
  if ((what != "files" && what != "memory") || step == 0 ||
      (what == "memory" && each == 0)) {
    std::fprintf(stderr,
                 "usage: faults_attack files <first> <count> <step> <flips>\n"
                 "       faults_attack memory <first> <count> <step> "
                 "<stride>\n");
    return 2;
  }
  const std::vector<FaultScenario> scenarios = AllFaultScenarios();
  Counts counts;
  for (size_t i = first; i < scenarios.size() && counts.taken < count;
       i += step) {
    ++counts.taken;
    what == "files" ? AttackFiles(scenarios[i], each, &counts)
                    : AttackMemory(scenarios[i], each, &counts);
  }
  std::printf(
      "{\"forms\": %zu, \"count\": %llu, \"points\": %llu, \"runs\": %llu, "
      "\"errors\": %llu, \"wrong\": %llu}\n",
      scenarios.size(), static_cast<unsigned long long>(counts.taken),
      static_cast<unsigned long long>(counts.points),
      static_cast<unsigned long long>(counts.runs),
      static_cast<unsigned long long>(counts.errors),
      static_cast<unsigned long long>(counts.wrong));
  return counts.wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace ashlar::testing

int main(int argc, char** argv) {
  try {
    // Thousands of files are synced: a file system in memory does it at once.
    // Not replaced where the user has chosen one.
    if (access("/dev/shm", W_OK | X_OK) == 0) {
      setenv("TMPDIR", "/dev/shm", /*overwrite=*/0);
    }
    return ashlar::testing::Run(argc, argv);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "faults_attack: %s\n", failure.what());
    return 2;
  }
}
