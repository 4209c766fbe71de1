// Makes a WritableFile of a file that the operating system has opened already.
// Used by OpenWritableFile and AtomicFile. Thread-safe.
#ifndef ASHLAR_UTIL_IO_POSIX_WRITABLE_FILE_H_
#define ASHLAR_UTIL_IO_POSIX_WRITABLE_FILE_H_

#include <memory>
#include <string>

#include "ashlar/util/file.h"

namespace ashlar::internal {

// Takes over the descriptor of an empty file at `path`, and closes it after an
// error: NotSupported if the file system has no direct I/O and the options ask
// for it, or MemoryLimit. The caller then removes the file if it made it.
Result<std::unique_ptr<WritableFile>> WritableFileOf(
    const std::string& path, int fd, const WritableFileOptions& options);

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_IO_POSIX_WRITABLE_FILE_H_
