// MultiGetFromTables: looks up keys in many tables at once, as an engine keeps
// them: level by level.
//
// For engines that keep one sorted set of keys in many tables, of which newer
// ones hide older ones. It corresponds to the MultiGet of RocksDB's "DB", below
// the memtables.
//
//   // Level 0: the newest table first. Level 1: by key.
//   std::vector<ashlar::TableRange> level0 = {{newer, "a", "x"},
//                                             {older, "c", "z"}};
//   std::vector<ashlar::TableRange> level1 = {{low, "a", "k"},
//                                             {high, "m", "z"}};
//   const ashlar::TableLevel levels[] = {{level0}, {level1, /*sorted=*/true}};
//   ashlar::MultiGetFromTables(levels, keys, results, statuses);
//
// A key's answer is that of a Get in one table after the other, from the newest
// on: a value or a deletion ends the search, and so does a range deletion over
// the key, unless the next table of a sorted level shares the key and the range
// deletion: then that table's answer counts. Merge operands are passed to the
// callback, newest first, and the search goes on to older tables for their base
// value.
//
// Up to 64 keys are looked up at a time, in waves. In each wave every key goes
// to the first of its tables that its range and filter do not rule out. The
// filters of all these tables are asked before any index, and all indexes
// before any block. The blocks of all tables that are not in a cache are then
// read at once. Keys that their table did not answer (the filter was wrong, or
// there are merge operands) go on in the next wave. No block is read that a
// search of one key after the other would not read.
//
// Any number of threads may call the function at once, with the same tables.
#ifndef ASHLAR_TABLE_MULTI_TABLE_GET_H_
#define ASHLAR_TABLE_MULTI_TABLE_GET_H_

#include <span>

#include "ashlar/table/internal_key.h"
#include "ashlar/table/read_options.h"
#include "ashlar/table/table_reader.h"
#include "ashlar/util/export.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"

namespace ashlar {

// A table, and the user keys that may be in it, as a manifest records them.
// Keys outside of the range are never looked up in the table, so its range
// deletions hide nothing outside.
struct TableRange {
  const TableReader* table = nullptr;  // not null
  // The first and the last user key, without timestamps. Keys of range
  // deletions count too.
  Slice smallest;
  Slice largest;
  // Whether the range ends before `largest`. Set it if the last key is the end
  // of a range deletion, which does not belong to it. (RocksDB then records an
  // internal key for which IsRangeDeletionEnd is true.)
  bool excludes_largest = false;
};

// Tables of one age. An empty level is allowed.
struct TableLevel {
  std::span<const TableRange> tables;
  // False, the default: the ranges may overlap, and tables are ordered from the
  // newest to the oldest, as in RocksDB's level 0. True: the ranges ascend and
  // do not overlap, as in deeper levels. Only the last key of a table may also
  // be the first of the next one, whose entries of this key are then older.
  // Range deletions over that key may be in both tables.
  bool sorted = false;
};

// Does what a call of TableReader::Get for one table after the other would do,
// for each key: results[i] and statuses[i] are those of user_keys[i]. There may
// be any number of levels, tables and keys, and keys in any order, also
// repeated. Options and snapshot are those of Get.
//
// Of a result, `state`, `value` and what belongs to them are of the entry that
// decided, whatever table it is in; kMerged means that no table has a base
// value, or that on_operand ended the search of the key. data_blocks_read is
// the sum over tables. `filter` is kMaybe if the filter of a table let the key
// pass, kAbsent if filters ruled it out in all tables that may have it, and
// else kNone.
//
// Errors are those of Get. An error goes to the keys that come to the table, or
// need the block, that has it: not to keys that a newer table answers. It ends
// the search of the key, and its result is empty.
//
// Values are kept alive as those of TableReader::MultiGet are. In addition to
// the blocks of found values, a call holds at most 64 MiB of blocks, and one
// block. Reads are counted in the statistics of the tables that answer them.
// Calls, and keys that no table answers, are counted in those of the first
// table.
//
// Requires: levels are ordered from the newest to the oldest, so that of the
// entries and range deletions over a key, those in an earlier table have larger
// sequence numbers than those in later ones, but for range deletions that
// neighbours in a sorted level both have over a key that they share; all tables
// have the same comparator, and live until the call returns; `results` and
// `statuses` have the size of `user_keys`, and no key points into a value that
// `results` holds.
ASHLAR_EXPORT void MultiGetFromTables(
    const ReadOptions& options, std::span<const TableLevel> levels,
    std::span<const Slice> user_keys, SequenceNumber snapshot,
    std::span<GetResult> results, std::span<Status> statuses,
    const BatchOperandCallback& on_operand = {});
// The same without a snapshot and with default options.
inline void MultiGetFromTables(std::span<const TableLevel> levels,
                               std::span<const Slice> user_keys,
                               std::span<GetResult> results,
                               std::span<Status> statuses) {
  MultiGetFromTables(kDefaultReadOptions, levels, user_keys, kMaxSequenceNumber,
                     results, statuses);
}

}  // namespace ashlar

#endif  // ASHLAR_TABLE_MULTI_TABLE_GET_H_
