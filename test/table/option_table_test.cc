// Tests the table of options: every bound is checked by the call that takes the
// options, and every row stores, converts and shows its value.
//
// The flags of the program are tested against the same rows in
// test/tools/ashlar/flags/option_flags_test.cc.

#include "ashlar/table/option_table.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <string>
#include <vector>

#include "ashlar/table/table_builder.h"
#include "test/support/option_bounds.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

// The bounds, written down a second time. A row that has none is not here.
const std::map<std::string_view, std::string_view>& ExpectedBounds() {
  static const std::map<std::string_view, std::string_view> bounds = {
      {"format_version", "2 to 7"},
      {"block_size", "1 to 268435456"},
      {"block_size_deviation", "0 to 100"},
      {"block_restart_interval", "1 or more"},
      {"index_type",
       "kBinarySearch, kHashSearch, kTwoLevelIndexSearch or "
       "kBinarySearchWithFirstKey"},
      {"index_block_restart_interval", "1 or more"},
      {"metadata_block_size", "1 to 268435456"},
      {"data_block_index_type",
       "kDataBlockBinarySearch or kDataBlockBinaryAndHash"},
      {"data_block_hash_table_util_ratio", "0.001 to 1000"},
      {"super_block_alignment_size", "0, or a power of two up to 1073741824"},
      {"index_shortening",
       "kNoShortening, kShortenSeparators or kShortenSeparatorsAndSuccessor"},
      {"compression",
       "kNoCompression, kSnappyCompression, kZlibCompression, "
       "kBZip2Compression, kLZ4Compression, kLZ4HCCompression, "
       "kXpressCompression or kZSTD"},
      {"compression_opts.window_bits", "-14 to -9"},
      {"compression_opts.strategy", "0 to 4"},
      {"compression_opts.max_compressed_bytes_per_kb", "0 or more"},
      {"compression_opts.max_dict_bytes", "at most 268435456"},
      {"checksum", "kNoChecksum, kCRC32c, kxxHash, kxxHash64 or kXXH3"},
      {"filter", "kNone, kBloom or kRibbon"},
      {"bloom_bits_per_key", "0.5 to 100"},
      {"identity.base_context_checksum", "1 or more"},
      {"parallel_threads", "at most 1024"},
      {"load_index_and_filter", "kAtOpen, kIndexAtFirstUse or kAtFirstUse"},
      {"unpartitioned_pinning", "kFallback, kNone, kFlushedAndSimilar or kAll"},
      {"partition_pinning", "kFallback, kNone, kFlushedAndSimilar or kAll"},
      {"largest_seqno", "at most 72057594037927935"},
  };
  return bounds;
}

// Options with which each bound counts, and no rule about several options
// refuses a value that is within its bounds.
TableOptions TableBase() {
  TableOptions options;
  options.prefix_extractor = NewFixedPrefixExtractor(2);
  options.data_block_index_type = DataBlockIndexType::kDataBlockBinaryAndHash;
  options.block_size = 1;
  return options;
}

Status Take(const TableOptions& options) { return options.Validate(); }

Status Take(const BuildOptions& options) {
  std::string bytes;
  const auto file = NewMemoryWritableFile("never.sst", &bytes);
  return TableBuilder::Create({}, options, file.get()).status();
}

Status Take(const ReaderOptions& options) {
  static const std::string bytes = BuildTable({}, {Value("a", 1, "b")});
  return OpenBytes(bytes, options).status();
}

template <typename Options>
void CheckBoundsOf(std::span<const OptionRow<Options>> rows,
                   const Options& base, size_t* bounded) {
  ASSERT_TRUE(Take(base).ok()) << Take(base).ToString();
  for (const OptionRow<Options>& row : rows) {
    SCOPED_TRACE(row.name);
    const OptionBounds& bounds = row.member.bounds;
    const std::string expected = DescribeBounds(bounds);
    const auto known = ExpectedBounds().find(row.name);
    EXPECT_EQ(expected, known != ExpectedBounds().end() ? known->second : "");
    if (!expected.empty()) ++*bounded;
    for (const OptionValue& value : ValuesWithin(bounds)) {
      Options options = base;
      EXPECT_TRUE(IsWithin(bounds, value));
      EXPECT_TRUE(SetOption(row, value, &options).ok());
      EXPECT_EQ(row.member.get(options), value);
      // A super block is larger than a block.
      if (bounds.power_of_two && value == OptionValue(uint64_t{1})) continue;
      EXPECT_TRUE(Take(options).ok()) << Take(options).ToString();
    }
    for (const OptionValue& value : ValuesOutside(bounds)) {
      Options options = base;
      EXPECT_FALSE(IsWithin(bounds, value));
      const std::string message = std::string(row.name) + " is " +
                                  DescribeValue(bounds, value) + ", expected " +
                                  expected;
      const Status refused = SetOption(row, value, &options);
      EXPECT_TRUE(refused.IsInvalidArgument());
      EXPECT_EQ(refused.message(), message);
      EXPECT_TRUE(row.member.set(value, &options));
      EXPECT_TRUE(Take(options).IsInvalidArgument());
      EXPECT_EQ(Take(options).message(), message);
      // The bounds count always, or not with the defaults of other options.
      Options others = base;
      if constexpr (std::is_same_v<Options, TableOptions>) {
        others.filter = FilterType::kNone;
        others.data_block_index_type =
            DataBlockIndexType::kDataBlockBinarySearch;
      }
      EXPECT_TRUE(row.member.set(value, &others));
      EXPECT_EQ(Take(others).ok(), row.counts != nullptr);
    }
  }
}

