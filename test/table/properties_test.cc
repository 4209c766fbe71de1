// Tests the properties block, and what it says of the file's compression.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "ashlar/table/table_reader.h"
#include "table/meta/plain_block.h"
#include "table/meta/properties_block.h"
#include "test/support/folder.h"
#include "test/support/random.h"
#include "test/support/reference_reader.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

using namespace internal;

TEST(Properties, RoundTripOfEveryField) {
  TableProperties p;
  p.num_data_blocks = 3;
  p.num_entries = 300;
  p.num_deletions = 2;
  p.num_merge_operands = 1;
  p.num_filter_entries = 290;
  p.raw_key_size = 5000;
  p.raw_value_size = uint64_t{1} << 40;
  p.data_size = 12345;
  p.index_size = 77;
  p.filter_size = 69;
  p.tail_start_offset = 12345;
  p.format_version = 6;
  p.index_type = 1;
  p.index_key_is_user_key = 1;
  p.index_value_is_delta_encoded = 1;
  p.data_block_restart_interval = 16;
  p.index_block_restart_interval = 1;
  p.whole_key_filtering = "1";
  p.prefix_filtering = "0";
  p.comparator_name = "cmp";
  p.merge_operator_name = "merge";
  p.prefix_extractor_name = "nullptr";
  p.property_collectors_names = "[]";
  p.filter_policy_name = "bloomfilter";
  p.compression_name = "ZSTD";
  p.compression_options = "level=1; ";
  p.column_family_id = 0;
  p.column_family_name = "cf";
  p.db_id = "db";
  p.db_session_id = "session";
  p.db_host_id = "host";
  p.orig_file_number = 9;
  p.creation_time = 1;
  p.oldest_key_time = 2;
  p.newest_key_time = 3;
  p.file_creation_time = 4;
  p.key_largest_seqno = kMaxSequenceNumber;
  p.key_smallest_seqno = 0;
  p.external_sst_file_version = 2;
  p.external_sst_file_global_seqno = 0;
  p.user_collected_properties = {{"", ""}, {"zebra", std::string(300, 'z')}};
  Buffer block;
  EncodeProperties(p, &block);
  TableProperties q;
  ASSERT_TRUE(DecodeProperties(block.slice(), {}, &q).ok());
  Buffer again;
  EncodeProperties(q, &again);
  EXPECT_TRUE(again.slice() == block.slice());
  EXPECT_EQ(q.raw_value_size, p.raw_value_size);
  EXPECT_EQ(q.key_largest_seqno, p.key_largest_seqno);
  EXPECT_EQ(q.external_sst_file_version, 2u);
  EXPECT_EQ(q.user_collected_properties, p.user_collected_properties);
  EXPECT_EQ(q.stored.Find("rocksdb.num.entries"), "\xac\2");
  EXPECT_EQ(q.stored.Find("rocksdb.block.based.table.index.type"),
            std::string("\1\0\0\0", 4));
}

// A number that no reader needs may be anything.
TEST(Properties, OnlyWhatIsNeededMustDecode) {
  const auto decode = [](const std::string& name, const std::string& value) {
    Buffer block;
    EncodePlainBlock({{name, value}}, 1, &block);
    TableProperties p;
    return DecodeProperties(block.slice(), {}, &p);
  };
  const std::string cut_off = "\x80";
  EXPECT_TRUE(decode("rocksdb.num.entries", cut_off).ok());
  EXPECT_TRUE(decode("rocksdb.creation.time", "more than a number").ok());
  for (const char* needed :
       {"rocksdb.index.key.is.user.key", "rocksdb.index.value.is.delta.encoded",
        "rocksdb.block.based.table.index.type",
        "rocksdb.external_sst_file.version",
        "rocksdb.external_sst_file.global_seqno",
        "rocksdb.user.defined.timestamps.persisted"}) {
    EXPECT_TRUE(decode(needed, cut_off).IsCorruption()) << needed;
  }
}

TEST(Properties, PlaceOfTheGlobalSequenceNumber) {
  Buffer block;
  EncodePlainBlock(
      {{"a", "b"}, {std::string(kGlobalSeqnoProperty), "12345678"}, {"z", "y"}},
      1, &block);
  const size_t at = FindGlobalSeqno(block.slice());
  ASSERT_GT(at, 0u);
  EXPECT_EQ(Slice(block.data() + at, 8), Slice("12345678"));
  block.clear();
  EncodePlainBlock({{std::string(kGlobalSeqnoProperty), "1234567"}}, 1, &block);
  EXPECT_EQ(FindGlobalSeqno(block.slice()), 0u);
  EXPECT_EQ(FindGlobalSeqno("x"), 0u);
}

