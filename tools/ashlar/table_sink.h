// TableSink: where the rows of `build` go: a table for ingestion, or one with
// internal keys. The file appears under its name only when Finish is ok.
#ifndef ASHLAR_TOOLS_ASHLAR_TABLE_SINK_H_
#define ASHLAR_TOOLS_ASHLAR_TABLE_SINK_H_

#include <memory>
#include <string>

#include "table/external_file_writer.h"
#include "table/options.h"
#include "table/table_builder.h"
#include "tools/ashlar/row.h"
#include "util/file.h"
#include "util/status.h"

namespace ashlar::tool {

struct SinkOptions {
  std::string path;
  bool overwrite = false;
  // For ingestion: user keys, sequence number 0.
  bool external = true;
  TableOptions table;
  BuildOptions build;
};

class TableSink {
 public:
  static Result<std::unique_ptr<TableSink>> Create(const SinkOptions& options);

  Status Add(const Row& row);
  Status Finish();
  const TableProperties& properties() const;
  uint64_t FileSize() const;

 private:
  TableSink() = default;
  Status AddExternal(const Row& row);

  // Either the first, or the two others.
  std::unique_ptr<ExternalFileWriter> external_;
  std::unique_ptr<AtomicFile> file_;
  std::unique_ptr<TableBuilder> builder_;
  std::string internal_key_;
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_TABLE_SINK_H_
