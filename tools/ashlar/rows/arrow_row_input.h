// ArrowRowInput: the rows of one input of Arrow IPC or Parquet. The line of a
// row's place is the number of the row, from 1.
//
// For one thread at a time.
#ifndef ASHLAR_TOOLS_ASHLAR_ROWS_ARROW_ROW_INPUT_H_
#define ASHLAR_TOOLS_ASHLAR_ROWS_ARROW_ROW_INPUT_H_

#include <cstdint>
#include <string>

#include "tools/ashlar/rows/arrow_file.h"
#include "tools/ashlar/rows/bad_rows.h"
#include "tools/ashlar/rows/row_format.h"
#include "tools/ashlar/rows/row_input.h"
#include "tools/columns/arrow_columns.h"

namespace ashlar::tool {

class ArrowRowInput : public RowInput {
 public:
  // What this refers to must outlive it. Rows keep pointers to the name.
  ArrowRowInput(const std::string* name, const RowFormat* format,
                BadRows* bad_rows)
      : name_(name),
        format_(format),
        bad_rows_(bad_rows),
        columns_(&format->columns) {}

  Status Open(FaultText* error_line) override;
  Status Next(FaultText* error_line) override;
  uint64_t position() const override { return file_.position(); }
  uint64_t size() const override { return file_.size(); }

 private:
  // Moves to the next batch, or to the end.
  Status TakeBatch(FaultText* error_line);
  Status Fail(const Status& status, FaultText* error_line) const;

  const std::string* const name_;
  const RowFormat* const format_;
  BadRows* const bad_rows_;
  ArrowFile file_;
  ArrowColumns columns_;
  Row made_;
  int64_t next_ = 0;  // in the batch
  uint64_t rows_ = 0;
  bool at_end_ = false;
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_ROWS_ARROW_ROW_INPUT_H_
