// The public face of the Inspector.

#include "table/dump.h"

#include "table/dump/inspector.h"

namespace ashlar {

Status InspectTable(const RandomAccessFile& file, const InspectOptions& options,
                    TableInspection* inspection) {
  *inspection = TableInspection();
  return internal::Inspector(file, options, inspection).Run();
}

}  // namespace ashlar
