// RowBuild: makes tables from the rows of all inputs, for `build`.
//
// It reads the rows, keeps those of the range, sorts them if that is asked for,
// and passes them to the output. To be run once, by one thread.
#ifndef ASHLAR_TOOLS_ASHLAR_COMMANDS_ROW_BUILD_H_
#define ASHLAR_TOOLS_ASHLAR_COMMANDS_ROW_BUILD_H_

#include <memory>
#include <string>
#include <vector>

#include "ashlar/table/entry_sorter.h"
#include "ashlar/util/status.h"
#include "tools/ashlar/inputs/workers.h"
#include "tools/ashlar/outputs/ordered_rows.h"
#include "tools/ashlar/outputs/table_output.h"
#include "tools/ashlar/print/results/results.h"
#include "tools/ashlar/rows/bad_rows.h"
#include "tools/ashlar/rows/input_rows.h"
#include "tools/ashlar/rows/row_range.h"

namespace ashlar::tool {

class RowBuild {
 public:
  RowBuild(SinkOptions options, RowFormat format, RowRange range,
           const std::vector<std::string>& inputs);

  // Returns ok, Aborted if interrupted, or an error that error_line()
  // describes.
  Status Run();

  // The line for standard error.
  const FaultText& error_line() const { return error_line_; }
  // Returns whether an InvalidArgument is the fault of a row, and not of the
  // output.
  bool is_about_row() const { return is_about_row_; }
  // Requires: Run has returned ok.
  const TableOutput& sink() const { return *sink_; }
  RowCounts counts() const;

 private:
  Status MakeTable();
  Status Fail(const std::string& place, const Status& status);
  Status FailAt(const RowPlace& place, const Status& status);
  Status FailToSort(const Status& status);
  Status TakeRow(const Row& row);
  Status Begin(bool external);
  Status MakeSorter();
  bool MustKnowAllRanges() const;
  Status AddRow(const Row& row) { return AddRow(row, rows_.get()); }
  Status AddRow(const Row& row, OrderedRows* rows);
  Status AddToSorter(const Row& row);
  void GuessBytes();
  bool CanBeSorted(const Row& row) const;
  Status Refuse(const Row& row);
  Status AddSorted();

  SinkOptions options_;
  RowRange range_;
  Workers workers_;  // destroyed after all that uses them
  BadRows bad_rows_;
  InputRows inputs_;
  std::unique_ptr<TableOutput> sink_;
  std::unique_ptr<OrderedRows> rows_;
  std::unique_ptr<EntrySorter> sorter_;
  uint64_t sorted_bytes_ = 0;  // of the keys and values that it was given
  bool has_guessed_ = false;   // how many there will be
  // For rows that are sorted although the input must already be in order.
  std::unique_ptr<OrderCheck> check_;
  std::unique_ptr<OrderedRows> checked_rows_;
  FaultText error_line_;
  bool is_about_row_ = true;
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_COMMANDS_ROW_BUILD_H_
