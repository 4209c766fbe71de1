// MadeArray: an ArrowArray with its buffers, made by hand. MadeSchema: the same
// for types. For tests of one thread.
#ifndef ASHLAR_TEST_TOOLS_ARROW_MADE_ARRAY_H_
#define ASHLAR_TEST_TOOLS_ARROW_MADE_ARRAY_H_

#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tools/arrow/c_data.h"

namespace ashlar::arrow::testing {

class MadeSchema {
 public:
  explicit MadeSchema(std::string format, std::string name = "c")
      : format_(std::move(format)), name_(std::move(name)) {
    schema_.format = format_.c_str();
    schema_.name = name_.c_str();
  }
  MadeSchema(const MadeSchema&) = delete;
  MadeSchema& operator=(const MadeSchema&) = delete;

  // Both keep what they are given.
  MadeSchema& Child(std::unique_ptr<MadeSchema> child) {
    pointers_.push_back(child->get());
    children_.push_back(std::move(child));
    schema_.n_children = static_cast<int64_t>(pointers_.size());
    schema_.children = pointers_.data();
    return *this;
  }
  MadeSchema& Dictionary(std::unique_ptr<MadeSchema> values) {
    schema_.dictionary = values->get();
    children_.push_back(std::move(values));
    return *this;
  }
  ArrowSchema* get() { return &schema_; }

 private:
  const std::string format_;
  const std::string name_;
  ArrowSchema schema_ = {};
  std::vector<std::unique_ptr<MadeSchema>> children_;
  std::vector<ArrowSchema*> pointers_;
};

class MadeArray {
 public:
  explicit MadeArray(int64_t length, int64_t offset = 0) {
    array_.length = length;
    array_.offset = offset;
  }
  MadeArray(const MadeArray&) = delete;
  MadeArray& operator=(const MadeArray&) = delete;

  // Adds a buffer that has just these bytes, so that ASan finds any read
  // outside of it.
  MadeArray& Bytes(const std::string& bytes) {
    auto copy = std::make_unique<char[]>(bytes.size());
    std::memcpy(copy.get(), bytes.data(), bytes.size());
    return Add(std::move(copy));
  }
  template <typename Number>
  MadeArray& Numbers(const std::vector<Number>& numbers) {
    std::string bytes(numbers.size() * sizeof(Number), '\0');
    if (!numbers.empty()) {
      std::memcpy(bytes.data(), numbers.data(), bytes.size());
    }
    return Bytes(bytes);
  }
  MadeArray& NoBuffer() { return Add(nullptr); }

  MadeArray& Child(std::unique_ptr<MadeArray> child) {
    pointers_.push_back(child->get());
    children_.push_back(std::move(child));
    array_.n_children = static_cast<int64_t>(pointers_.size());
    array_.children = pointers_.data();
    return *this;
  }
  MadeArray& Dictionary(std::unique_ptr<MadeArray> values) {
    array_.dictionary = values->get();
    children_.push_back(std::move(values));
    return *this;
  }
  ArrowArray* get() { return &array_; }

 private:
  MadeArray& Add(std::unique_ptr<char[]> buffer) {
    buffers_.push_back(buffer.get());
    owned_.push_back(std::move(buffer));
    array_.n_buffers = static_cast<int64_t>(buffers_.size());
    array_.buffers = buffers_.data();
    return *this;
  }

  ArrowArray array_ = {};
  std::vector<std::unique_ptr<char[]>> owned_;
  std::vector<const void*> buffers_;
  std::vector<std::unique_ptr<MadeArray>> children_;
  std::vector<ArrowArray*> pointers_;
};

}  // namespace ashlar::arrow::testing

#endif  // ASHLAR_TEST_TOOLS_ARROW_MADE_ARRAY_H_
