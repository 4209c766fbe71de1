// RawDump: prints the text of `raw` while the blocks of a table come in.
//
// What comes before the data blocks is kept until the first data block comes.
// The lines are those of RocksDB's tool. For one thread at a time.
#ifndef ASHLAR_TOOLS_ASHLAR_PRINT_RAW_DUMP_H_
#define ASHLAR_TOOLS_ASHLAR_PRINT_RAW_DUMP_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ashlar/table/inspect.h"
#include "ashlar/table/internal_key.h"
#include "ashlar/util/slice.h"
#include "tools/ashlar/print/output.h"

namespace ashlar::tool {

class RawDump {
 public:
  // `inspection` is the one whose callbacks call this object.
  RawDump(const TableInspection* inspection, bool escape, Output* out)
      : inspection_(inspection), escape_(escape), out_(out) {}

  // Callbacks of InspectOptions.
  void OnBlock(const BlockInfo& block);
  void OnEntry(const BlockInfo& block, const Slice& key, const Slice& value);
  void Finish();

 private:
  struct Entry {
    std::string key;
    std::string value;
  };

  void PrintHead();
  void PrintFooter();
  void PrintMetaBlocks();
  void PrintIndex();
  void PrintDictionary();
  void PrintRangeDeletions();
  void PrintTitle(std::string_view title);
  void PrintChecksum(std::string_view title, const BlockInfo& block);
  void PrintEntry(const Slice& internal_key, const Slice& value);
  SequenceNumber ShownSequence(const Slice& internal_key) const;
  // Prints each byte, followed by a space.
  void PrintSpaced(const Slice& bytes, bool zero_as_digit);
  // Returns null if there is no such block.
  const BlockInfo* Find(BlockKind kind) const;

  const TableInspection* const inspection_;
  const bool escape_;
  Output* const out_;
  bool head_printed_ = false;
  std::vector<BlockInfo> meta_blocks_;
  // The entries of the index, and of its partitions if it has any.
  std::vector<Entry> index_;
  std::vector<Entry> partitions_;
  std::vector<Entry> range_deletions_;
  std::optional<std::string> dictionary_;
  uint64_t data_blocks_ = 0;
  uint64_t data_bytes_ = 0;
  uint64_t smallest_ = 0;
  uint64_t largest_ = 0;
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_PRINT_RAW_DUMP_H_
