// TraceInput: the bytes of a trace, in order, with their offset in the file.
//
// It reads pieces of 64 KiB from below, and lends the bytes that are asked for.
// Used by the readers of traces. For one thread at a time.
#ifndef ASHLAR_CACHE_TRACE_TRACE_INPUT_H_
#define ASHLAR_CACHE_TRACE_TRACE_INPUT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <utility>

#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"

namespace ashlar::internal {

class TraceInput {
 public:
  using Read = std::function<Status(char* out, size_t n, size_t* got)>;

  explicit TraceInput(Read read) : read_(std::move(read)) {}

  // Returns the offset of the next byte.
  [[nodiscard]] uint64_t offset() const { return offset_; }

  // Sets *bytes to the next `n` bytes, or to fewer at the end of the file,
  // without passing them. They are valid until the next call. Memory grows with
  // the bytes that are there, never with `n` alone.
  Status Peek(size_t n, Slice* bytes) {
    while (buffer_.size() - begin_ < n && !at_end_) {
      if (Status s = ReadPiece(); !s.ok()) return s;
    }
    *bytes =
        Slice(buffer_.data() + begin_, std::min(n, buffer_.size() - begin_));
    return {};
  }
  // Passes `n` bytes that Peek has shown. They stay valid until the next Peek.
  void Pass(size_t n) {
    begin_ += n;
    offset_ += n;
  }
  // Copies and passes up to `n` bytes.
  Status Copy(char* out, size_t n, size_t* got) {
    Slice bytes;
    if (Status s = Peek(n, &bytes); !s.ok()) return s;
    *got = bytes.size();
    if (*got != 0) std::memcpy(out, bytes.data(), *got);
    Pass(*got);
    return {};
  }

 private:
  static constexpr size_t kPieceBytes = size_t{64} << 10;

  Status ReadPiece() {
    buffer_.erase(0, begin_);
    begin_ = 0;
    const size_t used = buffer_.size();
    buffer_.resize(used + kPieceBytes);
    size_t got = 0;
    Status status = read_(buffer_.data() + used, kPieceBytes, &got);
    if (!status.ok()) got = 0;
    buffer_.resize(used + got);
    at_end_ = got < kPieceBytes;
    return status;
  }

  const Read read_;
  std::string buffer_;
  size_t begin_ = 0;  // of what was not passed, in `buffer_`
  uint64_t offset_ = 0;
  bool at_end_ = false;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_CACHE_TRACE_TRACE_INPUT_H_
