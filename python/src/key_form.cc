#include "python/src/key_form.h"

#include <variant>

#include "ashlar/table/internal_key.h"
#include "tools/escaped_text.h"
#include "tools/utf8_text.h"

namespace ashlar::python {

namespace {

using Meaning = KeyColumn::Meaning;

constexpr struct {
  std::string_view word;
  std::string_view encoding;
  Meaning meaning;
} kWords[] = {{"text", "bytes", Meaning::kText},
              {"date", "i32be", Meaning::kDate},
              {"timestamp", "i64be", Meaning::kTimestamp}};

OutputType TypeOf(const KeyColumn& column) {
  OutputType type;
  switch (column.encoding.type) {
    case ColumnType::kBytes:
      type.format = column.meaning == Meaning::kText ? "u" : "z";
      return type;
    case ColumnType::kUint32:
      type.format = "I";
      type.width = 4;
      return type;
    case ColumnType::kUint64:
      type.format = "L";
      type.width = 8;
      return type;
    case ColumnType::kInt32:
      type.format = column.meaning == Meaning::kDate ? "tdD" : "i";
      type.width = 4;
      return type;
    case ColumnType::kInt64:
      type.format = column.meaning == Meaning::kTimestamp ? "tsu:UTC" : "l";
      type.width = 8;
      return type;
    case ColumnType::kFloat:
      type.format = "f";
      type.width = 4;
      return type;
    case ColumnType::kDouble:
      type.format = "g";
      type.width = 8;
      return type;
  }
  return type;
}

void AppendValue(const ColumnValue& value, OutputColumn* to) {
  const bool is_narrow = to->type().width == 4;
  if (const auto* const bytes = std::get_if<Slice>(&value)) {
    to->AppendBytes(*bytes);
  } else if (const auto* const plain = std::get_if<uint64_t>(&value)) {
    is_narrow ? to->AppendNumber(static_cast<uint32_t>(*plain))
              : to->AppendNumber(*plain);
  } else if (const auto* const number = std::get_if<int64_t>(&value)) {
    is_narrow ? to->AppendNumber(static_cast<int32_t>(*number))
              : to->AppendNumber(*number);
  } else {
    const double real = std::get<double>(value);
    is_narrow ? to->AppendNumber(static_cast<float>(real))
              : to->AppendNumber(real);
  }
}

}  // namespace

Result<KeyColumn> ParseKeyColumn(std::string_view words) {
  KeyColumn column;
  std::string encoding(words);
  for (const auto& row : kWords) {
    const std::string_view first = words.substr(0, words.find(':'));
    if (first != row.word) continue;
    encoding =
        std::string(row.encoding) + std::string(words.substr(first.size()));
    column.meaning = row.meaning;
  }
  const auto parsed = ParseColumnEncoding(encoding);
  if (!parsed.ok()) return parsed.status();
  column.encoding = *parsed;
  return column;
}

Result<KeyForm> KeyForm::Parse(const std::vector<std::string>& columns,
                               bool is_salted) {
  KeyForm form;
  form.is_salted_ = is_salted;
  for (size_t i = 0; i < columns.size(); ++i) {
    const std::string& text = columns[i];
    const size_t colon = text.find(':');
    if (colon == std::string::npos || colon == 0) {
      return Status::InvalidArgument("column '" + text +
                                     "': expected <name>:<encoding>");
    }
    auto column = ParseKeyColumn(std::string_view(text).substr(colon + 1));
    if (!column.ok())
      return column.status().WithPrefix("column '" + text + "'");
    const bool is_last = i + 1 == columns.size();
    ColumnEncoding& encoding = column->encoding;
    if (!is_last && encoding.type == ColumnType::kBytes &&
        encoding.end == ColumnEnd::kKeyEnd) {
      encoding.end = ColumnEnd::kTerminator;
    }
    OutputType type = TypeOf(*column);
    type.name = text.substr(0, colon);
    form.types_.push_back(std::move(type));
    form.columns_.push_back(*column);
  }
  return form;
}

Status KeyForm::Append(const Slice& key, OutputColumn* to) {
  Slice rest = key;
  Status status;
  if (is_salted_) {
    if (rest.empty()) {
      return Status::Corruption("an empty key, which has no salt");
    }
    rest.remove_prefix(1);
  }
  for (size_t i = 0; i < columns_.size() && status.ok(); ++i) {
    ColumnValue value;
    status = ReadColumn(columns_[i].encoding, &rest, &value, &bytes_);
    if (!status.ok()) {
      status = status.WithPrefix("column '" + types_[i].name + "'");
      break;
    }
    if (columns_[i].meaning == Meaning::kText) {
      const Slice text = std::get<Slice>(value);
      if (tool::FindNoUtf8(text) != text.size()) {
        status = Status::Corruption("column '" + types_[i].name +
                                    "': the text is not UTF-8");
        break;
      }
    }
    AppendValue(value, to + i);
  }
  if (status.ok() && !rest.empty()) {
    status = Status::Corruption(std::to_string(rest.size()) +
                                " bytes follow the last column");
  }
  return status.ok() ? status
                     : status.WithPrefix("key '" + tool::Escape(key) + "'");
}

}  // namespace ashlar::python
