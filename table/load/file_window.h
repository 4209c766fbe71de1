// FileWindow: a piece of the file that was read ahead.
//
// For walks over neighbouring blocks, forward or backward: one large read
// serves many of them. The window grows while the walk goes on, and falls back
// to single blocks after a jump. One thread at a time.
#ifndef ASHLAR_TABLE_LOAD_FILE_WINDOW_H_
#define ASHLAR_TABLE_LOAD_FILE_WINDOW_H_

#include <cstdint>
#include <utility>

#include "ashlar/util/file.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"
#include "cache/charge/memory_charge.h"
#include "table/counters/read_counters.h"
#include "table/load/file_gate.h"
#include "util/mem/buffer.h"

namespace ashlar::internal {

class FileWindow {
 public:
  // fixed_size: how many bytes each read takes; 0: 16 KiB at first, growing to
  // 128 KiB. expecting: the window tells the file what a walk backward will
  // read next. (For a walk forward every kernel reads ahead by itself, and
  // better.)
  FileWindow(const RandomAccessFile* file, uint64_t fixed_size,
             bool expecting = false, ReadCounters counters = {})
      : file_(file),
        counters_(counters),
        expecting_(expecting),
        fixed_size_(fixed_size),
        next_size_(kSmallest) {}

  // From then on the window's memory is charged before it is taken. If that is
  // refused, Fill and Read return MemoryLimit.
  void ChargeTo(MemoryCharge charge) { charge_ = std::move(charge); }

  // From then on reads of the file ask this gate first.
  void AskFirst(const FileGate& gate) { gate_ = gate; }

  // Reads [offset, offset + n) into the window, in place of what it has.
  Status Fill(uint64_t offset, uint64_t n);
  // Returns whether the window has these bytes.
  bool Has(uint64_t offset, uint64_t n) const {
    return offset >= begin_ && offset - begin_ <= bytes_.size() &&
           n <= bytes_.size() - (offset - begin_);
  }
  // Makes *data the bytes [offset, offset + n), which live until the next call.
  // They are fewer than n only if the file ends. Returns IOError, MemoryLimit,
  // or what the gate returns.
  Status Read(uint64_t offset, uint64_t n, Slice* data);

 private:
  static constexpr uint64_t kSmallest = uint64_t{16} << 10;
  static constexpr uint64_t kLargest = uint64_t{128} << 10;
  // How many windows ahead a walk announces to the file: a device takes the
  // time of several windows to answer (docs/benchmarks.md).
  static constexpr uint64_t kWindowsAhead = 4;
  // Reads this close to each other count as one walk: padding and trailers may
  // be between them.
  static constexpr uint64_t kNear = uint64_t{8} << 10;

  uint64_t NextSize(uint64_t n);
  void ExpectBefore();

  const RandomAccessFile* file_;
  FileGate gate_;
  ReadCounters counters_;
  bool expecting_;
  uint64_t fixed_size_;
  uint64_t next_size_;
  uint64_t begin_ = 0;  // of the window in the file
  Slice bytes_;
  Buffer buffer_;
  MemoryCharge charge_;
  // The offset from which on the file was told of a walk backward.
  uint64_t expected_from_ = 0;
  // The last request: by it a walk differs from a jump.
  uint64_t last_begin_ = 0;
  uint64_t last_end_ = 0;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_LOAD_FILE_WINDOW_H_
