#include "ashlar/cache/memory_reservation.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <new>
#include <string>

#include "port/random_word.h"
#include "util/mem/memory_limit.h"
#include "util/sync/atomic.h"

namespace ashlar {

namespace {

// Operations for entries without values, which have only a role.
const CacheItemOps* PlaceholderOps(CacheEntryRole role) {
  static constexpr auto kOps = [] {
    std::array<CacheItemOps, kCacheEntryRoles> ops;
    for (size_t i = 0; i < kCacheEntryRoles; ++i) {
      ops[i].role = static_cast<CacheEntryRole>(i);
    }
    return ops;
  }();
  return &kOps[static_cast<size_t>(role)];
}

// Returns a key that is used once and is like the key of no block: two random
// words. Consecutive keys are far apart, so that they lead to any shard.
CacheKey NextPlaceholderKey() {
  static const CacheKey base = {port::RandomWord(), port::RandomWord()};
  static internal::RelaxedAtomic<uint64_t> count(0);
  constexpr uint64_t kOdd = 0x9e3779b97f4a7c15;
  return {base.file, base.block ^ count.FetchAdd(1) * kOdd};
}

// Returns the size of the piece that comes after this many charged bytes. It
// depends on nothing else, so that every way to a size leads to the same
// pieces. It is small against the whole, so that no shard is much worse off
// than the others.
size_t PieceAbove(size_t charged_bytes) {
  constexpr size_t kLeastPiece = size_t{256} << 10;
  return std::max(kLeastPiece, std::bit_floor(charged_bytes / 64));
}

}  // namespace

MemoryReservation::MemoryReservation(std::shared_ptr<Cache> cache,
                                     CacheEntryRole role)
    : cache_(std::move(cache)), ops_(PlaceholderOps(role)) {}

MemoryReservation::~MemoryReservation() {
  while (!pieces_.empty()) RemovePiece();
}

Status MemoryReservation::UpdateTo(size_t bytes) {
  return internal::OrMemoryLimit([&]() -> Status {
    if (cache_ == nullptr) {
      bytes_ = bytes;
      return {};
    }
    // No machine has that much memory, and sums of charges must not overflow.
    if (bytes > SIZE_MAX / 4) {
      return Status::MemoryLimit("cannot reserve " + std::to_string(bytes) +
                                 " bytes");
    }
    const size_t pieces_before = pieces_.size();
    while (charged_bytes_ < bytes) {
      if (AddPiece()) continue;
      while (pieces_.size() > pieces_before) RemovePiece();
      return Status::MemoryLimit("no room in the cache to reserve " +
                                 std::to_string(bytes) + " bytes");
    }
    while (!pieces_.empty() &&
           charged_bytes_ - pieces_.back().handle->charge() >= bytes) {
      RemovePiece();
    }
    bytes_ = bytes;
    return {};
  });
}

bool MemoryReservation::AddPiece() {
  // A shard may be full while others are not: keys lead to all of them.
  constexpr int kTries = 16;
  try {
    // Before there is an entry that would be lost.
    if (pieces_.size() == pieces_.capacity()) {
      pieces_.reserve(2 * pieces_.size() + 4);
    }
  } catch (const std::bad_alloc&) {
    return false;
  }
  const size_t charge = PieceAbove(charged_bytes_);
  for (int i = 0; i < kTries; ++i) {
    Piece piece = {.key = NextPlaceholderKey(), .handle = nullptr};
    const Status status = cache_->Insert(piece.key, nullptr, ops_, charge,
                                         &piece.handle, CachePriority::kLow);
    if (!status.ok()) continue;
    pieces_.push_back(piece);
    charged_bytes_ += charge;
    return true;
  }
  return false;
}

void MemoryReservation::RemovePiece() {
  const Piece piece = pieces_.back();
  charged_bytes_ -= piece.handle->charge();
  // A thread that looks at every entry may hold this one too. It then ends when
  // that thread has looked.
  cache_->Erase(piece.key);
  cache_->Release(piece.handle);
  pieces_.pop_back();
}

}  // namespace ashlar
