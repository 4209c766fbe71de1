#include "tools/ashlar/rows/line_reader.h"

#include <cstring>
#include <new>
#include <string_view>
#include <utility>

namespace ashlar::tool {
namespace {

constexpr size_t kFirstCapacity = size_t{1} << 20;
// No row of a table needs more: a value of almost 1 GiB, of escapes alone, has
// almost 4 GiB. Without this limit, a quote that is never closed would bring a
// whole input into memory.
constexpr size_t kMostCapacity = size_t{1} << 33;

}  // namespace

LineReader::LineReader(std::string name, std::optional<char> delimiter)
    : bytes_(std::move(name)), delimiter_(delimiter) {}

Status LineReader::Open() {
  status_ = bytes_.Open();
  return status_;
}

bool LineReader::Next(char** line, size_t* size) {
  line_number_ += 1 + lines_inside_;
  lines_inside_ = 0;
  place_ = Place::kColumnStart;
  if (at_start_ && !SkipByteOrderMark()) return false;
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

bool LineReader::SkipByteOrderMark() {
  constexpr std::string_view kUtf8 = "\xef\xbb\xbf";
  constexpr std::string_view kUtf16[] = {"\xff\xfe", "\xfe\xff"};
  at_start_ = false;
  while (end_ < kUtf8.size() && ReadMore()) {
  }
  if (!status_.ok()) return false;
  const std::string_view head(buffer_.get(), end_);
  for (const std::string_view mark : kUtf16) {
    if (!head.starts_with(mark)) continue;
    status_ = Status::InvalidArgument(
        "begins with a byte order mark of UTF-16; expected UTF-8");
    return false;
  }
  if (head.starts_with(kUtf8)) {
    skipped_byte_order_mark_ = true;
    begin_ = scanned_ = kUtf8.size();
  }
  return true;
}

const char* LineReader::FindEnd() {
  if (scanned_ == end_) return nullptr;
  if (delimiter_) return FindEndOfCsv();
  const void* const found =
      std::memchr(buffer_.get() + scanned_, '\n', end_ - scanned_);
  scanned_ = end_;
  return static_cast<const char*>(found);
}

const char* LineReader::FindEndOfCsv() {
  const char* const data = buffer_.get();
  for (; scanned_ < end_; ++scanned_) {
    const char c = data[scanned_];
    if (place_ == Place::kQuoted) {
      if (c == '"') place_ = Place::kAfterQuote;
      if (c == '\n') ++lines_inside_;
      continue;
    }
    if (c == '\n') return data + scanned_;
    const bool opens = c == '"' && place_ != Place::kPlain;
    place_ = opens              ? Place::kQuoted
             : c == *delimiter_ ? Place::kColumnStart
                                : Place::kPlain;
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
  size_t count = 0;
  status_ = bytes_.Read(buffer_.get() + end_, capacity_ - end_, &count);
  end_ += count;
  at_end_ = count == 0;
  return count != 0 && status_.ok();
}

bool LineReader::Grow() {
  const size_t larger = capacity_ == 0 ? kFirstCapacity : 2 * capacity_;
  if (larger > kMostCapacity) {
    status_ = Status::InvalidArgument(
        "a row of more than " + std::to_string(capacity_) + " bytes" +
        (delimiter_ ? "; a quote may not be closed" : ""));
    return false;
  }
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
