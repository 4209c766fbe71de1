#include "table/inspect/embedded_blobs.h"

#include <set>
#include <utility>

#include "ashlar/table/entry/blob_index.h"
#include "ashlar/table/entry/wide_columns.h"

namespace ashlar::internal {

namespace {

Status AddBlob(const Slice& blob_index, size_t data_block,
               std::vector<FoundBlob>* blobs) {
  BlobIndex blob;
  Status status = DecodeBlobIndex(blob_index, &blob);
  if (status.ok() && blob.kind != BlobIndex::Kind::kInlinedTtl &&
      blob.file_number == 0) {
    blobs->push_back({data_block, {blob.offset, blob.size}});
  }
  return status;
}

}  // namespace

Status AddBlobsOf(const Slice& internal_key, const Slice& value,
                  size_t data_block, std::vector<FoundBlob>* blobs) {
  if (TypeOf(internal_key) == ValueType::kTypeBlobIndex) {
    return AddBlob(value, data_block, blobs);
  }
  if (TypeOf(internal_key) != ValueType::kTypeWideColumnEntity) return {};
  std::vector<WideColumn> columns;
  Status status = DecodeWideColumns(value, &columns);
  for (size_t i = 0; status.ok() && i < columns.size(); ++i) {
    if (columns[i].is_blob_index) {
      status = AddBlob(columns[i].value, data_block, blobs);
    }
  }
  return status;
}

Status InspectBlobs(const std::vector<FoundBlob>& blobs, PassReads* reads,
                    Findings* findings) {
  std::set<std::pair<uint64_t, uint64_t>> seen;
  reads->BeginStep();
  for (size_t i = 0; i < blobs.size(); ++i) {
    const BlockHandle& handle = blobs[i].handle;
    const size_t before = seen.size();
    // Mostly their offsets ascend.
    seen.emplace_hint(seen.end(), handle.offset, handle.size);
    if (seen.size() == before) continue;
    if (!reads->GoesOnToBlock(i, findings->inspection().file_size)) {
      return findings->GivenUp();
    }
    const BlockPlace place{BlockKind::kBlob, handle, before};
    BlockInfo info;
    Slice contents;
    if (reads->Read(place, &info, &contents) && info.compression_type != 0) {
      info.status = place.Corruption("bad blob", "it is compressed");
    }
    findings->Keep(std::move(info));
  }
  return {};
}

}  // namespace ashlar::internal
