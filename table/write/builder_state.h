// TableBuilder::State: what a TableBuilder holds while it builds.
//
// Data flow, once per entry. One pass over key and last key finds where they
// differ, which gives both the order check and the shared prefix. The flush
// policy says whether the block is full. The entry is copied into the block,
// and the part of the key that differs into last_key. Its hash goes to the
// filter.
//
// Once per block. The index prepares the separator, and the block goes into the
// BlockSink. What became of it comes back in the order of the file, perhaps
// some blocks later: the index takes handles in order, however late.
//
// Used by the three files of the builder. add_entries.cc takes entries in,
// store_blocks.cc ends blocks, table_builder.cc has the public calls. One
// thread at a time.
#ifndef ASHLAR_TABLE_WRITE_BUILDER_STATE_H_
#define ASHLAR_TABLE_WRITE_BUILDER_STATE_H_

#include <array>
#include <bitset>

#include "ashlar/table/flush_block_policy.h"
#include "ashlar/table/table_builder.h"
#include "table/block/data_block_builder.h"
#include "table/format/key_bounds.h"
#include "table/index/registry.h"
#include "table/write/blob_embedder.h"
#include "table/write/cache_filler.h"
#include "table/write/collectors.h"
#include "table/write/files_between.h"
#include "table/write/flush_policy.h"
#include "table/write/key_parting.h"
#include "table/write/tail_writer.h"
#include "table/write/timestamp_collector.h"

namespace ashlar {

using namespace internal;  // for the builder's own files

inline DataBlockForm FormOf(const TableOptions& options) {
  // A read at a timestamp looks for keys that are in no block, so hashes would
  // mislead it. RocksDB makes no hash index there either.
  const bool hashed = options.data_block_index_type ==
                          DataBlockIndexType::kDataBlockBinaryAndHash &&
                      options.comparator->timestamp_size() == 0;
  return {options.block_restart_interval,
          options.separate_key_value_in_data_block,
          hashed ? options.data_block_hash_table_util_ratio : 0};
}

struct TableBuilder::State {
  State(const TableOptions& table_options, BlockCompressor compressor_in,
        uint32_t base_context_checksum_in, WritableFile* file_in,
        BuildWorkers workers_in, uint64_t target_file_size_in,
        Collectors collectors_in, BuildCharges charges_in,
        std::unique_ptr<FileChecksumGenerator> file_checksum_in)
      : options(table_options),
        charges(std::move(charges_in)),
        tail_charge(charges.write_buffers.Sibling()),
        order(options.persist_user_defined_timestamps
                  ? KeyOrder(options.comparator)
                  : KeyOrder(options.comparator).WithoutTimestamps()),
        timestamps(options),
        quick_key_limit(timestamps.any() || options.embedded_blob_options.enable
                            ? 0
                            : kMaxUserKeyBytes + 1),
        own_flush_policy(
            options.flush_block_policy_factory == nullptr
                ? nullptr
                : options.flush_block_policy_factory->NewFlushBlockPolicy()),
        bounds(KeyOrder(options.comparator), timestamps.stripped()),
        file_checksum(std::move(file_checksum_in)),
        flush_policy(own_flush_policy != nullptr
                         ? FlushPolicy::OfApplication()
                         : FlushPolicy(options.block_size,
                                       options.block_size_deviation,
                                       options.block_align)),
        base_context_checksum(base_context_checksum_in),
        target_file_size(target_file_size_in),
        sink(options, std::move(compressor_in), base_context_checksum, file_in,
             file_checksum.get(), std::move(workers_in), target_file_size,
             {.end_of_data = [this] { return EndOfDataBlocks(); },
              .before_release =
                  [this](const Slice& held) { return BeforeRelease(held); }},
             charges),
        block(FormOf(options), sink.in_place()),
        index(NewIndexBuilder(options)),
        index_takes_keys(index->takes_keys()),
        collectors(std::move(collectors_in)),
        is_watched(!collectors.empty() || own_flush_policy != nullptr) {
    if (options.embedded_blob_options.enable) {
      embedder.emplace(options.embedded_blob_options, &sink);
    }
    if (options.filter == FilterType::kNone) return;
    if (options.partition_filters) {
      filter_partitions.emplace(
          options, index.get(), [this] { return sink.FilterCrew(); },
          charges.filter);
    } else {
      filter.emplace(options);
      filter->bits().ChargeTo(charges.filter);
    }
  }

  const TableOptions options;
  const BuildCharges charges;
  MemoryCharge tail_charge;  // the index, and range deletions
  // The order of keys as they are written.
  const KeyOrder order;
  TimestampCollector timestamps;
  // Keys of this size or more take the slow path (AddUnusual).
  const uint64_t quick_key_limit;
  const std::unique_ptr<FlushBlockPolicy> own_flush_policy;  // mostly null
  KeyBounds bounds;
  std::unique_ptr<TailKeeper> tail_keeper;                     // mostly null
  const std::unique_ptr<FileChecksumGenerator> file_checksum;  // mostly null
  std::unique_ptr<CacheFiller> filler;                         // mostly null
  std::unique_ptr<CompressionSamples> samples;                 // mostly null
  FlushPolicy flush_policy;
  const uint32_t base_context_checksum;
  // Null: nothing is counted. Set before the first entry.
  std::shared_ptr<const Statistics> statistics;
  bool unique_user_keys = false;

