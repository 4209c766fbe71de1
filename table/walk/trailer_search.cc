#include "table/walk/trailer_search.h"

#include <algorithm>

#include "table/format/block_handle.h"
#include "table/format/block_trailer.h"

namespace ashlar::internal {

std::optional<uint64_t> TrailerSearch::Find(uint64_t offset, uint64_t written,
                                            uint64_t limit, WalkBytes* bytes,
                                            int64_t* steps) {
  constexpr uint64_t kPieceBytes = uint64_t{1} << 16;
  constexpr int64_t kStepsPerTry = 40;
  if (rule_.type == ChecksumType::kNoChecksum) return std::nullopt;
  limit = std::min(limit, bytes->size());
  const uint32_t modifier = ContextModifier(rule_.base, written);
  checksum_.Reset();
  for (uint64_t at = offset; at + kBlockTrailerSize <= limit;) {
    const Slice piece =
        bytes->Get(at, std::min(kPieceBytes + kBlockTrailerSize, limit - at));
    if (piece.size() < kBlockTrailerSize) break;
    const size_t tried = piece.size() - kBlockTrailerSize + 1;
    size_t added = 0;
    for (size_t i = 0; i < tried; ++i) {
      const auto type = static_cast<uint8_t>(piece[i]);
      if (!types_[type]) continue;
      checksum_.Add(piece.data() + added, i - added);
      added = i;
      *steps -= kStepsPerTry;
      if (checksum_.WithLastByte(type) + modifier ==
          LoadFixed32(piece.data() + i + 1)) {
        return at + i - offset;
      }
    }
    checksum_.Add(piece.data() + added, tried - added);
    at += tried;
    *steps -= static_cast<int64_t>(tried);
    if (*steps <= 0) break;
  }
  return std::nullopt;
}

}  // namespace ashlar::internal
