#include "tools/ashlar/row_sorter.h"

#include <algorithm>
#include <cstring>

namespace ashlar::tool {

bool RowSorter::Add(const Row& row) {
  const uint64_t needed = row.key.size() + row.value.size() + sizeof(Row);
  if (needed > max_bytes_ - used_bytes_) return false;
  used_bytes_ += needed;
  char* const bytes = Allocate(row.key.size() + row.value.size());
  if (!row.key.empty()) std::memcpy(bytes, row.key.data(), row.key.size());
  if (!row.value.empty()) {
    std::memcpy(bytes + row.key.size(), row.value.data(), row.value.size());
  }
  Row copy = row;
  copy.key = Slice(bytes, row.key.size());
  copy.value = Slice(bytes + row.key.size(), row.value.size());
  rows_.push_back(copy);
  return true;
}

char* RowSorter::Allocate(size_t size) {
  constexpr size_t kPieceBytes = size_t{1} << 20;
  if (size > free_bytes_ || free_ == nullptr) {
    free_bytes_ = std::max(size, kPieceBytes);
    pieces_.push_back(std::make_unique_for_overwrite<char[]>(free_bytes_));
    free_ = pieces_.back().get();
  }
  char* const bytes = free_;
  free_ += size;
  free_bytes_ -= size;
  return bytes;
}

void RowSorter::Sort(const Comparator& comparator, bool external) {
  std::stable_sort(rows_.begin(), rows_.end(), [&](const Row& a, const Row& b) {
    return CompareRows(comparator, external, a.key,
                       PackTail(a.sequence, a.type), b.key,
                       PackTail(b.sequence, b.type)) < 0;
  });
}

}  // namespace ashlar::tool
