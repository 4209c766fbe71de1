// TableOutput: where the rows of `build` and `rewrite` go.
//
// One table (TableSink), or as many as --target_file_size makes of it
// (TableSet). set_commit.cc says when a set appears.
#ifndef ASHLAR_TOOLS_ASHLAR_OUTPUTS_TABLE_OUTPUT_H_
#define ASHLAR_TOOLS_ASHLAR_OUTPUTS_TABLE_OUTPUT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ashlar/table/options.h"
#include "ashlar/table/table_properties.h"
#include "ashlar/util/result.h"
#include "ashlar/util/status.h"
#include "tools/ashlar/rows/row.h"

namespace ashlar::tool {

// What takes rows in order; InvalidArgument for one that it refuses.
class RowSink {
 public:
  RowSink() = default;
  RowSink(const RowSink&) = delete;
  RowSink& operator=(const RowSink&) = delete;
  virtual ~RowSink();

  virtual Status Add(const Row& row) = 0;
};

struct SinkOptions {
  std::string path;
  bool overwrite = false;
  // For ingestion: user keys, sequence number 0.
  bool external = true;
  // With build.target_file_size: as many files as that makes.
  TableOptions table;
  BuildOptions build;
};

// A table, in words and numbers.
struct MadeTable {
  std::string path;
  uint64_t entries = 0;
  uint64_t raw_key_bytes = 0;
  uint64_t raw_value_bytes = 0;
  uint64_t data_blocks = 0;
  uint64_t file_bytes = 0;
  uint32_t file_checksum = 0;
  // User keys. The largest is the end of a range deletion, which does not
  // belong to it, where that is exclusive. Of sets only.
  std::string smallest;
  std::string largest;
  bool largest_is_exclusive = false;
};

class TableOutput : public RowSink {
 public:
  // TableSink or TableSet. A set takes range deletions before all else.
  static Result<std::unique_ptr<TableOutput>> Create(
      const SinkOptions& options);

  // Whether the names may be written: output_path.h. Before that, what killed
  // runs left beside them is named, or with --clean removed.
  static Status CheckIsFree(const SinkOptions& options,
                            const std::vector<std::string>& inputs);

  virtual Status Finish() = 0;
  // Finished: of the first table, and of all.
  virtual const TableProperties& properties() const = 0;
  virtual std::vector<MadeTable> tables() const = 0;
  // Of a set; else empty.
  virtual std::string manifest() const { return {}; }
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_OUTPUTS_TABLE_OUTPUT_H_
