// Files of the operating system, read where the page cache holds them.
//
// Pages come in by fault, sixteen at a time as the kernel maps around a fault;
// asking for larger pieces by madvise was measured to be slower.

#include "port/posix_io.h"
#include "util/file.h"

namespace ashlar {

namespace {

class MappedFile final : public RandomAccessFile {
 public:
  // `bytes` is null where the file is empty.
  MappedFile(std::string path, const char* bytes, uint64_t size)
      : path_(std::move(path)), bytes_(bytes), size_(size) {}
  ~MappedFile() override {
    if (bytes_ != nullptr) port::UnmapFile(bytes_, size_);
  }

  Status Read(uint64_t offset, size_t n, char*, Slice* data) const override {
    *data = Slice();
    if (offset >= size_) return {};
    const size_t left = size_ - static_cast<size_t>(offset);
    *data = Slice(bytes_ + offset, n < left ? n : left);
    return {};
  }
  uint64_t Size() const override { return size_; }
  std::string name() const override { return path_; }

 private:
  std::string path_;
  const char* bytes_;
  size_t size_;
};

}  // namespace

Result<std::unique_ptr<RandomAccessFile>> OpenMappedFile(
    const std::string& path) {
  int fd;
  const int open_error = port::OpenForRead(path, &fd);
  if (open_error != 0) return Status::FromErrno("open", path, open_error);
  uint64_t size = 0;
  const int size_error = port::RegularFileSize(fd, &size);
  const char* bytes = nullptr;
  int map_error = 0;
  if (size_error == 0 && size != 0) map_error = port::MapFile(fd, size, &bytes);
  static_cast<void>(port::Close(fd));
  if (size_error != 0) return Status::FromErrno("open", path, size_error);
  if (map_error != 0) return Status::FromErrno("map", path, map_error);
  return std::unique_ptr<RandomAccessFile>(
      std::make_unique<MappedFile>(path, bytes, size));
}

}  // namespace ashlar
