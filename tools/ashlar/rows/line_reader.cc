#include "tools/ashlar/rows/line_reader.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include "tools/ashlar/print/output.h"

namespace ashlar::tool {
namespace {

constexpr size_t kFirstCapacity = size_t{1} << 20;

}  // namespace

LineReader::LineReader(std::string name, bool quotes)
    : name_(std::move(name)), quotes_(quotes) {}

LineReader::~LineReader() {
  if (descriptor_ > STDIN_FILENO) close(descriptor_);
}

Status LineReader::Open() {
  if (name_ == "-") {
    descriptor_ = STDIN_FILENO;
    return status_;
  }
  // O_NONBLOCK: if the file is a pipe, open does not wait for a writer.
  // ReadMore waits.
  descriptor_ = open(name_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor_ < 0 || fcntl(descriptor_, F_SETFL, 0) != 0) {
    status_ = Status::FromErrno("open", name_, errno);
  }
  return status_;
}

bool LineReader::Next(char** line, size_t* size) {
  line_number_ += 1 + lines_inside_;
  lines_inside_ = 0;
  in_quotes_ = false;
  while (true) {
    const char* const found = FindEnd();
    if (found != nullptr) {
      *line = buffer_.get() + begin_;
      *size = static_cast<size_t>(found - *line);
      begin_ = scanned_ = begin_ + *size + 1;
      return true;
    }
    if (ReadMore()) continue;
    if (!status_.ok() || begin_ == end_) return false;
    // The last line has no LF.
    *line = buffer_.get() + begin_;
    *size = end_ - begin_;
    begin_ = scanned_ = end_;
    return true;
  }
}

const char* LineReader::FindEnd() {
  if (scanned_ == end_) return nullptr;
  char* const data = buffer_.get();
  if (!quotes_) {
    const void* const found =
        std::memchr(data + scanned_, '\n', end_ - scanned_);
    scanned_ = end_;
    return static_cast<const char*>(found);
  }
  for (; scanned_ < end_; ++scanned_) {
    const char c = data[scanned_];
    if (c == '"') in_quotes_ = !in_quotes_;
    if (c != '\n') continue;
    if (!in_quotes_) return data + scanned_;
    ++lines_inside_;
  }
  return nullptr;
}

bool LineReader::ReadMore() {
  if (at_end_ || !status_.ok()) return false;
  if (begin_ > 0) {
    std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
    end_ -= begin_;
    scanned_ -= begin_;
    begin_ = 0;
  }
  if (end_ == capacity_ && !Grow()) return false;
  while (true) {
    if (!WaitForInput(descriptor_)) {
      status_ = Status::Aborted("interrupted");
      return false;
    }
    const ssize_t count =
        read(descriptor_, buffer_.get() + end_, capacity_ - end_);
    if (count > 0) {
      end_ += static_cast<size_t>(count);
      return true;
    }
    if (count == 0) {
      at_end_ = true;
      return false;
    }
    if (errno == EINTR) continue;
    status_ = Status::FromErrno("read", name_, errno);
    return false;
  }
}

bool LineReader::Grow() {
  const size_t larger = capacity_ == 0 ? kFirstCapacity : 2 * capacity_;
  // The size comes from the input, so there may not be that much memory.
  std::unique_ptr<char[]> buffer(new (std::nothrow) char[larger]);
  if (buffer == nullptr) {
    status_ = Status::MemoryLimit("no memory for a line of " +
                                  std::to_string(larger) + " bytes");
    return false;
  }
  if (end_ > 0) std::memcpy(buffer.get(), buffer_.get(), end_);
  buffer_ = std::move(buffer);
  capacity_ = larger;
  return true;
}

}  // namespace ashlar::tool
