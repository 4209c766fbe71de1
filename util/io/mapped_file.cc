// Files of the operating system, read in place in the page cache.
//
// Pages come in by page faults, sixteen at a time, since the kernel maps pages
// around a fault. Asking for larger pieces by madvise was measured to be
// slower.

#include "ashlar/util/file.h"
#include "port/posix_io.h"
#include "util/mem/memory_limit.h"

namespace ashlar {

namespace {

class MappedFile final : public RandomAccessFile {
 public:
  explicit MappedFile(std::string path) : path_(std::move(path)) {}
  ~MappedFile() override {
    if (bytes_ != nullptr) port::UnmapFile(bytes_, size_);
  }

  // Call it once, before anything else. An empty file is not mapped.
  Status Open() {
    int fd;
    const int open_error = port::OpenForRead(path_, &fd);
    if (open_error != 0) return Status::FromErrno("open", path_, open_error);
    uint64_t size = 0;
    const int size_error = port::RegularFileSize(fd, &size);
    int map_error = 0;
    if (size_error == 0 && size != 0) {
      map_error = port::MapFile(fd, size, &bytes_);
    }
    static_cast<void>(port::Close(fd));
    if (size_error != 0) return Status::FromErrno("open", path_, size_error);
    if (map_error != 0) {
      bytes_ = nullptr;
      return Status::FromErrno("map", path_, map_error);
    }
    size_ = size;
    return {};
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
  const char* bytes_ = nullptr;
  size_t size_ = 0;
};

}  // namespace

Result<std::unique_ptr<RandomAccessFile>> OpenMappedFile(
    const std::string& path) {
  return internal::OrMemoryLimit(
      [&]() -> Result<std::unique_ptr<RandomAccessFile>> {
        auto file = std::make_unique<MappedFile>(path);
        Status status = file->Open();
        if (!status.ok()) return status;
        return std::unique_ptr<RandomAccessFile>(std::move(file));
      });
}

}  // namespace ashlar
