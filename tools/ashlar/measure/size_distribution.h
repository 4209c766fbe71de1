// SizeDistribution: how often which size was met, in bounded memory.
#ifndef ASHLAR_TOOLS_ASHLAR_MEASURE_SIZE_DISTRIBUTION_H_
#define ASHLAR_TOOLS_ASHLAR_MEASURE_SIZE_DISTRIBUTION_H_

#include <cstdint>
#include <map>

namespace ashlar::tool {

class SizeDistribution {
 public:
  void Add(uint64_t size);

  uint64_t count() const { return count_; }
  uint64_t min() const { return min_; }
  uint64_t max() const { return max_; }
  // By size; those above 4096 rounded down as below.
  const std::map<uint64_t, uint64_t>& counts() const { return counts_; }
  // The smallest size that `percent` of all are not above; of sizes above 4096
  // rounded down by less than 0.4 %.
  uint64_t Percentile(unsigned percent) const;

 private:
  std::map<uint64_t, uint64_t> counts_;
  uint64_t count_ = 0;
  uint64_t min_ = 0;
  uint64_t max_ = 0;
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_MEASURE_SIZE_DISTRIBUTION_H_
