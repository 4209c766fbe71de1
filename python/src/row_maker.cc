#include "python/src/row_maker.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "python/src/message_pack.h"
#include "tools/arrow/arrow_type.h"

namespace ashlar::python {

namespace {

using arrow::ArrowType;
using arrow::Meaning;

// The encodings of a column without a word, by its type. Those of 1 and 2 bytes
// become 4 bytes.
std::string_view WordsOf(const ArrowType& column) {
  const ArrowType& type =
      column.dictionary.empty() ? column : column.dictionary[0];
  const bool is_wide = type.width > 4;
  switch (type.meaning) {
    case Meaning::kBool:
      return "u32be";
    case Meaning::kUnsigned:
      return is_wide ? "u64be" : "u32be";
    case Meaning::kInteger:
    case Meaning::kDate:
    case Meaning::kTime:
    case Meaning::kTimestamp:
    case Meaning::kDuration:
      return is_wide ? "i64be" : "i32be";
    case Meaning::kFloat:
      return is_wide ? "f64be" : "f32be";
    case Meaning::kBytes:
      return "bytes";
    case Meaning::kNull:
    case Meaning::kDecimal:
    case Meaning::kText:
    case Meaning::kList:
    case Meaning::kStruct:
    case Meaning::kMap:
      return "text";
  }
  return "text";
}

bool StartsWithType(std::string_view words) {
  constexpr std::string_view kTypes[] = {"text",  "bytes", "hex",   "base64",
                                         "u32be", "u64be", "i32be", "i64be",
                                         "f32be", "f64be"};
  const std::string_view first = words.substr(0, words.find(':'));
  return std::find(std::begin(kTypes), std::end(kTypes), first) !=
         std::end(kTypes);
}

std::string_view NameOf(const ArrowSchema& schema, int64_t i) {
  const ArrowSchema* const child = schema.children[i];
  return child == nullptr || child->name == nullptr ? "" : child->name;
}

// Returns the column that `spec` begins with, and sets *words to what follows
// it: the name of a column may have colons itself.
std::optional<int64_t> FindColumn(const ArrowSchema& schema,
                                  std::string_view spec,
                                  std::string_view* words) {
  for (size_t end = spec.size();; end = spec.rfind(':', end - 1)) {
    if (end == std::string_view::npos) return std::nullopt;
    for (int64_t i = 0; i < schema.n_children; ++i) {
      if (NameOf(schema, i) != spec.substr(0, end)) continue;
      *words = spec.substr(std::min(end + 1, spec.size()));
      return i;
    }
    if (end == 0) return std::nullopt;
  }
}

Status NoColumn(const ArrowSchema& schema, const std::string& spec) {
  std::string text = "no column '" + spec + "'; there are";
  for (int64_t i = 0; i < schema.n_children && i < 20; ++i) {
    text += (i == 0 ? " '" : ", '") + std::string(NameOf(schema, i)) + "'";
  }
  return Status::InvalidArgument(text);
}

// The same for the only column of this name: which of two is meant is unknown.
Result<int64_t> FindOnlyColumn(const ArrowSchema& schema,
                               const std::string& spec,
                               std::string_view* words) {
  const auto found = FindColumn(schema, spec, words);
  if (!found) return NoColumn(schema, spec);
  for (int64_t i = *found + 1; i < schema.n_children; ++i) {
    if (NameOf(schema, i) != NameOf(schema, *found)) continue;
    return Status::InvalidArgument("the data have column '" +
                                   std::string(NameOf(schema, i)) + "' twice");
  }
  return *found;
}

// Replaces the words for dates and timestamps, which say what numbers a reader
// of the key expects, by those for numbers. Other units are refused.
Status ReplaceMeaning(const ArrowSchema& schema, int64_t column,
                      std::string* words) {
  const std::string first = words->substr(0, words->find(':'));
  const bool is_date = first == "date";
  if (!is_date && first != "timestamp") return {};
  const char* const format = schema.children[column]->format;
  const std::string_view given = format == nullptr ? "" : format;
  if (is_date ? given != "tdD" : !given.starts_with("tsu:")) {
    return Status::InvalidArgument(
        "column '" + std::string(NameOf(schema, column)) + "': '" + first +
        "' needs " + (is_date ? "date32" : "a timestamp of microseconds"));
  }
  words->replace(0, first.size(), is_date ? "i32be" : "i64be");
  return {};
}

// Text must be checked, also that of a column of bytes.
bool IsBytes(const tool::PlannedColumn& column) {
  return column.IsPlain() &&
         column.notation == tool::PlannedColumn::Notation::kBytes;
}

constexpr std::array<uint32_t, 256> MakeCrcTable() {
  std::array<uint32_t, 256> table = {};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t word = i;
    for (int bit = 0; bit < 8; ++bit) {
      word = (word & 1) != 0 ? 0xEDB88320U ^ word >> 1 : word >> 1;
    }
    table[i] = word;
  }
  return table;
}
constexpr std::array<uint32_t, 256> kCrcTable = MakeCrcTable();

}  // namespace

