// Tables of LevelDB, read by Ashlar and by LevelDB itself. Every entry, every
// Get and every snapshot must agree, and Ashlar must find no fault in the
// tables. They come from LevelDB's TableBuilder and from its databases.
#include <gtest/gtest.h>
#include <leveldb/options.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "ashlar/table/inspect.h"
#include "ashlar/table/table_reader.h"
#include "test/interop/leveldb_peer.h"
#include "test/interop/our_file.h"

namespace ashlar::interop {

// GoogleTest finds this function and uses it to name tests.
void PrintTo(const LevelDbPlan& plan, std::ostream* out) {
  *out << plan.Name();
}

namespace {

constexpr Shape kShapes[] = {Shape::kRandom,      Shape::kPrefixes,
                             Shape::kEmptyValues, Shape::kLargeValues,
                             Shape::kDeletes,     Shape::kVersions};

// Every combination, because there are few.
std::vector<LevelDbPlan> AllLevelDbPlans() {
  std::vector<LevelDbPlan> plans;
  for (const size_t block_size : {1U, 512U, 4096U, 65536U}) {
    for (const int restart_interval : {1, 3, 16}) {
      for (const bool snappy : {false, true}) {
        for (const int bits : {0, 10}) {
          for (const Shape shape : kShapes) {
            plans.push_back(
                {block_size, restart_interval, snappy, bits, shape});
          }
        }
      }
    }
  }
  return plans;
}

// Databases are slow, so this takes every 11th plan: each value occurs together
// with most others.
std::vector<LevelDbPlan> DatabasePlans() {
  std::vector<LevelDbPlan> plans;
  const std::vector<LevelDbPlan> all = AllLevelDbPlans();
  for (size_t i = 0; i < all.size(); i += 11) plans.push_back(all[i]);
  return plans;
}

// Checks that the table has the parts that the plan asks for.
void ExpectParts(const std::string& path, const LevelDbPlan& plan) {
  auto file = OpenRandomAccessFile(path);
  ASSERT_TRUE(file.ok()) << file.status().ToString();
  TableInspection table;
  ASSERT_TRUE(InspectTable(**file, {}, &table).ok());
  EXPECT_EQ(table.magic, TableMagic::kLegacyBlockBased);
  size_t filters = 0;
  for (const MetaBlockEntry& entry : table.meta_blocks) {
    filters += entry.name == "filter.leveldb.BuiltinBloomFilter2" ? 1 : 0;
  }
  EXPECT_EQ(filters, plan.bloom_bits > 0 ? 1U : 0U);
  size_t compressed = 0;
  for (const BlockInfo& block : table.blocks) {
    compressed += block.compression_type == 1 ? 1 : 0;
  }
  if (!plan.snappy) {
    EXPECT_EQ(compressed, 0U);
  }
  if (plan.snappy && plan.shape == Shape::kPrefixes) {
    EXPECT_GT(compressed, 0U);
  }
}

// Returns "OK", or every fault.
std::string VerdictOf(const std::string& path) {
  auto file = OpenRandomAccessFile(path);
  if (!file.ok()) return file.status().ToString();
  TableInspection inspection;
  std::string verdict =
      InspectTable(**file, {}, &inspection).WithPrefix("inspect").ToString();
  for (const TableFault& fault : inspection.faults) {
    verdict.append("\n").append(fault.status.ToString());
  }
  return verdict;
}

// Returns questions for keys of the rows and absent keys, in various snapshots.
std::vector<LevelDbQuestion> QuestionsFor(
    const std::vector<Row>& rows, const std::vector<std::string>& absent) {
  std::vector<LevelDbQuestion> questions;
  questions.reserve(absent.size() + rows.size() * 3);
  for (const std::string& key : absent) questions.push_back({key});
  for (const Row& row : rows) {
    questions.push_back({row.user_key});
    questions.push_back({row.user_key, row.sequence});
    if (row.sequence > 0) {
      questions.push_back({row.user_key, row.sequence - 1});
    }
  }
  return questions;
}

std::string Describe(const GetResult& result) {
  switch (result.state) {
    case GetResult::State::kNotFound:
      return "not found";
    case GetResult::State::kFound:
      return std::to_string(result.sequence) + "=" + result.value.ToString();
    case GetResult::State::kDeleted:
      return std::to_string(result.sequence) + " deleted";
    case GetResult::State::kMerged:
      break;
  }
  return "merged";
}

std::string Describe(const std::optional<Row>& row) {
  if (!row) return "not found";
  const std::string sequence = std::to_string(row->sequence);
  return row->type == ValueType::kTypeValue ? sequence + "=" + row->value
                                            : sequence + " deleted";
}

void ExpectSameAnswers(const std::string& path,
                       const std::vector<LevelDbQuestion>& questions) {
  std::vector<std::optional<Row>> theirs;
  const Status status = SeekWithLevelDb(path, questions, &theirs);
  ASSERT_TRUE(status.ok()) << status.ToString();
  auto reader = TableReader::Open(path);
  ASSERT_TRUE(reader.ok()) << reader.status().ToString();
  for (size_t i = 0; i < questions.size(); ++i) {
    GetResult ours;
    const Status get = (*reader)->Get(ReadOptions(), questions[i].user_key,
                                      questions[i].snapshot, &ours);
    ASSERT_TRUE(get.ok()) << get.ToString();
    ASSERT_EQ(Describe(ours), Describe(theirs[i]))
        << "0x" << ToHex(questions[i].user_key) << " at "
        << questions[i].snapshot;
  }
}

class LevelDb : public ::testing::TestWithParam<LevelDbPlan> {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / "ashlar-leveldb-XXXXXX";
    ASSERT_NE(mkdtemp(folder_.data()), nullptr);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // Compares with what LevelDB itself reads from the table.
  void ExpectReadAlike(const std::string& path,
                       const std::vector<Row>& expected) {
    std::vector<Row> theirs;
    const Status status = ReadWithLevelDb(path, &theirs);
    ASSERT_TRUE(status.ok()) << status.ToString();
    ASSERT_EQ(DescribeDifference(expected, theirs), "");
    const std::vector<std::string> absent =
        expected.empty() ? std::vector<std::string>{"absent"}
                         : AbsentKeys(expected, 1);
    const Status ours = CheckWithOurs(path, expected, absent);
    EXPECT_TRUE(ours.ok()) << ours.ToString();
    EXPECT_EQ(VerdictOf(path), "OK");
    ExpectSameAnswers(path, QuestionsFor(expected, absent));
  }

