// TailKeeper: passes a table on to its file, and keeps a copy of what follows
// the data blocks (BuildOptions::keep_tail).
//
// Owned by the table builder. The thread that has the writer role appends, so
// one thread at a time does.
#ifndef ASHLAR_TABLE_WRITE_FILES_BETWEEN_H_
#define ASHLAR_TABLE_WRITE_FILES_BETWEEN_H_

#include <string>

#include "ashlar/util/file.h"

namespace ashlar::internal {

class TailKeeper final : public WritableFile {
 public:
  explicit TailKeeper(WritableFile* file) : file_(file) {}

  // From now on bytes are kept: those of some last data blocks, too, if the
  // writer still has them.
  void Begin() { keeps_ = true; }
  Slice bytes() const { return bytes_; }

  // May throw std::bad_alloc.
  Status Append(const Slice& data) override {
    if (keeps_) bytes_.append(data.data(), data.size());
    return file_->Append(data);
  }
  Status Sync() override { return file_->Sync(); }
  Status Close() override { return file_->Close(); }
  std::string name() const override { return file_->name(); }

 private:
  WritableFile* const file_;
  bool keeps_ = false;
  std::string bytes_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_WRITE_FILES_BETWEEN_H_
