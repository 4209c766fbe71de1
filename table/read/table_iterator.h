// TableIterator: what is behind an Iterator over a table.
//
// Data flow. An index cursor finds the block. The block is loaded, through a
// window that reads ahead. A BlockIterator walks over it. At each step from one
// block to the next, the keys on both sides are compared with the separator
// between them: a block out of place is Corruption, and gives no wrong answer.
//
// Deferred blocks (ReadOptions::allow_unprepared_value). If the index has first
// keys, a walk that comes to the first entry of a block takes the key from the
// index, into `shown`, and loads nothing. `block` is then empty, so that the
// next step comes here: NextBlock first loads the block (Prepare) and checks
// that it begins with that key, in all its bytes; PrevBlock goes to the block
// before, and the deferred one is never loaded.
//
// One thread at a time.
#ifndef ASHLAR_TABLE_READ_TABLE_ITERATOR_H_
#define ASHLAR_TABLE_READ_TABLE_ITERATOR_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "table/index/index_cursor.h"
#include "table/load/blocks_ahead.h"
#include "table/load/decode_ahead.h"
#include "table/read/iterator_state.h"
#include "table/read/opened_table.h"
#include "table/read/walk_bounds.h"

namespace ashlar::internal {

struct TableIterator final : Iterator::State {
  TableIterator(const OpenedTable* opened, const ReadOptions& read_options);
  ~TableIterator() override;
  // An engine may make an iterator for each seek. So the thread keeps the
  // memory of its last one for the next.
  static void* operator new(size_t size);
  static void operator delete(void* memory, size_t size);

  const OpenedTable* table;
  const ReadOptions options;
  const ReadOptions* const limiting;  // LimitScope::Limiting(options)
  FileWindow window;
  BlockWorkspace workspace;
  PinnedBlock passing;  // the current block, unless it is kept
  PinnedBlock* loaded = &passing;
  // Blocks that are not in the cache: the current one, and those in `kept`.
  MemoryCharge passing_charge;
  MemoryCharge kept_charge;
  // With ReadOptions::pin_data: every block that the walk came to, by offset
  // and size.
  using KeptBlocks = std::map<std::pair<uint64_t, uint64_t>, PinnedBlock>;
  KeptBlocks kept;
  // Whether *loaded goes to the value keeper.
  bool is_to_keep = false;
  BlocksAhead ahead;
  std::unique_ptr<DecodeAhead> decoder;  // null: nobody helps
  IndexCursor at;
  WalkBounds bounds;
  // Whether the block that `block` walks over has entries beyond the upper
  // bound.
  bool cut_above = false;
  // Whether the last move ended at the upper bound.
  bool at_upper_bound = false;
  // Whether keys may be shown before their blocks are loaded.
  const bool defers;
  // The offset of *loaded, and whether there is one.
  uint64_t block_offset = 0;
  // The part of the index by which the window was limited last.
  const ParsedIndex* limited_in = nullptr;
  bool has_block = false;
  // Whether the next Seek need not ask the index: `at` is where it would be.
  bool is_sought = false;
  // The memory of the key that was shown before OwnBlock.
  Buffer shown_key;
  // Whether that, or its block, could not be read: `status` is then the error
  // of the next Seek.
  bool sought_failed = false;
  Status status;

  // Each of these returns whether `block` is then at an entry.
  bool SeekToFirst() override;
  bool SeekToLast() override;
  bool Seek(const Slice& internal_key) override;
  bool SeekForPrev(const Slice& internal_key) override;
  void BringOn(SeekPart part) override;
  bool NextBlock() override;
  bool PrevBlock() override;
  bool Prepare() override;
  Status SetBounds(const Slice* lower, const Slice* upper) override;
  bool AtUpperBound() const override { return at_upper_bound; }
  const Status& CurrentStatus() const override { return status; }
  bool Fail(const Status& error) override;
  // Shares the block with all values that were pinned there.
  Status PinValue(const Slice& bytes, PinnableSlice* value) override;
  void SetValueKeeper(ValueKeeper keeper) override;
  // Notes that the block goes to the keeper when the walk leaves it.
  Status KeepValue() override;
  Status DelegatePins(Cleanable* keeper) override;
  // Walks over all entries of the block of `at`, and adds their number to
  // *entries. Follows references to embedded blobs with `blobs`, unless that is
  // null. Returns false if `status` then has an error. Requires: nothing is
  // hidden.
  bool PassBlock(uint64_t* entries, BlobWorkspace* blobs);
  // Leaves the entry, as at an end of the table.
  void LetGo();
  Slice key() const { return unprepared ? shown.key : block.key(); }

 private:
  bool CheckSeek();
  bool SeekInside(const Slice& internal_key, bool sought = false);
  bool FindSought();
  bool SeekInBlock(const Slice& internal_key);
  enum class Direction : bool { kForward, kBackward };
  bool BeginWalk(Direction direction);
  // Passes the block to the keeper if a value of it is to be kept.
  void HandOver() {
    if (is_to_keep) [[unlikely]]
      PassToKeeper();
  }
  void PassToKeeper();
  Status OwnBlock();
  bool TakesKeyFromIndex(const Slice& internal_key) const;
  bool ShowFirstKey();
  bool LoadBlock();
  void LimitWindow();
  Status TakeBlock(const BlockPlace& place);
  Status TakeKeptBlock(const BlockPlace& place);
  Status ChargePassing();
  void LookOn(bool forward);
  void FetchFromOtherCore(const BlockView& next, bool forward);
  bool FirstFrom(bool on_block);
  bool LastFrom(bool on_block);
  bool CheckBlockBegin();
  bool CheckBlockEnd();
  bool BadSeparator();
  bool AtEnd();
  bool AtEndByBound();
  bool PassOn(bool on_entry);
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_READ_TABLE_ITERATOR_H_
