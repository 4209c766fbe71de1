#include "table/filter/registry.h"

#include <array>
#include <cstdlib>

#include "table/filter/bloom.h"
#include "table/filter/legacy_bloom.h"
#include "table/filter/ribbon.h"

namespace ashlar::internal {

namespace {

using Kind = FilterBitsReader::Kind;

constexpr std::array kKinds = {
    FilterKind{.kind = Kind::kBloom,
               .first_marker = kBloomMarker,
               .last_marker = kBloomMarker,
               .parse = ParseBloom,
               .type = FilterType::kBloom,
               .policy_name = "bloomfilter",
               .parting = BloomParting,
               .size_of = BloomSize,
               .hashes_in = BloomHashesIn,
               .work_bytes = [](uint64_t, uint64_t,
                                const FilterDensity&) -> uint64_t { return 0; },
               .build = BuildBloom},
    FilterKind{.kind = Kind::kRibbon,
               .first_marker = kRibbonMarker,
               .last_marker = kRibbonMarker,
               .parse = ParseRibbon,
               .type = FilterType::kRibbon,
               .policy_name = "ribbonfilter",
               .parting = RibbonParting,
               .size_of = RibbonSize,
               .hashes_in = RibbonHashesIn,
               .work_bytes = RibbonWorkBytes,
               .build = BuildRibbon},
    FilterKind{.kind = Kind::kLegacyBloom,
               .first_marker = 1,
               .last_marker = 127,
               .parse = ParseLegacyBloom},
};

consteval bool RangesAreApart() {
  for (const FilterKind& a : kKinds) {
    for (const FilterKind& b : kKinds) {
      if (&a != &b && a.first_marker <= b.last_marker &&
          b.first_marker <= a.last_marker) {
        return false;
      }
    }
  }
  return true;
}
static_assert(RangesAreApart());

}  // namespace

const FilterKind& WrittenFilterKind(FilterType type) {
  for (const FilterKind& kind : kKinds) {
    if (kind.type == type) return kind;
  }
  std::abort();
}

const FilterKind* StoredFilterKind(int8_t marker) {
  for (const FilterKind& kind : kKinds) {
    if (kind.first_marker <= marker && marker <= kind.last_marker) return &kind;
  }
  return nullptr;
}

}  // namespace ashlar::internal
