// KeyDraw: draws the keys of random reads, the same for every engine.
//
// Draws uniformly from all keys, or from a few hot ones. These are the first
// keys, or spread evenly over the table. For one thread at a time.
#ifndef ASHLAR_TOOLS_BENCH_KEY_DRAW_H_
#define ASHLAR_TOOLS_BENCH_KEY_DRAW_H_

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
        stride_(options.spread_keys ? options.workload.num / count_ : 1) {}
  KeyDraw(const BenchOptions& options, uint64_t seed)
      : KeyDraw(options, options.hot_keys, seed) {}

  uint64_t Next() { return random_.Below(count_) * stride_; }

 private:
  Random random_;
  uint64_t count_;
  uint64_t stride_;
};

// Returns the draw for seeks after which `range` entries are read.
inline KeyDraw DrawOfRanges(const BenchOptions& options, uint64_t range,
                            uint64_t seed) {
  const bool hot = range > 1 && options.hot_ranges != 0;
  return {options, hot ? options.hot_ranges : options.hot_keys, seed};
}

}  // namespace ashlar::bench

#endif  // ASHLAR_TOOLS_BENCH_KEY_DRAW_H_
