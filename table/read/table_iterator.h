// The state behind a public Iterator.
//
// Data flow: an index cursor says which block; the block is loaded through a
// window that reads ahead; a BlockIterator walks it. At each step from one
// block to the next, the keys on both sides are compared with the separator
// between them: a block out of place is damage, not an answer.
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
  const std::string newest;  // timestamp that is seen
  internal::FileWindow window;
  internal::BlockWorkspace workspace;
  internal::PinnedBlock passing;  // the block, unless it is kept
  internal::PinnedBlock* loaded = &passing;
  // With ReadOptions::pin_data: every block that was come to, by where it lies.
  std::map<std::pair<uint64_t, uint64_t>, internal::PinnedBlock> kept;
  internal::BlocksAhead ahead;
  internal::IndexCursor at;
  internal::BlockIterator block;
  const internal::WalkBounds bounds;
  // Of *loaded.
  uint64_t block_offset = 0;
  bool has_block = false;
  Status status;
  const bool usable;   // false: the options are wrong, as the status says
  std::string target;  // kept for its memory
  // Null: every entry is shown, by views that move on. Else this walks, and
  // `block` stays empty, so that each step leaves it at once and finds its way
  // here: steps that hide nothing need not ask.
  std::unique_ptr<internal::VisibleEntries> visible;

  // Each says whether `block` then stands on an entry; if not, `status` tells
  // an end of the table from damage.
  bool SeekToFirst();
  bool SeekToLast();
  bool Seek(const Slice& internal_key);
  bool NextBlock();
  bool PrevBlock();
  bool SeekForPrev(const Slice& internal_key);
  // Walks over all entries of the block that `at` stands on, and adds how many
  // there are; false where `status` then tells what is wrong with it. Only
  // where nothing is hidden.
  bool PassBlock(uint64_t* entries);
  // What walks: this, or that of `visible`.
  State& Walk();
  // Leaves the entry, as at an end or, always false, for an error.
  void LetGo();
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
