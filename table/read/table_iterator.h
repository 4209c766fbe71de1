// Iterator::State: what is behind a public Iterator.
//
// Data flow. An index cursor finds the block. The block is loaded, through a
// window that reads ahead. A BlockIterator walks over it. At each step from one
// block to the next, the keys on both sides are compared with the separator
// between them: a block out of place is Corruption, and gives no wrong answer.
//
// One thread at a time.
#ifndef ASHLAR_TABLE_READ_TABLE_ITERATOR_H_
#define ASHLAR_TABLE_READ_TABLE_ITERATOR_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "ashlar/table/iterator.h"
#include "ashlar/table/options.h"
#include "table/block/block_iterator.h"
#include "table/index/index_cursor.h"
#include "table/load/blocks_ahead.h"
#include "table/read/opened_table.h"
#include "table/read/walk_bounds.h"

namespace ashlar::internal {
class VisibleEntries;
}

namespace ashlar {

struct Iterator::State {
  State(const internal::OpenedTable* opened, const ReadOptions& read_options);
  ~State();

  const internal::OpenedTable* table;
  const ReadOptions options;
  const std::string newest;  // the newest timestamp that is seen; empty: all
  internal::FileWindow window;
  internal::BlockWorkspace workspace;
  internal::PinnedBlock passing;  // the current block, unless it is kept
  internal::PinnedBlock* loaded = &passing;
  // With ReadOptions::pin_data: every block that the walk came to, by offset
  // and size.
  std::map<std::pair<uint64_t, uint64_t>, internal::PinnedBlock> kept;
  internal::BlocksAhead ahead;
  internal::IndexCursor at;
  internal::BlockIterator block;
  const internal::WalkBounds bounds;
  // The offset of *loaded, and whether there is one.
  uint64_t block_offset = 0;
  bool has_block = false;
  Status status;
  const bool usable;   // false: the options are wrong, as `status` says
  std::string target;  // kept for its memory
  // Null: every entry is shown, by views that live until the next step. Else
  // this object walks, and `block` stays empty. Then each step in `block` ends
  // at once, and goes on here. So steps that hide nothing need not ask.
  std::unique_ptr<internal::VisibleEntries> visible;

  // Each of these returns whether `block` is then at an entry. If it is not,
  // `status` says whether that is the end of the table or an error.
  bool SeekToFirst();
  bool SeekToLast();
  bool Seek(const Slice& internal_key);
  bool NextBlock();
  bool PrevBlock();
  bool SeekForPrev(const Slice& internal_key);
  // Walks over all entries of the block of `at`, and adds their number to
  // *entries. Returns false if `status` then has an error. Requires: nothing is
  // hidden.
  bool PassBlock(uint64_t* entries);
  // Returns the state that walks: this, or that of `visible`.
  State& Walk();
  // Leaves the entry, as at an end of the table.
  void LetGo();
  // Leaves the entry with this error. Returns false.
  bool Fail(const Status& error);

 private:
  bool CheckSeek();
  bool SeekInside(const Slice& internal_key);
  bool SeekInBlock(const Slice& internal_key);
  bool BeginWalk();
  bool LoadBlock();
  Status TakeBlock(const internal::BlockPlace& place);
  Status TakeKeptBlock(const internal::BlockPlace& place);
  void LookOn(bool forward);
  bool FirstFrom(bool on_block);
  bool LastFrom(bool on_block);
  bool CheckBlockBegin();
  bool CheckBlockEnd();
  bool BadSeparator();
  bool AtEnd();
  bool PassOn(bool on_entry);
};

}  // namespace ashlar

#endif  // ASHLAR_TABLE_READ_TABLE_ITERATOR_H_
