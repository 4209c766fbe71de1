// The bytes of an entity; varints are varint32.
//
//   version 1   1 | n | n x (name_len | name | value_len) | the n values
//
//   version 2   2 | n | bytes of the name lengths | bytes of the value lengths
//                 | bytes of the names | n x u8 type | n x name_len
//                 | n x value_len | the n names | the n values

#include "ashlar/table/entry/wide_columns.h"

#include <algorithm>
#include <cstdint>

#include "ashlar/table/internal_key.h"
#include "util/coding/coding.h"
#include "util/mem/memory_limit.h"

namespace ashlar {

using internal::AppendVarint64;
using internal::Decoder;

namespace {

constexpr uint32_t kVersionInline = 1;
constexpr uint32_t kVersionWithBlobs = 2;
constexpr auto kInlineColumn = static_cast<char>(ValueType::kTypeValue);
constexpr auto kBlobColumn = static_cast<char>(ValueType::kTypeBlobIndex);

Status Bad(std::string_view what) {
  return Status::Corruption("bad wide-column entity: " + std::string(what));
}

// Returns one column after the other. Allocates nothing, since an entity may
// claim any number of columns.
class ColumnReader {
 public:
  explicit ColumnReader(const Slice& entity) : header_(entity) {}

  // Reads what is before the columns.
  Status Begin() {
    if (!header_.Varint32(&version_)) return Bad("no version");
    if (version_ != kVersionInline && version_ != kVersionWithBlobs) {
      return Status::NotSupported("wide-column entity of version " +
                                  std::to_string(version_) +
                                  ", expected 1 or 2");
    }
    if (!header_.Varint32(&count_)) return Bad("no number of columns");
    return version_ == kVersionInline ? FindInlineValues() : FindParts();
  }

  uint32_t count() const { return count_; }

  // To be called count() times.
  Status Next(WideColumn* column) {
    const Slice last_name = column_.name;
    if (!TakeColumn()) {
      return Bad("column " + std::to_string(next_) + " does not fit");
    }
    if (next_ > 0 && last_name.compare(column_.name) >= 0) {
      return Bad("name " + std::to_string(next_) +
                 " is not larger than the one before it");
    }
    if (++next_ == count_) {
      if (!AtEnd()) return Bad("bytes follow the last column");
    }
    *column = column_;
    return {};
  }

 private:
  // Names and sizes come first, so the values begin after the last of them.
  Status FindInlineValues() {
    Decoder decoder = header_;
    for (uint32_t i = 0; i < count_; ++i) {
      uint32_t size;
      Slice name;
      if (!decoder.Varint32(&size) || !decoder.Bytes(size, &name) ||
          !decoder.Varint32(&size)) {
        return Bad("column " + std::to_string(i) + " does not fit");
      }
    }
    values_ = decoder;
    return CheckNone();
  }

  Status FindParts() {
    uint32_t name_sizes_bytes;
    uint32_t value_sizes_bytes;
    uint32_t names_bytes;
    Slice name_sizes;
    Slice value_sizes;
    Slice names;
    if (!header_.Varint32(&name_sizes_bytes) ||
        !header_.Varint32(&value_sizes_bytes) ||
        !header_.Varint32(&names_bytes) || !header_.Bytes(count_, &types_) ||
        !header_.Bytes(name_sizes_bytes, &name_sizes) ||
        !header_.Bytes(value_sizes_bytes, &value_sizes) ||
        !header_.Bytes(names_bytes, &names)) {
      return Bad("its columns do not fit into it");
    }
    values_ = header_;
    header_ = Decoder(name_sizes);
    value_sizes_ = Decoder(value_sizes);
    names_ = Decoder(names);
    return CheckNone();
  }

  // If there are no columns, nothing else may follow.
  Status CheckNone() const {
    if (count_ == 0 && !AtEnd())
      return Bad("it has no columns, but bytes follow");
    return {};
  }

  bool TakeColumn() {
    uint32_t name_size;
    uint32_t value_size;
    if (!header_.Varint32(&name_size)) return false;
    if (version_ == kVersionInline) {
      return header_.Bytes(name_size, &column_.name) &&
             header_.Varint32(&value_size) &&
             values_.Bytes(value_size, &column_.value);
    }
    const char type = types_[next_];
    column_.is_blob_index = type == kBlobColumn;
    return (type == kInlineColumn || type == kBlobColumn) &&
           names_.Bytes(name_size, &column_.name) &&
           value_sizes_.Varint32(&value_size) &&
           values_.Bytes(value_size, &column_.value);
  }

