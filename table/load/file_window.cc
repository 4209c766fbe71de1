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
  return status;
}

uint64_t FileWindow::NextSize(uint64_t n) {
  if (fixed_size_ != 0) return std::max(n, fixed_size_);
  const uint64_t size = std::max(n, next_size_);
  next_size_ = std::min(next_size_ * 2, kLargest);
  return size;
}

// Tells the file what a walk backward will read after this window, except what
// the file was told before.
void FileWindow::ExpectBefore() {
  const uint64_t n =
      kWindowsAhead *
      std::min(fixed_size_ != 0 ? fixed_size_ : next_size_, file_->Size());
  const uint64_t from = begin_ - std::min(n, begin_);
  const uint64_t to = std::clamp(expected_from_, from, begin_);
  if (from < to) file_->Expect(from, to - from);
  expected_from_ = from;
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
    } else if (backward) {
      size = std::min(NextSize(n), last_end_);
      begin = last_end_ - size;
    } else {
      next_size_ = kSmallest;
    }
    Status status = Fill(begin, size);
    if (!status.ok()) return status;
    if (!backward) {
      expected_from_ = begin_;
    } else if (expecting_) {
      ExpectBefore();
    }
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
