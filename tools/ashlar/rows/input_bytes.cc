#include "tools/ashlar/rows/input_bytes.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "tools/ashlar/print/output.h"
#include "tools/ashlar/rows/decompressors.h"

namespace ashlar::tool {
namespace {

constexpr size_t kBufferBytes = size_t{256} << 10;

}  // namespace

InputBytes::InputBytes(std::string name) : name_(std::move(name)) {}

InputBytes::~InputBytes() {
  if (descriptor_ > STDIN_FILENO) close(descriptor_);
}

Status InputBytes::Open() {
  if (name_ == "-") {
    descriptor_ = STDIN_FILENO;
  } else {
    // O_NONBLOCK: if the file is a pipe, open does not wait for a writer.
    // ReadFile waits.
    descriptor_ = open(name_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor_ < 0 || fcntl(descriptor_, F_SETFL, 0) != 0) {
      return Status::FromErrno("open", name_, errno);
    }
  }
  struct stat attributes;
  if (fstat(descriptor_, &attributes) == 0 && S_ISREG(attributes.st_mode)) {
    file_size_ = static_cast<uint64_t>(attributes.st_size);
  }
  return {};
}

bool InputBytes::IsReady() const {
  if (file_size_ != 0) return true;
  pollfd watched = {descriptor_, POLLIN, 0};
  return poll(&watched, 1, 0) > 0;
}

Status InputBytes::ReadFile(char* to, size_t capacity, size_t* size) {
  while (true) {
    if (!WaitForInput(descriptor_)) return Status::Aborted("interrupted");
    const ssize_t count = read(descriptor_, to, capacity);
    if (count >= 0) {
      *size = static_cast<size_t>(count);
      position_ += *size;
      at_end_ = count == 0;
      return {};
    }
    if (errno != EINTR) return Status::FromErrno("read", name_, errno);
  }
}

// Reads the first bytes, and finds out what form they have.
Status InputBytes::Recognize() {
  buffer_ = std::make_unique<char[]>(kBufferBytes);
  size_t used = 0;
  while (used < kFormBytes && !at_end_) {
    size_t size = 0;
    Status status = ReadFile(buffer_.get() + used, kBufferBytes - used, &size);
    if (!status.ok()) return status;
    used += size;
  }
  stored_ = Slice(buffer_.get(), used);
  is_recognized_ = true;
  return FindDecompressor(stored_, &decompressor_).WithPrefix(name_);
}

Status InputBytes::Decompress(char* to, size_t capacity, size_t* size) {
  *size = 0;
  while (*size == 0) {
    if (stored_.empty() && !at_end_) {
      size_t read_now = 0;
      Status status = ReadFile(buffer_.get(), kBufferBytes, &read_now);
      if (!status.ok()) return status;
      stored_ = Slice(buffer_.get(), read_now);
    }
    const size_t before = stored_.size();
    Status status = decompressor_->Step(&stored_, to, capacity, size);
    if (!status.ok()) {
      return status.WithPrefix(name_ + ": about offset " +
                               std::to_string(position_ - stored_.size()));
    }
    if (*size != 0 || stored_.size() != before || !at_end_) continue;
    if (decompressor_->MayEnd()) return {};
    return Status::Corruption(name_ + ": ends within a " +
                              decompressor_->name() + ", at offset " +
                              std::to_string(position_));
  }
  return {};
}

Status InputBytes::Read(char* to, size_t capacity, size_t* size) {
  *size = 0;
  if (!is_recognized_) {
    Status status = Recognize();
    if (!status.ok()) return status;
  }
  if (decompressor_ != nullptr) return Decompress(to, capacity, size);
  if (stored_.empty()) {
    buffer_.reset();
    return at_end_ ? Status() : ReadFile(to, capacity, size);
  }
  *size = std::min(capacity, stored_.size());
  std::memcpy(to, stored_.data(), *size);
  stored_.remove_prefix(*size);
  return {};
}

}  // namespace ashlar::tool
