// WritableFileOptions: how files of the operating system are written.
//
// Taken by OpenWritableFile, and by AtomicFile::Options (util/file.h), which
// ExternalFileWriter takes too. The bytes of the file are the same with all of
// them. Names are those of RocksDB.
#ifndef ASHLAR_UTIL_WRITABLE_FILE_OPTIONS_H_
#define ASHLAR_UTIL_WRITABLE_FILE_OPTIONS_H_

#include <cstdint>
#include <memory>

#include "ashlar/util/rate_limiter.h"

namespace ashlar {

struct WritableFileOptions {
  // Whether the file is written past the page cache (O_DIRECT), so that a flush
  // or a compaction does not push out pages that reads need. Default: false.
  // RocksDB's option is "use_direct_io_for_flush_and_compaction". NotSupported
  // if the file system has no direct I/O. Bytes are copied to a buffer, which
  // is written when it is full, and by Sync and Close: these fill up the last
  // page, write it, and cut the file to its size.
  bool use_direct_writes = false;

  // The size of that buffer in bytes, rounded up to whole pages of 4 KiB; 0
  // counts as one page. Default: 1 MiB. Only direct writes have a buffer here:
  // a builder appends large pieces.
  uint64_t writable_file_max_buffer_size = uint64_t{1} << 20;

  // If not 0: how many written bytes may collect in memory before the device
  // begins to write them. Then Sync, or the kernel, has less
  // to write at once, and reads meanwhile wait less. The newest MiB, cut to
  // whole pages, is left out. Default: 0, off. Makes nothing survive a crash:
  // Sync does. Direct writes, and file systems that cannot do it, ignore it.
  uint64_t bytes_per_sync = 0;

  // Whether each such step first waits for the ones before, so that at most
  // about bytes_per_sync and a MiB are in memory only. Where the file system
  // cannot do that, the step is a Sync. Default: false.
  bool strict_bytes_per_sync = false;

  // Whether Sync is fsync, which also waits for times and owners. Default:
  // false: fdatasync, with which all bytes and the size survive too.
  bool use_fsync = false;

  // Asked before each write, for at most its GetSingleBurstBytes at a time. A
  // direct write of a page asks several times if it has to.
  // Null, the default: nothing is asked. Append, Sync and Close then wait as
  // long as the limiter lets them wait: hold no lock that others need. A
  // builder's other workers compress meanwhile, until its buffers are full.
  std::shared_ptr<RateLimiter> rate_limiter;

  // The priority of these writes. Default: kLow, which compactions have in
  // RocksDB; flushes have kHigh there. kTotal: the limiter is not asked.
  IoPriority rate_limiter_priority = IoPriority::kLow;
};

}  // namespace ashlar

#endif  // ASHLAR_UTIL_WRITABLE_FILE_OPTIONS_H_
