#include "tools/ashlar/inputs/embedded_references.h"

#include <vector>

#include "ashlar/table/entry/wide_columns.h"
#include "ashlar/table/internal_key.h"
#include "tools/memory_limit.h"

namespace ashlar::tool {

void ForEachEmbeddedReference(
    const Slice& internal_key, const Slice& value,
    const std::function<void(const BlobIndex&)>& visit) {
  const auto look = [&visit](const Slice& reference) {
    BlobIndex index;
    if (!IsOkOrThrow(DecodeBlobIndex(reference, &index))) return;
    if (index.kind == BlobIndex::Kind::kInlinedTtl) return;
    if (index.file_number == 0) visit(index);
  };
  if (TypeOf(internal_key) == ValueType::kTypeBlobIndex) look(value);
  if (TypeOf(internal_key) != ValueType::kTypeWideColumnEntity) return;
  std::vector<WideColumn> columns;
  if (!IsOkOrThrow(DecodeWideColumns(value, &columns))) return;
  for (const WideColumn& column : columns) {
    if (column.is_blob_index) look(column.value);
  }
}

}  // namespace ashlar::tool
