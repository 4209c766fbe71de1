#include "table/blob/embedded_blobs.h"

#include <utility>
#include <vector>

#include "ashlar/table/entry/wide_columns.h"
#include "table/load/file_gate.h"

namespace ashlar::internal {

namespace {

// Larger blobs are read to memory of their own, so that a value can be pinned
// without a copy, and the window keeps what it has read ahead.
constexpr uint64_t kMostThroughWindow = uint64_t{32} << 10;

BlockPlace PlaceOf(const BlobIndex& index) {
  return {BlockKind::kBlob, {index.offset, index.size}};
}

}  // namespace

Status EmbeddedBlobs::CheckIndex(const BlobIndex& index,
                                 const BlockPlace& place) {
  if (index.kind != BlobIndex::Kind::kBlob) {
    return place.Corruption("bad blob reference",
                            "an embedded blob has no expiration");
  }
  if (index.compression != CompressionType::kNoCompression) {
    return place.Corruption(
        "bad blob reference",
        "compression type " +
            std::to_string(static_cast<unsigned>(index.compression)) +
            ", expected 0");
  }
  return {};
}

Status EmbeddedBlobs::Read(const BlobIndex& index, const ReadOptions& options,
                           FileWindow* window, Buffer* scratch,
                           Slice* payload) const {
  const BlockPlace place = PlaceOf(index);
  Status status = CheckIndex(index, place);
  if (!status.ok()) return status;
  if (index.size > max_blob_bytes_) {
    return place.Corruption("bad blob reference",
                            "the blob is larger than the limit of " +
                                std::to_string(max_blob_bytes_) + " bytes",
                            Status::SubCode::kAboveSizeLimit);
  }
  StoredBlock stored;
  status = source_.ReadStored(place, options.verify_checksums, window, scratch,
                              &stored);
  if (status.ok()) status = BlockSource::CheckChecksum(place, stored);
  if (!status.ok()) return status;
  if (stored.compression_type != 0) {
    return place.Corruption("bad blob", "it is compressed");
  }
  *payload = stored.payload;
  return {};
}

Status EmbeddedBlobs::Resolve(const Slice& internal_key, const Slice& value,
                              const ReadOptions& options, FileWindow* window,
                              ResolvedValue* resolved) const {
  resolved->followed_ = false;
  const LimitScope limits(options);
  Status status;
  if (TypeOf(internal_key) == ValueType::kTypeWideColumnEntity) {
    status = ResolveEntity(value, options, window, resolved);
  } else if (TypeOf(internal_key) == ValueType::kTypeBlobIndex) {
    status = ResolveBlobIndex(value, options, window, resolved);
  }
  if (status.ok()) [[likely]]
    return status;
  return status.WithPrefix("value of " + DescribeInternalKey(internal_key));
}

Status EmbeddedBlobs::ResolveBlobIndex(const Slice& value,
                                       const ReadOptions& options,
                                       FileWindow* window,
                                       ResolvedValue* resolved) const {
  BlobIndex index;
  Status status = DecodeBlobIndex(value, &index);
  if (!status.ok() || !IsEmbedded(index)) return status;
  FileWindow* const through =
      index.size <= kMostThroughWindow ? window : nullptr;
  resolved->bytes_.clear();
  status = Read(index, options, through, &resolved->bytes_, &resolved->value_);
  if (!status.ok()) return status;
  resolved->type_ = ValueType::kTypeValue;
  resolved->owns_ = through == nullptr;
  resolved->followed_ = true;
  return {};
}

// An entity may refer to one blob any number of times. So the sizes are added
// up, and compared with the limit, before memory is taken.
Status EmbeddedBlobs::ResolveEntity(const Slice& entity,
                                    const ReadOptions& options,
                                    FileWindow* window,
                                    ResolvedValue* resolved) const {
  std::vector<WideColumn> columns;
  Status status = DecodeWideColumns(entity, &columns);
  if (!status.ok()) return status;
  std::vector<std::pair<size_t, BlobIndex>> references;
  uint64_t bytes = 0;
  for (size_t i = 0; i < columns.size(); ++i) {
    if (!columns[i].is_blob_index) continue;
    BlobIndex index;
    status = DecodeBlobIndex(columns[i].value, &index);
    if (status.ok() && !IsEmbedded(index)) continue;
    if (status.ok()) status = source_.CheckPlace(PlaceOf(index));
    if (!status.ok()) return status;
    if (index.size > max_blob_bytes_ - bytes) {
      return Status::Corruption(
          "bad wide-column entity: the blobs of its columns are together "
          "larger than the limit of " +
              std::to_string(max_blob_bytes_) + " bytes",
          Status::SubCode::kAboveSizeLimit);
    }
    bytes += index.size;
    references.emplace_back(i, index);
  }
  if (references.empty()) return {};
  Buffer& all = resolved->bytes_;
  all.clear();
  // Columns point into it, so it must not grow.
  all.Reserve(static_cast<size_t>(bytes));
  Buffer scratch;
  for (const auto& [i, index] : references) {
    Slice payload;
    status = Read(index, options,
                  index.size <= kMostThroughWindow ? window : nullptr, &scratch,
                  &payload);
    if (!status.ok()) return status;
    const char* const begin = all.end();
    all.Append(payload);
    columns[i].value = Slice(begin, payload.size());
    columns[i].is_blob_index = false;
  }
  status = EncodeWideColumns(std::move(columns), &resolved->entity_);
  // The columns were decoded, so only their sizes can be wrong.
  if (!status.ok()) return Status::Corruption(std::string(status.message()));
  resolved->type_ = ValueType::kTypeWideColumnEntity;
  resolved->value_ = resolved->entity_;
  resolved->owns_ = true;
  resolved->followed_ = true;
  return {};
}

}  // namespace ashlar::internal
