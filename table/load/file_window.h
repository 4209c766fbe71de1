// FileWindow: a piece of the file that was read ahead.
//
// For walks over neighbouring blocks, forward or backward: one large read
// serves many of them. The window grows while the walk goes on, and falls back
// to single blocks after a jump. It reads nothing ahead outside of its limits.
// One thread at a time.
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

// How a window grows: the fields of ReaderOptions with RocksDB's names.
struct AutoReadahead {
  uint64_t initial = uint64_t{8} << 10;
  uint64_t most = uint64_t{256} << 10;
  uint64_t after_reads = 2;
};

class FileWindow {
 public:
  // fixed_size: how many bytes each read of a walk takes; 0: as `sizes` say.
  // expecting: the window tells the file what a walk will read next.
  FileWindow(const RandomAccessFile* file, uint64_t fixed_size,
             bool expecting = false, ReadCounters counters = {},
             const AutoReadahead& sizes = {})
      : file_(file),
        counters_(counters),
        expecting_(expecting),
        fixed_size_(fixed_size),
        sizes_(sizes),
        next_size_(sizes.initial) {}

  // From then on the window's memory is charged before it is taken. If that is
  // refused, Fill and Read return MemoryLimit.
  void ChargeTo(MemoryCharge charge) { charge_ = std::move(charge); }

  // Reads into this memory, as far as it suffices, in place of its own.
  void TakeMemory(Buffer memory) { buffer_ = std::move(memory); }
  // Returns the window's memory. The window then has nothing.
  Buffer GiveMemory() {
    bytes_ = Slice();
    return std::move(buffer_);
  }

  // From then on reads of the file ask this gate first.
  void AskFirst(const FileGate& gate) { gate_ = gate; }

  // From then on nothing outside of [begin, end) is read ahead or announced.
  void LimitTo(uint64_t begin, uint64_t end) {
    limit_begin_ = begin;
    limit_end_ = end;
  }

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
  // How many windows ahead a walk announces to the file: a device takes the
  // time of several windows to answer (docs/benchmarks.md).
  static constexpr uint64_t kWindowsAhead = 4;
  // Reads this close to each other count as one walk: padding and trailers may
  // be between them.
  static constexpr uint64_t kNear = uint64_t{8} << 10;

  uint64_t NextSize(uint64_t n);
  uint64_t BytesToExpect() const;
  void ExpectBefore();
  void ExpectAfter();

  const RandomAccessFile* file_;
  FileGate gate_;
  ReadCounters counters_;
  bool expecting_;
  uint64_t fixed_size_;
  AutoReadahead sizes_;
  uint64_t next_size_;
  uint64_t reads_in_row_ = 0;  // of neighbours, up to sizes_.after_reads
  uint64_t limit_begin_ = 0;
  uint64_t limit_end_ = ~uint64_t{0};
  uint64_t begin_ = 0;  // of the window in the file
  Slice bytes_;
  Buffer buffer_;
  MemoryCharge charge_;
  // The file was told of a walk backward from the first offset on, or of a walk
  // forward up to the second.
  uint64_t expected_from_ = 0;
  uint64_t expected_to_ = 0;
  // The last request: by it a walk differs from a jump.
  uint64_t last_begin_ = 0;
  uint64_t last_end_ = 0;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_LOAD_FILE_WINDOW_H_
