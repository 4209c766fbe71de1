// TableSink: rows become one table, for ingestion or with internal keys.
#ifndef ASHLAR_TOOLS_ASHLAR_OUTPUTS_TABLE_SINK_H_
#define ASHLAR_TOOLS_ASHLAR_OUTPUTS_TABLE_SINK_H_

#include <memory>
#include <string>
#include <vector>

#include "ashlar/table/external_file_writer.h"
#include "ashlar/table/table_builder.h"
#include "ashlar/util/status.h"
#include "tools/ashlar/outputs/checksummed_file.h"
#include "tools/ashlar/outputs/output_file.h"
#include "tools/ashlar/outputs/table_output.h"
#include "tools/ashlar/rows/row.h"

namespace ashlar::tool {

// In a file for ingestion all sequence numbers are 0; InvalidArgument.
Status CheckSequence(const SinkOptions& options, const Row& row);

class TableSink final : public TableOutput {
 public:
  static Result<std::unique_ptr<TableSink>> Create(const SinkOptions& options);

  Status Add(const Row& row) override;
  Status Finish() override;
  const TableProperties& properties() const override;
  std::vector<MadeTable> tables() const override;
  uint64_t EstimatedFileSize() const;

 private:
  TableSink() = default;
  Status AddExternal(const Row& row);
  Status DeleteAt(const Slice& key);

  std::string path_;
  std::unique_ptr<OutputFile> file_;
  std::unique_ptr<ChecksummedFile> checksummed_;  // in front of file_
  // One of the two.
  std::unique_ptr<ExternalFileWriter> external_;
  std::unique_ptr<TableBuilder> builder_;
  size_t timestamp_size_ = 0;  // of an external one
  std::string internal_key_;
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_OUTPUTS_TABLE_SINK_H_
