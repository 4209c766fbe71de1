#include "tools/bench/cache_report.h"

#include <cinttypes>
#include <cstdio>
#include <iterator>
#include <utility>

#include "tools/bench/cache_record.h"
#include "tools/bench/report_parts.h"

namespace ashlar::bench {

namespace {

constexpr double kPercentiles[] = {50, 75, 99, 99.9, 99.99};

double PerSecond(const RunResult& run) {
  return static_cast<double>(run.operations) / run.measured.seconds;
}

double ThreadsPerSecond(const RunResult& run, int threads) {
  return static_cast<double>(run.operations) / threads / run.thread_seconds;
}

double HitRatio(const RunResult& run) {
  return static_cast<double>(run.found) / static_cast<double>(run.lookups);
}

const CacheEntrant* LimitOf(const std::vector<CacheEntrant>& entrants,
                            int threads) {
  for (const CacheEntrant& entrant : entrants) {
    if (entrant.is_limit() && entrant.options.threads == threads) {
      return &entrant;
    }
  }
  return nullptr;
}

// Returns the ratios of CPU times. With more threads than cores, these are
// what a record costs.
std::vector<Ratio> CpuRatiosOf(const BenchmarkReport& report,
                               const std::vector<CacheEntrant>& entrants) {
  std::vector<Ratio> ratios;
  const std::string& first = entrants.front().name;
  for (const CacheEntrant& other : entrants) {
    if (other.name == first) continue;
    const bool is_limit = other.is_limit();
    const std::string& a = is_limit ? first : other.name;
    const std::string& b = is_limit ? other.name : first;
    std::string name = "CPU time of ";
    name.append(a).append(" / ").append(b);
    ratios.push_back({std::move(name), report.CpuRatio(a, b)});
  }
  return ratios;
}

// Returns the ratios of the first entrant to the others. Also compares each
// with the limit, or subtracts the limit, if the limit ran with the same number
// of threads.
std::vector<Ratio> RatiosOf(const BenchmarkReport& report,
                            const std::vector<CacheEntrant>& entrants) {
  const bool records = IsRecordBenchmark(report.benchmark);
  std::vector<Ratio> ratios;
  if (records) ratios = CpuRatiosOf(report, entrants);
  const CacheEntrant& first = entrants.front();
  for (const CacheEntrant& other : entrants) {
    if (&other == &first || other.is_limit()) continue;
    ratios.push_back({first.name + " is x times as fast as " + other.name,
                      report.RateRatio(first.name, other.name)});
  }
  for (const CacheEntrant& entrant : entrants) {
    const CacheEntrant* const limit =
        LimitOf(entrants, entrant.options.threads);
    if (entrant.is_limit() || limit == nullptr) continue;
    ratios.push_back({"time of " + entrant.name + " / " + limit->name,
                      report.WallRatio(entrant.name, limit->name)});
    if (&entrant == &first || records ||
        report.benchmark.starts_with("hot_key") ||
        entrant.options.threads != first.options.threads) {
      continue;
    }
    ratios.push_back(
        {"own cost of " + first.name + " / " + entrant.name,
         report.OwnCostRatio(first.name, entrant.name, limit->name)});
  }
  return ratios;
}

void PrintLatency(const char* what, const LatencyHistogram& latency) {
  std::printf("  %s, ns each: mean %.1f, deviation %.1f, least %" PRIu64
              ", most %" PRIu64 ", of %" PRIu64 "\n",
              what, latency.Average(), latency.StandardDeviation(),
              latency.min(), latency.max(), latency.count());
  std::printf("   ");
  for (const double p : kPercentiles) {
    std::printf(" %g%% below %.1f", p, latency.Percentile(p));
    if (p != std::end(kPercentiles)[-1]) std::printf(",");
  }
  std::printf("\n");
}

Json ToJson(const LatencyHistogram& latency) {
  Json out = {{"count", latency.count()},
              {"average", latency.Average()},
              {"max", latency.max()}};
  for (const double p : kPercentiles) {
    char name[16];
    std::snprintf(name, sizeof name, "P%g", p);
    out[name] = latency.Percentile(p);
  }
  return out;
}

void PrintRun(const RunResult& run, int threads) {
  std::printf("  %.0f operations/s: %.2f ns each, over in %.3f s\n",
              PerSecond(run), 1e9 / PerSecond(run), run.measured.seconds);
  std::printf("  %.0f operations/s in each of %d threads; %.3f CPU seconds",
              ThreadsPerSecond(run, threads), threads,
              run.measured.cpu_seconds);
  std::printf(", %.1f CPU ns each\n", 1e9 * run.measured.cpu_seconds /
                                          static_cast<double>(run.operations));
  if (run.lookups != 0) {
    std::printf("  found %.6f of what was looked up: %" PRIu64 " of %" PRIu64
                "\n",
                HitRatio(run), run.found, run.lookups);
  }
  if (run.entries == 0) return;
  std::printf("  %" PRIu64 " entries, charged %" PRIu64 " bytes", run.entries,
              run.usage_bytes);
  if (run.table_bytes != 0) {
    std::printf(", in a table of %.1f bytes per entry",
                static_cast<double>(run.table_bytes) /
                    static_cast<double>(run.entries));
  }
  std::printf("\n");
}

}  // namespace

void PrintText(const CacheReport& report,
               const std::vector<CacheEntrant>& entrants) {
  const BenchmarkReport& rounds = report.rounds;
  for (const CacheEntrant& entrant : entrants) {
    const auto found = rounds.results.find(entrant.name);
    if (found == rounds.results.end()) continue;
    std::printf("\n%s [%s]\n", rounds.benchmark.c_str(), entrant.name.c_str());
    PrintRun(MedianRun(found->second), entrant.options.threads);
    const auto latency = report.latencies.find(entrant.name);
    if (latency == report.latencies.end()) continue;
    PrintLatency("operations", latency->second.operations);
    if (latency->second.gathers.count() > 0) {
      PrintLatency("counting entries by role", latency->second.gathers);
    }
  }
  std::printf("\n");
  PrintRatios(rounds, RatiosOf(rounds, entrants));
  std::fflush(stdout);
}

std::string ToJson(const std::vector<CacheReport>& reports,
                   const std::vector<CacheEntrant>& entrants) {
  Json document;
  document["schema"] = "ashlar-cache-bench/1";
  for (const CacheEntrant& entrant : entrants) {
    document["engines"][entrant.name] =
        entrant.engine->Describe(entrant.options);
  }
  document["benchmarks"] = Json::array();
  for (const CacheReport& report : reports) {
    Json entry = ToJson(report.rounds, RatiosOf(report.rounds, entrants));
    for (const CacheEntrant& entrant : entrants) {
      const RunResult& run = MedianRun(report.rounds.results.at(entrant.name));
      Json& out = entry["engines"][entrant.name];
      out["threads"] = entrant.options.threads;
      out["ops_per_second"] = PerSecond(run);
      out["thread_ops_per_second"] =
          ThreadsPerSecond(run, entrant.options.threads);
      out["lookups"] = run.lookups;
      out["entries"] = run.entries;
      out["usage_bytes"] = run.usage_bytes;
      out["table_bytes"] = run.table_bytes;
      const auto latency = report.latencies.find(entrant.name);
      if (latency == report.latencies.end()) continue;
      out["latency_ns"] = ToJson(latency->second.operations);
      out["gather_stats_ns"] = ToJson(latency->second.gathers);
    }
    document["benchmarks"].push_back(std::move(entry));
  }
  return document.dump(2);
}

}  // namespace ashlar::bench
