// RowSorter: holds rows in memory and sorts them, for `build --nosorted`.
#ifndef ASHLAR_TOOLS_ASHLAR_ROW_SORTER_H_
#define ASHLAR_TOOLS_ASHLAR_ROW_SORTER_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "tools/ashlar/ordered_rows.h"
#include "tools/ashlar/row.h"
#include "util/comparator.h"

namespace ashlar::tool {

class RowSorter {
 public:
  explicit RowSorter(uint64_t max_bytes) : max_bytes_(max_bytes) {}

  // Copies the row. False when there is no room for it.
  bool Add(const Row& row);
  // Into the order of the table; equal rows stay in the order of their coming.
  void Sort(const Comparator& comparator, bool external);
  size_t size() const { return rows_.size(); }
  const Row& operator[](size_t i) const { return rows_[i]; }

 private:
  char* Allocate(size_t size);

  const uint64_t max_bytes_;
  uint64_t used_bytes_ = 0;
  std::vector<std::unique_ptr<char[]>> pieces_;
  char* free_ = nullptr;  // in the last piece
  size_t free_bytes_ = 0;
  std::vector<Row> rows_;
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_ROW_SORTER_H_
