// MemoryCharge: what one object (a reader, a build, an iterator) has charged of
// its memory to a block cache, under one role.
//
// A cache is charged in pieces of 256 KiB (cache/memory_reservation.h), and a
// table or an iterator may need a few KiB. So all objects that charge one role
// of one cache share a RoleCharge, which has the pieces. An object charges
// memory before it keeps it, and gives back when it is destroyed. Nothing is
// charged per key: objects charge whole chunks, buffers or blocks.
//
// A default MemoryCharge charges nothing and never fails. any() is then false,
// and asking that is all that a caller pays for the feature.
//
// Threads. Add and Remove may be called by several threads at once. Everything
// else belongs to one thread at a time. The cache lives at least as long as the
// charges on it.
#ifndef ASHLAR_CACHE_CHARGE_MEMORY_CHARGE_H_
#define ASHLAR_CACHE_CHARGE_MEMORY_CHARGE_H_

#include <cstdint>
#include <memory>
#include <utility>

#include "ashlar/cache/cache.h"
#include "ashlar/cache/cache_usage_options.h"
#include "ashlar/util/status.h"
#include "util/mem/memory_limit.h"
#include "util/sync/atomic.h"

namespace ashlar::internal {

class RoleCharge;

class MemoryCharge {
 public:
  MemoryCharge() = default;
  // Charges this role of the cache, if there is a cache and the options charge
  // the role. Throws std::bad_alloc.
  MemoryCharge(const std::shared_ptr<Cache>& cache,
               const CacheUsageOptions& options, CacheEntryRole role);
  // Takes over what `other` has charged. `other` may go on charging.
  MemoryCharge(MemoryCharge&& other) noexcept { *this = std::move(other); }
  MemoryCharge& operator=(MemoryCharge&& other) noexcept {
    if (this == &other) return *this;
    Clear();
    role_ = other.role_;
    bytes_.Store(other.TakeBytes());
    return *this;
  }
  // Gives everything back.
  ~MemoryCharge() { Clear(); }

  // Returns a charge on the same role of the same cache, of nothing yet.
  MemoryCharge Sibling() const {
    MemoryCharge sibling;
    sibling.role_ = role_;
    return sibling;
  }

  // Returns whether anything is ever charged.
  bool any() const { return role_ != nullptr; }
  uint64_t bytes() const { return bytes_.Load(); }

  // These change the charge. If the cache has no room they return MemoryLimit,
  // and the charge is as before.
  Status Add(uint64_t more) {
    return any() && more != 0 ? AddToRole(more) : Status();
  }
  Status UpdateTo(uint64_t bytes);
  // Makes the charge at least this large.
  Status Cover(uint64_t bytes) {
    return any() && bytes > bytes_.Load() ? UpdateTo(bytes) : Status();
  }
  // Makes the charge at most this large.
  void Shrink(uint64_t bytes) noexcept {
    const uint64_t now = bytes_.Load();
    if (bytes < now) Remove(now - bytes);
  }
  // Requires: at least so much is charged.
  void Remove(uint64_t less) noexcept;
  void Clear() noexcept { Remove(bytes_.Load()); }

  // These throw MemoryRefused instead of returning an error.
  void AddOrThrow(uint64_t more) {
    if (any()) ThrowIfRefused(Add(more));
  }
  void CoverOrThrow(uint64_t bytes) {
    if (any()) ThrowIfRefused(Cover(bytes));
  }

 private:
  uint64_t TakeBytes() noexcept {
    const uint64_t bytes = bytes_.Load();
    bytes_.Store(0);
    return bytes;
  }
  Status AddToRole(uint64_t more);
  static void ThrowIfRefused(const Status& status) {
    if (!status.ok()) [[unlikely]]
      throw MemoryRefused(status);
  }

  std::shared_ptr<RoleCharge> role_;  // null: nothing is charged
  RelaxedAtomic<uint64_t> bytes_{0};
};

// Returns the size of a step in which memory that grows bit by bit is charged:
// `bytes` rounded up, so that few calls reach the shared charge.
constexpr uint64_t RoundUpCharge(uint64_t bytes) {
  constexpr uint64_t kStep = uint64_t{32} << 10;
  return (bytes / kStep + 1) * kStep;
}

}  // namespace ashlar::internal

#endif  // ASHLAR_CACHE_CHARGE_MEMORY_CHARGE_H_
