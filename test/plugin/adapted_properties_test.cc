// What RocksDB learns of a table while it is built: the same properties from
// Ashlar's builder as from its own.
#include <gtest/gtest.h>
#include <rocksdb/compression_type.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>
#include <rocksdb/table_properties.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "plugin/rocksdb/ashlar_rocksdb.h"
#include "test/plugin/comma_locale.h"

namespace ashlar::testing {
namespace {

using rocksdb::BlockBasedTableOptions;
using rocksdb::Slice;
using rocksdb::Status;

void Require(const Status& status) {
  ASSERT_TRUE(status.ok()) << status.ToString();
}

// Sums what it is told of samples.
class SampleCollector : public rocksdb::TablePropertiesCollector {
 public:
  const char* Name() const override { return "SampleCollector"; }
  Status AddUserKey(const Slice& /*key*/, const Slice& /*value*/,
                    rocksdb::EntryType /*type*/,
                    rocksdb::SequenceNumber /*seq*/,
                    uint64_t /*file_size*/) override {
    return Status::OK();
  }
  void BlockAdd(uint64_t raw_bytes, uint64_t fast_bytes,
                uint64_t slow_bytes) override {
    raw_bytes_ += raw_bytes;
    // RocksDB's builder and its interface differ in which of them comes first.
    sampled_bytes_ += fast_bytes + slow_bytes;
    samples_ += fast_bytes + slow_bytes > 0 ? 1 : 0;
  }
  Status Finish(rocksdb::UserCollectedProperties* properties) override {
    *properties = GetReadableProperties();
    return Status::OK();
  }
  rocksdb::UserCollectedProperties GetReadableProperties() const override {
    return {{"seen", std::to_string(raw_bytes_) + " " +
                         std::to_string(sampled_bytes_) + " of " +
                         std::to_string(samples_)}};
  }

 private:
  uint64_t raw_bytes_ = 0;
  uint64_t sampled_bytes_ = 0;
  uint64_t samples_ = 0;
};
class SampleCollectorFactory : public rocksdb::TablePropertiesCollectorFactory {
 public:
  const char* Name() const override { return "SampleCollectorFactory"; }
  rocksdb::TablePropertiesCollector* CreateTablePropertiesCollector(
      rocksdb::TablePropertiesCollectorFactory::Context /*context*/) override {
    return new SampleCollector;
  }
};

// Flushes and compacts some tables. Returns what they say of samples.
std::string SamplesOf(bool on_ashlar, uint64_t one_in,
                      rocksdb::CompressionType codec) {
  const std::unique_ptr<rocksdb::Env> env(
      rocksdb::NewMemEnv(rocksdb::Env::Default()));
  ashlar_rocksdb::AshlarTableOptions ashlar;
  ashlar.allow_fallback = false;
  ashlar.build = on_ashlar;
  ashlar.read = on_ashlar;
  rocksdb::Options options;
  options.table_factory.reset(
      ashlar_rocksdb::NewAshlarTableFactory({}, ashlar));
  options.table_properties_collector_factories.push_back(
      std::make_shared<SampleCollectorFactory>());
  options.env = env.get();
  options.create_if_missing = true;
  options.disable_auto_compactions = true;
  options.compression = codec;
  options.sample_for_compression = one_in;
  std::unique_ptr<rocksdb::DB> db;
  Require(rocksdb::DB::Open(options, "/sampled", &db));
  for (int table = 0; table < 3; ++table) {
    for (int i = 0; i < 200; ++i) {
      Require(db->Put({}, "key" + std::to_string(1000 + i),
                      std::to_string(i * 7919 + table) +
                          std::string(static_cast<size_t>(i), 'v')));
    }
    Require(db->Flush({}));
    if (table == 1) Require(db->CompactRange({}, nullptr, nullptr));
  }
  rocksdb::TablePropertiesCollection tables;
  Require(db->GetPropertiesOfAllTables(&tables));
  std::string text;
  for (const auto& [file, each] : std::map(tables.begin(), tables.end())) {
    text +=
        "fast " + std::to_string(each->fast_compression_estimated_data_size) +
        ", slow " + std::to_string(each->slow_compression_estimated_data_size) +
        ", seen " + each->user_collected_properties.at("seen") + "\n";
  }
  return text;
}

// Where every block is a sample, chance decides nothing.
TEST(AdaptedProperties, EstimateOtherCodecsAsStock) {
  for (const rocksdb::CompressionType codec :
       {rocksdb::kNoCompression, rocksdb::kLZ4Compression}) {
    const std::string expected = SamplesOf(false, 1, codec);
    EXPECT_EQ(SamplesOf(true, 1, codec), expected);
    EXPECT_EQ(expected.find("fast 0"), std::string::npos) << expected;
    const std::string none = SamplesOf(false, 0, codec);
    EXPECT_EQ(SamplesOf(true, 0, codec), none);
    EXPECT_EQ(none.find("fast 0, slow 0"), 0U) << none;
  }
}

TEST(AdaptedProperties, SampleOneBlockInSoMany) {
  const std::string all = SamplesOf(true, 1, rocksdb::kLZ4Compression);
  const std::string some = SamplesOf(true, 4, rocksdb::kLZ4Compression);
  EXPECT_NE(all.find(" of 6\n"), std::string::npos) << all;
  EXPECT_NE(some.find(" of 2\n"), std::string::npos) << some;
}

// Has these properties, whatever the entries are.
using Properties = rocksdb::UserCollectedProperties;
class FixedCollector : public rocksdb::TablePropertiesCollector {
 public:
  explicit FixedCollector(const Properties& properties)
      : properties_(properties) {}
  const char* Name() const override { return "FixedCollector"; }
  Status Finish(Properties* properties) override {
    *properties = properties_;
    return Status::OK();
  }
  Properties GetReadableProperties() const override { return properties_; }

