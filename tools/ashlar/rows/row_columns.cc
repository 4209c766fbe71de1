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

// A column without digits may be a name. In rows of data that is so seldom that
// an error in such a case costs less than a header that becomes a row.
bool MayBeName(const Field& column) {
  const auto is_part_of_name = [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x80 || std::isalpha(byte) != 0 || c == '_' || c == '-' ||
           c == '.' || c == ' ';
  };
  const std::string_view text(column.text.data(), column.text.size());
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), is_part_of_name);
}

// Files of csv often begin with a header, whose names can be any. One of tsv,
// which is a format of this program, is only recognised by its usual names.
bool LooksLikeHeader(const RowFormat& format,
                     const std::vector<Field>& columns) {
  if (format.Is("csv")) {
    return std::all_of(columns.begin(), columns.end(), MayBeName);
  }
  return columns.size() == kPlainWidth &&
         IsOneOf(columns[0].text, {"key", "keys", "id"}) &&
         IsOneOf(columns[1].text, {"value", "values"});
}

}  // namespace

RowColumns::RowColumns(const RowFormat* format) : format_(format) {
  if (format->columns.is_default) width_ = kPlainWidth;
}

void RowColumns::BeginInput() { at_start_ = true; }

bool RowColumns::EndInput(std::string* reason) const {
  if (!at_start_ || format_->header != RowFormat::Header::kLine) return true;
  *reason = "the input is empty; expected a line with the names of the columns";
  return false;
}

Outcome RowColumns::Take(const std::vector<Field>& columns, Row* row,
                         RowBytes* room, std::string* reason) {
  if (at_start_) {
    at_start_ = false;
    if (format_->header == RowFormat::Header::kLine) {
      return ReadHeader(columns, reason);
    }
    if (format_->header == RowFormat::Header::kUnannounced &&
        LooksLikeHeader(*format_, columns)) {
      *reason =
          "this looks like the names of columns; --header says that it is, "
          "--noheader makes a row of it";
      return Outcome::kUnusable;
    }
  }
  if (width_ == 0) width_ = columns.size();
  if (!HasWidth(columns, reason)) return Outcome::kMalformed;
  if (key_places_.empty() && !FindColumns(width_, reason)) {
    return Outcome::kUnusable;
  }
  return MakeKey(columns, row, room, reason) &&
                 MakeValue(columns, row, room, reason)
             ? Outcome::kRow
             : Outcome::kMalformed;
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

Outcome RowColumns::ReadHeader(const std::vector<Field>& columns,
                               std::string* reason) {
  names_.clear();
  for (const Field& column : columns) names_.push_back(column.text.ToString());
  if (format_->columns.is_default && !HasWidth(columns, reason)) {
    return Outcome::kUnusable;
  }
  width_ = columns.size();
  if (!NamesAreGood(reason)) return Outcome::kUnusable;
  return FindColumns(width_, reason) ? Outcome::kSkip : Outcome::kUnusable;
}

// The names must be UTF-8, and different if they are those of members.
bool RowColumns::NamesAreGood(std::string* reason) const {
  for (size_t i = 0; i < names_.size(); ++i) {
    if (FindNoUtf8(names_[i]) == names_[i].size()) continue;
    *reason = Describe(i) + ": the name is not UTF-8";
    return false;
  }
  if (format_->columns.value == ColumnPlan::Value::kColumn) return true;
  // Sorted, since a header may have any number of names.
  std::vector<std::string_view> sorted(names_.begin(), names_.end());
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice == sorted.end()) return true;
  *reason = "the header has column '" + PrintableText(std::string(*twice)) +
            "' twice";
  return false;
}

