// The part of the Inspector that checks values which the file stores itself.
//
//   payload, type byte 0, checksum: like a block, among the data blocks
//
// An entry refers to one by a blob index of file 0, and an entity by a column
// that is such a blob index.

#include <set>
#include <utility>

#include "ashlar/table/entry/blob_index.h"
#include "ashlar/table/entry/wide_columns.h"
#include "table/inspect/inspector.h"

namespace ashlar::internal {

Status Inspector::TakeBlobs(const Slice& internal_key, const Slice& value,
                            size_t data_block, Walk* walk) {
  if (TypeOf(internal_key) == ValueType::kTypeBlobIndex) {
    return TakeBlob(value, data_block, walk);
  }
  if (TypeOf(internal_key) != ValueType::kTypeWideColumnEntity) return {};
  std::vector<WideColumn> columns;
  Status status = DecodeWideColumns(value, &columns);
  for (size_t i = 0; status.ok() && i < columns.size(); ++i) {
    if (columns[i].is_blob_index) {
      status = TakeBlob(columns[i].value, data_block, walk);
    }
  }
  return status;
}

Status Inspector::TakeBlob(const Slice& blob_index, size_t data_block,
                           Walk* walk) {
  BlobIndex blob;
  Status status = DecodeBlobIndex(blob_index, &blob);
  if (status.ok() && blob.kind != BlobIndex::Kind::kInlinedTtl &&
      blob.file_number == 0) {
    walk->blobs.push_back({data_block, {blob.offset, blob.size}});
  }
  return status;
}

// Checks each blob once, although several entries may refer to it.
Status Inspector::InspectBlobs() {
  const std::vector<FoundBlob>& blobs = walk_.blobs;
  std::set<std::pair<uint64_t, uint64_t>> seen;
  BeginStep();
  for (size_t i = 0; i < blobs.size(); ++i) {
    const BlockHandle& handle = blobs[i].handle;
    const size_t before = seen.size();
    // Mostly their offsets ascend.
    seen.emplace_hint(seen.end(), handle.offset, handle.size);
    if (seen.size() == before) continue;
    if (!GoesOnToBlock(i, found_->file_size)) return GivenUp();
    const BlockPlace place{BlockKind::kBlob, handle, before};
    BlockInfo info;
    Slice contents;
    if (Read(place, &info, &contents) && info.compression_type != 0) {
      info.status = place.Corruption("bad blob", "it is compressed");
    }
    Keep(std::move(info));
  }
  return {};
}

}  // namespace ashlar::internal
