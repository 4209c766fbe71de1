// The system calls for reading several pieces at once. Nothing is tried again,
// and errors are negative errno values.
//
// Used by util/io, which makes complete reads of them, and replaced by its
// tests. Thread-safe, except for a ring, which one thread at a time uses.
#ifndef ASHLAR_PORT_READ_CALLS_H_
#define ASHLAR_PORT_READ_CALLS_H_

#include <cstddef>
#include <cstdint>
#include <memory>

namespace ashlar::port {

// A queue of reads that the kernel does all at once (io_uring).
class ReadRing {
 public:
  struct Answer {
    uint64_t tag = 0;    // that was passed to Queue
    int64_t result = 0;  // bytes read, or an error
  };

  ReadRing() = default;
  ReadRing(const ReadRing&) = delete;
  ReadRing& operator=(const ReadRing&) = delete;
  // Requires: the kernel has none of its reads.
  virtual ~ReadRing();

  // Queues a read. Returns false if there is no more room. The kernel does not
  // know about it before Enter.
  virtual bool Queue(int fd, uint64_t offset, char* to, size_t n,
                     uint64_t tag) = 0;
  // Hands over what was queued, and waits until `answers` answers are there.
  // Returns how many reads the kernel took, or an error if it took none.
  virtual int Enter(uint32_t answers) = 0;
  // Takes one answer. Returns false if there is none.
  virtual bool Take(Answer* answer) = 0;
  // Returns false in a child of fork, where the ring belongs to the parent.
  virtual bool IsOfThisProcess() const = 0;
};

struct ReadCalls {
  // Reads what the page cache has, which may be less than n bytes. Returns
  // -EAGAIN if it has nothing, -EOPNOTSUPP if the file system cannot tell.
  int64_t (*read_cached)(int fd, uint64_t offset, char* to, size_t n);
  // Returns whether the file is in memory and nowhere else, as on tmpfs.
  bool (*is_memory)(int fd);
  int64_t (*read)(int fd, uint64_t offset, char* to, size_t n);
  // Asks the kernel to start reading. Does not wait, and may do nothing.
  void (*expect)(int fd, uint64_t offset, size_t n);
  // Opens a ring. Returns 0 or an errno value: ENOSYS if the kernel or the
  // build has no rings.
  int (*open_ring)(uint32_t entries, std::unique_ptr<ReadRing>* ring);
};

const ReadCalls& SystemReadCalls();

}  // namespace ashlar::port

#endif  // ASHLAR_PORT_READ_CALLS_H_
