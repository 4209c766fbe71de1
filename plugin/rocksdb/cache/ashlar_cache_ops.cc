#include "ashlar_cache_ops.h"

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <functional>
#include <utility>

#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"
#include "ashlar/util/sync/mutex.h"
#include "cache_terms.h"

namespace ashlar_rocksdb {

namespace {

static_assert(std::has_single_bit(kMostHelpers));

struct NumberedOps : ashlar::CacheItemOps {
  const RocksDbHelper* helper = nullptr;
};

// All but `taken` is written once, before taken[i] is set, and then read by any
// thread. A helper has its number at the first free place from its hash on.
struct Register {
  std::array<NumberedOps, kMostHelpers> ops;
  std::array<std::atomic<bool>, kMostHelpers> taken;
  ashlar::internal::Mutex mutex;  // of taking a number
};
constinit Register numbers;

rocksdb::MemoryAllocator* TargetOf(ashlar::MemoryAllocator* allocator) {
  return allocator == nullptr
             ? nullptr
             : static_cast<AllocatorOfRocksDb*>(allocator)->target();
}

void Destroy(const RocksDbHelper& helper, void* value,
             ashlar::MemoryAllocator* allocator) {
  if (helper.del_cb != nullptr) helper.del_cb(value, TargetOf(allocator));
}

// What a second tier of Ashlar keeps of a value: its bytes, and one that says
// whether RocksDB could save them.
constexpr size_t kMark = 1;
constexpr char kWasSaved = 1;

void Save(const RocksDbHelper& helper, void* value, char* out) {
  const size_t size = helper.size_cb(value);
  const bool ok = helper.saveto_cb(value, 0, size, out + kMark).ok();
  *out = ok ? kWasSaved : 0;
}

ashlar::Status Create(const RocksDbHelper& helper, const ashlar::Slice& saved,
                      const void* context, ashlar::MemoryAllocator* allocator,
                      void** value, size_t* charge) {
  if (saved.size() < kMark || saved[0] != kWasSaved) {
    return ashlar::Status::Corruption("RocksDB could not save the value");
  }
  auto* const theirs = const_cast<rocksdb::Cache::CreateContext*>(
      static_cast<const rocksdb::Cache::CreateContext*>(context));
  const rocksdb::Status s = helper.create_cb(
      rocksdb::Slice(saved.data() + kMark, saved.size() - kMark),
      rocksdb::kNoCompression, rocksdb::CacheTier::kVolatileTier, theirs,
      TargetOf(allocator), value, charge);
  if (s.ok()) return ashlar::Status::OK();
  if (s.IsMemoryLimit()) return ashlar::Status::MemoryLimit(s.ToString());
  return ashlar::Status::Corruption(s.ToString());
}

template <size_t kNumber>
struct Functions {
  static const RocksDbHelper& helper() { return *numbers.ops[kNumber].helper; }
  static void Destroy(void* value, ashlar::MemoryAllocator* allocator) {
    ashlar_rocksdb::Destroy(helper(), value, allocator);
  }
  static size_t SavedSize(const void* value) {
    return kMark + helper().size_cb(const_cast<void*>(value));
  }
  static void SaveTo(const void* value, char* out) {
    Save(helper(), const_cast<void*>(value), out);
  }
  static ashlar::Status Create(const ashlar::Slice& saved, const void* context,
                               ashlar::MemoryAllocator* allocator, void** value,
                               size_t* charge) {
    return ashlar_rocksdb::Create(helper(), saved, context, allocator, value,
                                  charge);
  }
  static constexpr ashlar::CacheItemOps kOps = {.destroy = Destroy,
                                                .saved_size = SavedSize,
                                                .save_to = SaveTo,
                                                .create = Create};
};

template <size_t... kNumbers>
constexpr std::array<ashlar::CacheItemOps, kMostHelpers> AllFunctions(
    std::index_sequence<kNumbers...> /*numbers*/) {
  return {Functions<kNumbers>::kOps...};
}
constexpr auto kFunctions =
    AllFunctions(std::make_index_sequence<kMostHelpers>());

// The helper may be a new one where another was freed. What was copied of that
// one must then still be right.
bool IsOf(const NumberedOps& ops, const RocksDbHelper* helper) {
  return ops.helper == helper && ops.role == ToAshlar(helper->role) &&
         (ops.create != nullptr) == helper->IsSecondaryCacheCompatible();
}

size_t HomeOf(const RocksDbHelper* helper) {
  // An odd number with half of its bits set.
  constexpr uint64_t kSpread = 0x9e3779b97f4a7c15;
  constexpr int kShift = 64 - std::countr_zero(kMostHelpers);
  return (reinterpret_cast<uintptr_t>(helper) * kSpread) >> kShift;
}

// Returns the place of the helper, or the first free one, or null if there is
// neither. Sets *found to whether it is that of the helper.
NumberedOps* PlaceOf(const RocksDbHelper* helper, bool* found) {
  const size_t home = HomeOf(helper);
  for (size_t i = 0; i < kMostHelpers; ++i) {
    const size_t number = (home + i) % kMostHelpers;
    NumberedOps* const place = &numbers.ops[number];
    *found = numbers.taken[number].load(std::memory_order_acquire);
    if (!*found || IsOf(*place, helper)) return place;
  }
  return nullptr;
}

[[gnu::noinline]] const ashlar::CacheItemOps* TakeNumber(
    const RocksDbHelper* helper) {
  const ashlar::internal::MutexLock lock(&numbers.mutex);
  bool found = false;
  NumberedOps* const place = PlaceOf(helper, &found);
  if (place == nullptr || found) return place;
  const auto number = static_cast<size_t>(place - numbers.ops.data());
  const ashlar::CacheItemOps& functions = kFunctions[number];
  place->role = ToAshlar(helper->role);
  place->destroy = functions.destroy;
  if (helper->IsSecondaryCacheCompatible()) {
    place->saved_size = functions.saved_size;
    place->save_to = functions.save_to;
    place->create = functions.create;
  }
  place->helper = helper;
  numbers.taken[number].store(true, std::memory_order_release);
  return place;
}

}  // namespace

const ashlar::CacheItemOps* OpsOf(const RocksDbHelper* helper) {
  bool found = false;
  NumberedOps* const place = PlaceOf(helper, &found);
  return found && place != nullptr ? place : TakeNumber(helper);
}

const RocksDbHelper* HelperOf(const ashlar::CacheItemOps* ops) {
  const auto* const first = numbers.ops.data();
  const auto* const numbered = static_cast<const NumberedOps*>(ops);
  // std::less orders pointers to unrelated objects as well.
  const std::less<> less;
  if (less(numbered, first) || !less(numbered, first + kMostHelpers)) {
    return nullptr;
  }
  return numbered->helper;
}

}  // namespace ashlar_rocksdb
