// Every policy is replayed at every size with every seed, whichever thread does
// it, and the results are summed correctly.

#include "tools/cache_sim/experiment.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tools/cache_sim/comparison.h"
#include "tools/cache_sim/generate_trace.h"
#include "tools/cache_sim/policies.h"

namespace ashlar::sim {

namespace {

// Hits key k once k + seed is below the capacity, so every result is known.
class KnownPolicy final : public Policy {
 public:
  explicit KnownPolicy(const PolicyOptions& options) : options_(options) {}
  bool Access(uint32_t key) override {
    return key + options_.seed < options_.capacity;
  }

 private:
  const PolicyOptions options_;
};

Result<std::unique_ptr<Policy>> MakeKnown(const PolicyOptions& options,
                                          const Trace& /*trace*/) {
  return std::unique_ptr<Policy>(std::make_unique<KnownPolicy>(options));
}
Result<std::unique_ptr<Policy>> MakeNone(const PolicyOptions& options,
                                         const Trace& /*trace*/) {
  if (options.capacity > 1) return Status::MemoryLimit("none today");
  return MakeKnown(options, {});
}

constexpr PolicyKind kSeeded = {"seeded", "", true, MakeKnown};
constexpr PolicyKind kUnseeded = {"unseeded", "", false, MakeKnown};
constexpr PolicyKind kNone = {"none", "", true, MakeNone};

Trace Generate(const std::string& description) {
  Trace trace;
  EXPECT_TRUE(GenerateTrace(description, &trace).ok());
  return trace;
}

ExperimentOptions Options(std::vector<const PolicyKind*> policies,
                          const std::string& sizes) {
  ExperimentOptions options;
  options.policies = std::move(policies);
  EXPECT_TRUE(ParseCacheSizes(sizes, &options.sizes).ok());
  return options;
}

TEST(CacheSimExperimentTest, MeansOverSeeds) {
  ExperimentOptions options = Options({&kSeeded, &kUnseeded}, "50%,8");
  options.seeds = 3;
  TraceResult result;
  ASSERT_TRUE(
      RunExperiment(options, Generate("scan:accesses=10"), &result).ok());
  ASSERT_EQ(result.pairs.size(), 2U);
  EXPECT_EQ(result.accesses, 10U);
  EXPECT_EQ(result.pairs[0].entries, 5U);
  EXPECT_EQ(result.pairs[1].size, "8");
  // Hits: 4, 3 and 2 of 10.
  const MissRatio& seeded = result.pairs[0].misses[0];
  EXPECT_DOUBLE_EQ(seeded.mean, 0.7);
  EXPECT_DOUBLE_EQ(seeded.least, 0.6);
  EXPECT_DOUBLE_EQ(seeded.most, 0.8);
  EXPECT_DOUBLE_EQ(result.pairs[0].misses[1].mean, 0.6);
  EXPECT_DOUBLE_EQ(result.pairs[1].misses[1].mean, 0.3);
}

TEST(CacheSimExperimentTest, HotKeysAreCountedApart) {
  // Two hot keys, then one scan of three.
  const Trace trace = Generate("hotscan:keys=1,accesses=2,every=2,scan=3");
  TraceResult result;
  ASSERT_TRUE(RunExperiment(Options({&kUnseeded}, "3"), trace, &result).ok());
  EXPECT_TRUE(result.has_hot_keys);
  EXPECT_DOUBLE_EQ(result.pairs[0].misses[0].mean, 0.4);
  EXPECT_DOUBLE_EQ(result.pairs[0].misses[0].mean_of_hot, 0);
}

TEST(CacheSimExperimentTest, ThreadsChangeNothing) {
  std::vector<const PolicyKind*> kinds;
  ASSERT_TRUE(FindPolicies("clock,clock_growing,lru,models", &kinds).ok());
  ExperimentOptions options = Options(kinds, "1%,10%,37");
  const Trace trace = Generate("zipf:keys=3000,accesses=20000");
  TraceResult alone;
  TraceResult together;
  ASSERT_TRUE(RunExperiment(options, trace, &alone).ok());
  options.jobs = 4;
  ASSERT_TRUE(RunExperiment(options, trace, &together).ok());
  for (size_t i = 0; i < alone.pairs.size(); ++i) {
    for (size_t j = 0; j < kinds.size(); ++j) {
      EXPECT_EQ(alone.pairs[i].misses[j].mean, together.pairs[i].misses[j].mean)
          << kinds[j]->name;
    }
  }
}

TEST(CacheSimExperimentTest, ACacheThatCannotBeMade) {
  TraceResult result;
  const Status s = RunExperiment(Options({&kUnseeded, &kNone}, "1,2"),
                                 Generate("scan:accesses=10"), &result);
  EXPECT_EQ(s.ToString(), Status::MemoryLimit("none: none today").ToString());
}

TEST(CacheSimExperimentTest, Sizes) {
  std::vector<CacheSize> sizes;
  ASSERT_TRUE(ParseCacheSizes("1%,0.5%,100%,12", &sizes).ok());
  EXPECT_EQ(sizes[0].Of(1049), 10U);
  EXPECT_EQ(sizes[0].Of(1050), 11U);
  EXPECT_EQ(sizes[0].Of(3), 1U);
  EXPECT_EQ(sizes[1].Of(1000), 5U);
  EXPECT_EQ(sizes[2].Of(UINT32_MAX), UINT32_MAX);
  EXPECT_EQ(sizes[3].Of(3), 12U);
  for (const char* wrong :
       {"", "0", "0%", "101%", "-1", "x", "5 %", "nan%", "99999999999"}) {
    std::vector<CacheSize> none;
    EXPECT_TRUE(ParseCacheSizes(wrong, &none).IsInvalidArgument()) << wrong;
  }
}

TEST(CacheSimExperimentTest, Standings) {
  const auto pair = [](const char* size, double a, double b) {
    return Pair{size, 1, {{.mean = a}, {.mean = b}}};
  };
  const std::vector<TraceResult> results = {
      {.name = "x", .pairs = {pair("1%", 0.5, 0.4), pair("5%", 0.4, 0.6)}},
      {.name = "y", .pairs = {pair("1%", 0.9, 0.9), pair("5%", 0, 0)}}};
  const std::vector<Standing> standings = Compare(results, 0);
  EXPECT_DOUBLE_EQ(standings[0].mean_gain, 0);
  EXPECT_EQ(standings[0].worse_pairs, 0U);
  EXPECT_DOUBLE_EQ(standings[1].mean_miss, 1.9 / 4);
  EXPECT_NEAR(standings[1].mean_gain, (0.2 - 0.5) / 4, 1e-12);
  EXPECT_NEAR(standings[1].worst_gain, -0.5, 1e-12);
  EXPECT_EQ(standings[1].worst_pair, "x 5%");
  EXPECT_EQ(standings[1].worse_pairs, 1U);
}

}  // namespace

}  // namespace ashlar::sim