  std::string folder_;
};

using LevelDbTable = LevelDb;
using LevelDbDatabase = LevelDb;

TEST_P(LevelDbTable, IsReadAlike) {
  const std::vector<Row> rows = LevelDbRows(GetParam());
  const std::string path = folder_ + "/table.ldb";
  const Status status = WriteLevelDbTable(path, GetParam(), rows);
  ASSERT_TRUE(status.ok()) << status.ToString();
  ExpectParts(path, GetParam());
  ExpectReadAlike(path, rows);
}

TEST_P(LevelDbDatabase, TableIsReadAlike) {
  // In a database, each write has its own sequence number.
  std::vector<Row> rows = LevelDbRows(GetParam());
  if (GetParam().shape != Shape::kVersions) {
    for (size_t i = 0; i < rows.size(); ++i) {
      rows[i].sequence = (i * 7919) % rows.size() + 1;
    }
  }
  std::string path;
  const Status status =
      MakeLevelDbDatabase(folder_ + "/db", GetParam(), rows, &path);
  ASSERT_TRUE(status.ok()) << status.ToString();
  ExpectParts(path, GetParam());
  ExpectReadAlike(path, rows);
}

std::string NameOfPlan(const ::testing::TestParamInfo<LevelDbPlan>& test) {
  return test.param.Name();
}

INSTANTIATE_TEST_SUITE_P(AllOptions, LevelDbTable,
                         ::testing::ValuesIn(AllLevelDbPlans()), NameOfPlan);
INSTANTIATE_TEST_SUITE_P(SomeOptions, LevelDbDatabase,
                         ::testing::ValuesIn(DatabasePlans()), NameOfPlan);

using LevelDbAlone = LevelDb;

TEST_P(LevelDbAlone, EmptyTableIsReadAlike) {
  const std::string path = folder_ + "/empty.ldb";
  ASSERT_TRUE(WriteLevelDbTable(path, GetParam(), {}).ok());
  ExpectReadAlike(path, {});
}

// Ashlar's magic numbers differ from LevelDB's, so LevelDB refuses the tables.
TEST_P(LevelDbAlone, RefusesWhatAshlarWrites) {
  for (uint32_t version = kMinFormatVersion; version <= kMaxFormatVersion;
       ++version) {
    const std::string path = folder_ + "/ours.sst";
    TableOptions options;
    options.format_version = version;
    const std::vector<Row> rows = LevelDbRows(GetParam());
    ASSERT_TRUE(WriteOurFile(path, options, {}, true, rows).ok());
    std::vector<Row> read;
    const Status status = ReadWithLevelDb(path, &read);
    EXPECT_EQ(status.ToString(),
              "Corruption: LevelDB: open table: Corruption: not an sstable "
              "(bad magic number)");
  }
}

INSTANTIATE_TEST_SUITE_P(Once, LevelDbAlone, ::testing::Values(LevelDbPlan()),
                         NameOfPlan);

}  // namespace
}  // namespace ashlar::interop