  bool AtEnd() const {
    if (!values_.empty()) return false;
    return version_ == kVersionInline ||
           (header_.empty() && value_sizes_.empty() && names_.empty());
  }

  Decoder header_;  // name and size pairs; in version 2 the name lengths
  Decoder value_sizes_{Slice()};
  Decoder names_{Slice()};
  Decoder values_{Slice()};
  Slice types_;
  uint32_t version_ = 0;
  uint32_t count_ = 0;
  uint32_t next_ = 0;
  WideColumn column_;
};

void EncodeInline(const std::vector<WideColumn>& columns, std::string* out) {
  for (const WideColumn& column : columns) {
    AppendVarint64(out, column.name.size());
    out->append(column.name.data(), column.name.size());
    AppendVarint64(out, column.value.size());
  }
}

void EncodeWithBlobs(const std::vector<WideColumn>& columns, std::string* out) {
  std::string types;
  std::string name_lengths;
  std::string value_lengths;
  std::string names;
  for (const WideColumn& column : columns) {
    types.push_back(column.is_blob_index ? kBlobColumn : kInlineColumn);
    AppendVarint64(&name_lengths, column.name.size());
    AppendVarint64(&value_lengths, column.value.size());
    names.append(column.name.data(), column.name.size());
  }
  AppendVarint64(out, name_lengths.size());
  AppendVarint64(out, value_lengths.size());
  AppendVarint64(out, names.size());
  *out += types + name_lengths + value_lengths + names;
}

}  // namespace

Status DecodeWideColumns(const Slice& entity,
                         std::vector<WideColumn>* columns) {
  return internal::OrMemoryLimit([&]() -> Status {
    columns->clear();
    ColumnReader reader(entity);
    Status status = reader.Begin();
    WideColumn column;
    for (uint32_t i = 0; status.ok() && i < reader.count(); ++i) {
      status = reader.Next(&column);
      columns->push_back(column);
    }
    if (!status.ok()) columns->clear();
    return status;
  });
}

Status FindDefaultColumn(const Slice& entity,
                         std::optional<WideColumn>* column) {
  return internal::OrMemoryLimit([&]() -> Status {
    column->reset();
    ColumnReader reader(entity);
    Status status = reader.Begin();
    WideColumn next;
    for (uint32_t i = 0; status.ok() && i < reader.count(); ++i) {
      status = reader.Next(&next);
      // The empty name is the smallest.
      if (i == 0 && next.name.empty()) *column = next;
    }
    if (!status.ok()) column->reset();
    return status;
  });
}

Status EncodeWideColumns(std::vector<WideColumn> columns, std::string* entity) {
  return internal::OrMemoryLimit([&]() -> Status {
    constexpr uint64_t kMostBytes = ~uint32_t{0};
    std::sort(columns.begin(), columns.end(),
              [](const WideColumn& a, const WideColumn& b) {
                return a.name.compare(b.name) < 0;
              });
    uint64_t size = 0;
    bool any_blob = false;
    for (size_t i = 0; i < columns.size(); ++i) {
      if (i > 0 && columns[i - 1].name == columns[i].name) {
        return Status::InvalidArgument("two columns have the name '" +
                                       columns[i].name.ToString() + "'");
      }
      size += columns[i].name.size() + columns[i].value.size();
      any_blob |= columns[i].is_blob_index;
    }
    if (size > kMostBytes || columns.size() > kMostBytes) {
      return Status::InvalidArgument("columns of " + std::to_string(size) +
                                     " bytes are too large for an entity");
    }
    entity->clear();
    AppendVarint64(entity, any_blob ? kVersionWithBlobs : kVersionInline);
    AppendVarint64(entity, columns.size());
    if (any_blob) {
      EncodeWithBlobs(columns, entity);
    } else {
      EncodeInline(columns, entity);
    }
    for (const WideColumn& column : columns) {
      entity->append(column.value.data(), column.value.size());
    }
    return {};
  });
}

}  // namespace ashlar
