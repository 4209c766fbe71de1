// The commit of a set of tables while allocations fail: the set is the old one
// or the new one, and whatever a failed run left, the next run completes or
// undoes it.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "ashlar/table/table_set.h"
#include "test/support/failing_memory.h"
#include "test/support/folder.h"
#include "test/support/memory_folder.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

const auto* const kInMemory =
    ::testing::AddGlobalTestEnvironment(new FoldersInMemory);

using Contents = std::vector<std::string>;

// Long, so that each name of a table takes an allocation.
constexpr char kName[] = "a-set-with-a-long-name";

TableSetOptions OptionsFor(const TestFolder& folder) {
  TableSetOptions options;
  options.path = folder / (std::string(kName) + ".sst");
  options.overwrite = true;
  options.remove_leftovers = true;
  return options;
}

// Returns a set that has these tables, and is not committed.
std::unique_ptr<TableSet> MakeSet(const TestFolder& folder,
                                  const Contents& contents) {
  auto set = TableSet::Create(OptionsFor(folder));
  Require(set.status());
  for (size_t i = 0; i < contents.size(); ++i) {
    auto file = (*set)->BeginTable(i);
    Require(file.status());
    Require((*file)->Append(contents[i]));
    Require((*set)->EndTable(i, {}));
  }
  return std::move(set).value();
}

// Returns the bytes of the tables that the manifest lists; none without one.
Contents Read(const TestFolder& folder) {
  const auto tables = ReadTableSet(OptionsFor(folder).path);
  if (tables.status().IsNotFound()) return {};
  Require(tables.status());
  Contents contents;
  for (const TableSetTable& table : *tables) {
    contents.push_back(ReadFile(table.path));
  }
  return contents;
}

class ScarceSets : public ::testing::TestWithParam<bool> {};

INSTANTIATE_TEST_SUITE_P(NewAndReplaced, ScarceSets, ::testing::Bool());

TEST_P(ScarceSets, EveryAllocationOfACommitMayFail) {
  const Contents before = GetParam() ? Contents{"old 1", "old 2"} : Contents();
  const Contents after = {"new 1", "new 2", "new 3"};
  uint64_t old_sets = 0;
  uint64_t new_sets = 0;
  for (const FailureMode mode : {FailureMode::kOnce, FailureMode::kFromThere}) {
    bool any = true;
    for (uint64_t n = 1; any && !HasFailure(); ++n) {
      SCOPED_TRACE("allocation " + std::to_string(n) +
                   (mode == FailureMode::kOnce ? "" : " and all after it"));
      const TestFolder folder;
      if (GetParam()) Require(MakeSet(folder, before)->Commit());
      std::unique_ptr<TableSet> set = MakeSet(folder, after);
      FailingMemory::Arm(n, mode);
      const Status status = set->Commit();
      set.reset();
      any = FailingMemory::Disarm();
      EXPECT_TRUE(status.ok() || (any && status.IsMemoryLimit()))
          << status.ToString();
      const Contents now = Read(folder);
      EXPECT_TRUE(now == after || (now == before && !status.ok()));
      ++(now == after ? new_sets : old_sets);
      // The next run finds what this one could not remove.
      Require(RecoverTableSet(OptionsFor(folder), nullptr));
      EXPECT_EQ(Read(folder), now);
      EXPECT_EQ(folder.Names().size(), now.empty() ? 0 : now.size() + 1);
    }
  }
  EXPECT_GT(old_sets, 100U);
  EXPECT_GT(new_sets, 5U);
}

}  // namespace
}  // namespace ashlar::testing
