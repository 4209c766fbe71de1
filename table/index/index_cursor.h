// IndexCursor: a place in the row of a table's data blocks.
//
// Iterators, Get and checks walk over blocks with it, whatever the index type.
// Moving within a part is arithmetic; only the step into another part asks the
// index. Belongs to one thread; the index must outlive it.
#ifndef ASHLAR_TABLE_INDEX_INDEX_CURSOR_H_
#define ASHLAR_TABLE_INDEX_INDEX_CURSOR_H_

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"
#include "table/format/block_place.h"
#include "table/index/block_note.h"
#include "table/index/index.h"

namespace ashlar::internal {

class IndexCursor {
 public:
  IndexCursor() = default;  // only to be assigned to
  explicit IndexCursor(const IndexReader* index) : index_(index) {}

  // Each is true when the cursor then stands on a block. If not, status()
  // tells an end of the table from damage, and only a seek leads on.
  bool SeekToFirst();
  bool SeekToLast();
  // The first block that may hold the internal key or one behind it.
  bool Seek(const Slice& internal_key);
  // The same for who has found the place already: number `at` of an index that
  // is not partitioned, whose part somebody holds.
  bool SeekToBlock(const ParsedIndex* part, size_t at) {
    assert(!index_->is_partitioned());
    status_ = Status();
    part_ = part;
    part_number_ = 0;
    blocks_before_part_ = 0;
    at_ = at;
    return at_ < part_->size();
  }
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

  // From here on: only on a block.
  const BlockHandle& handle() const { return part_->handle(at_); }
  Slice separator() const { return part_->separator(at_); }
  // The block's first internal key; empty where the index does not tell.
  Slice first_key() const { return part_->first_key(at_); }
  // Where to note where the block was found.
  BlockNote note() const { return {part_, at_}; }
  // With the block's number, where that is known without reading more parts.
  BlockPlace place() const {
    BlockPlace place;
    TellPlace(&place);
    return place;
  }
  // The same into a place that is as new, without a copy.
  void TellPlace(BlockPlace* place) const {
    place->kind = BlockKind::kData;
    place->handle = handle();
    if (blocks_before_part_.has_value()) {
      place->index = *blocks_before_part_ + at_;
    }
  }
  // The block so many places behind this one, or before it where negative; of
  // no part where the index would have to be asked for it.
  BlockNote NoteNear(ptrdiff_t places) const {
    const size_t i = at_ + static_cast<size_t>(places);
    return i < part_->size() ? BlockNote{part_, i} : BlockNote();
  }
  // Whether the block's separator sorts before, like or behind the internal
  // key: < 0, 0, > 0.
  int CompareSeparator(const Slice& internal_key) const {
    return part_->CompareSeparator(at_, internal_key);
  }
  // The same for the block before; < 0 where there is none.
  int CompareSeparatorBefore(const Slice& internal_key) const {
    if (at_ > 0) return part_->CompareSeparator(at_ - 1, internal_key);
    if (part_number_ == 0) return -1;
    return index_->root().CompareSeparator(part_number_ - 1, internal_key);
  }

 private:
  bool FirstOfPart(size_t number);
  bool LastOfPartBefore();
  bool Enter(size_t number);

  const IndexReader* index_ = nullptr;
  IndexHold hold_;  // of part_, unless others hold it
  const ParsedIndex* part_ = nullptr;
  size_t part_number_ = 0;
  size_t at_ = 0;
  std::optional<uint64_t> blocks_before_part_;
  Status status_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_INDEX_INDEX_CURSOR_H_
