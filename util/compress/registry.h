// The codecs that are built in, one row each.
//
// For codec.cc and compression.cc. Rows are constants: thread-safe. To add a
// codec: its file, its lines in codecs.h, its row in registry.cc.

#ifndef ASHLAR_UTIL_COMPRESS_REGISTRY_H_
#define ASHLAR_UTIL_COMPRESS_REGISTRY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "ashlar/util/compression.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"
#include "util/compress/codec.h"
#include "util/compress/size_prefix.h"
#include "util/mem/buffer.h"

namespace ashlar::internal {

// What a codec makes of a dictionary once, so that many blocks can be
// decompressed with it. Never changed: any number of threads.
class DigestedDictionary {
 public:
  virtual ~DigestedDictionary() = default;
};

// A dictionary as one codec wants it.
struct CodecDictionary {
  Slice bytes;  // empty: there is none
  // Null where the codec digests nothing, or could make nothing of the bytes.
  const DigestedDictionary* digested = nullptr;
};

// The reading half of one codec, with its context. One thread.
class BlockDecoder {
 public:
  virtual ~BlockDecoder() = default;
  // Writes exactly `raw_size` bytes to `out` or fails; never writes more,
  // whatever `body` holds. `out` is never null.
  virtual Status Decode(const Slice& body, const CodecDictionary& dictionary,
                        char* out, size_t raw_size) = 0;
  // Appends what `body` holds, up to `limit` bytes, or fails and appends
  // nothing. Takes memory only as the bytes come. For codecs that say
  // decodes_unsized.
  virtual Status DecodeUnsized(const Slice& body,
                               const CodecDictionary& dictionary, size_t limit,
                               Buffer* out);
};

struct DictionarySamples;

struct Codec {
  CompressionType type;
  // How many uncompressed bytes one byte of the body stands for at most.
  uint32_t max_expansion;
  CompressionLevelRange (*levels)();
  // Takes the declared size off the payload, and may refuse what the codec's
  // own header contradicts.
  Status (*read_size)(int compress_format, const Slice& payload,
                      SizedPayload* sized);
  // Null where there is nothing to do, or no block is written any more. Both
  // give null when memory is out. The level of the options has been checked.
  // The dictionary is copied; an empty one is none.
  std::unique_ptr<Compressor> (*new_compressor)(const CompressionOptions&,
                                                const Slice& dictionary);
  std::unique_ptr<BlockDecoder> (*new_decoder)();
  // Of the library that does the work; null where there is none.
  std::string (*version)() = nullptr;
  bool decodes_unsized = false;
  // Null where the codec takes a dictionary as it is, or ignores it. Gives
  // null for bytes that are no dictionary, and when memory is out.
  std::unique_ptr<DigestedDictionary> (*digest)(const Slice& dictionary) =
      nullptr;
  // Null where samples are used as they are. Gives an empty dictionary where
  // nothing can be learned.
  std::string (*train)(const CompressionOptions&,
                       const DictionarySamples&) = nullptr;
};

// Longer blocks are never compressed: the codecs count in int.
inline constexpr size_t kMaxCompressibleBytes = 0x7E000000;

// Ordered by type.
std::span<const Codec> BuiltInCodecs();

// Null when it is not built in.
const Codec* FindCodec(CompressionType type);

// How LevelDB stores zstd, under zlib's type byte: a frame and nothing before
// it. Null when zstd is not built in.
const Codec* FindLevelDbZstd();

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_COMPRESS_REGISTRY_H_
