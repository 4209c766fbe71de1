// Tests options as text: strings of RocksDB's and ours, and OPTIONS files.
//
// That RocksDB reads and writes the same is tested by
// test/interop/rocksdb_options_test.cc.

#include "ashlar/table/option_strings.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <limits>
#include <string>
#include <vector>

#include "ashlar/table/filter_policy.h"
#include "ashlar/table/flush_block_policy.h"
#include "ashlar/table/option_table.h"
#include "ashlar/util/custom_codec.h"
#include "ashlar/util/whole_file.h"
#include "test/support/folder.h"
#include "test/support/option_bounds.h"
#include "test/support/random_table.h"

namespace ashlar::testing {
namespace {

using Form = OptionTextForm;

// Returns the options that the text makes of the default ones.
OptionSet Read(std::string_view text) {
  OptionSet set;
  const Status status = OptionsFromString(text, &set);
  EXPECT_TRUE(status.ok()) << status.ToString() << "\n" << text;
  return set;
}

std::string ErrorOf(std::string_view text) {
  OptionSet set;
  set.table.block_size = 777;
  const Status status = OptionsFromString(text, &set);
  EXPECT_FALSE(status.ok()) << text;
  EXPECT_EQ(set.table.block_size, 777U) << "changed by an error";
  return std::string(status.message());
}

std::string TextOf(const TableOptions& options, Form form = Form::kAshlar) {
  const auto text = StringFromTableOptions(options, form);
  EXPECT_TRUE(text.ok()) << text.status().ToString();
  return text.ok() ? *text : "";
}

void ExpectSameRows(const TableOptions& a, const TableOptions& b) {
  for (const auto& row : TableOptionRows()) {
    EXPECT_EQ(DescribeValue({}, row.member.get(a)),
              DescribeValue({}, row.member.get(b)))
        << row.name;
  }
}

// Returns a value that the row may have and that is not the default.
template <typename Options>
OptionValue OtherAllowedValue(const OptionRow<Options>& row) {
  const OptionValue value = OtherValueOf(row);
  return IsWithin(row.member.bounds, value) ? value : row.member.bounds.max;
}

TEST(OptionStrings, EveryRowIsWrittenAndRead) {
  for (const auto& row : TableOptionRows()) {
    SCOPED_TRACE(row.name);
    TableOptions options;
    ASSERT_TRUE(row.member.set(OtherAllowedValue(row), &options));
    ExpectSameRows(Read(TextOf(options)).table, options);
    if (row.home != OptionHome::kAshlar) {
      ExpectSameRows(Read(TextOf(options, Form::kRocksDBFamily)).table,
                     options);
    }
    if (row.home == OptionHome::kTable) {
      ExpectSameRows(Read(TextOf(options, Form::kRocksDBTable)).table, options);
    }
  }
}

TEST(OptionStrings, RowsOfBuildsAndReadersAreRead) {
  const OptionSet set = Read(
      "parallel_threads=3;target_file_size=2M;identity.db_id=x;num_levels=4;"
      "identity={db_session_id=abc};cache_index_and_filter_blocks=1;"
      "metadata_cache_options={unpartitioned_pinning=kAll;"
      "top_level_index_pinning=kNone;};max_auto_readahead_size=1G");
  EXPECT_EQ(set.build.parallel_threads, 3U);
  EXPECT_EQ(set.build.target_file_size, 2U << 20);
  EXPECT_EQ(set.build.identity.db_id, "x");
  EXPECT_EQ(set.build.identity.db_session_id, "abc");
  EXPECT_EQ(set.build.num_levels, 4);
  EXPECT_TRUE(set.reader.cache_index_and_filter_blocks);
  EXPECT_EQ(set.reader.unpartitioned_pinning, PinningTier::kAll);
  EXPECT_EQ(set.reader.max_auto_readahead_size, 1U << 30);
}

TEST(OptionStrings, BaseIsKept) {
  TableOptions base;
  base.block_restart_interval = 5;
  TableOptions options;
  ASSERT_TRUE(
      TableOptionsFromString(base, " { block_size = 16K ; } ", &options).ok());
  EXPECT_EQ(options.block_size, 16384U);
  EXPECT_EQ(options.block_restart_interval, 5);
}

TEST(OptionStrings, FiltersAreRocksDBs) {
  const struct {
    const char* text;
    FilterType type;
    double bits;
    const char* written;
  } cases[] = {
      {"bloomfilter:9.5:true", FilterType::kBloom, 9.5,
       "bloomfilter:9.5:false"},
      {"{id=rocksdb.BloomFilter:12}", FilterType::kBloom, 12,
       "bloomfilter:12:false"},
      {"bloomfilter:0.4", FilterType::kNone, 10, "nullptr"},
      {"bloomfilter:300", FilterType::kBloom, 100, "bloomfilter:100:false"},
      {"{id=ribbonfilter:9.5:2;bloom_before_level=2;}", FilterType::kRibbon,
       9.5, "{id=ribbonfilter:9.5:-1;bloom_before_level=-1;}"},
      {"ribbonfilter:10:2147483647", FilterType::kBloom, 10,
       "bloomfilter:10:false"},
      {"nullptr", FilterType::kNone, 10, "nullptr"},
      {"rocksdb.BuiltinBloomFilter", FilterType::kNone, 10, "nullptr"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.text);
    const TableOptions table =
        Read(std::string("filter_policy=") + c.text).table;
    EXPECT_EQ(table.filter, c.type);
    EXPECT_EQ(table.bloom_bits_per_key, c.bits);
    EXPECT_NE(TextOf(table, Form::kRocksDBTable)
                  .find(std::string("filter_policy=") + c.written + ";"),
              std::string::npos);
  }
}

TEST(OptionStrings, ObjectsHaveShortAndLongNames) {
  for (const char* text :
       {"prefix_extractor=fixed:8", "prefix_extractor=rocksdb.FixedPrefix.8",
        "prefix_extractor={id=rocksdb.FixedPrefix.8}"}) {
    const OptionSet set = Read(text);
    ASSERT_NE(set.table.prefix_extractor, nullptr);
    EXPECT_EQ(set.table.prefix_extractor->Name(), "rocksdb.FixedPrefix.8");
    EXPECT_EQ(set.reader.prefix_extractor, set.table.prefix_extractor);
  }
  EXPECT_EQ(Read("prefix_extractor=capped:3").table.prefix_extractor->Name(),
            "rocksdb.CappedPrefix.3");
  EXPECT_EQ(Read("prefix_extractor=fixed:8;prefix_extractor=nullptr")
                .table.prefix_extractor,
            nullptr);
  EXPECT_EQ(Read("comparator=rocksdb.BytewiseComparator").table.comparator,
            BytewiseComparator());
  const TableOptions each =
      Read("flush_block_policy_factory=FlushBlockEveryKeyPolicyFactory").table;
  ASSERT_NE(each.flush_block_policy_factory, nullptr);
  EXPECT_TRUE(each.flush_block_policy_factory->NewFlushBlockPolicy()->Update(
      Slice("k"), Slice("v")));
  EXPECT_NE(Read(TextOf(each)).table.flush_block_policy_factory, nullptr);
  EXPECT_EQ(Read("merge_operator={id=stringappend;delimiter=\\#;}")
                .build.merge_operator_name,
            "StringAppendOperator");
  EXPECT_EQ(Read("merge_operator=Mine").build.merge_operator_name, "Mine");
}

TEST(OptionStrings, CodecsOfTheApplicationHaveNumbers) {
  const TableOptions options = Read("compression=kCustomCompression8a").table;
  EXPECT_EQ(options.compression, CustomCompressionType(0x8A));
  EXPECT_NE(TextOf(options).find("compression=kCustomCompression8A;"),
            std::string::npos)
      << TextOf(options);
}

TEST(OptionStrings, CodecIsThatOfTheLastLevel) {
  EXPECT_EQ(Read("compression_per_level=kNoCompression:kZlibCompression;"
                 "compression=kZSTD")
                .table.compression,
            CompressionType::kZlibCompression);
  const TableOptions bottommost =
      Read(
          "bottommost_compression_opts={level=7;enabled=true};"
          "compression_opts={level=2;enabled=true};"
          "bottommost_compression=kZSTD;compression=kLZ4Compression;")
          .table;
  EXPECT_EQ(bottommost.compression, CompressionType::kZSTD);
  EXPECT_EQ(bottommost.compression_opts.level, 7);
  EXPECT_EQ(Read("bottommost_compression=kZSTD;compression_opts.level=3;"
                 "bottommost_compression_opts.level=9")
                .table.compression_opts.level,
            3)
      << "options that are not enabled";
  EXPECT_EQ(Read("bottommost_compression=kDisableCompressionOption;"
                 "compression=kLZ4Compression")
                .table.compression,
            CompressionType::kLZ4Compression);
  EXPECT_EQ(Read("compression=kCustomCompressionA0").table.compression,
            CompressionType{0xA0});
}

// What is ignored changes nothing, also if only its last part is unknown.
TEST(OptionStrings, CodecsThatAreIgnoredChangeNothing) {
  const OptionTextRules rules = {.ignore_unknown = true};
  for (const char* const ignored :
       {"compression_per_level=kNoCompression:kDisableCompressionOption",
        "compression_per_level=kNoCompression:kNothing",
        "bottommost_compression=kNothing",
        "compression=kDisableCompressionOption"}) {
    SCOPED_TRACE(ignored);
    OptionSet set;
    const std::string text = "compression=kZSTD;" + std::string(ignored);
    ASSERT_TRUE(OptionsFromString(text, &set, rules).ok());
    EXPECT_EQ(set.table.compression, CompressionType::kZSTD);
    EXPECT_EQ(Read(TextOf(set.table)).table.compression,
              CompressionType::kZSTD);
  }
  for (const char* const name :
       {"compression_per_level", "bottommost_compression"}) {
    OptionSet set;
    const std::string text =
        std::string(name) + "=kLZ4Compression;" + name + "=kNothing";
    ASSERT_TRUE(OptionsFromString(text, &set, rules).ok());
    EXPECT_EQ(set.table.compression, CompressionType::kLZ4Compression) << name;
  }
}

TEST(OptionStrings, NumbersThatATypeCannotHoldAreErrors) {
  OptionSet set;
  // An int has no bit for T. Shifted by 40, a number would be any number.
  for (const char* const text :
       {"compression_opts={level=1T}", "compression_opts={level=-1T}",
        "compression_opts={level=2G}", "compression_opts=-14:1T:0:0",
        "block_size=16777216T"}) {
    EXPECT_TRUE(OptionsFromString(text, &set).IsInvalidArgument()) << text;
  }
  EXPECT_EQ(Read("compression_opts={level=0T}").table.compression_opts.level,
            0);
  EXPECT_EQ(Read("compression_opts={level=-2G}").table.compression_opts.level,
            std::numeric_limits<int>::min());
}

TEST(OptionStrings, CodecOptionsOfOldReleasesAreAList) {
  const OptionSet set = Read("compression_opts=-12:4:2:16K:1M:5:false:7:false");
  const CompressionOptions& codec = set.table.compression_opts;
  EXPECT_EQ(codec.window_bits, -12);
  EXPECT_EQ(codec.level, 4);
  EXPECT_EQ(codec.strategy, 2);
  EXPECT_EQ(codec.max_dict_bytes, 16384U);
  EXPECT_EQ(codec.zstd_max_train_bytes, 1U << 20);
  EXPECT_EQ(set.build.parallel_threads, 5U);
  EXPECT_EQ(codec.max_dict_buffer_bytes, 7U);
  EXPECT_FALSE(codec.use_zstd_dict_trainer);
  // A sixth element that is the last one is `enabled`.
  EXPECT_EQ(Read("compression_opts=-14:1:0:0:0:true").build.parallel_threads,
            1U);
}

TEST(OptionStrings, ErrorsNameTheOptionAndThePlace) {
  const struct {
    const char* text;
    const char* error;
  } cases[] = {
      {"block_size=12x",
       "byte 11 of the options: block_size is '12x', expected a whole number"},
      {"bloom_bits_per_key=many",
       "byte 19 of the options: bloom_bits_per_key is 'many', expected a "
       "number"},
      {"checksum=kXXH3;block_size=0",
       "byte 26 of the options: block_size is 0, expected 1 to 268435456"},
      {"block_size=99999999999T",
       "byte 11 of the options: block_size is '99999999999T', expected a whole "
       "number"},
      {"index_type=kTree",
       "byte 11 of the options: index_type is kTree, expected kBinarySearch, "
       "kHashSearch, kTwoLevelIndexSearch or kBinarySearchWithFirstKey"},
      {"block_sise=1",
       "byte 0 of the options: block_sise: there is no such option"},
      {"compression_opts={level=1;lewel=2}",
       "byte 26 of the options: compression_opts.lewel: there is no such "
       "option"},
      {"block_based_table_factory={block_align=yes}",
       "byte 39 of the options: block_align is 'yes', expected true or false"},
      {"filter_policy=bloomfilter:x",
       "byte 14 of the options: filter_policy: 'bloomfilter:x' has no bits per "
       "key, as in 'bloomfilter:10'"},
      {"filter_policy=mine",
       "byte 14 of the options: filter_policy: 'mine' is not built in"},
      {"compression=kZip",
       "byte 12 of the options: compression: 'kZip' is not the name of a "
       "codec"},
      {"compression=kCustomCompression8",
       "byte 12 of the options: compression: 'kCustomCompression8' is not the "
       "name of a codec"},
      {"compression=kCustomCompression01",
       "byte 12 of the options: compression: 'kCustomCompression01' is not the "
       "name of a codec"},
      {"user_defined_index_factory=trie",
       "byte 27 of the options: user_defined_index_factory: 'trie' is not "
       "built in"},
      {"compression_opts={enabled=maybe}",
       "byte 26 of the options: enabled is 'maybe', expected true or false"},
      {"compression_opts={parallel_threads=x}",
       "byte 35 of the options: parallel_threads is 'x', expected a whole "
       "number"},
      {"compression_opts=1:2:3:4:5:6:true:8:true:10",
       "byte 17 of the options: the list has more than 9 elements"},
      {"table_factory=PlainTable",
       "byte 14 of the options: table_factory: 'PlainTable' is not the factory "
       "of block-based tables"},
      {"a;b=1", "byte 0 of the options: there is no '=' after a name"},
      {"a={b=1", "byte 2 of the options: '{' has no '}'"},
      {"{a=1", "byte 0 of the options: '{' has no '}'"},
      {"a={b=1}c", "byte 7 of the options: there is text after '}'"},
      {"=1", "byte 0 of the options: there is no name before '='"},
  };
  for (const auto& c : cases) EXPECT_EQ(ErrorOf(c.text), c.error);
}

// In OPTIONS files of RocksDB, the members come in the factory's braces.
TEST(OptionStrings, FactoryMayHaveMembers) {
  EXPECT_EQ(Read("table_factory={id=BlockBasedTable;block_size=8000}")
                .table.block_size,
            8000U);
  EXPECT_EQ(Read("table_factory={id=BlockBasedTable}").table.block_size,
            TableOptions().block_size);
  EXPECT_EQ(Read("table_factory=BlockBasedTable").table.block_size,
            TableOptions().block_size);
}

TEST(OptionStrings, WhatIsUnknownIsListed) {
  OptionSet set;
  std::vector<std::string> ignored;
  const OptionTextRules rules = {.ignore_unknown = true, .ignored = &ignored};
  ASSERT_TRUE(OptionsFromString("new_option={a=1};filter_policy=mine;ttl=5;"
                                "block_size=8192",
                                &set, rules)
                  .ok());
  EXPECT_EQ(set.table.block_size, 8192U);
  EXPECT_EQ(set.table.filter, FilterType::kBloom);
  EXPECT_EQ(ignored,
            (std::vector<std::string>{
                "byte 0 of the options: new_option: there is no such option",
                "byte 31 of the options: filter_policy: 'mine' is not built "
                "in"}));
  // A known option with a bad value is an error still.
  EXPECT_FALSE(OptionsFromString("block_size=x", &set, rules).ok());
}

TEST(OptionStrings, NestingIsBounded) {
  const std::string deep(100000, '{');
  EXPECT_NE(ErrorOf("a=" + deep).find("more than 16 deep"), std::string::npos);
  std::string chain;
  for (int i = 0; i < 20000; ++i) chain += "block_based_table_factory=";
  EXPECT_NE(ErrorOf(chain + "x=1").find("nested too deep"), std::string::npos);
}

TEST(OptionStrings, ObjectsOfTheApplicationHaveNoText) {
  class Policy final : public FlushBlockPolicyFactory {
    std::unique_ptr<FlushBlockPolicy> NewFlushBlockPolicy() const override {
      return nullptr;
    }
  };
  class Extractor final : public PrefixExtractor {
    std::string_view Name() const override { return "mine"; }
    bool InDomain(const Slice& /*key*/) const override { return false; }
    Slice Transform(const Slice& key) const override { return key; }
  };
  TableOptions options;
  options.flush_block_policy_factory = std::make_shared<Policy>();
  const auto text = StringFromTableOptions(options);
  EXPECT_TRUE(text.status().IsNotSupported());
  options.flush_block_policy_factory = nullptr;
  options.comparator = ShorterFirstComparator();
  EXPECT_NE(
      StringFromTableOptions(options).status().message().find("comparator"),
      std::string_view::npos);
  options.comparator = BytewiseComparator();
  options.prefix_extractor = std::make_shared<Extractor>();
  EXPECT_NE(StringFromTableOptions(options).status().message().find(
                "prefix_extractor"),
            std::string_view::npos);
  options.prefix_extractor = nullptr;
  options.embedded_blob_options.enable = true;
  EXPECT_TRUE(StringFromTableOptions(options).ok());
  EXPECT_TRUE(StringFromTableOptions(options, Form::kRocksDBTable)
                  .status()
                  .IsNotSupported());
}

TEST(OptionStrings, TargetIsKept) {
  const auto target = TableOptions::TargetRocksDB("7.8");
  ASSERT_TRUE(target.ok());
  const TableOptions read = Read(TextOf(*target)).table;
  EXPECT_EQ(read.target_rocksdb, target->target_rocksdb);
  EXPECT_NE(ErrorOf("target_rocksdb=new").find("is no release"),
            std::string::npos);
}

// --- OPTIONS files ----------------------------------------------------------

std::string GoldenOptions() {
  std::string text;
  const Status status =
      ReadFileToString(GoldenPath("options/OPTIONS-000007"), &text);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return text;
}

TEST(OptionsFile, OfRocksDBIsRead) {
  OptionSet set;
  const Status status = OptionsFromFileText(GoldenOptions(), "default", &set);
  ASSERT_TRUE(status.ok()) << status.ToString();
  const TableOptions& table = set.table;
  EXPECT_EQ(table.block_size, 16384U);
  EXPECT_EQ(table.format_version, 7U);
  EXPECT_EQ(table.filter, FilterType::kRibbon);
  EXPECT_EQ(table.bloom_bits_per_key, 9.5);
  EXPECT_EQ(table.index_type, IndexType::kTwoLevelIndexSearch);
  EXPECT_TRUE(table.partition_filters);
  EXPECT_FALSE(table.optimize_filters_for_memory);
  EXPECT_EQ(table.compression, CompressionType::kLZ4Compression);
  EXPECT_EQ(table.prefix_extractor->Name(), "rocksdb.FixedPrefix.4");
  EXPECT_EQ(set.build.num_levels, 7);
  EXPECT_TRUE(table.Validate().ok()) << table.Validate().ToString();
}

TEST(OptionsFile, FamilyIsFoundByItsName) {
  OptionSet set;
  ASSERT_TRUE(
      OptionsFromFileText(GoldenOptions(), "we=ird #name\\[\"x\"]", &set).ok());
  EXPECT_EQ(set.table.block_size, 4096U);
  EXPECT_EQ(set.table.filter, FilterType::kNone);
  EXPECT_TRUE(set.table.optimize_filters_for_memory);
  const Status missing = OptionsFromFileText(GoldenOptions(), "other", &set);
  EXPECT_TRUE(missing.IsInvalidArgument());
  EXPECT_NE(missing.message().find("'other'"), std::string::npos);
}

TEST(OptionsFile, MistakesHaveTheirLine) {
  const struct {
    const char* text;
    const char* error;
  } cases[] = {
      {"[CFOptions \"default\"]\r\n  num_levels=x\r\n",
       "line 2: num_levels is 'x', expected a whole number"},
      {"# only\n\nblock_size=1\n",
       "line 3: an option comes before the first section"},
      {"[CFOptions \"default\"]\nnum_levels\n", "line 2: there is no '='"},
      {"[CFOptions \"default\"]\n[CFOptions \"default\"]\n",
       "line 2: the column family comes again"},
      {"[CFOptions \"default\"]\nnum_levels=3;num_levels=4\n",
       "line 2: there is text after the value"},
      {"[Colour]\n", "line 1: 'Colour' is no known section"},
      {"[CFOptions \"default\"]\n[TableOptions/PlainTable \"default\"]\n",
       "line 2: the tables of the family are of 'PlainTable', not block-based"},
      {"[CFOptions \"default\"]\nnew=1\n",
       "line 2: new: there is no such "
       "option"},
  };
  for (const auto& c : cases) {
    OptionSet set;
    EXPECT_EQ(OptionsFromFileText(c.text, "default", &set).message(), c.error);
  }
}

TEST(OptionsFile, WhatDoesNotGoTogetherIsOffAsInRocksDB) {
  OptionSet set;
  const Status status = OptionsFromFileText(
      "[CFOptions \"default\"]\n"
      "compression=kLZ4Compression # a comment\n"
      "compression=kZSTD\n"  // the first one counts
      "compression_opts={level=999;checksum=true;zstd_max_train_bytes=1000}\n"
      "[TableOptions/BlockBasedTable \"default\"]\n"
      "partition_filters=true\n",
      "default", &set);
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(set.table.compression, CompressionType::kLZ4Compression);
  EXPECT_FALSE(set.table.partition_filters);
  EXPECT_FALSE(set.table.decouple_partitioned_filters);
  EXPECT_TRUE(set.table.Validate().ok()) << set.table.Validate().ToString();
}

// Names are compared by their order: a file of many takes no time that grows
// with their square. This one took hours.
TEST(OptionsFile, MayHaveManyNames) {
  std::string text = "[DBOptions]\n";
  for (int i = 0; i < 2'000'000; ++i) text += "n" + std::to_string(i) + "=1\n";
  text += "[CFOptions \"default\"]\n";
  OptionSet set;
  EXPECT_TRUE(OptionsFromFileText(text, "default", &set).ok());
}

TEST(OptionsFile, WhatACodecOrAnIndexDoesNotHaveIsOffAsInRocksDB) {
  OptionSet set;
  const Status status = OptionsFromFileText(
      "[CFOptions \"default\"]\n"
      "compression=kSnappyCompression\n"
      "compression_opts={level=3}\n"
      "[TableOptions/BlockBasedTable \"default\"]\n"
      "index_type=kHashSearch\n"
      "index_block_restart_interval=7\n",
      "default", &set);
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(set.table.compression_opts.level,
            CompressionOptions::kDefaultLevel);
  EXPECT_EQ(set.table.index_type, IndexType::kHashSearch);
  EXPECT_EQ(set.table.index_block_restart_interval, 1);
}

// The process may open no file.
TEST(OptionsFile, AFolderThatCannotBeOpenedIsNamed) {
  const TestFolder folder;
  rlimit before;
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{0, before.rlim_max};
  OptionSet set;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const Status status = LoadOptionsFile(folder.path(), "default", &set);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(status.ToString(), "IO error: opening the folder " + folder.path() +
                                   ": Too many open files");
}

TEST(OptionsFile, NewestOfAFolderIsTaken) {
  const TestFolder folder;
  const auto write = [&](const char* name, const std::string& text) {
    WriteFile(folder / name, text);
  };
  const std::string family = "[CFOptions \"default\"]\n";
  write("OPTIONS-000009", family + "num_levels=1\n");
  write("OPTIONS-000123", family + "num_levels=3\n");
  write("OPTIONS-000999.dbtmp", family + "num_levels=4\n");
  OptionSet set;
  ASSERT_TRUE(LoadOptionsFile(folder.path(), "default", &set).ok());
  EXPECT_EQ(set.build.num_levels, 3);
  write("OPTIONS-000124", family + "num_levels=x\n");
  const Status status = LoadOptionsFile(folder.path(), "default", &set);
  EXPECT_NE(status.message().find("OPTIONS-000124: line 2"), std::string::npos)
      << status.ToString();
  EXPECT_TRUE(LoadOptionsFile(folder / "none", "default", &set).IsIOError());
  const TestFolder empty;
  EXPECT_EQ(
      LoadOptionsFile(empty.path(), "default", &set).ToString(),
      "Invalid argument: " + empty.path() + ": the folder has no OPTIONS file");
}

}  // namespace
}  // namespace ashlar::testing
