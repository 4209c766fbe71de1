// Values that have a form of their own, for the reference reader. Section
// numbers in these comments refer to table/FORMAT.md.
#include <cstddef>
#include <optional>

#include "test/support/reference_bytes.h"
#include "test/support/reference_checks.h"
#include "test/support/reference_reader.h"

namespace ashlar::testing {
namespace reference {
namespace {

constexpr uint8_t kInline = 0x01;
constexpr uint8_t kBlobColumn = 0x11;

// Reads n numbers.
std::vector<uint32_t> TakeVarints(Cursor* cursor, uint32_t n) {
  std::vector<uint32_t> numbers;
  for (uint32_t i = 0; i < n; i++) numbers.push_back(cursor->Varint32());
  return numbers;
}

// The values come last, one after the other, with nothing after them.
void TakeValues(const std::vector<uint32_t>& lengths, Cursor* cursor,
                std::vector<ReferenceColumn>* columns) {
  for (size_t i = 0; i < lengths.size(); i++) {
    (*columns)[i].value = cursor->Take(lengths[i]);
  }
  Check(cursor->empty(), "bytes behind the last column");
}

// Section 6.3, version 1.
std::vector<ReferenceColumn> ReadVersion1(Cursor cursor) {
  uint32_t n = cursor.Varint32();
  std::vector<ReferenceColumn> columns;
  std::vector<uint32_t> lengths;
  for (uint32_t i = 0; i < n; i++) {
    ReferenceColumn column;
    column.name = cursor.Take(cursor.Varint32());
    columns.push_back(column);
    lengths.push_back(cursor.Varint32());
  }
  TakeValues(lengths, &cursor, &columns);
  return columns;
}

// Section 6.3, version 2.
std::vector<ReferenceColumn> ReadVersion2(Cursor cursor) {
  uint32_t n = cursor.Varint32();
  uint32_t name_sizes = cursor.Varint32();
  uint32_t value_sizes = cursor.Varint32();
  uint32_t names = cursor.Varint32();
  std::string_view types = cursor.Take(n);
  Cursor name_lengths(cursor.Take(name_sizes));
  Cursor value_lengths(cursor.Take(value_sizes));
  Cursor all_names(cursor.Take(names));
  std::vector<uint32_t> lengths = TakeVarints(&value_lengths, n);
  std::vector<ReferenceColumn> columns;
  for (uint32_t i = 0; i < n; i++) {
    uint8_t type = ByteAt(types, i);
    Check(type == kInline || type == kBlobColumn, "bad type of a column");
    ReferenceColumn column;
    column.name = all_names.Take(name_lengths.Varint32());
    column.is_blob_index = type == kBlobColumn;
    columns.push_back(column);
  }
  Check(name_lengths.empty() && value_lengths.empty() && all_names.empty(),
        "bytes left over in a part of an entity");
  TakeValues(lengths, &cursor, &columns);
  return columns;
}

// Returns the blob's handle if the blob is in the same table.
std::optional<Handle> ReadBlobIndex(std::string_view value) {
  Cursor cursor(value);
  uint8_t kind = ByteAt(cursor.Take(1), 0);
  Check(kind <= 2, "bad kind of blob index");
  if (kind != 1) cursor.Varint64();  // expiration
  if (kind == 0) return std::nullopt;
  uint64_t file = cursor.Varint64();
  Handle blob = cursor.BlockHandle();
  cursor.Take(1);
  Check(cursor.empty(), "bytes behind a blob index");
  if (file != 0) return std::nullopt;
  return blob;
}

}  // namespace

std::vector<Handle> EmbeddedBlobs(uint8_t type, std::string_view value) {
  std::vector<std::string> indexes;
  if (type == 0x11) indexes.emplace_back(value);
  if (type == 0x16) {
    for (const ReferenceColumn& column : ReferenceColumns(value)) {
      if (column.is_blob_index) indexes.push_back(column.value);
    }
  }
  std::vector<Handle> blobs;
  for (const std::string& index : indexes) {
    if (auto blob = ReadBlobIndex(index)) blobs.push_back(*blob);
  }
  return blobs;
}

namespace {

void AppendVarint(size_t number, std::string* out) {
  for (; number >= 128; number /= 128) {
    out->push_back(static_cast<char>(number % 128 + 128));
  }
  out->push_back(static_cast<char>(number));
}

}  // namespace

void FollowEmbedded(const std::function<std::string(const Handle&)>& fetch,
                    ReferenceEntry* entry) {
  if (entry->type == kBlobColumn) {
    auto blob = ReadBlobIndex(entry->value);
    if (!blob) return;
    entry->type = kInline;
    entry->value = fetch(*blob);
    return;
  }
  if (EmbeddedBlobs(entry->type, entry->value).empty()) return;
  std::vector<ReferenceColumn> columns = ReferenceColumns(entry->value);
  std::string types;
  std::string name_lengths;
  std::string value_lengths;
  std::string names;
  std::string values;
  std::string head;  // of version 1
  for (ReferenceColumn& column : columns) {
    auto blob =
        column.is_blob_index ? ReadBlobIndex(column.value) : std::nullopt;
    if (blob) column = {column.name, fetch(*blob), false};
    types += static_cast<char>(column.is_blob_index ? kBlobColumn : kInline);
    AppendVarint(column.name.size(), &name_lengths);
    AppendVarint(column.value.size(), &value_lengths);
    names += column.name;
    values += column.value;
    AppendVarint(column.name.size(), &head);
    head += column.name;
    AppendVarint(column.value.size(), &head);
  }
  bool inline_only = types.find(kBlobColumn) == std::string::npos;
  entry->value = inline_only ? "\1" : "\2";
  AppendVarint(columns.size(), &entry->value);
  if (inline_only) {
    entry->value += head + values;
    return;
  }
  for (const auto* part : {&name_lengths, &value_lengths, &names}) {
    AppendVarint(part->size(), &entry->value);
  }
  entry->value += types + name_lengths + value_lengths + names + values;
}

}  // namespace reference

std::vector<ReferenceColumn> ReferenceColumns(std::string_view entity) {
  reference::Cursor cursor(entity);
  uint32_t version = cursor.Varint32();
  reference::Check(version == 1 || version == 2,
                   "not supported: version of an entity");
  std::vector<ReferenceColumn> columns = version == 1
                                             ? reference::ReadVersion1(cursor)
                                             : reference::ReadVersion2(cursor);
  for (size_t i = 1; i < columns.size(); i++) {
    reference::Check(columns[i - 1].name < columns[i].name,
                     "names of columns not ascending");
  }
  return columns;
}

void CheckReferenceValue(uint8_t type, std::string_view value) {
  reference::EmbeddedBlobs(type, value);
  if (type == 0x18) {
    reference::Check(value.size() >= 8, "value without its sequence number");
  }
}

}  // namespace ashlar::testing
