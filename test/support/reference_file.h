// Footer, blocks and their checksums for the reference reader: FORMAT.md,
// sections 1 to 4. Also the compression property, section 7.3.
//
// Only the reference reader uses this. The functions throw on any fault.
#ifndef ASHLAR_TEST_SUPPORT_REFERENCE_FILE_H_
#define ASHLAR_TEST_SUPPORT_REFERENCE_FILE_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "test/support/reference_bytes.h"

namespace ashlar::testing::reference {

struct Footer {
  uint32_t version = 0;
  uint8_t checksum_type = 1;
  uint32_t base_context = 0;
  uint64_t offset = 0;  // of the footer
  Handle metaindex;
  std::optional<Handle> index;  // absent from version 6 on
};

Footer ReadFooter(std::string_view file);

struct StoredBlock {
  std::string_view bytes;
  uint8_t type = 0;
  uint32_t checksum = 0;  // without context
};

StoredBlock Fetch(std::string_view file, const Footer& footer,
                  const Handle& handle);
bool ChecksumFits(const Footer& footer, std::string_view bytes,
                  const StoredBlock& block);
// Same as Fetch, but a checksum mismatch is a fault.
StoredBlock FetchChecked(std::string_view file, const Footer& footer,
                         const Handle& handle);

// The type bytes that the compression property allows.
struct CodecRule {
  bool any = true;
  std::set<uint8_t> allowed;  // used if `any` is false
};

// `has_options` is true if the property rocksdb.compression_options is present.
CodecRule ReadCompressionProperty(const std::string& text, uint32_t version,
                                  bool has_options);

}  // namespace ashlar::testing::reference

#endif  // ASHLAR_TEST_SUPPORT_REFERENCE_FILE_H_
