// Tables that a test puts together block by block. Their checksums are right,
// whatever the blocks say.
//
// So tests can show a decoder blocks that no builder makes. One thread at a
// time.
#ifndef ASHLAR_TEST_SUPPORT_HAND_MADE_TABLE_H_
#define ASHLAR_TEST_SUPPORT_HAND_MADE_TABLE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ashlar/table/table_properties.h"
#include "table/block/block_builder.h"
#include "table/format/block_trailer.h"
#include "table/format/footer.h"
#include "table/meta/plain_block.h"
#include "table/meta/properties_block.h"
#include "test/support/tables.h"

namespace ashlar::testing {

// Returns the bytes that stand for the handle in an index or metaindex.
inline std::string Coded(const internal::BlockHandle& handle) {
  std::string bytes;
  handle.AppendTo(&bytes);
  return bytes;
}

// Returns a block of these entries, whose keys share no bytes.
inline std::string WholeKeysBlock(const std::vector<Entry>& entries) {
  internal::Buffer block;
  internal::BlockBuilder builder(1, &block);
  for (const Entry& entry : entries) builder.Add(entry.key, 0, entry.value);
  return builder.Finish().ToString();
}

class HandMadeTable {
 public:
  explicit HandMadeTable(uint32_t format_version = 6) {
    footer_.format_version = format_version;
    footer_.checksum = ChecksumType::kXXH3;
    if (footer_.traits().has_context_checksums) {
      footer_.base_context_checksum = 77;
    }
    properties.comparator_name = "leveldb.BytewiseComparator";
    properties.compression_name = "NoCompression";
  }

  // Appends a block. `type` is the type byte in its trailer.
  internal::BlockHandle Append(const std::string& contents, uint8_t type = 0) {
    const internal::BlockHandle handle{bytes_.size(), contents.size()};
    char trailer[internal::kBlockTrailerSize];
    internal::EncodeTrailer(footer_.checksum, footer_.base_context_checksum,
                            handle.offset, contents, type, trailer);
    bytes_ += contents + std::string(trailer, sizeof trailer);
    return handle;
  }
  // Names a block in the metaindex.
  void Name(const std::string& name, const internal::BlockHandle& handle) {
    named_[name] = Coded(handle);
  }
  void SetIndex(const internal::BlockHandle& handle) {
    footer_.index = handle;
    if (footer_.traits().has_context_checksums) Name("rocksdb.index", handle);
  }

  // Returns the table with its properties, metaindex and footer. To be called
  // once.
  std::string Finish() {
    internal::Buffer block;
    internal::EncodeProperties(properties, &block);
    Name("rocksdb.properties", Append(block.slice().ToString()));
    block.clear();
    internal::EncodePlainBlock(named_, 1, &block);
    return FinishWith(block.slice().ToString());
  }
  // The same with this metaindex, which names the properties or does not.
  std::string FinishWith(const std::string& metaindex) {
    footer_.metaindex = Append(metaindex);
    footer_.offset = bytes_.size();
    return bytes_ + internal::EncodeFooter(footer_);
  }

  TableProperties properties;

 private:
  internal::Footer footer_;
  std::string bytes_;
  std::map<std::string, std::string> named_;
};

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SUPPORT_HAND_MADE_TABLE_H_
