// TableSink: writes rows into one table, either for ingestion or with internal
// keys.
#ifndef ASHLAR_TOOLS_ASHLAR_OUTPUTS_TABLE_SINK_H_
#define ASHLAR_TOOLS_ASHLAR_OUTPUTS_TABLE_SINK_H_

#include <memory>
#include <string>
#include <vector>

#include "ashlar/table/external_file_writer.h"
#include "ashlar/table/table_builder.h"
#include "ashlar/util/status.h"
#include "tools/ashlar/outputs/output_file.h"
#include "tools/ashlar/outputs/table_output.h"
#include "tools/checksummed_file.h"
#include "tools/columns/row.h"

namespace ashlar::tool {

// Returns InvalidArgument if the file is for ingestion and the row's sequence
// number is not 0.
Status CheckSequence(const SinkOptions& options, const Row& row);

class TableSink final : public TableOutput {
 public:
  // Writes to `file`, which must outlive this, or if it is null to the file
  // options.path, which Finish gives its name.
  static Result<std::unique_ptr<TableSink>> Create(
      const SinkOptions& options, WritableFile* file = nullptr);

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
  // Both null if the file is another's.
  std::unique_ptr<OutputFile> file_;
  std::unique_ptr<ChecksummedFile> checksummed_;  // writes to file_
  // Exactly one of these is not null.
  std::unique_ptr<ExternalFileWriter> external_;
  std::unique_ptr<TableBuilder> builder_;
  size_t timestamp_size_ = 0;  // used with external_ only
  std::string internal_key_;
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_OUTPUTS_TABLE_SINK_H_
