// What `ashlar scan` prints of databases that RocksDB writes and has open.
// RocksDB's iterators are the judges.
#include <gtest/gtest.h>
#include <rocksdb/db.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "ashlar/table/entry/wide_columns.h"
#include "ashlar/table/internal_key.h"
#include "test/interop/random_database.h"
#include "test/support/folder.h"

namespace ashlar::testing {
namespace {

using Values = std::map<std::string, std::string>;

// A row of `scan --output_format=canonical`.
struct Row {
  std::string key;
  ValueType type;
  std::string value;
};

std::string FromHexDigits(const std::string& digits) {
  std::string bytes;
  for (size_t i = 0; i + 1 < digits.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

std::vector<Row> Scanned(const std::string& folder, const std::string& flags) {
  const std::string out = folder + ".rows";
  const std::string command = std::string(ASHLAR_PROGRAM) +
                              " scan --output_format=canonical " + flags + " " +
                              folder + " >" + out;
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  std::vector<Row> rows;
  std::ifstream file(out);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string key;
    std::string sequence;
    int type = 0;
    std::string value;
    words >> key >> sequence >> type >> value;
    rows.push_back({FromHexDigits(key), static_cast<ValueType>(type),
                    FromHexDigits(value)});
  }
  return rows;
}

std::string DefaultColumn(const std::string& entity) {
  std::optional<WideColumn> column;
  EXPECT_TRUE(FindDefaultColumn(entity, &column).ok());
  return column ? column->value.ToString() : "";
}

// Joins operands that are rows of their own, newest first, as the operator of
// these databases does.
Values JoinedByHand(const std::vector<Row>& rows) {
  Values values;
  for (const Row& row : rows) {
    const bool is_entity = row.type == ValueType::kTypeWideColumnEntity;
    const std::string value = is_entity ? DefaultColumn(row.value) : row.value;
    const auto [at, is_first] = values.try_emplace(row.key, value);
    if (!is_first) at->second = value + "," + at->second;
  }
  return values;
}

Values TheirValues(rocksdb::Iterator* it, const std::string& from,
                   const std::string& to) {
  Values values;
  for (it->Seek(from); it->Valid() && it->key().ToString() < to; it->Next()) {
    values[it->key().ToString()] = it->value().ToString();
  }
  EXPECT_TRUE(it->status().ok()) << it->status().ToString();
  return values;
}

class ScannedDatabases : public ::testing::TestWithParam<uint64_t> {};

// Compares scans of the folder with walks of RocksDB over the database, in each
// family and at each snapshot.
void CompareScans(const std::string& path, const RandomDatabase& database,
                  std::mt19937_64* random) {
  size_t found = 0;
  for (rocksdb::ColumnFamilyHandle* const handle : database.families()) {
    for (const rocksdb::Snapshot* snapshot : database.Snapshots()) {
      rocksdb::ReadOptions read;
      read.snapshot = snapshot;
      const std::unique_ptr<rocksdb::Iterator> it(
          database.db()->NewIterator(read, handle));
      const bool whole = (*random)() % 2 == 0;
      const std::string from = whole ? "" : KeyOf((*random)() % kKeys);
      const std::string to = whole ? "z" : KeyOf((*random)() % kKeys);
      std::string flags =
          "--cf=" + handle->GetName() + " --from=" + from + " --to=" + to;
      if (snapshot != nullptr) {
        flags += " --snapshot=" + std::to_string(snapshot->GetSequenceNumber());
      }
      const Values theirs = TheirValues(it.get(), from, to);
      EXPECT_EQ(JoinedByHand(Scanned(path, flags)), theirs) << flags;
      flags += " --merge_operator=stringappend";
      const std::vector<Row> joined = Scanned(path, flags);
      EXPECT_EQ(JoinedByHand(joined), theirs) << flags;
      EXPECT_EQ(joined.size(), theirs.size()) << flags;
      found += theirs.size();
    }
  }
  EXPECT_GT(found, 20U);
}

TEST_P(ScannedDatabases, ShowWhatRocksDbWalksOver) {
  const TestFolder folder;
  const std::string path = folder.path() + "/db";
  RandomDatabase database(path, GetParam());
  database.Live();
  if (HasFatalFailure()) return;
  std::mt19937_64 random(GetParam());
  CompareScans(path, database, &random);
}

// The tables of a database without its MANIFEST: their entries are merged by
// sequence number, whatever levels they were in. Of ingested tables, only the
// MANIFEST knows the numbers.
TEST_P(ScannedDatabases, ShowTheSameWithoutTheManifest) {
  const TestFolder folder;
  const std::string path = folder.path() + "/db";
  RandomDatabase database(path, GetParam(), /*ingests=*/false);
  database.Live();
  if (HasFatalFailure()) return;
  std::vector<rocksdb::LiveFileMetaData> tables;
  database.db()->GetLiveFilesMetaData(&tables);
  const std::string copy = folder.path() + "/tables";
  std::filesystem::create_directory(copy);
  for (const rocksdb::LiveFileMetaData& table : tables) {
    std::filesystem::copy(path + table.name, copy + table.name);
  }
  std::mt19937_64 random(GetParam());
  CompareScans(copy, database, &random);
}

INSTANTIATE_TEST_SUITE_P(Random, ScannedDatabases,
                         ::testing::Range<uint64_t>(1, 25));

}  // namespace
}  // namespace ashlar::testing