// What ParseColumnPlan parses: columns by number, each with its words.
struct RowMaker::PlanText {
  // A column of a key, which gets the words of its type if it has none.
  Status Add(const ArrowSchema& schema, const std::string& spec) {
    std::string_view words;
    const auto found = FindOnlyColumn(schema, spec, &words);
    if (!found.ok()) return found.status();
    return AddColumn(schema, *found, words);
  }
  Status AddColumn(const ArrowSchema& schema, int64_t column,
                   std::string_view words) {
    std::string all(words);
    Status status = ReplaceMeaning(schema, column, &all);
    if (!status.ok()) return status;
    if (!StartsWithType(all)) {
      ArrowType type;
      status = ParseArrowType(*schema.children[column], &type);
      if (!status.ok()) {
        return status.WithPrefix("column '" +
                                 std::string(NameOf(schema, column)) + "'");
      }
      all = WordsOf(type);
      if (!words.empty()) all += ":" + std::string(words);
    }
    Append(column, all);
    return {};
  }
  // The one column of a value: its bytes, or its text.
  Status AddValue(const ArrowSchema& schema, const std::string& spec) {
    std::string_view words;
    const auto found = FindOnlyColumn(schema, spec, &words);
    if (!found.ok()) return found.status();
    ArrowType type;
    Status status = ParseArrowType(*schema.children[*found], &type);
    if (!status.ok()) return status.WithPrefix("column '" + spec + "'");
    const bool is_bytes = WordsOf(type) == "bytes";
    Append(*found, words.empty() ? (is_bytes ? "bytes" : "text") : words);
    return {};
  }
  // A member of an object, which is written by its type.
  Status AddMember(const ArrowSchema& schema, const std::string& spec) {
    std::string_view words;
    const auto found = FindOnlyColumn(schema, spec, &words);
    if (!found.ok()) return found.status();
    Append(*found, words);
    return {};
  }
  void Append(int64_t column, std::string_view words) {
    if (!text.empty()) text += ',';
    text += std::to_string(column + 1);
    if (!words.empty()) text += ":" + std::string(words);
    places.push_back(static_cast<int>(column));
  }

  std::string text;
  std::vector<int> places;
};

char SaltOf(const Slice& rest, uint32_t buckets) {
  uint32_t crc = ~0U;
  for (const char c : rest) {
    crc = kCrcTable[(crc ^ static_cast<unsigned char>(c)) & 0xff] ^ crc >> 8;
  }
  return static_cast<char>(~crc % buckets);
}

Status RowMaker::PlanKey(const ArrowSchema& schema, PlanText* key) const {
  if (form_.key.empty()) {
    const int64_t wanted = form_.value_kind == RowForm::Value::kNone ? 1 : 2;
    if (schema.n_children != wanted) {
      return Status::InvalidArgument(
          "the data have " + std::to_string(schema.n_children) +
          " columns; without `key`, expected " + std::to_string(wanted) +
          (wanted == 2 ? ": a key and a value" : ": the key"));
    }
    return key->AddColumn(schema, 0, {});
  }
  for (const std::string& spec : form_.key) {
    Status status = key->Add(schema, spec);
    if (!status.ok()) return status;
  }
  return {};
}

Status RowMaker::PlanValue(const ArrowSchema& schema, const PlanText& key,
                           PlanText* value) {
  if (form_.value_kind == RowForm::Value::kNone) return {};
  std::vector<std::string> names = form_.value;
  if (names.empty()) {
    for (int64_t i = 0; i < schema.n_children; ++i) {
      const bool in_key = std::find(key.places.begin(), key.places.end(), i) !=
                          key.places.end();
      if (!in_key) names.emplace_back(NameOf(schema, i));
    }
  }
  if (names.empty()) {
    return Status::InvalidArgument("no column is left for the value");
  }
  is_object_ = form_.value_kind != RowForm::Value::kColumn || names.size() > 1;
  for (const std::string& name : names) {
    Status status = is_object_ ? value->AddMember(schema, name)
                               : value->AddValue(schema, name);
    if (!status.ok()) return status;
  }
  return {};
}

