// What a finished table reports, and what a reader finds of the same table.

#include <gtest/gtest.h>

#include <string>

#include "ashlar/table/external_file_writer.h"
#include "ashlar/table/properties_collector.h"
#include "ashlar/table/table_builder.h"
#include "ashlar/util/file_checksum.h"
#include "test/support/hand_made_table.h"
#include "test/support/random.h"
#include "test/support/random_table.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

struct Built {
  std::string bytes;
  TableSummary summary;
};

Built Build(const TableOptions& options, const BuildOptions& build,
            const std::vector<Entry>& entries) {
  Built built;
  const auto file = NewMemoryWritableFile("table", &built.bytes);
  auto builder = TableBuilder::Create(options, build, file.get()).value();
  for (const Entry& entry : entries) {
    Require(builder->Add(entry.key, entry.value));
  }
  Require(builder->Finish());
  built.summary = builder->summary();
  return built;
}

std::string Crc32cOf(const std::string& bytes) {
  const uint32_t crc = ExtendFileChecksum(0, bytes);
  std::string checksum;
  for (int shift = 24; shift >= 0; shift -= 8) {
    checksum.push_back(static_cast<char>(crc >> shift & 0xff));
  }
  return checksum;
}

TEST(TableSummary, OfANewTableAndOfTheSameReadBack) {
  const std::vector<Entry> entries = {
      Value("b", 7, "v"), Deletion("c", 3), Operand("d", 9, "o"),
      RangeDeleted("a", 5, "b"), RangeDeleted("d", 4, "x")};
  for (const uint32_t workers : {0u, 2u}) {
    BuildOptions build = FixedBuild();
    build.workers = workers;
    build.file_checksum_gen_factory = GetFileChecksumGenCrc32cFactory();
    const Built built = Build({}, build, entries);
    const TableSummary& s = built.summary;
    EXPECT_EQ(s.file_size, built.bytes.size());
    EXPECT_EQ(s.first_entry, entries[0].key);
    EXPECT_EQ(s.last_entry, entries[2].key);
    EXPECT_EQ(s.smallest, entries[3].key);
    EXPECT_EQ(s.largest, MakeInternalKey("x", kMaxSequenceNumber,
                                         ValueType::kTypeRangeDeletion));
    EXPECT_EQ(s.smallest_seqno, 3U);
    EXPECT_EQ(s.largest_seqno, 9U);
    EXPECT_EQ(s.num_entries, 5U);
    EXPECT_EQ(s.num_deletions, 3U);
    EXPECT_EQ(s.num_merge_operands, 1U);
    EXPECT_EQ(s.num_range_deletions, 2U);
    EXPECT_EQ(s.entries_by_type, (std::map<ValueType, uint64_t>{
                                     {ValueType::kTypeDeletion, 1},
                                     {ValueType::kTypeValue, 1},
                                     {ValueType::kTypeMerge, 1},
                                     {ValueType::kTypeRangeDeletion, 2}}));
    EXPECT_EQ(s.file_checksum_func_name, "FileChecksumCrc32c");
    EXPECT_EQ(s.file_checksum, Crc32cOf(built.bytes));
    EXPECT_FALSE(s.marked_for_compaction);
    if (workers == 0) {
      EXPECT_EQ(s.worker_cpu_micros, 0U);
    }

    TableSummary read;
    const auto reader = OpenTable(built.bytes);
    ASSERT_TRUE(SummarizeTable(*reader, &read).ok());
    EXPECT_EQ(read.file_size, s.file_size);
    EXPECT_EQ(read.tail_size, s.tail_size);
    EXPECT_EQ(read.first_entry, s.first_entry);
    EXPECT_EQ(read.last_entry, s.last_entry);
    EXPECT_EQ(read.smallest, s.smallest);
    EXPECT_EQ(read.largest, s.largest);
    EXPECT_EQ(read.smallest_seqno, s.smallest_seqno);
    EXPECT_EQ(read.largest_seqno, s.largest_seqno);
    EXPECT_EQ(read.num_entries, s.num_entries);
    EXPECT_EQ(read.num_deletions, s.num_deletions);
    EXPECT_EQ(read.raw_key_size, s.raw_key_size);
    EXPECT_EQ(read.raw_value_size, s.raw_value_size);
    EXPECT_EQ(read.file_checksum_func_name, "Unknown");
  }
}

