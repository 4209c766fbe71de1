// TrailerSearch: finds where a block of unknown form ends, by its checksum.
//
// For blocks that do not say how long they are: filters, dictionaries, index
// blocks in delta form, blobs. One pass over the bytes tries every end whose
// trailer has an expected type byte (growing_checksum.h). Not for files without
// checksums, in which every end would be right.
#ifndef ASHLAR_TABLE_WALK_TRAILER_SEARCH_H_
#define ASHLAR_TABLE_WALK_TRAILER_SEARCH_H_

#include <bitset>
#include <cstdint>
#include <optional>

#include "table/walk/checksum_rule.h"
#include "table/walk/walk_bytes.h"
#include "util/hash/growing_checksum.h"

namespace ashlar::internal {

class TrailerSearch {
 public:
  // types: the type bytes that a trailer may have.
  TrailerSearch(const ChecksumRule& rule, const std::bitset<256>& types)
      : rule_(rule), types_(types), checksum_(rule.type) {}

  // Returns the size of the block that begins at `offset` and ends, trailer
  // included, at or before `limit`; nothing if there is none. `written`: the
  // offset at which it was written, by which a context checksum is made.
  std::optional<uint64_t> Find(uint64_t offset, uint64_t written,
                               uint64_t limit, WalkBytes* bytes,
                               int64_t* steps);

 private:
  const ChecksumRule rule_;
  const std::bitset<256> types_;
  GrowingChecksum checksum_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_WALK_TRAILER_SEARCH_H_
