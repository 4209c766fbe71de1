// The bytes of a blob index; varints are varint64.
//
//   u8 0 | expiration | the value, to the end
//   u8 1 | file number | offset | size | u8 compression type
//   u8 2 | expiration | then as 1

#include "ashlar/table/entry/blob_index.h"

#include "util/coding/coding.h"
#include "util/mem/memory_limit.h"

namespace ashlar {

Status DecodeBlobIndex(const Slice& value, BlobIndex* index) {
  return internal::OrMemoryLimit([&]() -> Status {
    *index = BlobIndex();
    internal::Decoder decoder(value);
    Slice kind;
    if (!decoder.Bytes(1, &kind) ||
        static_cast<uint8_t>(kind[0]) >
            static_cast<uint8_t>(BlobIndex::Kind::kBlobTtl)) {
      return Status::Corruption("bad blob index: expected kind 0, 1 or 2");
    }
    index->kind = static_cast<BlobIndex::Kind>(kind[0]);
    if (index->kind != BlobIndex::Kind::kBlob &&
        !decoder.Varint64(&index->expiration)) {
      return Status::Corruption("bad blob index: no expiration");
    }
    if (index->kind == BlobIndex::Kind::kInlinedTtl) {
      index->inlined_value = decoder.rest();
      return {};
    }
    Slice compression;
    if (!decoder.Varint64(&index->file_number) ||
        !decoder.Varint64(&index->offset) || !decoder.Varint64(&index->size) ||
        !decoder.Bytes(1, &compression) || !decoder.empty()) {
      return Status::Corruption(
          "bad blob index: expected file number, offset, size and compression");
    }
    index->compression =
        static_cast<CompressionType>(static_cast<uint8_t>(compression[0]));
    return {};
  });
}

void AppendBlobIndex(const BlobIndex& index, std::string* out) {
  out->push_back(static_cast<char>(index.kind));
  if (index.kind != BlobIndex::Kind::kBlob) {
    internal::AppendVarint64(out, index.expiration);
  }
  if (index.kind == BlobIndex::Kind::kInlinedTtl) {
    out->append(index.inlined_value.data(), index.inlined_value.size());
    return;
  }
  internal::AppendVarint64(out, index.file_number);
  internal::AppendVarint64(out, index.offset);
  internal::AppendVarint64(out, index.size);
  out->push_back(static_cast<char>(index.compression));
}

Status DecodeEmbeddedBlobStats(const Slice& value, EmbeddedBlobStats* stats) {
  return internal::OrMemoryLimit([&]() -> Status {
    *stats = EmbeddedBlobStats();
    internal::Decoder decoder(value);
    if (decoder.Varint64(&stats->count) && decoder.Varint64(&stats->bytes) &&
        decoder.empty() && (stats->count != 0 || stats->bytes == 0)) {
      return {};
    }
    return Status::Corruption("bad " + std::string(kEmbeddedBlobStatsProperty) +
                              ": expected a count and a number of bytes");
  });
}

}  // namespace ashlar
