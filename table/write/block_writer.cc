#include "table/write/block_writer.h"

#include <cassert>
#include <cstring>
#include <utility>

#include "table/format/block_trailer.h"

namespace ashlar::internal {

namespace {

// Large enough that the system call costs little, small enough for the cache.
constexpr size_t kWriteBytes = size_t{128} << 10;

}  // namespace

void BlockWriter::Seal(const Slice& payload, CompressionType type,
                       char* to) const {
  // A base of 0 adds nothing for the offset.
  SealWith(0, 0, payload, type, to);
}

void BlockWriter::SealAt(uint64_t offset, const Slice& payload,
                         CompressionType type, char* to) const {
  SealWith(base_context_checksum_, offset, payload, type, to);
}

void BlockWriter::SealWith(uint32_t base, uint64_t offset, const Slice& payload,
                           CompressionType type, char* to) const {
  EncodeTrailer(checksum_, base, offset, payload, static_cast<uint8_t>(type),
                to);
  const uint64_t zeros = alignment_.After(payload.size());
  if (zeros != 0) std::memset(to + kBlockTrailerSize, 0, zeros);
}

void BlockWriter::SealLast(size_t begin, CompressionType type,
                           Buffer* run) const {
  const size_t size = run->size() - begin;
  const uint64_t seal_size = SealSize(size);
  // Reserve first: growing moves the block.
  run->Reserve(seal_size);
  Seal(Slice(run->data() + begin, size), type, run->end());
  run->Advance(seal_size);
}

// Place, first half. Writes the zeros that the block's alignment wants before
// it, and sets its offset.
Status BlockWriter::Begin(BlockHandle* handle) {
  const uint64_t zeros = alignment_.Before(offset(), handle->size);
  if (zeros != 0) [[unlikely]] {
    Status status = PassPlaced();
    if (status.ok()) {
      status = Pass(std::string(static_cast<size_t>(zeros), '\0'));
    }
    if (!status.ok()) return status;
  }
  handle->offset = offset();
  return {};
}

// Place, second half. `seal_at` is where the block's seal is in the buffer.
void BlockWriter::End(const WrittenBlock& block, size_t seal_at) {
  char* const checksum = buffer_.data() + seal_at + 1;
  StoreFixed32(checksum,
               LoadFixed32(checksum) + ContextModifier(base_context_checksum_,
                                                       block.handle.offset));
  placed_ = seal_at + SealSize(block.handle.size);
  ++num_blocks_;
  unpublished_raw_bytes_ += block.raw_bytes;
}

Status BlockWriter::Pass(const Slice& bytes) {
  Sum(bytes);
  return PassSummed(bytes);
}

// The only code that writes to the file.
Status BlockWriter::PassSummed(const Slice& bytes) {
  if (bytes.empty()) return {};
  Status status = file_->Append(bytes);
  if (status.ok()) passed_bytes_ += bytes.size();
  return status;
}

Status BlockWriter::PassPlaced() {
  Status status = Pass(Slice(buffer_.data() + passed_, placed_ - passed_));
  if (status.ok()) passed_ = placed_;
  return status;
}

void BlockWriter::Publish() {
  progress_.Advance(std::exchange(unpublished_raw_bytes_, 0), offset());
}

Status BlockWriter::Flush() {
  Status status = PassPlaced();
  buffer_.clear();
  passed_ = placed_ = 0;
  return status;
}

Status BlockWriter::Append(const Slice& payload, WrittenBlock* block) {
  const bool in_place = payload.data() == made().data();
  assert(made().size() == (in_place ? payload.size() : 0));
  block->handle.size = payload.size();
  if (!in_place && payload.size() >= kWriteBytes) {
    return AppendLarge(payload, block);
  }
  if (!in_place) buffer_.Append(payload);
  SealLast(placed_, block->type, &buffer_);
  Status status = Begin(&block->handle);
  if (!status.ok()) return status;
  End(*block, placed_ + payload.size());
  Publish();
  return placed_ >= kWriteBytes ? Flush() : Status();
}

// Passes the block on from where it is. Only its seal goes through the buffer.
Status BlockWriter::AppendLarge(const Slice& payload, WrittenBlock* block) {
  Status status = Begin(&block->handle);
  if (status.ok()) status = Flush();
  if (status.ok()) status = Pass(payload);
  if (!status.ok()) return status;
  const uint64_t seal_size = SealSize(payload.size());
  buffer_.Reserve(seal_size);
  Seal(payload, block->type, buffer_.end());
  buffer_.Advance(seal_size);
  End(*block, 0);
  Publish();
  return {};
}

Status BlockWriter::Append(const Slice& payload, BlockHandle* handle) {
  WrittenBlock block{.raw_bytes = payload.size()};
  Status status = Append(payload, &block);
  *handle = block.handle;
  return status;
}

Status BlockWriter::AppendBlob(const Slice& blob, BlockHandle* handle) {
  const BlockAlignment of_blocks = std::exchange(alignment_, BlockAlignment());
  const uint64_t blocks = num_blocks_;
  WrittenBlock block;
  Status status = Append(blob, &block);
  num_blocks_ = blocks;
  alignment_ = of_blocks;
  *handle = block.handle;
  return status;
}

Status BlockWriter::AppendCompressed(const Slice& raw, BlockCompressor* codec,
                                     BlockKind kind, uint64_t number,
                                     WrittenBlock* block) {
  *block = {.raw_bytes = raw.size()};
  if (!codec->active()) return Append(raw, block);
  bool compressed;
  Status verified = codec->Compress(raw, &buffer_, &compressed);
  if (!verified.ok()) [[unlikely]] {
    return LocateUnverified(verified, file_name(),
                            {kind, NextHandle(made().size()), number});
  }
  if (!compressed) return Append(raw, block);
  block->type = codec->type();
  return Append(made(), block);
}

Status BlockWriter::AppendRun(Buffer* run, std::span<WrittenBlock> blocks) {
  assert(buffer_.empty());
  std::swap(buffer_, *run);
  Status status;
  for (WrittenBlock& block : blocks) {
    status = Begin(&block.handle);
    if (!status.ok()) break;
    End(block, placed_ + block.handle.size);
  }
  Publish();
  if (status.ok()) status = Flush();
  std::swap(buffer_, *run);
  passed_ = placed_ = 0;  // after an error too
  return status;
}

Status BlockWriter::AppendPlaced(const Slice& run,
                                 std::span<const WrittenBlock> blocks) {
  assert(buffer_.empty());
  assert(blocks.empty() || blocks.front().handle.offset == offset());
  for (const WrittenBlock& block : blocks) {
    unpublished_raw_bytes_ += block.raw_bytes;
  }
  num_blocks_ += blocks.size();
  Status status = PassSummed(run);
  Publish();
  return status;
}

void BlockWriter::AppendBytes(const Slice& bytes) {
  assert(made().empty());
  buffer_.Append(bytes);
  placed_ = buffer_.size();
  Publish();
}

}  // namespace ashlar::internal
