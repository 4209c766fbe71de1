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
// decompressed with it. It never changes: any number of threads.
class DigestedDictionary {
 public:
  virtual ~DigestedDictionary() = default;
  // Returns how many bytes of memory it takes.
  virtual size_t memory_usage() const = 0;
};

// A dictionary as one codec needs it.
struct CodecDictionary {
  Slice bytes;  // empty: there is none
  // Null if the codec digests nothing, or could make nothing of the bytes.
  const DigestedDictionary* digested = nullptr;
};

// The reading half of one codec, with its context. One thread at a time.
class BlockDecoder {
 public:
  virtual ~BlockDecoder() = default;
  // Writes exactly `raw_size` bytes to `out`, or fails. Never writes more,
  // whatever `body` contains. Requires: `out` is not null.
  virtual Status Decode(const Slice& body, const CodecDictionary& dictionary,
                        char* out, size_t raw_size) = 0;
  // Appends what `body` contains, up to `limit` bytes, or fails and appends
  // nothing. Allocates memory only as the bytes come. For codecs with
  // decodes_unsized.
  virtual Status DecodeUnsized(const Slice& body,
                               const CodecDictionary& dictionary, size_t limit,
                               Buffer* out);
};

struct DictionarySamples;

struct Codec {
  CompressionType type;
  // The most uncompressed bytes that one byte of the body can stand for.
  uint32_t max_expansion;
  CompressionLevelRange (*levels)();
  // Takes the declared size off the payload. May refuse it if the codec's own
  // header contradicts it.
  Status (*read_size)(int compress_format, const Slice& payload,
                      SizedPayload* sized);
  // Makes a compressor or a decoder. new_compressor is null if there is nothing
  // to do, or if no block of this type is written any more. Both return null if
  // there is no memory. The options were checked before. The dictionary is
  // copied. An empty one means none.
  std::unique_ptr<Compressor> (*new_compressor)(const CompressionOptions&,
                                                const Slice& dictionary);
  std::unique_ptr<BlockDecoder> (*new_decoder)();
  // The version of the library that does the work. Null if there is none.
  std::string (*version)() = nullptr;
  bool decodes_unsized = false;
  // Digests a dictionary. Null if the codec uses a dictionary as it is, or
  // ignores it. Returns null for bytes that are no dictionary, and if there is
  // no memory.
  std::unique_ptr<DigestedDictionary> (*digest)(const Slice& dictionary) =
      nullptr;
  // Makes a dictionary of samples. Null if samples are used as they are.
  // Returns an empty dictionary if nothing can be learned.
  std::string (*train)(const CompressionOptions&,
                       const DictionarySamples&) = nullptr;
};

// Longer blocks are never compressed, because the codecs count in int.
inline constexpr size_t kMaxCompressibleBytes = 0x7E000000;

// Returns the rows, ordered by type.
std::span<const Codec> BuiltInCodecs();

// Returns the row of the type, or null if it is not built in.
const Codec* FindCodec(CompressionType type);

// Returns the row for zstd as LevelDB stores it, under zlib's type byte: a
// frame, and nothing before it. Null if zstd is not built in.
const Codec* FindLevelDbZstd();

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_COMPRESS_REGISTRY_H_
