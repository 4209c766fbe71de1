#include "table/inspect/embedded_blobs.h"

#include <algorithm>
#include <utility>

#include "ashlar/table/entry/blob_index.h"
#include "ashlar/table/entry/wide_columns.h"
#include "table/block/block.h"
#include "util/mem/memory_limit.h"

namespace ashlar::internal {

namespace {

auto PlaceInFile(const FoundBlob& blob) {
  return std::pair(blob.handle.offset, blob.handle.size);
}

}  // namespace

Status FoundBlobs::AddIndex(const Slice& blob_index, size_t data_block,
                            uint64_t* bytes) {
  BlobIndex index;
  Status status = DecodeBlobIndex(blob_index, &index);
  if (!status.ok() || !EmbeddedBlobs::IsEmbedded(index)) return status;
  const BlockHandle handle{index.offset, index.size};
  const BlockPlace place{BlockKind::kBlob, handle};
  status = EmbeddedBlobs::CheckIndex(index, place);
  if (!status.ok()) return status;
  if (!handle.FitsBelow(limit_)) {
    return place.Corruption(
        "bad blob reference",
        "the blob is expected to end by " + std::to_string(limit_));
  }
  Add({data_block, handle});
  if (handle.size > max_bytes_ - *bytes) {
    return place.Corruption("bad blob reference",
                            "the blobs of the entry are larger than the limit "
                            "of " +
                                std::to_string(max_bytes_) + " bytes",
                            Status::SubCode::kAboveSizeLimit);
  }
  *bytes += handle.size;
  return {};
}

Status FoundBlobs::AddOf(const Slice& internal_key, const Slice& value,
                         size_t data_block) {
  if (TypeOf(internal_key) == ValueType::kTypeBlobIndex) {
    uint64_t bytes = 0;
    return AddIndex(value, data_block, &bytes);
  }
  if (TypeOf(internal_key) != ValueType::kTypeWideColumnEntity) return {};
  std::vector<WideColumn> columns;
  Status status = DecodeWideColumns(value, &columns);
  uint64_t bytes = 0;
  for (const WideColumn& column : columns) {
    if (!column.is_blob_index) continue;
    Status added = AddIndex(column.value, data_block, &bytes);
    if (status.ok()) status = std::move(added);
  }
  return status;
}

void FoundBlobs::AddAll(const FoundBlobs& other) {
  blobs_.insert(blobs_.end(), other.blobs_.begin(), other.blobs_.end());
}

// Keeps the first block that refers to each blob.
void FoundBlobs::Compact() {
  constexpr size_t kLeast = size_t{1} << 16;
  std::sort(blobs_.begin(), blobs_.end(),
            [](const FoundBlob& a, const FoundBlob& b) {
              return PlaceInFile(a) != PlaceInFile(b)
                         ? PlaceInFile(a) < PlaceInFile(b)
                         : a.data_block < b.data_block;
            });
  blobs_.erase(std::unique(blobs_.begin(), blobs_.end(),
                           [](const FoundBlob& a, const FoundBlob& b) {
                             return PlaceInFile(a) == PlaceInFile(b);
                           }),
               blobs_.end());
  if (blobs_.size() > most_) blobs_.resize(most_);
  compact_at_ = std::max(kLeast, 2 * blobs_.size());
}

std::vector<FoundBlob> FoundBlobs::TakeInOrder() {
  Compact();
  std::stable_sort(blobs_.begin(), blobs_.end(),
                   [](const FoundBlob& a, const FoundBlob& b) {
                     return a.data_block < b.data_block;
                   });
  return std::move(blobs_);
}

Status InspectBlobs(const std::vector<FoundBlob>& blobs, PassReads* reads,
                    Findings* findings) {
  reads->BeginStep();
  const uint64_t most_bytes = 2 * findings->inspection().file_size;
  uint64_t bytes = 0;
  // Blobs that overlap so much are not all listed.
  for (size_t i = 0; i < blobs.size() && bytes <= most_bytes; ++i) {
    bytes += blobs[i].handle.size + kBlockTrailerSize;
    if (!reads->GoesOnToBlock(i, findings->inspection().file_size)) {
      return findings->GivenUp();
    }
    const BlockPlace place{BlockKind::kBlob, blobs[i].handle, i};
    BlockInfo info;
    Slice contents;
    if (reads->Read(place, &info, &contents) && info.compression_type != 0) {
      info.status = place.Corruption("bad blob", "it is compressed");
    }
    findings->Keep(std::move(info));
  }
  return {};
}

namespace {

// Returns whether bytes [begin, end) of the file are all zeros, or cannot be
// read.
bool IsPadding(uint64_t begin, uint64_t end, ThreadReads* reads) {
  constexpr uint64_t kPiece = uint64_t{64} << 10;
  while (begin < end) {
    const uint64_t n = std::min(kPiece, end - begin);
    Slice bytes;
    const Status status = reads->window.Read(begin, n, &bytes);
    ThrowIfOutOfMemory(status);
    if (!status.ok() || bytes.size() != n) return true;
    if (std::any_of(bytes.begin(), bytes.end(), [](char c) { return c != 0; }))
      return false;
    begin += n;
  }
  return true;
}

}  // namespace

uint64_t CountUnreferenced(const TableInspection& inspection,
                           ThreadReads* reads) {
  uint64_t unreferenced = 0;
  uint64_t gaps = 0;  // since the last data block
  uint64_t end = 0;
  for (const BlockInfo& block : inspection.blocks) {
    if (block.offset > end && !IsPadding(end, block.offset, reads)) {
      gaps += block.offset - end;
    }
    end = std::max(end, block.offset + block.size + kBlockTrailerSize);
    if (block.kind != BlockKind::kData) continue;
    unreferenced += std::exchange(gaps, 0);
  }
  return unreferenced;
}

void FollowedEntries::Show(const BlockInfo& info, const Slice& contents,
                           const BlockPlace& place) {
  if (!options_.on_entry) return;
  BlockView view;
  Status status = ParseBlock(contents, place, &view);
  if (!status.ok()) return;
  ForEachPlainEntry(view, place, [&](const Slice& key, const Slice& value) {
    const ResolvedValue& resolved = workspace_.value;
    const Status followed = blobs_.Resolve(
        key, value, kDefaultReadOptions, &workspace_.window, &workspace_.value);
    ThrowIfOutOfMemory(followed);
    if (!followed.ok() || !resolved.followed()) {
      options_.on_entry(info, key, value);
      return Status();
    }
    key_.assign(key.data(), key.size());
    key_[key.size() - kInternalKeyTailBytes] =
        static_cast<char>(resolved.type());
    options_.on_entry(info, key_, resolved.value());
    return Status();
  }).IgnoreError();
}

}  // namespace ashlar::internal
