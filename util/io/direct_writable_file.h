// DirectWritableFile: a file of the operating system that is written past the
// page cache (O_DIRECT).
//
// The kernel takes whole pages, from memory that begins at a page, for offsets
// that are multiples of a page. So bytes collect in a buffer, which is written
// when it is full. Three numbers describe the file, and only this class moves
// them:
//
//   written_   bytes that are in the file for good: whole pages
//   used_      bytes in the buffer: they follow those
//   is_clean_  whether the file has the bytes of the buffer too
//
// Sync and Close write what is in the buffer: the last page is filled up with
// zeros, and then the file is cut to its size. The bytes of that page stay in
// the buffer, because what is appended next comes after them, and the page is
// then written again. The file has its size after each successful Sync and
// Close; after an error its size may be too large by a part of a page.
//
// One thread at a time, as every WritableFile.
#ifndef ASHLAR_UTIL_IO_DIRECT_WRITABLE_FILE_H_
#define ASHLAR_UTIL_IO_DIRECT_WRITABLE_FILE_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "ashlar/util/file.h"
#include "util/io/direct_pages.h"
#include "util/io/write_rate.h"

namespace ashlar::internal {

class DirectWritableFile final : public WritableFile {
 public:
  DirectWritableFile(std::string path, const WritableFileOptions& options);
  // Without Close, and unless a call failed, writes what is left, without
  // asking the limiter.
  ~DirectWritableFile() override;

  // To be called once, before anything else. Returns false if there is no
  // memory for the buffer.
  bool MakeBuffer();
  // Owns the descriptor from now on, which is ready for direct I/O.
  void TakeOver(int fd) { fd_ = fd; }

  Status Append(const Slice& data) override;
  Status Sync() override;
  Status Close() override;
  std::string name() const override { return path_; }

 private:
  Status WriteOut(const WriteRate& rate);
  Status Checked(std::string_view operation, int error);

  const std::string path_;
  const uint64_t wanted_bytes_;
  const bool use_fsync_;
  const WriteRate rate_;
  int fd_ = -1;
  DirectPages buffer_;
  size_t room_ = 0;
  uint64_t written_ = 0;
  size_t used_ = 0;
  bool is_clean_ = true;
  bool has_failed_ = false;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_IO_DIRECT_WRITABLE_FILE_H_
