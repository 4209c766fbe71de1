// InspectTable: the public call of the Inspector.

#include "ashlar/table/inspect.h"

#include "table/inspect/inspector.h"
#include "util/mem/memory_limit.h"

namespace ashlar {

Status InspectTable(const RandomAccessFile& file, const InspectOptions& options,
                    TableInspection* inspection) {
  *inspection = TableInspection();
  const Status status = internal::OrMemoryLimit(
      [&] { return internal::Inspector(file, options, inspection).Run(); });
  return status.IsMemoryLimit() ? status.WithPrefix(file.name()) : status;
}

}  // namespace ashlar
