// A file whose zeros take no space on the disk. Tests write tables of more than
// 4 GiB to it in seconds.
//
// SparseWriter is the file itself. NewSparseFile makes it a file for builders.
// One thread at a time.
#ifndef ASHLAR_TEST_SUPPORT_SPARSE_FILE_H_
#define ASHLAR_TEST_SUPPORT_SPARSE_FILE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "ashlar/util/file.h"

namespace ashlar::testing {

class SparseWriter {
 public:
  // Creates or truncates the file. Throws if that fails.
  explicit SparseWriter(const std::string& path);
  SparseWriter(const SparseWriter&) = delete;
  SparseWriter& operator=(const SparseWriter&) = delete;
  ~SparseWriter();

  uint64_t size() const { return size_; }
  // Returns false if the disk is full or fails.
  bool Append(std::string_view bytes);
  // Extends the file over zeros at its end, which do not count before.
  bool SetSize();

 private:
  int fd_;
  uint64_t size_ = 0;
};

std::unique_ptr<WritableFile> NewSparseFile(const std::string& path);

// Returns the number of bytes that the file takes on the disk.
uint64_t BytesOnDisk(const std::string& path);

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SUPPORT_SPARSE_FILE_H_
