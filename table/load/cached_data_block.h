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
// A block is loaded to where it stays (BlockRoom). What its words take is known
// only then, so the room for them is what other blocks of the table have shown
// to be enough. If it is not enough, the block is copied to a piece that is.
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
#include "table/load/block_memory.h"
#include "util/sync/atomic.h"

namespace ashlar::internal {

class CachedDataBlock {
 public:
  // Makes *block the block at `place`, which has these contents, checked as
  // ParseBlock does. If `room` holds them, they stay there; else they are
  // copied. Either way *block alone keeps its bytes. room->front() is
  // FrontBytes(n), with any n. `order` is that of the block's keys, and null if
  // it shall have no words. *interval is that of MeasureEntryWords. Returns
  // Corruption if the contents do not parse. Returns ok with a null *block if
  // there is no memory. If only the words lack memory, the block has none.
  static Status Make(const BlockPlace& place, const Slice& contents,
                     const KeyOrder* order, uint32_t* interval, BlockRoom* room,
                     std::unique_ptr<CachedDataBlock>* block);
  // Returns how many bytes are before a block's bytes if `word_bytes` are for
  // its words.
  static size_t FrontBytes(size_t word_bytes);
  // Returns how many bytes its words take or will take, rounded up.
  size_t word_bytes() const { return RoundedWords(shape()); }
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

  size_t ApproximateMemoryUsage() const {
    return kept_bytes_ != 0 ? kept_bytes_ : UsageOfLarge();
  }

 private:
  enum class WordsState : uint8_t {
    kNone,
    kRoom,
    kFoundOnce,
    kBeingMade,
    kMade
  };

  CachedDataBlock(const BlockHandle& handle, const EntryWordsShape& words,
                  const BlockView& view, uint16_t kept_bytes)
      : handle_(handle),
        word_entries_(static_cast<uint16_t>(words.num_entries)),
        word_prefix_(static_cast<uint16_t>(words.prefix_size)),
        kept_bytes_(kept_bytes),
        words_state_(words.num_entries == 0 ? WordsState::kNone
                                            : WordsState::kRoom),
        view_(view) {}
  static std::unique_ptr<CachedDataBlock> OwnerOf(BlockRoom* room,
                                                  const BlockPlace& place,
                                                  size_t contents_bytes,
                                                  const EntryWordsShape& words,
                                                  const BlockView& view);
  size_t UsageOfLarge() const;
  void NoteFound(WordsState before, const KeyOrder& order);
  // For memory that is larger than this object.
  static void* operator new(size_t, void* memory) { return memory; }
  EntryWordsShape shape() const { return {word_entries_, word_prefix_}; }
  const char* WordsMemory() const {
    return reinterpret_cast<const char*>(this + 1);
  }
  // What point reads do not need. The block's bytes follow.
  struct Rest {
    MemoryAllocator* allocator = nullptr;
    size_t bytes = 0;  // of the whole piece: see BlockRoom::Release
    size_t contents_bytes = 0;
    // Both numbers of CheckedEntries in one word, since readers with other
    // comparators may record others at the same time.
    RelaxedAtomic<uint64_t> checked{0};
    AcqRelAtomic<const Comparator*> checked_by{nullptr};
  };
  // The entries are the first of the block's bytes.
  Rest& rest() {
    return reinterpret_cast<Rest*>(const_cast<char*>(view_.entries))[-1];
  }
  const Rest& rest() const {
    return reinterpret_cast<const Rest*>(view_.entries)[-1];
  }
  static size_t RoundedWords(const EntryWordsShape& words) {
    return (words.bytes() + alignof(Rest) - 1) / alignof(Rest) * alignof(Rest);
  }

  BlockHandle handle_;  // in the file
  // The shape of the words that there is room for. 16 bits each, since every
  // cache line counts.
  uint16_t word_entries_;
  uint16_t word_prefix_;
  // The bytes of the whole piece, if it is BlockMemory's and so small that a
  // thread may keep it; else 0. Here, since one cache line must be enough to
  // end a block.
  const uint16_t kept_bytes_;
  AcqRelAtomic<WordsState> words_state_;
  BlockView view_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_LOAD_CACHED_DATA_BLOCK_H_
