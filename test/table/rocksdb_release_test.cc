// Tests which RocksDB releases read a table: the release that a caller names as
// target, and the oldest release for a given file.

#include "ashlar/table/entry/rocksdb_release.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ashlar/table/inspect.h"
#include "ashlar/table/options.h"
#include "test/support/folder.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

TEST(RocksDBRelease, Parse) {
  EXPECT_EQ(ParseRocksDBRelease("7.8"), (RocksDBRelease{7, 8}));
  EXPECT_EQ(ParseRocksDBRelease("10.4.2"), (RocksDBRelease{10, 4}));
  for (const char* text : {"", "7", "7.", ".8", "7.8.", "7.8.3.1", "seven.8",
                           "7.8 ", "-1.2", "7.99999999999"}) {
    EXPECT_FALSE(ParseRocksDBRelease(text).has_value()) << text;
  }
  EXPECT_EQ(ToString({11, 0}), "11.0");
  EXPECT_LT((RocksDBRelease{9, 10}), (RocksDBRelease{10, 4}));
  EXPECT_LT((RocksDBRelease{8, 6}), (RocksDBRelease{8, 11}));
}

TEST(RocksDBRelease, TargetsTakeTheNewestFormat) {
  const struct {
    const char* release;
    uint32_t format_version;
    ChecksumType checksum;
  } targets[] = {
      {"3.10", 2, ChecksumType::kCRC32c}, {"4.11", 2, ChecksumType::kCRC32c},
      {"4.12", 2, ChecksumType::kCRC32c}, {"5.14", 2, ChecksumType::kCRC32c},
      {"5.15", 3, ChecksumType::kCRC32c}, {"5.16", 4, ChecksumType::kCRC32c},
      {"6.5", 4, ChecksumType::kCRC32c},  {"6.6", 5, ChecksumType::kCRC32c},
      {"6.26", 5, ChecksumType::kCRC32c}, {"6.27", 5, ChecksumType::kXXH3},
      {"7.8", 5, ChecksumType::kXXH3},    {"8.6", 6, ChecksumType::kXXH3},
      {"10.3", 6, ChecksumType::kXXH3},   {"10.4", 7, ChecksumType::kXXH3},
      {"99.0", 7, ChecksumType::kXXH3},
  };
  for (const auto& target : targets) {
    const auto options = TableOptions::TargetRocksDB(target.release);
    ASSERT_TRUE(options.ok()) << options.status().ToString();
    EXPECT_EQ(options->format_version, target.format_version) << target.release;
    EXPECT_EQ(options->checksum, target.checksum) << target.release;
    if (*options->target_rocksdb < RocksDBRelease{4, 12}) {
      EXPECT_NE(options->compression, CompressionType::kZSTD);
    } else {
      EXPECT_EQ(options->compression, DefaultCompressionType());
    }
    EXPECT_TRUE(options->Validate().ok()) << target.release;
  }
  EXPECT_EQ(TableOptions::TargetRocksDB("3.9").status().message(),
            "target_rocksdb is 3.9, expected 3.10 or later");
  EXPECT_EQ(TableOptions::TargetRocksDB("new").status().message(),
            "target_rocksdb is 'new', expected a release such as 7.8");
}

