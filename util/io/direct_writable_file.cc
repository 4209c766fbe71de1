#include "util/io/direct_writable_file.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "port/posix_io.h"

namespace ashlar::internal {

namespace {

constexpr size_t kPage = port::kDirectPage;

uint64_t WholePages(uint64_t bytes) { return (bytes + kPage - 1) / kPage; }

}  // namespace

DirectWritableFile::DirectWritableFile(std::string path,
                                       const WritableFileOptions& options)
    : path_(std::move(path)),
      wanted_bytes_(options.writable_file_max_buffer_size),
      use_fsync_(options.use_fsync),
      rate_(options.rate_limiter, options.rate_limiter_priority) {}

DirectWritableFile::~DirectWritableFile() {
  if (fd_ < 0) return;
  if (!has_failed_) {
    static_cast<void>(WriteOut(WriteRate(nullptr, IoPriority::kTotal)));
  }
  static_cast<void>(port::Close(fd_));
}

bool DirectWritableFile::MakeBuffer() {
  // More than any machine has, but no overflow of what follows.
  constexpr uint64_t kMostBytes = uint64_t{1} << 40;
  const uint64_t bytes = std::clamp<uint64_t>(wanted_bytes_, 1, kMostBytes);
  room_ = static_cast<size_t>(WholePages(bytes) * kPage);
  return buffer_.Take(room_) != nullptr;
}

Status DirectWritableFile::Checked(std::string_view operation, int error) {
  if (error == 0) return {};
  has_failed_ = true;
  return Status::FromErrno(operation, path_, error);
}

Status DirectWritableFile::Append(const Slice& data) {
  Slice left = data;
  while (!left.empty()) {
    const size_t n = std::min(room_ - used_, left.size());
    std::memcpy(buffer_.data() + used_, left.data(), n);
    used_ += n;
    is_clean_ = false;
    left.remove_prefix(n);
    if (used_ < room_) continue;
    Status status = WriteOut(rate_);
    if (!status.ok()) return status;
  }
  return {};
}

Status DirectWritableFile::WriteOut(const WriteRate& rate) {
  if (is_clean_) return {};
  const size_t padded = static_cast<size_t>(WholePages(used_) * kPage);
  std::memset(buffer_.data() + used_, 0, padded - used_);
  uint64_t at = written_;
  Status status =
      rate.Pass(Slice(buffer_.data(), padded), kPage, [&](const Slice& piece) {
        const int error =
            port::WritePagesAt(fd_, at, piece.data(), piece.size());
        at += piece.size();
        return Checked("write", error);
      });
  if (status.ok() && padded != used_) {
    status = Checked("truncate", port::Truncate(fd_, written_ + used_));
  }
  if (!status.ok()) return status;
  const size_t done = used_ / kPage * kPage;
  std::memmove(buffer_.data(), buffer_.data() + done, used_ - done);
  written_ += done;
  used_ -= done;
  is_clean_ = true;
  return {};
}

Status DirectWritableFile::Sync() {
  Status status = WriteOut(rate_);
  if (!status.ok()) return status;
  return Checked("sync", use_fsync_ ? port::SyncAll(fd_) : port::SyncData(fd_));
}

Status DirectWritableFile::Close() {
  Status status = has_failed_ ? Status() : WriteOut(rate_);
  const int error = port::Close(std::exchange(fd_, -1));
  return status.ok() ? Checked("close", error) : status;
}

}  // namespace ashlar::internal
