// IndexCursor: a place in the row of a table's data blocks.
//
// Iterators, Get and checks walk over blocks with it, whatever the index type.
// The first seek loads the index, if no thread has. Moving within a part is
// arithmetic; only a step into another part asks the index. Belongs to one
// thread. The index must outlive it.
#ifndef ASHLAR_TABLE_INDEX_INDEX_CURSOR_H_
#define ASHLAR_TABLE_INDEX_INDEX_CURSOR_H_

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"
#include "table/format/block_place.h"
#include "table/index/block_note.h"
#include "table/index/index.h"

namespace ashlar::internal {

class IndexCursor {
 public:
  IndexCursor() = default;  // may only be assigned to
  explicit IndexCursor(const LateIndex* index) : late_index_(index) {}

  // Each of these returns whether the cursor is then at a block. If it is not,
  // status() says whether that is an end of the table or an error, such as
  // damage, and only a seek may follow.
  bool SeekToFirst();
  bool SeekToLast();
  // Moves to the first block that may hold the internal key or a later one.
  bool Seek(const Slice& internal_key);
  // Moves to block number `at` of `part`, for a caller that has found it.
  // Requires: the index is loaded and not partitioned, and the caller holds its
  // part.
  bool SeekToBlock(const ParsedIndex* part, size_t at) {
    index_ = late_index_->IfLoaded();
    assert(index_ != nullptr && !index_->is_partitioned());
    status_ = Status();
    part_ = part;
    part_number_ = 0;
    blocks_before_part_ = 0;
    at_ = at;
    return at_ < part_->size();
  }
  // Moves to the block of `other`, a cursor of the same index at a block.
  bool MoveTo(const IndexCursor& other);
  bool Next() {
    if (++at_ < part_->size()) [[likely]]
      return true;
    return FirstOfPart(part_number_ + 1);
  }
  bool Prev() {
    if (at_ > 0) [[likely]] {
      --at_;
      return true;
    }
    return LastOfPartBefore();
  }
  const Status& status() const { return status_; }

  // Requires, like all that follow: the cursor is at a block.
  BlockHandle handle() const { return part_->handle(at_); }
  // Returns the block's separator, in *memory if it must be put together.
  Slice separator(std::string* memory) const {
    return part_->separator(at_, memory);
  }
  // Returns whether separators are user keys, without tails.
  bool SeparatorIsUserKey() const { return part_->form().user_keys; }
  // Returns whether the separator has this user key, timestamps not counted.
  bool SeparatorHasUserKey(const Slice& user_key) const {
    return part_->SeparatorHasUserKey(at_, user_key);
  }
  // Returns the block's first internal key; empty if the index does not have
  // it.
  Slice first_key() const { return part_->first_key(at_); }
  // Returns where to leave a slot hint for the block.
  BlockNote note() const { return {part_, at_}; }
  // Returns the same if the note may be used as long as the index lives; else
  // one without a part.
  BlockNote LastingNote() const {
    return hold_.is_cached() ? BlockNote() : note();
  }
  // Returns the block's place, with its number if that is known without reading
  // more parts.
  BlockPlace place() const {
    BlockPlace place;
    FillPlace(&place);
    return place;
  }
  // Sets *place to the same, without a copy. Requires: *place has its default
  // value.
  void FillPlace(BlockPlace* place) const {
    place->kind = BlockKind::kData;
    place->handle = handle();
    if (blocks_before_part_.has_value()) {
      place->index = *blocks_before_part_ + at_;
    }
  }
  // Returns the note of the block `places` after this one, or before it if
  // negative. The note has no part if the block is in another part.
  BlockNote NoteNear(ptrdiff_t places) const {
    const size_t i = at_ + static_cast<size_t>(places);
    return i < part_->size() ? BlockNote{part_, i} : BlockNote();
  }
  // Compares the block's separator with the internal key: < 0 if it sorts
  // before the key, 0, or > 0 if after it.
  int CompareSeparator(const Slice& internal_key) const {
    return part_->CompareSeparator(at_, internal_key);
  }
  // The same for the block before; < 0 if there is none.
  int CompareSeparatorBefore(const Slice& internal_key) const {
    if (at_ > 0) return part_->CompareSeparator(at_ - 1, internal_key);
    if (part_number_ == 0) return -1;
    return index_->root().CompareSeparator(part_number_ - 1, internal_key);
  }

 private:
  bool HasIndex();
  bool FirstOfPart(size_t number);
  bool LastOfPartBefore();
  bool Enter(size_t number);

  const LateIndex* late_index_ = nullptr;
  const IndexReader* index_ = nullptr;  // null before the first seek
  IndexHold hold_;                      // holds part_, unless the caller does
  const ParsedIndex* part_ = nullptr;
  size_t part_number_ = 0;
  size_t at_ = 0;
  std::optional<uint64_t> blocks_before_part_;
  Status status_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_INDEX_INDEX_CURSOR_H_
