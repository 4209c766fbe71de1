#include "tools/ashlar/measure/size_distribution.h"

#include <algorithm>
#include <bit>
#include <cmath>

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

// Returns the largest size of each bin.
std::vector<uint64_t> BinEnds(uint64_t min, uint64_t max) {
  constexpr uint64_t kBins = 24;
  constexpr uint64_t kMuch = 8;
  std::vector<uint64_t> ends;
  if (max - min < kBins) {
    for (uint64_t size = min; size < max; ++size) ends.push_back(size);
  } else {
    const double low = static_cast<double>(std::max<uint64_t>(min, 1));
    const double high = static_cast<double>(max);
    const bool steps = high / low < static_cast<double>(kMuch);
    for (uint64_t i = 1; i < kBins; ++i) {
      const double share = static_cast<double>(i) / kBins;
      const double end = steps ? low + share * (high - low)
                               : low * std::pow(high / low, share);
      const auto whole = static_cast<uint64_t>(end);
      if (ends.empty() || whole > ends.back()) ends.push_back(whole);
    }
  }
  ends.push_back(max);
  return ends;
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

std::vector<SizeDistribution::Bin> SizeDistribution::Bins() const {
  std::vector<Bin> bins;
  uint64_t low = min_;
  for (const uint64_t end : BinEnds(min_, max_)) {
    bins.push_back({low, std::max(low, end), 0});
    low = bins.back().high + 1;
  }
  size_t bin = 0;
  for (const auto& [size, count] : counts_) {
    while (bin + 1 < bins.size() && size > bins[bin].high) ++bin;
    bins[bin].count += count;
  }
  return bins;
}

}  // namespace ashlar::tool
