#include "table/walk/walk_bytes.h"

#include <algorithm>
#include <cstring>

namespace ashlar::internal {

void WalkBytes::Fill(uint64_t offset, uint64_t n, Window* window) {
  window->begin = offset;
  window->bytes = Slice();
  if (offset >= size()) return;
  n = std::min(n, size() - offset);
  if (window->capacity < n) {
    window->capacity = 0;
    window->buffer =
        std::make_unique_for_overwrite<char[]>(static_cast<size_t>(n));
    window->capacity = n;
  }
  Status status = file_->Read(offset, static_cast<size_t>(n),
                              window->buffer.get(), &window->bytes);
  if (!status.ok() || window->bytes.size() != n) {
    FillInPieces(offset, n, window);
  }
}

// For a file that does not read as a whole.
void WalkBytes::FillInPieces(uint64_t offset, uint64_t n, Window* window) {
  char* const to = window->buffer.get();
  for (uint64_t done = 0; done < n; done += kSmallBytes) {
    const auto piece = static_cast<size_t>(std::min(kSmallBytes, n - done));
    Slice read;
    const Status status = file_->Read(offset + done, piece, to + done, &read);
    const size_t got = status.ok() ? read.size() : 0;
    if (got != 0 && read.data() != to + done) {
      std::memcpy(to + done, read.data(), got);
    }
    std::memset(to + done + got, 0, piece - got);
  }
  window->bytes = Slice(to, static_cast<size_t>(n));
}

Slice WalkBytes::Get(uint64_t offset, uint64_t n) {
  if (offset >= size()) return {};
  n = std::min(n, size() - offset);
  if (!large_.Has(offset, n)) {
    Fill(offset, std::max(n, window_bytes_), &large_);
  }
  return {large_.From(offset).data(), static_cast<size_t>(n)};
}

Slice WalkBytes::Peek(uint64_t offset, uint64_t n) {
  if (offset >= size()) return {};
  n = std::min(n, size() - offset);
  if (large_.Has(offset, n)) return large_.From(offset);
  if (small_.Has(offset, n)) return small_.From(offset);
  Fill(offset, std::max(n, kSmallBytes), &small_);
  return small_.bytes;
}

}  // namespace ashlar::internal
