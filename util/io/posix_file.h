// A WritableFile over a file that the operating system has opened already.
#ifndef ASHLAR_UTIL_IO_POSIX_FILE_H_
#define ASHLAR_UTIL_IO_POSIX_FILE_H_

#include <memory>
#include <string>

#include "util/file.h"

namespace ashlar::internal {

// Takes over the descriptor; `path` is for messages.
std::unique_ptr<WritableFile> WritableFileOf(std::string path, int fd);

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_IO_POSIX_FILE_H_
