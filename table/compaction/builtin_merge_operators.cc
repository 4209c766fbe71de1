// The merge operators that are built in. Each writes the bytes that RocksDB's
// operator of the same name writes.

#include <array>
#include <cstdint>

#include "ashlar/table/merge_operator.h"
#include "util/coding/coding.h"

namespace ashlar {

namespace {

using internal::AppendFixed64;
using internal::LoadFixed64;

class UInt64AddOperator final : public AssociativeMergeOperator {
 public:
  std::string_view Name() const override { return "UInt64AddOperator"; }
  bool Merge(const Slice& /*key*/, const Slice* existing_value,
             const Slice& value, std::string* new_value) const override {
    const uint64_t sum =
        (existing_value == nullptr ? 0 : NumberIn(*existing_value)) +
        NumberIn(value);
    new_value->clear();
    AppendFixed64(new_value, sum);
    return true;
  }

 private:
  static uint64_t NumberIn(const Slice& bytes) {
    return bytes.size() == sizeof(uint64_t) ? LoadFixed64(bytes.data()) : 0;
  }
};

class StringAppendOperator final : public AssociativeMergeOperator {
 public:
  explicit StringAppendOperator(std::string_view delimiter)
      : delimiter_(delimiter) {}

  std::string_view Name() const override { return "StringAppendOperator"; }
  bool Merge(const Slice& /*key*/, const Slice* existing_value,
             const Slice& value, std::string* new_value) const override {
    new_value->clear();
    if (existing_value != nullptr) {
      new_value->reserve(existing_value->size() + delimiter_.size() +
                         value.size());
      new_value->append(existing_value->data(), existing_value->size());
      new_value->append(delimiter_);
    }
    new_value->append(value.data(), value.size());
    return true;
  }

 private:
  const std::string delimiter_;
};

class MaxOperator final : public AssociativeMergeOperator {
 public:
  std::string_view Name() const override { return "MaxOperator"; }
  bool Merge(const Slice& /*key*/, const Slice* existing_value,
             const Slice& value, std::string* new_value) const override {
    const bool keeps =
        existing_value != nullptr && existing_value->compare(value) >= 0;
    const Slice& larger = keeps ? *existing_value : value;
    new_value->assign(larger.data(), larger.size());
    return true;
  }
};

class PutOperator final : public AssociativeMergeOperator {
 public:
  std::string_view Name() const override { return "PutOperator"; }
  bool Merge(const Slice& /*key*/, const Slice* /*existing_value*/,
             const Slice& value, std::string* new_value) const override {
    new_value->assign(value.data(), value.size());
    return true;
  }
};

}  // namespace

std::shared_ptr<const MergeOperator> NewUInt64AddOperator() {
  return std::make_shared<UInt64AddOperator>();
}
std::shared_ptr<const MergeOperator> NewStringAppendOperator(
    std::string_view delimiter) {
  return std::make_shared<StringAppendOperator>(delimiter);
}
std::shared_ptr<const MergeOperator> NewMaxOperator() {
  return std::make_shared<MaxOperator>();
}
std::shared_ptr<const MergeOperator> NewPutOperator() {
  return std::make_shared<PutOperator>();
}

std::shared_ptr<const MergeOperator> FindBuiltinMergeOperator(
    std::string_view name) {
  struct Row {
    std::string_view name;
    std::string_view short_name;
    std::shared_ptr<const MergeOperator> (*make)();
  };
  static constexpr std::array kRows = {
      Row{"UInt64AddOperator", "uint64add", NewUInt64AddOperator},
      Row{"StringAppendOperator", "stringappend",
          [] { return NewStringAppendOperator(); }},
      Row{"MaxOperator", "max", NewMaxOperator},
      Row{"PutOperator", "put", NewPutOperator},
  };
  for (const Row& row : kRows) {
    if (name == row.name || name == row.short_name) return row.make();
  }
  return nullptr;
}

}  // namespace ashlar
