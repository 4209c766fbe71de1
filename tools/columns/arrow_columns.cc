#include "tools/columns/arrow_columns.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "tools/arrow/value_text.h"
#include "tools/columns/column_bytes.h"
#include "tools/json_string.h"
#include "tools/memory_limit.h"

namespace ashlar::tool {
namespace {

using arrow::ArrowType;
using arrow::Cell;
using arrow::Meaning;
using Notation = PlannedColumn::Notation;

const ArrowType& TypeOfValues(const ArrowType& type) {
  return type.dictionary.empty() ? type : TypeOfValues(type.dictionary[0]);
}

bool IsText(Meaning meaning) {
  return meaning == Meaning::kText || meaning == Meaning::kBytes;
}

bool IsFloat(const ColumnEncoding& encoding) {
  return encoding.type == ashlar::ColumnType::kFloat ||
         encoding.type == ashlar::ColumnType::kDouble;
}

// Returns whether values are stored as integers of at most 8 bytes.
bool IsStoredAsInteger(const ArrowType& type) {
  switch (type.meaning) {
    case Meaning::kInteger:
    case Meaning::kDate:
    case Meaning::kTime:
    case Meaning::kTimestamp:
    case Meaning::kDuration:
      return true;
    default:
      return false;
  }
}

// Returns what is wrong with a column of this type at this place in the plan,
// or an empty string.
std::string FindMisuse(const PlannedColumn& planned, const ArrowType& column,
                       bool in_key, bool is_member) {
  const ArrowType& type = TypeOfValues(column);
  if (type.meaning == Meaning::kNull || is_member) return {};
  const std::string name = "type " + arrow::TypeName(column);
  if (planned.IsNumber()) {
    if (type.IsNested() ||
        (type.meaning == Meaning::kFloat && !IsFloat(planned.encoding))) {
      return name + " cannot become " + ColumnEncodingName(planned.encoding);
    }
    return {};
  }
  if (type.IsNested() && in_key) return name + " cannot be part of a key";
  const bool is_coded = planned.notation == Notation::kHex ||
                        planned.notation == Notation::kBase64;
  if (is_coded && !IsText(type.meaning)) {
    return name + " has no text of hexadecimal digits or base64";
  }
  return {};
}

// Removes the fraction from the text of a decimal if it has only zeros, so that
// it can be the text of an integer.
void CutZeros(std::string* text) {
  const size_t point = text->find('.');
  if (point == std::string::npos) return;
  if (text->find_first_not_of('0', point + 1) == std::string::npos) {
    text->resize(point);
  }
}

// Sets *text to the number of a value that is not null, as an integer or as
// JSON writes it; or to the text, if the value is one.
bool SetNumberText(const ColumnEncoding& encoding, const Cell& cell,
                   std::string* text, std::string* reason) {
  const ArrowType& type = cell.column->type();
  text->clear();
  if (type.meaning == Meaning::kBool) {
    *text += cell.column->Bit(cell.row) ? '1' : '0';
    return true;
  }
  if (IsStoredAsInteger(type)) {
    *text += std::to_string(cell.column->Integer(cell.row));
    return true;
  }
  if (!arrow::AppendText(cell, text, reason)) return false;
  if (type.meaning == Meaning::kDecimal && !IsFloat(encoding)) CutZeros(text);
  return true;
}

// Appends the bytes of a number without a detour through text. Returns false if
// only the text shows what is wrong with it, or what it is.
bool AppendNumber(const ColumnEncoding& encoding, const Cell& cell,
                  std::string* bytes) {
  const ArrowType& type = cell.column->type();
  const bool is_unsigned = type.meaning == Meaning::kUnsigned;
  if (!is_unsigned && !IsStoredAsInteger(type) &&
      type.meaning != Meaning::kFloat) {
    return false;
  }
  ColumnValue value;
  if (type.meaning == Meaning::kFloat) {
    const double number = arrow::FloatOf(cell);
    // A float of 4 bytes is the nearest one, if that is a number.
    const auto single = static_cast<float>(number);
    value = encoding.type == ashlar::ColumnType::kFloat && std::isfinite(single)
                ? double{single}
                : number;
  } else if (IsFloat(encoding)) {
    return false;
  } else {
    const bool fits = is_unsigned ? cell.column->Unsigned(cell.row) <= INT64_MAX
                                  : cell.column->Integer(cell.row) >= 0;
    const bool wants_unsigned = encoding.type == ashlar::ColumnType::kUint32 ||
                                encoding.type == ashlar::ColumnType::kUint64;
    if (!fits && wants_unsigned != is_unsigned) return false;
    if (wants_unsigned) {
      value = is_unsigned
                  ? cell.column->Unsigned(cell.row)
                  : static_cast<uint64_t>(cell.column->Integer(cell.row));
    } else {
      value = is_unsigned
                  ? static_cast<int64_t>(cell.column->Unsigned(cell.row))
                  : cell.column->Integer(cell.row);
    }
  }
  return IsOkOrThrow(AppendColumn(encoding, value, bytes));
}

// Returns whether a whole row of the batch is null: such a row has no values to
// store. A producer need not have counted them (-1). The batch must be as long
// as its columns are.
bool HasNullRows(const ArrowArray& batch) {
  if (batch.null_count == 0 || batch.n_buffers < 1 ||
      batch.buffers == nullptr || batch.buffers[0] == nullptr) {
    return false;
  }
  const auto* const validity = static_cast<const uint8_t*>(batch.buffers[0]);
  for (int64_t i = batch.offset; i < batch.offset + batch.length; ++i) {
    if ((validity[i / 8] >> (i % 8) & 1) == 0) return true;
  }
  return false;
}

}  // namespace

bool ArrowColumns::Find(const ArrowSchema& schema, std::string* reason) {
  if (schema.format == nullptr || std::string_view(schema.format) != "+s" ||
      schema.n_children < 0 ||
      (schema.n_children > 0 && schema.children == nullptr)) {
    *reason = "the schema is not one of rows";
    return false;
  }
  const auto width = static_cast<size_t>(schema.n_children);
  places_.origin = "schema";
  for (size_t i = 0; i < width; ++i) {
    const ArrowSchema* const child = schema.children[i];
    if (child == nullptr) {
      *reason = "the schema lacks a column";
      return false;
    }
    places_.names.emplace_back(child->name == nullptr ? "" : child->name);
  }
  constexpr size_t kPlainWidth = 2;
  if (plan_->is_default && width != kPlainWidth) {
    *reason = "the rows have " + std::to_string(width) +
              (width == 1 ? " column" : " columns") +
              "; expected a key and a value; --key_column names the columns "
              "of the key";
    return false;
  }
  if (!places_.NamesAreGood(*plan_, reason) ||
      !places_.Find(*plan_, width, reason)) {
    return false;
  }
  for (const auto* const places : {&places_.key, &places_.values}) {
    for (const size_t place : *places) {
      wanted_.push_back(static_cast<int>(place));
    }
  }
  std::sort(wanted_.begin(), wanted_.end());
  wanted_.erase(std::unique(wanted_.begin(), wanted_.end()), wanted_.end());
  for (const int place : wanted_) {
    const Status status =
        arrow::ParseArrowType(*schema.children[place], &types_.emplace_back());
    if (IsOkOrThrow(status)) continue;
    *reason = places_.Describe(static_cast<size_t>(place)) + ": " +
              std::string(status.message());
    return false;
  }
  for (size_t i = 0; i < plan_->key.size(); ++i) {
    if (!AddPart(plan_->key[i], places_.key[i], true, reason)) return false;
  }
  PlannedColumn any;
  any.notation = Notation::kBytes;
  for (size_t i = 0; i < places_.values.size(); ++i) {
    const PlannedColumn& planned =
        plan_->value == ColumnPlan::Value::kOthers ? any : plan_->values[i];
    if (!AddPart(planned, places_.values[i], false, reason)) return false;
  }
  columns_.resize(wanted_.size());
  return true;
}

bool ArrowColumns::AddPart(const PlannedColumn& planned, size_t place,
                           bool in_key, std::string* reason) {
  const auto found =
      std::find(wanted_.begin(), wanted_.end(), static_cast<int>(place));
  Part part = {
      planned, place, static_cast<size_t>(found - wanted_.begin()), {}};
  const ArrowType& type = types_[part.index];
  const bool is_member = !in_key && plan_->value != ColumnPlan::Value::kColumn;
  *reason = FindMisuse(planned, type, in_key, is_member);
  if (!reason->empty()) return Refuse(part, reason);
  // The type says that the bytes are UTF-8, so they must be.
  if (TypeOfValues(type).meaning == Meaning::kText &&
      planned.notation == Notation::kBytes) {
    part.planned.notation = Notation::kText;
  }
  if (is_member) {
    AppendJsonString(places_.names[place], &part.member);
    part.member += ':';
  }
  (in_key ? key_parts_ : value_parts_).push_back(std::move(part));
  return true;
}

Status ArrowColumns::Bind(const ArrowArray& batch) {
  length_ = 0;
  if (batch.n_children != static_cast<int64_t>(columns_.size()) ||
      batch.children == nullptr || batch.length < 0 || batch.offset < 0 ||
      batch.null_count > 0) {
    return Status::Corruption("a batch that has not the columns of the schema");
  }
  for (size_t i = 0; i < columns_.size(); ++i) {
    const std::string name = places_.Describe(static_cast<size_t>(wanted_[i]));
    if (batch.children[i] == nullptr) {
      return Status::Corruption(name + ": missing in a batch");
    }
    const Status status = columns_[i].Bind(types_[i], *batch.children[i],
                                           batch.offset, batch.length);
    if (!status.ok()) return status.WithPrefix(name);
  }
  if (HasNullRows(batch)) {
    return Status::Corruption("a batch with a row that is null");
  }
  length_ = batch.length;
  return {};
}

bool ArrowColumns::MakeKey(int64_t number, Slice* key, std::string* reason) {
  if (key_parts_.size() == 1) {
    return MakeBytes(key_parts_[0], number, &key_, key, reason);
  }
  key_.clear();
  for (const Part& part : key_parts_) {
    if (!AppendCell(part, CellOf(part, number), &key_, reason)) {
      return Refuse(part, reason);
    }
  }
  *key = key_;
  return true;
}

bool ArrowColumns::MakeValue(int64_t number, Slice* value,
                             std::string* reason) {
  if (plan_->value == ColumnPlan::Value::kColumn) {
    return MakeBytes(value_parts_[0], number, &value_, value, reason);
  }
  value_ = "{";
  for (const Part& part : value_parts_) {
    if (!AppendMemberOf(part, CellOf(part, number), &value_, reason)) {
      return Refuse(part, reason);
    }
  }
  value_ += '}';
  *value = value_;
  return true;
}

// Sets *bytes to the bytes of a column that is a key or a value of its own.
// They are in the batch or in *room.
bool ArrowColumns::MakeBytes(const Part& part, int64_t number,
                             std::string* room, Slice* bytes,
                             std::string* reason) {
  const Cell cell = CellOf(part, number);
  if (part.planned.IsPlain() && !cell.IsNull() &&
      IsText(cell.column->type().meaning)) {
    *bytes = cell.column->Bytes(cell.row);
    return CheckPlain(part.planned, {*bytes, false}, reason) ||
           Refuse(part, reason);
  }
  room->clear();
  if (!AppendCell(part, cell, room, reason)) return Refuse(part, reason);
  *bytes = *room;
  return true;
}

bool ArrowColumns::AppendCell(const Part& part, const Cell& cell,
                              std::string* bytes, std::string* reason) {
  if (cell.IsNull())
    return AppendField(part.planned, {{}, true}, bytes, reason);
  if (IsText(cell.column->type().meaning)) {
    return AppendField(part.planned, {cell.column->Bytes(cell.row), false},
                       bytes, reason);
  }
  text_.clear();
  if (part.planned.IsNumber()) {
    if (AppendNumber(part.planned.encoding, cell, bytes)) return true;
    if (!SetNumberText(part.planned.encoding, cell, &text_, reason))
      return false;
  } else if (!arrow::AppendText(cell, &text_, reason)) {
    return false;
  }
  return AppendField(part.planned, {text_, false}, bytes, reason);
}

// Appends a member to the object that *json begins.
bool ArrowColumns::AppendMemberOf(const Part& part, const Cell& cell,
                                  std::string* json, std::string* reason) {
  if (json->size() > 1) *json += ',';
  *json += part.member;
  if (cell.IsNull()) return arrow::AppendJson(cell, json, reason);
  if (part.planned.IsNumber()) {
    return SetNumberText(part.planned.encoding, cell, &text_, reason) &&
           AppendJsonField(part.planned, {text_, false}, json, reason);
  }
  // Bytes are base64, unless the flag says that they are text.
  if (cell.column->type().meaning == Meaning::kBytes &&
      part.planned.notation == Notation::kText) {
    return AppendJsonField(part.planned, {cell.column->Bytes(cell.row), false},
                           json, reason);
  }
  return arrow::AppendJson(cell, json, reason);
}

bool ArrowColumns::Refuse(const Part& part, std::string* reason) const {
  *reason = places_.Describe(part.place) + ": " + *reason;
  return false;
}

std::string ArrowColumns::TextOf(int64_t number) const {
  std::string json = "{";
  std::string reason;
  for (size_t i = 0; i < columns_.size(); ++i) {
    if (i > 0) json += ',';
    AppendJsonString(places_.names[static_cast<size_t>(wanted_[i])], &json);
    json += ':';
    if (!arrow::AppendJson(columns_[i].At(number), &json, &reason)) return {};
  }
  json += '}';
  return json;
}

}  // namespace ashlar::tool
