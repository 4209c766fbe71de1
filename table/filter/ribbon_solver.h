// The equations of a Ribbon filter: made from hashes, banded, solved.
//
// Used by ribbon.cc, which knows sizes and payloads; this code knows neither.
// Hot functions are inlined into functions that are compiled for a processor.
// Belongs to one thread, except as said here.
//
// Banding, data flow. Each equation begins at some slot. If the slot is free
// the equation takes it. Else the two equations are added, which clears the
// first coefficient, and the sum goes on to the slot of its next coefficient.
// In whatever order equations come, the same slots are taken in the end, and
// the solution is the same. So they come in the order of their starts, bucket
// by bucket, and the rows in use stay in the nearest caches. For the same
// reason several threads may band at once, each a range of slots. An equation
// that would leave its range is put aside, and is inserted when all ranges are
// done.
#ifndef ASHLAR_TABLE_FILTER_RIBBON_SOLVER_H_
#define ASHLAR_TABLE_FILTER_RIBBON_SOLVER_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "port/huge_pages.h"
#include "table/filter/ribbon_shape.h"

namespace ashlar::internal {

__extension__ using Uint128 = unsigned __int128;

inline constexpr uint64_t kRibbonRehash = 0x6193D459236A3A0D;

// Returns the 32 bits that are mixed into hashes for a seed of 8 bits.
constexpr uint32_t RibbonSeedMask(uint8_t seed) {
  uint64_t mixed = seed * 0xC78219A23EEADD03;
  mixed ^= (mixed & 0xF0F0F0F0F0F0F0F0) >> 4;
  return static_cast<uint32_t>(mixed);
}

// An equation without its start. `h` is the hash after mask and rehash.
struct RibbonRow {
  Uint128 coefficients;  // bit 0 is set
  uint32_t result;

  explicit RibbonRow(uint64_t h) {
    const uint64_t a = h * 0xC28F82822B650BED;
    coefficients =
        static_cast<Uint128>(a) << 64 | ((a ^ 0xC367844A6E52731D) | 1);
    result = static_cast<uint32_t>(__builtin_bswap64(a));
  }
  RibbonRow(Uint128 c, uint32_t r) : coefficients(c), result(r) {}
};

inline uint64_t RibbonStart(uint64_t h, uint64_t num_starts) {
  return static_cast<uint64_t>((static_cast<Uint128>(h) * num_starts) >> 64);
}

class RibbonBand {
 public:
  // Makes room for this many slots, all free. Returns false if there is no
  // memory.
  [[nodiscard]] bool Allocate(uint64_t num_slots) {
    num_slots_ = num_slots;
    coefficients_.reset(
        static_cast<Uint128*>(std::calloc(num_slots, sizeof(Uint128))));
    results_.reset(
        static_cast<uint32_t*>(std::calloc(num_slots, sizeof(uint32_t))));
    if (coefficients_ == nullptr || results_ == nullptr) return false;
    port::UseHugePages(coefficients_.get(), num_slots * sizeof(Uint128));
    port::UseHugePages(results_.get(), num_slots * sizeof(uint32_t));
    return true;
  }

  // Frees all slots, before another seed is tried.
  void Clear() {
    std::memset(coefficients_.get(), 0, num_slots_ * sizeof(Uint128));
    std::memset(results_.get(), 0, num_slots_ * sizeof(uint32_t));
  }

  // An equation on its way. Its first coefficient is that of `slot`.
  struct Equation {
    uint64_t slot;
    Uint128 coefficients;
    uint32_t result;
  };

  // Inserts an equation. Touches no slot from `end` on: an equation that comes
  // there is put aside. Returns false if it contradicts the others.
  [[gnu::always_inline]] bool Insert(uint64_t start, RibbonRow row,
                                     uint64_t end,
                                     std::vector<Equation>* aside) {
    Uint128 c = row.coefficients;
    uint32_t r = row.result;
    for (uint64_t slot = start;;) {
      if (slot >= end) [[unlikely]] {
        aside->push_back({slot, c, r});
        return true;
      }
      const Uint128 there = coefficients_.get()[slot];
      if ((static_cast<uint64_t>(there) & 1) == 0) {
        coefficients_.get()[slot] = c;
        results_.get()[slot] = r;
        return true;
      }
      c ^= there;
      r ^= results_.get()[slot];
      if (c == 0) return r == 0;
      const int zeros = TrailingZeros(c);
      slot += static_cast<uint64_t>(zeros);
      c >>= zeros;
    }
  }

