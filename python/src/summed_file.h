// SummedFile: passes what is written on to a file, and makes the checksum of
// the whole, which manifests list. One thread at a time.
#ifndef ASHLAR_PYTHON_SRC_SUMMED_FILE_H_
#define ASHLAR_PYTHON_SRC_SUMMED_FILE_H_

#include <cstdint>
#include <string>

#include "ashlar/util/file.h"
#include "ashlar/util/file_checksum.h"

namespace ashlar::python {

class SummedFile final : public WritableFile {
 public:
  // `file` must outlive this.
  explicit SummedFile(WritableFile* file) : file_(file) {}

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

}  // namespace ashlar::python

#endif  // ASHLAR_PYTHON_SRC_SUMMED_FILE_H_
