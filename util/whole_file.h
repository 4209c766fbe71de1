// Files that are read and written as a whole: for small ones, such as the
// manifest or the log of an engine.
//
// Any number of threads may call these functions.
#ifndef ASHLAR_UTIL_WHOLE_FILE_H_
#define ASHLAR_UTIL_WHOLE_FILE_H_

#include <string>

#include "ashlar/util/export.h"
#include "ashlar/util/file.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"

namespace ashlar {

// Sets *data to all bytes of a file. Errors as OpenRandomAccessFile, where a
// file that does not exist is an IOError with the subcode kPathNotFound; and
// Corruption if the file became shorter meanwhile.
ASHLAR_EXPORT Status ReadFileToString(const std::string& path,
                                      std::string* data);

// Makes a file of these bytes, which has its name only when it is complete: as
// of an AtomicFile, there is no file, the old one or the new one, also if the
// process is killed. Errors are those of AtomicFile.
ASHLAR_EXPORT Status WriteStringToFile(const Slice& data,
                                       const std::string& path,
                                       const AtomicFile::Options& options);

}  // namespace ashlar

#endif  // ASHLAR_UTIL_WHOLE_FILE_H_
