#include "python/src/arrow_output.h"

#include <algorithm>
#include <array>

namespace ashlar::python {

namespace {

constexpr int64_t kNullable = 2;  // ARROW_FLAG_NULLABLE

// What an exported schema refers to.
struct SchemaParts {
  std::string format;
  std::string name;
  std::vector<ArrowSchema> children;
  std::vector<ArrowSchema*> pointers;
};

void ReleaseSchema(ArrowSchema* schema) {
  auto* const parts = static_cast<SchemaParts*>(schema->private_data);
  for (ArrowSchema& child : parts->children) {
    if (child.release != nullptr) child.release(&child);
  }
  delete parts;
  schema->release = nullptr;
}

void FillSchema(std::unique_ptr<SchemaParts> parts, int64_t flags,
                ArrowSchema* schema) {
  for (ArrowSchema& child : parts->children) parts->pointers.push_back(&child);
  *schema = {};
  schema->format = parts->format.c_str();
  schema->name = parts->name.c_str();
  schema->flags = flags;
  schema->n_children = static_cast<int64_t>(parts->children.size());
  schema->children = parts->pointers.data();
  schema->release = ReleaseSchema;
  schema->private_data = parts.release();
}

struct ArrayParts {
  std::shared_ptr<const OutputBatch> batch;
  std::array<const void*, 3> buffers = {};
  std::vector<ArrowArray> children;
  std::vector<ArrowArray*> pointers;
};

void ReleaseArray(ArrowArray* array) {
  auto* const parts = static_cast<ArrayParts*>(array->private_data);
  for (ArrowArray& child : parts->children) {
    if (child.release != nullptr) child.release(&child);
  }
  delete parts;
  array->release = nullptr;
}

}  // namespace

void GrowingBytes::Grow(size_t more) {
  constexpr size_t kLeast = 256;
  const size_t wanted =
      std::max({size_ + more, capacity_ + capacity_ / 2, kLeast});
  void* const grown = std::realloc(data_, wanted);
  if (grown == nullptr) throw std::bad_alloc();
  data_ = static_cast<char*>(grown);
  capacity_ = wanted;
}

OutputColumn::OutputColumn(const OutputType& type)
    : type_(type), is_wide_(type.has_wide_offsets()) {
  if (type_.has_offsets()) AppendEnd();
}

void OutputColumn::AppendBitTo(bool is_set, GrowingBytes* bits) const {
  const auto bit = static_cast<unsigned>(length_ % 8);
  if (bit == 0) bits->AppendNumber(uint8_t{0});
  if (is_set) {
    auto* const bytes = reinterpret_cast<uint8_t*>(bits->data());
    bytes[length_ / 8] |= static_cast<uint8_t>(1U << bit);
  }
}

void OutputColumn::AppendNull() {
  if (null_count_ == 0) {
    // All values so far are there.
    const int64_t whole = length_ / 8;
    for (int64_t i = 0; i < whole; ++i) validity_.AppendNumber(uint8_t{0xff});
    if (length_ % 8 != 0) {
      validity_.AppendNumber(static_cast<uint8_t>((1U << length_ % 8) - 1));
    }
  }
  AppendBitTo(false, &validity_);
  if (type_.has_offsets()) {
    AppendEnd();
  } else if (type_.is_bits()) {
    AppendBitTo(false, &data_);
  } else {
    constexpr std::array<char, 16> kZeros = {};
    data_.Append(kZeros.data(), type_.width);
  }
  ++null_count_;
  ++length_;
}

void OutputColumn::Reserve(size_t values, size_t bytes) {
  if (type_.has_offsets()) {
    offsets_.Reserve((values + 1) * (is_wide_ ? 8 : 4));
    data_.Reserve(bytes);
  } else {
    data_.Reserve(values * type_.width);
  }
}

bool OutputColumn::IsNull(int64_t i) const {
  if (null_count_ == 0) return false;
  const auto byte = static_cast<uint8_t>(validity_.data()[i / 8]);
  return (byte >> i % 8 & 1) == 0;
}

Slice OutputColumn::At(int64_t i) const {
  if (type_.width != 0) {
    return {data_.data() + i * int64_t{type_.width}, type_.width};
  }
  const auto offset_at = [this](int64_t at) -> size_t {
    if (is_wide_) {
      int64_t offset;
      std::memcpy(&offset, offsets_.data() + at * 8, sizeof offset);
      return static_cast<size_t>(offset);
    }
    int32_t offset;
    std::memcpy(&offset, offsets_.data() + at * 4, sizeof offset);
    return static_cast<size_t>(offset);
  };
  const size_t begin = offset_at(i);
  const size_t size = offset_at(i + 1) - begin;
  return size == 0 ? Slice() : Slice(data_.data() + begin, size);
}

void ExportType(const OutputType& type, ArrowSchema* schema) {
  auto parts = std::make_unique<SchemaParts>();
  parts->format = type.format;
  parts->name = type.name;
  FillSchema(std::move(parts), type.is_nullable ? kNullable : 0, schema);
}

void ExportType(const std::vector<OutputType>& types, ArrowSchema* schema) {
  auto parts = std::make_unique<SchemaParts>();
  parts->format = "+s";
  parts->children.resize(types.size());
  for (size_t i = 0; i < types.size(); ++i) {
    ExportType(types[i], &parts->children[i]);
  }
  FillSchema(std::move(parts), 0, schema);
}

void ExportColumn(std::shared_ptr<const OutputBatch> batch, size_t column,
                  ArrowArray* array) {
  const OutputColumn& from = batch->columns[column];
  auto parts = std::make_unique<ArrayParts>();
  *array = {};
  array->length = from.length();
  array->null_count = from.null_count();
  if (from.type().has_offsets()) {
    array->n_buffers = 3;
    parts->buffers = {from.validity(), from.offsets(), from.data()};
  } else {
    array->n_buffers = 2;
    parts->buffers = {from.validity(), from.data(), nullptr};
  }
  array->buffers = parts->buffers.data();
  array->release = ReleaseArray;
  parts->batch = std::move(batch);
  array->private_data = parts.release();
}

void ExportBatch(std::shared_ptr<const OutputBatch> batch, ArrowArray* array) {
  auto parts = std::make_unique<ArrayParts>();
  parts->children.resize(batch->columns.size());
  for (size_t i = 0; i < parts->children.size(); ++i) {
    ExportColumn(batch, i, &parts->children[i]);
    parts->pointers.push_back(&parts->children[i]);
  }
  *array = {};
  array->length = batch->length();
  array->n_buffers = 1;
  array->buffers = parts->buffers.data();
  array->n_children = static_cast<int64_t>(parts->children.size());
  array->children = parts->pointers.data();
  array->release = ReleaseArray;
  parts->batch = std::move(batch);
  array->private_data = parts.release();
}

}  // namespace ashlar::python
