// Tests references to embedded blobs that no writer makes: outside of the file,
// over other blocks, too large, of a wrong form. Reads and the inspection name
// file, place and cause, and take no memory for them.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "ashlar/table/entry/blob_index.h"
#include "ashlar/table/entry/wide_columns.h"
#include "ashlar/table/inspect.h"
#include "ashlar/table/table_reader.h"
#include "test/support/resign.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

constexpr auto kReference = ValueType::kTypeBlobIndex;
constexpr auto kEntity = ValueType::kTypeWideColumnEntity;

std::string Reference(uint64_t offset, uint64_t size,
                      CompressionType compression = {}) {
  BlobIndex index;
  index.offset = offset;
  index.size = size;
  index.compression = compression;
  std::string bytes;
  AppendBlobIndex(index, &bytes);
  return bytes;
}

// The table has a blob of 100 bytes at offset 0, the entry "a" of it, and then
// this entry "k".
std::string TableWith(ValueType type, const std::string& value) {
  TableOptions options;
  options.format_version = 7;
  options.compression = CompressionType::kNoCompression;
  options.embedded_blob_options = {.enable = true, .min_blob_size = 100};
  return BuildTable(options, {Value("a", 1, std::string(100, 'a')),
                              {MakeInternalKey("k", 1, type), value}});
}

TableInspection Inspected(const std::string& table,
                          uint64_t limit = uint64_t{1} << 30) {
  const auto file = NewMemoryFile("test.sst", table);
  TableInspection found;
  Require(InspectTable(*file, {.max_uncompressed_block_bytes = limit}, &found));
  return found;
}

std::string FaultsOf(const TableInspection& found) {
  std::string text;
  for (const TableFault& fault : found.faults) {
    text += std::string(fault.status.message()) + "\n";
  }
  return text;
}

void ExpectBad(const std::string& table, const std::string& words,
               const ReaderOptions& options = {}) {
  SCOPED_TRACE(words);
  const auto reader = OpenTable(table, options);
  GetResult result;
  const Status got = reader->Get("k", &result);
  EXPECT_TRUE(got.IsCorruption()) << got.ToString();
  EXPECT_TRUE(got.message().starts_with("test.sst: value of 'k' seq:1"))
      << got.ToString();
  EXPECT_NE(got.message().find(words), std::string_view::npos)
      << got.ToString();
  std::vector<GetResult> results(2);
  std::vector<Status> statuses(2);
  const std::vector<Slice> keys = {"k", "a"};
  reader->MultiGet(keys, results, statuses);
  EXPECT_EQ(statuses[0].ToString(), got.ToString());
  Require(statuses[1]);
  EXPECT_EQ(results[1].value.size(), 100u);
  std::vector<Entry> entries;
  EXPECT_EQ(ReadForward(*reader, {}, &entries).ToString(), got.ToString());
  EXPECT_EQ(entries.size(), 1u);
  uint64_t checked = 0;
  EXPECT_EQ(reader->CheckEntries({}, nullptr, {}, &checked).ToString(),
            got.ToString());
}

void ExpectBadAndFound(const std::string& table, const std::string& words,
                       const std::string& fault) {
  ExpectBad(table, words);
  EXPECT_NE(FaultsOf(Inspected(table)).find(fault), std::string::npos)
      << FaultsOf(Inspected(table));
}

TEST(HostileBlobs, OutsideOfTheFile) {
  for (const auto& [offset, size] : std::vector<std::pair<uint64_t, uint64_t>>{
           {1 << 20, 1},
           {0, 1 << 20},
           {0, ~uint64_t{0} >> 24},
           {~uint64_t{0}, 1},
           {~uint64_t{0}, ~uint64_t{0}}}) {
    const std::string table = TableWith(kReference, Reference(offset, size));
    ExpectBadAndFound(table,
                      "blob block offset " + std::to_string(offset) + " size " +
                          std::to_string(size) + ": ",
                      "bad blob reference in blob block offset ");
  }
}

