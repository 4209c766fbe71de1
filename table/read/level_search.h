// LevelSearch: which tables of the levels may have which keys of a batch, by
// their ranges alone.
//
// A walk goes over the levels in steps, from the newest to the oldest: a table
// is a step if its level is not sorted, and else the whole level is. Each key
// has a position, from which on tables count for it: a key that was looked up
// in a table goes on after that. Within a step each key is in one table at
// most. In a sorted level the next table may have the key too, if its range
// begins with the key; MayFollow finds those.
//
// In orders of bytes the range of a single table is compared by words, which
// mostly decide: what both its bounds begin with, and eight bytes after that.
//
// One thread at a time. Allocates nothing.
#ifndef ASHLAR_TABLE_READ_LEVEL_SEARCH_H_
#define ASHLAR_TABLE_READ_LEVEL_SEARCH_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "ashlar/table/multi_table_get.h"
#include "table/format/key_order.h"
#include "table/read/key_batch.h"

namespace ashlar::internal {

// A table of a step, and the keys that it may have.
struct Candidate {
  const OpenedTable* table;
  uint32_t level;
  uint32_t number;  // of the table in its level
  KeySet keys;
};

// The tables of a step. A key is in one of them.
class Candidates {
 public:
  void Clear() { size_ = 0; }
  bool empty() const { return size_ == 0; }
  const Candidate* begin() const { return all_.data(); }
  const Candidate* end() const { return all_.data() + size_; }

  // Adds keys to a table of the level, which all others are of too.
  void Add(const TableRange& table, uint32_t level, size_t number,
           const KeySet& keys);

 private:
  std::array<Candidate, KeySet::kMost> all_;
  size_t size_ = 0;
};

class LevelSearch {
 public:
  // Requires: the levels and keys outlive this; at most KeySet::kMost keys.
  LevelSearch(std::span<const TableLevel> levels,
              std::span<const Slice> user_keys)
      : levels_(levels), user_keys_(user_keys) {}

  // Starts a walk.
  void Begin() { level_ = table_ = 0; }
  // Makes *found the tables of the next step that has any for these keys.
  // Returns false if there is no such step.
  bool Next(const KeySet& keys, Candidates* found);
  // From then on only tables after this one count for the key.
  void GoOnAfter(const Candidate& last, size_t key) {
    next_level_[key] = last.level;
    next_table_[key] = last.number + 1;
  }
  // Returns the table behind this one in its sorted level, if it may have the
  // key too; else null.
  const OpenedTable* Behind(const Candidate& last, size_t key) const;
  // Makes *found the tables of a level that may have these keys too. Requires:
  // each key was looked up in the level. Returns false if there are none.
  bool MayFollow(uint32_t level, const KeySet& keys, Candidates* found) const;

 private:
  static bool Contains(const KeyOrder& order, const TableRange& range,
                       const Slice& key);
  // Returns the first table of the level that counts for the key.
  uint32_t FirstIn(uint32_t level, size_t key) const {
    if (next_level_[key] < level) return 0;
    return next_level_[key] == level ? next_table_[key] : kNone;
  }
  void FindInTable(uint32_t level, uint32_t table, const KeySet& keys,
                   Candidates* found) const;
  void FindInSorted(uint32_t level, const KeySet& keys,
                    Candidates* found) const;

  static constexpr uint32_t kNone = UINT32_MAX;

  const std::span<const TableLevel> levels_;
  const std::span<const Slice> user_keys_;
  // The next step.
  uint32_t level_ = 0;
  uint32_t table_ = 0;
  // By key: the position.
  std::array<uint32_t, KeySet::kMost> next_level_ = {};
  std::array<uint32_t, KeySet::kMost> next_table_ = {};
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_READ_LEVEL_SEARCH_H_
