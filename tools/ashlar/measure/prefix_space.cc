#include "tools/ashlar/measure/prefix_space.h"

#include <algorithm>

namespace ashlar::tool {
namespace {

// What an entry has in addition to its user key: sequence number and type.
constexpr uint64_t kTailBytes = 8;

// Returns part / whole of `bytes`, rounded down.
uint64_t PartOf(uint64_t bytes, uint64_t part, uint64_t whole) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<uint64_t>(static_cast<Wide>(bytes) * part / whole);
}

}  // namespace

void SpaceTaken::Add(const SpaceTaken& other) {
  entries += other.entries;
  key_bytes += other.key_bytes;
  value_bytes += other.value_bytes;
  stored_bytes += other.stored_bytes;
}

void PrefixSpace::BeginBlock(uint64_t stored_bytes) {
  EndBlock();
  block_bytes_ = stored_bytes;
}

void PrefixSpace::AddEntry(const std::string_view* prefix,
                           size_t user_key_bytes, size_t value_bytes) {
  const bool wanted = prefix != nullptr;
  if (runs_.empty() || runs_.back().wanted != wanted ||
      (wanted && runs_.back().prefix != *prefix)) {
    runs_.push_back({wanted, std::string(wanted ? *prefix : ""), 0, {}});
  }
  Run& run = runs_.back();
  run.raw_bytes += kTailBytes + user_key_bytes + value_bytes;
  run.taken.Add({1, user_key_bytes, value_bytes, 0});
}

void PrefixSpace::EndBlock() {
  uint64_t whole = 0;
  for (const Run& run : runs_) whole += run.raw_bytes;
  if (whole == 0) return;  // there are none
  uint64_t before = 0;
  uint64_t given = 0;
  for (Run& run : runs_) {
    before += run.raw_bytes;
    // The share of all entries up to here, so that rounding loses nothing.
    const uint64_t taken = PartOf(block_bytes_, before, whole);
    run.taken.stored_bytes = taken - given;
    given = taken;
    if (!run.wanted) continue;
    last_prefix_ = run.prefix;
    At(run.prefix)->Add(run.taken);
    Trim();
  }
  runs_.clear();
}

SpaceTaken* PrefixSpace::At(std::string_view prefix) {
  const auto found = prefixes_.find(prefix);
  if (found != prefixes_.end()) return &found->second;
  prefix_bytes_ += prefix.size();
  return &prefixes_[std::string(prefix)];
}

void PrefixSpace::Merge(const PrefixSpace& other) {
  for (const auto& [prefix, taken] : other.prefixes_) {
    last_prefix_ = prefix;
    At(prefix)->Add(taken);
    Trim();
  }
  dropped_.Add(other.dropped_);
}

void PrefixSpace::Trim() {
  constexpr size_t kMost = size_t{1} << 16;
  constexpr size_t kMostBytes = size_t{1} << 26;
  if (prefixes_.size() <= kMost && prefix_bytes_ <= kMostBytes) return;
  std::vector<uint64_t> sizes;
  sizes.reserve(prefixes_.size());
  for (const auto& row : prefixes_) sizes.push_back(row.second.stored_bytes);
  const auto middle =
      sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  // Even if all are of the same size, only half of them are dropped.
  size_t left = sizes.size() / 2;
  for (auto row = prefixes_.begin(); row != prefixes_.end() && left != 0;) {
    if (row->second.stored_bytes > *middle ||
        last_prefix_.starts_with(row->first)) {
      ++row;
      continue;
    }
    --left;
    dropped_.Add(row->second);
    prefix_bytes_ -= row->first.size();
    row = prefixes_.erase(row);
  }
}

std::vector<PrefixSpace::Row> PrefixSpace::Largest(uint64_t count,
                                                   SpaceTaken* others) const {
  std::vector<Row> rows(prefixes_.begin(), prefixes_.end());
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return a.second.stored_bytes > b.second.stored_bytes;
  });
  *others = dropped_;
  while (count != 0 && rows.size() > count) {
    others->Add(rows.back().second);
    rows.pop_back();
  }
  return rows;
}

}  // namespace ashlar::tool