TEST(HostileBlobs, WrongForms) {
  ExpectBadAndFound(
      TableWith(kReference, Reference(0, 100, CompressionType::kZSTD)),
      "compression type 7, expected 0", "compression type 7, expected 0");
  BlobIndex timed;
  timed.kind = BlobIndex::Kind::kBlobTtl;
  timed.size = 100;
  std::string bytes;
  AppendBlobIndex(timed, &bytes);
  ExpectBadAndFound(TableWith(kReference, bytes),
                    "an embedded blob has no expiration",
                    "an embedded blob has no expiration");
  ExpectBadAndFound(TableWith(kReference, "\7"),
                    "bad blob index: expected kind",
                    "bad blob index: expected kind");
  std::string entity;
  Require(EncodeWideColumns({{"c", "\1x", /*is_blob_index=*/true}, {"d", "x"}},
                            &entity));
  ExpectBadAndFound(TableWith(kEntity, entity), "bad blob index: expected file",
                    "bad blob index: expected file");
}

TEST(HostileBlobs, OverOtherBlocks) {
  // Over the first blob, and over the data block.
  for (const uint64_t offset : {10u, 120u}) {
    const std::string table = TableWith(kReference, Reference(offset, 20));
    ExpectBad(table, "block checksum mismatch in blob block");
    const std::string faults = FaultsOf(Inspected(table));
    EXPECT_NE(faults.find("overlap in "), std::string::npos) << faults;
  }
}

// A block may be what a reference names, if it is uncompressed. The inspection
// finds that it is one.
TEST(HostileBlobs, OtherBlockAsABlob) {
  const auto data_of = [](const std::string& table) {
    return FindBlock(Inspected(table).blocks, BlockKind::kData);
  };
  const BlockInfo data = data_of(TableWith(kReference, Reference(105, 50)));
  const std::string table =
      TableWith(kReference, Reference(data.offset, data.size));
  ASSERT_EQ(data_of(table).size, data.size);
  const TableInspection found = Inspected(table);
  EXPECT_NE(FaultsOf(found).find("a blob and another block are both there"),
            std::string::npos)
      << FaultsOf(found);
}

TEST(HostileBlobs, LargerThanTheLimit) {
  const std::string table = TableWith(kReference, Reference(0, 100));
  const auto reader = OpenTable(table);
  GetResult result;
  Require(reader->Get("k", &result));
  EXPECT_EQ(result.value.ToString(), std::string(100, 'a'));
  const auto limited =
      TableReader::Open(NewMemoryFile("test.sst", table),
                        {.load_index_and_filter = LoadTime::kAtFirstUse,
                         .max_uncompressed_block_bytes = 99});
  Require(limited.status());
  const Status status = (*limited)->Get("k", &result);
  EXPECT_EQ(status.subcode(), Status::SubCode::kAboveSizeLimit)
      << status.ToString();
  EXPECT_EQ(FaultsOf(Inspected(table)), "");
  EXPECT_NE(FaultsOf(Inspected(table, 99)).find("larger than the limit of 99"),
            std::string::npos);
}

// An entity may refer to one blob any number of times.
TEST(HostileBlobs, EntityAboveTheLimit) {
  const std::string reference = Reference(0, 100);
  std::vector<std::string> names;
  names.reserve(60);
  for (int i = 0; i < 60; ++i) names.push_back("c" + std::to_string(100 + i));
  std::vector<WideColumn> columns;
  columns.reserve(names.size());
  for (const std::string& name : names) {
    columns.push_back({name, reference, /*is_blob_index=*/true});
  }
  std::string entity;
  Require(EncodeWideColumns(columns, &entity));
  const std::string table = TableWith(kEntity, entity);
  GetResult result;
  Require(OpenTable(table)->Get("k", &result));
  EXPECT_GT(result.entity.size(), 6000u);
  ExpectBad(table,
            "the blobs of its columns are together larger than the limit",
            {.max_uncompressed_block_bytes = 5999});
  EXPECT_NE(FaultsOf(Inspected(table, 5999)).find("the limit of 5999 bytes"),
            std::string::npos);
}

// A blob that says it is compressed, and could be decompressed.
TEST(HostileBlobs, Compressed) {
  constexpr auto kSnappy = CompressionType::kSnappyCompression;
  // Snappy: 97 bytes announced, and one literal of 97 bytes.
  const std::string payload = "\x61\xf0\x60" + std::string(97, 'a');
  TableOptions options;
  options.format_version = 7;
  options.compression = kSnappy;
  options.embedded_blob_options = {.enable = true, .min_blob_size = 100};
  // So that data are compressed too, and the table declares the type.
  std::string table = BuildTable(
      options, {Value("a", 1, payload), Value("b", 1, std::string(99, 'b')),
                Value("c", 1, std::string(99, 'b'))});
  EXPECT_EQ(FaultsOf(Inspected(table)), "");
  const BlockInfo blob = FindBlock(BlocksOf(table), BlockKind::kBlob);
  ASSERT_EQ(blob.size, payload.size());
  table[blob.offset + blob.size] = static_cast<char>(kSnappy);
  Resign(blob, &table);
  const std::string expected =
      "bad blob in blob block offset 0 size 100: it is compressed";
  GetResult result;
  const Status got = OpenTable(table)->Get("a", &result);
  EXPECT_TRUE(got.IsCorruption());
  EXPECT_NE(got.message().find(expected), std::string_view::npos)
      << got.ToString();
  const std::string faults = FaultsOf(Inspected(table));
  EXPECT_NE(faults.find("bad blob in blob block"), std::string::npos) << faults;
  EXPECT_NE(faults.find("it is compressed"), std::string::npos) << faults;
}

