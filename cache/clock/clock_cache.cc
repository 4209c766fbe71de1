#include "cache/clock/clock_cache.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstdlib>
#include <new>
#include <string>
#include <utility>

#include "port/huge_pages.h"
#include "port/threads.h"

namespace ashlar::internal {

namespace {

// Full at the estimated charge, the table is filled so far: an entry then takes
// 109 bytes, and one in 33 finds its home full when it comes (one in 9 at
// 0.75).
constexpr double kLoad = 0.6;
constexpr size_t kShardBytes = size_t{512} << 20;
constexpr int kMostDefaultShardBits = 6;
constexpr int kMostShardBits = 16;
// As SlotHint counts them, and kNoSlotHint is none.
constexpr size_t kMostSlots = Cache::kNoSlotHint;
constexpr size_t kLine = 64;
constexpr size_t kBatch = 32;

int ShardBits(const HyperClockCacheOptions& options) {
  if (options.num_shard_bits >= 0) return options.num_shard_bits;
  const size_t shards = std::max<size_t>(1, options.capacity / kShardBytes);
  return std::min(kMostDefaultShardBits,
                  static_cast<int>(std::bit_width(shards)) - 1);
}

size_t MetadataCharge(CacheMetadataChargePolicy policy) {
  constexpr double kBytes =
      sizeof(ClockSlot) + 1.0 * sizeof(TagGroup) / kSlotsPerGroup;
  return policy == CacheMetadataChargePolicy::kFullCharge
             ? static_cast<size_t>(kBytes / kLoad)
             : 0;
}

size_t GroupsOfTable(const HyperClockCacheOptions& options) {
  const size_t shard = options.capacity >> ShardBits(options);
  const double entry =
      static_cast<double>(options.estimated_entry_charge) +
      static_cast<double>(MetadataCharge(options.metadata_charge_policy));
  const double groups =
      static_cast<double>(shard) / entry / kLoad / kSlotsPerGroup;
  return static_cast<size_t>(groups) + 1;
}

Status Check(const HyperClockCacheOptions& options) {
  if (options.estimated_entry_charge == 0) {
    return Status::InvalidArgument("estimated_entry_charge: 0 bytes");
  }
  if (options.num_shard_bits < -1 || options.num_shard_bits > kMostShardBits) {
    return Status::InvalidArgument(
        "num_shard_bits: " + std::to_string(options.num_shard_bits) +
        ", not -1 to 16");
  }
  if (options.eviction_effort_cap < 1) {
    return Status::InvalidArgument(
        "eviction_effort_cap: " + std::to_string(options.eviction_effort_cap) +
        ", not at least 1");
  }
  const size_t tables = size_t{1} << ShardBits(options);
  if (GroupsOfTable(options) > kMostSlots / kSlotsPerGroup / tables) {
    return Status::InvalidArgument(
        "capacity of " + std::to_string(options.capacity) +
        " bytes with an estimated_entry_charge of " +
        std::to_string(options.estimated_entry_charge) +
        ": more than 2^32 entries");
  }
  return Status::OK();
}

}  // namespace

// The groups' tags first, then the slots, each from the start of a line.
bool SlotArray::Allocate(size_t groups) {
  const size_t slots = groups * kSlotsPerGroup;
  const size_t tag_bytes =
      (groups * sizeof(TagGroup) + kLine - 1) / kLine * kLine;
  const size_t wanted = tag_bytes + slots * sizeof(ClockSlot);
  const bool huge = wanted >= port::kHugePageBytes;
  const size_t alignment = huge ? port::kHugePageBytes : kLine;
  if (::posix_memalign(&memory_, alignment, wanted) != 0) {
    memory_ = nullptr;
    return false;
  }
  bytes_ = wanted;
  if (huge) port::PreferHugePages(memory_, bytes_);
  groups_ = static_cast<TagGroup*>(memory_);
  std::uninitialized_default_construct_n(groups_, groups);
  slots_ =
      reinterpret_cast<ClockSlot*>(static_cast<char*>(memory_) + tag_bytes);
  std::uninitialized_default_construct_n(slots_, slots);
  return true;
}

// Groups and slots have nothing to destroy.
SlotArray::~SlotArray() { std::free(memory_); }

Result<std::shared_ptr<Cache>> ClockCache::Make(
    const HyperClockCacheOptions& options) {
  if (Status s = Check(options); !s.ok()) return s;
  auto made = std::make_shared<ClockCache>(options);
  const size_t tables = size_t{1} << ShardBits(options);
  const size_t groups = GroupsOfTable(options);
  if (!made->array_.Allocate(tables * groups)) {
    return Status::MemoryLimit(
        "no memory for a table of " +
        std::to_string(tables * groups * kSlotsPerGroup) + " slots");
  }
  made->settings_.index =
      ClockIndex(made->array_.groups(), made->array_.slots(), groups, tables);
  for (size_t i = 0; i < tables; ++i) {
    made->tables_.push_back(std::make_unique<ClockTable>(i, &made->settings_));
  }
  made->SetCapacity(options.capacity);
  return std::shared_ptr<Cache>(std::move(made));
}

ClockCache::ClockCache(const HyperClockCacheOptions& options)
    : Cache(options.memory_allocator),
      settings_{
          .seed = MakeHashSeed(options.hash_seed),
          .eviction_effort_cap =
              static_cast<uint64_t>(options.eviction_effort_cap),
          .metadata_charge = MetadataCharge(options.metadata_charge_policy),
          .allocator = memory_allocator(),
          .eviction_callback = &eviction_callback(),
          .spread_sets = &spread_sets_},
      estimated_entry_charge_(options.estimated_entry_charge),
      capacity_(options.capacity),
      strict_(options.strict_capacity_limit) {}

ClockCache::~ClockCache() {
  tables_.clear();
  delete spread_sets_.Load();
}

Status ClockCache::Insert(const CacheKey& key, void* value,
                          const CacheItemOps* ops, size_t charge,
                          CacheHandle** handle, CachePriority priority) {
  const uint64_t hash = HashOf(key);
  return TableOf(hash).Insert(key, hash, value, ops, charge, priority,
                              strict_.Load(), handle);
}

CacheHandle* ClockCache::CreateStandalone(const CacheKey& key, void* value,
                                          const CacheItemOps* ops,
                                          size_t charge, bool allow_uncharged) {
  return TableOf(HashOf(key))
      .CreateStandalone(key, value, ops, charge, strict_.Load(),
                        allow_uncharged);
}

// Null: what was seen of the slot is here before what led to it.
inline SpreadSet* ClockCache::SetOf(const ClockSlot* there) const {
  SpreadSets* const sets = spread_sets_.Load();
  return sets == nullptr ? nullptr : &sets->Of(settings_.index.IndexOf(there));
}

[[gnu::always_inline]] inline bool ClockCache::TakeSpread(ClockSlot* there,
                                                          const CacheKey& key) {
  SpreadSet* const set = SetOf(there);
  const slot::Taken taken =
      set == nullptr ? slot::Taken::kNothing
                     : slot::TakeOnLine(&there->word, &set->own_line(),
                                        settings_.index.IndexOf(there));
  if (taken == slot::Taken::kReference && there->HasKey(key)) [[likely]] {
    return true;
  }
  return TakeAfter(there, taken, key);
}

// What is left to do where that did not succeed.
bool ClockCache::TakeAfter(ClockSlot* there, slot::Taken taken,
                           const CacheKey& key) {
  if (taken == slot::Taken::kNothing) {
    return Keep(there, there->word.FetchAddAcquire(slot::kTake), key);
  }
  GiveSpread(there);
  return false;
}

[[gnu::always_inline]] inline bool ClockCache::GiveSpread(ClockSlot* held) {
  SpreadSet* const set = SetOf(held);
  const slot::Given given =
      set == nullptr ? slot::Give(&held->word, slot::kRef)
                     : slot::GiveOnLine(&held->word, &set->own_line(),
                                        settings_.index.IndexOf(held));
  if (given == slot::Given::kShared) return false;
  EndOwned(held);
  return true;
}

// What lookups nearly always come to: the first slot at home that a tag tells
// of. The rest is apart, so that this needs no stack, and is small enough for
// its callers.
inline ClockSlot* ClockCache::Find(const CacheKey& key, uint64_t hash) {
  const uint64_t home = settings_.index.HomeGroup(hash);
  const TagGroup& tags = settings_.index.GroupAt(home);
  const uint32_t all = tags.Matches(TagGroup::TagOf(hash));
  if (all == 0) [[unlikely]]
    return FindAnywhere(key, hash);
  ClockSlot* const there =
      settings_.index.SlotAt(home, ClockIndex::LowestOf(all));
  if (tags.HasSpread()) [[unlikely]]
    return FindSpread(there, key, hash);
  const uint64_t before = there->word.FetchAddAcquire(slot::kTake);
  if (slot::IsSoleHit(before) && there->HasKey(key)) [[likely]]
    return there;
  return FindAfter(there, before, key, hash);
}

// In a group of which some slot is spread.
ClockSlot* ClockCache::FindSpread(ClockSlot* there, const CacheKey& key,
                                  uint64_t hash) {
  const bool found = there->kind.Load() == ClockSlot::kSpread &&
                     there->HasKey(key) && TakeSpread(there, key);
  return found ? there : FindAnywhere(key, hash);
}

ClockSlot* ClockCache::FindAfter(ClockSlot* there, uint64_t before,
                                 const CacheKey& key, uint64_t hash) {
  return Keep(there, before, key) ? there : FindAnywhere(key, hash);
}

ClockSlot* ClockCache::FindAnywhere(const CacheKey& key, uint64_t hash) {
  return settings_.index.Find(hash, [&](ClockSlot* there) {
    if (there->kind.Load() == ClockSlot::kSpread) return TakeSpread(there, key);
    return Keep(there, there->word.FetchAddAcquire(slot::kTake), key);
  });
}

// After a Take whose word before was this one: keeps the reference if it is one
// to the key's entry. Others that hold it too may be after it all the time.
bool ClockCache::Keep(ClockSlot* taken, uint64_t before, const CacheKey& key) {
  const slot::Taken what = slot::WhatWasTaken(before, slot::kVisible);
  if (what == slot::Taken::kReference && taken->HasKey(key)) {
    if (slot::Refs(before) != 0) SawOthers(taken);
    return true;
  }
  if (what != slot::Taken::kNothing &&
      slot::Give(&taken->word, slot::kTake) == slot::Given::kOwned) {
    EndOwned(taken);
  }
  return false;
}

// A slot that a hint tells is most often the right one, but may be anything. An
// empty one keeps the words of its last key, and counts no takes back.
inline CacheHandle* ClockCache::LookupByHint(const CacheKey& key,
                                             SlotHint* slot_hint) {
  const SlotHint hint = *slot_hint;
  if (hint >= settings_.index.slot_count()) [[unlikely]] {
    return LookupForHint(key, slot_hint);
  }
  ClockSlot* const there = settings_.index.slots() + hint;
  if (there->kind.Load() != ClockSlot::kUsual || !there->HasKey(key))
      [[unlikely]] {
    return LookupUnusual(there, key, slot_hint);
  }
  const uint64_t before = there->word.FetchAddAcquire(slot::kTake);
  if (slot::IsSoleHit(before) && there->HasKey(key)) [[likely]]
    return there;
  return LookupAfter(there, before, key, slot_hint);
}

CacheHandle* ClockCache::LookupUnusual(ClockSlot* there, const CacheKey& key,
                                       SlotHint* slot_hint) {
  const bool found = there->kind.Load() == ClockSlot::kSpread &&
                     there->HasKey(key) && TakeSpread(there, key);
  return found ? there : LookupForHint(key, slot_hint);
}

CacheHandle* ClockCache::LookupAfter(ClockSlot* there, uint64_t before,
                                     const CacheKey& key, SlotHint* slot_hint) {
  return Keep(there, before, key) ? there : LookupForHint(key, slot_hint);
}

CacheHandle* ClockCache::LookupForHint(const CacheKey& key,
                                       SlotHint* slot_hint) {
  ClockSlot* const found = Find(key, HashOf(key));
  if (found != nullptr) *slot_hint = HintOf(found);
  return found;
}

CacheHandle* ClockCache::Lookup(const CacheKey& key, SlotHint* slot_hint) {
  if (slot_hint != nullptr) return LookupByHint(key, slot_hint);
  return Find(key, HashOf(key));
}

// By 32 keys: the slots that hints tell of are asked for, and for keys without
// a hint the lines of their tags, then the slots that these tell of; then each
// key is looked up.
void ClockCache::LookupBatch(std::span<const CacheKey> keys,
                             CacheHandle** handles, SlotHint* slot_hints) {
  const ClockIndex& index = settings_.index;
  std::array<uint64_t, kBatch> hashes;
  for (size_t begin = 0; begin < keys.size(); begin += kBatch) {
    const size_t n = std::min(kBatch, keys.size() - begin);
    const CacheKey* const part = keys.data() + begin;
    SlotHint* const hints =
        slot_hints == nullptr ? nullptr : slot_hints + begin;
    uint32_t hashed = 0;  // bit i: key i has no hint
    for (size_t i = 0; i < n; ++i) {
      if (hints != nullptr && hints[i] < index.slot_count()) {
        PrefetchSlot(hints[i]);
        continue;
      }
      hashes[i] = HashOf(part[i]);
      index.PrefetchTags(hashes[i]);
      hashed |= uint32_t{1} << i;
    }
    for (uint32_t left = hashed; left != 0; left &= left - 1) {
      index.PrefetchSlot(hashes[ClockIndex::LowestOf(left)]);
    }
    for (size_t i = 0; i < n; ++i) {
      if ((hashed >> i & 1) == 0) {
        handles[begin + i] = LookupByHint(part[i], &hints[i]);
        continue;
      }
      ClockSlot* const found = Find(part[i], hashes[i]);
      handles[begin + i] = found;
      if (hints != nullptr && found != nullptr) hints[i] = HintOf(found);
    }
  }
}

bool ClockCache::Ref(CacheHandle* handle) {
  auto* const held = static_cast<ClockSlot*>(handle);
  // Where it is given back, as a rule.
  SpreadSet* const set =
      held->kind.Load() == ClockSlot::kSpread ? SetOf(held) : nullptr;
  if (set != nullptr && slot::TakeOnLine(&held->word, &set->own_line(),
                                         settings_.index.IndexOf(held)) !=
                            slot::Taken::kNothing) {
    return true;
  }
  uint64_t before;
  if (slot::TakeUncounted(&held->word, slot::kShareable, &before) ==
      slot::Taken::kReference) {
    return true;
  }
  // The caller's own reference is left, so it cannot be the last.
  static_cast<void>(slot::Give(&held->word, slot::kRef));
  return false;
}

bool ClockCache::Release(CacheHandle* handle, bool erase_if_last_ref) {
  auto* const held = static_cast<ClockSlot*>(handle);
  if (held->kind.Load() != ClockSlot::kUsual || erase_if_last_ref)
      [[unlikely]] {
    return ReleaseUnusual(held, erase_if_last_ref);
  }
  const uint64_t before = held->word.FetchSubRelease(slot::kRef);
  if (slot::IsVisible(before)) [[likely]]
    return false;
  return AfterRelease(held, before);
}

bool ClockCache::AfterRelease(ClockSlot* released, uint64_t before) {
  if (slot::EndIfLast(&released->word, before - slot::kRef) ==
      slot::Given::kShared) {
    return false;
  }
  EndOwned(released);
  return true;
}

bool ClockCache::ReleaseUnusual(ClockSlot* held, bool erase_if_last_ref) {
  if (slot::IsSpread(held->word.LoadRelaxed())) {
    if (!erase_if_last_ref) return GiveSpread(held);
    TableAt(held).Gather(held);
  }
  const bool owned = (erase_if_last_ref && slot::ClaimOnlyRef(&held->word)) ||
                     slot::Give(&held->word, slot::kRef) == slot::Given::kOwned;
  if (owned) EndOwned(held);
  return owned;
}

// An entry that others hold too, when a thread takes it: perhaps they only keep
// it, perhaps they take it and give it back again and again as this one does.
// If many a time in succession it is so, the thread waits a moment for others
// to take it.
void ClockCache::SawOthers(ClockSlot* held) {
  constexpr uint32_t kOften = 256;
  constexpr uint32_t kVeryOften = 16 * kOften;
  constexpr int kMoment = 8;
  static thread_local struct {
    const ClockSlot* slot = nullptr;
    uint32_t times = 0;
  } last;
  if (last.slot != held) last = {held, 0};
  if (++last.times % kOften != 0) return;
  const uint64_t seen = held->word.LoadRelaxed();
  for (int i = 0; i < kMoment; ++i) port::CpuPause();
  if (slot::Hits(held->word.LoadRelaxed()) == slot::Hits(seen)) return;
  // Another slot that has the set must give way if this goes on.
  if (!slot::IsSpread(seen) && !TableAt(held).Spread(held) &&
      last.times % kVeryOften == 0) {
    MakeSetFree(held);
  }
}

void ClockCache::MakeSetFree(const ClockSlot* there) {
  SpreadSet* const set = SetOf(there);
  const uint64_t owner = set == nullptr ? 0 : set->owner().LoadRelaxed();
  if (owner == 0) return;
  ClockSlot* const other = settings_.index.slots() + (owner - 1);
  TableAt(other).Gather(other);
}

void ClockCache::EndOwned(ClockSlot* owned) {
  ClockTable& table = TableOf(HashOf(owned->key()));
  if (settings_.index.Contains(owned)) {
    table.EndOwned(owned);
  } else {
    table.EndStandalone(owned);
  }
}

void ClockCache::Erase(const CacheKey& key) {
  const uint64_t hash = HashOf(key);
  TableOf(hash).Erase(key, hash);
}

void ClockCache::EraseUnRefEntries() {
  for (const auto& table : tables_) table->EraseUnRefEntries();
}

// What does not divide evenly goes to the first tables, a byte each.
void ClockCache::SetCapacity(size_t capacity) {
  const MutexLock one_at_a_time(&capacity_mutex_);
  capacity_.Store(capacity);
  const size_t n = tables_.size();
  for (size_t i = 0; i < n; ++i) {
    tables_[i]->SetCapacity(capacity / n + (i < capacity % n ? 1 : 0));
  }
}

size_t ClockCache::GetUsage() const {
  size_t sum = 0;
  for (const auto& table : tables_) sum += table->usage();
  return sum;
}

size_t ClockCache::GetPinnedUsage() const {
  size_t sum = 0;
  for (const auto& table : tables_) sum += table->PinnedUsage();
  return sum;
}

size_t ClockCache::GetOccupancyCount() const {
  size_t sum = 0;
  for (const auto& table : tables_) sum += table->occupancy();
  return sum;
}

void ClockCache::ForEachEntry(
    const std::function<void(const CacheEntryView&)>& callback) {
  for (const auto& table : tables_) table->ForEachEntry(callback);
}

std::string ClockCache::ReportProblems() const {
  constexpr double kFew = 0.5;
  constexpr double kFull = 0.95;
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
  const bool crowded =
      static_cast<double>(entries) >= kFull * static_cast<double>(limit);
  std::string text;
  if (entries != 0 && (full != 0 || crowded) &&
      used < kFull * static_cast<double>(GetCapacity())) {
    text += "the table is full at " + std::to_string(usage) + " of " +
            std::to_string(GetCapacity()) +
            " bytes: estimated_entry_charge is " +
            std::to_string(estimated_entry_charge_) + ", " +
            std::to_string(usage / entries) + " would suit\n";
  } else if (used >= kFull * static_cast<double>(GetCapacity()) &&
             static_cast<double>(entries) <
                 kFew / 2 * static_cast<double>(limit)) {
    text +=
        "the table is nearly empty though the capacity is used: "
        "estimated_entry_charge is " +
        std::to_string(estimated_entry_charge_) + ", " +
        std::to_string(usage / std::max<size_t>(1, entries)) +
        " would save memory\n";
  }
  if (effort != 0) {
    text += std::to_string(effort) +
            " inserts gave up making room: nearly all entries are in use; a "
            "larger capacity is needed\n";
  }
  const double mean = used / static_cast<double>(tables_.size());
  if (tables_.size() > 1 && static_cast<double>(fullest) > mean / kFew) {
    text += "one shard holds " + std::to_string(fullest) + " of " +
            std::to_string(usage) +
            " bytes: fewer num_shard_bits would even that out\n";
  }
  return text;
}

}  // namespace ashlar::internal

namespace ashlar {

Result<std::shared_ptr<Cache>> NewHyperClockCache(
    const HyperClockCacheOptions& options) {
  return internal::ClockCache::Make(options);
}

}  // namespace ashlar
