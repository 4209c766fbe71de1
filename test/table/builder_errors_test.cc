// Tests every error of writing a table: its code, its message, and what is left
// in the file.

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "ashlar/table/external_file_writer.h"
#include "ashlar/table/table_builder.h"
#include "test/support/faulty_file.h"
#include "test/support/random.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

using Code = Status::Code;
using SubCode = Status::SubCode;

void ExpectError(const Status& status, Code code, std::string_view message,
                 SubCode subcode = SubCode::kNone) {
  EXPECT_EQ(status.code(), code) << status.ToString();
  EXPECT_EQ(status.subcode(), subcode) << status.ToString();
  EXPECT_EQ(status.message(), message);
}

// A builder that writes to memory.
struct Bench {
  explicit Bench(const TableOptions& options = {},
                 const BuildOptions& build_options = FixedBuild())
      : file(NewMemoryWritableFile("bench.sst", &bytes)) {
    auto made = TableBuilder::Create(options, build_options, file.get());
    Require(made.status());
    builder = std::move(made).value();
  }
  Status Add(const Entry& entry) {
    return builder->Add(entry.key, entry.value);
  }

  std::string bytes;
  std::unique_ptr<WritableFile> file;
  std::unique_ptr<TableBuilder> builder;
};

// --- Options ----------------------------------------------------------------

struct BadOptions {
  void (*set)(TableOptions*);
  Code code;
  const char* message;
  SubCode subcode = SubCode::kNone;
};

