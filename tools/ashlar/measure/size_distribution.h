// SizeDistribution: counts how often each size occurred, in limited memory.
#ifndef ASHLAR_TOOLS_ASHLAR_MEASURE_SIZE_DISTRIBUTION_H_
#define ASHLAR_TOOLS_ASHLAR_MEASURE_SIZE_DISTRIBUTION_H_

#include <cstdint>
#include <map>
#include <vector>

namespace ashlar::tool {

class SizeDistribution {
 public:
  void Add(uint64_t size);

  uint64_t count() const { return count_; }
  uint64_t min() const { return min_; }
  uint64_t max() const { return max_; }
  // Returns the smallest size that at least `percent` percent of all sizes do
  // not exceed. A size above 4096 is rounded down by less than 0.4 %.
  uint64_t Percentile(unsigned percent) const;

  // Returns up to 24 neighbouring bins, from the smallest size to the largest.
  // A bin has one size, if there are few. Otherwise all bins are equally wide,
  // or, if the sizes differ much, each is wider than the last by the same
  // factor. Sizes are rounded as for Percentile.
  struct Bin {
    uint64_t low;
    uint64_t high;  // included
    uint64_t count;
  };
  std::vector<Bin> Bins() const;

 private:
  std::map<uint64_t, uint64_t> counts_;
  uint64_t count_ = 0;
  uint64_t min_ = 0;
  uint64_t max_ = 0;
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_MEASURE_SIZE_DISTRIBUTION_H_
