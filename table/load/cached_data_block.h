// CachedDataBlock: what the block cache keeps of a data block.
//
//   this object | words of its entries | what point reads do without
//   | the block's bytes
//
// One piece of memory, in the order in which a read needs it, so that who knows
// where it may lie can fetch its first lines together: five of them where the
// block is of 4 KiB and has entries of 100 bytes. Thread-safe.
//
// What changes later: what is noted of it, and its words. There is room for
// them from the start, which is charged; the second search that finds the block
// in the cache fills it, since blocks that are hardly asked for again must not
// pay for words. Protocol: `words_state_` goes from kRoom to kFoundOnce and
// from there to kBeingMade by one compare-exchange each; who wins the latter
// alone writes the room, and then publishes what it wrote by kMade, or says
// kNone where the block has no words. Who does not see kMade goes without.
#ifndef ASHLAR_TABLE_LOAD_CACHED_DATA_BLOCK_H_
#define ASHLAR_TABLE_LOAD_CACHED_DATA_BLOCK_H_

#include <cstddef>
#include <memory>
#include <new>

#include "ashlar/util/memory_allocator.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"
#include "table/block/block.h"
#include "table/block/entry_words.h"
#include "table/format/block_handle.h"
#include "table/format/block_place.h"
#include "table/format/key_order.h"
#include "util/sync/atomic.h"

namespace ashlar::internal {

class CachedDataBlock {
 public:
  // Of a block that is stored at `place`; a copy of its contents, checked as
  // ParseBlock does. `order`: that of whole keys, to have words for them; null:
  // none. *interval: as MeasureEntryWords has it. Null and ok when there is no
  // memory for it. The allocator outlives it; null: malloc.
  static Status Make(const BlockPlace& place, const Slice& contents,
                     const KeyOrder* order, uint32_t* interval,
                     MemoryAllocator* allocator,
                     std::unique_ptr<CachedDataBlock>* block);
  // For a second tier of the cache: the block's place and bytes; and of such
  // bytes a block, checked as above, with words by `order`, a const KeyOrder*.
  size_t SavedSize() const;
  void SaveTo(char* out) const;
  static Status Create(const Slice& saved, const void* order,
                       MemoryAllocator* allocator,
                       std::unique_ptr<CachedDataBlock>* block);
  // Gives the memory back to where it is from.
  static void operator delete(CachedDataBlock* block, std::destroying_delete_t);

  const BlockHandle& handle() const { return handle_; }
  const BlockView& view() const { return view_; }
  // None where they are not made.
  EntryWords words() const {
    return words_state_.Load() == WordsState::kMade
               ? EntryWords(shape(), WordsMemory())
               : EntryWords();
  }
  // For each search of a block that was found in the cache: has the words made
  // once it is time. Of the order that they were measured for.
  void MakeWordsOfFound(const KeyOrder& order) {
    const WordsState state = words_state_.Load();
    if (state == WordsState::kRoom || state == WordsState::kFoundOnce) {
      NoteFound(state, order);
    }
  }

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
  enum class WordsState : uint8_t {
    kNone,
    kRoom,
    kFoundOnce,
    kBeingMade,
    kMade
  };

  CachedDataBlock(const BlockHandle& handle, const EntryWordsShape& words,
                  bool is_mallocs)
      : handle_(handle),
        word_entries_(static_cast<uint16_t>(words.num_entries)),
        word_prefix_(static_cast<uint16_t>(words.prefix_size)),
        is_mallocs_(is_mallocs),
        words_state_(words.num_entries == 0 ? WordsState::kNone
                                            : WordsState::kRoom) {}
  void NoteFound(WordsState before, const KeyOrder& order);
  // Placed into memory that is larger than this object.
  static void* operator new(size_t, void* memory) { return memory; }
  EntryWordsShape shape() const { return {word_entries_, word_prefix_}; }
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
                                    RoundedWords(shape()));
  }
  const Rest& rest() const {
    return const_cast<CachedDataBlock*>(this)->rest();
  }
  // As many bytes as the block has.
  size_t ContentsSize() const { return rest().bytes - BytesAround(shape()); }
  static size_t BytesAround(const EntryWordsShape& words);
  static size_t RoundedWords(const EntryWordsShape& words) {
    return (words.bytes() + alignof(Rest) - 1) / alignof(Rest) * alignof(Rest);
  }

  BlockHandle handle_;  // of the file
  // The words that there is room for. In 16 bits each: every line counts.
  uint16_t word_entries_;
  uint16_t word_prefix_;
  const bool is_mallocs_;  // where the memory is from
  AcqRelAtomic<WordsState> words_state_;
  BlockView view_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_LOAD_CACHED_DATA_BLOCK_H_