constexpr BadOptions kBadOptions[] = {
    {[](TableOptions* o) { o->comparator = nullptr; }, Code::kInvalidArgument,
     "comparator is null"},
    {[](TableOptions* o) { o->format_version = 1; }, Code::kInvalidArgument,
     "format_version is 1, expected 2 to 7"},
    {[](TableOptions* o) { o->format_version = 8; }, Code::kInvalidArgument,
     "format_version is 8, expected 2 to 7"},
    {[](TableOptions* o) { o->block_size = 0; }, Code::kInvalidArgument,
     "block_size is 0, expected 1 to 268435456"},
    {[](TableOptions* o) { o->block_size = (1 << 28) + 1; },
     Code::kInvalidArgument,
     "block_size is 268435457, expected 1 to 268435456"},
    {[](TableOptions* o) { o->block_size_deviation = -1; },
     Code::kInvalidArgument, "block_size_deviation is -1, expected 0 to 100"},
    {[](TableOptions* o) { o->block_size_deviation = 101; },
     Code::kInvalidArgument, "block_size_deviation is 101, expected 0 to 100"},
    {[](TableOptions* o) { o->block_restart_interval = 0; },
     Code::kInvalidArgument, "block_restart_interval is 0, expected 1 or more"},
    {[](TableOptions* o) { o->index_block_restart_interval = -3; },
     Code::kInvalidArgument,
     "index_block_restart_interval is -3, expected 1 or more"},
    {[](TableOptions* o) { o->checksum = static_cast<ChecksumType>(5); },
     Code::kInvalidArgument,
     "checksum is 5, expected kNoChecksum, kCRC32c, kxxHash, kxxHash64 or "
     "kXXH3"},
    {[](TableOptions* o) { o->filter = static_cast<FilterType>(3); },
     Code::kInvalidArgument, "filter is 3, expected kNone, kBloom or kRibbon"},
    {[](TableOptions* o) {
       o->index_shortening = static_cast<IndexShortening>(3);
     },
     Code::kInvalidArgument,
     "index_shortening is 3, expected kNoShortening, kShortenSeparators or "
     "kShortenSeparatorsAndSuccessor"},
    {[](TableOptions* o) { o->index_type = static_cast<IndexType>(4); },
     Code::kInvalidArgument,
     "index_type is 4, expected kBinarySearch, kHashSearch, "
     "kTwoLevelIndexSearch or kBinarySearchWithFirstKey"},
    {[](TableOptions* o) { o->index_type = IndexType::kHashSearch; },
     Code::kInvalidArgument,
     "index_type is kHashSearch, but prefix_extractor is null"},
    {[](TableOptions* o) {
       o->index_type = IndexType::kHashSearch;
       o->prefix_extractor = NewFixedPrefixExtractor(3);
       o->index_block_restart_interval = 2;
     },
     Code::kInvalidArgument,
     "index_type is kHashSearch, but index_block_restart_interval is 2, "
     "expected 1"},
    {[](TableOptions* o) { o->partition_filters = true; },
     Code::kInvalidArgument,
     "partition_filters is true, but index_type is not "
     "kTwoLevelIndexSearch"},
    {[](TableOptions* o) { o->metadata_block_size = 0; },
     Code::kInvalidArgument,
     "metadata_block_size is 0, expected 1 to 268435456"},
    {[](TableOptions* o) {
       o->data_block_index_type = static_cast<DataBlockIndexType>(2);
     },
     Code::kInvalidArgument,
     "data_block_index_type is 2, expected kDataBlockBinarySearch or "
     "kDataBlockBinaryAndHash"},
    {[](TableOptions* o) {
       o->data_block_index_type = DataBlockIndexType::kDataBlockBinaryAndHash;
       o->data_block_hash_table_util_ratio = 0;
     },
     Code::kInvalidArgument,
     "data_block_hash_table_util_ratio is 0, expected 0.001 to 1000"},
    {[](TableOptions* o) {
       o->compression = CompressionType::kZSTD;
       o->block_align = true;
     },
     Code::kInvalidArgument,
     "block_align is true, but compression is kZSTD: only uncompressed blocks "
     "are aligned"},
    {[](TableOptions* o) {
       o->compression = CompressionType::kNoCompression;
       o->block_align = true;
       o->block_size = 5000;
     },
     Code::kInvalidArgument,
     "block_align is true, but block_size is 5000, expected a power of two"},
    {[](TableOptions* o) { o->super_block_alignment_size = 5000; },
     Code::kInvalidArgument,
     "super_block_alignment_size is 5000, expected 0, or a power of two up to "
     "1073741824"},
    {[](TableOptions* o) { o->super_block_alignment_size = uint64_t{1} << 31; },
     Code::kInvalidArgument,
     "super_block_alignment_size is 2147483648, expected 0, or a power of two "
     "up to 1073741824"},
    {[](TableOptions* o) { o->super_block_alignment_size = 4096; },
     Code::kInvalidArgument,
     "super_block_alignment_size is 4096, expected more than block_size, which "
     "is 4096"},
    {[](TableOptions* o) { o->bloom_bits_per_key = 0.25; },
     Code::kInvalidArgument, "bloom_bits_per_key is 0.25, expected 0.5 to 100"},
    {[](TableOptions* o) { o->bloom_bits_per_key = 101; },
     Code::kInvalidArgument, "bloom_bits_per_key is 101, expected 0.5 to 100"},
    {[](TableOptions* o) {
       o->bloom_bits_per_key = std::numeric_limits<double>::quiet_NaN();
     },
     Code::kInvalidArgument, "bloom_bits_per_key is nan, expected 0.5 to 100"},
    {[](TableOptions* o) {
       o->compression = CompressionType::kXpressCompression;
     },
     Code::kNotSupported, "compression kXpressCompression is not built in",
     SubCode::kNotBuiltIn},
    {[](TableOptions* o) { o->compression_opts.max_dict_bytes = 268435457; },
     Code::kInvalidArgument,
     "compression_opts.max_dict_bytes is 268435457, expected at most "
     "268435456"},
    {[](TableOptions* o) { o->compression_opts.zstd_max_train_bytes = 5; },
     Code::kInvalidArgument,
     "compression_opts.zstd_max_train_bytes is 5, but "
     "compression_opts.max_dict_bytes is 0: no dictionary to train"},
    {[](TableOptions* o) {
       o->compression = CompressionType::kSnappyCompression;
       o->compression_opts.level = 1;
     },
     Code::kInvalidArgument,
     "compression_opts.level is 1, expected 0 to 0 for Snappy"},
    {[](TableOptions* o) { o->compression_opts.window_bits = -15; },
     Code::kInvalidArgument,
     "compression_opts.window_bits is -15, expected -14 to -9"},
    {[](TableOptions* o) { o->compression_opts.strategy = 5; },
     Code::kInvalidArgument, "compression_opts.strategy is 5, expected 0 to 4"},
    {[](TableOptions* o) {
       o->compression_opts.max_compressed_bytes_per_kb = -1;
     },
     Code::kInvalidArgument,
     "compression_opts.max_compressed_bytes_per_kb is -1, expected 0 or more"},
    {[](TableOptions* o) {
       o->compression = CompressionType::kLZ4Compression;
       o->compression_opts.level = 1;
     },
     Code::kInvalidArgument,
     "compression_opts.level is 1, expected -65537 to 0 for LZ4"},
    {[](TableOptions* o) {
       o->compression = CompressionType::kZSTD;
       o->compression_opts.level = 100;
     },
     Code::kInvalidArgument,
     "compression_opts.level is 100, expected -131072 to 22 for ZSTD"},
    {[](TableOptions* o) {
       o->compression = CompressionType::kLZ4Compression;
       o->compression_opts.checksum = true;
     },
     Code::kInvalidArgument,
     "compression_opts.checksum is true, but compression is "
     "kLZ4Compression: only kZSTD has frame checksums"},
};

