#include "table/filter/leveldb_filter.h"

#include <bit>

#include "table/filter/legacy_bloom.h"
#include "util/coding/coding.h"

namespace ashlar::internal {

namespace {

// H32, except that the last one to three bytes are taken as unsigned here.
uint32_t LevelDbHash(const Slice& key) {
  constexpr uint32_t kFactor = 0xC6A4A793;
  uint32_t h =
      kLegacyFilterSeed ^ (static_cast<uint32_t>(key.size()) * kFactor);
  size_t at = 0;
  for (; at + sizeof(uint32_t) <= key.size(); at += sizeof(uint32_t)) {
    h = (h + LoadFixed32(key.data() + at)) * kFactor;
    h ^= h >> 16;
  }
  if (at == key.size()) return h;
  for (size_t i = at; i < key.size(); ++i) {
    h += uint32_t{static_cast<uint8_t>(key[i])} << (8 * (i - at));
  }
  h *= kFactor;
  return h ^ (h >> 24);
}

bool BloomMayMatch(const Slice& filter, const Slice& key) {
  constexpr int kMaxProbes = 30;  // more are reserved
  if (filter.size() < 2) return false;
  const uint64_t bits = (uint64_t{filter.size()} - 1) * 8;
  const int probes = static_cast<uint8_t>(filter[filter.size() - 1]);
  if (probes > kMaxProbes) return true;
  uint32_t h = LevelDbHash(key);
  const uint32_t delta = std::rotr(h, 17);
  for (int i = 0; i < probes; ++i, h += delta) {
    const uint64_t bit = h % bits;
    if ((static_cast<uint8_t>(filter[bit / 8]) >> (bit % 8) & 1) == 0) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::optional<LevelDbFilter> LevelDbFilter::Parse(const Slice& block) {
  constexpr size_t kEndBytes = sizeof(uint32_t) + 1;
  constexpr int kMaxLg = 63;
  if (block.size() < kEndBytes) return std::nullopt;
  const size_t end_of_starts = block.size() - kEndBytes;
  const uint32_t starts = LoadFixed32(block.data() + end_of_starts);
  const int lg = static_cast<uint8_t>(block[block.size() - 1]);
  if (starts > end_of_starts || lg > kMaxLg ||
      (end_of_starts - starts) % sizeof(uint32_t) != 0) {
    return std::nullopt;
  }
  return LevelDbFilter({block.data(), starts}, block.data() + starts,
                       (end_of_starts - starts) / sizeof(uint32_t), lg);
}

bool LevelDbFilter::MayMatch(uint64_t block_offset,
                             const Slice& user_key) const {
  const uint64_t i = block_offset >> lg_;
  if (i >= count_) return true;
  // After the last start comes the offset where the starts begin.
  const char* const entry = starts_ + i * sizeof(uint32_t);
  const uint32_t start = LoadFixed32(entry);
  const uint32_t limit = LoadFixed32(entry + sizeof(uint32_t));
  if (start > limit || limit > filters_.size()) return true;
  if (start == limit) return false;
  return BloomMayMatch({filters_.data() + start, limit - start}, user_key);
}

}  // namespace ashlar::internal
