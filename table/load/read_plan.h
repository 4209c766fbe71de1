// ReadPlan: what to read for several data blocks of a batch, from one file or
// several.
//
// Blocks that are stored side by side become one read, and by option those with
// small gaps between them. Used by BlockLoader. One thread at a time.
#ifndef ASHLAR_TABLE_LOAD_READ_PLAN_H_
#define ASHLAR_TABLE_LOAD_READ_PLAN_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "ashlar/util/file.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"
#include "table/format/block_handle.h"
#include "table/format/block_trailer.h"

namespace ashlar::internal {

// Which blocks of a file are read together.
struct Coalescing {
  // The most bytes between two blocks of one read.
  uint64_t gap_bytes = 0;
  // The most bytes of a read that joins blocks; 0: any number.
  uint64_t max_bytes = 0;
};

class ReadPlan {
 public:
  static constexpr size_t kMostBlocks = 64;

  // Adds a block; `block` is the caller's number for it, below kMostBlocks.
  // Requires: blocks of one file are added one after the other, in the order of
  // the file, and their numbers ascend.
  void Add(size_t block, const RandomAccessFile* file,
           const BlockHandle& handle, const Coalescing& coalescing = {}) {
    uint64_t gap = 0;
    const bool joins = num_reads_ != 0 && file == files_[num_reads_ - 1] &&
                       Joins(handle, coalescing, &gap);
    if (!joins) {
      gap = 0;
      first_block_[num_reads_] = static_cast<uint32_t>(block);
      blocks_in_[num_reads_] = 0;
      files_[num_reads_] = file;
      reads_[num_reads_++] = {.offset = handle.offset};
    }
    ReadRequest& read = reads_[num_reads_ - 1];
    const auto size = static_cast<size_t>(gap + handle.End() - handle.offset);
    read.size += size;
    bytes_ += size;
    read_of_[block] = static_cast<uint32_t>(num_reads_ - 1);
    ++blocks_in_[num_reads_ - 1];
  }
  // Returns the size of all reads together.
  size_t bytes() const { return bytes_; }
  // Gives the reads this memory, which must have bytes() bytes.
  void GiveRoom(char* room) {
    for (ReadRequest& read : reads()) {
      read.scratch = room;
      room += read.size;
    }
  }
  std::span<ReadRequest> reads() { return std::span(reads_).first(num_reads_); }
  // Returns the first block that read `i` is for.
  size_t first_block(size_t i) const { return first_block_[i]; }
  // Returns the file of read `i`.
  const RandomAccessFile* file(size_t i) const { return files_[i]; }

  // Returns whether the block has to be read again, alone: the read that it
  // shares with others failed, or ended before the block did.
  bool IsToReadAlone(size_t block, const BlockHandle& handle) const {
    const uint32_t i = read_of_[block];
    const bool complete =
        reads_[i].status.ok() &&
        BytesOf(block, handle).size() == handle.End() - handle.offset;
    return !complete && blocks_in_[i] > 1;
  }
  const Status& StatusOf(size_t block) const {
    return reads_[read_of_[block]].status;
  }
  // Returns what was read of the block.
  Slice BytesOf(size_t block, const BlockHandle& handle) const {
    const ReadRequest& read = reads_[read_of_[block]];
    const auto at = static_cast<size_t>(handle.offset - read.offset);
    if (read.data.size() <= at) return {};
    const auto size = static_cast<size_t>(handle.End() - handle.offset);
    return {read.data.data() + at, std::min(read.data.size() - at, size)};
  }

 private:
  // Returns whether the block becomes a part of the last read, and sets *gap to
  // the bytes between them.
  bool Joins(const BlockHandle& handle, const Coalescing& coalescing,
             uint64_t* gap) const {
    const ReadRequest& last = reads_[num_reads_ - 1];
    const uint64_t end = last.offset + last.size;
    if (handle.offset < end || handle.offset - end > coalescing.gap_bytes) {
      return false;
    }
    *gap = handle.offset - end;
    return coalescing.max_bytes == 0 ||
           handle.End() - last.offset <= coalescing.max_bytes;
  }

  std::array<ReadRequest, kMostBlocks> reads_;
  std::array<const RandomAccessFile*, kMostBlocks> files_;  // by read
  std::array<uint32_t, kMostBlocks> first_block_;           // by read
  std::array<uint32_t, kMostBlocks> blocks_in_;  // by read: number of blocks
  std::array<uint32_t, kMostBlocks> read_of_;    // by block: number of its read
  size_t num_reads_ = 0;
  size_t bytes_ = 0;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_LOAD_READ_PLAN_H_
