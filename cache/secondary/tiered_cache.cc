#include "cache/secondary/tiered_cache.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include "cache/secondary/saved_value.h"
#include "util/mem/memory_limit.h"
#include "util/mem/thread_spare.h"

namespace ashlar {

namespace internal {

namespace {

constexpr size_t kBatch = 32;

}  // namespace

JoinedTiers::JoinedTiers(const TieredCacheOptions& options)
    : TieredCache(std::shared_ptr<MemoryAllocator>(
          options.primary, options.primary->memory_allocator())),
      primary_(options.primary),
      secondary_(options.secondary),
      policy_(options.adm_policy),
      seed_(MakeHashSeed(options.hash_seed)),
      promoted_next_(options.primary->GetCapacity() /
                     options.estimated_entry_charge),
      demoted_next_(KeysInBoth(options)) {
  primary_->SetEvictionCallback(
      [this](const CacheKey& key, const CacheHandle& entry, bool was_hit) {
        return Demote(key, entry, was_hit);
      });
}

// Returns the number of keys that may be evicted again while the second tier
// still has their saved bytes.
size_t JoinedTiers::KeysInBoth(const TieredCacheOptions& options) const {
  // How far blocks may shrink.
  constexpr size_t kShrunk = 4;
  constexpr size_t kMost = SIZE_MAX / 2 / kShrunk;
  const size_t first = std::min(primary_->GetCapacity(), kMost);
  const size_t second = std::min(SecondaryCapacity(), kMost);
  return (first + second * kShrunk) / options.estimated_entry_charge;
}

// --- From the first tier to the second -------------------------------------

// Returns whether the value was taken. This tier never takes it: it saves bytes
// elsewhere. The next tier's callback is called in any case.
bool JoinedTiers::Demote(const CacheKey& key, const CacheHandle& entry,
                         bool was_hit) {
  if (entry.ops()->save_to != nullptr && SecondaryCapacity() != 0) {
    try {
      Save(key, entry, was_hit);
    } catch (...) {
      // The tier threw it, or memory is out. The first tier is in the middle of
      // taking the entry out.
      failures_.FetchAdd(1);
    }
  }
  const EvictionCallback& next = eviction_callback();
  return next && next(key, entry, was_hit);
}

void JoinedTiers::Save(const CacheKey& key, const CacheHandle& entry,
                       bool was_hit) {
  evictions_.FetchAdd(1);
  if (secondary_->Touch(key)) {
    touches_.FetchAdd(1);
    return;
  }
  if (!Admits(key, was_hit)) {
    not_admitted_.FetchAdd(1);
    return;
  }
  ThreadSpare<Buffer, JoinedTiers> saved;
  const bool done = SaveValue(key, entry.value(), *entry.ops(), saved.get()) &&
                    secondary_->Insert(key, saved->slice()).ok();
  (done ? demotions_ : failures_).FetchAdd(1);
  // The memory of one huge value must not stay with the thread forever.
  constexpr size_t kMostKept = size_t{1} << 20;
  if (saved->capacity() > kMostKept) *saved.get() = Buffer();
}

bool JoinedTiers::Admits(const CacheKey& key, bool was_hit) {
  switch (policy_) {
    case TieredAdmissionPolicy::kAdmPolicyAllowAll:
      return true;
    case TieredAdmissionPolicy::kAdmPolicyAllowCacheHits:
      return was_hit || demoted_next_.TakeOrNote(HashOf(key));
    case TieredAdmissionPolicy::kAdmPolicyPlaceholder:
      break;
  }
  return demoted_next_.TakeOrNote(HashOf(key));
}

// --- From the second tier to the first -------------------------------------

CacheHandle* JoinedTiers::LookupSecondary(const CacheKey& key,
                                          const CacheItemOps* ops,
                                          const void* create_context,
                                          CachePriority priority,
                                          bool fill_cache) {
  CacheHandle* handle = nullptr;
  LookupSecondaryBatch(std::span(&key, 1), ops, create_context, &handle,
                       priority, fill_cache);
  return handle;
}

void JoinedTiers::LookupSecondaryBatch(std::span<const CacheKey> keys,
                                       const CacheItemOps* ops,
                                       const void* create_context,
                                       CacheHandle** handles,
                                       CachePriority priority,
                                       bool fill_cache) {
  if (ops->create == nullptr) return;
  primary_->LookupSecondaryBatch(keys, ops, create_context, handles, priority,
                                 fill_cache);
  if (SecondaryCapacity() == 0) return;
  const Wanted wanted = {ops, create_context, priority, fill_cache};
  while (!keys.empty()) {
    const size_t n = std::min(keys.size(), kBatch);
    try {
      LookupEach(keys.first(n), wanted, handles);
    } catch (...) {
      // As in Demote. Keys without a handle count as not found.
      failures_.FetchAdd(1);
    }
    keys = keys.subspan(n);
    handles += n;
  }
}

// Starts all lookups before it waits for the first. A result may become ready
// at any time, and counts however it did.
void JoinedTiers::LookupEach(std::span<const CacheKey> keys,
                             const Wanted& wanted, CacheHandle** handles) {
  std::array<std::unique_ptr<SecondaryCacheResultHandle>, kBatch> results;
  std::array<SecondaryCacheResultHandle*, kBatch> awaited;
  size_t num_awaited = 0;
  size_t num_begun = 0;
  for (size_t i = 0; i < keys.size(); ++i) {
    if (handles[i] != nullptr) continue;
    ++num_begun;
    results[i] = secondary_->Lookup(keys[i]);
    if (results[i] != nullptr && !results[i]->IsReady()) {
      awaited[num_awaited++] = results[i].get();
    }
  }
  if (num_begun == 0) return;
  lookups_.FetchAdd(num_begun);
  if (num_awaited == 1) awaited[0]->Wait();
  if (num_awaited > 1)
    secondary_->WaitAll(std::span(awaited).first(num_awaited));
  for (size_t i = 0; i < keys.size(); ++i) {
    if (results[i] == nullptr) continue;
    handles[i] = Take(keys[i], wanted, results[i].get());
  }
}

CacheHandle* JoinedTiers::Take(const CacheKey& key, const Wanted& wanted,
                               SecondaryCacheResultHandle* result) {
  // In case WaitAll did not wait for all.
  if (!result->IsReady()) result->Wait();
  const std::optional<Slice> saved = result->Value();
  if (!saved.has_value()) return nullptr;
  const std::optional<Slice> bytes =
      OpenSavedValue(key, wanted.ops->role, *saved);
  if (!bytes.has_value()) {
    damaged_.FetchAdd(1);
    EraseSecondary(key);
    return nullptr;
  }
  void* value = nullptr;
  size_t charge = 0;
  const Status made = wanted.ops->create(*bytes, wanted.context,
                                         memory_allocator(), &value, &charge);
  if (!made.ok() || value == nullptr) {
    refused_.FetchAdd(1);
    if (!made.ok() && !made.IsMemoryLimit()) EraseSecondary(key);
    return nullptr;
  }
  hits_.FetchAdd(1);
  return Hold(key, wanted, value, charge);
}

CacheHandle* JoinedTiers::Hold(const CacheKey& key, const Wanted& wanted,
                               void* value, size_t charge) {
  CacheHandle* handle = nullptr;
  if (wanted.fill_cache && promoted_next_.TakeOrNote(HashOf(key)) &&
      primary_->Insert(key, value, wanted.ops, charge, &handle, wanted.priority)
          .ok()) {
    promotions_.FetchAdd(1);
    return handle;
  }
  handle = primary_->CreateStandalone(key, value, wanted.ops, charge,
                                      /*allow_uncharged=*/true);
  if (handle == nullptr && wanted.ops->destroy != nullptr) {
    wanted.ops->destroy(value, memory_allocator());
  }
  return handle;
}

// --- For the operator --------------------------------------------------------

TieredCacheStats JoinedTiers::GetStats() const {
  return {.lookups = lookups_.Load(),
          .hits = hits_.Load(),
          .promotions = promotions_.Load(),
          .evictions = evictions_.Load(),
          .demotions = demotions_.Load(),
          .touches = touches_.Load(),
          .not_admitted = not_admitted_.Load(),
          .failures = failures_.Load(),
          .damaged = damaged_.Load(),
          .refused = refused_.Load()};
}

namespace {

std::string Percent(uint64_t part, uint64_t whole) {
  if (whole == 0) return "-";
  const auto tenths = std::llround(1000.0 * static_cast<double>(part) /
                                   static_cast<double>(whole));
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " %";
}

std::string Of(size_t usage, size_t capacity, size_t entries) {
  return std::to_string(usage) + " of " + std::to_string(capacity) +
         " bytes in " + std::to_string(entries) + " entries\n";
}

}  // namespace

std::string JoinedTiers::Report() const {
  const SecondaryCacheStats second = SecondaryStats();
  const TieredCacheStats own = GetStats();
  std::string out;
  const auto add = [&out](const char* name, uint64_t n) {
    out += std::string(", ") + name + " " + std::to_string(n);
  };
  out += std::string("first tier, ") + primary_->Name() + ": " +
         Of(primary_->GetUsage(), primary_->GetCapacity(),
            primary_->GetOccupancyCount());
  out += std::string("second tier, ") + SecondaryName() + ": " +
         Of(second.usage, second.capacity, second.entries);
  out += "saved: " + std::to_string(second.bytes_in) + " bytes kept in " +
         std::to_string(second.bytes_stored) + " (" +
         Percent(second.bytes_stored, second.bytes_in) + ")\n";
  out += "lookups " + std::to_string(own.lookups);
  add("hits", own.hits);
  out += " (" + Percent(own.hits, own.lookups) + ")";
  add("promotions", own.promotions);
  add("damaged", own.damaged);
  add("refused", own.refused);
  out += "\nevictions " + std::to_string(own.evictions);
  add("demotions", own.demotions);
  add("touches", own.touches);
  add("not admitted", own.not_admitted);
  add("failures", own.failures);
  out += "\nfirst tier, by role, and by the time since entries came:\n";
  return out + primary_->CollectEntryStats().ToString();
}

std::string JoinedTiers::ReportProblems() const {
  std::string problems = primary_->ReportProblems();
  const SecondaryCacheStats second = SecondaryStats();
  const TieredCacheStats own = GetStats();
  const auto add = [&problems](const std::string& problem) {
    if (!problems.empty()) problems += "\n";
    problems += "TieredCache: " + problem;
  };
  if (own.damaged != 0) {
    add(std::to_string(own.damaged) + " values came back from " +
        SecondaryName() + " with other bytes");
  }
  if (own.failures > own.demotions) {
    add(std::string(SecondaryName()) + " failed " +
        std::to_string(own.failures) + " times");
  }
  constexpr uint64_t kEnough = 10000;
  if (second.inserts > kEnough &&
      second.bytes_stored > second.bytes_in / 10 * 9) {
    add("values hardly become smaller: choose another compression_type, or "
        "give all memory to the first tier");
  }
  return problems;
}

}  // namespace internal

Result<std::shared_ptr<TieredCache>> NewTieredCache(
    const TieredCacheOptions& options) {
  return internal::OrMemoryLimit([&]() -> Result<std::shared_ptr<TieredCache>> {
    if (options.primary == nullptr || options.secondary == nullptr) {
      return Status::InvalidArgument(
          "primary or secondary is null: a tiered cache needs both");
    }
    if (options.estimated_entry_charge == 0) {
      return Status::InvalidArgument(
          "estimated_entry_charge is 0, expected 1 or more");
    }
    try {
      return std::shared_ptr<TieredCache>(
          std::make_shared<internal::JoinedTiers>(options));
    } catch (const std::bad_alloc&) {
      return Status::MemoryLimit(
          "no memory for the keys that the cache remembers");
    }
  });
}

}  // namespace ashlar
