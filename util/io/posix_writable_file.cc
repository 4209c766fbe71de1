// Files of the operating system that are written through the page cache, and
// the functions that open files for writing.

#include "util/io/posix_writable_file.h"

#include <cerrno>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "port/posix_io.h"
#include "util/io/direct_writable_file.h"
#include "util/io/write_rate.h"
#include "util/mem/memory_limit.h"

namespace ashlar {

namespace {

// Has the device write, in steps, what a file has only in memory. The newest
// bytes are left out: their pages may still be written to, and a page that the
// device has begun to write makes such a write wait.
class WriteBehind {
 public:
  explicit WriteBehind(const WritableFileOptions& options)
      : step_(options.bytes_per_sync), wait_(options.strict_bytes_per_sync) {}

  // To be called when the file has `size` bytes. Returns 0 or an errno.
  int Advance(int fd, uint64_t size) {
    if (step_ == 0 || size <= kLeftOut) return 0;
    const uint64_t end = (size - kLeftOut) / kPage * kPage;
    if (end <= begun_ || end - begun_ < step_) return 0;
    const uint64_t from = wait_ ? 0 : begun_;
    int error = port::StartWriting(fd, from, end - from, wait_);
    if (error == ENOSYS || error == EINVAL || error == ESPIPE ||
        error == ENOTSUP) {
      if (!wait_) step_ = 0;
      error = wait_ ? port::SyncData(fd) : 0;
    }
    begun_ = end;
    return error;
  }

 private:
  static constexpr uint64_t kLeftOut = uint64_t{1} << 20;
  static constexpr uint64_t kPage = 4096;

  uint64_t step_;
  bool wait_;
  uint64_t begun_ = 0;  // the device has been told to write up to here
};

class PosixWritableFile final : public WritableFile {
 public:
  PosixWritableFile(std::string path, const WritableFileOptions& options)
      : path_(std::move(path)),
        use_fsync_(options.use_fsync),
        rate_(options.rate_limiter, options.rate_limiter_priority),
        behind_(options) {}
  ~PosixWritableFile() override {
    if (fd_ >= 0) static_cast<void>(port::Close(fd_));
  }

  // One of these is to be called once, before anything else.
  void TakeOver(int fd) { fd_ = fd; }
  Status Open() {
    const int error = port::OpenForWrite(path_, &fd_);
    if (error != 0) fd_ = -1;
    return Checked("create", error);
  }

  Status Append(const Slice& data) override {
    return rate_.Pass(data, 1,
                      [this](const Slice& piece) { return Write(piece); });
  }
  Status Sync() override {
    return Checked("sync",
                   use_fsync_ ? port::SyncAll(fd_) : port::SyncData(fd_));
  }
  Status Close() override {
    const int fd = std::exchange(fd_, -1);
    return Checked("close", port::Close(fd));
  }
  std::string name() const override { return path_; }

 private:
  Status Write(const Slice& piece) {
    const int error = port::WriteAll(fd_, piece.data(), piece.size());
    if (error != 0) return Checked("write", error);
    size_ += piece.size();
    return Checked("sync a range of", behind_.Advance(fd_, size_));
  }
  Status Checked(std::string_view operation, int error) const {
    if (error == 0) return {};
    return Status::FromErrno(operation, path_, error);
  }

  const std::string path_;
  const bool use_fsync_;
  const internal::WriteRate rate_;
  WriteBehind behind_;
  uint64_t size_ = 0;
  int fd_ = -1;
};

using internal::DirectWritableFile;

// Does not own the descriptor after an error.
Result<std::unique_ptr<WritableFile>> MakeFile(
    const std::string& path, int fd, const WritableFileOptions& options) {
  if (!options.use_direct_writes) {
    auto file = std::make_unique<PosixWritableFile>(path, options);
    file->TakeOver(fd);
    return std::unique_ptr<WritableFile>(std::move(file));
  }
  const int error = port::MakeDirect(fd);
  if (error == EINVAL) {
    return Status::NotSupported("create " + path +
                                ": the file system has no direct I/O");
  }
  if (error != 0) return Status::FromErrno("create", path, error);
  auto file = std::make_unique<DirectWritableFile>(path, options);
  if (!file->MakeBuffer()) {
    return Status::MemoryLimit("create " + path +
                               ": no memory for the buffer of direct writes");
  }
  file->TakeOver(fd);
  return std::unique_ptr<WritableFile>(std::move(file));
}

// A file that exists keeps its bytes until it is known that it can be written
// as the options ask.
Result<std::unique_ptr<WritableFile>> OpenDirect(
    const std::string& path, const WritableFileOptions& options) {
  int fd;
  int error = port::CreateNew(path, &fd);
  const bool is_new = error == 0;
  if (error == EEXIST) error = port::OpenForRewrite(path, &fd);
  if (error != 0) return Status::FromErrno("create", path, error);
  auto file = internal::WritableFileOf(path, fd, options);
  if (!file.ok() && is_new) static_cast<void>(port::Remove(path));
  if (!file.ok() || is_new) return file;
  error = port::Truncate(fd, 0);
  if (error != 0) return Status::FromErrno("truncate", path, error);
  return file;
}

}  // namespace

Result<std::unique_ptr<WritableFile>> internal::WritableFileOf(
    const std::string& path, int fd, const WritableFileOptions& options) {
  auto file = OrMemoryLimit([&] { return MakeFile(path, fd, options); });
  if (!file.ok()) static_cast<void>(port::Close(fd));
  return file;
}

Result<std::unique_ptr<WritableFile>> OpenWritableFile(
    const std::string& path, const WritableFileOptions& options) {
  return internal::OrMemoryLimit(
      [&]() -> Result<std::unique_ptr<WritableFile>> {
        if (options.use_direct_writes) return OpenDirect(path, options);
        auto file = std::make_unique<PosixWritableFile>(path, options);
        Status status = file->Open();
        if (!status.ok()) return status;
        return std::unique_ptr<WritableFile>(std::move(file));
      });
}

}  // namespace ashlar
