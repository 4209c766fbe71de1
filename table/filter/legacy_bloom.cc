#include "table/filter/legacy_bloom.h"

#include <bit>

#include "util/coding/coding.h"
#include "util/hash/hash32.h"

namespace ashlar::internal {

namespace {

const char* LineAt(const ParsedFilter& filter, uint32_t h) {
  return filter.data + (uint64_t{h % filter.num_lines} << filter.line_shift);
}

bool MayMatch(const ParsedFilter& filter, uint64_t hash) {
  auto h = static_cast<uint32_t>(hash);
  const char* const line = LineAt(filter, h);
  const uint32_t delta = std::rotr(h, 17);
  const uint64_t mask = (uint64_t{8} << filter.line_shift) - 1;
  for (int i = 0; i < filter.probes; ++i, h += delta) {
    const uint64_t bit = h & mask;
    if ((static_cast<uint8_t>(line[bit / 8]) >> (bit % 8) & 1) == 0) {
      return false;
    }
  }
  return true;
}

uint64_t MayMatchBatch(const ParsedFilter& filter, const uint64_t* hashes,
                       size_t n) {
  for (size_t i = 0; i < n; ++i) {
    __builtin_prefetch(LineAt(filter, static_cast<uint32_t>(hashes[i])));
  }
  uint64_t answers = 0;
  for (size_t i = 0; i < n; ++i) {
    answers |= uint64_t{MayMatch(filter, hashes[i])} << i;
  }
  return answers;
}

}  // namespace

FilterKind::Parsed ParseLegacyBloom(const Slice& payload,
                                    ParsedFilter* parsed) {
  using enum FilterKind::Parsed;
  const size_t bytes = payload.size() - kFilterMetadataBytes;
  const char* const meta = payload.data() + bytes;
  const uint32_t num_lines = LoadFixed32(meta + 1);
  if (num_lines == 0 || bytes % num_lines != 0 ||
      !std::has_single_bit(bytes / num_lines)) {
    return kDamaged;
  }
  parsed->data = payload.data();
  parsed->probes = static_cast<uint8_t>(meta[0]);
  parsed->num_lines = num_lines;
  parsed->line_shift = std::countr_zero(bytes / num_lines);
  parsed->may_match = MayMatch;
  parsed->batch = MayMatchBatch;
  parsed->hash = [](const ParsedFilter&, const Slice& key) {
    return uint64_t{Hash32(key, kLegacyFilterSeed)};
  };
  return kOk;
}

}  // namespace ashlar::internal
