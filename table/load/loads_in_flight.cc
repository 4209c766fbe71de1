#include "table/load/loads_in_flight.h"

#include <bit>
#include <new>

#include "util/sync/atomic.h"

namespace ashlar::internal {

namespace {

// Returns the claims of this process, or null if there is no memory for them.
// The first caller makes them. They are never freed: threads may still read at
// the end of the process.
Claims* ProcessClaims() {
  static AcqRelAtomic<Claims*> shared(nullptr);
  Claims* seen = shared.Load();
  if (seen != nullptr && !seen->IsOfParent()) [[likely]]
    return seen;
  auto* const made = new (std::nothrow) Claims;
  if (made == nullptr) return nullptr;
  while (!shared.CompareExchange(&seen, made)) {
    // Another thread of this process was first.
    if (seen != nullptr && !seen->IsOfParent()) {
      delete made;
      return seen;
    }
  }
  return made;
}

}  // namespace

LoadsInFlight::LoadsInFlight(const Cache* cache, const CacheKey& file) {
  // Odd numbers without a pattern. Keys of files are well mixed already.
  constexpr uint64_t kOfFile = 0xD6E8FEB86659FD93;
  constexpr uint64_t kOfCache = 0xA0761D6478BD642F;
  first_ = file.block + file.file * kOfFile +
           std::bit_cast<uintptr_t>(cache) * kOfCache;
}

LoadsInFlight::Turn LoadsInFlight::Begin(uint64_t offset,
                                         LoadClaim* claim) const {
  Claims* const claims = ProcessClaims();
  if (claims == nullptr) return Turn::kNoPlace;
  const uint64_t number = NumberOf(offset);
  const Turn turn = claims->Claim(number);
  if (turn == Turn::kMine || turn == Turn::kMineAgain) {
    claim->claims_ = claims;
    claim->number_ = number;
  }
  return turn;
}

void LoadsInFlight::Await(uint64_t offset) const {
  Claims* const claims = ProcessClaims();
  if (claims != nullptr) claims->Await(NumberOf(offset));
}

}  // namespace ashlar::internal
