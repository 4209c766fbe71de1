// Tests building without memory. Each allocation fails once, and then all
// allocations from each one on. The result is either the same file as always or
// MemoryLimit, and no temporary file is left in the folder.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ashlar/cache/cache_options.h"
#include "ashlar/cache/memory_reservation.h"
#include "ashlar/table/entry/wide_columns.h"
#include "ashlar/table/external_file_writer.h"
#include "ashlar/util/compression.h"
#include "ashlar/util/worker_pool.h"
#include "test/support/folder.h"
#include "test/support/scarcity.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

// Allocates nothing when it is written to.
class FixedFile : public WritableFile {
 public:
  FixedFile() { bytes_.reserve(size_t{4} << 20); }
  Status Append(const Slice& data) override {
    bytes_.append(data.data(), data.size());
    return {};
  }
  Status Sync() override { return {}; }
  Status Close() override { return {}; }
  std::string name() const override { return "test.sst"; }
  void Clear() { bytes_.clear(); }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

struct Plan {
  std::string name;
  TableOptions table;
  uint32_t workers = 0;
  int entries = 400;
  uint64_t stride = 1;
};

TableOptions SmallBlocks(CompressionType codec) {
  TableOptions options;
  options.block_size = 512;
  options.metadata_block_size = 256;
  options.compression = codec;
  return options;
}

std::vector<Plan> Plans() {
  std::vector<Plan> plans;
  for (const CompressionType codec : SupportedCompressionTypes()) {
    plans.push_back(
        {std::string(CompressionTypeName(codec)), SmallBlocks(codec)});
  }
  const CompressionType codec = DefaultCompressionType();
  for (const uint32_t workers : {0u, 2u}) {
    Plan dictionary{"dictionary", SmallBlocks(codec), workers, 3000, 5};
    dictionary.table.compression_opts.max_dict_bytes = 2048;
    dictionary.table.compression_opts.zstd_max_train_bytes = 16384;
    Plan partitioned{"partitioned", SmallBlocks(codec), workers, 3000, 3};
    partitioned.table.index_type = IndexType::kTwoLevelIndexSearch;
    partitioned.table.partition_filters = true;
    partitioned.table.filter = FilterType::kRibbon;
    Plan hash{"hash", SmallBlocks(codec), workers, 400, 1};
    hash.table.index_type = IndexType::kHashSearch;
    hash.table.prefix_extractor = NewFixedPrefixExtractor(4);
    hash.table.data_block_index_type =
        DataBlockIndexType::kDataBlockBinaryAndHash;
    Plan many{"many", SmallBlocks(codec), workers, 40000, 11};
    many.table.block_size = 4096;
    Plan ribbon{"ribbon", SmallBlocks(codec), workers, 40000, 11};
    ribbon.table.block_size = 4096;
    ribbon.table.filter = FilterType::kRibbon;
    plans.insert(plans.end(), {dictionary, partitioned, hash, many, ribbon});
  }
  return plans;
}

TEST(ScarceBuilds, TableBuilder) {
  for (const Plan& plan : Plans()) {
    SCOPED_TRACE(plan.name + ", " + std::to_string(plan.workers) + " workers");
    const std::vector<Entry> entries = SomeEntries(plan.entries);
    BuildOptions build = FixedBuild();
    build.workers = plan.workers;
    const std::string expected = BuildTable(plan.table, entries, FixedBuild());
    FixedFile file;
    const ScarcityCounts counts = ForEachFailure(
        [&] {
          file.Clear();
          auto builder = TableBuilder::Create(plan.table, build, &file);
          if (!builder.ok()) return builder.status();
          for (const Entry& entry : entries) {
            Status added = (*builder)->Add(entry.key, entry.value);
            if (added.ok()) continue;
            // The error stays, also after there is memory again.
            FailingMemory::Disarm();
            EXPECT_TRUE((*builder)->Finish().IsMemoryLimit());
            EXPECT_TRUE((*builder)->status().IsMemoryLimit());
            return added;
          }
          return (*builder)->Finish();
        },
        [&] { EXPECT_TRUE(file.bytes() == expected); }, plan.stride);
    EXPECT_GT(counts.failures, 10u);
  }
}

TEST(ScarceBuilds, PoolThatIsShared) {
  WorkerPool pool(3);
  BuildOptions build = FixedBuild();
  build.workers = 3;
  build.worker_pool = &pool;
  const TableOptions options = SmallBlocks(DefaultCompressionType());
  const std::vector<Entry> entries = SomeEntries(8000);
  const std::string expected = BuildTable(options, entries, FixedBuild());
  FixedFile file;
  ForEachFailure(
      [&] {
        file.Clear();
        auto builder = TableBuilder::Create(options, build, &file);
        if (!builder.ok()) return builder.status();
        for (const Entry& entry : entries) {
          Status added = (*builder)->Add(entry.key, entry.value);
          if (!added.ok()) return added;
        }
        return (*builder)->Finish();
      },
      [&] { EXPECT_TRUE(file.bytes() == expected); }, 3);
}

TEST(ScarceBuilds, ExternalFile) {
  const TestFolder folder;
  const std::string path = folder / "made.sst";
  const std::string long_key(300, 'k');
  const std::vector<WideColumn> columns = {{"a", "1"}, {"b", "2"}};
  bool made = false;
  ForEachFailure(
      [&] {
        made = false;
        AtomicFile::Options options;
        options.overwrite = true;
        auto writer = ExternalFileWriter::Open(path, {}, {}, options);
        if (!writer.ok()) return writer.status();
        Status status = (*writer)->Put("a", "value");
        if (status.ok()) status = (*writer)->DeleteRange("b", long_key);
        if (status.ok()) status = (*writer)->PutEntity("c", columns);
        if (status.ok()) status = (*writer)->Finish();
        made = status.ok();
        return status;
      },
      [&] {
        EXPECT_TRUE(made);
        EXPECT_EQ(folder.Names(), std::vector<std::string>{"made.sst"});
      });
  EXPECT_EQ(folder.Names(), std::vector<std::string>{"made.sst"});
}

TEST(ScarceBuilds, SmallThings) {
  ForEachFailure([] { return NewHyperClockCache({}).status(); }, [] {});
  ForEachFailure([] { return NewLruCache({.capacity = 4096}).status(); },
                 [] {});
  ForEachFailure([] { return TableOptions::TargetRocksDB("7.8").status(); },
                 [] {});
  ForEachFailure([] { return ParseCompressionType("zstd").status(); }, [] {});
  const auto cache = NewLruCache({.capacity = size_t{8} << 20}).value();
  ForEachFailure(
      [&] {
        MemoryReservation reservation(cache, CacheEntryRole::kMisc);
        Status status = reservation.UpdateTo(size_t{3} << 20);
        if (status.ok()) status = reservation.UpdateTo(size_t{1} << 20);
        return status;
      },
      [&] { EXPECT_EQ(cache->GetUsage(), 0u); });
  EXPECT_EQ(cache->GetUsage(), 0u);
  const std::vector<WideColumn> columns = {{"a", "1"}, {"b", "2"}};
  std::string entity;
  ForEachFailure(
      [&] {
        entity = std::string();
        std::vector<WideColumn> given;
        try {
          given = columns;
        } catch (const std::bad_alloc&) {
          return Status::OutOfMemory();
        }
        return EncodeWideColumns(std::move(given), &entity);
      },
      [] {});
}

// A status keeps its code, also if there is no memory for its message.
TEST(ScarceBuilds, StatusNeedsNoMemory) {
  const std::string text(100, 'x');
  FailingMemory::Arm(1, FailureMode::kFromThere);
  const Status made =
      Status::Corruption(text, Status::SubCode::kAboveSizeLimit);
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization)
  const Status copied = made;
  const Status prefixed = made.WithPrefix("file");
  const Status from_errno = Status::FromErrno("open", text, ENOENT);
  const Status none = Status::OutOfMemory();
  EXPECT_TRUE(FailingMemory::Disarm());
  for (const Status& status : {made, copied, prefixed}) {
    EXPECT_TRUE(status.IsCorruption());
    EXPECT_EQ(status.subcode(), Status::SubCode::kAboveSizeLimit);
    EXPECT_EQ(status.message(), "there was no memory for the message");
  }
  EXPECT_TRUE(from_errno.IsIOError());
  EXPECT_EQ(from_errno.subcode(), Status::SubCode::kPathNotFound);
  EXPECT_TRUE(none.IsMemoryLimit());
  EXPECT_EQ(none.message(), "out of memory");
  EXPECT_EQ(none.WithPrefix("a.sst").ToString(),
            "Memory limit: a.sst: out of memory");
}

}  // namespace
}  // namespace ashlar::testing