// Finds out which columns FindPlain may serve.
void RowMaker::FindPlainColumns(const ArrowSchema& schema, const PlanText& key,
                                const PlanText& value) {
  if (key.places.size() == 1 && IsBytes(plan_.key[0]) &&
      form_.salt_buckets == 0) {
    key_column_ = key.places[0];
  }
  if (!is_object_ && value.places.size() == 1 && IsBytes(plan_.values[0])) {
    value_column_ = value.places[0];
  }
  for (int64_t i = 0; i < schema.n_children; ++i) {
    const char* const format = schema.children[i]->format;
    const bool is_letter = format != nullptr && format[0] != 0 &&
                           format[1] == 0 &&
                           schema.children[i]->dictionary == nullptr;
    kinds_.push_back(is_letter ? format[0] : '\0');
  }
}

Status RowMaker::Prepare(const ArrowSchema& schema) {
  PlanText key;
  PlanText value;
  Status status = PlanKey(schema, &key);
  if (status.ok()) status = PlanValue(schema, key, &value);
  if (!status.ok()) return status;
  std::string error = tool::ParseColumnPlan(
      key.text, value.text, tool::PlannedColumn::Notation::kBytes, &plan_);
  if (form_.value_kind == RowForm::Value::kNone) {
    plan_.value = tool::ColumnPlan::Value::kColumn;
  } else if (is_object_) {
    plan_.value = tool::ColumnPlan::Value::kJson;
  }
  columns_ = std::make_unique<tool::ArrowColumns>(&plan_);
  if (error.empty()) columns_->Find(schema, &error);
  if (!error.empty()) return Status::InvalidArgument(error);
  FindPlainColumns(schema, key, value);
  return {};
}

// The columns of the batch have been checked by ArrowColumns::Bind.
bool RowMaker::FindPlain(size_t index, const ArrowArray& batch,
                         PlainColumn* plain) const {
  const char kind = kinds_[index];
  const ArrowArray& array = *batch.children[index];
  const bool has_nulls = array.buffers[0] != nullptr && array.null_count != 0;
  if ((kind != 'z' && kind != 'Z') || has_nulls) return false;
  const int64_t first = array.offset + batch.offset;
  plain->is_wide = kind == 'Z';
  plain->narrow = static_cast<const int32_t*>(array.buffers[1]) + first;
  plain->wide = static_cast<const int64_t*>(array.buffers[1]) + first;
  plain->data = static_cast<const char*>(array.buffers[2]);
  if (plain->data == nullptr) plain->data = "";
  return array.buffers[1] != nullptr;
}

Status RowMaker::Bind(const ArrowArray& batch) {
  const auto width = static_cast<int64_t>(kinds_.size());
  if (batch.n_children != width || batch.children == nullptr) {
    return Status::Corruption("a batch that has not the columns of the schema");
  }
  children_.clear();
  for (const int place : columns_->wanted()) {
    children_.push_back(batch.children[place]);
  }
  wanted_ = batch;
  wanted_.children = children_.data();
  wanted_.n_children = static_cast<int64_t>(children_.size());
  wanted_.release = nullptr;
  Status status = columns_->Bind(wanted_);
  if (!status.ok()) return status;
  length_ = columns_->length();
  is_plain_ = length_ > 0 && key_column_ >= 0 &&
              FindPlain(static_cast<size_t>(key_column_), batch, &plain_key_);
  if (is_plain_ && form_.value_kind != RowForm::Value::kNone) {
    has_plain_value_ =
        value_column_ >= 0 &&
        FindPlain(static_cast<size_t>(value_column_), batch, &plain_value_);
    is_plain_ = has_plain_value_;
  }
  return {};
}

bool RowMaker::MakeRow(int64_t number, Slice* key, Slice* value,
                       std::string* reason) {
  if (!columns_->MakeKey(number, key, reason)) return false;
  if (form_.salt_buckets != 0) {
    salted_.assign(1, SaltOf(*key, form_.salt_buckets));
    salted_.append(key->data(), key->size());
    *key = salted_;
  }
  switch (form_.value_kind) {
    case RowForm::Value::kNone:
      return true;
    case RowForm::Value::kColumn:
    case RowForm::Value::kJson:
      return columns_->MakeValue(number, value, reason);
    case RowForm::Value::kMessagePack:
      break;
  }
  packed_.clear();
  AppendMapHeader(columns_->value_count(), &packed_);
  for (size_t i = 0; i < columns_->value_count(); ++i) {
    AppendPackedText(columns_->ValueName(i), &packed_);
    if (!AppendPacked(columns_->ValueCell(i, number), &packed_, reason)) {
      *reason = "column '" + columns_->ValueName(i) + "': " + *reason;
      return false;
    }
  }
  *value = packed_;
  return true;
}

Status RowMaker::RowError(int64_t number, const std::string& reason) const {
  return Status::InvalidArgument(
      "row " + std::to_string(rows_ + static_cast<uint64_t>(number) + 1) +
      ": " + reason);
}

}  // namespace ashlar::python
