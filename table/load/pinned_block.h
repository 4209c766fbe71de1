// PinnedBlock: a data block that a read uses, and what keeps its bytes alive: a
// cache handle, a share in one, or a buffer of its own.
//
// DataBlocks fills a PinnedBlock, and the read that asked for it owns it. One
// thread at a time.
#ifndef ASHLAR_TABLE_LOAD_PINNED_BLOCK_H_
#define ASHLAR_TABLE_LOAD_PINNED_BLOCK_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "ashlar/cache/typed_cache.h"
#include "table/block/block.h"
#include "table/block/block_iterator.h"
#include "table/load/block_source.h"
#include "table/load/cached_data_block.h"

namespace ashlar::internal {

using CachedBlockHandle = TypedHandle<CachedDataBlock>;

// Copies the block's contents into memory of its own, unless they are there.
// Returns MemoryLimit if there is no memory for the copy.
Status OwnContents(const BlockPlace& place, LoadedBlock* block);

// A data block that was loaded. It is kept alive by this object, or by what
// Release or Share gave away.
class PinnedBlock {
 public:
  const BlockView& view() const { return view_; }
  // Returns the cached block that the view shows; null if it is not in the
  // cache.
  const CachedDataBlock* cached() const { return seen_; }

  // Returns whether it was in the cache already.
  bool was_found() const { return was_found_; }

  // Releases the block, and keeps memory of its own for the next one.
  void Clear() {
    view_ = {};
    seen_ = nullptr;
    was_found_ = false;
    cached_.Reset();
    shared_.Reset();
  }
  // Gives away what keeps the block's bytes alive.
  Cleanable Release();
  // If the block is in the cache: checks all its entries, with `walker`, unless
  // a reader with this comparator has done so. Walks over it then need not
  // check them. Requires: the order is known.
  void CheckOnce(const KeyOrder& order, const BlockPlace& place,
                 BlockIterator* walker);
  // Makes the block one that Share can share without memory. May throw
  // std::bad_alloc, and then changes nothing.
  void MakeShared();
  // Makes `keeper` keep the block's bytes alive too. May be called for any
  // number of keepers.
  void Share(Cleanable* keeper);
  // Returns the block's entry words, if it has any yet. To be called once per
  // search. Requires: `order` is the table's, and IsOfBytes().
  EntryWords Words(const KeyOrder& order) const {
    if (seen_ == nullptr) return {};
    if (was_found_) seen_->MakeWordsOfFound(order);
    return seen_->words();
  }
  // Returns those that it has by now, and makes none. Any number of times.
  EntryWords MadeWords() const {
    return seen_ == nullptr ? EntryWords() : seen_->words();
  }
  // Returns about how large the block is, in bytes.
  uint64_t bytes() const {
    return view_.restarts == nullptr
               ? 0
               : static_cast<uint64_t>(view_.restarts - view_.entries);
  }
  // Returns the bytes of memory that it has outside of the cache.
  uint64_t own_room() const { return own_.owned.room(); }
  // Returns whether its bytes can be kept alive. False if they are in the
  // file's memory, or in a window.
  bool HasOwnBytes() const {
    return cached_ || shared_ || own_.contents.data() == own_.owned.data();
  }
  // Copies the block's bytes, unless they can be kept alive. Returns
  // MemoryLimit if there is no memory for the copy.
  Status MakeOwn(const BlockPlace& place);
  // Replaces the block by one of these bytes. Returns Corruption if they do not
  // parse.
  Status Replace(const BlockPlace& place, Buffer bytes);

  // For DataBlocks, on an empty block.

  // Makes this what was found in the cache. Returns false if nothing was found,
  // or if it is another block than that at `place`.
  bool TakeFound(CachedBlockHandle found, const BlockPlace& place) {
    // A damaged index may name a block with this offset and another size.
    if (!found || found->handle() != place.handle) return false;
    seen_ = found.get();
    was_found_ = true;
    view_ = found->view();
    cached_ = std::move(found);
    return true;
  }
  // Makes this the block that the caller has put into the cache.
  void TakeKept(CachedBlockHandle kept);
  // Where a block that does not go to the cache is loaded to.
  LoadedBlock* own() { return &own_; }
  // Prefetches the memory that ShowCopy will write, if it is there from a block
  // before.
  void FetchOwn() const {
    constexpr size_t kLine = 64;
    constexpr size_t kMostLines = 128;
    const Buffer& to = own_.owned;
    const size_t lines = std::min(to.capacity() / kLine, kMostLines);
    for (size_t i = 0; i < lines; ++i) {
      __builtin_prefetch(to.data() + i * kLine, 1);
    }
  }
  // Makes this a copy of these contents, in own(). Returns Corruption if they
  // do not parse, and MemoryLimit if there is no memory for the copy.
  Status ShowCopy(const BlockPlace& place, const Slice& contents) {
    own_.contents = contents;
    own_.owned.clear();
    Status status = OwnContents(place, &own_);
    return status.ok() ? ShowOwn(place) : status;
  }
  // Makes this the block that is in own(). Returns Corruption if that does not
  // parse.
  Status ShowOwn(const BlockPlace& place) {
    return ParseBlock(own_.contents, place, &view_);
  }

 private:
  BlockView view_;
  CachedDataBlock* seen_ = nullptr;
  bool was_found_ = false;  // in the cache, and not just put there
  LoadedBlock own_;         // its bytes, if it is not in the cache
  CachedBlockHandle cached_;
  SharedCleanable shared_;  // replaces both once the block was shared
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_LOAD_PINNED_BLOCK_H_
