// TableSet: writes rows into several tables of about equal size, whose ranges
// of user keys do not overlap, and a manifest that lists them.
//
// --out=t.sst gives t-000001.sst, t-000002.sst and so on, and t-manifest.json.
// The tables are written in a run folder next to these (run_folder.h), and
// become the set when all of them are complete (set_commit.h). With --overwrite
// the new tables have new numbers. All versions of one user key are in one
// table. Range deletions are cut at the boundaries of tables. For one thread at
// a time.
#ifndef ASHLAR_TOOLS_ASHLAR_OUTPUTS_TABLE_SET_H_
#define ASHLAR_TOOLS_ASHLAR_OUTPUTS_TABLE_SET_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tools/ashlar/outputs/range_pieces.h"
#include "tools/ashlar/outputs/run_folder.h"
#include "tools/ashlar/outputs/set_names.h"
#include "tools/ashlar/outputs/table_output.h"
#include "tools/ashlar/outputs/table_sink.h"

namespace ashlar::tool {

class TableSet final : public TableOutput {
 public:
  static Result<std::unique_ptr<TableSet>> Create(const SinkOptions& options);

  // Checks all names that a set may have, as CheckIsFree of output_path.h does.
  // Before that, completes, reports or removes what earlier runs over the set
  // left (set_recovery.h).
  static Status CheckIsFree(const std::string& path,
                            const std::vector<std::string>& inputs);

  // Adds a row. Range deletions must come before all other rows, and may come
  // in any order among themselves.
  Status Add(const Row& row) override;
  Status Finish() override;
  const TableProperties& properties() const override {
    return first_properties_;
  }
  std::vector<MadeTable> tables() const override { return tables_; }
  std::string manifest() const override;

 private:
  explicit TableSet(const SinkOptions& options);

  bool MustCut(const Row& row);
  bool IsBehind(const Row& row) const;
  Status Begin();
  // Ends the current table. `next` is the first key of the next table, or null
  // if there is none.
  Status End(const Slice* next);

  SinkOptions options_;
  const SetNames names_;
  // Must be declared before sink_, so that it is destroyed after it: the sink
  // has a file in the folder.
  std::unique_ptr<RunFolder> folder_;
  RangePieces deletions_;
  std::unique_ptr<TableSink> sink_;
  MadeTable current_;
  bool has_entries_ = false;
  uint64_t bytes_since_look_ = 0;
  bool is_full_ = false;
  TableProperties first_properties_;
  std::vector<MadeTable> tables_;
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_OUTPUTS_TABLE_SET_H_
