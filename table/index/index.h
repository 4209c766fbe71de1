// IndexReader: where the data blocks of a table lie, whatever the index type.
//
// An index is a row of parts; a part is a run of neighbouring data blocks whose
// entries lie in one index block. Most types have one part, the root. In a
// partitioned index the root's entries name the parts, which are read when
// they are needed first.
//
// Used by readers through IndexCursor, which moves within a part without any
// virtual call. One file per type says how it is built and read; registry.h
// lists them. Never changed after opening but for parts that are read in:
// thread-safe.
#ifndef ASHLAR_TABLE_INDEX_INDEX_H_
#define ASHLAR_TABLE_INDEX_INDEX_H_

#include <cstdint>
#include <functional>
#include <memory>

#include "table/format/block_place.h"
#include "table/format/key_order.h"
#include "table/index/index_block.h"
#include "table/index/parsed_index.h"
#include "util/mem/buffer.h"
#include "util/slice.h"
#include "util/status.h"

namespace ashlar::internal {

// Reads, checks and decompresses an index block that the root names. *contents
// lie in *owned. Called by any number of threads.
using LoadIndexBlock = std::function<Status(const BlockPlace& place,
                                            Buffer* owned, Slice* contents)>;

// What an index needs to know of its file.
struct IndexSource {
  KeyOrder order;
  IndexForm form;
  uint64_t file_limit = 0;  // where the last block must end
  LoadIndexBlock load;
};

class IndexReader {
 public:
  virtual ~IndexReader() = default;

  // The index block that the footer or the metaindex names.
  const ParsedIndex& root() const { return root_; }
  // Whether the root's entries name parts rather than data blocks.
  bool is_partitioned() const { return is_partitioned_; }
  size_t num_parts() const { return is_partitioned_ ? root_.size() : 1; }
  BlockPlace PartPlace(size_t i) const {
    return {BlockKind::kIndexPartition, root_.handle(i), i};
  }
  // The first part that may lead to the internal key or one behind it;
  // num_parts() where there is none.
  size_t FindPart(const Slice& internal_key) const {
    return is_partitioned_ ? root_.Find(internal_key) : 0;
  }
  // Part i < num_parts(), which lives as long as the index. Of a partitioned
  // index it has at least one entry.
  virtual Status Part(size_t i, const ParsedIndex** part) const = 0;

  virtual uint64_t MemoryUsage() const { return root_.MemoryUsage(); }

 protected:
  IndexReader(ParsedIndex root, bool is_partitioned)
      : root_(std::move(root)), is_partitioned_(is_partitioned) {}

 private:
  ParsedIndex root_;
  bool is_partitioned_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_INDEX_INDEX_H_
