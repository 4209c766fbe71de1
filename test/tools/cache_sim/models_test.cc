// Compares the models with slow implementations of the policies, access by
// access, and with what is known of loops.

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <string>
#include <string_view>

#include "test/support/random.h"
#include "test/tools/cache_sim/slow_policies.h"
#include "tools/cache_sim/generate_trace.h"
#include "tools/cache_sim/policies.h"

namespace ashlar::sim {

namespace {

using testing::ForEachSeed;
using testing::Random;

std::unique_ptr<Policy> Make(const std::string& name, uint32_t capacity,
                             const Trace& trace, uint64_t seed = 1) {
  std::vector<const PolicyKind*> kinds;
  EXPECT_TRUE(FindPolicies(name, &kinds).ok()) << name;
  auto made = kinds[0]->make({.capacity = capacity, .seed = seed}, trace);
  EXPECT_TRUE(made.ok()) << made.status().ToString();
  return std::move(*made);
}

Hits HitsOfPolicy(const std::string& name, uint32_t capacity,
                  const Trace& trace) {
  const auto policy = Make(name, capacity, trace);
  Hits hits;
  for (const uint32_t key : trace.accesses) hits.push_back(policy->Access(key));
  return hits;
}

// Returns the policies that do not need RocksDB.
std::vector<PolicyKind> PoliciesOfOurs() {
  std::vector<PolicyKind> kinds;
  for (const PolicyKind& kind : AllPolicies()) {
    const std::string_view name = kind.name;
    if (!name.starts_with("rocksdb_")) kinds.push_back(kind);
  }
  return kinds;
}

size_t Misses(const Hits& hits) {
  return static_cast<size_t>(std::count(hits.begin(), hits.end(), false));
}

// Some keys are more popular than others, and there are loops and jumps.
Trace RandomTrace(uint64_t seed) {
  Random random(seed);
  TraceBuilder builder(UINT64_MAX);
  const uint64_t keys = random.Between(2, 60);
  while (builder.size() < 800) {
    const uint64_t first = random.Below(40);
    const uint64_t length = random.Between(1, 80);
    const bool is_loop = random.OneIn(3);
    for (uint64_t i = 0; i < length; ++i) {
      const uint64_t popular =
          std::min({random.Below(keys), random.Below(keys)});
      builder.Add(first + (is_loop ? i % keys : popular));
    }
  }
  Trace trace;
  EXPECT_TRUE(builder.Finish("random", &trace).ok());
  return trace;
}

Trace Generate(const std::string& description) {
  Trace trace;
  const Status s = GenerateTrace(description, &trace);
  EXPECT_TRUE(s.ok()) << s.ToString();
  return trace;
}

using SlowPolicy = Hits (*)(const Keys& trace, uint32_t capacity);

const std::map<std::string, SlowPolicy> kSlow = {
    {"model_arc", HitsOf<SlowArc>},
    {"model_clock", SlowClock},
    {"model_fifo", SlowFifo},
    {"model_lirs", HitsOf<SlowLirs>},
    {"model_lru", SlowLru},
    {"lru", SlowLru},
    {"model_s3fifo", HitsOf<SlowS3Fifo>},
    {"model_sieve", SlowSieve},
    {"model_2q", SlowTwoQ},
};

TEST(CacheSimModelsTest, HitsAreThoseOfSlowPolicies) {
  ForEachSeed(1, 8, [](uint64_t seed) {
    const Trace trace = RandomTrace(seed);
    for (const uint32_t capacity : {1U, 2U, 3U, 5U, 10U, 23U, 40U}) {
      for (const auto& [name, slow] : kSlow) {
        SCOPED_TRACE(name + " of " + std::to_string(capacity));
        const Hits expected = slow(trace.accesses, capacity);
        const Hits hits = HitsOfPolicy(name, capacity, trace);
        const auto [first, other] =
            std::mismatch(hits.begin(), hits.end(), expected.begin());
        ASSERT_EQ(first, hits.end()) << "access " << first - hits.begin();
      }
    }
  });
}

// OPT may evict any of several keys that are never used again, so only the
// number of misses is certain.
TEST(CacheSimModelsTest, OptMissesAsOftenAsTheSlowOne) {
  ForEachSeed(1, 5, [](uint64_t seed) {
    const Trace trace = RandomTrace(seed);
    for (const uint32_t capacity : {1U, 2U, 7U, 30U}) {
      EXPECT_EQ(Misses(HitsOfPolicy("model_opt", capacity, trace)),
                Misses(SlowOpt(trace.accesses, capacity)));
    }
  });
}

TEST(CacheSimModelsTest, NobodyMissesLessThanOpt) {
  ForEachSeed(1, 8, [](uint64_t seed) {
    const Trace trace = RandomTrace(seed);
    for (const uint32_t capacity : {1U, 2U, 3U, 5U, 10U, 23U, 40U}) {
      const size_t least = Misses(HitsOfPolicy("model_opt", capacity, trace));
      // With a second tier as large as the first.
      const size_t least_of_two =
          Misses(HitsOfPolicy("model_opt", 2 * capacity, trace));
      for (const PolicyKind& kind : PoliciesOfOurs()) {
        const bool is_tiered =
            std::string_view(kind.name).starts_with("tiered");
        EXPECT_GE(Misses(HitsOfPolicy(kind.name, capacity, trace)),
                  is_tiered ? least_of_two : least)
            << kind.name << " of " << capacity;
      }
    }
  });
}

// No part of a cache is full before the whole cache is.
TEST(CacheSimModelsTest, EveryKeyIsMissedOnceWhereAllFit) {
  const Trace trace = RandomTrace(1);
  for (const PolicyKind& kind : PoliciesOfOurs()) {
    const uint32_t capacity = 4 * trace.distinct_keys;
    EXPECT_EQ(Misses(HitsOfPolicy(kind.name, capacity, trace)),
              trace.distinct_keys)
        << kind.name;
  }
}

TEST(CacheSimModelsTest, LoopsThatDoNotFit) {
  constexpr uint32_t kKeys = 1011;
  constexpr uint32_t kRounds = 20;
  constexpr uint32_t kAccesses = kKeys * kRounds;
  const Trace trace = Generate("loop:keys=1011,accesses=20220");
  for (const char* name :
       {"model_lru", "model_clock", "model_sieve", "model_arc", "model_fifo",
        "model_s3fifo", "model_2q", "lru", "clock", "clock_growing"}) {
    EXPECT_EQ(Misses(HitsOfPolicy(name, 202, trace)), kAccesses) << name;
  }
  // LIR entries, all but 1 %, stay for ever.
  EXPECT_EQ(Misses(HitsOfPolicy("model_lirs", 202, trace)),
            kAccesses - 200 * (kRounds - 1));
  // A new key is rejected, because it was not used more often.
  EXPECT_LT(Misses(HitsOfPolicy("model_wtinylfu", 202, trace)),
            kAccesses - 100 * (kRounds - 1));
  // After the cache is full, 201 of each 1010 accesses hit.
  EXPECT_NEAR(Misses(HitsOfPolicy("model_opt", 202, trace)),
              202 + (kAccesses - 202) * (1 - 201.0 / 1010), 202);
}

// The purpose of a policy: a hot set that fits, and scans.
TEST(CacheSimModelsTest, ScansDoNotSpoilWhatWithstandsThem) {
  const Trace trace =
      Generate("hotscan:keys=800,accesses=200000,every=20000,scan=10000");
  const auto hot_misses = [&](const char* name) {
    const Hits hits = HitsOfPolicy(name, 1000, trace);
    size_t misses = 0;
    for (size_t i = 0; i < hits.size(); ++i) {
      if (trace.is_hot[trace.accesses[i]] && !hits[i]) ++misses;
    }
    return misses;
  };
  for (const char* name : {"model_lru", "lru", "model_fifo"}) {
    EXPECT_GT(hot_misses(name), 10 * 780U) << name;
  }
  for (const char* name :
       {"model_arc", "model_s3fifo", "model_lirs", "model_wtinylfu"}) {
    EXPECT_LT(hot_misses(name), 2 * 800U) << name;
  }
}

TEST(CacheSimModelsTest, TheSketchForgets) {
  // W-TinyLFU keeps a key that was used for long in its cache of 2 for a while
  // after its last use, but not for ever: other keys replace it.
  TraceBuilder builder(UINT64_MAX);
  for (int i = 0; i < 200; ++i) builder.Add(0);
  for (uint64_t i = 0; i < 4000; ++i) builder.Add(1 + i % 2);
  builder.Add(0);
  Trace trace;
  ASSERT_TRUE(builder.Finish("changed", &trace).ok());
  const Hits hits = HitsOfPolicy("model_wtinylfu", 2, trace);
  EXPECT_FALSE(hits.back());
  EXPECT_TRUE(hits[hits.size() - 2]);
}

TEST(CacheSimModelsTest, SeedsAreFollowed) {
  const Trace trace = Generate("zipf:keys=2000,accesses=50000");
  const auto misses = [&](uint64_t seed) {
    const auto policy = Make("clock", 100, trace, seed);
    size_t missed = 0;
    for (const uint32_t key : trace.accesses) {
      missed += policy->Access(key) ? 0 : 1;
    }
    return missed;
  };
  EXPECT_EQ(misses(1), misses(1));
  EXPECT_NE(misses(1), misses(2));
}

TEST(CacheSimModelsTest, NamesOfPolicies) {
  std::vector<const PolicyKind*> kinds;
  EXPECT_TRUE(FindPolicies("clock,models", &kinds).ok());
  EXPECT_EQ(kinds.size(), 11U);
  EXPECT_EQ(kinds[0]->name, std::string("clock"));
  for (const char* wrong : {"", "clocks", "lru,lru", "models,model_lru"}) {
    std::vector<const PolicyKind*> none;
    EXPECT_TRUE(FindPolicies(wrong, &none).IsInvalidArgument()) << wrong;
  }
}

}  // namespace

}  // namespace ashlar::sim
