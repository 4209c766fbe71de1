// Tests a table of more than 4 GiB, whose handles, checksum contexts and
// properties need more than 32 bits. Its values are zeros, which take no room
// on the disk.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ashlar/table/inspect.h"
#include "ashlar/table/table_builder.h"
#include "ashlar/table/table_reader.h"
#include "test/support/folder.h"
#include "test/support/sparse_file.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

constexpr size_t kZeros = size_t{128} << 20;
constexpr int kLargeValues = 33;  // 4 GiB and 128 MiB
constexpr int kSmallValues = 2000;
constexpr uint64_t k4GiB = uint64_t{1} << 32;

std::string LargeKey(int i) { return "a" + std::to_string(1000 + i); }

void Build(const TableOptions& options, const std::string& path) {
  const auto file = NewSparseFile(path);
  auto builder = TableBuilder::Create(options, FixedBuild(), file.get());
  Require(builder.status());
  const std::string zeros(kZeros, '\0');
  for (int i = 0; i < kLargeValues; ++i) {
    Require((*builder)->Add(Value(LargeKey(i), 7, "").key, zeros));
  }
  for (const Entry& entry : SomeEntries(kSmallValues)) {
    Require((*builder)->Add(entry.key, entry.value));
  }
  Require((*builder)->Finish());
  Require(file->Close());
}

void ExpectSound(const TableReader& reader) {
  EXPECT_GT(reader.properties().data_size, k4GiB);
  EXPECT_GT(reader.properties().tail_start_offset, k4GiB);
  for (const Entry& entry : SomeEntries(kSmallValues)) {
    GetResult result;
    Require(reader.Get(UserKeyOf(entry.key), &result));
    ASSERT_EQ(result.value.ToString(), entry.value);
    Require(reader.Get(UserKeyOf(entry.key).ToString() + "x", &result));
    ASSERT_EQ(result.state, GetResult::State::kNotFound);
  }
  Iterator it = reader.NewIterator();
  it.SeekToLast();
  for (int i = kSmallValues; i > 0; --i) {
    ASSERT_TRUE(it.Valid()) << it.status().ToString();
    it.Prev();
  }
  ASSERT_TRUE(it.Valid()) << it.status().ToString();
  EXPECT_EQ(it.user_key().ToString(), LargeKey(kLargeValues - 1));
  EXPECT_EQ(it.value().size(), kZeros);
  EXPECT_GT(reader.ApproximateOffsetOf("key00001"), k4GiB);
}

// Expects blocks beyond 4 GiB of other kinds than data blocks, which
// ExpectSound has read.
void ExpectBlocksBeyond(const TableReader& reader) {
  TableInspection found;
  int beyond = 0;
  InspectOptions options;
  options.data_blocks = InspectOptions::DataBlocks::kList;
  Require(InspectTable(reader.file(), options, &found));
  for (const BlockInfo& block : found.blocks) {
    if (block.kind == BlockKind::kData) continue;
    EXPECT_TRUE(block.status.ok()) << block.status.ToString();
    beyond += block.offset > k4GiB ? 1 : 0;
  }
  EXPECT_GT(beyond, 5);
}

TEST(LargeFile, BlocksBeyond4GiB) {
  const TestFolder folder;
  for (const uint32_t version : {5u, 7u}) {
    SCOPED_TRACE(version);
    TableOptions options;
    options.format_version = version;
    options.compression = CompressionType::kNoCompression;
    options.block_size = 1024;
    options.metadata_block_size = 256;
    options.index_type = IndexType::kTwoLevelIndexSearch;
    options.partition_filters = true;
    const std::string path = folder / "large.sst";
    Build(options, path);
    EXPECT_LT(BytesOnDisk(path), kZeros / 4);
    auto reader = TableReader::Open(path);
    Require(reader.status());
    ExpectSound(**reader);
    ExpectBlocksBeyond(**reader);
  }
}

}  // namespace
}  // namespace ashlar::testing
