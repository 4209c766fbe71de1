// SetSink: writes rows into several tables of about equal size, whose ranges of
// user keys do not overlap, and a manifest that lists them.
//
// --out=t.sst gives t-000001.sst, t-000002.sst and so on, and t-manifest.json.
// The library's TableSet makes them appear together (table/table_set.h). With
// --overwrite the new tables have new numbers. All versions of one user key are
// in one table. Range deletions are cut at the boundaries of tables. For one
// thread at a time.
#ifndef ASHLAR_TOOLS_ASHLAR_OUTPUTS_SET_SINK_H_
#define ASHLAR_TOOLS_ASHLAR_OUTPUTS_SET_SINK_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ashlar/table/range_deletion_pieces.h"
#include "ashlar/table/table_set.h"
#include "tools/ashlar/outputs/table_output.h"
#include "tools/ashlar/outputs/table_sink.h"

namespace ashlar::tool {

// The options of the set that flags and `options` describe.
TableSetOptions SetOptionsFrom(const SinkOptions& options);

// Checks all names that a set may have, as CheckIsFree of output_path.h does.
// Before that, completes, reports or removes what earlier runs over the set
// left.
Status CheckSetIsFree(const SinkOptions& options,
                      const std::vector<std::string>& inputs);

class SetSink final : public TableOutput {
 public:
  static Result<std::unique_ptr<SetSink>> Create(const SinkOptions& options);

  // Adds a row. Range deletions must come before all other rows, and may come
  // in any order among themselves.
  Status Add(const Row& row) override;
  Status Finish() override;
  const TableProperties& properties() const override {
    return first_properties_;
  }
  std::vector<MadeTable> tables() const override { return tables_; }
  std::string manifest() const override { return set_->manifest(); }

 private:
  explicit SetSink(const SinkOptions& options);

  Status AddRangeDeletion(const Row& row);
  bool MustCut(const Row& row);
  bool IsBehind(const Row& row) const;
  Status Begin();
  // Ends the current table. `next` is the first key of the next table, or null
  // if there is none.
  Status End(const Slice* next);

  SinkOptions options_;
  // Must be declared before sink_, so that it is destroyed after it: the sink
  // writes to a file of the set.
  std::unique_ptr<TableSet> set_;
  RangeDeletionPieces deletions_;
  std::unique_ptr<TableSink> sink_;
  MadeTable current_;
  bool has_entries_ = false;
  uint64_t bytes_since_look_ = 0;
  bool is_full_ = false;
  TableProperties first_properties_;
  std::vector<MadeTable> tables_;
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_OUTPUTS_SET_SINK_H_
