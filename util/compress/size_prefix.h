// The uncompressed size that comes before a codec's own bytes.
//
// For the codecs of util/compress/. Pure functions: thread-safe.
//
//   format 2       varint32 size || codec bytes      all but snappy
//   format 1       varint32 size || codec bytes      zstd
//                  fixed64 size  || codec bytes      lz4, lz4hc
//                  codec bytes alone                 zlib, bzip2

#ifndef ASHLAR_UTIL_COMPRESS_SIZE_PREFIX_H_
#define ASHLAR_UTIL_COMPRESS_SIZE_PREFIX_H_

#include <cstddef>
#include <cstdint>

#include "ashlar/util/slice.h"
#include "util/coding/coding.h"

namespace ashlar::internal {

struct SizedPayload {
  uint64_t raw_size = 0;
  Slice body;
  // False: only decompressing tells the size, and raw_size means nothing.
  bool has_size = true;
};

// Returns the number of bytes written. Returns 0, and writes nothing, if there
// is no room.
inline size_t WriteSizePrefix(size_t raw_size, char* out, size_t capacity) {
  if (VarintLength(raw_size) > capacity) return 0;
  return static_cast<size_t>(EncodeVarint64(out, raw_size) - out);
}

// The readers return false if the payload ends before its size does. A size is
// read in full width, so that a size beyond 32 bits is seen as what it is.
inline bool ReadVarintPrefix(const Slice& payload, SizedPayload* sized) {
  const char* body =
      DecodeVarint64(payload.begin(), payload.end(), &sized->raw_size);
  if (body == nullptr) return false;
  sized->body = Slice(body, static_cast<size_t>(payload.end() - body));
  return true;
}

inline bool ReadFixed64Prefix(const Slice& payload, SizedPayload* sized) {
  if (payload.size() < sizeof(uint64_t)) return false;
  sized->raw_size = LoadFixed64(payload.data());
  sized->body = payload;
  sized->body.remove_prefix(sizeof(uint64_t));
  return true;
}

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_COMPRESS_SIZE_PREFIX_H_
