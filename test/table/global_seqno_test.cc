// Tests external files whose entries got a sequence number when they were
// ingested. Every read shows that number, whatever the blocks contain.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ashlar/cache/cache_options.h"
#include "ashlar/table/external_file_writer.h"
#include "ashlar/table/inspect.h"
#include "ashlar/table/table_reader.h"
#include "table/meta/properties_block.h"
#include "test/support/tables.h"
#include "util/coding/coding.h"

namespace ashlar::testing {
namespace {

constexpr int kKeys = 2000;
constexpr SequenceNumber kSeqno = 0x1234567;

TableOptions Options(uint32_t format_version) {
  TableOptions options;
  options.format_version = format_version;
  options.compression = CompressionType::kNoCompression;
  return options;
}

// Builds a file with the keys "key00000" to "key01999". Every tenth is a
// deletion.
std::string BuildExternal(const TableOptions& options) {
  std::string bytes;
  const auto file = NewMemoryWritableFile("external.sst", &bytes);
  auto writer = ExternalFileWriter::Create(file.get(), options, FixedBuild());
  Require(writer.status());
  int i = 0;
  for (const Entry& entry : SomeEntries(kKeys)) {
    const Slice user_key = UserKeyOf(entry.key);
    Require(i++ % 10 == 0 ? (*writer)->Delete(user_key)
                          : (*writer)->Put(user_key, entry.value));
  }
  Require((*writer)->Finish());
  return bytes;
}

// Overwrites the number in the properties block, as ingestion does.
void SetSeqno(SequenceNumber seqno, std::string* bytes) {
  const auto file = NewMemoryFile("external.sst", *bytes);
  TableInspection inspection;
  Require(InspectTable(*file, {}, &inspection));
  for (const BlockInfo& block : inspection.blocks) {
    if (block.kind != BlockKind::kProperties) continue;
    const size_t at = internal::FindGlobalSeqno(
        Slice(bytes->data() + block.offset, static_cast<size_t>(block.size)));
    ASSERT_NE(at, 0U);
    internal::StoreFixed64(bytes->data() + block.offset + at, seqno);
  }
}

std::vector<Entry> ExpectedEntries(SequenceNumber seqno) {
  std::vector<Entry> entries = SomeEntries(kKeys);
  for (int i = 0; i < kKeys; ++i) {
    Entry& entry = entries[size_t(i)];
    entry = i % 10 == 0 ? Deletion(UserKeyOf(entry.key).ToStringView(), seqno)
                        : Value(UserKeyOf(entry.key).ToStringView(), seqno,
                                entry.value);
  }
  return entries;
}

void CheckAllReads(const TableReader& reader, SequenceNumber seqno) {
  const std::vector<Entry> expected = ExpectedEntries(seqno);
  std::vector<Entry> entries;
  const Status forward = ReadForward(reader, {}, &entries);
  EXPECT_TRUE(forward.ok()) << forward.ToString();
  EXPECT_TRUE(entries == expected);
  entries.clear();
  EXPECT_TRUE(ReadBackward(reader, {}, &entries).ok());
  std::reverse(entries.begin(), entries.end());
  EXPECT_TRUE(entries == expected);

  Iterator it = reader.NewIterator();
  for (const Entry& entry : expected) {
    const Slice user_key = UserKeyOf(entry.key);
    GetResult result;
    ASSERT_TRUE(reader.Get({}, user_key, seqno, &result).ok());
    EXPECT_EQ(result.state, TypeOf(entry.key) == ValueType::kTypeDeletion
                                ? GetResult::State::kDeleted
                                : GetResult::State::kFound);
    EXPECT_EQ(result.sequence, seqno);
    EXPECT_EQ(result.value.ToString(), entry.value);
    it.Seek(user_key, seqno);
    ASSERT_TRUE(it.Valid());
    EXPECT_EQ(it.key(), Slice(entry.key));
    it.SeekForPrev(user_key, seqno);
    ASSERT_TRUE(it.Valid());
    EXPECT_EQ(it.key(), Slice(entry.key));
    if (seqno == 0) continue;
    // Older snapshots do not see the entry.
    ASSERT_TRUE(reader.Get({}, user_key, seqno - 1, &result).ok());
    EXPECT_EQ(result.state, GetResult::State::kNotFound);
    it.Seek(user_key, seqno - 1);
    EXPECT_TRUE(!it.Valid() || it.user_key() != user_key);
  }
  EXPECT_TRUE(reader.VerifyChecksum().ok());
}

TEST(GlobalSeqno, ReplacesEverySequenceNumber) {
  for (const uint32_t version : {2U, 5U, 7U}) {
    SCOPED_TRACE(version);
    for (const CompressionType compression :
         {CompressionType::kNoCompression, DefaultCompressionType()}) {
      TableOptions options = Options(version);
      options.compression = compression;
      std::string bytes = BuildExternal(options);
      SetSeqno(kSeqno, &bytes);
      CheckAllReads(*OpenTable(bytes), kSeqno);
    }
  }
}

TEST(GlobalSeqno, LargestThereIs) {
  std::string bytes = BuildExternal(Options(6));
  SetSeqno(kMaxSequenceNumber, &bytes);
  CheckAllReads(*OpenTable(bytes), kMaxSequenceNumber);
  SetSeqno(kMaxSequenceNumber + 1, &bytes);
  EXPECT_TRUE(OpenBytes(bytes).status().IsCorruption());
}

TEST(GlobalSeqno, ZeroKeepsWhatIsStored) {
  CheckAllReads(*OpenTable(BuildExternal(Options(6))), 0);
}

// RocksDB passes the number from its manifest in this way.
TEST(GlobalSeqno, ComesFromTheManifestWhereTheFileHasNone) {
  std::string bytes = BuildExternal(Options(6));
  ReaderOptions options;
  options.largest_seqno = kSeqno;
  CheckAllReads(*OpenTable(bytes, options), kSeqno);
  SetSeqno(kSeqno, &bytes);
  CheckAllReads(*OpenTable(bytes, options), kSeqno);
  options.largest_seqno = kSeqno + 1;
  const Status status = OpenBytes(bytes, options).status();
  EXPECT_TRUE(status.IsCorruption()) << status.ToString();
  EXPECT_NE(status.message().find("largest_seqno is 19088744"),
            std::string_view::npos)
      << status.ToString();
  SetSeqno(0, &bytes);
  options.largest_seqno = kMaxSequenceNumber + 1;
  EXPECT_TRUE(OpenBytes(bytes, options).status().IsInvalidArgument());
}

// The cache has the blocks as they are in the file, whatever sequence number a
// reader shows.
TEST(GlobalSeqno, ReadersThatDifferMayShareACache) {
  const std::string bytes = BuildExternal(Options(6));
  HyperClockCacheOptions cache_options;
  cache_options.capacity = size_t{8} << 20;
  ReaderOptions options;
  options.block_cache = std::move(NewHyperClockCache(cache_options)).value();
  for (int round = 0; round < 2; ++round) {
    for (const SequenceNumber seqno : {kSeqno, SequenceNumber{0}, kSeqno + 1}) {
      options.largest_seqno = seqno;
      CheckAllReads(*OpenTable(bytes, options), seqno);
    }
  }
  EXPECT_GT(options.block_cache->GetOccupancyCount(), 0U);
}

// An engine that makes files for ingestion by a builder of its own.
TEST(GlobalSeqno, ABuilderMakesTheSameFileAsTheWriter) {
  for (const uint32_t version : {2U, 5U, 7U}) {
    BuildOptions build = FixedBuild();
    build.external_file = true;
    const std::string bytes =
        BuildTable(Options(version), ExpectedEntries(0), build);
    EXPECT_TRUE(bytes == BuildExternal(Options(version))) << version;
  }
}

TEST(GlobalSeqno, AnExternalFileHasNoUserKeyTwice) {
  std::string bytes;
  const auto file = NewMemoryWritableFile("external.sst", &bytes);
  BuildOptions build = FixedBuild();
  build.external_file = true;
  auto builder = TableBuilder::Create({}, build, file.get());
  Require(builder.status());
  const Entry entry = Value("a", 2, "x");
  Require((*builder)->Add(entry.key, entry.value));
  const Status status = (*builder)->Add(Value("a", 1, "x").key, "y");
  EXPECT_EQ(status.subcode(), Status::SubCode::kDuplicateKey);
}

// An ingestion overwrites the bytes at the offset that the properties tell.
TEST(GlobalSeqno, IsWhereThePropertiesSay) {
  for (const uint32_t version : {2U, 5U, 7U}) {
    const std::string bytes = BuildExternal(Options(version));
    std::string changed = bytes;
    SetSeqno(kSeqno, &changed);
    const uint64_t offset =
        OpenTable(bytes)->properties().external_sst_file_global_seqno_offset;
    ASSERT_NE(offset, 0U);
    std::string by_offset = bytes;
    internal::StoreFixed64(by_offset.data() + offset, kSeqno);
    EXPECT_TRUE(by_offset == changed);
    EXPECT_EQ(
        OpenTable(changed)->properties().external_sst_file_global_seqno_offset,
        offset);
  }
  EXPECT_EQ(OpenTable(BuildTable({}, SomeEntries(3)))
                ->properties()
                .external_sst_file_global_seqno_offset,
            0U);
}

// The number means nothing for files that a database wrote itself.
TEST(GlobalSeqno, OfTheManifestIsIgnoredInOtherFiles) {
  const std::vector<Entry> entries = {Value("a", 3, "x"), Value("b", 9, "y")};
  ReaderOptions options;
  options.largest_seqno = 9;
  std::vector<Entry> found;
  EXPECT_TRUE(
      ReadForward(*OpenTable(BuildTable({}, entries), options), {}, &found)
          .ok());
  EXPECT_TRUE(found == entries);
}

}  // namespace
}  // namespace ashlar::testing