// Nothing refers to the second of two blobs any more.
TEST(HostileBlobs, UnreferencedBytes) {
  TableOptions options;
  options.format_version = 7;
  options.compression = CompressionType::kNoCompression;
  options.embedded_blob_options = {.enable = true, .min_blob_size = 100};
  std::string table =
      BuildTable(options, {Value("a", 1, std::string(100, 'a')),
                           Value("b", 1, std::string(100, 'b'))});
  EXPECT_EQ(Inspected(table).unreferenced_blob_bytes, 0u);
  const BlockInfo data = FindBlock(BlocksOf(table), BlockKind::kData);
  const std::string second = Reference(105, 100);
  const size_t at = table.find(second, data.offset);
  ASSERT_NE(at, std::string::npos);
  table[at + 2] = 0;
  Resign(data, &table);
  const TableInspection found = Inspected(table);
  EXPECT_EQ(FaultsOf(found), "");
  EXPECT_EQ(found.unreferenced_blob_bytes, 105u);
}

// More references than the file has room for blobs: the inspection keeps and
// lists few of them.
TEST(HostileBlobs, ManyReferences) {
  TableOptions options;
  options.format_version = 7;
  options.embedded_blob_options = {.enable = true, .min_blob_size = 100};
  std::vector<Entry> entries = {Value("a", 1, std::string(1000, 'a'))};
  for (int i = 0; i < 200'000; ++i) {
    entries.push_back(
        {MakeInternalKey("b" + std::to_string(1'000'000 + i), 1, kReference),
         Reference(static_cast<uint64_t>(i % 900), 90)});
  }
  const std::string table = BuildTable(options, entries);
  const TableInspection found = Inspected(table);
  const auto blobs = std::count_if(
      found.blocks.begin(), found.blocks.end(),
      [](const BlockInfo& b) { return b.kind == BlockKind::kBlob; });
  EXPECT_LE(blobs, 901);
  EXPECT_NE(FaultsOf(found).find("overlap in "), std::string::npos);
}

TEST(HostileBlobs, FollowedEntries) {
  std::string table = TableWith(kReference, Reference(0, 100));
  const auto entries_of = [](const std::string& bytes) {
    const auto file = NewMemoryFile("test.sst", bytes);
    std::vector<Entry> entries;
    TableInspection found;
    InspectOptions options;
    options.follow_blobs = true;
    options.on_entry = [&](const BlockInfo& block, const Slice& key,
                           const Slice& value) {
      if (block.kind == BlockKind::kData) {
        entries.push_back({key.ToString(), value.ToString()});
      }
    };
    Require(InspectTable(*file, options, &found));
    return entries;
  };
  std::vector<Entry> entries = entries_of(table);
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_TRUE(entries[0] == Value("a", 1, std::string(100, 'a')));
  EXPECT_TRUE(entries[1] == Value("k", 1, std::string(100, 'a')));
  table[50] ^= 1;
  entries = entries_of(table);
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(TypeOf(entries[0].key), kReference);
  EXPECT_EQ(entries[1].value, Reference(0, 100));
}

TEST(HostileBlobs, StatsProperty) {
  EmbeddedBlobStats stats;
  Require(DecodeEmbeddedBlobStats(Slice("\2\5", 2), &stats));
  EXPECT_EQ(stats.count, 2u);
  EXPECT_EQ(stats.bytes, 5u);
  for (const Slice bad : {Slice(), Slice("\2", 1), Slice("\0\1", 2),
                          Slice("\2\5\0", 3), Slice("\x80", 1)}) {
    EXPECT_TRUE(DecodeEmbeddedBlobStats(bad, &stats).IsCorruption());
  }
}

}  // namespace
}  // namespace ashlar::testing
