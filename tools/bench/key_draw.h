// KeyDraw: draws the keys of random reads, the same for every engine.
//
// Draws uniformly from all keys, or from a few hot ones. These are the first
// keys, or spread evenly over the table. Or draws by Zipf's law: then the most
// wanted keys are scattered over the table. For one thread at a time.
#ifndef ASHLAR_TOOLS_BENCH_KEY_DRAW_H_
#define ASHLAR_TOOLS_BENCH_KEY_DRAW_H_

#include <cmath>
#include <cstdint>

#include "tools/bench/engine.h"
#include "tools/bench/workload.h"

namespace ashlar::bench {

class KeyDraw {
 public:
  // `hot`: the number of keys to draw from; 0: all.
  KeyDraw(const BenchOptions& options, uint64_t hot, uint64_t seed)
      : random_(seed),
        count_(hot == 0 || hot > options.workload.num ? options.workload.num
                                                      : hot),
        stride_(options.spread_keys ? options.workload.num / count_ : 1),
        zipf_(options.zipf) {}
  KeyDraw(const BenchOptions& options, uint64_t seed)
      : KeyDraw(options, options.hot_keys, seed) {}

  uint64_t Next() {
    if (zipf_ != 0) return NextByZipf();
    return random_.Below(count_) * stride_;
  }

 private:
  // Inverts the integral of rank^-zipf, which stands for the sum.
  uint64_t NextByZipf() {
    constexpr double kRange = 9007199254740992.0;  // 2^53
    constexpr uint64_t kScatter = 2654435761;      // a prime
    const double u = static_cast<double>(random_.Next() >> 11) / kRange;
    const double power = 1 - zipf_;
    const double most = std::pow(static_cast<double>(count_), power);
    const auto rank =
        static_cast<uint64_t>(std::pow(1 + u * (most - 1), 1 / power)) - 1;
    return rank * kScatter % count_;
  }

  Random random_;
  uint64_t count_;
  uint64_t stride_;
  double zipf_;  // 0: uniformly
};

// Returns the draw for seeks after which `range` entries are read.
inline KeyDraw DrawOfRanges(const BenchOptions& options, uint64_t range,
                            uint64_t seed) {
  const bool hot = range > 1 && options.hot_ranges != 0;
  return {options, hot ? options.hot_ranges : options.hot_keys, seed};
}

}  // namespace ashlar::bench

#endif  // ASHLAR_TOOLS_BENCH_KEY_DRAW_H_
