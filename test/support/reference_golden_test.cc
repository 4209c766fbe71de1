// The reference reader over the golden corpus: what an independent decoder,
// written from FORMAT.md alone, makes of files that others wrote.
#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>

#include "test/support/folder.h"
#include "test/support/reference_reader.h"
#include "test/support/sha256.h"

namespace ashlar::testing {
namespace {

std::string GoldenPath(const std::string& name) {
  return std::string(ASHLAR_SOURCE_DIR) + "/test/golden/" + name;
}

// The files that it does not read, and what it says of them.
const std::map<std::string, std::string>& Refused() {
  static const std::map<std::string, std::string> refused = {
      {"r119-custom-codec.sst",
       "not supported: compression manager GoldenCustom"},
      {"r119-ts-stripped.sst",
       "not supported: comparator leveldb.BytewiseComparator.u64ts"},
      {"r119-ts.sst",
       "not supported: comparator leveldb.BytewiseComparator.u64ts"},
  };
  return refused;
}

// The sum of the dump, or why there is none.
std::string SumOrRefusal(const std::string& name) {
  try {
    return Sha256Hex(
        CanonicalDump(ReadReferenceTable(ReadFile(GoldenPath(name)))));
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

TEST(ReferenceGolden, DumpsAreThoseOfTheManifest) {
  std::istringstream lines(ReadFile(GoldenPath("golden.tsv")));
  size_t files = 0;
  size_t refused = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream columns(line);
    std::string name;
    std::string sum;
    std::getline(columns, name, '\t');
    for (int i = 0; i < 5; ++i) std::getline(columns, sum, '\t');
    const auto refusal = Refused().find(name);
    refused += refusal != Refused().end() ? 1 : 0;
    EXPECT_EQ(SumOrRefusal(name),
              refusal != Refused().end() ? refusal->second : sum)
        << name;
    ++files;
  }
  EXPECT_EQ(refused, Refused().size());
  EXPECT_GT(files, 200u);
}

}  // namespace
}  // namespace ashlar::testing
