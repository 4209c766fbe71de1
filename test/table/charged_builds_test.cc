// Tests what builds charge to a block cache, role by role: that it is charged
// and given back, that a strict cache fails builds with MemoryLimit, and that
// nothing stays charged whichever charge is refused.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ashlar/cache/cache_options.h"
#include "ashlar/table/external_file_writer.h"
#include "test/support/folder.h"
#include "test/support/refusing_cache.h"
#include "test/support/run_together.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

using Decision = CacheEntryRoleOptions::Decision;

constexpr size_t kMiB = size_t{1} << 20;
constexpr CacheEntryRole kBuildRoles[] = {
    CacheEntryRole::kWriteBuffer,
    CacheEntryRole::kCompressionDictionaryBuildingBuffer,
    CacheEntryRole::kFilterConstruction};

std::shared_ptr<Cache> MakeCache(size_t capacity, bool strict) {
  LruCacheOptions options;
  options.capacity = capacity;
  options.num_shard_bits = 0;
  options.strict_capacity_limit = strict;
  options.metadata_charge_policy = CacheMetadataChargePolicy::kDontCharge;
  return NewLruCache(options).value();
}

CacheUsageOptions Only(CacheEntryRole role) {
  CacheUsageOptions usage;
  usage.options.charged = Decision::kDisabled;
  usage.options_overrides[role].charged = Decision::kEnabled;
  return usage;
}
CacheUsageOptions All() {
  CacheUsageOptions usage;
  usage.options.charged = Decision::kEnabled;
  return usage;
}

// Tables that take every kind of memory that a builder charges.
struct Plan {
  std::string name;
  TableOptions table;
  uint32_t workers = 0;
};
std::vector<Plan> Plans() {
  std::vector<Plan> plans;
  for (const uint32_t workers : {0u, 2u}) {
    Plan ribbon{"ribbon", {}, workers};
    ribbon.table.filter = FilterType::kRibbon;
    Plan dictionary{"dictionary", {}, workers};
    dictionary.table.compression_opts.max_dict_bytes = 4096;
    dictionary.table.compression_opts.max_dict_buffer_bytes = kMiB;
    Plan partitioned{"partitioned", {}, workers};
    partitioned.table.index_type = IndexType::kTwoLevelIndexSearch;
    partitioned.table.partition_filters = true;
    Plan coupled = dictionary;
    coupled.name = "coupled";
    coupled.table.index_type = IndexType::kTwoLevelIndexSearch;
    coupled.table.partition_filters = true;
    coupled.table.decouple_partitioned_filters = false;
    plans.insert(
        plans.end(),
        {{"plain", {}, workers}, ribbon, dictionary, partitioned, coupled});
  }
  return plans;
}

const std::vector<Entry>& Entries() {
  static const std::vector<Entry> entries = SomeEntries(60000);
  return entries;
}

Status Build(const Plan& plan, const std::shared_ptr<Cache>& cache,
             const CacheUsageOptions& usage, std::string* bytes) {
  bytes->clear();
  const auto file = NewMemoryWritableFile("test.sst", bytes);
  BuildOptions build = FixedBuild();
  build.workers = plan.workers;
  build.block_cache = cache;
  build.cache_usage_options = usage;
  auto builder = TableBuilder::Create(plan.table, build, file.get());
  if (!builder.ok()) return builder.status();
  for (const Entry& entry : Entries()) {
    Status added = (*builder)->Add(entry.key, entry.value);
    if (!added.ok()) return added;
  }
  return (*builder)->Finish();
}

TEST(ChargedBuilds, ARoleIsChargedAndGivenBack) {
  for (const Plan& plan : Plans()) {
    for (const CacheEntryRole role : kBuildRoles) {
      SCOPED_TRACE(plan.name + ", " + std::string(CacheEntryRoleName(role)));
      const bool has_dictionary =
          plan.table.compression_opts.max_dict_bytes != 0;
      const bool is_dictionary =
          role == CacheEntryRole::kCompressionDictionaryBuildingBuffer;
      const auto refusing =
          std::make_shared<RefusingCache>(MakeCache(256 * kMiB, true));
      std::string bytes;
      EXPECT_TRUE(Build(plan, refusing, Only(role), &bytes).ok());
      EXPECT_EQ(refusing->inserts() != 0, !is_dictionary || has_dictionary);
      EXPECT_EQ(refusing->inserts(role), refusing->inserts());
      EXPECT_EQ(refusing->GetUsage(), 0u);
      EXPECT_EQ(refusing->GetOccupancyCount(), 0u);
      EXPECT_TRUE(bytes == BuildTable(plan.table, Entries()));
    }
  }
}

