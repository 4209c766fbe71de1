// Makes hyper clock caches from their options, and reports problems with these
// options.

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "cache/clock/clock_cache.h"
#include "util/mem/memory_limit.h"

namespace ashlar::internal {

namespace {

// How full the table is when the capacity is used at the estimated charge. An
// entry then takes 109 bytes, and one in 33 finds its home group full when it
// is inserted (one in 9 at 0.75).
constexpr double kLoad = 0.6;
// A growing table may always have this many slots.
constexpr size_t kLeastSlotsOfTable = 1024;
constexpr size_t kShardBytes = size_t{512} << 20;
constexpr int kMostDefaultShardBits = 6;
constexpr int kMostShardBits = 16;
// A SlotHint must be able to count them, and kNoSlotHint is none of them.
constexpr size_t kMostSlots = Cache::kNoSlotHint;

int ShardBits(const HyperClockCacheOptions& options) {
  if (options.num_shard_bits >= 0) return options.num_shard_bits;
  const size_t shards = std::max<size_t>(1, options.capacity / kShardBytes);
  return std::min(kMostDefaultShardBits,
                  static_cast<int>(std::bit_width(shards)) - 1);
}

// Bytes of the table per entry.
template <typename Index>
constexpr double kTableBytes =
    (sizeof(ClockSlot) + 1.0 * sizeof(TagGroup) / kSlotsPerGroup) / kLoad;
template <>
constexpr double kTableBytes<GrowingIndex> =
    sizeof(ClockSlot) + GrowingPart::kIndexBytesOfEntry;

template <typename Index>
size_t MetadataCharge(const HyperClockCacheOptions& options) {
  if (options.metadata_charge_policy !=
      CacheMetadataChargePolicy::kFullCharge) {
    return 0;
  }
  return static_cast<size_t>(kTableBytes<Index>) +
         (options.admission ? Admission::kBytesOfEntry : 0);
}

size_t GroupsOfTable(const HyperClockCacheOptions& options) {
  const size_t shard = options.capacity >> ShardBits(options);
  const double entry = static_cast<double>(options.estimated_entry_charge) +
                       static_cast<double>(MetadataCharge<ClockIndex>(options));
  const double groups =
      static_cast<double>(shard) / entry / kLoad / kSlotsPerGroup;
  return static_cast<size_t>(groups) + 1;
}

// Returns the most slots that one growing table can have.
uint32_t SlotsOfTable(const HyperClockCacheOptions& options) {
  const size_t tables = size_t{1} << ShardBits(options);
  const size_t shard = options.capacity / tables;
  const size_t entries =
      shard / std::max<size_t>(1, options.min_avg_entry_charge);
  const size_t most =
      std::min<size_t>(growing::kMostSlotsOfTable, kMostSlots / tables);
  return static_cast<uint32_t>(
      std::min(std::max(entries, kLeastSlotsOfTable), most - 1) + 1);
}

Status Check(const HyperClockCacheOptions& options) {
  if (options.num_shard_bits < -1 || options.num_shard_bits > kMostShardBits) {
    return Status::InvalidArgument("num_shard_bits is " +
                                   std::to_string(options.num_shard_bits) +
                                   ", expected -1 to 16");
  }
  if (options.eviction_effort_cap < 1) {
    return Status::InvalidArgument("eviction_effort_cap is " +
                                   std::to_string(options.eviction_effort_cap) +
                                   ", expected 1 or more");
  }
  if (options.estimated_entry_charge == 0) return Status::OK();
  const size_t tables = size_t{1} << ShardBits(options);
  if (GroupsOfTable(options) > kMostSlots / kSlotsPerGroup / tables) {
    return Status::InvalidArgument(
        "capacity of " + std::to_string(options.capacity) +
        " bytes with estimated_entry_charge " +
        std::to_string(options.estimated_entry_charge) +
        ": the cache would have more than 2^32 entries; increase "
        "estimated_entry_charge");
  }
  return Status::OK();
}

constexpr double kFull = 0.95;

}  // namespace

template <>
Status ClockCache::MakeIndex(const HyperClockCacheOptions& options,
                             size_t tables) {
  const size_t groups = GroupsOfTable(options);
  if (!array_.Allocate(tables * groups)) {
    return Status::MemoryLimit(
        "no memory for a table of " +
        std::to_string(tables * groups * kSlotsPerGroup) + " slots");
  }
  settings_.index = ClockIndex(array_.groups(), array_.slots(), groups, tables);
  return Status::OK();
}

template <>
Status GrowingClockCache::MakeIndex(const HyperClockCacheOptions& options,
                                    size_t tables) {
  const uint32_t slots = SlotsOfTable(options);
  if (!settings_.index.Reserve(tables, slots)) {
    return Status::MemoryLimit("no address space for a table of " +
                               std::to_string(tables * slots) + " slots");
  }
  return Status::OK();
}

template <>
size_t ClockCache::IndexBytes() const {
  return array_.bytes();
}

template <>
size_t GrowingClockCache::IndexBytes() const {
  return settings_.index.bytes();
}

template <typename Index>
Status ClockCacheOf<Index>::MakeAdmission() {
  const size_t bytes = tables_.front()->AdmissionBytes();
  if (!admission_memory_.Reserve(tables_.size() * bytes)) {
    return Status::MemoryLimit("no address space for the admission policy: " +
                               std::to_string(tables_.size() * bytes) +
                               " bytes");
  }
  for (size_t i = 0; i < tables_.size(); ++i) {
    tables_[i]->UseAdmission(admission_memory_.data() + i * bytes);
  }
  return Status::OK();
}

template <typename Index>
Result<std::shared_ptr<Cache>> ClockCacheOf<Index>::Make(
    const HyperClockCacheOptions& options) {
  if (Status s = Check(options); !s.ok()) return s;
  auto made =
      std::make_shared<ClockCacheOf>(options, MetadataCharge<Index>(options));
  const size_t tables = size_t{1} << ShardBits(options);
  if (Status s = made->MakeIndex(options, tables); !s.ok()) return s;
  for (size_t i = 0; i < tables; ++i) {
    made->tables_.push_back(std::make_unique<ClockTable>(i, &made->settings_));
  }
  if (options.admission) {
    if (Status s = made->MakeAdmission(); !s.ok()) return s;
  }
  made->SetCapacity(options.capacity);
  return std::shared_ptr<Cache>(std::move(made));
}

// `was_full`: some inserts found no slot. `fill`: the number of entries,
// divided by the number that have room. `mean`: the mean charge when `usage`
// was read.
template <>
std::string ClockCache::AdviceOnTable(bool was_full, double fill, size_t usage,
                                      size_t mean) const {
  constexpr double kFew = 0.25;
  const bool uses_capacity =
      static_cast<double>(usage) >= kFull * static_cast<double>(GetCapacity());
  if (!uses_capacity && (was_full || fill >= kFull)) {
    return "the table is full at " + std::to_string(usage) + " of " +
           std::to_string(GetCapacity()) +
           " bytes: set estimated_entry_charge to about " +
           std::to_string(mean) + " (now " + std::to_string(entry_charge_) +
           ")\n";
  }
  if (uses_capacity && fill < kFew) {
    return "the table is nearly empty though the capacity is used: to save "
           "memory, set "
           "estimated_entry_charge to about " +
           std::to_string(mean) + " (now " + std::to_string(entry_charge_) +
           ")\n";
  }
  return "";
}

template <>
std::string GrowingClockCache::AdviceOnTable(bool /*was_full*/, double fill,
                                             size_t usage, size_t mean) const {
  if (fill < kFull || static_cast<double>(usage) >=
                          kFull * static_cast<double>(GetCapacity())) {
    return "";
  }
  const std::string what = "the table is full at " + std::to_string(usage) +
                           " of " + std::to_string(GetCapacity()) + " bytes: ";
  if (mean >= entry_charge_) {
    return what +
           "the cache was made for a smaller capacity, or num_shard_bits is "
           "too small\n";
  }
  return what + "to let it grow, set min_avg_entry_charge to about " +
         std::to_string(mean) + " (now " + std::to_string(entry_charge_) +
         ")\n";
}

template <typename Index>
std::string ClockCacheOf<Index>::ReportProblems() const {
  constexpr double kFew = 0.5;
  uint64_t full = 0;
  uint64_t effort = 0;
  size_t fullest = 0;
  size_t limit = 0;
  for (const auto& table : tables_) {
    full += table->table_full_count();
    effort += table->effort_exceeded_count();
    fullest = std::max(fullest, table->usage());
    limit += table->occupancy_limit();
  }
  const size_t usage = GetUsage();
  const size_t entries = GetOccupancyCount();
  const auto used = static_cast<double>(usage);
  std::string text;
  if (entries != 0) {
    const double fill =
        static_cast<double>(entries) / static_cast<double>(limit);
    text = AdviceOnTable(full != 0, fill, usage, usage / entries);
  }
  if (effort != 0) {
    text += std::to_string(effort) +
            " inserts gave up evicting: nearly all entries are in use; "
            "increase the capacity\n";
  }
  const double mean = used / static_cast<double>(tables_.size());
  if (tables_.size() > 1 && static_cast<double>(fullest) > mean / kFew) {
    text +=
        "one shard holds " + std::to_string(fullest) + " of " +
        std::to_string(usage) +
        " bytes: decrease num_shard_bits to spread the entries more evenly\n";
  }
  return text;
}

template class ClockCacheOf<ClockIndex>;
template class ClockCacheOf<GrowingIndex>;

}  // namespace ashlar::internal

namespace ashlar {

Result<std::shared_ptr<Cache>> NewHyperClockCache(
    const HyperClockCacheOptions& options) {
  return internal::OrMemoryLimit([&]() -> Result<std::shared_ptr<Cache>> {
    return options.estimated_entry_charge == 0
               ? internal::GrowingClockCache::Make(options)
               : internal::ClockCache::Make(options);
  });
}

}  // namespace ashlar
