// Takes a sample of a table: some of its data blocks, and their entries as a
// separate table.
#ifndef ASHLAR_TOOLS_ASHLAR_MEASURE_BLOCK_SAMPLE_H_
#define ASHLAR_TOOLS_ASHLAR_MEASURE_BLOCK_SAMPLE_H_

#include <bitset>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ashlar/table/inspect.h"
#include "ashlar/table/table_reader.h"
#include "ashlar/util/comparator.h"
#include "ashlar/util/compression.h"
#include "tools/ashlar/print/report.h"

namespace ashlar::tool {

// Selects about `wanted` of `total` things, evenly spread, including the first
// and the last.
std::vector<bool> EvenlySpread(uint64_t wanted, uint64_t total);

uint64_t CountDataBlocks(const TableInspection& inspection);

// Returns the order of the stored keys, or null if no known comparator has it.
const Comparator* StoredOrder(const TableProperties& properties);

// The data blocks as they are stored in a file.
struct StoredBlocks {
  // The compression types of the blocks, without those of blocks that could not
  // be compressed.
  std::bitset<256> types;
  bool types_known = false;
  uint64_t data_size = 0;     // bytes, with trailers
  uint64_t uncompressed = 0;  // bytes, without trailers
  uint64_t blocks = 0;
  uint64_t of_blocks = 0;  // all data blocks of the file

  // Returns the codec's name. `name` is CompressionTypeName or
  // CompressionTypeEnumName. Returns "mixed" if there are several codecs, and
  // "unknown" if the types are unknown.
  std::string CodecName(std::string_view (*name)(CompressionType)) const;
};

// Returns all data blocks, with the sizes that the index has, and the codecs
// that the properties name. (The sizes in the properties may include padding,
// or be arbitrary.)
StoredBlocks FindStoredBlocks(const std::string& path,
                              const TableProperties& properties);

// Copies the entries of about `wanted` data blocks of the file into a table in
// a scratch file, and opens it. `order` is the order of the file's keys. The
// blocks are taken in groups of a few neighbours, so that their entries can be
// cut into blocks of another size. Range deletions are left out. Returns null
// if this fails; the report then says why.
std::unique_ptr<TableReader> TakeBlockSample(const std::string& path,
                                             const Comparator* order,
                                             uint64_t wanted, Report* report,
                                             StoredBlocks* stored);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_MEASURE_BLOCK_SAMPLE_H_