TEST(OptionTable, EveryBoundIsChecked) {
  size_t bounded = 0;
  CheckBoundsOf(TableOptionRows(), TableBase(), &bounded);
  CheckBoundsOf(BuildOptionRows(), FixedBuild(), &bounded);
  CheckBoundsOf(ReaderOptionRows(), {}, &bounded);
  EXPECT_EQ(bounded, ExpectedBounds().size());
}

// --- Members ----------------------------------------------------------------

// Setting one option changes no other.
template <typename Options>
void CheckMembersOf(std::span<const OptionRow<Options>> rows) {
  for (const OptionRow<Options>& row : rows) {
    SCOPED_TRACE(row.name);
    const OptionValue before = row.member.get(Options());
    if (before.index() != 0) {
      EXPECT_EQ(static_cast<OptionKind>(before.index()), row.member.kind);
      EXPECT_TRUE(IsWithin(row.member.bounds, before));
    }
    const OptionValue value = OtherValueOf(row);
    Options options;
    EXPECT_TRUE(row.member.set(value, &options));
    for (const OptionRow<Options>& other : rows) {
      const OptionValue found = other.member.get(options);
      EXPECT_EQ(found, &other == &row ? value : other.member.get(Options()))
          << other.name;
    }
  }
}

TEST(OptionTable, EachRowHasItsOwnMember) {
  CheckMembersOf(TableOptionRows());
  CheckMembersOf(BuildOptionRows());
  CheckMembersOf(ReaderOptionRows());
}

template <typename Options>
Status Set(std::span<const OptionRow<Options>> rows, std::string_view name,
           const OptionValue& value, Options* options) {
  const OptionRow<Options>* const row = FindOption(rows, name);
  return row != nullptr ? SetOption(*row, value, options)
                        : Status::NotFound(std::string(name));
}

TEST(OptionTable, ValuesAreConverted) {
  const auto rows = TableOptionRows();
  TableOptions o;
  EXPECT_TRUE(Set(rows, "block_restart_interval", uint64_t{7}, &o).ok());
  EXPECT_EQ(o.block_restart_interval, 7);
  EXPECT_EQ(
      Set(rows, "block_restart_interval", uint64_t{1} << 32, &o).message(),
      "block_restart_interval is 4294967296, expected 1 or more");
  EXPECT_EQ(Set(rows, "block_size", -1, &o).message(),
            "block_size is -1, expected 1 to 268435456");
  EXPECT_TRUE(Set(rows, "bloom_bits_per_key", 12u, &o).ok());
  EXPECT_EQ(o.bloom_bits_per_key, 12);
  EXPECT_TRUE(Set(rows, "partition_filters", uint64_t{1}, &o).ok());
  EXPECT_TRUE(o.partition_filters);
  EXPECT_TRUE(Set(rows, "index_type", "kTwoLevelIndexSearch", &o).ok());
  EXPECT_EQ(o.index_type, IndexType::kTwoLevelIndexSearch);
  EXPECT_EQ(Set(rows, "filter", "kCuckoo", &o).message(),
            "filter is kCuckoo, expected kNone, kBloom or kRibbon");
  EXPECT_TRUE(Set(rows, "compression", "kZSTD", &o).ok());
  EXPECT_EQ(o.compression, CompressionType::kZSTD);
  // A number is no text.
  BuildOptions build;
  build.identity.db_id = "before";
  EXPECT_FALSE(Set(BuildOptionRows(), "identity.db_id", 5u, &build).ok());
  EXPECT_EQ(build.identity.db_id, "before");
  // What does not fit changes nothing.
  EXPECT_EQ(o.block_restart_interval, 7);
  EXPECT_EQ(o.block_size, 4096);
}

