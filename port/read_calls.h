// The system calls that reads of several pieces at once are made of, bare:
// nothing is tried again, and errors are negative errno values.
//
// Used by util/io, which makes whole reads of them, and replaced by its tests.
// Thread-safe, but for a ring, which serves one thread at a time.
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
    uint64_t tag = 0;    // of Queue
    int64_t result = 0;  // bytes, or an error
  };

  ReadRing() = default;
  ReadRing(const ReadRing&) = delete;
  ReadRing& operator=(const ReadRing&) = delete;
  // The kernel must have none of its reads.
  virtual ~ReadRing();

  // False: there is no more room. The kernel knows nothing of it before Enter.
  virtual bool Queue(int fd, uint64_t offset, char* to, size_t n,
                     uint64_t tag) = 0;
  // Hands over what was queued and waits until so many answers are there: how
  // many reads the kernel took, or an error and it took none.
  virtual int Enter(uint32_t answers) = 0;
  // False: no answer is there.
  virtual bool Take(Answer* answer) = 0;
  // False in a child of fork, where the ring is the parent's.
  virtual bool IsOfThisProcess() const = 0;
};

struct ReadCalls {
  // What is in memory, or less than n of it; -EAGAIN where there is nothing,
  // -EOPNOTSUPP where the file system cannot tell.
  int64_t (*read_cached)(int fd, uint64_t offset, char* to, size_t n);
  // Whether the file is in memory and nowhere else, as on tmpfs.
  bool (*is_memory)(int fd);
  int64_t (*read)(int fd, uint64_t offset, char* to, size_t n);
  // Asks the kernel to begin to read; does not wait, and may do nothing.
  void (*expect)(int fd, uint64_t offset, size_t n);
  // 0, or an errno value: ENOSYS where kernel or build have no rings.
  int (*open_ring)(uint32_t entries, std::unique_ptr<ReadRing>* ring);
};

const ReadCalls& SystemReadCalls();

}  // namespace ashlar::port

#endif  // ASHLAR_PORT_READ_CALLS_H_
