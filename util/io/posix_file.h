// Makes a WritableFile of a file that the operating system has opened already.
// Used by AtomicFile. Thread-safe.
#ifndef ASHLAR_UTIL_IO_POSIX_FILE_H_
#define ASHLAR_UTIL_IO_POSIX_FILE_H_

#include <memory>
#include <string>

#include "ashlar/util/file.h"

namespace ashlar::internal {

// Takes over the descriptor of a file that the caller has just created at
// `path`. If there is no memory for the object, it closes and removes the file
// and throws std::bad_alloc: nobody else knows of the file yet.
std::unique_ptr<WritableFile> WritableFileOf(const std::string& path, int fd);

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_IO_POSIX_FILE_H_
