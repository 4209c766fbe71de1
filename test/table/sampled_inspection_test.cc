// Tests InspectTable when it decodes only some data blocks.

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "ashlar/table/inspect.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

std::string TableOfBlocks(CompressionType compression) {
  TableOptions options;
  options.compression = compression;
  options.compression_opts.max_compressed_bytes_per_kb = 1023;
  options.block_size = 100;
  return BuildTable(options, SomeEntries(60));
}

TableInspection InspectEveryThird(const std::string& table,
                                  std::set<uint64_t>* shown) {
  InspectOptions options;
  options.decodes_block = [](uint64_t index) { return index % 3 == 1; };
  options.on_entry = [shown](const BlockInfo& block, const Slice&,
                             const Slice&) {
    if (block.kind == BlockKind::kData) shown->insert(block.index);
  };
  TableInspection inspection;
  Require(InspectTable(*NewMemoryFile("t", table), options, &inspection));
  return inspection;
}

TEST(SampledInspection, ShowsTheChosenBlocksOnly) {
  for (const CompressionType compression :
       {CompressionType::kNoCompression, CompressionType::kZSTD}) {
    std::set<uint64_t> shown;
    const TableInspection found =
        InspectEveryThird(TableOfBlocks(compression), &shown);
    // The inspection does not report that the number of entries differs.
    EXPECT_TRUE(found.faults.empty());
    uint64_t data_blocks = 0;
    for (const BlockInfo& block : found.blocks) {
      if (block.kind != BlockKind::kData) continue;
      ++data_blocks;
      const bool chosen = block.index % 3 == 1;
      EXPECT_EQ(block.num_entries != 0, chosen) << block.index;
      EXPECT_EQ(shown.contains(block.index), chosen) << block.index;
    }
    EXPECT_GE(data_blocks, 6u);
  }
}

TEST(SampledInspection, ComparesTheChecksumsOfAllBlocks) {
  const std::string table = TableOfBlocks(CompressionType::kZSTD);
  std::set<uint64_t> shown;
  for (const BlockInfo& block : InspectEveryThird(table, &shown).blocks) {
    if (block.kind != BlockKind::kData) continue;
    std::string damaged = table;
    damaged[block.offset + 1] ^= 1;
    const TableInspection found = InspectEveryThird(damaged, &shown);
    ASSERT_EQ(found.faults.size(), 1u) << block.index;
    EXPECT_EQ(found.faults[0].index, block.index);
  }
}

// Counts the bytes that are read.
class MeteredFile final : public RandomAccessFile {
 public:
  explicit MeteredFile(std::string contents)
      : file_(NewMemoryFile("t.sst", std::move(contents))) {}
  Status Read(uint64_t offset, size_t n, char* scratch,
              Slice* data) const override {
    Status status = file_->Read(offset, n, scratch, data);
    bytes_ += data->size();
    return status;
  }
  uint64_t Size() const override { return file_->Size(); }
  std::string name() const override { return file_->name(); }
  uint64_t bytes() const { return bytes_; }

 private:
  const std::unique_ptr<RandomAccessFile> file_;
  mutable uint64_t bytes_ = 0;
};

TEST(InspectProperties, ReadsTheEndOfAFileOfAnySize) {
  TableOptions table;
  table.compression = CompressionType::kNoCompression;
  table.block_size = 64;
  const MeteredFile file(BuildTable(table, SomeEntries(100000)));
  InspectOptions options;
  options.data_blocks = InspectOptions::DataBlocks::kSkip;
  TableInspection found;
  Require(InspectTable(file, options, &found));
  EXPECT_TRUE(found.faults.empty());
  ASSERT_TRUE(found.properties.has_value());
  EXPECT_EQ(found.properties->num_entries, 100000u);
  // Index and filter alone are larger than what is read.
  ASSERT_GT(found.properties->index_size, 200000u);
  ASSERT_GT(found.properties->filter_size, 100000u);
  EXPECT_LE(file.bytes(), uint64_t{64} << 10);
}

// A table may have very many index and filter partitions, so an inspection must
// be able to stop among them.
TEST(InspectPartitions, GivesUpAmongThem) {
  TableOptions table;
  table.compression = CompressionType::kNoCompression;
  table.block_size = 64;
  table.index_type = IndexType::kTwoLevelIndexSearch;
  table.partition_filters = true;
  table.metadata_block_size = 64;
  const auto file = NewMemoryFile("t", BuildTable(table, SomeEntries(50000)));
  std::map<BlockKind, size_t> all;
  const auto inspect = [&file](int looks, std::map<BlockKind, size_t>* kinds) {
    InspectOptions options;
    options.on_block = [kinds](const BlockInfo& block) {
      ++(*kinds)[block.kind];
    };
    options.on_progress = [&looks](uint64_t, uint64_t) { return --looks >= 0; };
    TableInspection inspection;
    return InspectTable(*file, options, &inspection);
  };
  Require(inspect(1000000, &all));
  for (const BlockKind kind :
       {BlockKind::kIndexPartition, BlockKind::kFilterPartition}) {
    ASSERT_GT(all[kind], 600u);
    bool stopped_between = false;
    for (int looks = 0; looks < 400 && !stopped_between; ++looks) {
      std::map<BlockKind, size_t> kinds;
      EXPECT_TRUE(inspect(looks, &kinds).IsAborted());
      stopped_between = kinds[kind] > 0 && kinds[kind] < all[kind];
    }
    EXPECT_TRUE(stopped_between) << BlockKindName(kind);
  }
}

}  // namespace
}  // namespace ashlar::testing
