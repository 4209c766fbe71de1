// A file whose zeros take no room on the disk: for tables of more than 4 GiB
// that are written in seconds.
//
// SparseWriter is the file itself; NewSparseFile makes it one that builders
// write to. One thread at a time.
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
  // Creates or truncates it. What fails throws.
  explicit SparseWriter(const std::string& path);
  SparseWriter(const SparseWriter&) = delete;
  SparseWriter& operator=(const SparseWriter&) = delete;
  ~SparseWriter();

  uint64_t size() const { return size_; }
  // False where the disk is full or fails.
  bool Append(std::string_view bytes);
  // Zeros at the end count only from here on.
  bool SetSize();

 private:
  int fd_;
  uint64_t size_ = 0;
};

std::unique_ptr<WritableFile> NewSparseFile(const std::string& path);

// Bytes that the file takes on the disk.
uint64_t BytesOnDisk(const std::string& path);

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SUPPORT_SPARSE_FILE_H_