  void Prefetch(uint64_t slot) const {
    __builtin_prefetch(coefficients_.get() + slot, 1);
    __builtin_prefetch(results_.get() + slot, 1);
  }

  // Inserts an equation that was put aside; it may now use all slots.
  bool InsertAside(const Equation& equation) {
    std::vector<Equation> none;
    return Insert(equation.slot,
                  RibbonRow(equation.coefficients, equation.result), num_slots_,
                  &none);
  }

  const Uint128* coefficients() const { return coefficients_.get(); }
  const uint32_t* results() const { return results_.get(); }

 private:
  struct Free {
    void operator()(void* p) const { std::free(p); }
  };

  [[gnu::always_inline]] static int TrailingZeros(Uint128 c) {
    const auto low = static_cast<uint64_t>(c);
    return low != 0 ? std::countr_zero(low)
                    : 64 + std::countr_zero(static_cast<uint64_t>(c >> 64));
  }

  uint64_t num_slots_ = 0;
  std::unique_ptr<Uint128, Free> coefficients_;
  std::unique_ptr<uint32_t, Free> results_;
};

// Inserts the equations of hashes that are masked and rehashed, as far as their
// slots are before `end`, and puts the others aside. Returns false if one
// contradicts the others.
[[gnu::always_inline]] inline bool InsertRibbonRows(
    std::span<const uint64_t> hashes, uint64_t num_starts, RibbonBand* band,
    uint64_t end, std::vector<RibbonBand::Equation>* aside) {
  constexpr size_t kAhead = 8;
  for (size_t i = 0; i < hashes.size(); ++i) {
    if (i + kAhead < hashes.size()) {
      band->Prefetch(RibbonStart(hashes[i + kAhead], num_starts));
    }
    const uint64_t h = hashes[i];
    if (!band->Insert(RibbonStart(h, num_starts), RibbonRow(h), end, aside)) {
      return false;
    }
  }
  return true;
}

// Computes the solution from the last slot down, and writes its segments. The
// latest 128 bits of each column are a word that is shifted slot by slot. The
// bits of a free slot are 0.
[[gnu::always_inline]] inline void SolveRibbonByColumn(const RibbonBand& band,
                                                       const RibbonShape& shape,
                                                       char* segments) {
  uint64_t low[kRibbonMaxColumns] = {};
  uint64_t high[kRibbonMaxColumns] = {};
  for (uint32_t block = shape.num_blocks; block-- > 0;) {
    const uint32_t columns = shape.Columns(block);
    for (uint64_t slot = (uint64_t{block} + 1) * kRibbonWidth;
         slot-- > uint64_t{block} * kRibbonWidth;) {
      const Uint128 c = band.coefficients()[slot];
      const auto c_low = static_cast<uint64_t>(c);
      const auto c_high = static_cast<uint64_t>(c >> 64);
      const uint32_t result = band.results()[slot];
      for (uint32_t column = 0; column < columns; ++column) {
        high[column] = high[column] << 1 | low[column] >> 63;
        low[column] <<= 1;
        const auto parity = static_cast<uint32_t>(__builtin_parityll(
            (low[column] & c_low) ^ (high[column] & c_high)));
        low[column] |= (parity ^ (result >> column)) & 1;
      }
    }
    char* out = segments + shape.FirstSegment(block) * sizeof(Uint128);
    for (uint32_t column = 0; column < columns; ++column) {
      std::memcpy(out, &low[column], sizeof(uint64_t));
      std::memcpy(out + sizeof(uint64_t), &high[column], sizeof(uint64_t));
      out += sizeof(Uint128);
    }
  }
}

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_FILTER_RIBBON_SOLVER_H_