TEST(OptionTable, ValuesOfEachTypeHaveATextForPeople) {
  EXPECT_EQ(DescribeValue({}, OptionValue(std::string_view("a b"))), "a b");
  EXPECT_EQ(DescribeValue({}, OptionValue(true)), "true");
  EXPECT_EQ(DescribeValue({}, OptionValue(-5)), "-5");
  EXPECT_EQ(DescribeValue({}, OptionValue(0.5)), "0.5");
  EXPECT_EQ(DescribeValue({}, OptionValue()), "absent");
}

TEST(OptionTable, ObjectsAreFoundByName) {
  TableOptions o;
  const auto rows = TableOptionRows();
  EXPECT_TRUE(Set(rows, "prefix_extractor", "rocksdb.FixedPrefix.4", &o).ok());
  EXPECT_EQ(o.prefix_extractor->Name(), "rocksdb.FixedPrefix.4");
  const Status status = Set(rows, "prefix_extractor", "mine", &o);
  EXPECT_TRUE(status.IsNotSupported());
  EXPECT_EQ(status.message(), "prefix_extractor mine is not built in");
  EXPECT_EQ(o.prefix_extractor->Name(), "rocksdb.FixedPrefix.4");
  EXPECT_TRUE(Set(rows, "comparator", "mine", &o).IsNotSupported());
  EXPECT_EQ(o.comparator, BytewiseComparator());
  o.comparator = nullptr;
  EXPECT_EQ(FindOption(rows, "comparator")->member.get(o),
            OptionValue(std::string_view()));
}

// --- What a table records ---------------------------------------------------

// Every row that a copy of a table keeps from a property finds there what the
// builder wrote.
TEST(OptionTable, PropertiesRecordWhatIsKept) {
  TableOptions table;
  table.block_restart_interval = 7;
  table.index_block_restart_interval = 3;
  table.separate_key_value_in_data_block = true;
  table.prefix_extractor = NewFixedPrefixExtractor(4);
  BuildOptions build = FixedBuild();
  build.column_family_id = 5;
  build.column_family_name = "family";
  build.merge_operator_name = "add";
  build.identity.creation_time = 11;
  build.identity.oldest_key_time = 12;
  build.identity.newest_key_time = 13;
  const std::string bytes = BuildTable(table, {Value("abcd", 1, "b")}, build);
  const auto reader = OpenTable(bytes);
  const TableProperties& properties = reader->properties();

  size_t kept = 0;
  const auto check = [&](const auto& rows, const auto& written, auto copy) {
    for (const auto& row : rows) {
      const OptionValue value = RecordedValue(row.kept, properties);
      if (value == OptionValue()) continue;
      ++kept;
      EXPECT_TRUE(SetOption(row, value, &copy).ok()) << row.name;
      EXPECT_EQ(row.member.get(copy), row.member.get(written)) << row.name;
    }
  };
  check(TableOptionRows(), table, TableOptions());
  check(BuildOptionRows(), build, BuildOptions());
  EXPECT_EQ(kept, 11U);

  // A table without properties records nothing but the defaults.
  const auto nothing = [](std::string_view name, const TableProperties& p) {
    return RecordedValue(FindOption(TableOptionRows(), name)->kept, p);
  };
  for (const char* const name :
       {"block_restart_interval", "index_block_restart_interval",
        "prefix_extractor", "format_version", "block_size", "filter"}) {
    EXPECT_EQ(nothing(name, {}), OptionValue()) << name;
  }
  TableProperties none;
  none.prefix_extractor_name = "nullptr";
  EXPECT_EQ(nothing("prefix_extractor", none), OptionValue());
}

TEST(OptionTable, ValuesThatNeedARelease) {
  const auto oldest = [](std::string_view name, const OptionValue& value) {
    const auto* const row = FindOption(TableOptionRows(), name);
    const auto release = OldestReleaseFor(row->since, value);
    return release.has_value() ? ToString(*release) : "any";
  };
  EXPECT_EQ(oldest("format_version", 2u), "3.10");
  EXPECT_EQ(oldest("format_version", 7u), "10.4");
  EXPECT_EQ(oldest("format_version", uint64_t{6}), "8.6");
  EXPECT_EQ(oldest("index_type", 1u), "any");
  EXPECT_EQ(oldest("index_type", 2u), "5.2");
  EXPECT_EQ(oldest("index_type", 3u), "6.2");
  EXPECT_EQ(oldest("uniform_cv_threshold", -1.0), "any");
  EXPECT_EQ(oldest("uniform_cv_threshold", 0.0), "11.1");
  EXPECT_EQ(oldest("partition_filters", false), "any");
  EXPECT_EQ(oldest("partition_filters", true), "5.4");
  EXPECT_EQ(oldest("block_size", uint64_t{1}), "any");
}

}  // namespace
}  // namespace ashlar::testing
