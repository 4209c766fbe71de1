// Footer: the last bytes of a file, from which everything else is found.
//
//   versions 1-5 (53 bytes; version 0 has the handles alone, and 48 bytes)
//     u8 checksum type | metaindex handle | index handle | zeros to 41
//     | fixed32 version | fixed64 magic
//   versions 6-7
//     u8 checksum type | 3E 00 7A 00 | fixed32 footer checksum
//     | fixed32 base context checksum | fixed32 metaindex size
//     | 16 zeros | 8 reserved zeros | fixed32 version | fixed64 magic
#ifndef ASHLAR_TABLE_FORMAT_FOOTER_H_
#define ASHLAR_TABLE_FORMAT_FOOTER_H_

#include <cstdint>
#include <string>

#include "ashlar/table/inspect.h"
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
  // Where the footer itself begins: every block ends at or before it.
  uint64_t offset = 0;
  BlockHandle metaindex;
  // Null from version 6 on: the metaindex names it.
  BlockHandle index;

  const FormatTraits& traits() const { return TraitsOf(format_version); }
};

// What the last 8 bytes of `tail` say; kUnknown when it is shorter.
TableMagic IdentifyMagic(const Slice& tail);

// `tail`: the last min(file_size, kFooterSize) bytes of the file. Messages name
// neither file nor block.
Status DecodeFooter(const Slice& tail, uint64_t file_size, Footer* footer);

// For format versions 2 and later; footer.offset must be set. For versions 6
// and later the metaindex must end right before it.
std::string EncodeFooter(const Footer& footer);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_FORMAT_FOOTER_H_
