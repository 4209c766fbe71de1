// interop_write_tables <folder>: files for run_rocksdict to ingest.
//
// Beside each <name>.sst stands <name>.rows: one line an entry, "<hex user
// key> <sequence> <type> <hex value>". External files without merge operands,
// for which rocksdict has no operator: most pairs of option values
// in formats 6 and 7, and a sample of the older ones.
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "test/interop/our_file.h"
#include "test/interop/plan.h"
#include "test/interop/rows.h"
#include "test/interop/sample_plans.h"

namespace ashlar::interop {
namespace {

std::vector<Plan> RocksdictPlans(uint32_t first, uint32_t last, size_t count) {
  const auto is_ingested = [first, last](const Plan& plan) {
    const uint32_t version = plan.options.format_version;
    return version >= first && version <= last && plan.IsExternal() &&
           plan.shape != Shape::kMerges;
  };
  return FirstPlans(PairwisePlans(is_ingested).plans, count);
}

Status WriteOne(const std::string& folder, const Plan& plan) {
  const std::string path = folder + "/" + plan.name;
  const std::vector<Row> rows = MakeRows(plan.shape, plan.seed);
  std::ofstream dump(path + ".rows", std::ios::binary);
  dump << CanonicalDump(rows);
  if (!dump.flush()) return Status::IOError("write " + path + ".rows");
  return WriteOurFile(path + ".sst", plan.options, {}, true, rows);
}

int Main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: interop_write_tables <folder>\n", stderr);
    return 2;
  }
  std::vector<Plan> plans = RocksdictPlans(6, 7, 60);
  for (const Plan& plan : RocksdictPlans(2, 5, 20)) plans.push_back(plan);
  for (const Plan& plan : plans) {
    if (const Status status = WriteOne(argv[1], plan); !status.ok()) {
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
