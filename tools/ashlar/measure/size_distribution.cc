#include "tools/ashlar/measure/size_distribution.h"

#include <algorithm>
#include <bit>

namespace ashlar::tool {
namespace {

// Keeps eight bits after the first one, so that there are few different sizes.
uint64_t Rounded(uint64_t size) {
  constexpr uint64_t kExact = 4096;
  constexpr int kBits = 9;
  if (size <= kExact) return size;
  const int low = std::bit_width(size) - kBits;
  return size >> low << low;
}

}  // namespace

void SizeDistribution::Add(uint64_t size) {
  min_ = count_ == 0 ? size : std::min(min_, size);
  max_ = std::max(max_, size);
  ++count_;
  ++counts_[Rounded(size)];
}

uint64_t SizeDistribution::Percentile(unsigned percent) const {
  const uint64_t wanted = (count_ * percent + 99) / 100;
  uint64_t met = 0;
  for (const auto& [size, count] : counts_) {
    met += count;
    if (met >= wanted) return std::clamp(size, min_, max_);
  }
  return max_;
}

}  // namespace ashlar::tool