TEST(ChargedBuilds, StatisticsShowTheRoles) {
  const auto cache = MakeCache(256 * kMiB, true);
  std::string bytes;
  const auto file = NewMemoryWritableFile("test.sst", &bytes);
  BuildOptions build = FixedBuild();
  build.block_cache = cache;
  build.cache_usage_options = All();
  auto builder = TableBuilder::Create({}, build, file.get());
  Require(builder.status());
  for (const Entry& entry : Entries()) {
    Require((*builder)->Add(entry.key, entry.value));
  }
  const CacheEntryStats stats = cache->CollectEntryStats();
  for (const CacheEntryRole role :
       {CacheEntryRole::kWriteBuffer, CacheEntryRole::kFilterConstruction}) {
    EXPECT_GT(stats.of(role).count, 0u);
    EXPECT_GE(stats.of(role).charge, 256u << 10);
    EXPECT_NE(stats.ToString().find(CacheEntryRoleName(role)),
              std::string::npos);
  }
  EXPECT_GE(stats.of(CacheEntryRole::kFilterConstruction).charge,
            Entries().size() * 8);
  builder = Status::InvalidArgument("ended");
  EXPECT_EQ(cache->GetUsage(), 0u);
}

// The n-th piece is refused, for all n. Blocks that wait for a dictionary are
// then stored; everything else fails the build.
TEST(ChargedBuilds, NothingStaysChargedWhicheverChargeIsRefused) {
  for (const Plan& plan : Plans()) {
    SCOPED_TRACE(plan.name + ", " + std::to_string(plan.workers) + " workers");
    const auto cache =
        std::make_shared<RefusingCache>(MakeCache(256 * kMiB, true));
    int refused = 0;
    for (uint64_t n = 1;; ++n) {
      cache->RefuseFrom(n);
      std::string bytes;
      const Status built = Build(plan, cache, All(), &bytes);
      EXPECT_EQ(cache->GetUsage(), 0u);
      if (cache->inserts() < n) {
        EXPECT_TRUE(built.ok()) << built.ToString();
        break;
      }
      ++refused;
      if (built.ok()) {
        // Only a dictionary may be done without.
        EXPECT_NE(plan.table.compression_opts.max_dict_bytes, 0u);
      } else {
        EXPECT_TRUE(built.IsMemoryLimit()) << built.ToString();
        EXPECT_NE(built.message().find("no room in the block cache to charge"),
                  std::string::npos);
        EXPECT_NE(built.message().find("capacity 268435456"),
                  std::string::npos);
      }
    }
    EXPECT_GE(refused, 2);
  }
}

// As RocksDB: the dictionary is made of the blocks that there are.
TEST(ChargedBuilds, WithoutRoomBlocksNoLongerWaitForADictionary) {
  for (Plan plan : Plans()) {
    if (plan.table.compression_opts.max_dict_bytes == 0) continue;
    SCOPED_TRACE(plan.name + ", " + std::to_string(plan.workers) + " workers");
    plan.table.compression_opts.max_dict_buffer_bytes = 0;
    for (const uint64_t pieces : {0, 1, 2}) {
      const auto cache =
          std::make_shared<RefusingCache>(MakeCache(256 * kMiB, true));
      cache->RefuseFrom(pieces + 1);
      std::string bytes;
      Require(Build(plan, cache,
                    Only(CacheEntryRole::kCompressionDictionaryBuildingBuffer),
                    &bytes));
      EXPECT_EQ(cache->GetUsage(), 0u);
      std::vector<Entry> read;
      Require(ReadForward(*OpenTable(bytes), {}, &read));
      EXPECT_TRUE(read == Entries());
    }
  }
}