TEST(BuilderErrors, Options) {
  for (const BadOptions& bad : kBadOptions) {
    TableOptions options;
    bad.set(&options);
    ExpectError(options.Validate(), bad.code, bad.message, bad.subcode);
    std::string bytes;
    const auto file = NewMemoryWritableFile("never.sst", &bytes);
    const auto builder =
        TableBuilder::Create(options, FixedBuild(), file.get());
    ExpectError(builder.status(), bad.code, bad.message, bad.subcode);
    EXPECT_TRUE(bytes.empty());
  }
}

TEST(BuilderErrors, OptionsAtTheirLimits) {
  TableOptions options;
  EXPECT_TRUE(options.Validate().ok());
  options.block_size = 1;
  options.block_size_deviation = 100;
  options.block_restart_interval = std::numeric_limits<int>::max();
  options.index_block_restart_interval = std::numeric_limits<int>::max();
  options.bloom_bits_per_key = 0.5;
  options.compression_opts.max_compressed_bytes_per_kb =
      std::numeric_limits<int>::max();
  EXPECT_TRUE(options.Validate().ok());
  const std::vector<Entry> entries = SomeEntries(30);
  std::vector<Entry> found;
  EXPECT_TRUE(
      ReadForward(*OpenTable(BuildTable(options, entries)), {}, &found).ok());
  EXPECT_TRUE(found == entries);
  options.block_size = uint64_t{1} << 28;
  options.block_size_deviation = 0;
  options.bloom_bits_per_key = 100;
  EXPECT_TRUE(options.Validate().ok());
  // Without a filter, bloom_bits_per_key is not checked.
  options.filter = FilterType::kNone;
  options.bloom_bits_per_key = 0;
  EXPECT_TRUE(options.Validate().ok());
}

TEST(BuilderErrors, BuildOptions) {
  std::string bytes;
  const auto file = NewMemoryWritableFile("never.sst", &bytes);
  BuildOptions build = FixedBuild();
  build.user_properties = {{"mine", "1"}, {"rocksdb.mine", "2"}};
  ExpectError(TableBuilder::Create({}, build, file.get()).status(),
              Code::kInvalidArgument,
              "user_properties: name 'rocksdb.mine' begins with \"rocksdb.\"");
  build = FixedBuild();
  build.identity.base_context_checksum = 0;
  ExpectError(TableBuilder::Create({}, build, file.get()).status(),
              Code::kInvalidArgument,
              "identity.base_context_checksum is 0, expected 1 or more");
}

// --- Entries ----------------------------------------------------------------

