// KeyDraw: which key comes next in a random read, the same for every engine.
//
// Uniform over all keys, or over a few hot ones, which are the first or lie
// evenly over the table. One thread at a time.
#ifndef ASHLAR_TOOLS_BENCH_KEY_DRAW_H_
#define ASHLAR_TOOLS_BENCH_KEY_DRAW_H_

#include <cstdint>

#include "tools/bench/engine.h"
#include "tools/bench/workload.h"

namespace ashlar::bench {

class KeyDraw {
 public:
  // `hot`: how many keys; 0: all.
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

// Of seeks that `range` entries are read from.
inline KeyDraw DrawOfRanges(const BenchOptions& options, uint64_t range,
                            uint64_t seed) {
  const bool hot = range > 1 && options.hot_ranges != 0;
  return {options, hot ? options.hot_ranges : options.hot_keys, seed};
}

}  // namespace ashlar::bench

#endif  // ASHLAR_TOOLS_BENCH_KEY_DRAW_H_
