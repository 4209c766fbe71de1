// Files without a name.

#include "ashlar/util/scratch_file.h"

#include <cstdlib>
#include <new>
#include <span>
#include <utility>

#include "port/posix_io.h"
#include "port/read_calls.h"
#include "util/io/many_reads.h"
#include "util/mem/memory_limit.h"

namespace ashlar {
namespace {

class ScratchReader final : public RandomAccessFile {
 public:
  ScratchReader(std::string name, uint64_t size)
      : name_(std::move(name)), size_(size) {}
  ~ScratchReader() override {
    if (descriptor_ >= 0) static_cast<void>(port::Close(descriptor_));
  }

  // Call it once, before anything else.
  Status Open(int scratch) {
    const int error = port::Duplicate(scratch, &descriptor_);
    if (error == 0) return {};
    descriptor_ = -1;
    return Status::FromErrno("open", name_, error);
  }

  Status Read(uint64_t offset, size_t n, char* scratch,
              Slice* data) const override {
    size_t got;
    const int error = port::ReadAt(descriptor_, offset, scratch, n, &got);
    if (error != 0) return Status::FromErrno("read", name_, error);
    *data = Slice(scratch, got);
    return {};
  }
  void MultiRead(std::span<ReadRequest> requests) const override {
    internal::ManyReads::OfProcess().Read(descriptor_, name_, requests);
  }
  void Expect(uint64_t offset, uint64_t n) const override {
    port::SystemReadCalls().expect(descriptor_, offset, static_cast<size_t>(n));
  }
  int FileDescriptor() const override { return descriptor_; }
  uint64_t Size() const override { return size_; }
  std::string name() const override { return name_; }

 private:
  const std::string name_;
  const uint64_t size_;
  int descriptor_ = -1;
};

}  // namespace

std::string DefaultScratchFolder() {
  const char* const folder = std::getenv("TMPDIR");
  return folder != nullptr && *folder != '\0' ? folder : "/tmp";
}

Result<std::unique_ptr<ScratchFile>> ScratchFile::Create(
    const std::string& folder) {
  return internal::OrMemoryLimit([&]() -> Result<std::unique_ptr<ScratchFile>> {
    std::string name = "scratch file in " + folder;
    int descriptor;
    const int error = port::OpenUnnamed(folder, &descriptor);
    if (error != 0) {
      return Status::FromErrno("make a scratch file in", folder, error);
    }
    auto* const file =
        new (std::nothrow) ScratchFile(std::move(name), descriptor);
    if (file != nullptr) return std::unique_ptr<ScratchFile>(file);
    static_cast<void>(port::Close(descriptor));
    return Status::OutOfMemory();
  });
}

ScratchFile::ScratchFile(std::string name, int descriptor)
    : name_(std::move(name)), descriptor_(descriptor) {}

ScratchFile::~ScratchFile() { static_cast<void>(port::Close(descriptor_)); }

Status ScratchFile::Append(const Slice& data) {
  const int error = port::WriteAll(descriptor_, data.data(), data.size());
  if (error != 0) return Status::FromErrno("write", name_, error);
  size_ += data.size();
  return {};
}

Result<std::unique_ptr<RandomAccessFile>> ScratchFile::NewReader() const {
  return internal::OrMemoryLimit(
      [&]() -> Result<std::unique_ptr<RandomAccessFile>> {
        auto reader = std::make_unique<ScratchReader>(name_, size_);
        Status status = reader->Open(descriptor_);
        if (!status.ok()) return status;
        return std::unique_ptr<RandomAccessFile>(std::move(reader));
      });
}

}  // namespace ashlar