TEST(BuilderErrors, KeysOutOfOrder) {
  Bench bench;
  ASSERT_TRUE(bench.Add(Value("b", 5, "v")).ok());
  ExpectError(bench.Add(Value("a", 5, "v")), Code::kInvalidArgument,
              "entry 2: key 'a' seq:5, type:1 is not larger than the last one, "
              "'b' seq:5, type:1",
              SubCode::kKeyOutOfOrder);
  ExpectError(bench.Add(Value("b", 5, "v")), Code::kInvalidArgument,
              "entry 2: key 'b' seq:5, type:1 is not larger than the last one, "
              "'b' seq:5, type:1",
              SubCode::kDuplicateKey);
  ExpectError(bench.Add(Value("b", 6, "v")), Code::kInvalidArgument,
              "entry 2: key 'b' seq:6, type:1 is not larger than the last one, "
              "'b' seq:5, type:1",
              SubCode::kKeyOutOfOrder);
  ExpectError(bench.Add(Operand("b", 5, "v")), Code::kInvalidArgument,
              "entry 2: key 'b' seq:5, type:2 is not larger than the last one, "
              "'b' seq:5, type:1",
              SubCode::kKeyOutOfOrder);
  ExpectError(bench.Add(Value("", 5, "v")), Code::kInvalidArgument,
              "entry 2: key '' seq:5, type:1 is not larger than the last one, "
              "'b' seq:5, type:1",
              SubCode::kKeyOutOfOrder);
  // The builder added none of these entries, and can go on.
  ASSERT_TRUE(bench.Add(Deletion("b", 4)).ok());
  ASSERT_TRUE(bench.Add(Value("b\n\xff", 9, "w")).ok());
  ExpectError(bench.Add(Value("b", 1, "v")), Code::kInvalidArgument,
              "entry 4: key 'b' seq:1, type:1 is not larger than the last one, "
              "'b\\x0A\\xFF' seq:9, type:1",
              SubCode::kKeyOutOfOrder);
  EXPECT_EQ(bench.builder->NumEntries(), 3u);
  ASSERT_TRUE(bench.builder->status().ok());
  ASSERT_TRUE(bench.builder->Finish().ok());
  std::vector<Entry> found;
  ASSERT_TRUE(ReadForward(*OpenTable(bench.bytes), {}, &found).ok());
  EXPECT_TRUE(found == (std::vector<Entry>{Value("b", 5, "v"), Deletion("b", 4),
                                           Value("b\n\xff", 9, "w")}));
}

TEST(BuilderErrors, KeysOutOfReverseOrder) {
  TableOptions options;
  options.comparator = ReverseBytewiseComparator();
  Bench bench(options);
  ASSERT_TRUE(bench.Add(Value("m", 5, "v")).ok());
  ExpectError(bench.Add(Value("n", 5, "v")), Code::kInvalidArgument,
              "entry 2: key 'n' seq:5, type:1 is not larger than the last one, "
              "'m' seq:5, type:1",
              SubCode::kKeyOutOfOrder);
  // In this order the longer of two keys comes first if the other is its
  // prefix.
  EXPECT_TRUE(bench.Add(Value("mm", 5, "v")).IsInvalidArgument());
  EXPECT_TRUE(bench.Add(Value("", 5, "v")).ok());
}

TEST(BuilderErrors, TypesThatNoTableHolds) {
  Bench bench;
  for (const int type : {0x03, 0x08, 0x10, 0x19, 0x20, 0x21, 0xff}) {
    const std::string key =
        MakeInternalKey("k", 7, static_cast<ValueType>(type));
    ExpectError(bench.builder->Add(key, ""), Code::kInvalidArgument,
                "entry 1: key 'k' seq:7, type:" + std::to_string(type) +
                    " has a value type that a table cannot hold");
  }
  EXPECT_EQ(bench.builder->NumEntries(), 0u);
  ASSERT_TRUE(bench.Add(Value("k", 7, "")).ok());
}

