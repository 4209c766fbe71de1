// TableOutput: takes the rows of `build` and `rewrite`, and writes them as
// tables.
//
// It writes one table (TableSink), or with --target_file_size as many as are
// needed (SetSink). table/table_set.h says when a set becomes visible.
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
#include "ashlar/util/writable_file_options.h"
#include "tools/columns/row.h"

namespace ashlar::tool {

// Takes rows in order. Add returns InvalidArgument if it refuses the row.
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
  // Makes a file for ingestion: it has user keys, and sequence number 0.
  bool external = true;
  // Makes the table, and writes it nowhere: `path` may then be empty.
  bool dry_run = false;
  // If build.target_file_size is not 0, the output is a set of tables.
  TableOptions table;
  BuildOptions build;
  // How the files of a compaction are written.
  WritableFileOptions file;
};

// What is known of a table that was written. Sizes are in bytes.
struct MadeTable {
  std::string path;
  uint64_t entries = 0;
  uint64_t raw_key_bytes = 0;
  uint64_t raw_value_bytes = 0;
  uint64_t data_blocks = 0;
  uint64_t file_bytes = 0;
  uint32_t file_checksum = 0;
  // The smallest and the largest user key; only for tables of sets. If
  // largest_is_exclusive, `largest` is the end of a range deletion, which the
  // range does not include.
  std::string smallest;
  std::string largest;
  bool largest_is_exclusive = false;
};

class TableOutput : public RowSink {
 public:
  // Returns a TableSink, a SetSink or a DryRunOutput. A SetSink takes range
  // deletions only before all other rows.
  static Result<std::unique_ptr<TableOutput>> Create(
      const SinkOptions& options);

  // Returns ok if the output's names may be written (output_path.h). Before
  // that, reports the files that killed runs left there; with --clean,
  // removes them.
  static Status CheckIsFree(const SinkOptions& options,
                            const std::vector<std::string>& inputs);

  virtual Status Finish() = 0;
  // To be called after Finish. Return the properties of the first table, and a
  // record for each table.
  virtual const TableProperties& properties() const = 0;
  virtual std::vector<MadeTable> tables() const = 0;
  // Returns the manifest's path. Empty if this is not a set.
  virtual std::string manifest() const { return {}; }
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_OUTPUTS_TABLE_OUTPUT_H_
