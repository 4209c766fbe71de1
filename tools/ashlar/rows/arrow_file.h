// ArrowFile: a file of Arrow IPC or Parquet, read with the module
// libashlar_arrow.so, which is loaded for the first such file.
//
// For one thread at a time.
#ifndef ASHLAR_TOOLS_ASHLAR_ROWS_ARROW_FILE_H_
#define ASHLAR_TOOLS_ASHLAR_ROWS_ARROW_FILE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ashlar/util/status.h"
#include "tools/arrow/arrow_type.h"
#include "tools/arrow/module_abi.h"

namespace ashlar::tool {

class ArrowFile {
 public:
  ArrowFile() = default;
  ArrowFile(const ArrowFile&) = delete;
  ArrowFile& operator=(const ArrowFile&) = delete;
  ~ArrowFile();

  // Opens the file, or "-", standard input. A batch of Parquet is to have about
  // `batch_bytes`. Returns NotSupported if there is no module, and says how to
  // get one. All four return Corruption if the file is damaged.
  Status Open(const std::string& name, bool is_parquet, uint64_t batch_bytes);
  // Sets *schema to the names and types of the columns. The types are parsed
  // later, so that those of columns that nobody reads can be any.
  Status ReadSchema();
  const ArrowSchema& schema() const { return schema_; }
  // Begins to read these columns, which must rise.
  Status Begin(const std::vector<int>& columns);
  // Sets *batch to the next batch, until the next call; to null at the end.
  // Returns Aborted if interrupted.
  Status NextBatch(const ArrowArray** batch);

  uint64_t position() const;
  uint64_t size() const;

 private:
  Status StatusOf(int error, const char* message) const;

  std::string name_;
  AshlarArrowFile file_ = {};
  ArrowSchema schema_ = {};
  ArrowArrayStream stream_ = {};
  ArrowArray batch_ = {};
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_ROWS_ARROW_FILE_H_
