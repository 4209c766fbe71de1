// Writes down which mutants each test reaches.
//
// Linked into every test program of the tree of mutants. If ASHLAR_MUTANTS_FILE
// names a file, each test appends a line to it: its name, its milliseconds, and
// the numbers of the mutants that it reached. No file includes it.

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "test/mutation/mutant.h"

namespace ashlar::testing {
namespace {

class ReachedMutants final : public ::testing::EmptyTestEventListener {
 public:
  explicit ReachedMutants(std::FILE* file) : file_(file) {}

 private:
  // What the set-up of a suite reaches belongs to the suite's first test.
  void OnTestEnd(const ::testing::TestInfo& test) override {
    std::fprintf(file_, "%s.%s %lld", test.test_suite_name(), test.name(),
                 static_cast<long long>(test.result()->elapsed_time()));
    for (int n = 0; n < ashlar_mutants::kMost; ++n) {
      if (ashlar_mutants::reached[n].exchange(false)) {
        std::fprintf(file_, " %d", n);
      }
    }
    std::fputc('\n', file_);
    std::fflush(file_);
  }

  std::FILE* const file_;
};

[[maybe_unused]] const bool is_listening = [] {
  const char* const path = std::getenv("ASHLAR_MUTANTS_FILE");
  std::FILE* const file = path == nullptr ? nullptr : std::fopen(path, "a");
  if (file == nullptr) return false;
  // The list of listeners owns it.
  ::testing::UnitTest::GetInstance()->listeners().Append(
      new ReachedMutants(file));
  return true;
}();

}  // namespace
}  // namespace ashlar::testing
