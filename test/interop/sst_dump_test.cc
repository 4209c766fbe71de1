// Debian's sst_dump (RocksDB 7.8.3, package rocksdb-tools) reads our files of
// the formats that it knows, 2 to 5. Its verification must pass, and its scan
// must show every entry. If it is not installed, these tests are skipped. With
// ASHLAR_REQUIRE_INTEROP or CI that is a failure.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "test/interop/our_file.h"
#include "test/interop/plan.h"
#include "test/interop/rows.h"
#include "test/interop/sample_plans.h"

namespace ashlar::interop {

// GoogleTest finds this function and uses it to name tests.
void PrintTo(const Plan& plan, std::ostream* out) { *out << plan.name; }

namespace {

constexpr size_t kPlans = 60;

bool IsSet(const char* name) {
  const char* text = std::getenv(name);
  const std::string_view value(text != nullptr ? text : "");
  return !value.empty() && value != "0" && value != "false";
}

// Debian 12 has the sst_dump of RocksDB 7.8.
bool IsReadBySstDump(const Plan& plan) {
  TableOptions options = plan.options;
  options.target_rocksdb = RocksDBRelease{7, 8};
  return options.Validate().ok();
}

// Stores stdout and stderr together. Returns -1 if the program did not exit by
// itself.
int RunShell(const std::string& command, std::string* output) {
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return -1;
  char buffer[65536];
  size_t n;
  while ((n = fread(buffer, 1, sizeof buffer, pipe)) > 0) {
    output->append(buffer, n);
  }
  const int status = pclose(pipe);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool HasSstDump() {
  std::string output;
  return RunShell("command -v sst_dump", &output) == 0;
}

// Returns the rows as sst_dump --output_hex prints them.
std::string ExpectedScan(const std::vector<Row>& rows) {
  std::string text;
  for (const Row& row : rows) {
    text.append("'").append(ToHex(row.user_key)).append("' seq:");
    text.append(std::to_string(row.sequence)).append(", type:");
    text.append(std::to_string(static_cast<int>(row.type))).append(" => ");
    text.append(ToHex(row.value)).append("\n");
  }
  return text;
}

class SstDump : public ::testing::TestWithParam<Plan> {
 protected:
  void SetUp() override {
    if (!HasSstDump()) {
      ASSERT_FALSE(IsSet("CI") || IsSet("ASHLAR_REQUIRE_INTEROP"))
          << "no sst_dump: install rocksdb-tools";
      GTEST_SKIP() << "skipped: no sst_dump (Debian's rocksdb-tools)";
    }
    path_ =
        std::filesystem::temp_directory_path() /
        ("ashlar-" + std::to_string(getpid()) + "-" + GetParam().name + ".sst");
  }
  void TearDown() override {
    if (!path_.empty()) std::filesystem::remove(path_);
  }

  std::filesystem::path path_;
};

TEST_P(SstDump, VerifiesAndScansOurFile) {
  const Plan& plan = GetParam();
  std::vector<Row> rows = MakeRows(plan.shape, plan.seed);
  if (plan.IsExternal()) rows = WithoutSingleDeletions(std::move(rows));
  const Status status =
      WriteOurFile(path_, plan.options, {}, plan.IsExternal(), rows);
  ASSERT_TRUE(status.ok()) << status.ToString();

  std::string output;
  const std::string file = " --file='" + path_.string() + "'";
  EXPECT_EQ(RunShell("sst_dump --command=verify" + file, &output), 0) << output;
  EXPECT_NE(output.find("The file is ok"), std::string::npos) << output;

  std::string scan;
  EXPECT_EQ(RunShell("sst_dump --command=scan --output_hex" + file, &scan), 0);
  // The entries come after headings with the file name and an address.
  const size_t first = scan.find("\n'");
  ASSERT_NE(first, std::string::npos) << scan.substr(0, 1000);
  EXPECT_TRUE(scan.substr(first + 1) == ExpectedScan(rows))
      << scan.substr(0, 1000);
}

INSTANTIATE_TEST_SUITE_P(Formats2To5, SstDump,
                         ::testing::ValuesIn(FirstPlans(
                             PairwisePlans(IsReadBySstDump).plans, kPlans)),
                         [](const auto& test) {
                           std::string name = std::to_string(test.index) + "_" +
                                              test.param.name;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace ashlar::interop
