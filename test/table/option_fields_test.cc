// Tests that no option is forgotten in the table of options.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "ashlar/cache/cache_options.h"
#include "ashlar/table/filter_policy.h"
#include "ashlar/table/flush_block_policy.h"
#include "ashlar/table/option_table.h"
#include "ashlar/table/statistics.h"
#include "ashlar/util/custom_codec.h"
#include "ashlar/util/file_checksum.h"
#include "ashlar/util/worker_pool.h"
#include "test/support/option_bounds.h"

namespace ashlar::testing {
namespace {

// FieldsOf returns references to all fields of a struct of options. A
// structured binding must name every field, so a new field makes this file fail
// to compile. Add the field here, and a row for it in table/option_rows.cc. If
// its value is no switch, number or name, it has no row: then set it in
// OptionFields.EachHasARow, and name it at the top of table/option_table.h.
#define ASHLAR_FIELDS(options, ...)      \
  const auto& [__VA_ARGS__] = (options); \
  return std::tie(__VA_ARGS__)

auto FieldsOf(const CompressionOptions& options) {
  ASHLAR_FIELDS(options, level, window_bits, strategy,
                max_compressed_bytes_per_kb, checksum, max_dict_bytes,
                zstd_max_train_bytes, max_dict_buffer_bytes,
                use_zstd_dict_trainer);
}
auto FieldsOf(const TableIdentity& options) {
  ASHLAR_FIELDS(options, db_id, db_session_id, db_host_id, file_number,
                creation_time, file_creation_time, oldest_key_time,
                newest_key_time, base_context_checksum);
}
auto FieldsOf(const EmbeddedBlobOptions& options) {
  ASHLAR_FIELDS(options, enable, min_blob_size);
}
auto FieldsOf(const TableOptions& options) {
  ASHLAR_FIELDS(
      options, comparator, persist_user_defined_timestamps, format_version,
      block_size, block_size_deviation, flush_block_policy_factory,
      block_restart_interval, index_type, index_block_restart_interval,
      metadata_block_size, uniform_cv_threshold, use_delta_encoding,
      data_block_index_type, data_block_hash_table_util_ratio,
      separate_key_value_in_data_block, embedded_blob_options, block_align,
      super_block_alignment_size, super_block_alignment_space_overhead_ratio,
      index_shortening, compression, compression_opts, codec,
      enable_index_compression, verify_compression, sample_for_compression,
      checksum, filter, filter_policy, bloom_bits_per_key,
      optimize_filters_for_memory, detect_filter_construct_corruption,
      whole_key_filtering, partition_filters, decouple_partitioned_filters,
      prefix_extractor, target_rocksdb);
}
auto FieldsOf(const BuildOptions& options) {
  ASHLAR_FIELDS(
      options, identity, parallel_threads, workers, worker_pool,
      column_family_id, column_family_name, level_at_creation, num_levels,
      merge_operator_name, external_file, target_file_size, user_properties,
      table_properties_collector_factories, file_checksum_gen_factory,
      block_cache, cache_usage_options, prepopulate_block_cache,
      prepopulate_cache_priority, keep_tail, statistics, seqno_to_time);
}
auto FieldsOf(const ReaderOptions& options) {
  ASHLAR_FIELDS(options, comparator, allow_unknown_comparator, allow_mmap_reads,
                use_direct_reads, max_auto_readahead_size,
                initial_auto_readahead_size, num_file_reads_for_auto_readahead,
                load_index_and_filter, tail_size, cache_index_and_filter_blocks,
                cache_index_and_filter_blocks_with_high_priority,
                unpartitioned_pinning, partition_pinning,
                pin_l0_filter_and_index_blocks_in_cache, flushed_or_similar,
                block_cache, fail_without_cache_room, cache_usage_options,
                cache_entry_words, largest_seqno, prefix_extractor,
                max_uncompressed_block_bytes, codecs, filter_policies,
                coalesce_gap_bytes, coalesce_max_bytes, skip_filters,
                read_tail_at_once, keep_stored_properties, statistics,
                block_cache_tracer, rate_limiter, clock);
}

#undef ASHLAR_FIELDS

// Appends, for each field and each field of a struct in it, whether it differs.
template <typename Type>
void AppendDifferences(const Type& a, const Type& b, std::vector<bool>* all) {
  if constexpr (requires { FieldsOf(a); }) {
    const auto of_a = FieldsOf(a);
    const auto of_b = FieldsOf(b);
    [&]<size_t... i>(std::index_sequence<i...>) {
      (AppendDifferences(std::get<i>(of_a), std::get<i>(of_b), all), ...);
    }(std::make_index_sequence<std::tuple_size_v<decltype(of_a)>>());
  } else {
    all->push_back(!(a == b));
  }
}

// Sets each row, and then each field that has none, in options of their own.
// Each must change one field, and each field must be changed once.
template <typename Options>
void CheckFieldsOf(std::span<const OptionRow<Options>> rows,
                   const std::vector<void (*)(Options*)>& without_row) {
  std::vector<int> times;
  const auto add = [&times](const Options& options) {
    std::vector<bool> differs;
    AppendDifferences(options, Options(), &differs);
    EXPECT_EQ(std::count(differs.begin(), differs.end(), true), 1);
    times.resize(differs.size());
    for (size_t i = 0; i < differs.size(); ++i) times[i] += differs[i] ? 1 : 0;
  };
  for (const OptionRow<Options>& row : rows) {
    SCOPED_TRACE(row.name);
    Options options;
    EXPECT_TRUE(row.member.set(OtherValueOf(row), &options));
    add(options);
  }
  for (const auto set : without_row) {
    Options options;
    set(&options);
    add(options);
  }
  EXPECT_EQ(times, std::vector<int>(times.size(), 1))
      << "0: the field at this position, from 0, has no row";
}

class NoFlushPolicies : public FlushBlockPolicyFactory {
 public:
  std::unique_ptr<FlushBlockPolicy> NewFlushBlockPolicy() const override {
    return nullptr;
  }
};

// Returns a pointer that is not null, and must not be followed.
template <typename Type>
std::shared_ptr<const Type> OtherObject() {
  static const char kByte = 0;
  return {std::shared_ptr<void>(), reinterpret_cast<const Type*>(&kByte)};
}

void ChargeNothing(CacheUsageOptions* options) {
  options->options.charged = CacheEntryRoleOptions::Decision::kDisabled;
}

TEST(OptionFields, EachHasARow) {
  CheckFieldsOf<TableOptions>(
      TableOptionRows(),
      {[](TableOptions* o) {
         o->flush_block_policy_factory = std::make_shared<NoFlushPolicies>();
       },
       [](TableOptions* o) { o->codec = OtherObject<CustomCodec>(); },
       [](TableOptions* o) { o->filter_policy = OtherObject<FilterPolicy>(); },
       [](TableOptions* o) {
         o->target_rocksdb = RocksDBRelease{7, 8};
       }});
  CheckFieldsOf<BuildOptions>(
      BuildOptionRows(),
      {[](BuildOptions* o) {
         static WorkerPool pool(1);
         o->worker_pool = &pool;
       },
       [](BuildOptions* o) { o->external_file = true; },
       [](BuildOptions* o) { o->user_properties["a"] = "b"; },
       [](BuildOptions* o) {
         o->table_properties_collector_factories.emplace_back();
       },
       [](BuildOptions* o) {
         o->file_checksum_gen_factory = GetFileChecksumGenCrc32cFactory();
       },
       [](BuildOptions* o) { o->block_cache = NewLruCache({}).value(); },
       [](BuildOptions* o) { ChargeNothing(&o->cache_usage_options); },
       [](BuildOptions* o) { o->prepopulate_block_cache = true; },
       [](BuildOptions* o) {
         o->prepopulate_cache_priority = CachePriority::kBottom;
       },
       [](BuildOptions* o) { o->keep_tail = true; },
       [](BuildOptions* o) { o->statistics = std::make_shared<Statistics>(); },
       [](BuildOptions* o) { o->seqno_to_time[1] = 2; }});
  CheckFieldsOf<ReaderOptions>(
      ReaderOptionRows(),
      {[](ReaderOptions* o) { o->block_cache = NewLruCache({}).value(); },
       [](ReaderOptions* o) { ChargeNothing(&o->cache_usage_options); },
       [](ReaderOptions* o) { o->codecs.emplace_back(); },
       [](ReaderOptions* o) { o->filter_policies.emplace_back(); },
       [](ReaderOptions* o) { o->statistics = std::make_shared<Statistics>(); },
       [](ReaderOptions* o) {
         o->block_cache_tracer = std::make_shared<BlockCacheTracer>();
       },
       [](ReaderOptions* o) {
         o->rate_limiter = NewGenericRateLimiter({.rate_bytes_per_sec = 1});
       },
       [](ReaderOptions* o) { o->clock = SystemClock::Default(); }});
}

}  // namespace
}  // namespace ashlar::testing