bool RowColumns::FindColumns(size_t width, std::string* reason) {
  const ColumnPlan& plan = format_->columns;
  const auto find = [&](const std::vector<PlannedColumn>& columns,
                        Places* places) {
    places->assign(columns.size(), 0);
    for (size_t i = 0; i < columns.size(); ++i) {
      if (!FindColumn(columns[i], width, &(*places)[i], reason)) return false;
    }
    return true;
  };
  if (!find(plan.key, &key_places_) || !find(plan.values, &value_places_)) {
    return false;
  }
  if (plan.value != ColumnPlan::Value::kOthers) return true;
  for (size_t i = 0; i < width; ++i) {
    if (std::find(key_places_.begin(), key_places_.end(), i) ==
        key_places_.end()) {
      value_places_.push_back(i);
    }
  }
  return true;
}

bool RowColumns::FindColumn(const PlannedColumn& column, size_t width,
                            size_t* place, std::string* reason) const {
  if (column.number != 0) {
    *place = column.number - 1;
    if (*place < width) return true;
    *reason = "there is no column " + column.name + "; the row has " +
              std::to_string(width);
    return false;
  }
  const auto found = std::find(names_.begin(), names_.end(), column.name);
  if (found == names_.end()) {
    *reason = "no column '" + PrintableText(column.name) + "' in the header";
    return false;
  }
  if (std::find(found + 1, names_.end(), column.name) != names_.end()) {
    *reason =
        "the header has column '" + PrintableText(column.name) + "' twice";
    return false;
  }
  *place = static_cast<size_t>(found - names_.begin());
  return true;
}

bool RowColumns::HasWidth(const std::vector<Field>& columns,
                          std::string* reason) const {
  if (columns.size() == width_) return true;
  if (columns.size() == 1 && columns[0].text.empty()) {
    *reason = "the line is empty";
  } else {
    *reason = "the row has " + std::to_string(columns.size()) +
              (columns.size() == 1 ? " column" : " columns");
  }
  *reason += "; expected " + std::to_string(width_) +
             (width_ == 1 ? " column" : " columns");
  return false;
}

bool RowColumns::MakeKey(const std::vector<Field>& columns, Row* row,
                         RowBytes* room, std::string* reason) {
  const std::vector<PlannedColumn>& plan = format_->columns.key;
  if (plan.size() == 1) {
    return MakeBytes(plan[0], key_places_[0], columns, room, &row->key, reason);
  }
  made_.clear();
  for (size_t i = 0; i < plan.size(); ++i) {
    const size_t place = key_places_[i];
    if (!AppendField(plan[i], columns[place], &made_, reason)) {
      return Refuse(place, reason);
    }
  }
  row->key = room->Keep(made_);
  return true;
}

bool RowColumns::MakeValue(const std::vector<Field>& columns, Row* row,
                           RowBytes* room, std::string* reason) {
  const ColumnPlan& plan = format_->columns;
  if (plan.value == ColumnPlan::Value::kColumn) {
    return MakeBytes(plan.values[0], value_places_[0], columns, room,
                     &row->value, reason);
  }
  const PlannedColumn any;
  made_ = "{}";
  for (size_t i = 0; i < value_places_.size(); ++i) {
    const size_t place = value_places_[i];
    const PlannedColumn& column =
        plan.value == ColumnPlan::Value::kJson ? plan.values[i] : any;
    if (!AppendMember(column, names_[place], columns[place], &made_, reason)) {
      return Refuse(place, reason);
    }
  }
  row->value = room->Keep(made_);
  return true;
}

bool RowColumns::MakeBytes(const PlannedColumn& column, size_t place,
                           const std::vector<Field>& columns, RowBytes* room,
                           Slice* bytes, std::string* reason) {
  const Field& field = columns[place];
  if (column.IsPlain()) {
    *bytes = field.text;
    return CheckPlain(column, field, reason) || Refuse(place, reason);
  }
  made_.clear();
  if (!AppendField(column, field, &made_, reason)) {
    return Refuse(place, reason);
  }
  *bytes = room->Keep(made_);
  return true;
}

bool RowColumns::Refuse(size_t place, std::string* reason) const {
  *reason = Describe(place) + ": " + *reason;
  return false;
}

}  // namespace ashlar::tool
