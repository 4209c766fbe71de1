#include "tools/ashlar/outputs/dry_run.h"

#include <string>
#include <utility>

namespace ashlar::tool {
namespace {

// Takes bytes, and keeps none.
class NowhereFile final : public WritableFile {
 public:
  Status Append(const Slice& /*data*/) override { return {}; }
  Status Sync() override { return {}; }
  Status Close() override { return {}; }
  std::string name() const override { return "the table of the dry run"; }
};

}  // namespace

Result<std::unique_ptr<DryRunOutput>> DryRunOutput::Create(
    const SinkOptions& options) {
  auto output = std::make_unique<DryRunOutput>();
  output->nowhere_ = std::make_unique<NowhereFile>();
  auto sink = TableSink::Create(options, output->nowhere_.get());
  if (!sink.ok()) return sink.status();
  output->sink_ = std::move(sink).value();
  return output;
}

}  // namespace ashlar::tool
