// TrialTable: builds a table again with other options, and reads it back.
//
// It is built like any other table, with as little of it in memory, into a
// scratch file that disappears. For one thread at a time.
#ifndef ASHLAR_TOOLS_ASHLAR_MEASURE_TRIAL_TABLE_H_
#define ASHLAR_TOOLS_ASHLAR_MEASURE_TRIAL_TABLE_H_

#include <memory>

#include "ashlar/table/options.h"
#include "ashlar/table/table_builder.h"
#include "ashlar/table/table_reader.h"
#include "ashlar/util/scratch_file.h"
#include "ashlar/util/status.h"
#include "ashlar/util/worker_pool.h"
#include "tools/ashlar/print/progress.h"
#include "tools/ashlar/print/stopwatch.h"

namespace ashlar::tool {

class TrialTable {
 public:
  // Copies everything in `input`. Both must outlive this.
  TrialTable(const TableReader& input, Progress* progress)
      : input_(input), progress_(progress) {}

  // Each of these is called once, in this order, and is a part of the progress.
  // They return Aborted if the user interrupts.
  Status Write(const TableOptions& options, const BuildOptions& build);
  // Reads every entry. Workers of the pool help; it may be null.
  Status ReadBack(WorkerPool* pool);
  // Compares the stored entries with those of the input, one by one.
  Status Compare() const;

  // Valid after Write.
  const TableProperties& made() const { return made_; }
  Elapsed write() const { return write_; }
  Elapsed read() const { return read_; }

 private:
  void ShowPartIsDone() const;

  const TableReader& input_;
  Progress* const progress_;
  std::unique_ptr<ScratchFile> scratch_;
  std::unique_ptr<TableReader> table_;  // what was read back
  TableProperties made_;
  Elapsed write_;
  Elapsed read_;
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_MEASURE_TRIAL_TABLE_H_
