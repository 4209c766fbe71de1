#include "read_plan.h"

#include "adapter_state.h"
#include "cache_usage.h"

namespace ashlar_rocksdb {

namespace {

using rocksdb::BlockBasedTableOptions;
using rocksdb::TableReaderOptions;

ashlar::PinningTier TierFrom(rocksdb::PinningTier theirs) {
  switch (theirs) {
    case rocksdb::PinningTier::kFallback:
      return ashlar::PinningTier::kFallback;
    case rocksdb::PinningTier::kNone:
      return ashlar::PinningTier::kNone;
    case rocksdb::PinningTier::kFlushedAndSimilar:
      return ashlar::PinningTier::kFlushedAndSimilar;
    case rocksdb::PinningTier::kAll:
      return ashlar::PinningTier::kAll;
  }
  return ashlar::PinningTier::kFallback;
}

void PlanCache(const BlockBasedTableOptions& from,
               const TableReaderOptions& theirs, uint64_t file_size,
               bool load_now, ashlar::ReaderOptions* to) {
  if (!from.no_block_cache) {
    to->block_cache = AdapterState::Shared().FindCache(from.block_cache);
  }
  // RocksDB loads both when it opens a table, unless they live in the cache and
  // no caller asks for them yet.
  const bool in_cache = from.cache_index_and_filter_blocks &&
                        !theirs.avoid_shared_metadata_cache &&
                        to->block_cache != nullptr;
  to->load_index_and_filter = in_cache && !load_now
                                  ? ashlar::LoadTime::kAtFirstUse
                                  : ashlar::LoadTime::kAtOpen;
  if (to->block_cache == nullptr) return;
  to->fail_without_cache_room = true;
  to->cache_usage_options = CacheUsageFrom(from.cache_usage_options);
  to->cache_index_and_filter_blocks =
      from.cache_index_and_filter_blocks && !theirs.avoid_shared_metadata_cache;
  to->cache_index_and_filter_blocks_with_high_priority =
      from.cache_index_and_filter_blocks_with_high_priority;
  to->unpartitioned_pinning =
      TierFrom(from.metadata_cache_options.unpartitioned_pinning);
  to->partition_pinning =
      TierFrom(from.metadata_cache_options.partition_pinning);
  to->pin_l0_filter_and_index_blocks_in_cache =
      from.pin_l0_filter_and_index_blocks_in_cache;
  to->flushed_or_similar = theirs.level == 0 &&
                           !theirs.avoid_shared_metadata_cache &&
                           file_size <= theirs.max_file_size_for_l0_meta_pin;
}

}  // namespace

ReadPlan PlanRead(const BlockBasedTableOptions& options,
                  const TableReaderOptions& theirs, uint64_t file_size,
                  bool load_now) {
  ReadPlan plan;
  AdapterState& state = AdapterState::Shared();
  ashlar::ReaderOptions& ours = plan.options;
  ours.comparator =
      state.FindComparator(theirs.internal_comparator.user_comparator());
  ours.prefix_extractor = state.FindPrefixExtractor(theirs.prefix_extractor);
  ours.max_auto_readahead_size = options.max_auto_readahead_size;
  ours.initial_auto_readahead_size = options.initial_auto_readahead_size;
  ours.num_file_reads_for_auto_readahead =
      options.num_file_reads_for_auto_readahead;
  ours.tail_size = theirs.tail_size;
  // What RocksDB can write into one block.
  ours.max_uncompressed_block_bytes = uint64_t{4} << 30;
  // RocksDB's "unknown" is the largest number.
  if (theirs.largest_seqno < rocksdb::kMaxSequenceNumber) {
    ours.largest_seqno = theirs.largest_seqno;
  }
  ours.clock = state.FindClock(theirs.ioptions.clock);
  ours.skip_filters = theirs.skip_filters;
  // The table has RocksDB's form of them.
  ours.keep_stored_properties = false;
  ours.statistics = state.FindStatistics(theirs.ioptions.statistics);
  PlanCache(options, theirs, file_size, load_now, &ours);
  if (!options.no_block_cache && options.block_cache != nullptr &&
      ours.block_cache == nullptr) {
    plan.obstacle = "a block cache whose handles change";
  } else if (options.persistent_cache != nullptr) {
    plan.obstacle = "a persistent cache";
  } else if (options.user_defined_index_factory != nullptr) {
    plan.obstacle = "a user-defined index";
  }
  return plan;
}

}  // namespace ashlar_rocksdb