TEST(ChargedBuilds, StrictCacheFailsTheBuildAndLeavesNoFile) {
  const TestFolder folder;
  BuildOptions build = FixedBuild();
  build.block_cache = MakeCache(kMiB, true);
  build.cache_usage_options = All();
  auto writer = ExternalFileWriter::Open(folder / "made.sst", {}, build);
  Status status = writer.status();
  for (int i = 0; status.ok() && i < 1'000'000; ++i) {
    status = (*writer)->Put(std::to_string(10'000'000 + i), "value");
  }
  ASSERT_TRUE(status.IsMemoryLimit()) << status.ToString();
  EXPECT_NE(status.message().find("FilterConstruction"), std::string::npos);
  // The error stays.
  EXPECT_TRUE((*writer)->Finish().IsMemoryLimit());
  writer = Status::InvalidArgument("ended");
  EXPECT_TRUE(folder.Names().empty());
  EXPECT_EQ(build.block_cache->GetUsage(), 0u);
}

TEST(ChargedBuilds, BuildsShareOneCache) {
  const auto cache = MakeCache(6 * kMiB, true);
  const std::vector<Plan> plans = Plans();
  RunTogether(4, [&](int thread) {
    for (size_t i = 0; i < plans.size(); ++i) {
      std::string bytes;
      const Plan& plan =
          plans[(i + static_cast<size_t>(thread)) % plans.size()];
      const Status built = Build(plan, cache, All(), &bytes);
      if (!built.ok() && !built.IsMemoryLimit()) return built.ToString();
    }
    return std::string();
  });
  EXPECT_EQ(cache->GetUsage(), 0u);
  EXPECT_EQ(cache->GetOccupancyCount(), 0u);
}

TEST(ChargedBuilds, OptionsAreChecked) {
  std::string bytes;
  const auto file = NewMemoryWritableFile("test.sst", &bytes);
  const auto create = [&](const std::shared_ptr<Cache>& cache,
                          const CacheUsageOptions& usage) {
    BuildOptions build = FixedBuild();
    build.block_cache = cache;
    build.cache_usage_options = usage;
    return TableBuilder::Create({}, build, file.get()).status();
  };
  EXPECT_TRUE(create(nullptr, {}).ok());
  EXPECT_EQ(create(nullptr, All()).message(),
            "cache_usage_options: options.charged is kEnabled, but block_cache "
            "is null");
  const Status none = create(nullptr, Only(CacheEntryRole::kFileMetadata));
  EXPECT_TRUE(none.IsInvalidArgument());
  EXPECT_EQ(none.message(),
            "cache_usage_options: kFileMetadata is kEnabled, but block_cache "
            "is null");
  const auto cache = MakeCache(kMiB, true);
  const Status data = create(cache, Only(CacheEntryRole::kDataBlock));
  EXPECT_TRUE(data.IsNotSupported());
  EXPECT_EQ(data.message(),
            "cache_usage_options: kDataBlock cannot be charged: leave it "
            "kFallback");
  // A role that this release does not know has no name.
  EXPECT_EQ(create(cache, Only(static_cast<CacheEntryRole>(200))).message(),
            "cache_usage_options: role 200 cannot be charged: leave it "
            "kFallback");
}

TEST(ChargedBuilds, Defaults) {
  const CacheUsageOptions defaults;
  for (size_t i = 0; i < kCacheEntryRoles; ++i) {
    const auto role = static_cast<CacheEntryRole>(i);
    EXPECT_EQ(defaults.Charges(role),
              role == CacheEntryRole::kWriteBuffer ||
                  role == CacheEntryRole::kCompressionDictionaryBuildingBuffer);
  }
  CacheUsageOptions usage = All();
  EXPECT_TRUE(usage.Charges(CacheEntryRole::kFilterConstruction));
  EXPECT_FALSE(usage.Charges(CacheEntryRole::kDataBlock));
  usage.options_overrides[CacheEntryRole::kFilterConstruction].charged =
      Decision::kDisabled;
  EXPECT_FALSE(usage.Charges(CacheEntryRole::kFilterConstruction));
}

}  // namespace
}  // namespace ashlar::testing
