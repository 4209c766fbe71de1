#include "tools/cache_sim/policies.h"

#include <algorithm>
#include <string_view>

#include "tools/bench/command_line.h"
#include "tools/cache_sim/models/models.h"
#include "tools/cache_sim/real_caches.h"
#include "tools/cache_sim/rocksdb_cache.h"
#include "tools/cache_sim/tiered_caches.h"

namespace ashlar::sim {

namespace {

constexpr bool kSeeded = true;
constexpr bool kUnseeded = false;

constexpr PolicyKind kPolicies[] = {
    {"clock", "the hyper clock cache", kSeeded, MakeClock},
    {"clock_growing", "the hyper clock cache that sizes itself", kSeeded,
     MakeGrowingClock},
    {"clock_admission", "the hyper clock cache with admission", kSeeded,
     MakeClockWithAdmission},
    {"clock_growing_admission",
     "the hyper clock cache that sizes itself, with admission", kSeeded,
     MakeGrowingClockWithAdmission},
    {"tiered", "the hyper clock cache before a second tier", kSeeded,
     MakeTieredClock},
    {"tiered_admission",
     "the hyper clock cache before a second tier, with admission", kSeeded,
     MakeTieredClockWithAdmission},
    // Without shards, the hash has no effect.
    {"lru", "the LRU cache, one list", kSeeded, MakeLruCache},
    {"rocksdb_clock", "RocksDB's hyper clock cache, if RocksDB is set up",
     kSeeded, MakeRocksDbClock},
    {"rocksdb_clock_growing", "RocksDB's hyper clock cache that sizes itself",
     kSeeded, MakeRocksDbGrowingClock},
    {"rocksdb_lru", "RocksDB's LRU cache, one list", kSeeded, MakeRocksDbLru},
    {"model_lru", "least recently used", kUnseeded, MakeLruModel},
    {"model_clock", "CLOCK, one bit", kUnseeded, MakeClockModel},
    {"model_sieve", "SIEVE", kUnseeded, MakeSieveModel},
    {"model_s3fifo", "S3-FIFO", kUnseeded, MakeS3FifoModel},
    {"model_arc", "ARC", kUnseeded, MakeArcModel},
    {"model_2q", "2Q", kUnseeded, MakeTwoQModel},
    {"model_lirs", "LIRS", kUnseeded, MakeLirsModel},
    {"model_wtinylfu", "W-TinyLFU", kSeeded, MakeWTinyLfuModel},
    {"model_fifo", "first in, first out", kUnseeded, MakeFifoModel},
    {"model_opt", "Belady's algorithm: the fewest misses that are possible",
     kUnseeded, MakeOptModel},
};

// "models" means all models of policies.
std::vector<std::string> WithoutShorthand(const std::string& list) {
  std::vector<std::string> names;
  for (const std::string& name : bench::Split(list)) {
    if (name != "models") {
      names.push_back(name);
      continue;
    }
    for (const PolicyKind& kind : kPolicies) {
      if (std::string_view(kind.name).starts_with("model_")) {
        names.emplace_back(kind.name);
      }
    }
  }
  return names;
}

}  // namespace

std::span<const PolicyKind> AllPolicies() { return kPolicies; }

Status FindPolicies(const std::string& names,
                    std::vector<const PolicyKind*>* kinds) {
  for (const std::string& name : WithoutShorthand(names)) {
    const auto* const found =
        std::find_if(std::begin(kPolicies), std::end(kPolicies),
                     [&](const PolicyKind& kind) { return name == kind.name; });
    if (found == std::end(kPolicies)) {
      return Status::InvalidArgument("unknown cache " + name);
    }
    if (std::find(kinds->begin(), kinds->end(), found) != kinds->end()) {
      return Status::InvalidArgument("cache " + name + " is listed twice");
    }
    kinds->push_back(found);
  }
  if (kinds->empty())
    return Status::InvalidArgument("expected one or more caches, found none");
  return Status::OK();
}

}  // namespace ashlar::sim
