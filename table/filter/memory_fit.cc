#include "table/filter/memory_fit.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "ashlar/table/block_kind.h"
#include "table/filter/ribbon.h"

namespace ashlar::internal {

namespace {

constexpr uint64_t kSmallestPiece = 128;

// Returns how many more false positives a filter of that many hashes gives than
// the one that was asked for.
double ExtraOf(const FilterDensity& density, const FilterDensity& wished,
               uint64_t num_hashes) {
  return static_cast<double>(num_hashes) *
         (1.0 / RibbonOneIn(density) - 1.0 / RibbonOneIn(wished));
}

}  // namespace

uint64_t PieceOfAtLeast(uint64_t bytes) {
  bytes = std::max(bytes, kSmallestPiece);
  const uint64_t step = std::bit_ceil(bytes) / 8;
  return (bytes + step - 1) & ~(step - 1);
}

uint64_t PieceOfAtMost(uint64_t bytes) {
  bytes = std::max(bytes, kSmallestPiece);
  const uint64_t step = std::bit_floor(bytes) / 4;
  return bytes & ~(step - 1);
}

FilterDensity MemoryFit::Choose(const FilterKind& kind, uint64_t num_hashes,
                                uint64_t first_hash,
                                const FilterDensity& wished) {
  constexpr int kLeast = 1000;
  constexpr int kMost = 100000;
  const auto bytes_at = [&](int millibits) {
    // A cache keeps a block with its trailer.
    return kBlockTrailerBytes + kind.size_of(num_hashes, first_hash,
                                             FilterDensity(millibits / 1000.0));
  };
  // The densest one that fits a piece: sizes grow with density.
  const auto fitting = [&](uint64_t piece) -> std::optional<FilterDensity> {
    int low = kLeast;
    int high = kMost;
    if (bytes_at(low) > piece) return std::nullopt;
    while (low < high) {
      const int middle = low + (high - low + 1) / 2;
      if (bytes_at(middle) <= piece) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return FilterDensity(low / 1000.0);
  };
  const uint64_t bytes = bytes_at(wished.millibits);
  FilterDensity chosen = fitting(PieceOfAtLeast(bytes)).value_or(wished);
  if (PieceOfAtMost(bytes) < bytes) {
    const auto smaller = fitting(PieceOfAtMost(bytes));
    if (smaller && excess_ + ExtraOf(*smaller, wished, num_hashes) <= 0) {
      chosen = *smaller;
    }
  }
  excess_ += ExtraOf(chosen, wished, num_hashes);
  return chosen;
}

}  // namespace ashlar::internal
