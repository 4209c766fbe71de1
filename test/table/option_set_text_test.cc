// Tests StringFromOptions: what it writes is read as the same options, or it
// says why no text can hold them.

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "ashlar/table/option_strings.h"
#include "ashlar/table/option_table.h"
#include "ashlar/util/comparator.h"
#include "ashlar/util/file_checksum.h"
#include "ashlar/util/prefix_extractor.h"
#include "test/support/option_bounds.h"

namespace ashlar::testing {
namespace {

template <typename Options>
void ExpectSame(std::span<const OptionRow<Options>> rows, const Options& a,
                const Options& b) {
  for (const auto& row : rows) {
    EXPECT_EQ(row.member.get(a), row.member.get(b)) << row.name;
  }
}

void ExpectIsReadAsWritten(const OptionSet& set) {
  const auto text = StringFromOptions(set);
  ASSERT_TRUE(text.ok()) << text.status().ToString();
  OptionSet read;
  const Status status = OptionsFromString(*text, &read);
  ASSERT_TRUE(status.ok()) << status.ToString() << "\n" << *text;
  ExpectSame(TableOptionRows(), read.table, set.table);
  ExpectSame(BuildOptionRows(), read.build, set.build);
  ExpectSame(ReaderOptionRows(), read.reader, set.reader);
  EXPECT_EQ(read.table.target_rocksdb, set.table.target_rocksdb);
}

std::string ErrorOf(const OptionSet& set) {
  const auto text = StringFromOptions(set);
  EXPECT_TRUE(text.status().IsNotSupported()) << text.status().ToString();
  return std::string(text.status().message());
}

// Sets each row alone to a value that is not the default one.
template <typename Options>
void CheckRows(std::span<const OptionRow<Options>> rows,
               Options OptionSet::*member) {
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    // The next test is about these two.
    if (row.name == "comparator" || row.name == "prefix_extractor") continue;
    OptionSet set;
    OptionValue value = OtherValueOf(row);
    if (!IsWithin(row.member.bounds, value)) value = row.member.bounds.max;
    ASSERT_TRUE(row.member.set(value, &(set.*member)));
    ExpectIsReadAsWritten(set);
  }
}

TEST(OptionSetText, DefaultsStayDefaults) { ExpectIsReadAsWritten({}); }

TEST(OptionSetText, EveryRowIsWrittenAndRead) {
  CheckRows(TableOptionRows(), &OptionSet::table);
  CheckRows(BuildOptionRows(), &OptionSet::build);
  CheckRows(ReaderOptionRows(), &OptionSet::reader);
}

TEST(OptionSetText, WhatTablesAndReadersShareHasOneName) {
  const auto* const reverse =
      FindBuiltinComparator("rocksdb.ReverseBytewiseComparator");
  ASSERT_NE(reverse, nullptr);
  OptionSet set;
  set.table.comparator = reverse;
  EXPECT_NE(ErrorOf(set).find("comparator"), std::string::npos);
  set.reader.comparator = reverse;
  ExpectIsReadAsWritten(set);
  set.table.comparator = OptionSet().table.comparator;
  EXPECT_NE(ErrorOf(set).find("comparator"), std::string::npos);
  set = {};
  set.reader.prefix_extractor = NewFixedPrefixExtractor(3);
  EXPECT_NE(ErrorOf(set).find("prefix_extractor"), std::string::npos);
  set.table.prefix_extractor = set.reader.prefix_extractor;
  const auto text = StringFromOptions(set);
  ASSERT_TRUE(text.ok()) << text.status().ToString();
  OptionSet read;
  ASSERT_TRUE(OptionsFromString(*text, &read).ok());
  EXPECT_EQ(read.table.prefix_extractor->Name(),
            set.table.prefix_extractor->Name());
  EXPECT_EQ(read.reader.prefix_extractor, read.table.prefix_extractor);
}

TEST(OptionSetText, TwoObjectsOfOneNameAreTheSame) {
  OptionSet set;
  set.table.prefix_extractor = NewFixedPrefixExtractor(3);
  set.reader.prefix_extractor = NewFixedPrefixExtractor(3);
  const auto text = StringFromOptions(set);
  ASSERT_TRUE(text.ok()) << text.status().ToString();
  set.reader.prefix_extractor = NewFixedPrefixExtractor(4);
  EXPECT_NE(ErrorOf(set).find("prefix_extractor"), std::string::npos);
}

// Each is valid, and its text must be.
TEST(OptionSetText, ValuesThatCountForNothingAreLeftOut) {
  OptionSet set;
  set.table.filter = FilterType::kNone;
  set.table.bloom_bits_per_key = 0;
  set.table.data_block_index_type = DataBlockIndexType::kDataBlockBinarySearch;
  set.table.data_block_hash_table_util_ratio = -1;
  ASSERT_TRUE(set.table.Validate().ok());
  for (const auto form :
       {OptionTextForm::kAshlar, OptionTextForm::kRocksDBTable,
        OptionTextForm::kRocksDBFamily}) {
    const auto text = StringFromTableOptions(set.table, form);
    ASSERT_TRUE(text.ok()) << text.status().ToString();
    OptionSet read;
    const Status status = OptionsFromString(*text, &read);
    EXPECT_TRUE(status.ok()) << status.ToString() << "\n" << *text;
  }
  const auto text = StringFromOptions(set);
  ASSERT_TRUE(text.ok());
  OptionSet read;
  EXPECT_TRUE(OptionsFromString(*text, &read).ok()) << *text;
  EXPECT_EQ(read.table.filter, FilterType::kNone);
}

TEST(OptionSetText, ValuesOutOfTheirBoundsHaveNoText) {
  OptionSet set;
  set.table.block_size = 0;
  EXPECT_TRUE(StringFromOptions(set).status().IsInvalidArgument());
  EXPECT_TRUE(StringFromTableOptions(set.table).status().IsInvalidArgument());
  set = {};
  set.build.parallel_threads = 1u << 30;
  EXPECT_TRUE(StringFromOptions(set).status().IsInvalidArgument());
  set = {};
  set.table.compression = CompressionType::kZSTDNotFinalCompression;
  EXPECT_TRUE(StringFromOptions(set).status().IsInvalidArgument());
}

TEST(OptionSetText, TextIsReadAsItIsOrRefused) {
  const std::string kept[] = {"",      "a b", "a;b", "a;b=c;", "a{b;c}d",
                              "a=b=c", "}",   "a}",  "a}b",    "nullptr"};
  for (const std::string& name : kept) {
    SCOPED_TRACE(name);
    OptionSet set;
    set.build.column_family_name = name;
    ExpectIsReadAsWritten(set);
  }
  const std::string refused[] = {" a", "a\n", "{", "{a}", "a;}", "a;{", "};"};
  for (const std::string& name : refused) {
    SCOPED_TRACE(name);
    OptionSet set;
    set.build.column_family_name = name;
    EXPECT_NE(ErrorOf(set).find("column_family_name"), std::string::npos);
  }
}

TEST(OptionSetText, ObjectsOfTheApplicationHaveNoText) {
  OptionSet set;
  set.build.user_properties["a"] = "b";
  EXPECT_NE(ErrorOf(set).find("user_properties"), std::string::npos);
  set = {};
  set.build.seqno_to_time = {{1, 2}};
  EXPECT_NE(ErrorOf(set).find("seqno_to_time"), std::string::npos);
  set = {};
  set.build.table_properties_collector_factories.emplace_back();
  EXPECT_NE(ErrorOf(set).find("table_properties_collector_factories"),
            std::string::npos);
  set = {};
  set.build.file_checksum_gen_factory = GetFileChecksumGenCrc32cFactory();
  EXPECT_NE(ErrorOf(set).find("file_checksum_gen_factory"), std::string::npos);
  set = {};
  set.reader.codecs.emplace_back();
  EXPECT_NE(ErrorOf(set).find("codecs"), std::string::npos);
  set = {};
  set.reader.filter_policies.emplace_back();
  EXPECT_NE(ErrorOf(set).find("filter_policies"), std::string::npos);
}

}  // namespace
}  // namespace ashlar::testing
