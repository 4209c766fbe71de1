// Threads that read a table at once whose index and filter are not loaded yet:
// each block of them is read from the file once.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>

#include "ashlar/cache/cache_options.h"
#include "ashlar/table/inspect.h"
#include "ashlar/table/table_reader.h"
#include "test/support/gated_file.h"
#include "test/support/run_together.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

constexpr int kEntries = 2000;
constexpr int kThreads = 8;

std::string TableOf(bool partitioned) {
  TableOptions options;
  options.block_size = 512;
  options.filter = FilterType::kBloom;
  options.metadata_block_size = 512;
  if (partitioned) {
    options.index_type = IndexType::kTwoLevelIndexSearch;
    options.partition_filters = true;
  }
  return BuildTable(options, SomeEntries(kEntries), FixedBuild());
}

ReaderOptions Late(bool cached) {
  ReaderOptions options;
  options.load_index_and_filter = LoadTime::kAtFirstUse;
  if (cached) {
    options.block_cache =
        std::move(NewLruCache({.capacity = size_t{4} << 20})).value();
    options.cache_index_and_filter_blocks = true;
  }
  return options;
}

std::unique_ptr<TableReader> OpenGated(const std::string& table, bool cached,
                                       Gates* gates) {
  auto opened = TableReader::Open(std::make_unique<GatedFile>(table, gates),
                                  Late(cached));
  Require(opened.status());
  return std::move(opened).value();
}

bool IsOf(const BlockInfo& block, BlockKind whole, BlockKind partition) {
  return block.kind == whole || block.kind == partition;
}

TableInspection Inspect(const std::string& table) {
  TableInspection inspection;
  Require(InspectTable(*NewMemoryFile("t.sst", table), {}, &inspection));
  return inspection;
}

// Threads begin with different keys, so that they want partitions in different
// orders.
std::string ReadAll(const TableReader& reader,
                    const std::vector<std::string>& keys, int thread) {
  for (int i = 0; i < kEntries; i += 7) {
    const int n = (i + thread * kEntries / kThreads) % kEntries;
    GetResult result;
    const Status status = reader.Get(keys[static_cast<size_t>(n)], &result);
    if (!status.ok()) return status.ToString();
    if (result.value.slice() != Slice("value" + std::to_string(n))) {
      return "wrong value of " + keys[static_cast<size_t>(n)];
    }
  }
  return "";
}

std::vector<std::string> Keys() {
  std::vector<std::string> keys;
  for (const Entry& entry : SomeEntries(kEntries)) {
    keys.push_back(entry.key.substr(0, 8));
  }
  return keys;
}

TEST(LatePartsTogether, EachBlockIsReadOnce) {
  const std::vector<std::string> keys = Keys();
  for (const bool partitioned : {false, true}) {
    const std::string table = TableOf(partitioned);
    const TableInspection inspection = Inspect(table);
    for (const bool cached : {false, true}) {
      for (int round = 0; round < 20; ++round) {
        SCOPED_TRACE(std::string(partitioned ? "partitioned " : "whole ") +
                     (cached ? "in the cache" : ""));
        Gates gates;
        const auto reader = OpenGated(table, cached, &gates);
        RunTogether(kThreads, [&](int t) { return ReadAll(*reader, keys, t); });
        int blocks = 0;
        for (const BlockInfo& block : inspection.blocks) {
          if (!IsOf(block, BlockKind::kIndex, BlockKind::kIndexPartition) &&
              !IsOf(block, BlockKind::kFilter, BlockKind::kFilterPartition)) {
            continue;
          }
          ++blocks;
          // Claims of partitions may meet in one place, and are then none.
          if (cached && partitioned && block.kind != BlockKind::kIndex) {
            continue;
          }
          EXPECT_EQ(gates.Reads(block.offset), 1)
              << BlockKindName(block.kind) << " at " << block.offset;
        }
        EXPECT_EQ(blocks > 2, partitioned);
      }
    }
  }
}

// One thread reads the index, which is held up. Another one needs it too. The
// read fails: the first thread gets the error, and the other one reads again.
TEST(LatePartsTogether, AnErrorIsThatOfTheThreadThatRead) {
  const std::string table = TableOf(false);
  uint64_t index = 0;
  for (const BlockInfo& block : Inspect(table).blocks) {
    if (block.kind == BlockKind::kIndex) index = block.offset;
  }
  for (const bool cached : {false, true}) {
    Gates gates;
    const auto reader = OpenGated(table, cached, &gates);
    gates.Hold(index);
    gates.Fail(index);
    const auto get = [&reader] {
      GetResult result;
      return reader->Get("key00007", &result);
    };
    Status first;
    Status second;
    std::thread a([&] { first = get(); });
    gates.AwaitReads(index, 1);
    std::thread b([&] { second = get(); });
    gates.Open();
    a.join();
    b.join();
    EXPECT_TRUE(first.IsIOError()) << first.ToString();
    EXPECT_TRUE(second.ok()) << second.ToString();
    EXPECT_EQ(gates.Reads(index), 2);
  }
}

}  // namespace
}  // namespace ashlar::testing
