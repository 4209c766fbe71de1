// Column: the values of one column in one batch of rows, checked.
//
// Bind compares all that an array says with its type: counts, offsets, indexes
// of dictionaries, and the parts that lists and views take of what they refer
// to. After that, no row within the length reads outside of the array, as far
// as the C data interface tells the sizes of buffers (c_data.h).
//
// A column refers to the array and to the type, which must outlive it. Several
// threads may read it. It interprets nothing: value_text.h does.
#ifndef ASHLAR_TOOLS_ARROW_COLUMN_H_
#define ASHLAR_TOOLS_ARROW_COLUMN_H_

#include <cstdint>
#include <cstring>
#include <vector>

#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"
#include "tools/arrow/arrow_type.h"
#include "tools/arrow/c_data.h"

namespace ashlar::arrow {

class Column;

// One value of a column that is no dictionary. Without a column it is null.
struct Cell {
  bool IsNull() const { return column == nullptr; }

  const Column* column = nullptr;
  int64_t row = 0;
};

// Some values of the child of a list.
struct CellRange {
  const Column* column;
  int64_t begin;
  int64_t end;
};

class Column {
 public:
  // Rows are `length` values from the one at `first` on, counted without the
  // array's own offset. Returns Corruption for an array that cannot be one of
  // this type; the column is not to be read then. Keeps its memory for the next
  // batch.
  Status Bind(const ArrowType& type, const ArrowArray& array, int64_t first,
              int64_t length);

  // Of all these: `row` is at least 0 and below the length.

  // Returns the value, of a dictionary if the rows are indexes of one.
  Cell At(int64_t row) const;

  const ArrowType& type() const { return *type_; }
  int64_t length() const { return length_; }

  // For values as At returns them, of the layout.
  bool Bit(int64_t row) const { return BitAt(values_, start_ + row); }
  // An integer of kFixed that is not wider than 8 bytes, with its sign.
  int64_t Integer(int64_t row) const;
  uint64_t Unsigned(int64_t row) const;
  // The bytes of kFixed, kOffsets, kLongOffsets and kViews.
  Slice Bytes(int64_t row) const;
  // The values of a list or a map.
  CellRange List(int64_t row) const;
  // The field of a struct.
  Cell Field(size_t field, int64_t row) const {
    return fields_[field].At(first_ + row);
  }

 private:
  static bool BitAt(const uint8_t* bits, int64_t at) {
    return (bits[at / 8] >> (at % 8) & 1) != 0;
  }
  template <typename Number>
  Number Load(const uint8_t* from, int64_t at) const {
    Number number;
    std::memcpy(&number, from + at * int64_t{sizeof number}, sizeof number);
    return number;
  }
  bool IsNull(int64_t row) const {
    return type_->layout == Layout::kNothing ||
           (validity_ != nullptr && !BitAt(validity_, start_ + row));
  }
  // Returns the offset `at` values after the first one of the rows.
  int64_t Offset(int64_t at) const;

  Status CheckCounts(const ArrowArray& array, int64_t first) const;
  Status CheckBuffers(const ArrowArray& array);
  Status CheckOffsets(int64_t* begin, int64_t* end) const;
  Status CheckViews(const ArrowArray& array) const;
  Status CheckListViews(int64_t child_length) const;
  Status BindFields(const ArrowArray& array);
  Status BindDictionary(const ArrowArray& array);

  const ArrowType* type_ = nullptr;
  int64_t length_ = 0;
  int64_t first_ = 0;  // of the rows in the array
  int64_t start_ = 0;  // of the rows in the buffers
  const uint8_t* validity_ = nullptr;
  // The values; or the offsets of what is divided.
  const uint8_t* values_ = nullptr;
  // What offsets divide; or the sizes of a list view.
  const uint8_t* data_ = nullptr;
  const void** view_data_ = nullptr;
  std::vector<Column> fields_;
  std::vector<Column> dictionary_;
};

}  // namespace ashlar::arrow

#endif  // ASHLAR_TOOLS_ARROW_COLUMN_H_
