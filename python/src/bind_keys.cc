// Encodings of single keys.

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <variant>

#include "python/src/bindings.h"
#include "python/src/call_watch.h"
#include "python/src/key_form.h"
#include "python/src/python_rows.h"

namespace ashlar::python {

namespace nb = nanobind;

namespace {

KeyColumn Parse(const std::string& words, bool is_last) {
  auto column = ParseKeyColumn(words);
  Check(column.status().WithPrefix("'" + words + "'"));
  ColumnEncoding& encoding = column->encoding;
  if (!is_last && encoding.type == ColumnType::kBytes &&
      encoding.end == ColumnEnd::kKeyEnd) {
    encoding.end = ColumnEnd::kTerminator;
  }
  return *column;
}

ColumnValue ColumnValueOf(const ColumnEncoding& encoding, nb::handle value) {
  switch (encoding.type) {
    case ColumnType::kBytes:
      return BytesOf(nb::cast<nb::bytes>(value));
    case ColumnType::kUint32:
    case ColumnType::kUint64:
      return nb::cast<uint64_t>(value);
    case ColumnType::kInt32:
    case ColumnType::kInt64:
      return nb::cast<int64_t>(value);
    case ColumnType::kFloat:
    case ColumnType::kDouble:
      return nb::cast<double>(value);
  }
  return Slice();
}

// Returns `key` with the column behind it.
nb::bytes AppendColumnTo(const nb::bytes& key, const std::string& words,
                         bool is_last, nb::handle value) {
  const KeyColumn column = Parse(words, is_last);
  std::string bytes = BytesOf(key).ToString();
  Status status;
  try {
    status = AppendColumn(column.encoding,
                          ColumnValueOf(column.encoding, value), &bytes);
  } catch (const nb::cast_error&) {
    status = Status::InvalidArgument(
        "a value of another type, or out of the range of the encoding");
  }
  Check(status.WithPrefix("'" + words + "'"));
  return ToBytes(bytes);
}

// Returns the value that `key` begins with, and the bytes after it.
nb::tuple ReadColumnFrom(const nb::bytes& key, const std::string& words,
                         bool is_last) {
  const KeyColumn column = Parse(words, is_last);
  Slice rest = BytesOf(key);
  ColumnValue value;
  std::string bytes;
  Check(ReadColumn(column.encoding, &rest, &value, &bytes)
            .WithPrefix("'" + words + "'"));
  nb::object made;
  if (const auto* const text = std::get_if<Slice>(&value)) {
    made = ToBytes(*text);
  } else if (const auto* const plain = std::get_if<uint64_t>(&value)) {
    made = nb::int_(*plain);
  } else if (const auto* const number = std::get_if<int64_t>(&value)) {
    made = nb::int_(*number);
  } else {
    made = nb::float_(std::get<double>(value));
  }
  return nb::make_tuple(made, ToBytes(rest));
}

}  // namespace

void BindKeys(nb::module_& module) {
  module.def("append_column", &AppendColumnTo, nb::arg("key"), nb::arg("words"),
             nb::arg("is_last"), nb::arg("value"));
  module.def("read_column", &ReadColumnFrom, nb::arg("key"), nb::arg("words"),
             nb::arg("is_last"));
  module.def("salt_of", [](const nb::bytes& key, uint32_t buckets) {
    const char salt = SaltOf(BytesOf(key), buckets);
    return ToBytes({&salt, 1});
  });
}

}  // namespace ashlar::python
