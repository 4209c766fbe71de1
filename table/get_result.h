// GetResult: what a Get, or a MultiGet for one key, found in a table.
//
// A plain struct. One thread at a time; it may be passed from thread to thread.
#ifndef ASHLAR_TABLE_GET_RESULT_H_
#define ASHLAR_TABLE_GET_RESULT_H_

#include <cstdint>
#include <string>

#include "ashlar/table/internal_key.h"
#include "ashlar/util/pinnable_slice.h"
#include "ashlar/util/slice.h"

namespace ashlar {

// What Get found. One object may be used for many calls, by one thread at a
// time.
struct GetResult {
  enum class State : uint8_t {
    kNotFound,  // this table has no entry of the key that the read may see
    kFound,     // `value` is set (after merge operands: to their base value)
    // The key is deleted, by an entry of its own or by a range deletion; `type`
    // tells which. After merge operands: they have no base value.
    kDeleted,
    // The key has merge operands, and their base value is not in this table, or
    // the callback ended the read.
    kMerged,
  };
  enum class Filter : uint8_t {
    kNone,    // not asked: the table has no filter, or none of use for the key
    kAbsent,  // the filter ruled the key out
    kMaybe,   // the filter let the key pass
  };
  State state = State::kNotFound;
  Filter filter = Filter::kNone;
  // These three are of the entry that decided: the value, the deletion, or the
  // last merge operand. They mean nothing for kNotFound.
  ValueType type = ValueType::kTypeValue;
  SequenceNumber sequence = 0;
  std::string timestamp;  // empty if the comparator has no timestamps
  // kFound only. Keeps its block alive until Reset or the next read into this
  // result; may outlive the reader, but not the block cache.
  PinnableSlice value;
  // Whether `value` is not the value but a reference to it
  // (table/entry/blob_index.h): the entry is a blob index, or an entity whose
  // default column is one.
  bool is_blob_index = false;
  // Wide-column entities only: the whole entity (table/entry/wide_columns.h).
  // `value` is then its default column, or empty if it has none. Lives as long
  // as `value`.
  Slice entity;
  // How many data blocks were searched, from the file or from the block cache.
  uint32_t data_blocks_read = 0;

  // Makes the result as new, and releases the value.
  void Reset() {
    state = State::kNotFound;
    filter = Filter::kNone;
    type = ValueType::kTypeValue;
    sequence = 0;
    timestamp.clear();
    value.Reset();
    is_blob_index = false;
    entity = Slice();
    data_blocks_read = 0;
  }
};

}  // namespace ashlar

#endif  // ASHLAR_TABLE_GET_RESULT_H_
