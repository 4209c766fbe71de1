// Threads that make tables of one set.
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "ashlar/table/table_set.h"
#include "test/support/folder.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

TEST(TableSetConcurrency, TablesSideBySide) {
  const TestFolder folder;
  auto set = TableSet::Create({.path = folder / "t.sst"});
  Require(set.status());
  constexpr size_t kThreads = 4;
  constexpr size_t kEach = 6;
  std::vector<std::thread> threads;
  for (size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&set, t] {
      for (size_t i = t; i < kThreads * kEach; i += kThreads) {
        auto file = (*set)->BeginTable(i);
        Require(file.status());
        Require((*file)->Append(std::to_string(i)));
        if (i % 5 == 4) {
          (*set)->Drop(i);
        } else {
          Require((*set)->EndTable(i, {}));
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  Require((*set)->Commit());
  std::vector<std::string> expected;
  for (size_t i = 0; i < kThreads * kEach; ++i) {
    if (i % 5 != 4) expected.push_back(std::to_string(i));
  }
  const auto tables = ReadTableSet(folder / "t.sst");
  Require(tables.status());
  ASSERT_EQ(tables->size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(ReadFile((*tables)[i].path), expected[i]);
  }
}

}  // namespace
}  // namespace ashlar::testing
