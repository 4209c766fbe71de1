// RowMaker: keys and values of batches of Arrow's columns.
//
// Keys and values are those of `ashlar build` (tools/columns/), except that a
// column without a word is encoded by its type: an int64 as i64be, a text as
// its bytes. docs/python.md has the list. One thread at a time, and without the
// GIL.
#ifndef ASHLAR_PYTHON_SRC_ROW_MAKER_H_
#define ASHLAR_PYTHON_SRC_ROW_MAKER_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"
#include "tools/arrow/c_data.h"
#include "tools/columns/arrow_columns.h"

namespace ashlar::python {

// What a key and a value consist of.
struct RowForm {
  enum class Value : uint8_t {
    kNone,         // keys alone
    kColumn,       // one column, or JSON of all if none or several are named
    kJson,         // an object
    kMessagePack,  // a map
  };
  // "<column>" or "<column>:<words>". Empty: the first column is the key, and
  // the second and last one the value.
  std::vector<std::string> key;
  // Empty: all columns that are not in the key.
  std::vector<std::string> value;
  Value value_kind = Value::kColumn;
  // If not 0: the key begins with a byte, the CRC-32 of the rest modulo this
  // number. At most 256.
  uint32_t salt_buckets = 0;
};

// The byte that `rest` gets in front of it.
char SaltOf(const Slice& rest, uint32_t buckets);

class RowMaker {
 public:
  explicit RowMaker(RowForm form) : form_(std::move(form)) {}

  // Finds the columns. Returns InvalidArgument, which names the column.
  Status Prepare(const ArrowSchema& schema);
  // Calls take(key, value) for each row of the batch, until that returns an
  // error. The slices live until it returns. An error of a row has the row's
  // number in all batches, from 1.
  template <typename Take>
  Status ForEach(const ArrowArray& batch, const Take& take);

  uint64_t rows() const { return rows_; }
  // Returns whether keys live as long as the batch, and not only until the next
  // row.
  bool keys_stay() const { return is_plain_; }

 private:
  // A column of bytes without nulls, whose bytes are a key or a value as they
  // are.
  struct PlainColumn {
    Slice At(int64_t row) const {
      int64_t begin;
      int64_t end;
      if (is_wide) {
        begin = wide[row];
        end = wide[row + 1];
      } else {
        begin = narrow[row];
        end = narrow[row + 1];
      }
      return {data + begin, static_cast<size_t>(end - begin)};
    }
    const int32_t* narrow = nullptr;
    const int64_t* wide = nullptr;
    const char* data = nullptr;
    bool is_wide = false;
    bool is_text = false;
  };

  struct PlanText;
  Status PlanKey(const ArrowSchema& schema, PlanText* key) const;
  Status PlanValue(const ArrowSchema& schema, const PlanText& key,
                   PlanText* value);
  void FindPlainColumns(const ArrowSchema& schema, const PlanText& key,
                        const PlanText& value);
  Status Bind(const ArrowArray& batch);
  // Returns whether the column's bytes in this batch need no conversion, and
  // sets *plain.
  bool FindPlain(size_t index, const ArrowArray& batch,
                 PlainColumn* plain) const;
  bool MakeRow(int64_t number, Slice* key, Slice* value, std::string* reason);
  Status RowError(int64_t number, const std::string& reason) const;
  template <typename Take>
  Status ForEachPlain(const Take& take);

  const RowForm form_;
  tool::ColumnPlan plan_;
  std::unique_ptr<tool::ArrowColumns> columns_;
  std::vector<ArrowArray*> children_;  // of the wanted columns
  ArrowArray wanted_ = {};
  int key_column_ = -1;      // in the schema, if it alone is the key
  int value_column_ = -1;    // the same of the value
  std::vector<char> kinds_;  // formats of the columns; 0: more than a letter
  bool is_object_ = false;   // the value has members
  bool is_plain_ = false;
  PlainColumn plain_key_;
  PlainColumn plain_value_;
  bool has_plain_value_ = false;
  int64_t length_ = 0;
  uint64_t rows_ = 0;  // of the batches before this one
  std::string salted_;
  std::string packed_;
};

// The processor fetches ahead by itself, but not beyond a page.
template <typename Take>
Status RowMaker::ForEachPlain(const Take& take) {
  constexpr size_t kAhead = 2048;
  constexpr size_t kLine = 64;
  constexpr size_t kMostLines = 8;  // per row
  for (int64_t row = 0; row < length_; ++row) {
    const Slice key = plain_key_.At(row);
    const Slice value = has_plain_value_ ? plain_value_.At(row) : Slice();
    const size_t lines = std::min(value.size() / kLine, kMostLines);
    for (size_t i = 0; i <= lines; ++i) {
      __builtin_prefetch(value.data() + kAhead + i * kLine);
    }
    Status status = take(key, value);
    if (!status.ok()) [[unlikely]]
      return status;
  }
  return {};
}

template <typename Take>
Status RowMaker::ForEach(const ArrowArray& batch, const Take& take) {
  Status status = Bind(batch);
  if (!status.ok()) return status;
  if (is_plain_) {
    status = ForEachPlain(take);
  } else {
    std::string reason;
    for (int64_t row = 0; row < length_ && status.ok(); ++row) {
      Slice key;
      Slice value;
      if (!MakeRow(row, &key, &value, &reason)) return RowError(row, reason);
      status = take(key, value);
    }
  }
  rows_ += static_cast<uint64_t>(length_);
  return status;
}

}  // namespace ashlar::python

#endif  // ASHLAR_PYTHON_SRC_ROW_MAKER_H_
