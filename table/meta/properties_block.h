// The properties block, and the rules by which its contents are read.
//
// Used by builder, reader and inspection. FORMAT.md, "Properties". Pure
// functions: thread-safe.
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

// Returns whether TableProperties has a field for the property of that name, so
// that no application may set it.
bool HasPropertyField(std::string_view name);

// Appends to *out a block of all that is set in `properties`.
void EncodeProperties(const TableProperties& properties, Buffer* out);

// Decodes a properties block into *properties. Returns Corruption if names do
// not ascend, or if a property that a reader needs does not decode.
Status DecodeProperties(const Slice& contents, const BlockPlace& place,
                        TableProperties* properties);

// Returns the offset, in a properties block, of the 8 bytes of the global
// sequence number; 0 if it has none. Ingestion overwrites them in place,
// without a new checksum.
size_t FindGlobalSeqno(const Slice& contents);

// The compression types that the file says its blocks have.
struct DeclaredCompression {
  // False: the file does not say, and any type may occur.
  bool declared = false;
  std::bitset<256> types;
  // The compatibility name of the application's codec that made the blocks.
  // Empty: the built-in codecs did.
  std::string codec_name;

  bool Allows(uint8_t type) const {
    return !declared || type == 0 || types[type];
  }
};

// Decodes the property rocksdb.compression into *declared. Returns Corruption
// if it does not decode.
Status DecodeCompressionProperty(const TableProperties& properties,
                                 const FormatTraits& traits,
                                 DeclaredCompression* declared);

// Returns the value to write. `used` has the types of the blocks that were
// compressed. codec_name: as in DeclaredCompression.
std::string EncodeCompressionProperty(CompressionType configured,
                                      const std::bitset<256>& used,
                                      const FormatTraits& traits,
                                      std::string_view codec_name = {});

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_META_PROPERTIES_BLOCK_H_
