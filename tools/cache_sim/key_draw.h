// Draws keys, of which some are more popular than others.
//
// It follows Zipf's law by a table of sums: it is exact, and gives the same
// keys on every machine with IEEE doubles. For one thread at a time.
#ifndef ASHLAR_TOOLS_CACHE_SIM_KEY_DRAW_H_
#define ASHLAR_TOOLS_CACHE_SIM_KEY_DRAW_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "tools/bench/workload.h"

namespace ashlar::sim {

class KeyDraw {
 public:
  KeyDraw(uint64_t keys, double skew, uint64_t seed)
      : random_(seed), sums_(keys) {
    double sum = 0;
    for (uint64_t i = 0; i < keys; ++i) {
      sum += std::pow(static_cast<double>(i + 1), -skew);
      sums_[i] = sum;
    }
  }

  // Returns a number below `keys`. 0 is the most popular.
  uint64_t Next() {
    constexpr int kBits = 53;  // of a double's fraction
    const double part = static_cast<double>(random_.Next() >> (64 - kBits)) /
                        static_cast<double>(uint64_t{1} << kBits);
    const auto at =
        std::upper_bound(sums_.begin(), sums_.end() - 1, part * sums_.back());
    return static_cast<uint64_t>(at - sums_.begin());
  }

 private:
  bench::Random random_;
  std::vector<double> sums_;  // of the weights up to each key
};

}  // namespace ashlar::sim

#endif  // ASHLAR_TOOLS_CACHE_SIM_KEY_DRAW_H_
