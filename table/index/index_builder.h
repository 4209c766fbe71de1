// IndexBuilder: what every kind of index does while a table is built.
//
// For each data block, Prepare makes a separator when the block is cut. Finish
// takes its handle when the block has been stored, in the same order. Nothing
// is encoded before the end, since only then is it known whether user keys will
// do as separators. Write then stores one or more index blocks.
//
// Used by the table builder. One file per index type derives from it;
// registry.h lists them. It is called once per block, so virtual calls cost
// nothing. One thread at a time.
#ifndef ASHLAR_TABLE_INDEX_INDEX_BUILDER_H_
#define ASHLAR_TABLE_INDEX_INDEX_BUILDER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ashlar/table/block_kind.h"
#include "ashlar/table/options.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"
#include "table/format/block_handle.h"
#include "table/index/index_block.h"

namespace ashlar::internal {

// Stores the blocks that an index consists of.
class IndexSink {
 public:
  virtual ~IndexSink() = default;
  // Stores a block of the kind kIndex or kIndexPartition, compressed if the
  // options ask for that, and sets *handle.
  virtual Status Store(BlockKind kind, const Slice& block,
                       BlockHandle* handle) = 0;
  // The same for a block that the metaindex shall name.
  virtual Status StoreNamed(std::string_view name, const Slice& block) = 0;
};

// What properties and footer say about an index that has been written.
struct WrittenIndex {
  BlockHandle root;
  uint64_t raw_bytes = 0;  // of all index blocks before compression
  uint64_t partitions = 0;
  uint64_t top_level_bytes = 0;
  uint64_t uniform_blocks = 0;
};

class IndexBuilder {
 public:
  IndexBuilder(const TableOptions& options, bool has_first_keys);
  IndexBuilder(const IndexBuilder&) = delete;
  IndexBuilder& operator=(const IndexBuilder&) = delete;
  virtual ~IndexBuilder() = default;

  // To be called with the table's first key, before anything else.
  void Begin(const Slice& user_key, uint64_t tail) {
    if (form_.first_keys) AppendFirstKey(user_key, tail);
  }
  // Returns whether each key is to be passed to AddKey, after the Prepare of
  // the block before its own.
  virtual bool takes_keys() const { return false; }
  virtual void AddKey(const Slice&) {}
  // To be called when a block is cut. It ends with the internal key
  // last_user_key || last_tail. The next block begins with
  // *next_user_key || next_tail; null: this is the last block of the file.
  void Prepare(const Slice& last_user_key, uint64_t last_tail,
               const Slice* next_user_key, uint64_t next_tail);
  // Takes the handle of the first prepared block that has none yet.
  void Finish(const BlockHandle& handle) {
    handles_.push_back(handle);
    OnFinished();
  }

  // For filters whose partitions are cut together with those of the index.
  // RequestCut ends the current partition as soon as possible. TakeCut returns
  // true once for each partition that ended.
  virtual void RequestCut() {}
  virtual bool TakeCut() { return false; }
  // Returns the separator, as an internal key, of the block that was finished
  // last.
  Slice last_separator() const { return separator(num_finished() - 1, false); }

  const IndexForm& form() const { return form_; }
  // Returns about how large the index would be if it were written now, in
  // bytes.
  virtual uint64_t SizeEstimate() const;
  // Returns the bytes of memory that separators and handles take now.
  uint64_t BuildingMemory() const {
    return keys_.capacity() + first_keys_.capacity() +
           (key_ends_.capacity() + first_key_ends_.capacity()) *
               sizeof(uint64_t) +
           last_key_sizes_.capacity() * sizeof(uint32_t) +
           handles_.capacity() * sizeof(BlockHandle);
  }
  // Stores the index through `sink`, and sets *written. Requires: all blocks
  // that were prepared are finished.
  virtual Status Write(IndexSink* sink, WrittenIndex* written) = 0;

 protected:
  // Called when a block has got its handle: number num_finished() - 1.
  virtual void OnFinished() {}

  const TableOptions& options() const { return options_; }
  size_t num_prepared() const { return key_ends_.size(); }
  size_t num_finished() const { return handles_.size(); }
  const BlockHandle& handle(size_t i) const { return handles_[i]; }
  // Returns separator i as an internal key, or without the tail.
  Slice separator(size_t i, bool user_key) const;
  Slice first_key(size_t i) const;
  uint64_t last_key_size(size_t i) const { return last_key_sizes_[i]; }
  // Returns whether no block follows block i.
  bool IsLast(size_t i) const { return complete_ && i + 1 == key_ends_.size(); }
  // Returns whether user keys were still possible as separators when block i
  // got its entry: no user key spans blocks before it.
  bool UserKeysWereOpen(size_t i) const { return i < user_keys_until_; }

 private:
  void AppendSeparator(const Slice& user_key, uint64_t tail);
  void AppendFirstKey(const Slice& user_key, uint64_t tail);
  // Makes shortened_ a shorter separator. Returns false if there is none.
  bool Shorten(const Slice& last_user_key, const Slice* next_user_key);

  const TableOptions options_;
  IndexForm form_;
  // Blocks before this one have, or could have, user keys as separators.
  size_t user_keys_until_;
  bool complete_ = false;
  // Separators as internal keys, end to end; where each one ends.
  std::string keys_;
  std::vector<uint64_t> key_ends_;
  std::vector<uint32_t> last_key_sizes_;
  std::string first_keys_;
  std::vector<uint64_t> first_key_ends_;
  std::vector<BlockHandle> handles_;
  std::string shortened_;  // kept for its memory
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_INDEX_INDEX_BUILDER_H_
