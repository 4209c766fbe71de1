// FrequencySketch: estimates how often a key was used recently, with a few
// bits.
//
// It is a count-min sketch of four rows of counters up to 15. Each row has four
// counters per entry of the cache. All counters are halved after ten uses per
// entry. For W-TinyLFU. For one thread at a time.
#ifndef ASHLAR_TOOLS_CACHE_SIM_MODELS_FREQUENCY_SKETCH_H_
#define ASHLAR_TOOLS_CACHE_SIM_MODELS_FREQUENCY_SKETCH_H_

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace ashlar::sim {

class FrequencySketch {
 public:
  FrequencySketch(uint32_t entries, uint64_t seed)
      : seed_(seed),
        mask_(std::bit_ceil(uint64_t{entries} * kCountersPerEntry) - 1),
        sample_(uint64_t{entries} * kUsesPerEntry),
        counters_(kRows * (mask_ + 1)) {}

  void Add(uint32_t key) {
    for (uint32_t row = 0; row < kRows; ++row) {
      uint8_t& counter = counters_[Index(row, key)];
      if (counter < kMost) ++counter;
    }
    if (++uses_ == sample_) Halve();
  }
  [[nodiscard]] uint32_t Estimate(uint32_t key) const {
    uint8_t least = kMost;
    for (uint32_t row = 0; row < kRows; ++row) {
      least = std::min(least, counters_[Index(row, key)]);
    }
    return least;
  }

 private:
  static constexpr uint32_t kRows = 4;
  static constexpr uint64_t kCountersPerEntry = 4;
  static constexpr uint64_t kUsesPerEntry = 10;
  static constexpr uint8_t kMost = 15;

  [[nodiscard]] uint64_t Index(uint32_t row, uint32_t key) const {
    // The finalizer of SplitMix64: every bit of the key affects every bit of x.
    uint64_t x = key + (seed_ * kRows + row + 1) * 0x9E3779B97F4A7C15;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
    return row * (mask_ + 1) + ((x ^ (x >> 31)) & mask_);
  }
  void Halve() {
    for (uint8_t& counter : counters_) counter /= 2;
    uses_ /= 2;
  }

  const uint64_t seed_;
  const uint64_t mask_;
  const uint64_t sample_;
  uint64_t uses_ = 0;
  std::vector<uint8_t> counters_;
};

}  // namespace ashlar::sim

#endif  // ASHLAR_TOOLS_CACHE_SIM_MODELS_FREQUENCY_SKETCH_H_
