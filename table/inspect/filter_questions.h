// FilterQuestions: hashes that a filter must know, asked many at a time.
//
// For the data pass, which asks about all keys of a table, one after the other.
// A filter is in no near cache. So what a question will look at is prefetched
// when the question comes in, and looked at some dozens of questions later. One
// thread at a time.
#ifndef ASHLAR_TABLE_INSPECT_FILTER_QUESTIONS_H_
#define ASHLAR_TABLE_INSPECT_FILTER_QUESTIONS_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "table/filter/filter_bits.h"

namespace ashlar::internal {

class FilterQuestions {
 public:
  static constexpr size_t kMostAtOnce = 32;

  // Drops the questions that were not asked yet.
  void Clear() { pending_ = 0; }

  // Takes the hashes as questions, and may ask the filter some that came
  // before. Returns false if it denies one of those. Requires: at most
  // kMostAtOnce hashes; AskRest or Clear is called before another filter is
  // asked.
  [[nodiscard]] bool Add(const FilterBitsReader& filter,
                         std::span<const uint64_t> hashes) {
    filter.Prefetch(hashes);
    std::copy(hashes.begin(), hashes.end(), hashes_.begin() + pending_);
    pending_ += hashes.size();
    if (pending_ < kFilterBatchMax + kMostAtOnce) return true;
    const bool known = Ask(filter, kFilterBatchMax);
    std::copy(hashes_.begin() + kFilterBatchMax, hashes_.begin() + pending_,
              hashes_.begin());
    pending_ -= kFilterBatchMax;
    return known;
  }

  // Asks all questions that are left. Returns false if the filter denies one.
  [[nodiscard]] bool AskRest(const FilterBitsReader& filter) {
    const size_t first = std::min(pending_, kFilterBatchMax);
    const bool known =
        Ask(filter, first) && Ask(filter, pending_ - first, first);
    pending_ = 0;
    return known;
  }

 private:
  bool Ask(const FilterBitsReader& filter, size_t n, size_t from = 0) const {
    if (n == 0) return true;
    const uint64_t all = ~uint64_t{0} >> (kFilterBatchMax - n);
    return filter.MayMatchBatch({hashes_.data() + from, n}) == all;
  }

  size_t pending_ = 0;
  std::array<uint64_t, kFilterBatchMax + 2 * kMostAtOnce> hashes_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_INSPECT_FILTER_QUESTIONS_H_
