#include "table/write/filter_partitions.h"

#include <algorithm>
#include <span>
#include <utility>

#include "ashlar/table/internal_key.h"
#include "table/filter/verify_filter.h"
#include "table/index/index_encoder.h"
#include "table/index/partition_policy.h"

namespace ashlar::internal {

namespace {

// The most hashes that wait, not counting those of one more partition.
constexpr uint64_t kMostWaitingHashes = uint64_t{1} << 16;
// The most partitions that wait: some have one hash, or none. Fewer than the
// units of one loop of a crew (kMaxLoopUnits).
constexpr size_t kMostWaitingPartitions = 4096;

// Returns how many hashes fill a partition. If it has no room for one, returns
// those of the smallest filter.
uint64_t HashesPerPartition(const TableOptions& options,
                            const FilterBitsBuilder& bits) {
  constexpr uint64_t kLeastBytes = 16;
  uint64_t bytes =
      PartitionPolicy(options.metadata_block_size, options.block_size_deviation)
          .filter_partition_bytes();
  uint64_t hashes = bits.HashesIn(bytes);
  bytes = std::max(bytes + 4, kLeastBytes);
  for (; hashes == 0; bytes += bytes / 4) hashes = bits.HashesIn(bytes);
  return hashes;
}

}  // namespace

FilterPartitionsBuilder::FilterPartitionsBuilder(const TableOptions& options,
                                                 IndexBuilder* index,
                                                 FindCrew find_crew,
                                                 const MemoryCharge& charge)
    : options_(options),
      index_(index),
      keys_(options),
      timestamp_bytes_(options.persist_user_defined_timestamps
                           ? options.comparator->timestamp_size()
                           : 0),
      hashes_per_partition_(HashesPerPartition(options, keys_.bits())),
      find_crew_(std::move(find_crew)) {
  keys_.bits().ChargeTo(charge);
}

// Returns whether the current partition is full. To count its hashes takes 64
// additions (HashCollector::size). A key adds two of them at most, so after a
// count it is known how many keys can come before the next.
bool FilterPartitionsBuilder::IsFull() {
  if (is_full_) return true;
  if (sure_keys_ != 0) {
    --sure_keys_;
    return false;
  }
  const uint64_t hashes = keys_.bits().num_hashes();
  // A prefix will be added when the partition is cut.
  const uint64_t to_come = options_.prefix_extractor != nullptr ? 1 : 0;
  if (hashes + to_come < hashes_per_partition_) {
    sure_keys_ = (hashes_per_partition_ - to_come - hashes - 1) / 2;
  } else {
    is_full_ = hashes != 0;
  }
  return is_full_;
}

bool FilterPartitionsBuilder::CutIsDue() {
  const bool full = IsFull();
  if (options_.decouple_partitioned_filters) return full;
  if (full) index_->RequestCut();
  return index_->TakeCut();
}

void FilterPartitionsBuilder::AddPrefixOf(const Slice& user_key) {
  keys_.AddPrefixOf(WithoutTimestamp(user_key, timestamp_bytes_));
}

// Returns an internal key after all versions of the key.
std::string FilterPartitionsBuilder::EndBehind(const Slice& user_key) const {
  const Slice key = WithoutTimestamp(user_key, timestamp_bytes_);
  std::string oldest = key.ToString();
  oldest.append(timestamp_bytes_, '\0');
  return MakeInternalKey(oldest, 0, ValueType::kTypeDeletion);
}

// Adds the prefixes on both sides of the cut to both partitions, because a walk
// over a prefix that begins between them may ask either.
void FilterPartitionsBuilder::Cut(const Slice* next_user_key,
                                  const Slice& last_user_key) {
  if (next_user_key != nullptr) AddPrefixOf(*next_user_key);
  is_full_ = false;
  sure_keys_ = 0;
  done_hashes_ += keys_.bits().num_hashes();
  waiting_hashes_ += keys_.bits().num_hashes();
  waiting_bytes_ += keys_.bits().SizeEstimate();
  done_.push_back({keys_.bits().Take(), Buffer(),
                   options_.decouple_partitioned_filters
                       ? EndBehind(last_user_key)
                       : index_->last_separator().ToString(),
                   Status()});
  const WorkerCrew crew = find_crew_();
  if (next_user_key == nullptr || crew.alone() ||
      waiting_hashes_ >= kMostWaitingHashes ||
      done_.size() - first_waiting_ >= kMostWaitingPartitions) {
    BuildWaiting(crew);
  }
  if (next_user_key != nullptr) AddPrefixOf(last_user_key);
}

void FilterPartitionsBuilder::BuildWaiting(const WorkerCrew& crew) {
  const std::span<Partition> waiting = std::span(done_).subspan(first_waiting_);
  // Each partition keeps its own error.
  static_cast<void>(crew.ForEach(
      static_cast<uint32_t>(waiting.size()), [&waiting](uint32_t i) {
        waiting[i].built = waiting[i].hashes.Finish(&waiting[i].payload);
        return waiting[i].built.ok();
      }));
  for (const Partition& partition : waiting) {
    done_bytes_ += partition.payload.size();
  }
  first_waiting_ = done_.size();
  waiting_hashes_ = waiting_bytes_ = 0;
}

// Partitions are begun in order. So the first bad one is always known,
// whichever threads built them.
Status FilterPartitionsBuilder::FirstFault(const std::string& file_name) const {
  for (size_t i = 0; i < done_.size(); ++i) {
    if (done_[i].built.ok()) continue;
    return LocateBadFilter(done_[i].built, file_name,
                           "filter-partition block #" + std::to_string(i));
  }
  return {};
}

Status FilterPartitionsBuilder::Write(const Slice& last_user_key,
                                      BlockWriter* writer,
                                      BlockHandle* index_handle,
                                      uint64_t* bytes) {
  *bytes = 0;
  if (num_hashes() == 0) return {};
  Cut(nullptr, last_user_key);
  Status built = FirstFault(writer->file_name());
  if (!built.ok()) return built;
  IndexForm form = index_->form();
  form.first_keys = false;
  IndexEncoder encoder(form, options_.index_block_restart_interval);
  for (const Partition& partition : done_) {
    BlockHandle handle;
    Status status = writer->Append(partition.payload.slice(), &handle);
    if (!status.ok()) return status;
    const Slice end(partition.end);
    encoder.Add(form.user_keys ? UserKeyOf(end) : end, handle, Slice());
  }
  bool uniform;
  const Slice block = encoder.Finish(-1, &uniform);
  *bytes = done_bytes_ + block.size();
  return writer->Append(block, index_handle);
}

}  // namespace ashlar::internal
