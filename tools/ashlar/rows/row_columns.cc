#include "tools/ashlar/rows/row_columns.h"

#include <algorithm>
#include <cctype>
#include <string_view>

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
  if (places_.key.empty() && !places_.Find(format_->columns, width_, reason)) {
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

Outcome RowColumns::ReadHeader(const std::vector<Field>& columns,
                               std::string* reason) {
  places_.names.clear();
  places_.Forget();
  for (const Field& column : columns) {
    places_.names.push_back(column.text.ToString());
  }
  if (format_->columns.is_default && !HasWidth(columns, reason)) {
    return Outcome::kUnusable;
  }
  width_ = columns.size();
  return places_.NamesAreGood(format_->columns, reason) &&
                 places_.Find(format_->columns, width_, reason)
             ? Outcome::kSkip
             : Outcome::kUnusable;
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
    return MakeBytes(plan[0], places_.key[0], columns, room, &row->key, reason);
  }
  made_.clear();
  for (size_t i = 0; i < plan.size(); ++i) {
    const size_t place = places_.key[i];
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
    return MakeBytes(plan.values[0], places_.values[0], columns, room,
                     &row->value, reason);
  }
  const PlannedColumn any;
  made_ = "{}";
  for (size_t i = 0; i < places_.values.size(); ++i) {
    const size_t place = places_.values[i];
    const PlannedColumn& column =
        plan.value == ColumnPlan::Value::kJson ? plan.values[i] : any;
    if (!AppendMember(column, places_.names[place], columns[place], &made_,
                      reason)) {
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
