#include "tools/cache_sim/experiment.h"

#include <algorithm>
#include <memory>

#include "ashlar/util/worker_pool.h"
#include "util/sync/worker_crew.h"

namespace ashlar::sim {

namespace {

// A run of one policy with one size and one seed.
struct Run {
  size_t policy = 0;
  size_t size = 0;
  uint64_t seed = 0;
  // The results.
  Status status;
  double misses = 0;  // share of the accesses
  double misses_of_hot = 0;
  double saved = 0;  // per miss of the first tier
};

double Part(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0
                    : static_cast<double>(part) / static_cast<double>(whole);
}

class Replay {
 public:
  Replay(const Trace& trace, Policy* policy) : trace_(trace), policy_(policy) {}

  void Step(uint32_t key) {
    const uint64_t missed = policy_->Access(key) ? 0 : 1;
    misses_ += missed;
    if (trace_.is_hot.empty() || !trace_.is_hot[key]) return;
    ++hot_;
    hot_misses_ += missed;
  }
  void Report(Run* run) const {
    run->misses = Part(misses_, trace_.accesses.size());
    run->misses_of_hot = Part(hot_misses_, hot_);
    run->saved = policy_->SavedPerMiss();
  }

 private:
  const Trace& trace_;
  Policy* const policy_;
  uint64_t misses_ = 0;
  uint64_t hot_ = 0;
  uint64_t hot_misses_ = 0;
};

void ReplayAll(const ExperimentOptions& options, const Trace& trace,
               Policy* policy, Run* run) {
  constexpr size_t kStretch = size_t{1} << 16;
  Replay replay(trace, policy);
  const std::vector<uint32_t>& accesses = trace.accesses;
  for (size_t begin = 0; begin < accesses.size(); begin += kStretch) {
    const size_t end = std::min(begin + kStretch, accesses.size());
    for (size_t i = begin; i < end; ++i) replay.Step(accesses[i]);
    options.on_replayed(end - begin);
  }
  replay.Report(run);
}

std::vector<Run> PlanRuns(const ExperimentOptions& options) {
  std::vector<Run> runs;
  for (size_t policy = 0; policy < options.policies.size(); ++policy) {
    const uint32_t seeds =
        options.policies[policy]->is_seeded ? options.seeds : 1;
    for (size_t size = 0; size < options.sizes.size(); ++size) {
      for (uint32_t i = 0; i < seeds; ++i) {
        runs.push_back({policy, size, options.first_seed + i});
      }
    }
  }
  return runs;
}

MissRatio Summarise(const std::vector<Run>& runs, size_t policy, size_t size) {
  MissRatio ratio = {.least = 1};
  double count = 0;
  for (const Run& run : runs) {
    if (run.policy != policy || run.size != size) continue;
    ++count;
    ratio.mean += run.misses;
    ratio.mean_of_hot += run.misses_of_hot;
    ratio.mean_saved += run.saved;
    ratio.least = std::min(ratio.least, run.misses);
    ratio.most = std::max(ratio.most, run.misses);
  }
  ratio.mean /= count;
  ratio.mean_of_hot /= count;
  ratio.mean_saved /= count;
  return ratio;
}

}  // namespace

uint64_t WorkOf(const ExperimentOptions& options, const Trace& trace) {
  return PlanRuns(options).size() * trace.accesses.size();
}

Status RunExperiment(const ExperimentOptions& options, const Trace& trace,
                     TraceResult* result) {
  std::vector<Run> runs = PlanRuns(options);
  const auto do_run = [&](uint32_t i) {
    Run& run = runs[i];
    auto policy = options.policies[run.policy]->make(
        {.capacity = options.sizes[run.size].Of(trace.distinct_keys),
         .seed = run.seed,
         .num_shard_bits = options.num_shard_bits,
         .second_tier = options.second_tier,
         .second_tier_policy = options.second_tier_policy},
        trace);
    run.status = policy.status();
    if (policy.ok()) ReplayAll(options, trace, policy->get(), &run);
    return policy.ok();
  };
  const uint32_t helpers = std::max(1U, options.jobs) - 1;
  WorkerPool pool(helpers);
  const internal::WorkerCrew crew(pool.state(), helpers);
  if (!crew.ForEach(static_cast<uint32_t>(runs.size()), do_run)) {
    for (const Run& run : runs) {
      if (!run.status.ok()) {
        return run.status.WithPrefix(options.policies[run.policy]->name);
      }
    }
  }
  *result = {.name = trace.name,
             .accesses = trace.accesses.size(),
             .distinct_keys = trace.distinct_keys,
             .has_hot_keys = !trace.is_hot.empty()};
  for (size_t size = 0; size < options.sizes.size(); ++size) {
    Pair pair = {options.sizes[size].text,
                 options.sizes[size].Of(trace.distinct_keys),
                 {}};
    for (size_t policy = 0; policy < options.policies.size(); ++policy) {
      pair.misses.push_back(Summarise(runs, policy, size));
    }
    result->pairs.push_back(std::move(pair));
  }
  return Status::OK();
}

}  // namespace ashlar::sim
