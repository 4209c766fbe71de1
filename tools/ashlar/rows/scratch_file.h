// ScratchFile: a file without a name in --tmpdir, which is written once and
// then read.
//
// However the program ends, the file disappears. If the file system does not
// support files without a name, the file has a name for a moment: if the
// program is killed then, it leaves an empty file, ashlar-XXXXXX. One thread at
// a time may write. Any number may read, as soon as everything is written.
#ifndef ASHLAR_TOOLS_ASHLAR_ROWS_SCRATCH_FILE_H_
#define ASHLAR_TOOLS_ASHLAR_ROWS_SCRATCH_FILE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "ashlar/util/file.h"
#include "ashlar/util/result.h"

namespace ashlar::tool {

class ScratchFile final : public WritableFile {
 public:
  static Result<std::unique_ptr<ScratchFile>> Create();
  ~ScratchFile() override;

  Status Append(const Slice& data) override;
  // Do nothing. The file need not survive a crash, and the destructor closes
  // it.
  Status Sync() override { return {}; }
  Status Close() override { return {}; }
  std::string name() const override { return name_; }

  // Returns a reader, which may outlive this object.
  Result<std::unique_ptr<RandomAccessFile>> NewReader() const;

 private:
  ScratchFile(std::string name, int descriptor)
      : name_(std::move(name)), descriptor_(descriptor) {}

  const std::string name_;  // for messages
  const int descriptor_;
  uint64_t size_ = 0;
};

// Returns --tmpdir, or $TMPDIR, or /tmp.
std::string ScratchFolder();

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_ROWS_SCRATCH_FILE_H_