  const uint64_t target_file_size;  // 0: unknown
  BlockSink sink;
  std::optional<BlobEmbedder> embedder;  // if values may be stored apart
  DataBlockBuilder block;
  std::unique_ptr<IndexBuilder> index;
  const bool index_takes_keys;
  Collectors collectors;
  const bool is_watched;  // whether a policy or collectors see each entry
  // At most one of the two.
  std::optional<KeyFilterBuilder> filter;
  std::optional<FilterPartitionsBuilder> filter_partitions;
  RangeDeletionBlockBuilder range_deletions;
  std::bitset<256> compression_types;

  LastKey last_key;
  // With an embedder: the tail of that key as it was added, which differs if
  // the value is stored apart.
  uint64_t last_added_tail = 0;
  TableProperties properties;
  TableSummary summary;
  std::array<uint64_t, 256> type_counts{};
  SequenceNumber largest_seqno = 0;
  SequenceNumber smallest_seqno = kMaxSequenceNumber;

  // The last user key that AddKeysOf added.
  std::string last_held_key;

  bool finished = false;
  bool abandoned = false;
  Status status;

  Status AddEntry(const Slice& user_key, uint64_t tail, const Slice& value);
  Status AddUnusual(const Slice& user_key, uint64_t tail, const Slice& value);
  Status CheckStripped(const Slice& user_key, uint64_t tail,
                       const Slice& timestamp) const;
  Status AddWithTimestamp(const Slice& user_key, uint64_t tail,
                          const Slice& value);
  Status AddChecked(const Slice& added_key, uint64_t tail, const Slice& value);
  // Does the same if values may be stored apart (`embedder`).
  Status AddEmbedding(const Slice& user_key, uint64_t added_tail,
                      const Slice& added_value);
  uint64_t StoredTail(const Slice& user_key, uint64_t tail,
                      const Slice& value) const;
  // Returns whether a key that parts so from the last one may follow it.
  bool MayFollow(const KeyParting& parting) const {
    return parting.ascends && !(parting.same_user_key && unique_user_keys);
  }
  Status Append(const Slice& added_key, uint64_t tail, const Slice& value,
                const KeyParting& parting);
  Status AddRangeDeletion(const Slice& begin, uint64_t tail, const Slice& end);
  void Count(uint64_t key_size, uint64_t tail, uint64_t value_size) {
    ++properties.num_entries;
    properties.raw_key_size += key_size;
    properties.raw_value_size += value_size;
    ++type_counts[tail & 0xff];
    largest_seqno = std::max(largest_seqno, tail >> 8);
    smallest_seqno = std::min(smallest_seqno, tail >> 8);
  }
  Status AddWatched(const Slice& user_key, uint64_t tail, const Slice& value);
  Status BadEntry(const Slice& user_key, uint64_t tail, std::string_view why,
                  Status::SubCode subcode = Status::SubCode::kNone) const;
  Status RefuseOrder(const Slice& user_key, uint64_t tail, bool same_user_key,
                     uint64_t last_tail) const;
  Status CutBlock(const Slice* next_user_key, uint64_t next_tail);
  // To be called when index or range deletions have grown.
  Status ChargeTail() {
    if (!tail_charge.any()) [[likely]]
      return {};
    // Each list may be twice as large as its contents, and is copied when it
    // grows; index blocks are encoded once more before they are written.
    return tail_charge.Cover(RoundUpCharge(2 * index->BuildingMemory() +
                                           3 * index->SizeEstimate() +
                                           4 * range_deletions.SizeEstimate()));
  }
  // Returns whether the filter gets the keys of blocks that waited for a
  // dictionary only later. Partitions that are cut together with those of the
  // index must not see keys before the index knows the handles of their blocks.
  bool AddsHeldKeys() const {
    return filter_partitions.has_value() &&
           !options.decouple_partitioned_filters;
  }
  Status AddKeysOf(const Slice& held);
  Status BeforeRelease(const Slice& held);
  void TakeWritten();
  // To be called when the build has ended, well or not. Afterwards no worker is
  // at the file, and no block of a failed build in the cache.
  void End() {
    finished = true;
    if (filler != nullptr) {
      if (status.ok() && !abandoned) filler->Commit();
      filler->Erase();
    }
    sink.End();
  }
  void CountBlock(const WrittenBlock& written);
  Status FinishDataBlocks();
  // Writes the data blocks that are left, and all that comes after them.
  Status FinishFile();
  uint64_t FileSize() const { return sink.Written().offset; }
  uint64_t TailEstimate() const;
  uint64_t PartsEstimate() const;
  uint64_t SizeEstimate() const;
  uint64_t EndOfDataBlocks() const;
  void CompleteCounts();
  std::string LastEntryKey() const {
    return last_key.any() ? bounds.Join(last_key.user_key(), last_key.tail())
                          : std::string();
  }
  void Summarize();
};

}  // namespace ashlar

#endif  // ASHLAR_TABLE_WRITE_BUILDER_STATE_H_
