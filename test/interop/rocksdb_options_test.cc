// Options as text, against RocksDB: its strings are read here and ours there.
// A table that is built by the OPTIONS file of a database has the properties of
// the one that RocksDB builds with the options of that database.

#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/flush_block_policy.h>
#include <rocksdb/merge_operator.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/sst_file_writer.h>

#include <memory>
#include <string>
#include <vector>

#include "ashlar/table/external_file_writer.h"
#include "ashlar/table/option_strings.h"
#include "test/support/folder.h"

namespace ashlar {
namespace {

using rocksdb::BlockBasedTableOptions;
using testing::TestFolder;
using Form = OptionTextForm;
using TheirTable = BlockBasedTableOptions;

// Sets of options of RocksDB's that differ from the defaults in many places.
std::vector<TheirTable> TheirTables() {
  std::vector<TheirTable> all(4);
  // Otherwise sizes of filters depend on the allocator.
  for (TheirTable& table : all) table.optimize_filters_for_memory = false;
  TheirTable& bloom = all[1];
  bloom.block_size = 16384;
  bloom.block_size_deviation = 3;
  bloom.filter_policy.reset(rocksdb::NewBloomFilterPolicy(9.5));
  bloom.data_block_index_type = TheirTable::kDataBlockBinaryAndHash;
  bloom.data_block_hash_table_util_ratio = 0.5;
  bloom.checksum = rocksdb::kxxHash64;
  bloom.block_restart_interval = 7;
  bloom.index_shortening =
      TheirTable::IndexShorteningMode::kShortenSeparatorsAndSuccessor;
  TheirTable& parts = all[2];
  parts.filter_policy.reset(rocksdb::NewRibbonFilterPolicy(11, -1));
  parts.index_type = TheirTable::kTwoLevelIndexSearch;
  parts.partition_filters = true;
  parts.metadata_block_size = 1024;
  parts.index_block_restart_interval = 4;
  parts.format_version = 5;
  parts.cache_index_and_filter_blocks = true;
  parts.enable_index_compression = false;
  TheirTable& other = all[3];
  other.index_type = TheirTable::kBinarySearchWithFirstKey;
  EXPECT_TRUE(rocksdb::FlushBlockPolicyFactory::CreateFromString(
                  rocksdb::ConfigOptions(), "FlushBlockEveryKeyPolicyFactory",
                  &other.flush_block_policy_factory)
                  .ok());
  other.separate_key_value_in_data_block = true;
  other.use_delta_encoding = false;
  other.uniform_cv_threshold = 0.25;
  other.whole_key_filtering = false;
  other.verify_compression = true;
  return all;
}

rocksdb::Options TheirOptions(const TheirTable& table) {
  rocksdb::Options options;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  options.compression = rocksdb::kZSTD;
  options.compression_opts.level = 5;
  options.compression_opts.max_dict_bytes = 4096;
  options.compression_opts.zstd_max_train_bytes = 65536;
  options.prefix_extractor.reset(rocksdb::NewCappedPrefixTransform(5));
  return options;
}

std::string TheirText(const TheirTable& table) {
  const std::unique_ptr<rocksdb::TableFactory> factory(
      rocksdb::NewBlockBasedTableFactory(table));
  std::string text;
  const rocksdb::Status status =
      factory->GetOptionString(rocksdb::ConfigOptions(), &text);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return text;
}

std::string OurText(const TableOptions& options, Form form) {
  const auto text = StringFromTableOptions(options, form);
  EXPECT_TRUE(text.ok()) << text.status().ToString();
  return text.ok() ? *text : "";
}

TEST(RocksDBOptions, TableStringsGoBothWays) {
  for (TheirTable table : TheirTables()) {
    // Ashlar's table options have none of the reader's.
    table.cache_index_and_filter_blocks = false;
    const std::string theirs = TheirText(table);
    TableOptions ours;
    const Status read = TableOptionsFromString({}, theirs, &ours);
    ASSERT_TRUE(read.ok()) << read.ToString();
    const std::string text = OurText(ours, Form::kRocksDBTable);
    TheirTable again;
    const rocksdb::Status status = rocksdb::GetBlockBasedTableOptionsFromString(
        rocksdb::ConfigOptions(), TheirTable(), text, &again);
    ASSERT_TRUE(status.ok()) << status.ToString() << "\n" << text;
    EXPECT_EQ(TheirText(again), theirs);
  }
}

TEST(RocksDBOptions, ReaderOptionsAreRead) {
  OptionSet set;
  ASSERT_TRUE(OptionsFromString(TheirText(TheirTables()[2]), &set).ok());
  EXPECT_TRUE(set.reader.cache_index_and_filter_blocks);
}

TEST(RocksDBOptions, FamilyStringsGoBothWays) {
  const auto text_of = [](const rocksdb::ColumnFamilyOptions& options) {
    std::string text;
    const rocksdb::Status status = rocksdb::GetStringFromColumnFamilyOptions(
        rocksdb::ConfigOptions(), options, &text);
    EXPECT_TRUE(status.ok()) << status.ToString();
    return text;
  };
  for (const TheirTable& table : TheirTables()) {
    const std::string theirs = text_of(TheirOptions(table));
    TableOptions ours;
    const Status read = TableOptionsFromString({}, theirs, &ours);
    ASSERT_TRUE(read.ok()) << read.ToString();
    const std::string text = OurText(ours, Form::kRocksDBFamily);
    rocksdb::ColumnFamilyOptions again;
    const rocksdb::Status status = rocksdb::GetColumnFamilyOptionsFromString(
        rocksdb::ConfigOptions(), rocksdb::ColumnFamilyOptions(), text, &again);
    ASSERT_TRUE(status.ok()) << status.ToString() << "\n" << text;
    EXPECT_EQ(text_of(again), theirs);
  }
}

std::string Key(int i) {
  std::string digits = std::to_string(i);
  return "key" + std::string(6 - digits.size(), '0') + digits;
}
std::string Value(int i) {
  return "value of " + Key(i * 7919 % 10000) + std::string(i % 40, 'x');
}
constexpr int kEntries = 5000;

void BuildTheirs(const rocksdb::Options& options, const std::string& path) {
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options);
  ASSERT_TRUE(writer.Open(path).ok());
  for (int i = 0; i < kEntries; ++i) {
    ASSERT_TRUE(writer.Put(Key(i), Value(i)).ok());
  }
  ASSERT_TRUE(writer.Finish().ok());
}

void BuildOurs(const OptionSet& set, const std::string& path) {
  auto writer = ExternalFileWriter::Open(path, set.table, set.build);
  ASSERT_TRUE(writer.ok()) << writer.status().ToString();
  for (int i = 0; i < kEntries; ++i) {
    ASSERT_TRUE((*writer)->Put(Key(i), Value(i)).ok());
  }
  const Status status = (*writer)->Finish();
  ASSERT_TRUE(status.ok()) << status.ToString();
}

std::shared_ptr<const rocksdb::TableProperties> PropertiesOf(
    const std::string& path) {
  rocksdb::SstFileReader reader{rocksdb::Options()};
  const rocksdb::Status status = reader.Open(path);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return reader.GetTableProperties();
}

void ExpectSameProperties(const std::string& ours, const std::string& theirs) {
  const auto a = PropertiesOf(ours);
  const auto b = PropertiesOf(theirs);
  EXPECT_EQ(a->data_size, b->data_size);
  EXPECT_EQ(a->index_size, b->index_size);
  EXPECT_EQ(a->filter_size, b->filter_size);
  EXPECT_EQ(a->num_data_blocks, b->num_data_blocks);
  EXPECT_EQ(a->index_partitions, b->index_partitions);
  EXPECT_EQ(a->top_level_index_size, b->top_level_index_size);
  EXPECT_EQ(a->format_version, b->format_version);
  EXPECT_EQ(a->filter_policy_name, b->filter_policy_name);
  EXPECT_EQ(a->compression_name, b->compression_name);
  // RocksDB records whether it took the codec's options from those of the
  // bottommost level. Here they are the codec's options.
  std::string codec = b->compression_options;
  const size_t enabled = codec.find("enabled=1");
  ASSERT_NE(enabled, std::string::npos);
  codec.replace(enabled, sizeof("enabled=1") - 1, "enabled=0");
  EXPECT_EQ(a->compression_options, codec);
  EXPECT_EQ(a->comparator_name, b->comparator_name);
  EXPECT_EQ(a->merge_operator_name, b->merge_operator_name);
  EXPECT_EQ(a->prefix_extractor_name, b->prefix_extractor_name);
  EXPECT_EQ(a->user_collected_properties, b->user_collected_properties);
}

TEST(RocksDBOptions, TablesByAnOptionsFileHaveRocksDBsProperties) {
  for (const TheirTable& table : TheirTables()) {
    const TestFolder folder;
    rocksdb::Options options = TheirOptions(table);
    options.create_if_missing = true;
    options.bottommost_compression = rocksdb::kZlibCompression;
    options.bottommost_compression_opts.enabled = true;
    options.bottommost_compression_opts.level = 4;
    ASSERT_TRUE(
        rocksdb::MergeOperator::CreateFromString(
            rocksdb::ConfigOptions(), "stringappend", &options.merge_operator)
            .ok());
    std::unique_ptr<rocksdb::DB> db;
    const rocksdb::Status open = rocksdb::DB::Open(options, folder / "db", &db);
    ASSERT_TRUE(open.ok()) << open.ToString();
    OptionSet set;
    const Status read = LoadOptionsFile(folder / "db", "default", &set);
    ASSERT_TRUE(read.ok()) << read.ToString();
    ASSERT_NO_FATAL_FAILURE(BuildTheirs(options, folder / "theirs.sst"));
    ASSERT_NO_FATAL_FAILURE(BuildOurs(set, folder / "ours.sst"));
    ExpectSameProperties(folder / "ours.sst", folder / "theirs.sst");
  }
}

}  // namespace
}  // namespace ashlar
