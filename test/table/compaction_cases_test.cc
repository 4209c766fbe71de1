// Flushes and compactions against what RocksDB 11.8.1 made of the same inputs.

#include "test/support/compaction_cases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

namespace ashlar::testing {
namespace {

// Cases of what CompactTables does not do, by name, and why.
const std::map<std::string, std::string>& Skipped() {
  static const std::map<std::string, std::string> skipped = {
      {"b01-blob-gc", "blob files are the application's"},
      {"b02-blob-off", "blob files are the application's"},
      {"b04-blob-extract", "blob files are the application's"},
      {"b05-blob-entity", "blob files are the application's"},
      {"m35-blob-base", "blob files are the application's"},
      {"r18-tombs-many-notbottom",
       "several compactions, and the files in between are not known"},
      {"q01-preclude", "one output level only"},
      {"q02-preclude-mixed", "one output level only"},
      {"q03-preclude-snap", "one output level only"},
  };
  return skipped;
}

TEST(CompactionCases, AreThoseOfRocksDB) {
  size_t compared = 0;
  for (const CompactionCase& each : ReadCompactionCases()) {
    if (Skipped().contains(each.name)) continue;
    SCOPED_TRACE(each.name);
    const CompactionCaseResult result = RunCompactionCase(each);
    if (each.status == "ok") {
      EXPECT_TRUE(result.status.ok()) << result.status.ToString();
      EXPECT_EQ(Describe(result.outputs), Describe(each.outputs));
    } else {
      EXPECT_TRUE(result.status.IsCorruption()) << result.status.ToString();
    }
    ++compared;
  }
  constexpr size_t kAllCases = 275;
  EXPECT_EQ(compared + Skipped().size(), kAllCases);
}

}  // namespace
}  // namespace ashlar::testing
