#include "build_plan.h"

#include <algorithm>
#include <charconv>
#include <climits>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "adapter_state.h"
#include "ashlar/table/flush_block_policy.h"
#include "cache_usage.h"
#include "rocksdb/env.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/flush_block_policy.h"
#include "rocksdb/merge_operator.h"

namespace ashlar_rocksdb {

namespace {

using rocksdb::BlockBasedTableOptions;
using rocksdb::TableBuilderOptions;
using rocksdb::TableFileCreationReason;

// The rule of RocksDB's FlushBlockEveryKeyPolicyFactory.
class EveryKey final : public ashlar::FlushBlockPolicy {
 public:
  bool Update(const ashlar::Slice& /*internal_key*/,
              const ashlar::Slice& /*value*/) override {
    return true;
  }
};
class EveryKeyFactory final : public ashlar::FlushBlockPolicyFactory {
 public:
  std::unique_ptr<ashlar::FlushBlockPolicy> NewFlushBlockPolicy()
      const override {
    return std::make_unique<EveryKey>();
  }
};

// RocksDB's Ribbon policy writes Bloom filters above a level of the database.
// A flush counts as level -1, and an unknown level as the last one.
bool IsAboveLevel(const TableBuilderOptions& theirs, int bloom_before_level) {
  int level = INT_MAX - 1;
  const bool has_levels =
      theirs.reason != TableFileCreationReason::kMisc &&
      (theirs.ioptions.compaction_style == rocksdb::kCompactionStyleLevel ||
       theirs.ioptions.compaction_style == rocksdb::kCompactionStyleUniversal);
  if (has_levels && theirs.reason == TableFileCreationReason::kFlush) {
    level = -1;
  } else if (has_levels && theirs.level_at_creation >= 0) {
    level = theirs.level_at_creation;
  }
  return level < bloom_before_level;
}

// The built-in policies say what they are in their ids: "bloomfilter:9.9:false"
// and "ribbonfilter:9.9:3", with bits per key and the level.
void PlanFilter(const BlockBasedTableOptions& options,
                const TableBuilderOptions& theirs, BuildPlan* plan) {
  plan->table.filter = ashlar::FilterType::kNone;
  const bool no_filter_here =
      theirs.ioptions.optimize_filters_for_hits && theirs.is_bottommost;
  if (options.filter_policy == nullptr || no_filter_here) return;
  const std::string_view name = options.filter_policy->Name();
  const std::string id = options.filter_policy->GetId();
  const size_t colon = id.find(':');
  if ((name != "bloomfilter" && name != "ribbonfilter") ||
      colon == std::string::npos) {
    plan->obstacle = "the filter policy " + std::string(name);
    return;
  }
  // Whatever the locale of the application is, ids have a point.
  double bits = 0;
  const char* const end =
      std::from_chars(id.c_str() + colon + 1, id.c_str() + id.size(), bits).ptr;
  if (bits < 0.5) return;  // as RocksDB counts: no filter
  plan->table.bloom_bits_per_key = std::min(bits, 100.0);
  plan->table.filter = ashlar::FilterType::kBloom;
  if (name == "ribbonfilter") {
    const int bloom_before_level = std::atoi(*end == ':' ? end + 1 : end);
    if (!IsAboveLevel(theirs, bloom_before_level)) {
      plan->table.filter = ashlar::FilterType::kRibbon;
    }
  }
}

void PlanFlushPolicy(const BlockBasedTableOptions& options, BuildPlan* plan) {
  if (options.flush_block_policy_factory == nullptr) return;
  const std::string_view name = options.flush_block_policy_factory->Name();
  if (name == "FlushBlockEveryKeyPolicyFactory") {
    plan->table.flush_block_policy_factory =
        std::make_shared<EveryKeyFactory>();
  } else if (name != "FlushBlockBySizePolicyFactory") {
    plan->obstacle = "the flush block policy " + std::string(name);
  }
}

// RocksDB clips levels that a codec does not have; Ashlar refuses them.
int LevelFor(ashlar::CompressionType type, int level) {
  using ashlar::CompressionOptions;
  if (level == CompressionOptions::kDefaultLevel ||
      type == ashlar::CompressionType::kSnappyCompression ||
      type == ashlar::CompressionType::kBZip2Compression) {
    return CompressionOptions::kDefaultLevel;
  }
  const ashlar::CompressionLevelRange range = CompressionLevels(type);
  return std::clamp(level, range.min, range.max);
}

void PlanCompression(const TableBuilderOptions& theirs, BuildPlan* plan) {
  if (theirs.moptions.compression_manager != nullptr) {
    plan->obstacle = "a compression manager";
    return;
  }
  using ashlar::CompressionType;
  plan->table.sample_for_compression = theirs.moptions.sample_for_compression;
  const rocksdb::CompressionOptions& from = theirs.compression_opts;
  CompressionType& type = plan->table.compression;
  type = static_cast<CompressionType>(theirs.compression_type);
  ashlar::CompressionOptions& to = plan->table.compression_opts;
  to.max_compressed_bytes_per_kb =
      std::clamp(from.max_compressed_bytes_per_kb, 0, 1023);
  if (type == CompressionType::kNoCompression) return;
  if (!IsCompressionSupported(type)) {
    plan->obstacle = "a codec that Ashlar was built without";
    return;
  }
  to.level = LevelFor(type, from.level);
  to.max_dict_bytes = from.max_dict_bytes;
  to.max_dict_buffer_bytes = from.max_dict_buffer_bytes;
  if (type == CompressionType::kZlibCompression) {
    to.window_bits = from.window_bits;
    to.strategy = from.strategy;
  }
  if (type == CompressionType::kZSTD) {
    to.checksum = from.checksum;
    to.use_zstd_dict_trainer = from.use_zstd_dict_trainer;
    if (from.max_dict_bytes != 0) {
      to.zstd_max_train_bytes = from.zstd_max_train_bytes;
    }
  }
  plan->build.parallel_threads = std::clamp(from.parallel_threads, 1u, 32u);
}

void PlanBlocks(const BlockBasedTableOptions& from, ashlar::TableOptions* to) {
  to->format_version = from.format_version;
  to->block_size = from.block_size;
  to->block_size_deviation = from.block_size_deviation;
  to->block_restart_interval = from.block_restart_interval;
  to->index_type = static_cast<ashlar::IndexType>(from.index_type);
  to->index_block_restart_interval = from.index_block_restart_interval;
  to->metadata_block_size = from.metadata_block_size;
  to->uniform_cv_threshold = from.uniform_cv_threshold;
  to->use_delta_encoding = from.use_delta_encoding;
  to->data_block_index_type =
      static_cast<ashlar::DataBlockIndexType>(from.data_block_index_type);
  to->data_block_hash_table_util_ratio = from.data_block_hash_table_util_ratio;
  to->separate_key_value_in_data_block = from.separate_key_value_in_data_block;
  to->block_align = from.block_align;
  to->super_block_alignment_size = from.super_block_alignment_size;
  to->super_block_alignment_space_overhead_ratio =
      from.super_block_alignment_space_overhead_ratio;
  to->index_shortening =
      static_cast<ashlar::IndexShortening>(from.index_shortening);
  to->enable_index_compression = from.enable_index_compression;
  to->verify_compression = from.verify_compression;
  to->checksum = static_cast<ashlar::ChecksumType>(from.checksum);
  to->optimize_filters_for_memory = from.optimize_filters_for_memory;
  to->detect_filter_construct_corruption =
      from.detect_filter_construct_corruption;
  to->whole_key_filtering = from.whole_key_filtering;
  // RocksDB ignores the option for other indexes.
  to->partition_filters =
      from.partition_filters &&
      from.index_type == BlockBasedTableOptions::kTwoLevelIndexSearch;
  to->decouple_partitioned_filters = from.decouple_partitioned_filters;
}

void PlanIdentity(const TableBuilderOptions& theirs,
                  ashlar::BuildOptions* build) {
  ashlar::TableIdentity& identity = build->identity;
  identity.db_id = theirs.db_id;
  identity.db_session_id = theirs.db_session_id;
  identity.file_number = theirs.cur_file_num;
  identity.db_host_id = theirs.ioptions.db_host_id;
  if (identity.db_host_id == rocksdb::kHostnameForDbHostId) {
    std::string host;
    const rocksdb::Status status =
        theirs.ioptions.env->GetHostNameString(&host);
    identity.db_host_id = status.ok() ? host : std::string();
  }
  identity.creation_time = 0;  // SetSeqnoTimeTableProperties sets it
  identity.file_creation_time = theirs.file_creation_time;
  identity.oldest_key_time =
      static_cast<uint64_t>(std::max<int64_t>(theirs.oldest_key_time, 0));
  identity.newest_key_time =
      static_cast<uint64_t>(std::max<int64_t>(theirs.newest_key_time, 0));
  build->column_family_id = theirs.column_family_id;
  build->column_family_name = theirs.column_family_name;
  build->level_at_creation = theirs.level_at_creation;
  build->num_levels = theirs.ioptions.num_levels;
  if (theirs.ioptions.merge_operator != nullptr) {
    build->merge_operator_name = theirs.ioptions.merge_operator->Name();
  }
  build->target_file_size = theirs.target_file_size;
}

void PlanCache(const BlockBasedTableOptions& options,
               const TableBuilderOptions& theirs, ashlar::BuildOptions* build) {
  if (options.no_block_cache) return;
  build->block_cache = AdapterState::Shared().FindCache(options.block_cache);
  if (build->block_cache == nullptr) return;
  build->cache_usage_options = CacheUsageFrom(options.cache_usage_options);
  if (options.block_cache->HasStrictCapacityLimit()) {
    // Ashlar's builder fails if there is no room for what it charges. RocksDB's
    // goes on with the filter, and a flush must not fail for it.
    build->cache_usage_options
        .options_overrides[ashlar::CacheEntryRole::kFilterConstruction]
        .charged = ashlar::CacheEntryRoleOptions::Decision::kDisabled;
  }
  using Prepopulate = BlockBasedTableOptions::PrepopulateBlockCache;
  const Prepopulate when = options.prepopulate_block_cache;
  build->prepopulate_block_cache =
      (theirs.reason == TableFileCreationReason::kFlush &&
       when != Prepopulate::kDisable) ||
      (theirs.reason == TableFileCreationReason::kCompaction &&
       when == Prepopulate::kFlushAndCompaction);
  if (theirs.reason == TableFileCreationReason::kCompaction) {
    build->prepopulate_cache_priority = ashlar::CachePriority::kBottom;
  }
}

}  // namespace

BuildPlan PlanBuild(const BlockBasedTableOptions& options,
                    const TableBuilderOptions& theirs) {
  BuildPlan plan;
  AdapterState& state = AdapterState::Shared();
  plan.table.comparator =
      state.FindComparator(theirs.internal_comparator.user_comparator());
  if (plan.table.comparator->timestamp_size() > 0) {
    plan.table.persist_user_defined_timestamps =
        theirs.ioptions.persist_user_defined_timestamps;
  }
  plan.table.prefix_extractor =
      state.FindPrefixExtractor(theirs.moptions.prefix_extractor);
  PlanBlocks(options, &plan.table);
  if (theirs.internal_comparator.user_comparator()
          ->CanKeysWithDifferentByteContentsBeEqual()) {
    // A hash of the bytes would miss keys that are equal.
    plan.table.data_block_index_type =
        ashlar::DataBlockIndexType::kDataBlockBinarySearch;
  }
  PlanIdentity(theirs, &plan.build);
  PlanFlushPolicy(options, &plan);
  if (plan.obstacle.empty()) PlanFilter(options, theirs, &plan);
  if (plan.obstacle.empty()) PlanCompression(theirs, &plan);
  if (plan.table.filter == ashlar::FilterType::kNone) {
    plan.table.partition_filters = false;
    plan.table.detect_filter_construct_corruption = false;
  }
  PlanCache(options, theirs, &plan.build);
  plan.build.statistics = state.FindStatistics(theirs.ioptions.statistics);
  if (theirs.embedded_blob_options != nullptr) {
    plan.obstacle = "embedded blobs";
  } else if (options.user_defined_index_factory != nullptr ||
             options.use_udi_as_primary_index) {
    plan.obstacle = "a user-defined index";
  }
  if (!plan.obstacle.empty()) return plan;
  const ashlar::Status status = plan.table.Validate();
  if (!status.ok()) plan.obstacle = status.ToString();
  return plan;
}

}  // namespace ashlar_rocksdb
