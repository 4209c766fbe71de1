// CompactionFiles: the files that a compaction writes: one table, or with
// --target_file_size a set of them (table/table_set.h).
//
// They appear when Commit returns ok: before that, and after an error, nothing
// of them is left. As CompactTables calls it: parts of the compaction make one
// call at a time.
#ifndef ASHLAR_TOOLS_ASHLAR_OUTPUTS_COMPACTION_FILES_H_
#define ASHLAR_TOOLS_ASHLAR_OUTPUTS_COMPACTION_FILES_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ashlar/table/compaction.h"
#include "ashlar/table/table_set.h"
#include "tools/ashlar/outputs/output_file.h"
#include "tools/ashlar/outputs/table_output.h"
#include "tools/checksummed_file.h"

namespace ashlar::tool {

class CompactionFiles final : public CompactionOutputs {
 public:
  // `warn` gets sentences about what goes wrong beside the work of a set, on
  // whichever thread that is. Builds a table without entries first, in memory,
  // so that impossible options are reported before anything is read.
  static Result<std::unique_ptr<CompactionFiles>> Create(
      const SinkOptions& options, std::function<void(std::string_view)> warn);

  Result<WritableFile*> Begin(size_t number, TableOptions* table_options,
                              BuildOptions* build_options) override;
  Status End(const CompactionOutput& output) override;
  void Drop(size_t number) override;

  // Gives the files their names. If there is no output, makes a table without
  // entries, so that there is always a file under the name that was given.
  Status Commit(const CompactionResult& result);

  // To be called after Commit: the tables in key order; the path of the
  // manifest, empty if this is not a set.
  const std::vector<MadeTable>& tables() const { return tables_; }
  std::string manifest() const;

 private:
  explicit CompactionFiles(const SinkOptions& options) : options_(options) {}
  Status MakeEmptyTable();

  const SinkOptions options_;
  // Either a set, or one file.
  std::unique_ptr<TableSet> set_;
  std::unique_ptr<OutputFile> file_;
  std::unique_ptr<ChecksummedFile> checksummed_;  // writes to file_
  std::map<size_t, MadeTable> ended_;             // by number
  std::vector<MadeTable> tables_;
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_OUTPUTS_COMPACTION_FILES_H_
