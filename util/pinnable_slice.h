// PinnableSlice: bytes that are kept alive by this object, without a copy.
//
// Reads return values in these. The bytes stay valid, also after the reader
// is gone, until Reset or destruction. Move-only; may be handed from thread
// to thread, not used by two at once.
#ifndef ASHLAR_UTIL_PINNABLE_SLICE_H_
#define ASHLAR_UTIL_PINNABLE_SLICE_H_

#include <string>
#include <string_view>
#include <utility>

#include "ashlar/util/cleanable.h"
#include "ashlar/util/slice.h"

namespace ashlar {

class PinnableSlice {
 public:
  PinnableSlice() = default;
  PinnableSlice(PinnableSlice&& other) noexcept
      : bytes_(std::exchange(other.bytes_, {})), pin_(std::move(other.pin_)) {}
  PinnableSlice& operator=(PinnableSlice&& other) noexcept {
    bytes_ = std::exchange(other.bytes_, {});
    pin_ = std::move(other.pin_);
    return *this;
  }

  // Takes over what keeps `bytes` alive.
  void Pin(const Slice& bytes, Cleanable pin) {
    bytes_ = bytes;
    pin_ = std::move(pin);
  }
  void Reset() {
    bytes_ = {};
    pin_.Reset();
  }

  const Slice& slice() const { return bytes_; }
  const char* data() const { return bytes_.data(); }
  size_t size() const { return bytes_.size(); }
  bool empty() const { return bytes_.empty(); }
  std::string ToString() const { return bytes_.ToString(); }
  std::string_view ToStringView() const { return bytes_.ToStringView(); }

 private:
  Slice bytes_;
  Cleanable pin_;
};

}  // namespace ashlar

#endif  // ASHLAR_UTIL_PINNABLE_SLICE_H_
