// RowBuffer: holds rows in one block of memory, and sorts them.
//
// The buffer is one allocation. Records are written from its start, in the
// order in which they come. Sort writes one word and one offset per record at
// its end. For one thread at a time.
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
  // `form` must outlive this. The buffer takes at most `bytes`, except for a
  // single row that needs more.
  RowBuffer(const SortedEntryForm* form, size_t bytes);

  // Copies the row. Returns false if there is no room for it after the other
  // rows.
  bool Add(const Row& row, uint64_t number);
  bool empty() const { return count_ == 0; }
  void Clear();
  // Does the same, and frees the memory.
  void Free();

  // Sorts the rows into the order of the table. Add may then be called only
  // after Clear.
  void Sort();
  // After Sort: the number of entries, and the key and value of entry i.
  size_t size() const { return count_; }
  void Entry(size_t i, Slice* key, Slice* value) const;
  // Starts to fetch the entry's memory, because it will be read soon.
  void Prefetch(size_t i) const;

 private:
  // A record's offset, and the first bytes of its key as a number, which is
  // smaller for smaller keys.
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
  size_t wanted_;        // in units of Place
  size_t capacity_ = 0;  // in units of Place
  std::unique_ptr<Place[]> memory_;
  size_t used_ = 0;  // bytes of records
  size_t count_ = 0;
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_ROWS_ROW_BUFFER_H_
