// CachedDataBlock: what the block cache keeps of a data block.
//
//   this object | words of its entries | what point reads do without
//   | the block's bytes
//
// One piece of memory, in the order in which a read needs it, so that who knows
// where it may lie can fetch its first lines together: five of them where the
// block is of 4 KiB and has entries of 100 bytes. Made once, never changed but
// for what is noted of it: thread-safe.
#ifndef ASHLAR_TABLE_READ_CACHED_DATA_BLOCK_H_
#define ASHLAR_TABLE_READ_CACHED_DATA_BLOCK_H_

#include <cstddef>
#include <memory>
#include <new>

#include "table/block/block.h"
#include "table/block/entry_words.h"
#include "table/format/block_handle.h"
#include "table/format/block_place.h"
#include "table/format/key_order.h"
#include "util/memory_allocator.h"
#include "util/slice.h"
#include "util/status.h"
#include "util/sync/atomic.h"

namespace ashlar::internal {

class CachedDataBlock {
 public:
  // Of a block that is stored at `place`; a copy of its contents, checked as
  // ParseBlock does. `order`: that of whole keys, to have words for them; null:
  // none. Null and ok when there is no memory for it. The allocator outlives
  // it; null: malloc.
  static Status Make(const BlockPlace& place, const Slice& contents,
                     const KeyOrder* order, MemoryAllocator* allocator,
                     std::unique_ptr<CachedDataBlock>* block);
  // Gives the memory back to where it is from.
  static void operator delete(CachedDataBlock* block, std::destroying_delete_t);

  const BlockHandle& handle() const { return handle_; }
  const BlockView& view() const { return view_; }
  EntryWords words() const { return {words_, WordsMemory()}; }

  // What an iterator found that looked at all entries, and by what order.
  const Comparator* checked_by() const { return rest().checked_by.Load(); }
  CheckedEntries checked() const {
    const uint64_t both = rest().checked.Load();
    return {static_cast<uint32_t>(both >> 32), static_cast<uint32_t>(both)};
  }
  void NoteChecked(const CheckedEntries& found, const Comparator* by) {
    rest().checked.Store(uint64_t{found.largest_key} << 32 |
                         found.largest_interval);
    rest().checked_by.Store(by);
  }

  size_t ApproximateMemoryUsage() const;

 private:
  CachedDataBlock(const BlockHandle& handle, const EntryWordsShape& words)
      : handle_(handle), words_(words) {}
  // Placed into memory that is larger than this object.
  static void* operator new(size_t, void* memory) { return memory; }
  const char* WordsMemory() const {
    return reinterpret_cast<const char*>(this + 1);
  }
  // What point reads do without.
  struct Rest {
    MemoryAllocator* allocator = nullptr;
    size_t bytes = 0;  // that were asked for
    // Both numbers in one: readers with other comparators may note others.
    RelaxedAtomic<uint64_t> checked{0};
    AcqRelAtomic<const Comparator*> checked_by{nullptr};
  };
  // The block's bytes follow.
  Rest& rest() {
    return *reinterpret_cast<Rest*>(const_cast<char*>(WordsMemory()) +
                                    RoundedWords(words_));
  }
  const Rest& rest() const {
    return const_cast<CachedDataBlock*>(this)->rest();
  }
  static size_t RoundedWords(const EntryWordsShape& words) {
    return (words.bytes() + alignof(Rest) - 1) / alignof(Rest) * alignof(Rest);
  }
  static Status MakeWith(const EntryWordsShape& words, const BlockPlace& place,
                         const Slice& contents, const KeyOrder* order,
                         MemoryAllocator* allocator,
                         std::unique_ptr<CachedDataBlock>* block,
                         bool* words_made);

  BlockHandle handle_;  // of the file
  EntryWordsShape words_;
  BlockView view_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_READ_CACHED_DATA_BLOCK_H_
