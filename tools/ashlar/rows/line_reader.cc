#include "tools/ashlar/rows/line_reader.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <string_view>
#include <utility>

#include "tools/ashlar/rows/byte_mask.h"

namespace ashlar::tool {

static_assert(LineBatch::kSpare >= kMaskBytes);

LineReader::LineReader(std::string name, std::optional<char> delimiter,
                       uint64_t most_bytes)
    : bytes_(std::move(name)),
      delimiter_(delimiter),
      most_bytes_(most_bytes),
      csv_ends_(delimiter.value_or(',')) {}

Status LineReader::Open() {
  status_ = bytes_.Open();
  return status_;
}

bool LineReader::Next(LineBatch* batch) {
  batch->lines.clear();
  if (!status_.ok()) return false;
  // A larger batch was for one line of unusual size.
  if (batch->capacity > kBatchBytes) *batch = LineBatch();
  size_t end = rest_.size();
  begin_ = scanned_ = 0;
  while (batch->capacity < end || batch->capacity == 0) {
    if (!Grow(0, batch)) return false;
  }
  std::memcpy(batch->bytes.get(), rest_.data(), end);
  rest_.clear();
  if (at_start_ && !SkipByteOrderMark(batch, &end)) return false;
  csv_ends_.Begin(begin_);
  FindLines(end, batch);
  while (batch->lines.empty() && MayGoOn(end) && ReadMore(batch, &end)) {
    FindLines(end, batch);
  }
  // The last line has no LF.
  if (at_end_ && status_.ok() && begin_ < end) AddLine(end, 0, batch);
  if (batch->lines.empty()) return false;
  last_capacity_ = batch->capacity;
  if (status_.ok() && begin_ < end) {
    rest_.assign(batch->bytes.get() + begin_, end - begin_);
  }
  return true;
}

bool LineReader::MayReadAhead() const {
  return last_capacity_ <= kBatchBytes && bytes_.IsReady();
}

bool LineReader::SkipByteOrderMark(LineBatch* batch, size_t* end) {
  constexpr std::string_view kUtf8 = "\xef\xbb\xbf";
  constexpr std::string_view kUtf16[] = {"\xff\xfe", "\xfe\xff"};
  at_start_ = false;
  while (*end < kUtf8.size() && ReadMore(batch, end)) {
  }
  if (!status_.ok()) return false;
  const std::string_view head(batch->bytes.get(), *end);
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

void LineReader::FindLines(size_t end, LineBatch* batch) {
  const char* const text = batch->bytes.get();
  if (delimiter_) {
    csv_ends_.Find(text, end, [&](size_t at, uint64_t breaks) {
      AddLine(at, breaks, batch);
    });
    return;
  }
  for (; scanned_ < end; scanned_ += std::min(kMaskBytes, end - scanned_)) {
    uint64_t breaks = ByteMask(text + scanned_, '\n') & LowBits(end - scanned_);
    for (; breaks != 0; breaks &= breaks - 1) {
      AddLine(scanned_ + static_cast<size_t>(std::countr_zero(breaks)), 0,
              batch);
    }
  }
}

// Returns whether the line that begins at begin_, and has not ended before
// `end`, may still end.
bool LineReader::MayGoOn(size_t end) {
  if (end - begin_ > most_bytes_) RefuseLine();
  return status_.ok();
}

void LineReader::RefuseLine() {
  status_ = Status::InvalidArgument(
      "a row of more than " + std::to_string(most_bytes_) + " bytes" +
      (delimiter_ ? "; a quote may not be closed" : ""));
}

void LineReader::AddLine(size_t end, uint64_t breaks, LineBatch* batch) {
  if (!status_.ok()) return;  // no line after one that was refused
  if (end - begin_ > most_bytes_) return RefuseLine();
  batch->lines.push_back(
      {batch->bytes.get() + begin_, end - begin_, line_number_});
  line_number_ += 1 + breaks;
  begin_ = end + 1;
}

bool LineReader::ReadMore(LineBatch* batch, size_t* end) {
  if (at_end_ || !status_.ok()) return false;
  if (*end == batch->capacity && !Grow(*end, batch)) return false;
  const size_t room = std::min(batch->capacity - *end, kBatchBytes);
  size_t count = 0;
  status_ = bytes_.Read(batch->bytes.get() + *end, room, &count);
  *end += count;
  at_end_ = count == 0;
  return count != 0 && status_.ok();
}

// Doubles the room of a batch, but makes it no larger than the longest line and
// one read. Keeps its first `used` bytes.
bool LineReader::Grow(size_t used, LineBatch* batch) {
  constexpr uint64_t kNoLimit = std::numeric_limits<size_t>::max() / 4;
  const size_t capacity = batch->capacity;
  const size_t most = begin_ + std::min(most_bytes_, kNoLimit) + kBatchBytes;
  const size_t larger =
      capacity == 0 ? kBatchBytes : std::min(2 * capacity, most);
  // The size comes from the input, so there may not be that much memory.
  std::unique_ptr<char[]> bytes(
      new (std::nothrow) char[larger + LineBatch::kSpare]);
  if (bytes == nullptr) {
    status_ = Status::MemoryLimit("no memory for a line of " +
                                  std::to_string(larger) + " bytes");
    return false;
  }
  if (used > 0) std::memcpy(bytes.get(), batch->bytes.get(), used);
  batch->bytes = std::move(bytes);
  batch->capacity = larger;
  return true;
}

}  // namespace ashlar::tool
