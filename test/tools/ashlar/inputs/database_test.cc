// A database that its writer changes while the program reads it.
#include "tools/ashlar/inputs/database.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>

#include "ashlar/util/file.h"
#include "table/database/log_records.h"
#include "test/support/folder.h"

namespace ashlar::tool {
namespace {

using testing::GoldenPath;
using testing::ReadFile;
using testing::TestFolder;
using testing::WriteFile;

std::set<uint64_t> Tables(const DatabaseFiles& files) {
  std::set<uint64_t> numbers;
  for (const LiveTable& table : files.column_families[0].tables) {
    numbers.insert(table.number);
  }
  return numbers;
}

class ChangingDatabase : public ::testing::Test {
 protected:
  // Makes the MANIFEST end where it lists a table that a compaction has removed
  // since.
  void SetUp() override {
    std::filesystem::copy(GoldenPath("db/multi-cf"), path_,
                          std::filesystem::copy_options::recursive);
    whole_ = ReadFile(manifest_);
    const std::set<uint64_t> last = Tables(*ReadDatabaseFiles(path_));
    const auto file = NewMemoryFile("MANIFEST", whole_);
    internal::LogRecords records(*file);
    std::string earlier;
    while (records.Next()) {
      WriteFile(manifest_, whole_.substr(0, records.end()));
      const auto files = ReadDatabaseFiles(path_);
      if (!files.ok()) continue;
      for (const LiveTable& table : files->column_families[0].tables) {
        if (last.contains(table.number)) continue;
        earlier = whole_.substr(0, records.end());
        key_ = UserKeyOf(table.smallest).ToString();
      }
    }
    ASSERT_FALSE(earlier.empty());
    WriteFile(manifest_, earlier);
  }

  const TestFolder folder_;
  const std::string path_ = folder_ / "db";
  const std::string manifest_ = path_ + "/MANIFEST-000041";
  std::string whole_;
  std::string key_;  // of a table that does not exist any more
};

TEST_F(ChangingDatabase, IsReadAgain) {
  const auto database = Database::Open(path_);
  ASSERT_TRUE(database.ok()) << database.status().ToString();
  const std::set<uint64_t> before = Tables((*database)->files());
  WriteFile(manifest_, whole_);
  const Slice keys[] = {key_};
  const auto opened = (*database)->OpenFor(keys);
  ASSERT_TRUE(opened.ok()) << opened.status().ToString();
  EXPECT_NE(Tables((*database)->files()), before);
  size_t tables = 0;
  for (const TableLevel& level : opened->levels()) {
    tables += level.tables.size();
  }
  EXPECT_GT(tables, 0U);
}

// The writer has dropped the family, or worse: what was read before stays.
TEST_F(ChangingDatabase, ThatCannotBeReadAgain) {
  const auto database = Database::Open(path_);
  ASSERT_TRUE(database.ok()) << database.status().ToString();
  WriteFile(manifest_, "");
  const Slice keys[] = {key_};
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE((*database)->OpenFor(keys).status().IsCorruption());
  }
}

TEST_F(ChangingDatabase, ATableThatIsStillListedIsMissing) {
  const auto database = Database::Open(path_);
  ASSERT_TRUE(database.ok()) << database.status().ToString();
  const Slice keys[] = {key_};
  const auto opened = (*database)->OpenFor(keys);
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.status().subcode(), Status::SubCode::kPathNotFound);
}

}  // namespace
}  // namespace ashlar::tool
