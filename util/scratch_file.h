// ScratchFile: a file without a name, which is written once and then read.
//
// For data that does not fit into memory, such as the sorted runs of an
// EntrySorter. However the process ends, the file disappears. If the file
// system does not support files without a name, the file has a name for a
// moment: if the process is killed then, it leaves an empty file,
// ashlar-XXXXXX. One thread at a time may write. Any number may read, as soon
// as everything is written.
#ifndef ASHLAR_UTIL_SCRATCH_FILE_H_
#define ASHLAR_UTIL_SCRATCH_FILE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "ashlar/util/export.h"
#include "ashlar/util/file.h"
#include "ashlar/util/result.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"

namespace ashlar {

class ASHLAR_EXPORT ScratchFile final : public WritableFile {
 public:
  // Makes an empty file in `folder`. Returns IOError if that is not possible,
  // or MemoryLimit.
  static Result<std::unique_ptr<ScratchFile>> Create(const std::string& folder);
  ~ScratchFile() override;

  // Returns IOError, for instance of subcode kNoSpace, or MemoryLimit.
  Status Append(const Slice& data) override;
  // Do nothing. The file need not survive a crash, and the destructor closes
  // it.
  Status Sync() override { return {}; }
  Status Close() override { return {}; }
  // Returns "scratch file in <folder>".
  std::string name() const override { return name_; }
  // Returns the number of bytes that were appended.
  uint64_t size() const { return size_; }

  // Returns a reader of what was appended, which may outlive this object.
  // Returns IOError if the process has no file descriptor left, or MemoryLimit.
  Result<std::unique_ptr<RandomAccessFile>> NewReader() const;

 private:
  ScratchFile(std::string name, int descriptor);

  const std::string name_;
  const int descriptor_;
  uint64_t size_ = 0;
};

// Returns the folder for scratch files that the user of the process chose:
// $TMPDIR, or /tmp if that is not set. May throw std::bad_alloc.
ASHLAR_EXPORT std::string DefaultScratchFolder();

}  // namespace ashlar

#endif  // ASHLAR_UTIL_SCRATCH_FILE_H_
