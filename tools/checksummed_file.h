// ChecksummedFile: passes all writes to another file, and computes their
// checksum, which manifests list. One thread at a time.
#ifndef ASHLAR_TOOLS_CHECKSUMMED_FILE_H_
#define ASHLAR_TOOLS_CHECKSUMMED_FILE_H_

#include <cstdint>
#include <string>

#include "ashlar/util/file.h"
#include "ashlar/util/file_checksum.h"
#include "ashlar/util/status.h"

namespace ashlar::tool {

class ChecksummedFile final : public WritableFile {
 public:
  // `file` must outlive this.
  explicit ChecksummedFile(WritableFile* file) : file_(file) {}

  Status Append(const Slice& data) override {
    checksum_ = ExtendFileChecksum(checksum_, data);
    return file_->Append(data);
  }
  Status Sync() override { return file_->Sync(); }
  Status Close() override { return file_->Close(); }
  std::string name() const override { return file_->name(); }

  uint32_t checksum() const { return checksum_; }

 private:
  WritableFile* const file_;
  uint32_t checksum_ = 0;
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_CHECKSUMMED_FILE_H_
