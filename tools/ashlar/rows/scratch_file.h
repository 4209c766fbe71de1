// ScratchFile: a file without a name in --tmpdir, written once and then read.
//
// However the program ends, nothing is left of it. On a file system that has no
// files without names it has one for a moment: a program that is killed then
// leaves an empty file, ashlar-XXXXXX. Writing: one thread at a time; reading:
// any number, as soon as all is written.
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
  // It need not survive anything, and is closed when the object goes.
  Status Sync() override { return {}; }
  Status Close() override { return {}; }
  std::string name() const override { return name_; }

  // May outlive this object.
  Result<std::unique_ptr<RandomAccessFile>> NewReader() const;

 private:
  ScratchFile(std::string name, int descriptor)
      : name_(std::move(name)), descriptor_(descriptor) {}

  const std::string name_;  // for messages
  const int descriptor_;
  uint64_t size_ = 0;
};

// --tmpdir, or $TMPDIR, or /tmp.
std::string ScratchFolder();

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_ROWS_SCRATCH_FILE_H_
