// PinnableSlice: bytes and what keeps them alive, without a copy.
//
// Reads return values in it. The bytes stay valid until Reset or destruction,
// even after the reader is destroyed. Requires: the block cache that the reader
// used, if any, outlives it. Move-only. Thread safety: one thread at a time may
// use it, and it may be passed from thread to thread. Not a string: it cannot
// be changed.
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

  // Sets the bytes, and takes over `pin`, which keeps them alive. Releases what
  // it had before.
  void Pin(const Slice& bytes, Cleanable pin) {
    bytes_ = bytes;
    pin_ = std::move(pin);
  }
  // Moves what keeps the bytes alive to `other`, and returns the bytes. For
  // engines with pins of their own. This is then empty. May throw, and then
  // move nothing, as Cleanable::DelegateCleanupsTo says.
  Slice DelegatePinTo(Cleanable* other) {
    pin_.DelegateCleanupsTo(other);
    return std::exchange(bytes_, {});
  }
  // Does the same for a keeper of another library (Cleanable::HandCleanupsTo).
  // If it throws, this still has the bytes.
  template <class Keeper>
  Slice HandPinTo(Keeper* keeper) {
    pin_.HandCleanupsTo(keeper);
    return std::exchange(bytes_, {});
  }
  // Releases the bytes. It is then empty.
  void Reset() {
    bytes_ = {};
    pin_.Reset();
  }

  // Return the bytes, as views. They live until Reset or the next change.
  const Slice& slice() const { return bytes_; }
  const char* data() const { return bytes_.data(); }
  size_t size() const { return bytes_.size(); }
  bool empty() const { return bytes_.empty(); }
  // Return a copy, which may throw std::bad_alloc, and a view.
  std::string ToString() const { return bytes_.ToString(); }
  std::string_view ToStringView() const { return bytes_.ToStringView(); }

 private:
  Slice bytes_;
  Cleanable pin_;
};

}  // namespace ashlar

#endif  // ASHLAR_UTIL_PINNABLE_SLICE_H_