TEST(TableSummary, OfAnExternalFile) {
  std::string bytes;
  const auto file = NewMemoryWritableFile("table", &bytes);
  auto writer = ExternalFileWriter::Create(file.get(), {}, FixedBuild());
  Require(writer.status());
  Require((*writer)->Put("a", "v"));
  Require((*writer)->DeleteRange("c", "e"));
  Require((*writer)->Finish());
  const TableSummary& s = (*writer)->summary();
  EXPECT_EQ(s.first_entry, Value("a", 0, "").key);
  EXPECT_EQ(s.largest, MakeInternalKey("e", kMaxSequenceNumber,
                                       ValueType::kTypeRangeDeletion));
  // A global sequence number is that of all entries.
  ReaderOptions options;
  options.largest_seqno = 9;
  TableSummary read;
  const auto reader = OpenTable(bytes, options);
  ASSERT_TRUE(SummarizeTable(*reader, &read).ok());
  EXPECT_EQ(read.smallest_seqno, 9U);
  EXPECT_EQ(read.largest_seqno, 9U);
  EXPECT_EQ(read.smallest, Value("a", 9, "").key);
}

TEST(TableSummary, OfTimestampsThatAreNotWritten) {
  TableOptions options;
  options.comparator = BytewiseComparatorWithU64Ts();
  options.persist_user_defined_timestamps = false;
  const Built built = Build(options, FixedBuild(),
                            {Value("a" + EncodeU64Ts(3), 7, "v"),
                             Value("b" + EncodeU64Ts(2), 8, "v")});
  const std::string zeros(sizeof(uint64_t), '\0');
  EXPECT_EQ(built.summary.smallest, Value("a" + zeros, 7, "").key);
  EXPECT_EQ(built.summary.largest, Value("b" + zeros, 8, "").key);
  ReaderOptions reader_options;
  reader_options.comparator = options.comparator;
  TableSummary read;
  const auto reader = OpenTable(built.bytes, reader_options);
  ASSERT_TRUE(SummarizeTable(*reader, &read).ok());
  EXPECT_EQ(read.smallest, built.summary.smallest);
  EXPECT_EQ(read.largest, built.summary.largest);
}

TEST(TableSummary, NeedsTheOrderOfKeys) {
  TableOptions options;
  options.comparator = ShorterFirstComparator();
  const auto reader = OpenTable(BuildTable(options, {Value("a", 1, "v")}),
                                {.allow_unknown_comparator = true});
  ASSERT_FALSE(reader->knows_order());
  TableSummary summary;
  summary.num_entries = 5;
  const Status status = SummarizeTable(*reader, &summary);
  EXPECT_TRUE(status.IsNotSupported());
  EXPECT_EQ(status.message(), "test.sst: a summary needs the order of keys");
  EXPECT_EQ(summary.num_entries, 0u);
}

