// The checksum of a whole file. A table also has checksums of its blocks.
//
// ExtendFileChecksum is the CRC32C that RocksDB's FileChecksumGenCrc32c
// computes. RocksDB's manifests store it as 4 bytes, big-endian. For
// applications that move or verify files. Not the checksum of a block trailer,
// which is masked.
//
// FileChecksumGenerator is for checksums of an application's own choice, which
// a TableBuilder computes while it writes (BuildOptions). One generator is used
// by one thread at a time, a factory by any number at once.
#ifndef ASHLAR_UTIL_FILE_CHECKSUM_H_
#define ASHLAR_UTIL_FILE_CHECKSUM_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "ashlar/util/export.h"
#include "ashlar/util/slice.h"

namespace ashlar {

// Returns the checksum of all bytes so far followed by `data`. `checksum` is
// that of the bytes so far: 0 for none.
ASHLAR_EXPORT uint32_t ExtendFileChecksum(uint32_t checksum, const Slice& data);

// Computes the checksum of one file. An application derives from it.
class FileChecksumGenerator {
 public:
  virtual ~FileChecksumGenerator() = default;
  // Called with all bytes of the file, in order.
  virtual void Update(const Slice& data) = 0;
  // Called once, after them. Returns the checksum, as bytes.
  virtual std::string Finalize() = 0;
};

// Makes a generator for each file. An application derives from it.
class FileChecksumGenFactory {
 public:
  virtual ~FileChecksumGenFactory() = default;
  // Returns the name of the checksums' function, which must not change.
  virtual std::string_view Name() const = 0;
  // Returns a generator for one file; never null.
  virtual std::unique_ptr<FileChecksumGenerator>
  CreateFileChecksumGenerator() = 0;
};

// Returns the factory of "FileChecksumCrc32c": RocksDB's CRC32C, as 4 bytes,
// big-endian.
ASHLAR_EXPORT std::shared_ptr<FileChecksumGenFactory>
GetFileChecksumGenCrc32cFactory();

}  // namespace ashlar

#endif  // ASHLAR_UTIL_FILE_CHECKSUM_H_
