#include "test/support/sparse_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace ashlar::testing {

namespace {

constexpr size_t kHoleBytes = size_t{64} << 10;

bool IsZero(std::string_view bytes) {
  return bytes[0] == '\0' &&
         std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0;
}

class SparseFile final : public WritableFile {
 public:
  explicit SparseFile(const std::string& path) : path_(path), writer_(path) {}

  Status Append(const Slice& data) override {
    return ToStatus(writer_.Append(data.ToStringView()));
  }
  Status Sync() override { return ToStatus(writer_.SetSize()); }
  Status Close() override { return Sync(); }
  std::string name() const override { return path_; }

 private:
  Status ToStatus(bool done) const {
    return done ? Status() : Status::IOError(path_ + ": not written");
  }

  std::string path_;
  SparseWriter writer_;
};

}  // namespace

SparseWriter::SparseWriter(const std::string& path)
    : fd_(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)) {
  if (fd_ < 0) throw std::runtime_error("cannot create " + path);
}

SparseWriter::~SparseWriter() { close(fd_); }

bool SparseWriter::Append(std::string_view bytes) {
  while (!bytes.empty()) {
    const size_t room = kHoleBytes - size_ % kHoleBytes;
    const std::string_view piece =
        bytes.substr(0, std::min(room, bytes.size()));
    if (!IsZero(piece) &&
        pwrite(fd_, piece.data(), piece.size(), static_cast<off_t>(size_)) !=
            static_cast<ssize_t>(piece.size())) {
      return false;
    }
    size_ += piece.size();
    bytes.remove_prefix(piece.size());
  }
  return true;
}

bool SparseWriter::SetSize() {
  return ftruncate(fd_, static_cast<off_t>(size_)) == 0;
}

std::unique_ptr<WritableFile> NewSparseFile(const std::string& path) {
  return std::make_unique<SparseFile>(path);
}

uint64_t BytesOnDisk(const std::string& path) {
  constexpr uint64_t kUnit = 512;  // unit of st_blocks
  struct stat found {};
  if (stat(path.c_str(), &found) != 0) {
    throw std::runtime_error("no file " + path);
  }
  return static_cast<uint64_t>(found.st_blocks) * kUnit;
}

}  // namespace ashlar::testing