TEST(TableSummary, LatePropertiesReplaceEarlyOnes) {
  std::string bytes;
  const auto file = NewMemoryWritableFile("table", &bytes);
  BuildOptions build = FixedBuild();
  build.seqno_to_time = {{1, 100}};
  auto builder = TableBuilder::Create({}, build, file.get()).value();
  Require(builder->Add(Value("a", 7, "v").key, "v"));
  LateProperties late;
  late.seqno_to_time = {{1, 200}, {5, 100}};
  late.creation_time = 1;
  EXPECT_TRUE(builder->SetLateProperties(late).IsInvalidArgument());
  late.seqno_to_time = {{1, 200}, {5, 300}};
  late.creation_time = 11;
  late.file_creation_time = 12;
  late.oldest_key_time = 13;
  late.newest_key_time = 14;
  EXPECT_TRUE(builder->SetLateProperties(late).ok());
  EXPECT_TRUE(builder->SetLateProperties({}).ok());
  Require(builder->Finish());
  EXPECT_TRUE(builder->SetLateProperties({}).IsInvalidArgument());
  const auto reader = OpenTable(bytes);
  EXPECT_EQ(reader->properties().creation_time, 11U);
  EXPECT_EQ(reader->properties().file_creation_time, 12U);
  EXPECT_EQ(reader->properties().oldest_key_time, 13U);
  EXPECT_EQ(reader->properties().newest_key_time, 14U);
  BuildOptions early = FixedBuild();
  early.seqno_to_time = {{1, 200}, {5, 300}};
  const Built same = Build({}, early, {Value("a", 7, "v")});
  EXPECT_EQ(reader->properties().seqno_to_time_mapping,
            OpenTable(same.bytes)->properties().seqno_to_time_mapping);
}

class AskingCollector final : public TablePropertiesCollector {
 public:
  Status AddUserKey(const Slice&, const Slice&, ValueType, SequenceNumber,
                    uint64_t) override {
    return {};
  }
  Status Finish(std::map<std::string, std::string>*) override { return {}; }
  bool NeedCompact() const override { return true; }
};

class AskingFactory final : public TablePropertiesCollectorFactory {
 public:
  std::unique_ptr<TablePropertiesCollector> CreateTablePropertiesCollector(
      const TablePropertiesCollectorContext& context) override {
    seen = context;
    return std::make_unique<AskingCollector>();
  }
  std::string_view Name() const override { return "Asking"; }

  TablePropertiesCollectorContext seen;
};

TEST(TableSummary, CollectorsHaveContextAndAskForCompaction) {
  const auto factory = std::make_shared<AskingFactory>();
  BuildOptions build = FixedBuild();
  build.table_properties_collector_factories = {factory};
  build.column_family_id = 3;
  build.level_at_creation = 2;
  build.num_levels = 7;
  const Built built = Build({}, build, {Value("a", 7, "v")});
  EXPECT_TRUE(built.summary.marked_for_compaction);
  EXPECT_EQ(factory->seen.column_family_id, 3U);
  EXPECT_EQ(factory->seen.level_at_creation, 2);
  EXPECT_EQ(factory->seen.num_levels, 7);
}

// Returns the summary of an external file of two entries with these sequence
// numbers, which no property tells.
TableSummary SummaryOfExternalFile(SequenceNumber first, SequenceNumber last) {
  HandMadeTable table;
  table.properties.num_entries = 2;
  table.properties.num_data_blocks = 1;
  table.properties.external_sst_file_version = 2;
  table.properties.external_sst_file_global_seqno = 0;
  const auto data = table.Append(WholeKeysBlock(
      {{Value("a", first, "").key, "v"}, {Value("b", last, "").key, "v"}}));
  table.SetIndex(
      table.Append(WholeKeysBlock({{Value("c", 0, "").key, Coded(data)}})));
  const auto reader = OpenTable(table.Finish());
  TableSummary summary;
  Require(SummarizeTable(*reader, &summary));
  return summary;
}

// As old releases of RocksDB write them: all numbers are 0 until the file is
// ingested.
TEST(TableSummary, OfAnExternalFileThatWasNotIngested) {
  const TableSummary summary = SummaryOfExternalFile(0, 0);
  EXPECT_EQ(summary.smallest_seqno, 0U);
  EXPECT_EQ(summary.largest_seqno, 0U);
}

// As Pebble writes them: the entries keep their numbers. Nothing says which is
// the largest, so the summary has none.
TEST(TableSummary, OfAnExternalFileWhoseEntriesHaveTheirOwnNumbers) {
  const TableSummary summary = SummaryOfExternalFile(5, 900);
  EXPECT_EQ(SequenceOf(summary.largest), 900U);
  EXPECT_FALSE(summary.smallest_seqno.has_value());
  EXPECT_FALSE(summary.largest_seqno.has_value());
}

}  // namespace
}  // namespace ashlar::testing
