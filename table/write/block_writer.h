// BlockWriter: the only code that writes to the file, and that advances its
// offset.
//
// Data flow. Every block takes three steps, whichever thread compressed it:
//
//   Seal    puts the trailer after the block, and zeros after that if blocks
//           are aligned. The offset is not known yet. So the checksum is that
//           of a block at offset 0.
//   Place   gives the block its offset, after zeros if super blocks are
//           aligned. It adds to the checksum what the offset changes.
//   Pass    appends placed blocks to the file, many at a time.
//
// Without workers, blocks collect in one buffer. Append seals and places each
// of them, and passes them to the file when they are many. The next block may
// be made at the end of that buffer: uncompressed blocks are built there,
// others are compressed into it. Such a block is not copied. Bytes after the
// last placed block are not part of the file yet.
//
// With workers, threads of a CompressionRing seal the blocks of a run in the
// run's own memory. AppendRun places and passes them, without a copy. If no
// block is compressed or moved, the offset of each is known when it is made.
// SealAt then seals and places it at once, and AppendPlaced only passes.
//
// The checksum of the whole file (BuildOptions::file_checksum_gen_factory) is
// that of all bytes as they are passed. The emit thread sums the bytes of
// AppendPlaced earlier, when it places them. The order is the same.
//
// Threads. Any thread may call Seal, SealAt, SealLast, SealSize, EndOf and
// Written. Sum belongs to the thread that places blocks. Everything else
// belongs to one thread at a time: the emit thread, or, while a ring has slots
// in flight, the thread with the writer role.
#ifndef ASHLAR_TABLE_WRITE_BLOCK_WRITER_H_
#define ASHLAR_TABLE_WRITE_BLOCK_WRITER_H_

#include <cstdint>
#include <span>
#include <string>

#include "ashlar/util/checksum_type.h"
#include "ashlar/util/file.h"
#include "ashlar/util/file_checksum.h"
#include "table/format/block_alignment.h"
#include "table/write/block_compressor.h"
#include "table/write/write_progress.h"

namespace ashlar::internal {

// A block on its way into the file.
struct WrittenBlock {
  uint64_t raw_bytes = 0;  // before compression
  CompressionType type = CompressionType::kNoCompression;
  // The size is known once the block is sealed, the offset once it is placed.
  BlockHandle handle;
};

class BlockWriter {
 public:
  // base_context_checksum is 0 before format version 6. `alignment` is that of
  // data blocks. `file` must outlive this.
  BlockWriter(WritableFile* file, ChecksumType checksum,
              uint32_t base_context_checksum,
              const BlockAlignment& alignment = {})
      : file_(file),
        checksum_(checksum),
        base_context_checksum_(base_context_checksum),
        alignment_(alignment) {}

  // From then on all bytes are added to `checksum`. Null: there is none.
  void SumTo(FileChecksumGenerator* checksum) { file_checksum_ = checksum; }
  // Adds the bytes of a run that AppendPlaced will get.
  void Sum(const Slice& run) {
    if (file_checksum_ != nullptr) file_checksum_->Update(run);
  }

  // Returns how many bytes follow a block of `size` bytes: trailer and zeros.
  uint64_t SealSize(uint64_t size) const {
    return kBlockTrailerSize + alignment_.After(size);
  }
  // Writes these bytes to `to`. Requires: SealSize bytes of room there.
  void Seal(const Slice& payload, CompressionType type, char* to) const;
  // Does the same for a block that will be at `offset`.
  void SealAt(uint64_t offset, const Slice& payload, CompressionType type,
              char* to) const;
  // Returns whether blocks follow each other without padding before them, so
  // that sizes say where they will be.
  bool KeepsPlaces() const { return !alignment_.moves_blocks(); }
  // Appends them to `run`, of which the bytes from `begin` on are the block.
  void SealLast(size_t begin, CompressionType type, Buffer* run) const;
  // Returns the offset of the byte after a block and what follows it.
  uint64_t EndOf(const BlockHandle& handle) const {
    return handle.offset + handle.size + SealSize(handle.size);
  }

