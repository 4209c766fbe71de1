// RoleCharge: the pieces by which all users of one role are charged.
//
// State, under the mutex: `used_`, the sum of what all users have charged, and
// `pieces_`, each a MemoryReservation of kPieceBytes. Between calls,
//
//   used_ <= kPieceBytes * number of pieces            (nothing is uncharged)
//
// and no more pieces are kept than used_ needs and one to spare, so that an
// iterator that comes and goes does not insert an entry each time. If used_ is
// 0 there are none.
//
// Who moves it. Add takes room that the pieces have. If they lack some, it
// makes pieces with the mutex released, joins them to the others, and looks
// again: another thread may have taken the room meanwhile. Each round that
// finds too little room has added what it lacked, so another thread has made
// progress. Remove takes off pieces that are not needed, and ends them after
// the mutex is released.
//
// No mutex is held while the cache is called. To make room the cache evicts
// entries, and an application may keep there what itself has a charge, such as
// a reader: its end comes back to Remove on the same thread.
//
// The registry has a weak pointer to each RoleCharge. The last MemoryCharge
// ends it, and so no cache lives longer than its users want. A RoleCharge that
// is ending while a new one is made for its cache may exist beside it for a
// moment: each has its own pieces, so nothing is lost.

#include "cache/charge/memory_charge.h"

#include <list>
#include <map>
#include <string>
#include <utility>

#include "ashlar/cache/memory_reservation.h"
#include "ashlar/util/sync/mutex.h"

namespace ashlar::internal {

namespace {

// As RocksDB's, and the smallest piece of a MemoryReservation.
constexpr uint64_t kPieceBytes = uint64_t{256} << 10;

struct Registry {
  using Key = std::pair<const Cache*, CacheEntryRole>;
  Mutex mutex;
  std::map<Key, std::weak_ptr<RoleCharge>> charges
      ASHLAR_THREAD_ATTRIBUTE(guarded_by(mutex));
};

// Never destroyed: charges may end after static objects.
Registry& TheRegistry() {
  static Registry* const registry = new Registry;
  return *registry;
}

}  // namespace

class RoleCharge {
 public:
  RoleCharge(std::shared_ptr<Cache> cache, CacheEntryRole role)
      : cache_(std::move(cache)), role_(role) {}
  RoleCharge(const RoleCharge&) = delete;
  RoleCharge& operator=(const RoleCharge&) = delete;
  ~RoleCharge() {
    Registry& registry = TheRegistry();
    const MutexLock lock(&registry.mutex);
    const auto own = registry.charges.find({cache_.get(), role_});
    if (own != registry.charges.end() && own->second.expired()) {
      registry.charges.erase(own);
    }
  }

  static std::shared_ptr<RoleCharge> Of(const std::shared_ptr<Cache>& cache,
                                        CacheEntryRole role) {
    Registry& registry = TheRegistry();
    const MutexLock lock(&registry.mutex);
    std::weak_ptr<RoleCharge>& place = registry.charges[{cache.get(), role}];
    std::shared_ptr<RoleCharge> charge = place.lock();
    if (charge == nullptr) {
      charge = std::make_shared<RoleCharge>(cache, role);
      place = charge;
    }
    return charge;
  }

  Status Add(uint64_t bytes);
  void Remove(uint64_t bytes) noexcept;

 private:
  using Pieces = std::list<MemoryReservation>;

  Status MakePieces(uint64_t bytes, Pieces* made) const;
  Status Refused(uint64_t bytes) const;

  const std::shared_ptr<Cache> cache_;
  const CacheEntryRole role_;
  Mutex mutex_;
  uint64_t used_ ASHLAR_THREAD_ATTRIBUTE(guarded_by(mutex_)) = 0;
  Pieces pieces_ ASHLAR_THREAD_ATTRIBUTE(guarded_by(mutex_));
};

Status RoleCharge::MakePieces(uint64_t bytes, Pieces* made) const {
  for (uint64_t room = 0; room < bytes; room += kPieceBytes) {
    MemoryReservation& piece = made->emplace_back(cache_, role_);
    Status reserved = piece.UpdateTo(kPieceBytes);
    if (!reserved.ok()) return reserved;
  }
  return {};
}

Status RoleCharge::Refused(uint64_t bytes) const {
  return Status::MemoryLimit(
      "no room in the block cache to charge " + std::to_string(bytes) +
      " more bytes for " + std::string(CacheEntryRoleName(role_)) +
      " (capacity " + std::to_string(cache_->GetCapacity()) + ", usage " +
      std::to_string(cache_->GetUsage()) + ")");
}

Status RoleCharge::Add(uint64_t bytes) {
  // No machine has that much memory, and sums must not overflow.
  if (bytes > UINT64_MAX / 4) return Refused(bytes);
  return OrMemoryLimit([&]() -> Status {
    for (;;) {
      uint64_t lacking;
      {
        const MutexLock lock(&mutex_);
        const uint64_t room = pieces_.size() * kPieceBytes - used_;
        if (bytes <= room) {
          used_ += bytes;
          return {};
        }
        lacking = bytes - room;
      }
      Pieces made;
      const bool enough = MakePieces(lacking, &made).ok();
      if (!enough) {
        made.clear();
        // Pieces of an earlier round may not be needed any more.
        Remove(0);
        return Refused(bytes);
      }
      const MutexLock lock(&mutex_);
      pieces_.splice(pieces_.end(), made);
    }
  });
}

void RoleCharge::Remove(uint64_t bytes) noexcept {
  Pieces gone;  // ends after the mutex is released
  const MutexLock lock(&mutex_);
  used_ -= bytes;
  const uint64_t needed = (used_ + kPieceBytes - 1) / kPieceBytes;
  const uint64_t kept = needed == 0 ? 0 : needed + 1;
  while (pieces_.size() > kept) {
    gone.splice(gone.begin(), pieces_, std::prev(pieces_.end()));
  }
}

MemoryCharge::MemoryCharge(const std::shared_ptr<Cache>& cache,
                           const CacheUsageOptions& options,
                           CacheEntryRole role) {
  if (cache != nullptr && options.Charges(role)) {
    role_ = RoleCharge::Of(cache, role);
  }
}

Status MemoryCharge::AddToRole(uint64_t more) {
  Status added = role_->Add(more);
  if (added.ok()) bytes_.FetchAdd(more);
  return added;
}

Status MemoryCharge::UpdateTo(uint64_t bytes) {
  const uint64_t now = bytes_.Load();
  if (bytes > now) return Add(bytes - now);
  Remove(now - bytes);
  return {};
}

void MemoryCharge::Remove(uint64_t less) noexcept {
  if (less == 0) return;
  bytes_.FetchSub(less);
  role_->Remove(less);
}

}  // namespace ashlar::internal
