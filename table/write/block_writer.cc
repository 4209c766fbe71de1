#include "table/write/block_writer.h"

#include <cassert>
#include <cstring>

#include "table/format/block_trailer.h"

namespace ashlar::internal {

namespace {

// Large enough that the system call costs little, small enough for the cache.
constexpr size_t kWriteBytes = size_t{128} << 10;

}  // namespace

BlockWriter::BlockWriter(WritableFile* file, ChecksumType checksum,
                         uint32_t base_context_checksum)
    : file_(file),
      checksum_(checksum),
      base_context_checksum_(base_context_checksum) {}

Status BlockWriter::Flush() {
  assert(complete_ == buffer_.size());
  if (complete_ == 0) return {};
  Status status = file_->Append(buffer_.slice());
  buffer_.clear();
  complete_ = 0;
  return status;
}

Status BlockWriter::AddTrailer(const Slice& block, CompressionType type,
                               BlockHandle* handle) {
  *handle = {offset_, block.size()};
  char trailer[kBlockTrailerSize];
  EncodeTrailer(checksum_, base_context_checksum_, offset_, block,
                static_cast<uint8_t>(type), trailer);
  buffer_.Append(Slice(trailer, sizeof trailer));
  offset_ += block.size() + kBlockTrailerSize;
  complete_ = buffer_.size();
  return complete_ >= kWriteBytes ? Flush() : Status();
}

Status BlockWriter::FinishInPlace(CompressionType type, BlockHandle* handle) {
  const size_t size = buffer_.size() - complete_;
  // Reserve first: growing moves the block.
  buffer_.Reserve(kBlockTrailerSize);
  return AddTrailer(Slice(buffer_.data() + complete_, size), type, handle);
}

void BlockWriter::Pad(uint64_t n) {
  if (n == 0) return;
  const size_t size = buffer_.size() - complete_;
  buffer_.Reserve(n);
  char* const at = buffer_.data() + complete_;
  std::memmove(at + n, at, size);
  std::memset(at, 0, n);
  buffer_.Advance(n);
  complete_ += n;
  offset_ += n;
}

Status BlockWriter::Append(const Slice& block, CompressionType type,
                           BlockHandle* handle) {
  assert(complete_ == buffer_.size());
  if (block.size() < kWriteBytes) {
    buffer_.Append(block);
  } else {
    Status status = Flush();
    if (status.ok()) status = file_->Append(block);
    if (!status.ok()) return status;
  }
  return AddTrailer(block, type, handle);
}

Status BlockWriter::AppendBytes(const Slice& bytes) {
  assert(complete_ == buffer_.size());
  buffer_.Append(bytes);
  offset_ += bytes.size();
  complete_ = buffer_.size();
  return {};
}

}  // namespace ashlar::internal
