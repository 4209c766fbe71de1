// TrialTable: what a table would be with other options, built and read back.
//
// It is built as any other, with as little of it in memory, into a scratch file
// that nothing is left of. One thread at a time.
#ifndef ASHLAR_TOOLS_ASHLAR_MEASURE_TRIAL_TABLE_H_
#define ASHLAR_TOOLS_ASHLAR_MEASURE_TRIAL_TABLE_H_

#include <memory>
#include <string>
#include <utility>

#include "ashlar/table/options.h"
#include "ashlar/table/table_builder.h"
#include "ashlar/table/table_reader.h"
#include "ashlar/util/status.h"
#include "ashlar/util/worker_pool.h"
#include "tools/ashlar/print/stopwatch.h"
#include "tools/ashlar/rows/scratch_file.h"

namespace ashlar::tool {

class TrialTable {
 public:
  // Of all that `input` holds, which must outlive this; `path` is shown with
  // the progress.
  TrialTable(const TableReader& input, std::string path)
      : input_(input), path_(std::move(path)) {}

  // Each is called once, in this order. Aborted when the user interrupts.
  Status Write(const TableOptions& options, const BuildOptions& build);
  // Every entry; workers of the pool help, which may be null.
  Status ReadBack(WorkerPool* pool);
  // Entry by entry with the input, as stored.
  Status Compare() const;

  // Once it is written.
  const TableProperties& made() const { return made_; }
  Elapsed write() const { return write_; }
  Elapsed read() const { return read_; }

 private:
  const TableReader& input_;
  const std::string path_;
  std::unique_ptr<ScratchFile> scratch_;
  std::unique_ptr<TableReader> table_;  // what was read back
  TableProperties made_;
  Elapsed write_;
  Elapsed read_;
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_MEASURE_TRIAL_TABLE_H_
