// The journal of a set of tables, as a recovery finds it: only what a run has
// written is believed.

#include "table/set/set_journal.h"

#include <gtest/gtest.h>

#include <string>

#include "test/support/folder.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

using internal::OpenFolder;
using internal::ReadJournal;
using internal::SetJournal;
using internal::SetNames;

Result<std::optional<SetJournal>> JournalOf(const std::string& text) {
  const TestFolder folder;
  WriteFile(folder / internal::kJournal, text);
  const auto opened = OpenFolder::Open(folder.path(), /*follow=*/false);
  Require(opened.status());
  return ReadJournal(SetNames(folder / "t.sst"), *opened);
}

TEST(SetJournal, HasTheTablesThatItLists) {
  const auto read = JournalOf(
      "ashlar set journal 1\nmade 000007 1 2 3\nreplaced 000008 4 5 6\nend\n");
  Require(read.status());
  ASSERT_TRUE(read->has_value());
  ASSERT_EQ((*read)->made.size(), 1u);
  EXPECT_EQ((*read)->made[0].name, "t-000007.sst");
  EXPECT_EQ((*read)->made[0].mark,
            (internal::FileMark{.inode = 1, .bytes = 2, .time = 3}));
  ASSERT_EQ((*read)->replaced.size(), 1u);
  EXPECT_EQ((*read)->replaced[0].name, "t-000008.sst");
  const auto none = JournalOf("ashlar set journal 1\nend\n");
  Require(none.status());
  EXPECT_TRUE((*none)->made.empty());
}

// A journal that is cut off, or that another program wrote, names no tables: a
// recovery would remove them.
TEST(SetJournal, IsRefusedIfAnyLineIsNotOfThisProgram) {
  const std::string first = "ashlar set journal 1\n";
  for (const std::string& text :
       {std::string(),
        std::string("ashlar set journal 1"),
        std::string("ashlar set journal 2\nend\n"),
        first,
        first + "end",
        first + "end\nend\n",
        first + "end\n ",
        first + "made\nend\n",
        first + "made 000007\nend\n",
        first + "made 000007 1\nend\n",
        first + "made 000007 1 2\nend\n",
        first + "made 000007 1 2 3",
        first + "made 000007 1 2 3\n",
        first + "made 000007 1 2 3 4\nend\n",
        first + "made 7 1 2 3\nend\n",
        first + "made ../../x 1 2 3\nend\n",
        first + "made 000007 x 2 3\nend\n",
        first + "made 000007 1 -2 3\nend\n",
        first + "made 000007 1 2 \nend\n",
        first + "made 000007 1 2 18446744073709551616\nend\n",
        first + "kept 000007 1 2 3\nend\n"}) {
    const auto read = JournalOf(text);
    EXPECT_TRUE(read.status().IsInvalidArgument()) << text;
    EXPECT_TRUE(read.status().message().ends_with(
        "/journal: is not a journal of this program"))
        << read.status().ToString();
  }
}

TEST(SetJournal, MayBeAbsent) {
  const TestFolder folder;
  const auto opened = OpenFolder::Open(folder.path(), /*follow=*/false);
  Require(opened.status());
  const auto read = ReadJournal(SetNames(folder / "t.sst"), *opened);
  Require(read.status());
  EXPECT_FALSE(read->has_value());
}

TEST(SetNames, NumbersOfTablesHaveSixToEighteenDigits) {
  const SetNames names("some/t.sst");
  EXPECT_EQ(names.NumberOf("t-000007.sst"), 7u);
  EXPECT_EQ(names.NumberOf("t-999999999999999999.sst"),
            SetNames::kLargestNumber);
  for (const char* const name :
       {"t-1000000000000000000.sst", "t-99999999999999999999.sst", "t-7.sst",
        "t-00000x.sst", "u-000007.sst", "t-000007.txt", "t000007.sst", ""}) {
    EXPECT_EQ(names.NumberOf(name), std::nullopt) << name;
  }
}

}  // namespace
}  // namespace ashlar::testing
