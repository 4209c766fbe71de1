// TableCompaction: one compaction of `compact`, from paths to finished files.
//
// All tables are opened first, so that every file that cannot take part is
// named, and nothing is made if one cannot. Then CompactTables writes into
// CompactionFiles, which appear together at the end.
#ifndef ASHLAR_TOOLS_ASHLAR_OUTPUTS_TABLE_COMPACTION_H_
#define ASHLAR_TOOLS_ASHLAR_OUTPUTS_TABLE_COMPACTION_H_

#include <pthread.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ashlar/table/compaction.h"
#include "ashlar/table/compaction_progress.h"
#include "ashlar/util/worker_pool.h"
#include "tools/ashlar/inputs/aged_tables.h"
#include "tools/ashlar/inputs/workers.h"
#include "tools/ashlar/outputs/compaction_files.h"
#include "tools/ashlar/outputs/compaction_flags.h"
#include "tools/ashlar/outputs/table_output.h"
#include "tools/ashlar/print/progress.h"

namespace ashlar::tool {

// What the parts of a compaction, each on a thread of its own, have to do with
// signals and the terminal. Every thread looks whether there was a signal; only
// the one that made this object prints.
class CompactionWatch {
 public:
  CompactionWatch();

  CompactionProgress* progress() { return &progress_; }
  // Called by each part whenever it has taken a few KiB. Shows the progress of
  // all. After a signal, cancels all and returns false. Any number of threads.
  bool GoOn();
  // Prints a warning of CompactionFiles: on another thread it is kept until
  // EndProgress. One call at a time, as those of CompactionFiles.
  void Warn(std::string_view text);
  // To be called when no part runs. No progress is shown from now on.
  void EndProgress();

 private:
  bool IsOnMyThread() const {
    return pthread_equal(thread_, pthread_self()) != 0;
  }

  const pthread_t thread_ = pthread_self();
  CompactionProgress progress_;
  std::optional<Progress> shown_;
  std::vector<std::string> warnings_;
};

// For one thread.
class TableCompaction {
 public:
  // `line` must outlive this.
  TableCompaction(const CommandLine& line, SinkOptions sink,
                  CompactionFlags flags);

  // Opens all inputs, the oldest first. Returns whether all can take part.
  bool Open(const std::vector<Input>& inputs);
  // Reads which keys the tables of --deeper have. Returns what is wrong with
  // one. Requires: Open has returned true.
  Status OpenDeeper();
  // Returns Aborted if interrupted, or what went wrong; no new file is then
  // left. Requires: Open has returned true.
  Status Run();

  const std::vector<AgedTable>& tables() const { return tables_; }
  // Requires: Run has returned ok.
  const CompactionResult& result() const { return result_; }
  const CompactionFiles& files() const { return *files_; }

 private:
  void SetOrigin(bool keeps_time);
  Status SetDeeper();
  Status Compact();
  Status ExplainOperand(const Status& status) const;

  const CommandLine& line_;
  SinkOptions sink_;
  const CompactionFlags flags_;
  std::vector<AgedTable> tables_;
  Workers workers_;
  WorkerPool no_workers_{0};
  CompactionOptions options_;
  std::vector<std::vector<FileRange>> deeper_;
  std::optional<CompactionWatch> watch_;
  // Must be declared after watch_, which gets its warnings.
  std::unique_ptr<CompactionFiles> files_;
  CompactionResult result_;
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_OUTPUTS_TABLE_COMPACTION_H_
