#include "test/schedules/campaign.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <iterator>
#include <new>
#include <stdexcept>
#include <utility>

#include "test/schedules/strategies.h"

namespace ashlar::testing {

namespace {

using Clock = std::chrono::steady_clock;

// An execution that takes this many times the points of the default schedule
// never ends.
constexpr uint64_t kMostTimesLonger = 50;
constexpr uint64_t kLeastLimit = 20000;
// Seeds of one child. A fault that needs the seeds before it is found again
// from the begin of its child.
constexpr uint64_t kSeedsOfChild = 512;
// An execution takes less than a millisecond of CPU time. One that takes this
// many seconds spins without a point.
constexpr unsigned kSecondsOfChild = 120;

void* MapShared(size_t size) {
  void* const memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return memory;
}

std::string HowItEnded(int status) {
  if (WIFSIGNALED(status)) {
    return "the process ends by signal " + std::to_string(WTERMSIG(status));
  }
  return "the process ends with exit code " +
         std::to_string(WEXITSTATUS(status));
}

void BeQuiet() {
  const int null = ::open("/dev/null", O_WRONLY);
  if (null >= 0) ::dup2(null, STDERR_FILENO);
}

// One processor is enough for threads of which one runs, and to hand the turn
// over takes less time there.
void StayOnThisProcessor() {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<size_t>(::sched_getcpu()), &set);
  ::sched_setaffinity(0, sizeof set, &set);
}

double SecondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace

struct Campaign::Shared {
  ExecutionLog log;
  std::array<uint64_t, Scenario::kForms> points;  // of the default schedules
  uint64_t executions;
  uint64_t distinct;
  uint64_t all_points;
  uint64_t form;
  bool complete;
};

Campaign::Campaign(const Scenario& scenario, uint64_t most_distinct, bool weak)
    : scenario_(scenario),
      most_distinct_(most_distinct),
      weak_(weak),
      shared_(new(MapShared(sizeof(Shared))) Shared()),
      num_slots_(std::bit_ceil(2 * most_distinct)) {
  schedules_ = static_cast<uint64_t*>(MapShared(num_slots_ * sizeof(uint64_t)));
  Measure();
}

Campaign::~Campaign() {
  ::munmap(shared_, sizeof(Shared));
  ::munmap(schedules_, num_slots_ * sizeof(uint64_t));
}

void Campaign::Measure() {
  const bool well = InChild(false, [this] {
    for (uint64_t form = 0; form < Scenario::kForms; ++form) {
      DefaultStrategy strategy;
      constexpr uint64_t kMostPoints = 1000000;
      RunOne(&strategy, form, kMostPoints);
      shared_->points[form] = shared_->log.points;
    }
  });
  if (!well) AddFault(shared_->form);
  for (uint64_t& points : shared_->points) {
    points = std::max<uint64_t>(points, 1);
  }
}

template <typename Work>
bool Campaign::InChild(bool quiet, const Work& work) {
  shared_->log.Clear();
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("there are no processes left");
  if (child == 0) {
    if (quiet) BeQuiet();
    StayOnThisProcessor();
    ::alarm(kSecondsOfChild);
    work();
    ::_exit(0);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
  if (shared_->log.fault[0] == '\0') shared_->log.SetFault(HowItEnded(status));
  return false;
}

void Campaign::RunOne(Strategy* strategy, uint64_t form, uint64_t most_points) {
  shared_->form = form;
  RunControlled(strategy, most_points, &shared_->log, weak_,
                [this, form] { scenario_.run(form); });
}

namespace {

std::unique_ptr<Strategy> StrategyOf(ScheduleDice* dice, uint64_t points) {
  constexpr uint32_t kMostDepth = 6;
  if (dice->Below(4) == 0) {
    const uint64_t one_in = uint64_t{1} << (1 + dice->Below(6));
    return std::make_unique<WalkStrategy>(dice->Next(), one_in);
  }
  // The most is enough for a loop of 100 looks to come to its end.
  constexpr uint64_t kPatience[] = {0, 3, 150};
  PriorityStrategy::Settings settings;
  settings.depth = static_cast<uint32_t>(1 + dice->Below(kMostDepth));
  settings.expected_points = points;
  settings.patience = kPatience[dice->Below(std::size(kPatience))];
  settings.wakes_early = dice->Below(4) == 0;
  return std::make_unique<PriorityStrategy>(dice->Next(), settings);
}

uint64_t LimitOf(uint64_t points) {
  return std::max(kLeastLimit, kMostTimesLonger * points);
}

}  // namespace

void Campaign::RunSeed(uint64_t seed) {
  ScheduleDice dice(seed);
  const uint64_t form = dice.Below(Scenario::kForms);
  const uint64_t points = shared_->points[form];
  shared_->log.seed = seed;
  RunOne(StrategyOf(&dice, points).get(), form, LimitOf(points));
}

// Counts the execution that has just ended.
void Campaign::Count() {
  ++shared_->executions;
  shared_->all_points += shared_->log.points;
  if (shared_->distinct == most_distinct_) return;
  const uint64_t schedule =
      std::max<uint64_t>(shared_->log.schedule + shared_->form, 1);
  uint64_t slot = schedule & (num_slots_ - 1);
  while (schedules_[slot] != 0 && schedules_[slot] != schedule) {
    slot = (slot + 1) & (num_slots_ - 1);
  }
  if (schedules_[slot] == 0) ++shared_->distinct;
  schedules_[slot] = schedule;
}

void Campaign::TakeCounts() {
  result_.executions = shared_->executions;
  result_.distinct = shared_->distinct;
  result_.points = shared_->all_points;
}

void Campaign::RunSeeds(uint64_t first, uint64_t count, double seconds) {
  const Clock::time_point begin = Clock::now();
  for (uint64_t done = 0; done < count && result_.faults.empty();
       done += kSeedsOfChild) {
    if (SecondsSince(begin) >= seconds) break;
    const uint64_t last = first + std::min(done + kSeedsOfChild, count);
    const bool well = InChild(false, [&] {
      for (uint64_t seed = first + done; seed < last; ++seed) {
        RunSeed(seed);
        Count();
      }
    });
    TakeCounts();
    if (!well) AddFault(shared_->form);
  }
}

void Campaign::RunAll(uint64_t form, uint32_t preemptions, double seconds) {
  const Clock::time_point begin = Clock::now();
  BoundedSearch search(preemptions);
  shared_->complete = false;
  const bool well = InChild(false, [&] {
    ::alarm(0);
    do {
      RunOne(&search, form, LimitOf(shared_->points[form]));
      Count();
      if (search.diverged()) {
        shared_->log.SetFault("the same choices lead to other points");
        ::_exit(kFaultExit);
      }
      if (SecondsSince(begin) >= seconds) return;
    } while (search.Advance());
    shared_->complete = true;
  });
  TakeCounts();
  result_.complete = shared_->complete;
  if (!well) AddFault(form);
}

bool Campaign::Fails(uint64_t form, const std::vector<Deviation>& deviations) {
  return !InChild(true, [&] {
    ReplayStrategy strategy(deviations);
    RunOne(&strategy, form, LimitOf(shared_->points[form]));
  });
}

namespace {

// Returns the deviations without `size` of them, from place `at` on, and
// without the one at `also`, if that is a place behind these.
std::vector<Deviation> Without(const std::vector<Deviation>& all, size_t at,
                               size_t size, size_t also) {
  std::vector<Deviation> fewer;
  for (size_t i = 0; i < all.size(); ++i) {
    if ((i < at || i >= at + size) && i != also) fewer.push_back(all[i]);
  }
  return fewer;
}

}  // namespace

// Leaves out halves, quarters and so on, then single choices, then two at once:
// away from a thread and back to it.
std::vector<Deviation> Campaign::Shorten(uint64_t form,
                                         std::vector<Deviation> deviations) {
  const auto try_without = [&](size_t at, size_t size, size_t also) {
    std::vector<Deviation> fewer = Without(deviations, at, size, also);
    if (!Fails(form, fewer)) return false;
    deviations = std::move(fewer);
    return true;
  };
  for (size_t part = std::max<size_t>(deviations.size() / 2, 1); part > 0;
       part /= 2) {
    for (size_t at = 0; at < deviations.size();) {
      if (!try_without(at, part, deviations.size())) at += part;
    }
  }
  constexpr size_t kFew = 20;
  if (deviations.size() > kFew) return deviations;
  for (size_t at = 0; at < deviations.size(); ++at) {
    for (size_t also = at + 1; also < deviations.size();) {
      if (!try_without(at, 1, also)) ++also;
    }
  }
  return deviations;
}

void Campaign::AddFault(uint64_t form) {
  const ExecutionLog& log = shared_->log;
  FoundFault fault{.seed = log.seed, .text = log.fault.data()};
  fault.deviations.assign(log.deviations.begin(),
                          log.deviations.begin() + log.num_deviations);
  const bool all_are_known = !log.lost_deviations;
  fault.replays = all_are_known && Fails(form, fault.deviations);
  if (fault.replays) {
    fault.deviations = Shorten(form, std::move(fault.deviations));
    if (Fails(form, fault.deviations)) fault.text = log.fault.data();
  }
  result_.faults.push_back(std::move(fault));
}

}  // namespace ashlar::testing
