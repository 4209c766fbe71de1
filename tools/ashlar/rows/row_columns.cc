#include "tools/ashlar/rows/row_columns.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "ashlar/util/printable.h"
#include "tools/ashlar/print/escaped_text.h"
#include "tools/ashlar/rows/utf8_text.h"

namespace ashlar::tool {
namespace {

using Outcome = RowParser::Outcome;

// The columns of a row of two, if no flag names others.
constexpr size_t kPlainWidth = 2;

bool IsOneOf(const Slice& text, std::initializer_list<std::string_view> words) {
  std::string lower = text.ToString();
  for (char& c : lower) {
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return std::find(words.begin(), words.end(), lower) != words.end();
}

bool LooksLikeHeader(const std::vector<Slice>& columns) {
  return columns.size() == kPlainWidth &&
         IsOneOf(columns[0], {"key", "keys", "k", "id"}) &&
         IsOneOf(columns[1], {"value", "values", "v", "val"});
}

}  // namespace

RowColumns::RowColumns(const RowFormat* format) : format_(format) {
  const bool has_names =
      !format->key_column.empty() || !format->value_column.empty();
  if (!has_names) width_ = kPlainWidth;
}

void RowColumns::BeginInput() { at_start_ = true; }

bool RowColumns::EndInput(std::string* reason) const {
  if (!at_start_ || format_->header != RowFormat::Header::kLine) return true;
  *reason = "the input is empty; expected a line with the names of the columns";
  return false;
}

Outcome RowColumns::Take(const std::vector<Slice>& columns, Row* row,
                         std::string* reason) {
  if (at_start_) {
    at_start_ = false;
    if (format_->header == RowFormat::Header::kLine) {
      return ReadHeader(columns, reason);
    }
    if (format_->header == RowFormat::Header::kUnannounced &&
        LooksLikeHeader(columns)) {
      *reason =
          "this looks like the names of columns; --header skips the first "
          "line, --noheader makes a row of it";
      return Outcome::kUnusable;
    }
  }
  if (!HasWidth(columns, reason)) return Outcome::kMalformed;
  row->key = columns[key_];
  row->value = columns[value_];
  if (format_->Is("csv") && (!IsText(row->key, key_, reason) ||
                             !IsText(row->value, value_, reason))) {
    return Outcome::kMalformed;
  }
  return Outcome::kRow;
}

Outcome RowColumns::TakeMalformed() {
  const bool is_header =
      at_start_ && format_->header == RowFormat::Header::kLine;
  at_start_ = false;
  return is_header ? Outcome::kUnusable : Outcome::kMalformed;
}

std::string RowColumns::Describe(size_t column) const {
  std::string text = "column " + std::to_string(column + 1);
  if (column < names_.size()) text += " ('" + Escape(names_[column]) + "')";
  return text;
}

Outcome RowColumns::ReadHeader(const std::vector<Slice>& columns,
                               std::string* reason) {
  names_.clear();
  for (const Slice& column : columns) names_.push_back(column.ToString());
  const bool known = FindColumn(format_->key_column, &key_, reason) &&
                     FindColumn(format_->value_column, &value_, reason);
  if (!known) return Outcome::kUnusable;
  const bool has_names =
      !format_->key_column.empty() || !format_->value_column.empty();
  if (has_names) {
    width_ = columns.size();
  } else if (!HasWidth(columns, reason)) {
    return Outcome::kUnusable;
  }
  return Outcome::kSkip;
}

bool RowColumns::FindColumn(const std::string& name, size_t* column,
                            std::string* reason) const {
  if (name.empty()) return true;
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found == names_.end()) {
    *reason = "no column '" + PrintableText(name) + "' in the header";
    return false;
  }
  if (std::find(found + 1, names_.end(), name) != names_.end()) {
    *reason = "the header has column '" + PrintableText(name) + "' twice";
    return false;
  }
  *column = static_cast<size_t>(found - names_.begin());
  return true;
}

bool RowColumns::HasWidth(const std::vector<Slice>& columns,
                          std::string* reason) {
  if (width_ == 0) width_ = columns.size();
  if (columns.size() == width_) return true;
  if (columns.size() == 1 && columns[0].empty()) {
    *reason = "the line is empty";
  } else {
    *reason = "the row has " + std::to_string(columns.size()) +
              (columns.size() == 1 ? " column" : " columns");
  }
  *reason += "; expected " + std::to_string(width_) + " columns";
  return false;
}

bool RowColumns::IsText(const Slice& bytes, size_t column,
                        std::string* reason) const {
  const size_t bad = FindNoUtf8(bytes);
  if (bad == bytes.size()) return true;
  *reason = Describe(column) + ", byte " + std::to_string(bad + 1) +
            " of it: not UTF-8";
  return false;
}

}  // namespace ashlar::tool
