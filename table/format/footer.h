// Footer: the last bytes of a file, from which everything else is found.
//
//   versions 1 to 5 (53 bytes; version 0: only the two handles, in 48 bytes)
//     u8 checksum type | metaindex handle | index handle | zeros to byte 41
//     | fixed32 version | fixed64 magic
//
//   versions 6 and 7 (53 bytes)
//     u8 checksum type | 3E 00 7A 00 | fixed32 footer checksum
//     | fixed32 base context checksum | fixed32 metaindex size
//     | 16 zeros | 8 reserved zeros | fixed32 version | fixed64 magic
//
// Plain values and pure functions: thread-safe.
#ifndef ASHLAR_TABLE_FORMAT_FOOTER_H_
#define ASHLAR_TABLE_FORMAT_FOOTER_H_

#include <cstdint>
#include <optional>
#include <string>

#include "ashlar/table/block_kind.h"
#include "ashlar/util/checksum_type.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"
#include "table/format/block_handle.h"
#include "table/format/format_version.h"

namespace ashlar::internal {

inline constexpr uint64_t kFooterSize = 53;
inline constexpr uint64_t kLegacyFooterSize = 48;

struct Footer {
  uint32_t format_version = 0;
  ChecksumType checksum = ChecksumType::kCRC32c;
  // 0 before version 6.
  uint32_t base_context_checksum = 0;
  // The offset of the footer itself: every block ends at or before it.
  uint64_t offset = 0;
  BlockHandle metaindex;
  // Null from version 6 on, where the metaindex names the index.
  BlockHandle index;

  const FormatTraits& traits() const { return TraitsOf(format_version); }
};

// Returns what the last 8 bytes of `tail` say; kUnknown if it is shorter.
TableMagic IdentifyMagic(const Slice& tail);

// Decodes the footer of a file. `tail` is the last min(file_size, kFooterSize)
// bytes of it. Returns Corruption if it is damaged, NotSupported if it is of a
// kind or version that is not read. Messages name neither file nor block.
Status DecodeFooter(const Slice& tail, uint64_t file_size, Footer* footer);

// What a damaged footer still seems to say. Any of it may be wrong.
struct FooterHint {
  std::optional<ChecksumType> checksum;
  uint32_t base_context_checksum = 0;  // 0: none, or unknown
  uint32_t format_version = 0;         // 0: unknown
};

// `tail` is the last kFooterSize bytes of the file.
FooterHint GuessFooter(const Slice& tail);

// Returns the bytes of the footer. Requires: format version 2 or later;
// footer.offset is set; for versions 6 and later, the metaindex ends right
// before it.
std::string EncodeFooter(const Footer& footer);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_FORMAT_FOOTER_H_
