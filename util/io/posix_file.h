// A WritableFile over a file that the operating system has opened already.
#ifndef ASHLAR_UTIL_IO_POSIX_FILE_H_
#define ASHLAR_UTIL_IO_POSIX_FILE_H_

#include <memory>
#include <string>

#include "ashlar/util/file.h"

namespace ashlar::internal {

// Takes over the descriptor of a file that the caller has just created at
// `path`. Where there is no memory for the object, the file is closed and
// removed, and std::bad_alloc thrown: nobody else knows of it yet.
std::unique_ptr<WritableFile> WritableFileOf(const std::string& path, int fd);

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_IO_POSIX_FILE_H_
