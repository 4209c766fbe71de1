// BlockWriter: the only code that appends to the file and knows its offset.
//
// Data flow: blocks collect, each with its trailer, in one buffer, and go to
// the file in large pieces. A block may be made right at the end of that buffer
// (uncompressed blocks are built there, compressed ones compressed into it) and
// is then only given its trailer; bytes behind the last trailer are not part
// of the file yet. One thread at a time.
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
  // base_context_checksum: 0 before format version 6.
  BlockWriter(WritableFile* file, ChecksumType checksum,
              uint32_t base_context_checksum);

  // Where the next block will begin.
  uint64_t offset() const { return offset_; }

  // The buffer to make the next block in, at its end.
  Buffer* in_place() { return &buffer_; }
  // Completes the block that was made there: all bytes behind the last one.
  Status FinishInPlace(CompressionType type, BlockHandle* handle);

  // Puts zeros in front of the block that is in the making there, if any.
  void Pad(uint64_t n);

  // Appends a block that stands elsewhere. Nothing may be in the making.
  Status Append(const Slice& block, CompressionType type, BlockHandle* handle);
  // Appends bytes that are no block: the footer.
  Status AppendBytes(const Slice& bytes);
  // Others have appended to the file up to this offset; nothing was here.
  void SkipTo(uint64_t offset) { offset_ = offset; }
  // Gives everything to the file.
  Status Flush();

  // The file's name, for messages.
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