TEST(RocksDBRelease, ImpossibleWishesNameBoth) {
  const struct {
    const char* release;
    void (*wish)(TableOptions*);
    const char* message;
  } wishes[] = {
      {"7.8",
       [](TableOptions* o) { o->separate_key_value_in_data_block = true; },
       "separate_key_value_in_data_block needs RocksDB 11.0, but "
       "target_rocksdb is 7.8"},
      {"6.26", [](TableOptions* o) { o->checksum = ChecksumType::kXXH3; },
       "checksum kXXH3 needs RocksDB 6.27, but target_rocksdb is 6.26"},
      {"8.5", [](TableOptions* o) { o->format_version = 6; },
       "format_version 6 needs RocksDB 8.6, but target_rocksdb is 8.5"},
      {"6.14", [](TableOptions* o) { o->filter = FilterType::kRibbon; },
       "filter kRibbon needs RocksDB 6.15, but target_rocksdb is 6.14"},
      {"11.0", [](TableOptions* o) { o->uniform_cv_threshold = 0.5; },
       "uniform_cv_threshold needs RocksDB 11.1, but target_rocksdb is 11.0"},
      {"5.14",
       [](TableOptions* o) {
         o->data_block_index_type = DataBlockIndexType::kDataBlockBinaryAndHash;
       },
       "data_block_index_type kDataBlockBinaryAndHash needs RocksDB 5.15, but "
       "target_rocksdb is 5.14"},
      {"4.11", [](TableOptions* o) { o->compression = CompressionType::kZSTD; },
       "compression kZSTD needs RocksDB 4.12, but target_rocksdb is 4.11"},
      {"4.7", [](TableOptions* o) { o->compression_opts.max_dict_bytes = 1; },
       "compression_opts.max_dict_bytes needs RocksDB 4.8, but target_rocksdb "
       "is 4.7"},
      {"5.1",
       [](TableOptions* o) { o->index_type = IndexType::kTwoLevelIndexSearch; },
       "index_type kTwoLevelIndexSearch needs RocksDB 5.2, but target_rocksdb "
       "is 5.1"},
      {"5.3",
       [](TableOptions* o) {
         o->index_type = IndexType::kTwoLevelIndexSearch;
         o->partition_filters = true;
       },
       "partition_filters needs RocksDB 5.4, but target_rocksdb is 5.3"},
      {"6.1",
       [](TableOptions* o) {
         o->index_type = IndexType::kBinarySearchWithFirstKey;
       },
       "index_type kBinarySearchWithFirstKey needs RocksDB 6.2, but "
       "target_rocksdb is 6.1"},
  };
  for (const auto& wish : wishes) {
    TableOptions options = *TableOptions::TargetRocksDB(wish.release);
    ASSERT_TRUE(options.Validate().ok());
    wish.wish(&options);
    EXPECT_TRUE(options.Validate().IsInvalidArgument());
    EXPECT_EQ(options.Validate().message(), wish.message);
  }
}

TEST(RocksDBRelease, WhatFilesNeed) {
  const struct {
    const char* file;
    const char* release;
  } files[] = {
      {"r78-fv2-crc32c.sst", "3.10"},   {"r78-fv5-crc32c.sst", "6.6"},
      {"r78-fv2-xxh3.sst", "6.27"},     {"r119-fv6-xxh3.sst", "8.6"},
      {"r119-fv7-xxh3.sst", "10.4"},    {"r119-sepkv-8.sst", "11.0"},
      {"r119-embedded.sst", "11.6"},    {"r78-ribbon-10.sst", "6.27"},
      {"r78-firstkey-fv3.sst", "6.27"},
  };
  for (const auto& each : files) {
    const std::string path = GoldenPath(each.file);
    TableInspection found;
    InspectOptions options;
    options.data_blocks = InspectOptions::DataBlocks::kSkip;
    Require(
        InspectTable(*NewMemoryFile(path, ReadFile(path)), options, &found));
    const auto release = OldestRocksDBFor(
        *found.format_version, found.checksum_type, &*found.properties);
    ASSERT_TRUE(release.has_value());
    EXPECT_EQ(ToString(*release), each.release) << each.file;
  }
  EXPECT_FALSE(OldestRocksDBFor(1, std::nullopt, nullptr).has_value());
  EXPECT_FALSE(OldestRocksDBFor(8, std::nullopt, nullptr).has_value());
}

TEST(RocksDBRelease, WhatOurFilesNeed) {
  const struct {
    void (*wish)(TableOptions*);
    bool with_range;
    const char* release;
  } files[] = {
      {[](TableOptions*) {}, false, "3.10"},
      {[](TableOptions*) {}, true, "5.0"},
      {[](TableOptions* o) { o->compression = CompressionType::kZSTD; }, false,
       "4.12"},
      {[](TableOptions* o) {
         o->compression = CompressionType::kZlibCompression;
         o->compression_opts.max_dict_bytes = 1000;
       },
       false, "4.8"},
      {[](TableOptions* o) { o->index_type = IndexType::kTwoLevelIndexSearch; },
       false, "5.2"},
  };
  for (const auto& each : files) {
    TableOptions options;
    options.format_version = 2;
    options.checksum = ChecksumType::kCRC32c;
    options.compression = CompressionType::kNoCompression;
    each.wish(&options);
    if (!IsCompressionSupported(options.compression)) continue;
    std::vector<Entry> entries = SomeEntries(500);
    if (each.with_range) entries.push_back(RangeDeleted("a", 7, "b"));
    const auto reader = OpenTable(BuildTable(options, entries));
    const auto release =
        OldestRocksDBFor(reader->format_version(), reader->checksum_type(),
                         &reader->properties());
    ASSERT_TRUE(release.has_value());
    EXPECT_EQ(ToString(*release), each.release);
  }
}

}  // namespace
}  // namespace ashlar::testing
