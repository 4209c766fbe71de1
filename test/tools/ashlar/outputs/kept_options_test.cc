// Tests what `rewrite` and `salvage` take over from the old table, row by row
// of the table of options.
#include "tools/ashlar/outputs/kept_options.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "ashlar/table/option_table.h"

namespace ashlar::tool {
namespace {

class KeptOptionsTest : public ::testing::Test {
 protected:
  // Keeps what it can, and returns the warnings.
  std::string Keep(std::vector<std::string> words,
                   const TableProperties* properties,
                   uint32_t format_version = 5) {
    words.insert(words.begin(), "ashlar");
    std::vector<char*> argv;
    argv.reserve(words.size());
    for (std::string& word : words) argv.push_back(word.data());
    const CommandLine line =
        ParseCommandLine(static_cast<int>(argv.size()), argv.data());
    EXPECT_EQ(line.error, "");
    ::testing::internal::CaptureStderr();
    KeepOptions(line, {"old.sst", format_version, properties}, &options_);
    return ::testing::internal::GetCapturedStderr();
  }

  SinkOptions options_;

 private:
  gflags::FlagSaver saver_;
};

// Properties that say something else than the defaults of each option.
TableProperties OtherProperties() {
  TableProperties p;
  p.user_defined_timestamps_persisted = 0;
  p.data_block_restart_interval = 7;
  p.index_block_restart_interval = 3;
  p.separate_key_value_in_data_block = 1;
  p.prefix_extractor_name = "rocksdb.FixedPrefix.4";
  p.creation_time = 11;
  p.oldest_key_time = 12;
  p.newest_key_time = 13;
  p.column_family_id = 0xfffffff0;
  p.column_family_name = "family";
  p.merge_operator_name = "add";
  p.user_collected_properties = {{"mine", "1"}, {"rocksdb.other", "2"}};
  return p;
}

// The rows whose value differs from the default.
template <typename Options>
std::map<std::string_view, std::string> Changed(
    std::span<const OptionRow<Options>> rows, const Options& options) {
  std::map<std::string_view, std::string> changed;
  for (const OptionRow<Options>& row : rows) {
    const OptionValue value = row.member.get(options);
    if (value == row.member.get(Options())) continue;
    changed[row.name] = DescribeValue(row.member.bounds, value);
  }
  return changed;
}

using Values = std::map<std::string_view, std::string>;

TEST_F(KeptOptionsTest, EveryRowThatIsKept) {
  const TableProperties p = OtherProperties();
  EXPECT_EQ(Keep({}, &p), "");
  EXPECT_EQ(Changed(TableOptionRows(), options_.table),
            (Values{{"persist_user_defined_timestamps", "false"},
                    {"format_version", "5"},
                    {"block_restart_interval", "7"},
                    {"index_block_restart_interval", "3"},
                    {"separate_key_value_in_data_block", "true"},
                    {"prefix_extractor", "rocksdb.FixedPrefix.4"}}));
  EXPECT_EQ(Changed(BuildOptionRows(), options_.build),
            (Values{{"identity.creation_time", "11"},
                    {"identity.oldest_key_time", "12"},
                    {"identity.newest_key_time", "13"},
                    {"column_family_id", "4294967280"},
                    {"column_family_name", "family"},
                    {"merge_operator_name", "add"}}));
  EXPECT_EQ(options_.build.user_properties,
            (std::map<std::string, std::string>{{"mine", "1"}}));
}

TEST_F(KeptOptionsTest, AFlagIsStronger) {
  const TableProperties p = OtherProperties();
  options_.build.identity.creation_time = 5;  // by --creation_time
  EXPECT_EQ(
      Keep({"--format_version=7", "--block_size=64",
            "--block_restart_interval=16", "--index_block_restart_interval=1",
            "--noseparate_key_value_in_data_block", "--prefix_extractor="},
           &p),
      "");
  EXPECT_EQ(Changed(TableOptionRows(), options_.table),
            (Values{{"persist_user_defined_timestamps", "false"}}));
  EXPECT_EQ(options_.build.identity.creation_time, 5U);
}

TEST_F(KeptOptionsTest, NothingIsRecorded) {
  EXPECT_EQ(Keep({}, nullptr, 6), "");
  EXPECT_TRUE(Changed(TableOptionRows(), options_.table).empty());
  const TableProperties none;
  EXPECT_EQ(Keep({}, &none, 6), "");
  EXPECT_TRUE(Changed(TableOptionRows(), options_.table).empty());
  EXPECT_EQ(Changed(BuildOptionRows(), options_.build),
            (Values{{"identity.creation_time", "0"}}));
}

TEST_F(KeptOptionsTest, WhatIsOutOfRange) {
  TableProperties p;
  p.data_block_restart_interval = 0xffffffff;
  p.index_block_restart_interval = uint64_t{1} << 63;
  p.prefix_extractor_name = "rocksdb.OtherPrefix.4";
  p.column_family_id = uint64_t{1} << 32;
  const std::string front = "ashlar: warning: old.sst: ";
  EXPECT_EQ(Keep({}, &p, 1),
            front +
                "format version 1 cannot be written; the new table has "
                "version 2\n" +
                front +
                "block_restart_interval 4294967295 is out of range; the new "
                "table uses 16\n" +
                front +
                "index_block_restart_interval 9223372036854775808 is out of "
                "range; the new table uses 1\n" +
                front +
                "prefix_extractor rocksdb.OtherPrefix.4 is not built in; the "
                "new table has none\n" +
                front +
                "column_family_id 4294967296 is out of range; the new table "
                "uses 2147483647\n");
  EXPECT_EQ(Changed(TableOptionRows(), options_.table),
            (Values{{"format_version", "2"}}));
  // The nearest version, on the other side too.
  EXPECT_EQ(Keep({}, nullptr, 99),
            front +
                "format version 99 cannot be written; the new table has "
                "version 7\n");
}

TEST_F(KeptOptionsTest, WhatTheTargetDoesNotRead) {
  const TableProperties p = OtherProperties();
  EXPECT_EQ(Keep({"--target_rocksdb=11.0"}, &p), "");
  EXPECT_TRUE(options_.table.separate_key_value_in_data_block);
  // The target chooses the format version.
  EXPECT_EQ(options_.table.format_version, TableOptions().format_version);
  options_ = {};
  EXPECT_EQ(Keep({"--target_rocksdb=10.10"}, &p),
            "ashlar: warning: old.sst: separate_key_value_in_data_block needs "
            "RocksDB 11.0, but --target_rocksdb is 10.10; the new table does "
            "without\n");
  EXPECT_FALSE(options_.table.separate_key_value_in_data_block);
  EXPECT_EQ(options_.table.block_restart_interval, 7);
}

TEST_F(KeptOptionsTest, AHashIndexHasItsOwnInterval) {
  const TableProperties p = OtherProperties();
  options_.table.index_type = IndexType::kHashSearch;
  EXPECT_EQ(Keep({}, &p), "");
  EXPECT_EQ(options_.table.index_block_restart_interval, 1);
  EXPECT_EQ(options_.table.block_restart_interval, 7);
}

}  // namespace
}  // namespace ashlar::tool
