// ManyReads: several pieces of one file, read together.
//
// Used by the files of the operating system (RandomAccessFile::MultiRead).
//
// Protocol. The pieces go through in groups of kGroup, each group in two steps:
//
//   Cached  Each piece is asked for by preadv2 with RWF_NOWAIT, which copies
//           what the page cache has at the price of a pread and waits for
//           nothing. Where all is there, that is all. File systems that are
//           memory (tmpfs) refuse such reads: there, preads are all.
//   Awaited What is missing goes to io_uring by one submission, and one wait
//           for all answers. Where there is no ring, the kernel is told of all
//           of it (posix_fadvise, WILLNEED), which starts the device on all
//           pieces at once, and then each is read by pread.
//
// Whatever a ring's answer lacks (short, interrupted, refused, failed) is read
// by pread, so that how far a read got and how it failed is always pread's word
// on it. Not by threads: WILLNEED and preads are as fast as a ring, and twice
// as fast as eight threads (docs/decisions.md).
//
// Rings. At most kMostRings are open, each used by one call at a time; a call
// that finds none free goes the other way. They are kept until the process
// ends, for whichever thread comes next: a thread that ends leaves nothing
// behind. While the kernel has reads of a call, that call does not return,
// whatever the kernel says of waiting: they write to the caller's memory. A
// ring whose submission fails is closed, with what the kernel did not take.
// Where the kernel denies rings (ENOSYS, EPERM and the like), nobody asks
// again; where descriptors or memory have run out, the next call does. A child
// of fork closes its copies of its parent's rings as it comes upon them, and
// opens its own. Rings are closed on exec.
//
// Any number of threads. Allocates nothing once the rings are open.
#ifndef ASHLAR_UTIL_IO_MANY_READS_H_
#define ASHLAR_UTIL_IO_MANY_READS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "ashlar/util/file.h"
#include "port/read_calls.h"
#include "util/sync/atomic.h"

namespace ashlar::internal {

class ManyReads {
 public:
  static constexpr size_t kGroup = 64;
  static constexpr size_t kMostRings = 16;

  explicit ManyReads(const port::ReadCalls& calls) : calls_(calls) {}
  ManyReads(const ManyReads&) = delete;
  ManyReads& operator=(const ManyReads&) = delete;
  ~ManyReads();

  // The one for all files; never destroyed, since threads may outlive main.
  static ManyReads& OfProcess();

  // As RandomAccessFile::MultiRead; `path` is for messages.
  void Read(int fd, const std::string& path, std::span<ReadRequest> requests);

 private:
  using Ring = port::ReadRing;

  void ReadGroup(int fd, const std::string& path,
                 std::span<ReadRequest> requests);
  bool TakeCached(int fd, ReadRequest* request, bool* at_once) const;
  bool ReadByRing(int fd, std::span<ReadRequest*> requests);
  static bool AskRing(Ring* ring, int fd, std::span<ReadRequest*> requests);
  void Finish(int fd, const std::string& path, ReadRequest* request) const;
  std::unique_ptr<Ring> TakeRing();
  std::unique_ptr<Ring> OpenRing();
  void GiveBack(std::unique_ptr<Ring> ring);
  void Close(std::unique_ptr<Ring> ring);

  const port::ReadCalls& calls_;
  RelaxedAtomic<bool> denied_{false};
  RelaxedAtomic<uint32_t> num_rings_{0};
  struct Place {
    HoldAtomic<Ring*> ring{nullptr};  // owned
  };
  std::array<Place, kMostRings> idle_;  // those that nobody uses
};

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_IO_MANY_READS_H_
