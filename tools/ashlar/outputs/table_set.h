// TableSet: rows cut into tables of about one size, whose ranges of user keys
// do not meet, and a manifest that lists them.
//
// --out=t.sst gives t-000001.sst, t-000002.sst and so on, and t-manifest.json.
// They are made in a folder of their own beside these (run_folder.h) and become
// the set when all of them are whole (set_commit.h). With --overwrite the new
// tables have new numbers. Versions of one user key stay together; range
// deletions are cut where tables meet. One thread at a time.
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

  // As output_path.h's CheckIsFree, for all names that a set may have. Before
  // that, what earlier runs over the set left is finished, named or removed.
  static Status CheckIsFree(const std::string& path,
                            const std::vector<std::string>& inputs);

  // Range deletions come before all else, and may then come in any order.
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
  // Before `next`, the first key of the next table; null: there is none.
  Status End(const Slice* next);

  SinkOptions options_;
  const SetNames names_;
  // Goes after the sink, which has a file in it.
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
