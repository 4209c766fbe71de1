#include "tools/cache_sim/help.h"

#include <cstdio>
#include <vector>

#include "third-party/gflags_lib.h"
#include "tools/cache_sim/policies.h"

namespace ashlar::sim {

namespace {

constexpr char kTraces[] =
    R"(Usage: cache_sim [flags] TRACE...

Replays traces through caches of several sizes, as fast as it can, and prints
the share of the accesses that missed.

A TRACE is a file,
  name.u64            keys of 8 bytes, little-endian, one per access
  name.oracleGeneral  records of 24 bytes, a format of other simulators
  name.csv            one line per access; see --csv_column
  name.blocktrace     trace of a block cache, of Ashlar or RocksDB (whatever its
                      name is); if it has one block in 100, a size here means
                      100 times that. 'ashlar cache-sim' counts in bytes
  ... .zst            one of these, compressed
or describes a trace to generate, kind:name=value,... with these kinds and
values:
  zipf:keys=1000000,skew=0.99,accesses=3000000,seed=1
  loop:keys=1100,accesses=100000           all keys in order, again and again
  scan:accesses=100000                     each key once
  hotscan:keys=1000,skew=0,accesses=300000,every=20000,scan=10000,new=1,mixed=0,
      touches=1,seed=1                     zipf accesses (skew=0: uniform),
      and after each `every` of them a scan of `scan` keys (new=1: different
      keys each time), each looked up `touches` times, all together or (mixed=1)
      in turn with zipf accesses; zipf accesses are also counted separately
      ("hot")

Caches, for --caches ("models": all that begin with model_):
)";

}  // namespace

void PrintHelp(const char* flags_file) {
  std::fputs(kTraces, stdout);
  for (const PolicyKind& kind : AllPolicies()) {
    std::printf("  %-18s  %s\n", kind.name, kind.summary);
  }
  std::printf("\nFlags:\n");
  std::vector<gflags::CommandLineFlagInfo> flags;
  gflags::GetAllFlags(&flags);
  for (const gflags::CommandLineFlagInfo& flag : flags) {
    if (flag.filename != flags_file) continue;
    std::printf("  --%s=%s\n      %s\n", flag.name.c_str(),
                flag.default_value.c_str(), flag.description.c_str());
  }
  std::printf(
      "\nExit codes: 0; 1: a trace cannot be read or a file not written; 2: "
      "the\narguments are wrong.\n");
}

}  // namespace ashlar::sim
