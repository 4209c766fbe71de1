// What the interfaces of util/file.h do by default, and files of the operating
// system that are read.

#include <memory>
#include <string>
#include <utility>

#include "ashlar/util/file.h"
#include "port/posix_io.h"
#include "port/read_calls.h"
#include "util/io/many_reads.h"
#include "util/mem/memory_limit.h"

namespace ashlar {

WritableFile::~WritableFile() = default;
RandomAccessFile::~RandomAccessFile() = default;

void RandomAccessFile::MultiRead(std::span<ReadRequest> requests) const {
  for (ReadRequest& r : requests) {
    r.status = Read(r.offset, r.size, r.scratch, &r.data);
  }
}

Status RandomAccessFile::ReadWithin(const ReadContext& /*context*/,
                                    uint64_t offset, size_t n, char* scratch,
                                    Slice* data) const {
  return Read(offset, n, scratch, data);
}

void RandomAccessFile::MultiReadWithin(const ReadContext& /*context*/,
                                       std::span<ReadRequest> requests) const {
  MultiRead(requests);
}

void RandomAccessFile::Expect(uint64_t /*offset*/, uint64_t /*n*/) const {}
void RandomAccessFile::ExpectWithin(const ReadContext& /*context*/,
                                    uint64_t offset, uint64_t n) const {
  Expect(offset, n);
}

int RandomAccessFile::FileDescriptor() const { return -1; }

namespace {

class PosixRandomAccessFile final : public RandomAccessFile {
 public:
  explicit PosixRandomAccessFile(std::string path) : path_(std::move(path)) {}
  ~PosixRandomAccessFile() override {
    if (fd_ >= 0) static_cast<void>(port::Close(fd_));
  }

  // Call it once, before anything else.
  Status Open() {
    int error = port::OpenForRead(path_, &fd_);
    if (error != 0) {
      fd_ = -1;
    } else {
      error = port::RegularFileSize(fd_, &size_);
    }
    return error == 0 ? Status() : Status::FromErrno("open", path_, error);
  }

  Status Read(uint64_t offset, size_t n, char* scratch,
              Slice* data) const override {
    size_t got;
    const int error = port::ReadAt(fd_, offset, scratch, n, &got);
    if (error != 0) return Status::FromErrno("read", path_, error);
    *data = Slice(scratch, got);
    return {};
  }
  void MultiRead(std::span<ReadRequest> requests) const override {
    internal::ManyReads::OfProcess().Read(fd_, path_, requests);
  }
  void Expect(uint64_t offset, uint64_t n) const override {
    port::SystemReadCalls().expect(fd_, offset, static_cast<size_t>(n));
  }
  int FileDescriptor() const override { return fd_; }
  uint64_t Size() const override { return size_; }
  std::string name() const override { return path_; }

 private:
  std::string path_;
  int fd_ = -1;
  uint64_t size_ = 0;
};

}  // namespace

Result<std::unique_ptr<RandomAccessFile>> OpenRandomAccessFile(
    const std::string& path) {
  return internal::OrMemoryLimit(
      [&]() -> Result<std::unique_ptr<RandomAccessFile>> {
        auto file = std::make_unique<PosixRandomAccessFile>(path);
        Status status = file->Open();
        if (!status.ok()) return status;
        return std::unique_ptr<RandomAccessFile>(std::move(file));
      });
}

}  // namespace ashlar
