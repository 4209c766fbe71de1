#include "tools/replay/reuse_distances.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

namespace ashlar::sim {

// A node of the tree, which is numbered from 1, has the sum of as many places
// before its own as its lowest bit says.
void ReuseDistances::Add(uint32_t place, uint64_t bytes) {
  for (size_t i = size_t{place} + 1; i <= sums_.size(); i += i & (~i + 1)) {
    sums_[i - 1] += bytes;
  }
}

uint64_t ReuseDistances::SumTo(uint32_t place) const {
  uint64_t sum = 0;
  for (size_t i = size_t{place} + 1; i != 0; i &= i - 1) sum += sums_[i - 1];
  return sum;
}

// Called when all places are taken. The blocks keep their order, and move to
// the first places. There are then twice as many places as blocks, so a move of
// n blocks comes after n uses at least.
void ReuseDistances::MakeRoom() {
  constexpr size_t kLeastPlaces = 1024;
  std::vector<uint32_t> blocks;
  blocks.reserve(used_blocks_);
  for (const uint32_t block : block_at_) {
    if (block != kNever) blocks.push_back(block);
  }
  block_at_ = std::move(blocks);
  sums_.assign(std::max(kLeastPlaces, block_at_.size() * 2), 0);
  for (uint32_t place = 0; place < block_at_.size(); ++place) {
    Block& block = blocks_[block_at_[place]];
    block.place = place;
    Add(place, block.bytes);
  }
}

std::optional<uint64_t> ReuseDistances::Look(uint32_t block,
                                             uint64_t bytes) const {
  if (block >= blocks_.size() || blocks_[block].place == kNever) {
    return std::nullopt;
  }
  return all_bytes_ - SumTo(blocks_[block].place) + bytes;
}

std::optional<uint64_t> ReuseDistances::Use(uint32_t block, uint64_t bytes) {
  const std::optional<uint64_t> distance = Look(block, bytes);
  if (block >= blocks_.size()) blocks_.resize(size_t{block} + 1);
  if (block_at_.size() == sums_.size()) MakeRoom();
  Block& used = blocks_[block];
  if (distance) {
    Add(used.place, ~used.bytes + 1);
    block_at_[used.place] = kNever;
    all_bytes_ -= used.bytes;
  } else {
    ++used_blocks_;
  }
  used = {static_cast<uint32_t>(block_at_.size()), bytes};
  block_at_.push_back(block);
  Add(used.place, bytes);
  all_bytes_ += bytes;
  return distance;
}

namespace {

constexpr size_t kBinsOfPower = 4;
constexpr int kFirstPower = 4;  // the first bin has all up to 16

}  // namespace

uint64_t ReuseHistogram::LimitOf(size_t bin) {
  // Powers of the fourth root of two.
  constexpr double kFactors[kBinsOfPower] = {
      1, 1.189207115002721, 1.414213562373095, 1.681792830507429};
  // The limit of the last bin would be 2^64.
  if (bin + 1 == kBins) return UINT64_MAX;
  const auto power = static_cast<int>(bin / kBinsOfPower) + kFirstPower;
  return static_cast<uint64_t>(std::ldexp(kFactors[bin % kBinsOfPower], power));
}

size_t ReuseHistogram::BinOf(uint64_t distance) {
  if (distance <= uint64_t{1} << kFirstPower) return 0;
  const auto power = static_cast<int>(std::bit_width(distance - 1)) - 1;
  size_t bin = kBinsOfPower * static_cast<size_t>(power - kFirstPower) + 1;
  while (LimitOf(bin) < distance) ++bin;
  return bin;
}

uint64_t ReuseHistogram::CountIn(size_t bin) const {
  const auto begin =
      counts_.begin() + static_cast<std::ptrdiff_t>(bin * kinds_);
  return std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(kinds_),
                         uint64_t{0});
}

uint64_t ReuseHistogram::first_uses() const {
  return std::accumulate(first_.begin(), first_.end(), uint64_t{0});
}

uint64_t ReuseHistogram::accesses() const {
  return std::accumulate(counts_.begin(), counts_.end(), first_uses());
}

size_t ReuseHistogram::begin_bin() const {
  for (size_t bin = 0; bin < kBins; ++bin) {
    if (CountIn(bin) != 0) return bin;
  }
  return 0;
}

size_t ReuseHistogram::end_bin() const {
  for (size_t bin = kBins; bin != 0; --bin) {
    if (CountIn(bin - 1) != 0) return bin;
  }
  return 0;
}

}  // namespace ashlar::sim
