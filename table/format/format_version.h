// FormatTraits: how the format versions differ, one row each.
//
// Code asks for a trait, never for "version >= n". FORMAT.md, "What each
// version adds", explains them. Constants: thread-safe.
#ifndef ASHLAR_TABLE_FORMAT_FORMAT_VERSION_H_
#define ASHLAR_TABLE_FORMAT_FORMAT_VERSION_H_

#include <array>
#include <cstdint>

#include "ashlar/table/options.h"

namespace ashlar::internal {

struct FormatTraits {
  uint32_t version;
  // The footer has 53 bytes, and names checksum type and version.
  bool has_version_footer;
  // Checksums depend on the offset in the file, the footer has one of its own,
  // and the metaindex names the index.
  bool has_context_checksums;
  // 1: compressed payloads have no common size prefix; 2: they have one.
  int compress_format;
  // A file always has a properties block, which names the index type.
  bool requires_properties;
  bool may_have_user_key_index;
  bool may_have_delta_handles;
  // The property rocksdb.compression is "manager;types;" instead of one word.
  bool lists_compression_types;
};

inline constexpr std::array<FormatTraits, 8> kFormatTraits = {{
    // clang-format off
    {0, false, false, 1, false, false, false, false},
    {1, true,  false, 1, false, false, false, false},
    {2, true,  false, 2, true,  false, false, false},
    {3, true,  false, 2, true,  true,  false, false},
    {4, true,  false, 2, true,  true,  true,  false},
    {5, true,  false, 2, true,  true,  true,  false},
    {6, true,  true,  2, true,  true,  true,  false},
    {7, true,  true,  2, true,  true,  true,  true},
    // clang-format on
}};

consteval bool RowsAreInOrder() {
  for (uint32_t v = 0; v < kFormatTraits.size(); ++v) {
    if (kFormatTraits[v].version != v) return false;
  }
  return kFormatTraits.size() == kMaxFormatVersion + 1;
}
static_assert(RowsAreInOrder());

// Returns the traits of a version. Requires: version <= kMaxFormatVersion.
constexpr const FormatTraits& TraitsOf(uint32_t version) {
  return kFormatTraits[version];
}

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_FORMAT_FORMAT_VERSION_H_
