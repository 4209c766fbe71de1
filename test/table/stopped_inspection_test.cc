// Tests inspections that on_progress ends, at each look that they take at it:
// among blocks, partitions of index and filter, blobs, and blocks that are
// looked at to guess what the index names.

#include <gtest/gtest.h>

#include <string>

#include "ashlar/table/inspect.h"
#include "test/support/resign.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

// Returns the status of an inspection that is stopped at look number `stop`,
// and sets *looks to how many it took.
Status Inspected(const std::string& table, int stop, int* looks) {
  *looks = 0;
  InspectOptions options;
  options.on_progress = [&](uint64_t, uint64_t) { return ++*looks != stop; };
  TableInspection found;
  return InspectTable(*NewMemoryFile("test.sst", table), options, &found);
}

// Expects more looks than `least`, and an end at each of them.
void ExpectStopsAtEachLook(const std::string& table, int least) {
  int looks = 0;
  Require(Inspected(table, 0, &looks));
  EXPECT_GT(looks, least);
  for (int stop = 1; stop <= looks; ++stop) {
    SCOPED_TRACE(stop);
    int taken = 0;
    const Status status = Inspected(table, stop, &taken);
    EXPECT_TRUE(status.IsAborted()) << status.ToString();
    EXPECT_EQ(status.message(), "test.sst: stopped on request");
    EXPECT_EQ(taken, stop);
  }
}

// Each entry has a block of its own.
TableOptions SmallBlocks() {
  TableOptions options;
  options.format_version = 7;
  options.compression = CompressionType::kNoCompression;
  options.block_size = 1;
  options.filter = FilterType::kNone;
  return options;
}

TEST(StoppedInspection, AmongDataBlocks) {
  ExpectStopsAtEachLook(BuildTable(SmallBlocks(), SomeEntries(600)), 1);
}

TEST(StoppedInspection, AmongPartitions) {
  TableOptions options = SmallBlocks();
  options.filter = FilterType::kBloom;
  options.index_type = IndexType::kTwoLevelIndexSearch;
  options.partition_filters = true;
  options.metadata_block_size = 1;
  ExpectStopsAtEachLook(BuildTable(options, SomeEntries(600)), 5);
}

TEST(StoppedInspection, AmongBlobs) {
  TableOptions options = SmallBlocks();
  options.block_size = 4096;
  options.embedded_blob_options = {.enable = true, .min_blob_size = 10};
  std::vector<Entry> entries = SomeEntries(600);
  for (Entry& entry : entries) entry.value.resize(10, 'v');
  ExpectStopsAtEachLook(BuildTable(options, entries), 1);
}

// Nothing tells what the index names: there are no properties, and each data
// block is damaged.
TEST(StoppedInspection, AmongBlocksThatTellNothing) {
  for (const bool partitioned : {false, true}) {
    TableOptions options = SmallBlocks();
    if (partitioned) options.index_type = IndexType::kTwoLevelIndexSearch;
    options.metadata_block_size = 1 << 20;
    std::string table = BuildTable(options, SomeEntries(600));
    for (const BlockInfo& block : BlocksOf(table)) {
      if (block.kind == BlockKind::kData ||
          block.kind == BlockKind::kProperties) {
        table[block.offset] ^= 1;
      }
    }
    ExpectStopsAtEachLook(table, 1);
  }
}

}  // namespace
}  // namespace ashlar::testing
