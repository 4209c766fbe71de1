// ArrowColumns: makes rows of batches of Arrow's columns, as a ColumnPlan says.
//
// For one thread at a time.
#ifndef ASHLAR_TOOLS_COLUMNS_ARROW_COLUMNS_H_
#define ASHLAR_TOOLS_COLUMNS_ARROW_COLUMNS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ashlar/util/status.h"
#include "tools/arrow/column.h"
#include "tools/columns/column_places.h"
#include "tools/columns/row.h"

namespace ashlar::tool {

class ArrowColumns {
 public:
  // `plan` must outlive this.
  explicit ArrowColumns(const ColumnPlan* plan) : plan_(plan) {}

  // Finds the columns of the plan. If it returns false, *reason says which
  // column is missing, or has a type that the plan cannot use.
  bool Find(const ArrowSchema& schema, std::string* reason);
  // Which columns of the schema batches must have, in rising order. All others
  // need not be read.
  const std::vector<int>& wanted() const { return wanted_; }

  // Takes a batch of the wanted columns, which must stay until the next one.
  // Returns Corruption if it cannot be one.
  Status Bind(const ArrowArray& batch);
  int64_t length() const { return length_; }

  // Makes the row of this number, from 0, of the batch. Its slices are valid as
  // long as the batch, or until the next call. Returns false, with a reason, if
  // the row cannot be one of a table.
  bool MakeRow(int64_t number, Row* row, std::string* reason) {
    return MakeKey(number, &row->key, reason) &&
           MakeValue(number, &row->value, reason);
  }
  // The same for one of the two. A plan that is for keys alone has kColumn and
  // no columns of values: MakeValue must not be called then.
  bool MakeKey(int64_t number, Slice* key, std::string* reason);
  bool MakeValue(int64_t number, Slice* value, std::string* reason);

  // For values in another form: the columns of the value, in their order.
  size_t value_count() const { return value_parts_.size(); }
  const std::string& ValueName(size_t i) const {
    return places_.names[value_parts_[i].place];
  }
  arrow::Cell ValueCell(size_t i, int64_t number) const {
    return CellOf(value_parts_[i], number);
  }
  // Returns the row's columns as a JSON object, or nothing if they are no JSON.
  std::string TextOf(int64_t number) const;

 private:
  // A column of the plan, with its column of the batches.
  struct Part {
    PlannedColumn planned;
    size_t place;        // in the schema
    size_t index;        // in the batches
    std::string member;  // the name and a colon, as JSON
  };

  bool AddPart(const PlannedColumn& planned, size_t place, bool in_key,
               std::string* reason);
  arrow::Cell CellOf(const Part& part, int64_t number) const {
    return columns_[part.index].At(number);
  }
  bool MakeBytes(const Part& part, int64_t number, std::string* room,
                 Slice* bytes, std::string* reason);
  bool AppendCell(const Part& part, const arrow::Cell& cell, std::string* bytes,
                  std::string* reason);
  bool AppendMemberOf(const Part& part, const arrow::Cell& cell,
                      std::string* json, std::string* reason);
  bool Refuse(const Part& part, std::string* reason) const;

  const ColumnPlan* const plan_;
  ColumnPlaces places_;
  std::vector<int> wanted_;
  std::vector<arrow::ArrowType> types_;  // of the wanted columns
  std::vector<Part> key_parts_;
  std::vector<Part> value_parts_;
  std::vector<arrow::Column> columns_;
  int64_t length_ = 0;
  // The bytes that the row's slices refer to.
  std::string key_;
  std::string value_;
  std::string text_;
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_COLUMNS_ARROW_COLUMNS_H_