TEST(BuilderErrors, DeletionsHaveNoValue) {
  Bench bench;
  for (const int type : {0x00, 0x07, 0x14}) {
    const std::string key =
        MakeInternalKey("k", 7, static_cast<ValueType>(type));
    ExpectError(bench.builder->Add(key, "v"), Code::kInvalidArgument,
                "entry 1: key 'k' seq:7, type:" + std::to_string(type) +
                    " is a deletion, and has a value of 1 bytes");
  }
  EXPECT_EQ(bench.builder->NumEntries(), 0u);
}

TEST(BuilderErrors, KeysAndValuesOfImpossibleSize) {
  Bench bench;
  for (const char* key : {"", "1234567"}) {
    ExpectError(bench.builder->Add(key, ""), Code::kInvalidArgument,
                "entry 1: key of " + std::to_string(std::string(key).size()) +
                    " bytes is not an internal key: expected at least 8");
  }
  const std::string large =
      MakeInternalKey(std::string(TableBuilder::kMaxUserKeyBytes + 1, 'k'), 7,
                      ValueType::kTypeValue);
  ExpectError(bench.builder->Add(large, ""), Code::kInvalidArgument,
              "entry 1: key '" + std::string(64, 'k') +
                  "'... (67108865 bytes) seq:7, type:1 is larger than 67108864 "
                  "bytes");
  // The value is refused for its size alone. Its bytes do not exist.
  const Slice huge("x", TableBuilder::kMaxValueBytes + 1);
  ExpectError(bench.builder->Add(Value("k", 7, "").key, huge),
              Code::kInvalidArgument,
              "entry 1: key 'k' seq:7, type:1 has a value of 939524097 bytes, "
              "more than 939524096");
  // The largest key that is allowed.
  ASSERT_TRUE(
      bench.builder->Add(Slice(large.data() + 1, large.size() - 1), "value")
          .ok());
  ASSERT_TRUE(bench.builder->Finish().ok());
  GetResult result;
  const std::string user_key(TableBuilder::kMaxUserKeyBytes, 'k');
  ASSERT_TRUE(OpenTable(bench.bytes)->Get(user_key, &result).ok());
  EXPECT_EQ(result.value.ToString(), "value");
}

TEST(BuilderErrors, CallsAfterTheEnd) {
  Bench bench;
  ASSERT_TRUE(bench.Add(Value("a", 1, "v")).ok());
  ASSERT_TRUE(bench.builder->Finish().ok());
  const std::string finished = bench.bytes;
  ExpectError(bench.Add(Value("b", 1, "v")), Code::kInvalidArgument,
              "Add after Finish or Abandon");
  ExpectError(bench.builder->Finish(), Code::kInvalidArgument,
              "Finish after Finish or Abandon");
  EXPECT_EQ(bench.bytes, finished);
  EXPECT_EQ(bench.builder->FileSize(), finished.size());
  EXPECT_EQ(bench.builder->EstimatedFileSize(), finished.size());

  Bench abandoned;
  ASSERT_TRUE(abandoned.Add(Value("a", 1, "v")).ok());
  abandoned.builder->Abandon();
  ExpectError(abandoned.Add(Value("b", 1, "v")), Code::kInvalidArgument,
              "Add after Finish or Abandon");
  ExpectError(abandoned.builder->Finish(), Code::kInvalidArgument,
              "Finish after Finish or Abandon");
  EXPECT_TRUE(abandoned.bytes.empty());
}

