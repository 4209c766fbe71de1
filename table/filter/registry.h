// The kinds of filters: one row each, for writing and for reading.
//
// Used by filter_bits.cc alone. To add a kind: its file, and a row in
// registry.cc. constexpr, so thread-safe.
#ifndef ASHLAR_TABLE_FILTER_REGISTRY_H_
#define ASHLAR_TABLE_FILTER_REGISTRY_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "table/filter/filter_bits.h"

namespace ashlar::internal {

// Each payload ends with so many bytes that say what it is.
inline constexpr size_t kFilterMetadataBytes = 5;

struct FilterKind {
  FilterBitsReader::Kind kind;

  // Reading. The first of the metadata bytes lies in this range.
  int first_marker;
  int last_marker;
  enum class Parsed : uint8_t { kOk, kAlways, kDamaged };
  // Only for payloads of more than the metadata.
  Parsed (*parse)(const Slice& payload, ParsedFilter* parsed);

  // Writing; kNone and null where it is not written.
  FilterType type = FilterType::kNone;
  std::string_view policy_name;
  HashCollector::PartingFunction parting = nullptr;
  uint64_t (*size_of)(uint64_t num_hashes, uint64_t first_hash,
                      const FilterDensity& density) = nullptr;
  uint64_t (*hashes_in)(uint64_t bytes, const FilterDensity& density) = nullptr;
  // Not called with none. May clear the collector as soon as it is done with,
  // unless that is guarded: the payload is then compared with it.
  // The same payload whoever helps. False: no memory.
  bool (*build)(HashCollector* hashes, const FilterDensity& density,
                const WorkerCrew& crew, Buffer* out) = nullptr;
};

// The row of a type that is written.
const FilterKind& WrittenFilterKind(FilterType type);
// The row that a payload's marker belongs to, or null.
const FilterKind* StoredFilterKind(int8_t marker);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_FILTER_REGISTRY_H_