TEST(Properties, CompressionAsItIsWritten) {
  const auto write = [](uint32_t version, CompressionType configured,
                        const std::vector<int>& used) {
    std::bitset<256> types;
    for (const int type : used) types.set(static_cast<size_t>(type));
    return EncodeCompressionProperty(configured, types, TraitsOf(version));
  };
  using enum CompressionType;
  EXPECT_EQ(write(6, kNoCompression, {}), "NoCompression");
  EXPECT_EQ(write(6, kZSTD, {7}), "ZSTD");
  EXPECT_EQ(write(2, kLZ4Compression, {}), "LZ4");
  EXPECT_EQ(write(7, kNoCompression, {}), ";;");
  EXPECT_EQ(write(7, kZSTD, {}), "BuiltinV2;;");
  EXPECT_EQ(write(7, kZSTD, {7}), "BuiltinV2;07;");
  EXPECT_EQ(write(7, kLZ4Compression, {4, 7}), "BuiltinV2;0407;");
}

TEST(Properties, CompressionAsItIsRead) {
  const auto read = [](uint32_t version, const std::string& value) {
    TableProperties p;
    p.compression_name = value;
    p.stored = StoredProperties({{"rocksdb.compression", value}});
    DeclaredCompression declared;
    Require(DecodeCompressionProperty(p, TraitsOf(version), &declared));
    return declared;
  };
  EXPECT_TRUE(read(6, "ZSTD").Allows(4));
  EXPECT_FALSE(read(6, "NoCompression").Allows(7));
  EXPECT_TRUE(read(6, "NoCompression").Allows(0));
  EXPECT_FALSE(read(7, ";;").Allows(7));
  EXPECT_FALSE(read(7, "BuiltinV2;07;").Allows(4));
  EXPECT_TRUE(read(7, "BuiltinV2;0407;more").Allows(4));
  EXPECT_TRUE(read(7, "BuiltinV2;07;").Allows(0));
  DeclaredCompression silent;
  ASSERT_TRUE(DecodeCompressionProperty({}, TraitsOf(6), &silent).ok());
  EXPECT_TRUE(silent.Allows(7));
}

// Blocks that compression did not make small enough are stored uncompressed,
// and the property says so.
TEST(Properties, CompressionOfRealTables) {
  TableOptions options;
  options.format_version = 7;
  options.compression = CompressionType::kZSTD;
  const std::string noise = Random(1).Bytes(4000);
  const auto name = [&](const std::vector<Entry>& entries) {
    return ReadReferenceTable(BuildTable(options, entries))
        .properties.at("rocksdb.compression");
  };
  EXPECT_EQ(name({Value("a", 1, std::string(3000, 'v'))}), "BuiltinV2;07;");
  EXPECT_EQ(name({Value("a", 1, noise)}), "BuiltinV2;;");
}

// A reader that does not keep the stored ones has the fields all the same, and
// answers alike, also if it loads its filter later. That goes for tables of
// all implementations.
TEST(Properties, StoredOnesAreKeptUnlessNotWanted) {
  ReaderOptions sparing;
  sparing.keep_stored_properties = false;
  sparing.load_index_and_filter = LoadTime::kAtFirstUse;
  int tables = 0;
  for (const auto& file : std::filesystem::directory_iterator(GoldenPath(""))) {
    const std::string name = file.path().string();
    SCOPED_TRACE(name);
    if (!file.is_regular_file()) continue;
    auto keeping = TableReader::Open(name);
    auto spared = TableReader::Open(name, sparing);
    ASSERT_EQ(keeping.ok(), spared.ok());
    if (!keeping.ok() || (*keeping)->properties().stored.empty()) continue;
    ++tables;
    const TableProperties& all = (*keeping)->properties();
    const TableProperties& fields = (*spared)->properties();
    EXPECT_TRUE(fields.stored.empty());
    EXPECT_EQ(fields.num_entries, all.num_entries);
    EXPECT_EQ(fields.comparator_name, all.comparator_name);
    EXPECT_EQ(fields.user_collected_properties, all.user_collected_properties);
    for (const char* key : {"", "a", "key0000", "\xff"}) {
      GetResult results[2];
      const Status statuses[2] = {
          (*keeping)->Get({}, key, kMaxSequenceNumber, &results[0]),
          (*spared)->Get({}, key, kMaxSequenceNumber, &results[1])};
      EXPECT_EQ(statuses[0].ToString(), statuses[1].ToString());
      EXPECT_EQ(results[0].state, results[1].state);
      EXPECT_EQ(results[0].filter, results[1].filter);
    }
    EXPECT_GE((*keeping)->MemoryUsage() - (*spared)->MemoryUsage(),
              all.stored.ApproximateMemoryUsage() -
                  StoredProperties().ApproximateMemoryUsage());
  }
  EXPECT_GT(tables, 50);
}

}  // namespace
}  // namespace ashlar::testing