 private:
  const Properties& properties_;
};
class FixedCollectorFactory : public rocksdb::TablePropertiesCollectorFactory {
 public:
  explicit FixedCollectorFactory(Properties properties)
      : properties_(std::move(properties)) {}
  const char* Name() const override { return "FixedCollectorFactory"; }
  rocksdb::TablePropertiesCollector* CreateTablePropertiesCollector(
      rocksdb::TablePropertiesCollectorFactory::Context /*context*/) override {
    return new FixedCollector(properties_);
  }

 private:
  const Properties properties_;
};

rocksdb::Options OptionsOf(rocksdb::Env* env, bool builds, bool reads,
                           const BlockBasedTableOptions& table = {}) {
  ashlar_rocksdb::AshlarTableOptions ashlar;
  ashlar.allow_fallback = false;
  ashlar.build = builds;
  ashlar.read = reads;
  rocksdb::Options options;
  options.table_factory.reset(
      ashlar_rocksdb::NewAshlarTableFactory(table, ashlar));
  options.env = env;
  options.create_if_missing = true;
  return options;
}

std::unique_ptr<rocksdb::DB> Open(const rocksdb::Options& options) {
  std::unique_ptr<rocksdb::DB> db;
  Require(rocksdb::DB::Open(options, "/properties", &db));
  return db;
}

// Flushes some entries. Returns the properties of their table.
std::shared_ptr<const rocksdb::TableProperties> PropertiesOfNewTable(
    rocksdb::DB* db) {
  for (int i = 0; i < 1000; ++i) {
    Require(db->Put({}, "key" + std::to_string(i), "value"));
  }
  Require(db->Flush({}));
  rocksdb::TablePropertiesCollection tables;
  Require(db->GetPropertiesOfAllTables(&tables));
  EXPECT_EQ(tables.size(), 1U);
  return tables.empty() ? nullptr : tables.begin()->second;
}

TEST(AdaptedProperties, NamedLikeTheTablesOwnFailNoFlush) {
  for (const bool on_ashlar : {false, true}) {
    const std::unique_ptr<rocksdb::Env> env(
        rocksdb::NewMemEnv(rocksdb::Env::Default()));
    rocksdb::Options options = OptionsOf(env.get(), on_ashlar, on_ashlar);
    options.table_properties_collector_factories.push_back(
        std::make_shared<FixedCollectorFactory>(
            Properties{{"rocksdb.num.entries", "many"}, {"other", "kept"}}));
    const std::unique_ptr<rocksdb::DB> db = Open(options);
    const auto properties = PropertiesOfNewTable(db.get());
    ASSERT_NE(properties, nullptr);
    EXPECT_EQ(properties->num_entries, 1000U);
    EXPECT_EQ(properties->user_collected_properties.at("other"), "kept");
  }
}

TEST(AdaptedProperties, NamedLikeThoseOfTimestampsFailNoFlush) {
  for (const bool on_ashlar : {false, true}) {
    const std::unique_ptr<rocksdb::Env> env(
        rocksdb::NewMemEnv(rocksdb::Env::Default()));
    rocksdb::Options options = OptionsOf(env.get(), on_ashlar, on_ashlar);
    options.comparator = rocksdb::BytewiseComparatorWithU64Ts();
    options.table_properties_collector_factories.push_back(
        std::make_shared<FixedCollectorFactory>(
            Properties{{"rocksdb.timestamp_min", "x"}, {"other", "kept"}}));
    const std::unique_ptr<rocksdb::DB> db = Open(options);
    const std::string timestamp("\1\0\0\0\0\0\0\0", 8);
    Require(db->Put({}, "key", timestamp, "value"));
    Require(db->Flush({}));
    rocksdb::TablePropertiesCollection tables;
    Require(db->GetPropertiesOfAllTables(&tables));
    ASSERT_EQ(tables.size(), 1U);
    const auto& found = tables.begin()->second->user_collected_properties;
    EXPECT_EQ(found.at("other"), "kept");
    if (on_ashlar) {
      EXPECT_EQ(found.at("rocksdb.timestamp_min"), timestamp);
    }
  }
}

// RocksDB's builder writes the collector's value, since the table has no times
// of its own.
TEST(AdaptedProperties, BadTimesFailNoRead) {
  for (const bool on_ashlar : {false, true}) {
    const std::unique_ptr<rocksdb::Env> env(
        rocksdb::NewMemEnv(rocksdb::Env::Default()));
    rocksdb::Options options = OptionsOf(env.get(), false, on_ashlar);
    options.table_properties_collector_factories.push_back(
        std::make_shared<FixedCollectorFactory>(
            Properties{{"rocksdb.seqno.time.map", "\xff"}}));
    const std::unique_ptr<rocksdb::DB> db = Open(options);
    const auto properties = PropertiesOfNewTable(db.get());
    ASSERT_NE(properties, nullptr);
    EXPECT_EQ(properties->seqno_to_time_mapping, "\xff");
    std::string value;
    Require(db->Get({}, "key7", &value));
    EXPECT_EQ(value, "value");
    const std::unique_ptr<rocksdb::Iterator> walk(db->NewIterator({}));
    walk->SeekToFirst();
    EXPECT_TRUE(walk->Valid()) << walk->status().ToString();
  }
}

// The ids of policies have a point in every locale. RocksDB itself cannot open
// a database with such a policy where there is a comma.
TEST(AdaptedProperties, FiltersDoNotDependOnTheLocale) {
  BlockBasedTableOptions table;
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(9.9));
  table.optimize_filters_for_memory = false;
  std::vector<uint64_t> sizes;
  for (const bool has_commas : {false, true}) {
    const std::unique_ptr<rocksdb::Env> env(
        rocksdb::NewMemEnv(rocksdb::Env::Default()));
    const std::unique_ptr<rocksdb::DB> db =
        Open(OptionsOf(env.get(), true, true, table));
    const auto commas = has_commas ? std::make_unique<CommaLocale>() : nullptr;
    if (commas != nullptr && !commas->is_set()) {
      GTEST_SKIP() << "no locale has a comma";
    }
    const auto properties = PropertiesOfNewTable(db.get());
    ASSERT_NE(properties, nullptr);
    sizes.push_back(properties->filter_size);
  }
  EXPECT_EQ(sizes[1], sizes[0]);
  EXPECT_GT(sizes[0], 0U);
}

}  // namespace
}  // namespace ashlar::testing
