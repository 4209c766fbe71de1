// ReadFiles: reads pieces of several files together.
//
// A MultiGet over several tables reads its missing blocks by it. Thread-safe.
#ifndef ASHLAR_UTIL_IO_READ_FILES_H_
#define ASHLAR_UTIL_IO_READ_FILES_H_

#include <span>

#include "ashlar/util/file.h"

namespace ashlar::internal {

// Reads of one file.
struct FileReads {
  const RandomAccessFile* file = nullptr;
  std::span<ReadRequest> requests;
};

// Does what RandomAccessFile::MultiRead does, for each file. Pieces of files
// that return a descriptor (RandomAccessFile::FileDescriptor) are read at once,
// as those of one file are (many_reads.h). Each other file is told about its
// reads first (RandomAccessFile::Expect), so that its device can start
// meanwhile, and is then read by its MultiRead, after the files with a
// descriptor.
void ReadFiles(std::span<const FileReads> files);

// Does the read if that needs no wait for a device: all of it is in the page
// cache, or the file is in memory. Returns false if it is to be read by
// ReadFiles. For files that return a descriptor.
bool ReadIfCached(const RandomAccessFile& file, ReadRequest* request);

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_IO_READ_FILES_H_
