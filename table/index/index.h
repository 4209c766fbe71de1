// IndexReader: where the data blocks of a table are, whatever the index type.
//
// An index is a row of parts. A part is a run of neighbouring data blocks whose
// entries are in one index block. Most types have one part, the root. In a
// partitioned index the root's entries name the parts, which are read when they
// are first needed.
//
// Readers use it through IndexCursor, which moves within a part without a
// virtual call. One file per type says how it is built and read; registry.h
// lists them. Nothing changes after opening, except that parts are read in:
// thread-safe.
//
// By option the blocks are kept not here but in a store, which is the block
// cache, and which is asked before the file is read. The top level of a
// partitioned index is held there as long as the index lives; the rest only
// while a thread uses it.
#ifndef ASHLAR_TABLE_INDEX_INDEX_H_
#define ASHLAR_TABLE_INDEX_INDEX_H_

#include <cstdint>
#include <functional>
#include <memory>

#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"
#include "cache/charge/memory_charge.h"
#include "table/format/block_place.h"
#include "table/format/key_order.h"
#include "table/index/index_block.h"
#include "table/index/index_hold.h"
#include "table/index/parsed_index.h"
#include "util/mem/buffer.h"
#include "util/sync/atomic.h"
#include "util/sync/late_part.h"

namespace ashlar::internal {

// Reads, checks and decompresses an index block that the root names. *contents
// point into *owned. May be called by any number of threads.
using LoadIndexBlock = std::function<Status(const BlockPlace& place,
                                            Buffer* owned, Slice* contents)>;

// What an index needs to know of its file.
struct IndexSource {
  KeyOrder order;
  IndexForm form;
  uint64_t file_limit = 0;  // where the last block must end
  LoadIndexBlock load;
  // Null: the index keeps its blocks itself. Must outlive the index.
  const IndexBlockStore* store = nullptr;
  // Whether the root is held in the store even if it is not a top level.
  bool pin_root = false;
  // Where parts are charged that are read and kept later. Null: they are not.
  // Must outlive the index.
  MemoryCharge* charge = nullptr;
};

class IndexReader {
 public:
  virtual ~IndexReader() = default;

  const IndexForm& form() const { return source_.form; }
  // Returns the index block that footer or metaindex names. Requires:
  // has_root(), which says that it is always at hand. That of a partitioned
  // index always is.
  const ParsedIndex& root() const { return *root_; }
  bool has_root() const { return static_cast<bool>(root_); }
  // Returns whether the root's entries name parts rather than data blocks.
  bool is_partitioned() const { return is_partitioned_; }
  size_t num_parts() const { return is_partitioned_ ? root_->size() : 1; }
  BlockPlace PartPlace(size_t i) const {
    return {BlockKind::kIndexPartition, root_->handle(i), i};
  }
  // Returns the first part that may lead to the internal key or a later one;
  // num_parts() if there is none.
  size_t FindPart(const Slice& internal_key) const {
    return is_partitioned_ ? root_->Find(internal_key) : 0;
  }
  // Makes *part hold part i. A part of a partitioned index has at least one
  // entry. Returns an error if it cannot be read. Requires: i < num_parts().
  virtual Status Part(size_t i, IndexHold* part) const = 0;
  // Starts to fetch the memory with which Part(0) begins, if the index is one
  // part in a store.
  void PrefetchRoot() const {
    if (!has_root()) source_.store->Prefetch(root_slot_.Load());
  }
  // Reads all parts, and keeps or holds them as long as the index lives. Those
  // that cannot be read are left out. To be called before other threads use the
  // index.
  virtual void PinParts() {}

  // Returns the bytes in memory of what is kept here and not in a store.
  virtual uint64_t MemoryUsage() const {
    return kept_root_ == nullptr ? 0 : kept_root_->MemoryUsage();
  }

  // Returns the bytes of slot hints that blocks which are kept here may still
  // get.
  virtual uint64_t HintMemory() const {
    return kept_root_ == nullptr || is_partitioned_
               ? 0
               : kept_root_->MostMemoryUsage() - kept_root_->MemoryUsage();
  }

 protected:
  IndexReader(const IndexSource& source, bool is_partitioned)
      : source_(source), is_partitioned_(is_partitioned) {}

  const IndexSource& source() const { return source_; }
  // Makes the block at `place`, which has this form, the root. Loads it, unless
  // it is to be found in the store whenever it is needed. To be called once, by
  // Open.
  Status TakeRoot(const BlockPlace& place, const IndexForm& form,
                  const LoadIndexBlock& load);
  // Makes *root hold the root. For an index without has_root().
  Status HoldRoot(IndexHold* root) const;
  // Reads and parses the block at `place`.
  Status LoadBlock(const BlockPlace& place, ParsedIndex* parsed) const;

 private:
  const IndexSource source_;
  const bool is_partitioned_;
  Status HoldRootOfForm(const IndexForm& form, const LoadIndexBlock& load,
                        IndexHold* root) const;

  BlockPlace root_place_;
  std::unique_ptr<const ParsedIndex> kept_root_;
  IndexHold root_;  // kept_root_, or held in the store; empty: not at hand
  // Where the store had the root last: a guess.
  mutable RelaxedAtomic<uint32_t> root_slot_{Cache::kNoSlotHint};
};

// The index of a table, which the first thread that needs it loads.
using LateIndex = OnDemand<const IndexReader>;

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_INDEX_INDEX_H_
