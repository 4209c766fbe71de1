// BlockWriter: the only code that appends to the file and knows its offset,
// where no ring writes.
//
// Data flow. Blocks collect, each with its trailer, in one buffer, and go to
// the file in large pieces. A block may be made at the end of that buffer
// (uncompressed blocks are built there, compressed ones compressed into it),
// and then only gets its trailer. Bytes after the last trailer are not part of
// the file yet. One thread at a time.
#ifndef ASHLAR_TABLE_WRITE_BLOCK_WRITER_H_
#define ASHLAR_TABLE_WRITE_BLOCK_WRITER_H_

#include <cstdint>
#include <string>

#include "ashlar/util/checksum_type.h"
#include "ashlar/util/compression.h"
#include "ashlar/util/file.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"
#include "table/format/block_handle.h"
#include "util/mem/buffer.h"

namespace ashlar::internal {

class BlockWriter {
 public:
  // base_context_checksum is 0 before format version 6. `file` must outlive
  // this.
  BlockWriter(WritableFile* file, ChecksumType checksum,
              uint32_t base_context_checksum);

  // Returns the offset where the next block will begin.
  uint64_t offset() const { return offset_; }

  // Returns the buffer at whose end the next block may be made.
  Buffer* in_place() { return &buffer_; }
  // Completes the block that was made there: all bytes after the last block.
  // Sets *handle. Returns the error of the file.
  Status FinishInPlace(CompressionType type, BlockHandle* handle);

  // Puts n zeros in front of the block that is being made there, if any.
  void Pad(uint64_t n);

  // Appends a block that is elsewhere in memory. Requires: no block is being
  // made.
  Status Append(const Slice& block, CompressionType type, BlockHandle* handle);
  // Appends bytes that are no block: the footer. Same requirement.
  Status AppendBytes(const Slice& bytes);
  // Tells that a ring has appended to the file up to this offset. Requires:
  // nothing was appended here.
  void SkipTo(uint64_t offset) { offset_ = offset; }
  // Passes everything to the file. Returns its error.
  Status Flush();

  // Returns the file's name, for messages.
  std::string file_name() const { return file_->name(); }

 private:
  Status AddTrailer(const Slice& block, CompressionType type,
                    BlockHandle* handle);

  WritableFile* file_;
  ChecksumType checksum_;
  uint32_t base_context_checksum_;
  uint64_t offset_ = 0;
  // The part of buffer_ that belongs to the file.
  size_t complete_ = 0;
  Buffer buffer_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_WRITE_BLOCK_WRITER_H_
