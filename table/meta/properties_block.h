// The properties block, and the rules by which its contents are read.
#ifndef ASHLAR_TABLE_META_PROPERTIES_BLOCK_H_
#define ASHLAR_TABLE_META_PROPERTIES_BLOCK_H_

#include <bitset>
#include <string>

#include "ashlar/table/table_properties.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"
#include "table/format/block_place.h"
#include "table/format/format_version.h"
#include "util/mem/buffer.h"

namespace ashlar::internal {

inline constexpr std::string_view kReservedPropertyPrefix = "rocksdb.";
inline constexpr std::string_view kGlobalSeqnoProperty =
    "rocksdb.external_sst_file.global_seqno";

// Appends a block of all that is set in `properties` to *out.
void EncodeProperties(const TableProperties& properties, Buffer* out);

Status DecodeProperties(const Slice& contents, const BlockPlace& place,
                        TableProperties* properties);

// Where in a properties block the 8 bytes of the global sequence number stand;
// 0 when they do not. Ingestion overwrites them in place, without a new
// checksum.
size_t FindGlobalSeqno(const Slice& contents);

// Which type bytes the file says its blocks have.
struct DeclaredCompression {
  // False: the file does not say, and any type may come.
  bool declared = false;
  std::bitset<256> types;

  bool Allows(uint8_t type) const {
    return !declared || type == 0 || types[type];
  }
};

// Reads rocksdb.compression. NotSupported for codecs of an application.
Status DecodeCompressionProperty(const TableProperties& properties,
                                 const FormatTraits& traits,
                                 DeclaredCompression* declared);

// The value to write: `used` are the types of the blocks that were compressed.
std::string EncodeCompressionProperty(CompressionType configured,
                                      const std::bitset<256>& used,
                                      const FormatTraits& traits);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_META_PROPERTIES_BLOCK_H_
