// cache_sim: replays traces through the library's caches, and through models of
// other policies, at several sizes, and prints the misses.

#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "ashlar/util/file.h"
#include "port/threads.h"
#include "third-party/gflags_lib.h"
#include "tools/bench/command_line.h"
#include "tools/cache_sim/help.h"
#include "tools/cache_sim/json_report.h"
#include "tools/cache_sim/miss_curves.h"
#include "tools/cache_sim/policies.h"
#include "tools/cache_sim/print_text.h"
#include "tools/cache_sim/run_traces.h"

DEFINE_string(caches, "clock,clock_growing,lru", "comma-separated");
DEFINE_string(sizes, "1%,5%,10%,20%",
              "sizes of the caches, separated by commas, in entries (5K is "
              "5000) or as a percentage of a trace's keys");
DEFINE_uint32(seeds, 5,
              "replays of each cache that hashes its keys or draws random "
              "numbers, each with its own seed; the mean is printed");
DEFINE_uint64(first_seed, 1, "first seed; the other seeds follow it");
DEFINE_int32(num_shard_bits, 0, "the library's caches have 2^n shards");
DEFINE_uint32(second_tier, 1,
              "entries of the second tier of tiered caches, as a multiple of "
              "those of the first tier");
DEFINE_string(
    second_tier_policy, "hits",
    "tiered caches: entries that are saved when they are evicted: placeholder "
    "(on the second eviction), hits (also those that were hit), all");
DEFINE_uint32(jobs, 0, "replays at a time; 0: one per processor");
DEFINE_uint64(limit, 0, "accesses to read of each file; 0: all");
DEFINE_string(format, "",
              "format of all files: u64, oracleGeneral, csv, blocktrace; "
              "empty: chosen by their names");
DEFINE_uint32(csv_column, 1,
              "CSV files: number of the column with the key, from 1");
DEFINE_bool(csv_header, false, "CSV files: the first line is a header");
DEFINE_string(reference, "",
              "the cache that the others are compared with; empty: the first");
DEFINE_bool(json, false, "one JSON document instead of a table");
DEFINE_string(svg, "", "file to draw miss-ratio curves into");
DEFINE_string(
    progress, "auto",
    "show progress on standard error: auto (on a terminal), always, never");

DECLARE_bool(help);

namespace ashlar::sim {

namespace {

TieredAdmissionPolicy TierPolicyFromFlag() {
  const std::string& name = FLAGS_second_tier_policy;
  if (name == "placeholder")
    return TieredAdmissionPolicy::kAdmPolicyPlaceholder;
  if (name == "hits") return TieredAdmissionPolicy::kAdmPolicyAllowCacheHits;
  if (name == "all") return TieredAdmissionPolicy::kAdmPolicyAllowAll;
  bench::Usage("--second_tier_policy is placeholder, hits or all");
}

ExperimentOptions OptionsFromFlags() {
  if (FLAGS_progress != "auto" && FLAGS_progress != "always" &&
      FLAGS_progress != "never") {
    bench::Usage("--progress is auto, always or never");
  }
  if (FLAGS_second_tier < 1) bench::Usage("--second_tier must be 1 or more");
  if (FLAGS_seeds < 1 || FLAGS_first_seed < 1 || FLAGS_csv_column < 1) {
    bench::Usage("--seeds, --first_seed and --csv_column must be 1 or more");
  }
  ExperimentOptions options;
  options.seeds = FLAGS_seeds;
  options.first_seed = FLAGS_first_seed;
  options.num_shard_bits = FLAGS_num_shard_bits;
  options.second_tier = FLAGS_second_tier;
  options.second_tier_policy = TierPolicyFromFlag();
  options.jobs = FLAGS_jobs != 0 ? FLAGS_jobs : port::CpuCount();
  Status s = FindPolicies(FLAGS_caches, &options.policies);
  if (s.ok()) s = ParseCacheSizes(FLAGS_sizes, &options.sizes);
  if (!s.ok()) bench::Usage(std::string(s.message()));
  return options;
}

// Returns the options for traces in files.
ReadTraceOptions ReadOptionsFromFlags() {
  return {.format = FLAGS_format,
          .most_accesses = FLAGS_limit != 0 ? FLAGS_limit : UINT64_MAX,
          .csv_column = FLAGS_csv_column,
          .csv_header = FLAGS_csv_header};
}

bool ShowsProgress() {
  return FLAGS_progress == "always" ||
         (FLAGS_progress == "auto" && isatty(STDERR_FILENO) != 0);
}

Status WriteSvg(const ExperimentOptions& options,
                const std::vector<TraceResult>& results) {
  if (FLAGS_svg.empty()) return Status::OK();
  auto file = AtomicFile::Create(FLAGS_svg, {});
  if (!file.ok()) return file.status();
  Status s = (*file)->file()->Append(DrawSvg(MissCurves(options, results)));
  return s.ok() ? (*file)->Commit() : s;
}

size_t Reference(const ExperimentOptions& options) {
  if (FLAGS_reference.empty()) return 0;
  for (size_t i = 0; i < options.policies.size(); ++i) {
    if (FLAGS_reference == options.policies[i]->name) return i;
  }
  bench::Usage("--reference is not one of --caches: " + FLAGS_reference);
}

int Main(const std::vector<std::string>& sources) {
  const ExperimentOptions options = OptionsFromFlags();
  const size_t reference = Reference(options);
  if (sources.empty()) bench::Usage("there is no trace to replay");
  std::vector<TraceResult> results;
  Status s = RunTraces(sources, ReadOptionsFromFlags(), options,
                       ShowsProgress(), &results);
  if (s.ok()) s = WriteSvg(options, results);
  if (!s.ok()) {
    std::fprintf(stderr, "cache_sim: %s\n", s.ToString().c_str());
    return s.IsCorruption() ? 1 : 2;
  }
  if (FLAGS_json) {
    std::printf("%s\n", ToJson(options, results, reference).c_str());
  } else {
    PrintText(options, results, reference);
  }
  return 0;
}

}  // namespace

}  // namespace ashlar::sim

int main(int argc, char** argv) {
  ashlar::bench::ReadUnits(argc, argv);
  gflags::ParseCommandLineNonHelpFlags(&argc, &argv, true);
  if (FLAGS_help) {
    ashlar::sim::PrintHelp(__FILE__);
    return 0;
  }
  gflags::HandleCommandLineHelpFlags();
  return ashlar::sim::Main({argv + 1, argv + argc});
}
