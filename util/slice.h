// Slice: a pointer to bytes and their number, as in RocksDB.
//
// Every function that takes or returns keys, values or blocks uses it. A Slice
// owns nothing: the code that makes one must keep the bytes alive and unchanged
// as long as the Slice is used. A plain value: any number of threads may read
// it at once, as long as none assigns to it. Not a string: bytes
// compare as unsigned (though operator[] returns char), may be zero, and need
// no terminator.
#ifndef ASHLAR_UTIL_SLICE_H_
#define ASHLAR_UTIL_SLICE_H_

#include <cassert>
#include <compare>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

namespace ashlar {

class Slice {
 public:
  // An empty Slice.
  constexpr Slice() = default;
  constexpr Slice(const char* data, size_t size) : data_(data), size_(size) {}
  // Implicit, so that strings and literals can be passed wherever bytes are
  // expected. The terminating zero of a literal is not part of the Slice.
  constexpr Slice(std::string_view text)  // NOLINT(google-explicit-constructor)
      : data_(text.data()), size_(text.size()) {}
  Slice(const std::string& text)  // NOLINT(google-explicit-constructor)
      : data_(text.data()), size_(text.size()) {}
  constexpr Slice(const char* text)  // NOLINT(google-explicit-constructor)
      : Slice(std::string_view(text)) {}

  // These look at the bytes. data() need not end in a zero.
  constexpr const char* data() const { return data_; }
  constexpr size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr const char* begin() const { return data_; }
  constexpr const char* end() const { return data_ + size_; }
  // Requires: i < size().
  constexpr char operator[](size_t i) const {
    assert(i < size_);
    return data_[i];
  }

  // Drop the first or last `n` bytes. Requires: n <= size().
  void remove_prefix(size_t n) {
    assert(n <= size_);
    data_ += n;
    size_ -= n;
  }
  void remove_suffix(size_t n) {
    assert(n <= size_);
    size_ -= n;
  }
  // Returns whether the bytes begin with `prefix`.
  bool starts_with(const Slice& prefix) const {
    return size_ >= prefix.size_ &&
           (prefix.size_ == 0 ||
            std::memcmp(data_, prefix.data_, prefix.size_) == 0);
  }

  // Returns < 0, 0 or > 0 in the order of unsigned bytes. If one Slice is the
  // beginning of the other, the shorter one is smaller.
  int compare(const Slice& other) const {
    const size_t common = size_ < other.size_ ? size_ : other.size_;
    if (common != 0) {
      const int order = std::memcmp(data_, other.data_, common);
      if (order != 0) return order;
    }
    if (size_ == other.size_) return 0;
    return size_ < other.size_ ? -1 : 1;
  }

  // Returns a copy of the bytes. May throw std::bad_alloc.
  std::string ToString() const { return std::string(data_, size_); }
  constexpr std::string_view ToStringView() const {
    return std::string_view(data_, size_);
  }

  friend bool operator==(const Slice& a, const Slice& b) {
    return a.size_ == b.size_ &&
           (a.size_ == 0 || std::memcmp(a.data_, b.data_, a.size_) == 0);
  }
  friend std::strong_ordering operator<=>(const Slice& a, const Slice& b) {
    return a.compare(b) <=> 0;
  }

 private:
  const char* data_ = "";
  size_t size_ = 0;
};

}  // namespace ashlar

#endif  // ASHLAR_UTIL_SLICE_H_
