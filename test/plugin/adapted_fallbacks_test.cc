// Tables that Ashlar leaves to RocksDB's own reader: what is in them is found,
// and they are counted by reasons of which there are few.
#include <gtest/gtest.h>
#include <rocksdb/comparator.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/table.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "plugin/rocksdb/ashlar_rocksdb.h"
#include "plugin/rocksdb/reason_counts.h"

namespace ashlar::testing {
namespace {

using ashlar_rocksdb::GetTableCounts;
using rocksdb::BlockBasedTableOptions;
using rocksdb::ColumnFamilyHandle;
using rocksdb::Status;
using Reasons = std::map<std::string, uint64_t>;

constexpr int kTables = 3;
const char* const kFolder = "/fallbacks";

void Require(const Status& status) {
  ASSERT_TRUE(status.ok()) << status.ToString();
}

rocksdb::Options OptionsOf(rocksdb::Env* env,
                           const BlockBasedTableOptions& table = {}) {
  rocksdb::Options options;
  options.table_factory.reset(ashlar_rocksdb::NewAshlarTableFactory(table));
  options.env = env;
  options.create_if_missing = true;
  options.create_missing_column_families = true;
  options.disable_auto_compactions = true;
  return options;
}

std::string KeyNumber(int number) {
  return "key" + std::to_string(1000 + number);
}

// Returns the path of the only table.
std::string TableOf(rocksdb::DB* db) {
  std::vector<rocksdb::LiveFileMetaData> files;
  db->GetLiveFilesMetaData(&files);
  EXPECT_EQ(files.size(), 1U);
  return files.empty() ? "" : files[0].db_path + files[0].name;
}

// Returns the reasons that were counted since `before`.
Reasons NewReasons(const Reasons& before) {
  Reasons reasons = GetTableCounts().reasons;
  for (const auto& [reason, times] : before) reasons[reason] -= times;
  std::erase_if(reasons, [](const auto& each) { return each.second == 0; });
  return reasons;
}

// A repair opens each table with the comparator of the default family, and
// gives up those that it cannot open.
TEST(AdaptedFallbacks, RepairsKeepTablesOfAllComparators) {
  const std::unique_ptr<rocksdb::Env> env(
      rocksdb::NewMemEnv(rocksdb::Env::Default()));
  const rocksdb::Options options = OptionsOf(env.get());
  rocksdb::Options reverse = options;
  reverse.comparator = rocksdb::ReverseBytewiseComparator();
  const std::vector<rocksdb::ColumnFamilyDescriptor> families = {
      {rocksdb::kDefaultColumnFamilyName, options}, {"reverse", reverse}};
  std::unique_ptr<rocksdb::DB> db;
  std::vector<ColumnFamilyHandle*> handles;
  const auto open = [&] {
    Require(rocksdb::DB::Open(options, kFolder, families, &handles, &db));
  };
  const auto close = [&] {
    for (ColumnFamilyHandle* handle : handles) {
      Require(db->DestroyColumnFamilyHandle(handle));
    }
    handles.clear();
    db.reset();
  };
  open();
  for (ColumnFamilyHandle* handle : handles) {
    for (int i = 0; i < 10; ++i) {
      Require(db->Put({}, handle, KeyNumber(i), handle->GetName()));
    }
    Require(db->Flush({}, handle));
  }
  close();
  std::vector<std::string> files;
  Require(env->GetChildren(kFolder, &files));
  for (const std::string& file : files) {
    if (file == "CURRENT" || file.starts_with("MANIFEST-")) {
      Require(env->DeleteFile(kFolder + ("/" + file)));
    }
  }
  Require(rocksdb::RepairDB(kFolder, options, families));
  open();
  for (ColumnFamilyHandle* handle : handles) {
    std::string value;
    Require(db->Get({}, handle, KeyNumber(5), &value));
    EXPECT_EQ(value, handle->GetName());
  }
  close();
}

TEST(AdaptedFallbacks, ChecksumsAreVerifiedWithoutTheComparator) {
  const std::unique_ptr<rocksdb::Env> env(
      rocksdb::NewMemEnv(rocksdb::Env::Default()));
  rocksdb::Options options = OptionsOf(env.get());
  options.comparator = rocksdb::ReverseBytewiseComparator();
  std::unique_ptr<rocksdb::DB> db;
  Require(rocksdb::DB::Open(options, kFolder, &db));
  Require(db->Put({}, "key", "value"));
  Require(db->Flush({}));
  Require(rocksdb::VerifySstFileChecksum(OptionsOf(env.get()), {},
                                         TableOf(db.get())));
}

// A table that was built before its database had timestamps, which it does not
// store.
TEST(AdaptedFallbacks, HaveOneReasonForAllTablesOfOneCause) {
  const std::unique_ptr<rocksdb::Env> env(
      rocksdb::NewMemEnv(rocksdb::Env::Default()));
  rocksdb::Options options = OptionsOf(env.get());
  std::unique_ptr<rocksdb::DB> db;
  Require(rocksdb::DB::Open(options, kFolder, &db));
  for (int table = 0; table < kTables; ++table) {
    Require(db->Put({}, KeyNumber(table), "value"));
    Require(db->Flush({}));
  }
  db.reset();
  options.comparator = rocksdb::BytewiseComparatorWithU64Ts();
  options.persist_user_defined_timestamps = false;
  options.allow_concurrent_memtable_write = false;
  const Reasons before = GetTableCounts().reasons;
  Require(rocksdb::DB::Open(options, kFolder, &db));
  EXPECT_EQ(NewReasons(before),
            (Reasons{{"read: a table of another comparator", kTables}}));
}

// Makes a table whose property of its codec says `declared`, after `written`,
// which has the same length.
void CheckCodec(uint32_t format_version, rocksdb::CompressionType codec,
                const std::string& written, const std::string& declared) {
  const std::unique_ptr<rocksdb::Env> env(
      rocksdb::NewMemEnv(rocksdb::Env::Default()));
  BlockBasedTableOptions table;
  table.format_version = format_version;
  table.checksum = rocksdb::kNoChecksum;
  rocksdb::Options options = OptionsOf(env.get(), table);
  options.compression = codec;
  std::unique_ptr<rocksdb::DB> db;
  Require(rocksdb::DB::Open(options, kFolder, &db));
  for (int i = 0; i < 100; ++i) {
    Require(db->Put({}, KeyNumber(i), std::string(100, 'v')));
  }
  Require(db->Flush({}));
  const std::string path = TableOf(db.get());
  db.reset();
  std::string bytes;
  Require(rocksdb::ReadFileToString(env.get(), path, &bytes));
  const size_t at = bytes.find("ression" + written);
  ASSERT_NE(at, std::string::npos);
  bytes.replace(at, 7 + written.size(), "ression" + declared);
  Require(rocksdb::WriteStringToFile(env.get(), bytes, path));
  const Reasons before = GetTableCounts().reasons;
  Require(rocksdb::DB::Open(options, kFolder, &db));
  const Reasons expected =
      written == declared
          ? Reasons{}
          : Reasons{{"read: a codec that Ashlar was built without", 1}};
  EXPECT_EQ(NewReasons(before), expected) << declared;
  std::string value;
  Require(db->Get({}, KeyNumber(5), &value));
  EXPECT_EQ(value, std::string(100, 'v'));
}

TEST(AdaptedFallbacks, AreForCodecsThatAshlarLacks) {
  constexpr auto kLz4 = rocksdb::kLZ4Compression;
  CheckCodec(7, kLz4, "BuiltinV2;04;", "BuiltinV2;04;");
  CheckCodec(7, kLz4, "BuiltinV2;04;", "BuiltinV2;06;");  // Xpress
  CheckCodec(6, rocksdb::kSnappyCompression, "Snappy", "Snappy");
  CheckCodec(6, rocksdb::kSnappyCompression, "Snappy", "Xpress");
}

TEST(ReasonCounts, AreBounded) {
  Reasons reasons;
  for (int i = 0; i < 1000; ++i) {
    ashlar_rocksdb::CountReason("reason " + std::to_string(i), &reasons);
  }
  EXPECT_EQ(reasons.size(), 101U);
  EXPECT_EQ(reasons.at("others"), 900U);
  EXPECT_EQ(ashlar_rocksdb::CountReason("reason 7", &reasons), 2U);
  EXPECT_EQ(ashlar_rocksdb::CountReason("reason 999", &reasons), 901U);
}

}  // namespace
}  // namespace ashlar::testing
