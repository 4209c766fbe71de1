#include "table/write/blob_embedder.h"

namespace ashlar::internal {

Status BlobEmbedder::Embed(uint64_t tail, bool whole, Slice* value) {
  constexpr auto kEntity =
      static_cast<uint64_t>(ValueType::kTypeWideColumnEntity);
  if ((tail & kTypeMask) == kEntity) return EmbedColumns(value);
  if (!whole) return {};
  stored_.clear();
  Status status = Append(*value, &stored_);
  *value = stored_;
  return status;
}

Status BlobEmbedder::EmbedColumns(Slice* entity) {
  // What is no entity is stored as it is, as without blobs.
  if (!DecodeWideColumns(*entity, &columns_).ok()) return {};
  references_.resize(columns_.size());
  bool any = false;
  for (size_t i = 0; i < columns_.size(); ++i) {
    WideColumn& column = columns_[i];
    if (column.is_blob_index || column.value.size() < min_blob_size_) continue;
    references_[i].clear();
    Status status = Append(column.value, &references_[i]);
    if (!status.ok()) return status;
    column.value = references_[i];
    column.is_blob_index = true;
    any = true;
  }
  if (!any) return {};
  Status status = EncodeWideColumns(columns_, &stored_);
  *entity = stored_;
  return status;
}

Status BlobEmbedder::Append(const Slice& blob, std::string* reference) {
  BlockHandle handle;
  Status status = sink_.AppendBlob(blob, &handle);
  if (!status.ok()) return status;
  ++stats_.count;
  stats_.bytes += blob.size();
  BlobIndex index;
  index.offset = handle.offset;
  index.size = handle.size;
  AppendBlobIndex(index, reference);
  return {};
}

}  // namespace ashlar::internal
