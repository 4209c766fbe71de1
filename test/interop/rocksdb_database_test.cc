// Databases that RocksDB writes, read as files: which tables they consist of,
// and what lookups in these tables find. RocksDB's own listing and its
// iterators are the judges.
#include <gtest/gtest.h>
#include <rocksdb/db.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ashlar/table/database_files.h"
#include "ashlar/table/multi_table_get.h"
#include "ashlar/table/table_cache.h"
#include "ashlar/table/table_version.h"
#include "test/interop/random_database.h"
#include "test/support/folder.h"

namespace ashlar::testing {
namespace {

// --- Which tables ---

std::string Described(const rocksdb::SstFileMetaData& file, int level) {
  return std::to_string(level) + " " + std::to_string(file.file_number) + " " +
         std::to_string(file.size) + " [" + file.smallestkey + ", " +
         file.largestkey + "] " + std::to_string(file.smallest_seqno) + "-" +
         std::to_string(file.largest_seqno) + " epoch " +
         std::to_string(file.epoch_number) + " born " +
         std::to_string(file.oldest_ancester_time) + " " +
         std::to_string(file.file_creation_time);
}

std::string Described(const LiveTable& table) {
  return std::to_string(table.level) + " " + std::to_string(table.number) +
         " " + std::to_string(table.file_size) + " [" +
         UserKeyOf(table.smallest).ToString() + ", " +
         UserKeyOf(table.largest).ToString() + "] " +
         std::to_string(table.smallest_seqno) + "-" +
         std::to_string(table.largest_seqno) + " epoch " +
         std::to_string(table.epoch_number) + " born " +
         std::to_string(table.oldest_ancester_time) + " " +
         std::to_string(table.file_creation_time);
}

using Lines = std::vector<std::string>;

Lines TheirTables(RandomDatabase* database,
                  rocksdb::ColumnFamilyHandle* handle) {
  rocksdb::ColumnFamilyMetaData metadata;
  database->db()->GetColumnFamilyMetaData(handle, &metadata);
  Lines lines;
  for (const auto& level : metadata.levels) {
    for (const auto& file : level.files) {
      lines.push_back(Described(file, level.level));
    }
  }
  return lines;
}

Lines OurTables(const ColumnFamilyFiles& family) {
  Lines lines;
  for (const LiveTable& table : family.tables) {
    lines.push_back(Described(table));
  }
  return lines;
}

// --- What lookups find ---

class Lookups {
 public:
  Lookups(const std::string& folder, const ColumnFamilyFiles& family) {
    std::map<uint64_t, SequenceNumber> largest;
    for (const LiveTable& table : family.tables) {
      largest[table.number] = table.largest_seqno;
      version_.levels[table.level].push_back(std::make_shared<VersionFile>(
          table.number,
          FileRange{table.smallest, table.largest, table.file_size}));
    }
    TableCacheOptions options;
    options.open = [folder, largest](uint64_t number, TableToOpen* table) {
      table->path = folder + "/" + TableFileName(number);
      table->options.largest_seqno = largest.at(number);
      return Status();
    };
    cache_ = TableCache::Create(options).value();
  }

  // Returns the value that a reader sees, or "none".
  std::string Get(const std::string& key, SequenceNumber snapshot) {
    const Slice keys[] = {key};
    const auto tables = OpenedTables::OpenFor(keys, version_, cache_.get());
    if (!tables.ok()) return tables.status().ToString();
    GetResult result;
    Status status;
    std::vector<std::string> operands;
    MultiGetFromTables({}, tables->levels(), keys, snapshot, {&result, 1},
                       {&status, 1},
                       [&](size_t, const Slice& operand, SequenceNumber) {
                         operands.push_back(operand.ToString());
                         return true;
                       });
    if (!status.ok()) return status.ToString();
    const std::string base = result.value.slice().ToString();
    if (operands.empty()) {
      return result.state == GetResult::State::kFound ? base : "none";
    }
    // The operator of these databases joins with commas.
    std::string joined = result.state == GetResult::State::kFound ? base : "";
    bool is_first = result.state != GetResult::State::kFound;
    for (auto it = operands.rbegin(); it != operands.rend(); ++it) {
      joined += (is_first ? "" : ",") + *it;
      is_first = false;
    }
    return joined;
  }

 private:
  TableVersion version_;
  std::unique_ptr<TableCache> cache_;
};

std::string TheirValue(rocksdb::Iterator* it, const std::string& key) {
  it->Seek(key);
  if (!it->status().ok()) return it->status().ToString();
  return it->Valid() && it->key() == key ? it->value().ToString() : "none";
}

class Databases : public ::testing::TestWithParam<uint64_t> {};

TEST_P(Databases, AreReadAsRocksDbReadsThem) {
  const TestFolder folder;
  RandomDatabase database(folder.path(), GetParam());
  database.Live();
  if (HasFatalFailure()) return;
  const auto files = ReadDatabaseFiles(folder.path());
  ASSERT_TRUE(files.ok()) << files.status().ToString();
  EXPECT_EQ(files->ignored_bytes, 0U);
  ASSERT_EQ(files->column_families.size(), database.families().size());
  size_t found = 0;
  for (size_t i = 0; i < database.families().size(); ++i) {
    rocksdb::ColumnFamilyHandle* const handle = database.families()[i];
    const ColumnFamilyFiles& family = files->column_families[i];
    EXPECT_EQ(family.name, handle->GetName());
    ASSERT_EQ(OurTables(family), TheirTables(&database, handle));
    Lookups lookups(folder.path(), family);
    for (const rocksdb::Snapshot* snapshot : database.Snapshots()) {
      rocksdb::ReadOptions read;
      read.snapshot = snapshot;
      const std::unique_ptr<rocksdb::Iterator> it(
          database.db()->NewIterator(read, handle));
      for (uint64_t n = 0; n < kKeys; ++n) {
        const std::string theirs = TheirValue(it.get(), KeyOf(n));
        ASSERT_EQ(lookups.Get(KeyOf(n), snapshot == nullptr
                                            ? kMaxSequenceNumber
                                            : snapshot->GetSequenceNumber()),
                  theirs)
            << KeyOf(n);
        found += theirs == "none" ? 0 : 1;
      }
    }
  }
  EXPECT_GT(found, 20U);
}

INSTANTIATE_TEST_SUITE_P(Random, Databases, ::testing::Range<uint64_t>(1, 25));

}  // namespace
}  // namespace ashlar::testing