  // Returns the sum of the uncompressed sizes of all placed blocks, and the
  // offset after the last one. Both are of one moment: after some Append or
  // AppendRun, the latest that this thread can see.
  WriteProgress::Counts Written() const { return progress_.Look(); }

  // Returns the offset where the next block would begin if it is not aligned.
  uint64_t offset() const { return passed_bytes_ + (placed_ - passed_); }
  // Returns the handle that a block of `size` bytes would have now.
  BlockHandle NextHandle(uint64_t size) const {
    return {offset() + alignment_.Before(offset(), size), size};
  }
  // Returns how many blocks were placed.
  uint64_t num_blocks() const { return num_blocks_; }

  // Returns the buffer at whose end the next block may be made.
  Buffer* in_place() { return &buffer_; }
  // Returns what was made there: all bytes after the last block.
  Slice made() const {
    return Slice(buffer_.data() + placed_, buffer_.size() - placed_);
  }

  // Appends a block: made(), or bytes elsewhere in memory if nothing was made.
  // The caller has set raw_bytes and type; sets handle. Returns the error of
  // the file.
  Status Append(const Slice& payload, WrittenBlock* block);
  // Does the same for a block that is not compressed. Sets *handle.
  Status Append(const Slice& payload, BlockHandle* handle);
  // Appends an embedded blob: like a block that is not compressed, but neither
  // aligned nor counted as one. Sets *handle. Returns the error of the file.
  // Requires: nothing was made.
  Status AppendBlob(const Slice& blob, BlockHandle* handle);
  // Appends a block, compressed by `codec` if that makes it small enough.
  // Otherwise, or if the codec is not active, appends it as it is. Sets *block.
  // Returns the error of the file, or that of the codec's verifier, which names
  // the block by `kind` and `number`.
  Status AppendCompressed(const Slice& raw, BlockCompressor* codec,
                          BlockKind kind, uint64_t number, WrittenBlock* block);
  // Appends the blocks with which `run` begins: sealed, end to end. Sets the
  // offsets of their handles. Passes them to the file at once, and clears
  // `run`. Returns the error of the file. Requires: this writer's own buffer is
  // empty.
  Status AppendRun(Buffer* run, std::span<WrittenBlock> blocks);
  // Passes blocks that SealAt has placed, with all that follows them, and that
  // Sum has seen. Returns the error of the file. Requires: the first one's
  // offset is offset(), and this writer's own buffer is empty.
  Status AppendPlaced(const Slice& run, std::span<const WrittenBlock> blocks);
  // Appends bytes that are no block: the footer. Requires: nothing was made.
  void AppendBytes(const Slice& bytes);

  // To be called after the last data block: other blocks are not aligned.
  void EndDataBlocks() { alignment_ = BlockAlignment(); }
  // Passes everything that was placed to the file. Returns its error.
  Status Flush();

  // Returns the file's name, for messages.
  std::string file_name() const { return file_->name(); }

 private:
  void SealWith(uint32_t base, uint64_t offset, const Slice& payload,
                CompressionType type, char* to) const;
  Status AppendLarge(const Slice& payload, WrittenBlock* block);
  Status Begin(BlockHandle* handle);
  void End(const WrittenBlock& block, size_t seal_at);
  Status PassPlaced();
  Status Pass(const Slice& bytes);
  Status PassSummed(const Slice& bytes);
  void Publish();

  WritableFile* const file_;
  const ChecksumType checksum_;
  const uint32_t base_context_checksum_;
  BlockAlignment alignment_;
  FileChecksumGenerator* file_checksum_ = nullptr;

  uint64_t passed_bytes_ = 0;  // the size of the file
  // The bytes up to passed_ are in the file, those up to placed_ have their
  // place in it.
  Buffer buffer_;
  size_t passed_ = 0;
  size_t placed_ = 0;
  uint64_t num_blocks_ = 0;
  uint64_t unpublished_raw_bytes_ = 0;
  WriteProgress progress_{0};
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_WRITE_BLOCK_WRITER_H_