TEST(BuilderErrors, ExternalFilesTakeEachKeyOnce) {
  std::string bytes;
  const auto file = NewMemoryWritableFile("external.sst", &bytes);
  auto made = ExternalFileWriter::Create(file.get(), {}, FixedBuild());
  ASSERT_TRUE(made.ok());
  ExternalFileWriter& writer = **made;
  ExpectError(writer.Finish(), Code::kInvalidArgument,
              "cannot make an external file without entries");
  ASSERT_TRUE(writer.Put("b", "v").ok());
  ExpectError(writer.Delete("b"), Code::kInvalidArgument,
              "entry 2: key 'b' seq:0, type:0 is not larger than the last one, "
              "'b' seq:0, type:1",
              SubCode::kDuplicateKey);
  ExpectError(writer.Put("a", "v"), Code::kInvalidArgument,
              "entry 2: key 'a' seq:0, type:1 is not larger than the last one, "
              "'b' seq:0, type:1",
              SubCode::kKeyOutOfOrder);
  ASSERT_TRUE(writer.Merge("c", "m").ok());
  ASSERT_TRUE(writer.Delete("d").ok());
  ASSERT_TRUE(writer.SingleDelete("e").ok());
  EXPECT_EQ(writer.NumEntries(), 4u);
  ASSERT_TRUE(writer.Finish().ok());
  EXPECT_EQ(writer.FileSize(), bytes.size());
  const auto reader = OpenTable(bytes);
  EXPECT_EQ(reader->properties().external_sst_file_version, 2u);
  EXPECT_EQ(reader->properties().external_sst_file_global_seqno, 0u);
  EXPECT_EQ(reader->properties().num_deletions, 2u);
  std::vector<Entry> found;
  ASSERT_TRUE(ReadForward(*reader, {}, &found).ok());
  EXPECT_TRUE(
      found ==
      (std::vector<Entry>{
          Value("b", 0, "v"),
          Operand("c", 0, "m"),
          Deletion("d", 0),
          {MakeInternalKey("e", 0, ValueType::kTypeSingleDeletion), ""}}));
}

// --- Files that fail --------------------------------------------------------

// Makes the builder write several times: the entries are larger than the
// writer's buffer, and one block is larger than it alone.
std::vector<Entry> EntriesOfManyWrites() {
  Random random(2);
  std::vector<Entry> entries;
  for (int i = 0; i < 120; ++i) {
    const std::string key = "key" + std::to_string(1000 + i);
    const size_t size = i == 60 ? 300000 : 6000;
    entries.push_back(Value(key, 1, random.Bytes(size)));
  }
  return entries;
}

// Builds until something fails, and expects that the builder keeps the failure.
// Returns the first failure, or OK.
Status BuildInto(WritableFile* file, const TableOptions& options,
                 const std::vector<Entry>& entries) {
  auto made = TableBuilder::Create(options, FixedBuild(), file);
  Require(made.status());
  TableBuilder& builder = **made;
  Status first;
  for (const Entry& entry : entries) {
    first = builder.Add(entry.key, entry.value);
    if (!first.ok()) break;
  }
  if (first.ok()) first = builder.Finish();
  if (first.ok()) return first;
  EXPECT_EQ(builder.status().ToString(), first.ToString());
  EXPECT_EQ(builder.Add(Value("zzz", 1, "").key, "").ToString(),
            first.ToString());
  EXPECT_EQ(builder.Finish().ToString(), first.ToString());
  return first;
}

void FailEveryWrite(const TableOptions& options) {
  const std::vector<Entry> entries = EntriesOfManyWrites();
  FaultPlan plan;
  std::string whole;
  Require(BuildInto(NewFaultyWritableFile("whole.sst", &whole, &plan).get(),
                    options, entries));
  const uint64_t operations = plan.operations;
  ASSERT_GT(operations, 5u);
  for (uint64_t n = 1; n <= operations; ++n) {
    for (const bool persistent : {false, true}) {
      plan = {.fail_at = n, .persistent = persistent};
      std::string bytes;
      const auto file = NewFaultyWritableFile("faulty.sst", &bytes, &plan);
      const Status status = BuildInto(file.get(), options, entries);
      ASSERT_EQ(plan.faults, 1u) << "write " << n << " of " << operations;
      ExpectError(status, Code::kIOError, "write faulty.sst: injected");
      // What was written is no table.
      EXPECT_FALSE(OpenBytes(bytes).ok());
    }
  }
}

TEST(BuilderErrors, EveryWriteFails) {
  for (const CompressionType codec :
       {CompressionType::kNoCompression, CompressionType::kZSTD}) {
    TableOptions options;
    options.compression = codec;
    FailEveryWrite(options);
  }
}

}  // namespace
}  // namespace ashlar::testing
