#include "table/read/visit_versions.h"

#include "table/read/point_read.h"

namespace ashlar::internal {

Status RunVisit(const OpenedTable& table, const ReadOptions& options,
                const Slice& user_key, SequenceNumber snapshot,
                const VersionCallback& visit, GetResult* counted) {
  return RunPointRead<PointReadKind::kVisit>(
      {table, options, user_key, snapshot, nullptr, &visit}, counted);
}

}  // namespace ashlar::internal
