// CachedDataBlock: what the block cache holds for a data block.
//
//   +-------------+-------------------+--------------------+---------------+
//   | this object | its entry words   | what point reads   | the block's   |
//   |             | (entry_words.h)   | do not need        | bytes         |
//   +-------------+-------------------+--------------------+---------------+
//
// It is one piece of memory, in the order in which a read needs it. So a thread
// that has a slot hint can prefetch the first cache lines together: five of
// them, for a block of 4 KiB with entries of 100 bytes. Thread-safe.
//
// Two things change later: what iterators record of the block, and its entry
// words. The room for the words is there from the start, and is charged. It is
// filled by the second search that finds the block in the cache, since blocks
// that are hardly asked for again must not pay for words.
//
// Protocol of the words. `words_state_` goes from kRoom to kFoundOnce, and from
// there to kBeingMade, by one compare-exchange each. The thread whose exchange
// reached kBeingMade alone writes the room. It then publishes what it wrote by
// kMade, with release, or sets kNone if the block can have no words. A thread
// that does not read kMade, with acquire, searches without words.
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
  // Makes *block a copy of these contents of the block at `place`, checked as
  // ParseBlock does. `order` is that of its keys, and null if it shall have no
  // words. *interval is that of MeasureEntryWords. `allocator`, or malloc if it
  // is null, gives the memory, and must outlive the block. Returns Corruption
  // if the contents do not parse. Returns ok with a null *block if there is no
  // memory.
  static Status Make(const BlockPlace& place, const Slice& contents,
                     const KeyOrder* order, uint32_t* interval,
                     MemoryAllocator* allocator,
                     std::unique_ptr<CachedDataBlock>* block);
  // For a second tier of the cache. SaveTo writes the block's handle and its
  // bytes, SavedSize() bytes in all. Create makes a block of these bytes,
  // checked as by Make; `order` is a const KeyOrder*.
  size_t SavedSize() const;
  void SaveTo(char* out) const;
  static Status Create(const Slice& saved, const void* order,
                       MemoryAllocator* allocator,
                       std::unique_ptr<CachedDataBlock>* block);
  // Gives the memory back to the allocator that it is from.
  static void operator delete(CachedDataBlock* block, std::destroying_delete_t);

  const BlockHandle& handle() const { return handle_; }
  const BlockView& view() const { return view_; }
  // Returns the entry words, or none if they are not made.
  EntryWords words() const {
    return words_state_.Load() == WordsState::kMade
               ? EntryWords(shape(), WordsMemory())
               : EntryWords();
  }
  // To be called for each search of a block that was found in the cache. The
  // second call makes the words. `order` is that which they were measured for.
  void MakeWordsOfFound(const KeyOrder& order) {
    const WordsState state = words_state_.Load();
    if (state == WordsState::kRoom || state == WordsState::kFoundOnce) {
      NoteFound(state, order);
    }
  }

  // Returns whether there is room for entry words, made or not.
  bool has_room_for_words() const { return word_entries_ != 0; }

  // What an iterator recorded after it had checked all entries, and the
  // comparator by which it did; null: none has.
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
  // For memory that is larger than this object.
  static void* operator new(size_t, void* memory) { return memory; }
  EntryWordsShape shape() const { return {word_entries_, word_prefix_}; }
  const char* WordsMemory() const {
    return reinterpret_cast<const char*>(this + 1);
  }
  // What point reads do not need.
  struct Rest {
    MemoryAllocator* allocator = nullptr;
    size_t bytes = 0;  // of the whole piece, as it was requested
    // Both numbers of CheckedEntries in one word, since readers with other
    // comparators may record others at the same time.
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
  // Returns the size of the block's bytes.
  size_t ContentsSize() const { return rest().bytes - BytesAround(shape()); }
  static size_t BytesAround(const EntryWordsShape& words);
  static size_t RoundedWords(const EntryWordsShape& words) {
    return (words.bytes() + alignof(Rest) - 1) / alignof(Rest) * alignof(Rest);
  }

  BlockHandle handle_;  // in the file
  // The shape of the words that there is room for. 16 bits each, since every
  // cache line counts.
  uint16_t word_entries_;
  uint16_t word_prefix_;
  const bool is_mallocs_;  // whether the memory is malloc's
  AcqRelAtomic<WordsState> words_state_;
  BlockView view_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_LOAD_CACHED_DATA_BLOCK_H_
