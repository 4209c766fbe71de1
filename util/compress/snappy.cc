// Snappy: a raw Snappy block, which begins with its own uncompressed size.
// The same in every format version. Dictionaries are ignored.
#if ASHLAR_HAVE_SNAPPY

#include <cstring>
#include <new>
#include <string>

#include "third-party/snappy_lib.h"
#include "util/compress/codecs.h"
#include "util/mem/buffer.h"

namespace ashlar::internal {

namespace {

class SnappyCompressor : public Compressor {
 public:
  size_t Compress(const Slice& raw, char* out, size_t capacity) override {
    if (raw.size() > kMaxCompressibleBytes) return 0;
    // The library does not take a limit of the destination. Unless there is
    // room for the worst case, it writes to a buffer of its own.
    const size_t worst_case = snappy::MaxCompressedLength(raw.size());
    size_t length = 0;
    if (capacity >= worst_case) {
      snappy::RawCompress(raw.data(), raw.size(), out, &length);
      return length;
    }
    scratch_.clear();
    scratch_.Reserve(worst_case);
    snappy::RawCompress(raw.data(), raw.size(), scratch_.data(), &length);
    if (length > capacity) return 0;
    std::memcpy(out, scratch_.data(), length);
    return length;
  }

 private:
  Buffer scratch_;
};

class SnappyDecoder : public BlockDecoder {
 public:
  // The library produces exactly the size that the body begins with, which
  // is where raw_size was read.
  Status Decode(const Slice& body, const CodecDictionary& /*dictionary*/,
                char* out, size_t raw_size) override {
    if (snappy::RawUncompress(body.data(), body.size(), out)) {
      return Status::OK();
    }
    return Status::Corruption("snappy block of " + std::to_string(body.size()) +
                              " bytes does not decompress to the declared " +
                              std::to_string(raw_size) + " bytes");
  }
};

}  // namespace

CompressionLevelRange SnappyLevels() { return {.min = 0, .max = 0}; }

Status ReadSnappySize(int /*compress_format*/, const Slice& payload,
                      SizedPayload* sized) {
  size_t raw_size = 0;
  if (!snappy::GetUncompressedLength(payload.data(), payload.size(),
                                     &raw_size)) {
    return Status::Corruption("snappy block of " +
                              std::to_string(payload.size()) +
                              " bytes: expected its uncompressed size first");
  }
  *sized = {.raw_size = raw_size, .body = payload};
  return Status::OK();
}

std::unique_ptr<Compressor> NewSnappyCompressor(
    const CompressionOptions& /*options*/, const Slice& /*dictionary*/) {
  return std::unique_ptr<Compressor>(new (std::nothrow) SnappyCompressor);
}

std::unique_ptr<BlockDecoder> NewSnappyDecoder() {
  return std::unique_ptr<BlockDecoder>(new (std::nothrow) SnappyDecoder);
}

// The library does not report its version. This is the one it was built
// against.
std::string SnappyVersion() {
  return std::to_string(SNAPPY_MAJOR) + "." + std::to_string(SNAPPY_MINOR) +
         "." + std::to_string(SNAPPY_PATCHLEVEL);
}

}  // namespace ashlar::internal

#endif  // ASHLAR_HAVE_SNAPPY
