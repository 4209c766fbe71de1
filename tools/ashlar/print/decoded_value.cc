#include "tools/ashlar/print/decoded_value.h"

#include <vector>

#include "ashlar/table/entry/blob_index.h"
#include "ashlar/table/entry/wide_columns.h"
#include "ashlar/util/compression.h"

namespace ashlar::tool {

std::optional<std::string> DescribeBlobIndex(const Slice& value,
                                             ByteStyle style) {
  BlobIndex index;
  if (!DecodeBlobIndex(value, &index).ok()) return std::nullopt;
  std::string text;
  if (index.kind == BlobIndex::Kind::kInlinedTtl) {
    text = "[inlined blob] value:" + BytesText(index.inlined_value, style);
  } else {
    text = "[blob ref] file:" + std::to_string(index.file_number) +
           " offset:" + std::to_string(index.offset) +
           " size:" + std::to_string(index.size) + " compression: " +
           std::string(CompressionTypeName(index.compression));
  }
  if (index.kind != BlobIndex::Kind::kBlob) {
    text += " exp:" + std::to_string(index.expiration);
  }
  return text;
}

std::optional<std::string> DescribeWideColumns(const Slice& entity,
                                               ByteStyle style) {
  std::vector<WideColumn> columns;
  if (!DecodeWideColumns(entity, &columns).ok()) return std::nullopt;
  std::string text;
  for (const WideColumn& column : columns) {
    if (!text.empty()) text += ' ';
    text += BytesText(column.name, style) + ':';
    text += BytesText(column.value, style);
  }
  return text;
}

}  // namespace ashlar::tool
