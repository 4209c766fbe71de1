// Columns that are passed to Python by the C data interface of Arrow.
//
// A batch is filled by one thread, and then shared and no longer changed: what
// was exported keeps it alive. Nothing is copied when it is exported.
#ifndef ASHLAR_PYTHON_SRC_ARROW_OUTPUT_H_
#define ASHLAR_PYTHON_SRC_ARROW_OUTPUT_H_

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "ashlar/util/slice.h"
#include "tools/arrow/c_data.h"

namespace ashlar::python {

// Bytes that grow at the end, and that nobody clears first.
class GrowingBytes {
 public:
  GrowingBytes() = default;
  GrowingBytes(GrowingBytes&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  GrowingBytes& operator=(GrowingBytes&&) = delete;
  ~GrowingBytes() { std::free(data_); }

  void Append(const void* bytes, size_t size) {
    if (size > capacity_ - size_) Grow(size);
    if (size != 0) std::memcpy(data_ + size_, bytes, size);
    size_ += size;
  }
  template <typename Number>
  void AppendNumber(Number number) {
    Append(&number, sizeof number);
  }
  void Reserve(size_t size) {
    if (size > capacity_) Grow(size - size_);
  }
  size_t size() const { return size_; }
  char* data() { return data_; }
  const char* data() const { return data_; }

 private:
  // Throws std::bad_alloc.
  void Grow(size_t more);

  char* data_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

// The type of a column.
struct OutputType {
  std::string name;
  std::string format;  // as in the C data interface
  bool is_nullable = false;
  // Of a value; 0 for bits (format b), and for bytes and text (z, u, Z and U).
  uint32_t width = 0;
  bool is_bits() const { return format == "b"; }
  bool has_offsets() const { return width == 0 && !is_bits(); }
  bool has_wide_offsets() const { return format == "Z" || format == "U"; }
};

class OutputColumn {
 public:
  explicit OutputColumn(const OutputType& type);

  // For bytes and text. Requires: all values together have fewer than 2^31
  // bytes, unless the offsets are wide.
  void AppendBytes(const Slice& bytes) {
    data_.Append(bytes.data(), bytes.size());
    AppendEnd();
    MarkValid();
  }
  // For values of a fixed width.
  template <typename Number>
  void AppendNumber(Number number) {
    data_.AppendNumber(number);
    MarkValid();
  }
  // For the format b.
  void AppendBool(bool value) {
    AppendBitTo(value, &data_);
    MarkValid();
  }
  void AppendNull();
  // Makes room for this number of values.
  void Reserve(size_t values, size_t bytes);

  const OutputType& type() const { return type_; }
  int64_t length() const { return length_; }
  int64_t null_count() const { return null_count_; }
  size_t data_bytes() const { return data_.size(); }
  bool IsNull(int64_t i) const;
  // The bytes of the value, or of the number.
  Slice At(int64_t i) const;

  const void* validity() const {
    return null_count_ == 0 ? nullptr : validity_.data();
  }
  const void* offsets() const { return offsets_.data(); }
  const void* data() const {
    return data_.data() == nullptr ? "" : data_.data();
  }

 private:
  void AppendEnd() {
    if (is_wide_) {
      offsets_.AppendNumber(static_cast<int64_t>(data_.size()));
    } else {
      offsets_.AppendNumber(static_cast<int32_t>(data_.size()));
    }
  }
  void MarkValid() {
    if (null_count_ != 0) AppendBitTo(true, &validity_);
    ++length_;
  }
  // Sets the bit of the next value.
  void AppendBitTo(bool is_set, GrowingBytes* bits) const;

  OutputType type_;
  bool is_wide_;
  GrowingBytes validity_;  // bits; empty until there is a null
  GrowingBytes offsets_;
  GrowingBytes data_;
  int64_t length_ = 0;
  int64_t null_count_ = 0;
};

struct OutputBatch {
  int64_t length() const { return columns.empty() ? 0 : columns[0].length(); }
  std::vector<OutputColumn> columns;
};

// A struct of all columns, or one column alone. The structs must be empty.
void ExportType(const std::vector<OutputType>& types, ArrowSchema* schema);
void ExportType(const OutputType& type, ArrowSchema* schema);
void ExportBatch(std::shared_ptr<const OutputBatch> batch, ArrowArray* array);
void ExportColumn(std::shared_ptr<const OutputBatch> batch, size_t column,
                  ArrowArray* array);

}  // namespace ashlar::python

#endif  // ASHLAR_PYTHON_SRC_ARROW_OUTPUT_H_
