// zlib: the uncompressed size as varint32, then raw deflate bytes without
// zlib's own header. No size in format versions 0 and 1.
#if ASHLAR_HAVE_ZLIB

#include <algorithm>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "third-party/zlib_lib.h"
#include "util/compress/codecs.h"
#include "util/compress/unsized_output.h"

namespace ashlar::internal {

namespace {

constexpr int kMemLevel = 8;
// Negative means raw deflate. Reading uses the widest window, which reads every
// stream.
constexpr int kReadingWindowBits = -MAX_WBITS;
constexpr size_t kMostStreamBytes = 0x7fffffff;

const Bytef* BytesOf(const Slice& slice) {
  return reinterpret_cast<const Bytef*>(slice.data());
}

class ZlibCompressor : public Compressor {
 public:
  explicit ZlibCompressor(const Slice& dictionary)
      : dictionary_(dictionary.ToString()) {}
  ZlibCompressor(const ZlibCompressor&) = delete;
  ZlibCompressor& operator=(const ZlibCompressor&) = delete;
  ~ZlibCompressor() override { deflateEnd(&stream_); }

  bool Init(const CompressionOptions& options) {
    const int level = options.level == CompressionOptions::kDefaultLevel
                          ? Z_DEFAULT_COMPRESSION
                          : options.level;
    return deflateInit2(&stream_, level, Z_DEFLATED, options.window_bits,
                        kMemLevel, options.strategy) == Z_OK;
  }

  size_t Compress(const Slice& raw, char* out, size_t capacity) override {
    if (raw.size() > kMaxCompressibleBytes) return 0;
    const size_t prefix = WriteSizePrefix(raw.size(), out, capacity);
    if (prefix == 0 || deflateReset(&stream_) != Z_OK) return 0;
    if (!dictionary_.empty() &&
        deflateSetDictionary(&stream_, BytesOf(dictionary_),
                             static_cast<uInt>(dictionary_.size())) != Z_OK) {
      return 0;
    }
    const size_t room = std::min(capacity - prefix, kMaxCompressibleBytes);
    stream_.next_in = BytesOf(raw);
    stream_.avail_in = static_cast<uInt>(raw.size());
    stream_.next_out = reinterpret_cast<Bytef*>(out + prefix);
    stream_.avail_out = static_cast<uInt>(room);
    if (deflate(&stream_, Z_FINISH) != Z_STREAM_END) return 0;
    return prefix + room - stream_.avail_out;
  }

 private:
  const std::string dictionary_;
  z_stream stream_{};
};

class ZlibDecoder : public BlockDecoder {
 public:
  ZlibDecoder() = default;
  ZlibDecoder(const ZlibDecoder&) = delete;
  ZlibDecoder& operator=(const ZlibDecoder&) = delete;
  ~ZlibDecoder() override { inflateEnd(&stream_); }

  bool Init() { return inflateInit2(&stream_, kReadingWindowBits) == Z_OK; }

  Status Decode(const Slice& body, const CodecDictionary& dictionary, char* out,
                size_t raw_size) override {
    Status status = Start(body, dictionary);
    if (!status.ok()) return status;
    size_t made = 0;
    StreamStep did = StreamStep::kDamaged;
    if (raw_size <= kMostStreamBytes) did = Step(out, raw_size, &made);
    if (did == StreamStep::kEnd && made == raw_size) return Status::OK();
    if (did == StreamStep::kNoMemory) return NoMemoryFor("zlib");
    return Status::Corruption(
        "zlib block of " + std::to_string(body.size()) + " bytes: declared " +
        std::to_string(raw_size) + " uncompressed bytes, " +
        (did == StreamStep::kEnd ? "produced " + std::to_string(made)
                                 : "cannot be decompressed to that"));
  }

  Status DecodeUnsized(const Slice& body, const CodecDictionary& dictionary,
                       size_t limit, Buffer* out) override {
    Status status = Start(body, dictionary);
    if (!status.ok()) return status;
    return AppendStream(
        "zlib", limit,
        [this](char* to, size_t room, size_t* made) {
          return Step(to, room, made);
        },
        out);
  }

 private:
  Status Start(const Slice& body, const CodecDictionary& dictionary) {
    if (body.size() > kMostStreamBytes) {
      return Status::Corruption("zlib block of " + std::to_string(body.size()) +
                                " bytes, expected at most " +
                                std::to_string(kMostStreamBytes));
    }
    // The library keeps the last bytes that fit its window.
    const size_t used =
        std::min(dictionary.bytes.size(), size_t{1} << MAX_WBITS);
    const Slice tail(dictionary.bytes.end() - used, used);
    if (inflateReset(&stream_) != Z_OK ||
        (used != 0 &&
         inflateSetDictionary(&stream_, BytesOf(tail),
                              static_cast<uInt>(tail.size())) != Z_OK)) {
      return NoMemoryFor("zlib");
    }
    stream_.next_in = BytesOf(body);
    stream_.avail_in = static_cast<uInt>(body.size());
    return Status::OK();
  }

  StreamStep Step(char* to, size_t room, size_t* made) {
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = static_cast<uInt>(room);
    const int result = inflate(&stream_, Z_SYNC_FLUSH);
    *made = room - stream_.avail_out;
    if (result == Z_STREAM_END) {
      return stream_.avail_in == 0 ? StreamStep::kEnd : StreamStep::kDamaged;
    }
    if (result == Z_MEM_ERROR) return StreamStep::kNoMemory;
    return result == Z_OK || result == Z_BUF_ERROR ? StreamStep::kMore
                                                   : StreamStep::kDamaged;
  }

  z_stream stream_{};
};

}  // namespace

CompressionLevelRange ZlibLevels() {
  return {.min = Z_DEFAULT_COMPRESSION, .max = Z_BEST_COMPRESSION};
}

Status ReadZlibSize(int compress_format, const Slice& payload,
                    SizedPayload* sized) {
  if (compress_format == 1) {
    *sized = {.raw_size = 0, .body = payload, .has_size = false};
    return Status::OK();
  }
  if (ReadVarintPrefix(payload, sized)) return Status::OK();
  return Status::Corruption("zlib block of " + std::to_string(payload.size()) +
                            " bytes: expected its uncompressed size first");
}

std::unique_ptr<Compressor> NewZlibCompressor(const CompressionOptions& options,
                                              const Slice& dictionary) {
  std::unique_ptr<ZlibCompressor> compressor(new (std::nothrow)
                                                 ZlibCompressor(dictionary));
  if (compressor == nullptr || !compressor->Init(options)) return nullptr;
  return compressor;
}

std::unique_ptr<BlockDecoder> NewZlibDecoder() {
  std::unique_ptr<ZlibDecoder> decoder(new (std::nothrow) ZlibDecoder);
  if (decoder == nullptr || !decoder->Init()) return nullptr;
  return decoder;
}

std::string ZlibVersion() { return ::zlibVersion(); }

}  // namespace ashlar::internal

#endif  // ASHLAR_HAVE_ZLIB
