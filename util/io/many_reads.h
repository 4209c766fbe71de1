// ManyReads: reads several pieces of one file, or of several files, together.
//
// Files of the operating system use it (RandomAccessFile::MultiRead), and so
// does ReadFiles (read_files.h).
//
// Protocol. The pieces are read in groups of kGroup, each group in two steps:
//
//   Cached   Each piece is read by preadv2 with RWF_NOWAIT. That copies what
//            the page cache has, at the price of a pread, and waits for
//            nothing. If everything is there, this is all. File systems that
//            are memory (tmpfs) refuse such reads: there, preads do everything,
//            after the second step of the other files.
//   Awaited  What is missing goes to io_uring by one submission, with one wait
//            for all answers. If there is no ring, posix_fadvise (WILLNEED)
//            tells the kernel about all pieces, which starts the device on all
//            of them at once. Then each is read by pread.
//
// Whatever is missing in a ring's answer (short, interrupted, refused, failed)
// is read by pread. So how far a read got, and how it failed, is always what
// pread says. Threads are not used: WILLNEED and preads are as fast as a ring,
// and twice as fast as eight threads (docs/decisions.md).
//
// Rings. At most kMostRings are open, and one call at a time uses each. A call
// that finds no free ring reads without one. Rings are kept until the process
// ends, for whichever thread comes next, so a thread that ends leaves nothing
// behind. As long as the kernel has reads of a call, that call does not return,
// whatever the kernel says about waiting: the reads write to the caller's
// memory. If a submission fails, the ring is closed, with what the kernel did
// not take. If the kernel denies rings (ENOSYS, EPERM and the like), no call
// asks again. If descriptors or memory have run out, the next call asks again.
// A child of fork closes its copies of its parent's rings when it comes upon
// them, and opens its own. Rings are closed on exec.
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
#include "port/posix_io.h"
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

  // Returns the one for all files. It is never destroyed, since threads may
  // outlive main.
  static ManyReads& OfProcess();

  // A piece of a file.
  struct Piece {
    int fd = -1;
    ReadRequest* request = nullptr;
    int error = 0;  // the answer: 0 or an errno value
    // Whether the file was opened for direct I/O. The page cache is not asked
    // then, and a read that ends within a page has come to the file's end.
    bool is_direct = false;
  };

  // As RandomAccessFile::MultiRead. `path` is for messages.
  void Read(int fd, const std::string& path, std::span<ReadRequest> requests);
  // Does the same for pieces of any files, but reports errors by Piece::error.
  // Pieces of one file should follow each other.
  void Read(std::span<Piece> pieces);
  // Reads the piece if that needs no wait for a device. Returns false if it did
  // not read all of it.
  bool ReadCached(Piece* piece) const;
  static constexpr size_t kDirectPage = port::kDirectPage;

 private:
  using Ring = port::ReadRing;

  void ReadGroup(std::span<Piece> pieces);
  bool TakeCached(const Piece& piece, bool* is_memory) const;
  bool ReadByRing(std::span<Piece*> pieces);
  static bool AskRing(Ring* ring, std::span<Piece*> pieces);
  void Finish(Piece* piece) const;
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
  std::array<Place, kMostRings> idle_;  // rings that no call uses
};

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_IO_MANY_READS_H_
