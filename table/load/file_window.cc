#include "table/load/file_window.h"

#include <algorithm>

namespace ashlar::internal {

Status FileWindow::Fill(uint64_t offset, uint64_t n) {
  bytes_ = Slice();
  begin_ = offset;
  const uint64_t size = file_->Size();
  if (offset >= size) return {};
  n = std::min(n, size - offset);
  buffer_.clear();
  if (charge_.any()) {
    Status charged = charge_.Cover(buffer_.RoomWith(static_cast<size_t>(n)));
    if (!charged.ok()) return charged;
  }
  if (!buffer_.TryReserve(static_cast<size_t>(n))) {
    return Status::MemoryLimit("no memory to read " + std::to_string(n) +
                               " bytes");
  }
  const HistogramTimer timer(counters_, Histogram::kSstReadMicros);
  Status status = gate_.Read(*file_, offset, static_cast<size_t>(n),
                             buffer_.data(), &bytes_);
  counters_.CountFileReads(1, bytes_.size());
  // Otherwise the next read could find here what the file left behind.
  if (!status.ok()) bytes_ = Slice();
  return status;
}

// Returns the size of the next read of a walk, which needs n bytes.
uint64_t FileWindow::NextSize(uint64_t n) {
  if (fixed_size_ != 0) return std::max(n, fixed_size_);
  if (reads_in_row_ < sizes_.after_reads) {
    ++reads_in_row_;
    return n;
  }
  const uint64_t size = std::min(next_size_, sizes_.most);
  next_size_ =
      std::min(size > sizes_.most / 2 ? sizes_.most : size * 2, sizes_.most);
  return std::max(n, size);
}

uint64_t FileWindow::BytesToExpect() const {
  const uint64_t next =
      fixed_size_ != 0 ? fixed_size_ : std::min(next_size_, sizes_.most);
  return kWindowsAhead * std::min(next, file_->Size());
}

// Tells the file what a walk backward will read after this window, except what
// the file was told before. It waits until that is half of all that it tells
// of: a device serves few large requests faster than many small ones.
void FileWindow::ExpectBefore() {
  const uint64_t ahead = BytesToExpect();
  const uint64_t limit = std::min(limit_begin_, begin_);
  const uint64_t from = std::max(begin_ - std::min(ahead, begin_), limit);
  const uint64_t to = std::clamp(expected_from_, from, begin_);
  if (to - from < ahead / 2 && from != limit) return;
  if (from < to) gate_.Expect(*file_, from, to - from);
  expected_from_ = from;
}

// The same for a walk forward.
void FileWindow::ExpectAfter() {
  const uint64_t ahead = BytesToExpect();
  const uint64_t end = begin_ + bytes_.size();
  const uint64_t limit = std::max(end, std::min(limit_end_, file_->Size()));
  const uint64_t to = end + std::min(ahead, limit - end);
  const uint64_t from = std::clamp(expected_to_, end, to);
  if (to - from < ahead / 2 && to != limit) return;
  if (from < to) gate_.Expect(*file_, from, to - from);
  expected_to_ = to;
}

Status FileWindow::Read(uint64_t offset, uint64_t n, Slice* data) {
  const bool forward = offset >= last_end_ && offset - last_end_ <= kNear;
  const bool backward =
      offset + n <= last_begin_ && last_begin_ - offset - n <= kNear;
  last_begin_ = offset;
  last_end_ = offset + n;
  if (!Has(offset, n)) {
    uint64_t begin = offset;
    uint64_t size = n;
    if (forward) {
      size = NextSize(n);
      if (offset < limit_end_) size = std::min(size, limit_end_ - offset);
      size = std::max(size, n);
    } else if (backward) {
      size = std::min(NextSize(n), last_end_);
      begin = last_end_ - size;
      if (begin < limit_begin_) begin = std::min(limit_begin_, offset);
      size = last_end_ - begin;
    } else {
      next_size_ = sizes_.initial;
      reads_in_row_ = 1;
    }
    Status status = Fill(begin, size);
    if (!status.ok()) return status;
    if (!backward) expected_from_ = begin_;
    if (!forward) expected_to_ = begin_ + bytes_.size();
    if (expecting_ && backward) ExpectBefore();
    if (expecting_ && forward) ExpectAfter();
  }
  const uint64_t skipped = offset - begin_;
  if (skipped >= bytes_.size()) {
    *data = Slice();
    return {};
  }
  *data = Slice(bytes_.data() + skipped,
                static_cast<size_t>(std::min(n, bytes_.size() - skipped)));
  return {};
}

}  // namespace ashlar::internal
