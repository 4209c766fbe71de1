// ChecksummedFile: passes a table on to its file, and computes the checksum of
// the whole file on the way.
//
// Owned by the table builder, if BuildOptions asks for a checksum. The thread
// that has the writer role appends, so one thread at a time does.
#ifndef ASHLAR_TABLE_WRITE_CHECKSUMMED_FILE_H_
#define ASHLAR_TABLE_WRITE_CHECKSUMMED_FILE_H_

#include <memory>
#include <string>
#include <utility>

#include "ashlar/util/file.h"
#include "ashlar/util/file_checksum.h"

namespace ashlar::internal {

class ChecksummedFile final : public WritableFile {
 public:
  ChecksummedFile(WritableFile* file,
                  std::unique_ptr<FileChecksumGenerator> generator)
      : file_(file), generator_(std::move(generator)) {}

  Status Append(const Slice& data) override {
    generator_->Update(data);
    return file_->Append(data);
  }
  Status Sync() override { return file_->Sync(); }
  Status Close() override { return file_->Close(); }
  std::string name() const override { return file_->name(); }

  // To be called once, after the last Append.
  std::string Finalize() { return generator_->Finalize(); }

 private:
  WritableFile* const file_;
  const std::unique_ptr<FileChecksumGenerator> generator_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_WRITE_CHECKSUMMED_FILE_H_
