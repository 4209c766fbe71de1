// WriteProgress: how far writing has come, in raw bytes and in bytes of the
// file. Both numbers are always of one moment.
//
// Protocol. There are two copies, and a count whose lowest bit says which is
// current. The writer fills the other copy, and then increments the count. So
// the copy that a reader is sent to is not touched before the next increment.
// The reader reads the copy, and then the count again. If that has changed it
// starts again, which happens only if a block or a run was written meanwhile.
// No thread waits for a writer that has lost its core.
//
// Memory orders. Every store releases, and every load acquires. A reader that
// sees a value of the count after next also sees the next count, and starts
// again.
#ifndef ASHLAR_TABLE_WRITE_WRITE_PROGRESS_H_
#define ASHLAR_TABLE_WRITE_WRITE_PROGRESS_H_

#include <cstdint>

#include "util/sync/atomic.h"

namespace ashlar::internal {

class WriteProgress {
 public:
  struct Counts {
    uint64_t raw_bytes;  // of the blocks that are written
    uint64_t offset;     // of their end in the file
  };

  explicit WriteProgress(uint64_t offset)
      : copies_{Copy(offset), Copy(offset)} {}

  // Returns both numbers. Any thread may call it.
  Counts Look() const {
    for (;;) {
      const uint64_t count = count_.Load();
      const Copy& copy = copies_[count % 2];
      const Counts seen{copy.raw_bytes.Load(), copy.offset.Load()};
      if (count_.Load() == count) return seen;
    }
  }

  // Adds raw_bytes, and sets the offset. Requires: one thread at a time, each
  // of which sees what those before it wrote.
  void Advance(uint64_t raw_bytes, uint64_t offset) {
    const uint64_t next = count_.Load() + 1;
    const uint64_t raw_before = copies_[(next - 1) % 2].raw_bytes.Load();
    copies_[next % 2].raw_bytes.Store(raw_before + raw_bytes);
    copies_[next % 2].offset.Store(offset);
    count_.Store(next);
  }

 private:
  struct Copy {
    explicit Copy(uint64_t at) : offset(at) {}
    AcqRelAtomic<uint64_t> raw_bytes{0};
    AcqRelAtomic<uint64_t> offset;
  };
  Copy copies_[2];
  AcqRelAtomic<uint64_t> count_{0};
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_WRITE_WRITE_PROGRESS_H_
