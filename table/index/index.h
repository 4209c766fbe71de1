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
// thread-safe. By option the blocks are kept not here but in a store, which is
// the block cache; the top level of a partitioned index is then held there for
// as long as the index lives, the rest only while somebody looks at it.
#ifndef ASHLAR_TABLE_INDEX_INDEX_H_
#define ASHLAR_TABLE_INDEX_INDEX_H_

#include <cstdint>
#include <functional>
#include <memory>

#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"
#include "table/format/block_place.h"
#include "table/format/key_order.h"
#include "table/index/index_block.h"
#include "table/index/index_hold.h"
#include "table/index/parsed_index.h"
#include "util/mem/buffer.h"

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
  // Null: the index keeps its blocks. Outlives it.
  const IndexBlockStore* store = nullptr;
  // Whether the root is held in the store although it is not a top level.
  bool pin_root = false;
};

class IndexReader {
 public:
  virtual ~IndexReader() = default;

  const IndexForm& form() const { return source_.form; }
  // The index block that the footer or the metaindex names, where it is always
  // at hand: has_root(), which is so of partitioned ones.
  const ParsedIndex& root() const { return *root_; }
  bool has_root() const { return static_cast<bool>(root_); }
  // Whether the root's entries name parts rather than data blocks.
  bool is_partitioned() const { return is_partitioned_; }
  size_t num_parts() const { return is_partitioned_ ? root_->size() : 1; }
  BlockPlace PartPlace(size_t i) const {
    return {BlockKind::kIndexPartition, root_->handle(i), i};
  }
  // The first part that may lead to the internal key or one behind it;
  // num_parts() where there is none.
  size_t FindPart(const Slice& internal_key) const {
    return is_partitioned_ ? root_->Find(internal_key) : 0;
  }
  // Part i < num_parts(). Of a partitioned index it has at least one entry.
  virtual Status Part(size_t i, IndexHold* part) const = 0;
  // Has all parts that can be read at hand, as long as the index lives. To be
  // called before others use the index.
  virtual void PinParts() {}

  // Of what is kept here and not in a store.
  virtual uint64_t MemoryUsage() const {
    return kept_root_ == nullptr ? 0 : kept_root_->MemoryUsage();
  }

 protected:
  IndexReader(const IndexSource& source, bool is_partitioned)
      : source_(source), is_partitioned_(is_partitioned) {}

  const IndexSource& source() const { return source_; }
  // The root in this form, of these contents. To be called once, by Open.
  Status TakeRoot(const Slice& contents, const BlockPlace& place,
                  const IndexForm& form);
  // The root where it is not at hand.
  Status LoadRoot(IndexHold* root) const;
  // Reads and parses the block at `place`.
  Status LoadBlock(const BlockPlace& place, ParsedIndex* parsed) const;

 private:
  const IndexSource source_;
  const bool is_partitioned_;
  BlockPlace root_place_;
  std::unique_ptr<const ParsedIndex> kept_root_;
  IndexHold root_;  // of kept_root_, or in the store; empty: not at hand
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_INDEX_INDEX_H_
