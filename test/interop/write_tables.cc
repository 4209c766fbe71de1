// interop_write_tables [--pairs] <folder>: writes files for other programs to
// read.
//
// With each <name>.sst it writes <name>.rows, which has one line per entry,
// "<hex user key> <sequence> <type> <hex value>", and <name>.since, the oldest
// RocksDB release that reads the file.
//
// With --pairs it writes the plans of rocksdb_matrix --pairs, in which each
// pair of option values occurs. RocksDB's newest sst_dump reads all of them
// (test/tools/ashlar_sst_dump_test.py).
//
// Without it, run_rocksdict ingests the files: external files without merge
// operands, for which rocksdict has no operator, and without zlib, which its
// RocksDB lacks. They have most pairs of option values that RocksDB 9.8 reads,
// and a sample of those that it must refuse.
#include <cstdio>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ashlar/table/entry/rocksdb_release.h"
#include "ashlar/table/table_reader.h"
#include "test/interop/our_file.h"
#include "test/interop/plan.h"
#include "test/interop/rows.h"
#include "test/interop/sample_plans.h"

namespace ashlar::interop {
namespace {

constexpr RocksDBRelease kJudge = {9, 8};

PlanFilter Ingestible(uint32_t first, uint32_t last, bool readable) {
  return [=](const Plan& plan) {
    const uint32_t version = plan.options.format_version;
    return version >= first && version <= last && plan.IsExternal() &&
           plan.shape != Shape::kMerges &&
           plan.options.compression != CompressionType::kZlibCompression &&
           ashlar::internal::CheckReadableBy(plan.options, kJudge).ok() ==
               readable;
  };
}

std::vector<Plan> RocksdictPlans() {
  std::vector<Plan> plans =
      FirstPlans(PairwisePlans(Ingestible(6, 6, true)).plans, 60);
  const auto add = [&plans](size_t count, const PlanFilter& filter) {
    for (Plan& plan : RandomPlans(count, count, filter)) {
      plans.push_back(std::move(plan));
    }
  };
  add(20, Ingestible(2, 5, true));
  add(25, Ingestible(2, 7, false));
  return plans;
}

// Uses the file's own properties, not the options that it was made with.
Status WriteSince(const std::string& path) {
  const auto reader = TableReader::Open(path + ".sst");
  if (!reader.ok()) return reader.status();
  const std::optional<RocksDBRelease> since =
      OldestRocksDBFor((*reader)->format_version(), (*reader)->checksum_type(),
                       &(*reader)->properties());
  std::ofstream out(path + ".since", std::ios::binary);
  out << (since ? ToString(*since) : "none");
  return out.flush() ? Status() : Status::IOError("write " + path + ".since");
}

Status WriteOne(const std::string& folder, const Plan& plan) {
  const std::string path = folder + "/" + plan.name;
  const std::vector<Row> rows = MakeRows(plan.shape, plan.seed);
  std::ofstream dump(path + ".rows", std::ios::binary);
  dump << CanonicalDump(rows);
  if (!dump.flush()) return Status::IOError("write " + path + ".rows");
  const Status status =
      WriteOurFile(path + ".sst", plan.options, {}, plan.IsExternal(), rows);
  return status.ok() ? WriteSince(path) : status;
}

int Main(int argc, char** argv) {
  const bool pairs = argc > 1 && std::string_view(argv[1]) == "--pairs";
  if (argc != (pairs ? 3 : 2)) {
    std::fputs("usage: interop_write_tables [--pairs] <folder>\n", stderr);
    return 2;
  }
  const std::string folder = argv[argc - 1];
  for (const Plan& plan : pairs ? PairwisePlans().plans : RocksdictPlans()) {
    if (const Status status = WriteOne(folder, plan); !status.ok()) {
      std::fprintf(stderr, "%s: %s\n", plan.name.c_str(),
                   status.ToString().c_str());
      return 1;
    }
  }
  return 0;
}

}  // namespace
}  // namespace ashlar::interop

int main(int argc, char** argv) { return ashlar::interop::Main(argc, argv); }
