// RowBuffer: rows in a piece of memory, and their order.
//
// One allocation: records grow from its start, in the order of their coming;
// Sort fills its end with one word and one offset each. One thread at a time.
#ifndef ASHLAR_TOOLS_ASHLAR_ROWS_ROW_BUFFER_H_
#define ASHLAR_TOOLS_ASHLAR_ROWS_ROW_BUFFER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "ashlar/util/slice.h"
#include "tools/ashlar/rows/row.h"
#include "tools/ashlar/rows/sorted_entry.h"

namespace ashlar::tool {

class RowBuffer {
 public:
  // The form must outlive this. `bytes` are all that it takes, but for a row
  // that alone needs more.
  RowBuffer(const SortedEntryForm* form, size_t bytes);

  // Copies the row. False when there is no room for it beside the others.
  bool Add(const Row& row, uint64_t number);
  bool empty() const { return count_ == 0; }
  void Clear();
  // Clear, and gives the memory back.
  void Free();

  // Into the order of the table. Add only after Clear.
  void Sort();
  // Sorted: the key and value of entry i.
  size_t size() const { return count_; }
  void Entry(size_t i, Slice* key, Slice* value) const;
  // The entry is wanted soon.
  void Prefetch(size_t i) const;

 private:
  // Where a record lies, and what comes first in its key, as a number that is
  // smaller where the key is.
  struct Place {
    uint64_t word;
    uint64_t offset;
  };
  struct Record {
    Slice key;
    Slice value;
  };

  bool Allocate(size_t bytes);
  char* data() const;
  Record RecordAt(uint64_t offset) const;
  std::span<Place> places() const;
  size_t SharedPrefix() const;
  void FillPlaces();

  const SortedEntryForm* form_;
  size_t wanted_;        // of Place
  size_t capacity_ = 0;  // of Place
  std::unique_ptr<Place[]> memory_;
  size_t used_ = 0;  // bytes of records
  size_t count_ = 0;
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_ROWS_ROW_BUFFER_H_
