#include "tools/ashlar/outputs/table_output.h"

#include <utility>

#include "tools/ashlar/outputs/dry_run.h"
#include "tools/ashlar/outputs/output_file.h"
#include "tools/ashlar/outputs/output_path.h"
#include "tools/ashlar/outputs/set_sink.h"
#include "tools/ashlar/outputs/table_sink.h"

namespace ashlar::tool {
namespace {

template <typename Made>
Result<std::unique_ptr<TableOutput>> AsOutput(
    Result<std::unique_ptr<Made>> made) {
  if (!made.ok()) return made.status();
  return std::unique_ptr<TableOutput>(std::move(made).value());
}

}  // namespace

RowSink::~RowSink() = default;

Result<std::unique_ptr<TableOutput>> TableOutput::Create(
    const SinkOptions& options) {
  if (options.dry_run) return AsOutput(DryRunOutput::Create(options));
  return options.build.target_file_size == 0
             ? AsOutput(TableSink::Create(options))
             : AsOutput(SetSink::Create(options));
}

Status TableOutput::CheckIsFree(const SinkOptions& options,
                                const std::vector<std::string>& inputs) {
  if (options.dry_run) return Status();
  WarnOfLeftFiles(options.path);
  return options.build.target_file_size == 0
             ? tool::CheckIsFree(options.path, inputs)
             : CheckSetIsFree(options, inputs);
}

}  // namespace ashlar::tool
