// The kinds of filters: one row each, for writing and for reading.
//
// Used by filter_bits.cc alone. To add a kind: its file, and a row in
// registry.cc. The rows are constants: thread-safe.
#ifndef ASHLAR_TABLE_FILTER_REGISTRY_H_
#define ASHLAR_TABLE_FILTER_REGISTRY_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "table/filter/filter_bits.h"

namespace ashlar::internal {

// Each payload ends with this many bytes, which say what it is.
inline constexpr size_t kFilterMetadataBytes = 5;

struct FilterKind {
  FilterBitsReader::Kind kind;

  // Reading. The first of these bytes is in this range.
  int first_marker;
  int last_marker;
  enum class Parsed : uint8_t { kOk, kAlways, kDamaged };
  // Parses a payload. Requires: it has more than kFilterMetadataBytes bytes.
  Parsed (*parse)(const Slice& payload, ParsedFilter* parsed);

  // Writing. kNone and null if this kind is not written.
  FilterType type = FilterType::kNone;
  std::string_view policy_name;
  HashCollector::PartingFunction parting = nullptr;
  uint64_t (*size_of)(uint64_t num_hashes, uint64_t first_hash,
                      const FilterDensity& density) = nullptr;
  uint64_t (*hashes_in)(uint64_t bytes, const FilterDensity& density) = nullptr;
  // Returns how much working memory `build` needs at most, in bytes. Hashes and
  // payload do not count.
  uint64_t (*work_bytes)(uint64_t num_hashes, uint64_t first_hash,
                         const FilterDensity& density) = nullptr;
  // Builds the payload of the hashes, of which there is at least one, and
  // appends it to *out. The payload does not depend on the crew. May clear the
  // collector as soon as it is done with it, unless that is guarded: the
  // payload is then compared with it. Returns false if there is no memory.
  bool (*build)(HashCollector* hashes, const FilterDensity& density,
                const WorkerCrew& crew, Buffer* out) = nullptr;
};

// Returns the row of a type. Requires: type is not kNone.
const FilterKind& WrittenFilterKind(FilterType type);
// Returns the row that a payload's marker belongs to, or null.
const FilterKind* StoredFilterKind(int8_t marker);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_FILTER_REGISTRY_H_
