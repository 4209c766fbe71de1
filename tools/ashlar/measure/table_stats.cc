#include "tools/ashlar/measure/table_stats.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "tools/ashlar/inputs/key_prefix.h"

namespace ashlar::tool {
namespace {

constexpr size_t kHeaviest = 10;
}  // namespace

void TableStats::CountBytes(const BlockInfo& block) {
  KindTotal& total = kinds[block.kind];
  ++total.blocks;
  total.bytes +=
      block.size + (block.kind == BlockKind::kFooter ? 0 : kBlockTrailerBytes);
}

void TableStats::OnBlock(const BlockInfo& block) {
  CountBytes(block);
  if (block.kind != BlockKind::kData || !block.contents_sound) return;
  raw_sizes.Add(block.raw_size);
  stored_sizes.Add(block.size);
  if (block.size != 0) ratios.Add(100 * block.raw_size / block.size);
  entries_a_block.Add(block.num_entries);
}

void TableStats::OnEntry(const BlockInfo& block, const Slice& key,
                         const Slice& value) {
  if (block.kind != BlockKind::kData &&
      block.kind != BlockKind::kRangeDeletion) {
    return;
  }
  ++types[TypeOf(key)];
  if (block.kind == BlockKind::kRangeDeletion) return;
  const Slice user_key = UserKeyOf(key);
  key_sizes.Add(user_key.size());
  value_sizes.Add(value.size());
  const std::string_view plain = user_key.ToStringView().substr(
      0, user_key.size() - std::min(user_key.size(), timestamp_size));
  if (WantsPrefixes()) TakePrefix(plain, user_key.size() + value.size());
  CountDistinct(plain);
  Sample(user_key);
}

void TableStats::Finish() {
  while (!open_prefixes_.empty()) ClosePrefix();
  const auto heavier = [](const PrefixWeight& a, const PrefixWeight& b) {
    return a.bytes != b.bytes ? a.bytes > b.bytes : a.prefix < b.prefix;
  };
  for (auto& [prefix, weight] : closed_prefixes_) {
    prefixes.push_back(std::move(weight));
  }
  closed_prefixes_.clear();
  std::sort(prefixes.begin(), prefixes.end(), heavier);
  prefixes.resize(std::min(prefixes.size(), kHeaviest));
}

uint64_t TableStats::FilterBytes() const {
  auto found = kinds.find(BlockKind::kFilterPartition);
  if (found == kinds.end()) found = kinds.find(BlockKind::kFilter);
  if (found == kinds.end()) return 0;
  return found->second.bytes - found->second.blocks * kBlockTrailerBytes;
}

void TableStats::CountDistinct(std::string_view key) {
  if (distinct_keys != 0 && key == last_key_) return;
  ++distinct_keys;
  last_key_ = key;
}

// Keys of one prefix are adjacent, except for a key that is nothing but the
// prefix: other prefixes that begin with it may come before the rest. So a
// prefix stays open as long as keys begin with it.
void TableStats::TakePrefix(std::string_view key, uint64_t bytes) {
  const std::string_view prefix = PrefixOf(key);
  while (!open_prefixes_.empty() &&
         !key.starts_with(open_prefixes_.back().prefix)) {
    ClosePrefix();
  }
  auto place = open_prefixes_.end();
  while (place != open_prefixes_.begin() &&
         std::prev(place)->prefix.size() >= prefix.size()) {
    --place;
  }
  if (place == open_prefixes_.end() || place->prefix.size() != prefix.size()) {
    place =
        open_prefixes_.insert(place, PrefixWeight{std::string(prefix), 0, 0});
  }
  ++place->entries;
  place->bytes += bytes;
}

void TableStats::ClosePrefix() {
  PrefixWeight closed = std::move(open_prefixes_.back());
  open_prefixes_.pop_back();
  // The same prefix may come again in another table.
  PrefixWeight& kept = closed_prefixes_[closed.prefix];
  kept.entries += closed.entries;
  kept.bytes += closed.bytes;
  kept.prefix = std::move(closed.prefix);
  if (closed_prefixes_.size() > kMostPrefixes) ForgetLightPrefixes();
}

// Keeps the heavier half.
void TableStats::ForgetLightPrefixes() {
  std::vector<uint64_t> weights;
  weights.reserve(closed_prefixes_.size());
  for (const auto& [prefix, weight] : closed_prefixes_) {
    weights.push_back(weight.bytes);
  }
  const auto middle = weights.begin() + weights.size() / 2;
  std::nth_element(weights.begin(), middle, weights.end());
  const uint64_t least = *middle;
  size_t to_go = weights.size() / 2;
  std::erase_if(closed_prefixes_, [least, &to_go](const auto& each) {
    if (to_go == 0 || each.second.bytes > least) return false;
    --to_go;
    return true;
  });
}

// Takes a key now and then. When there are kMost keys, drops every second one,
// and takes keys more rarely.
void TableStats::Sample(const Slice& user_key) {
  constexpr size_t kMost = 1024;
  if (keys_++ < next_sample_ || user_key.size() > kMaxSampledKeyBytes) return;
  sample.push_back(user_key.ToString());
  if (sample.size() == kMost) {
    for (size_t i = 0; i < kMost / 2; ++i) sample[i] = sample[2 * i];
    sample.resize(kMost / 2);
  }
  next_sample_ = keys_ + keys_ / (kMost / 2);
}

}  // namespace ashlar::tool
