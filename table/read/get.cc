#include "table/read/get.h"

#include "table/read/point_read.h"

namespace ashlar::internal {

Status RunGet(const OpenedTable& table, const ReadOptions& options,
              const Slice& user_key, SequenceNumber snapshot,
              const MergeOperandCallback& on_operand, GetResult* result) {
  return RunPointRead<PointReadKind::kGet>(
      {table, options, user_key, snapshot, &on_operand}, result);
}

}  // namespace ashlar::internal
