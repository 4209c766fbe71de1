// DryRunOutput: makes a table as TableSink does, and writes it nowhere, for
// --dry_run. Every check of a real build happens, and all sizes are those that
// one table would have.
#ifndef ASHLAR_TOOLS_ASHLAR_OUTPUTS_DRY_RUN_H_
#define ASHLAR_TOOLS_ASHLAR_OUTPUTS_DRY_RUN_H_

#include <memory>
#include <vector>

#include "ashlar/util/file.h"
#include "tools/ashlar/outputs/table_output.h"
#include "tools/ashlar/outputs/table_sink.h"

namespace ashlar::tool {

class DryRunOutput final : public TableOutput {
 public:
  static Result<std::unique_ptr<DryRunOutput>> Create(
      const SinkOptions& options);

  Status Add(const Row& row) override { return sink_->Add(row); }
  Status Finish() override { return sink_->Finish(); }
  const TableProperties& properties() const override {
    return sink_->properties();
  }
  std::vector<MadeTable> tables() const override { return sink_->tables(); }

 private:
  std::unique_ptr<WritableFile> nowhere_;
  std::unique_ptr<TableSink> sink_;
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_OUTPUTS_DRY_RUN_H_
