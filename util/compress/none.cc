// Stored uncompressed: the payload is the block.
#include <cstring>
#include <new>

#include "util/compress/codecs.h"

namespace ashlar::internal {

namespace {

class NoneDecoder : public BlockDecoder {
 public:
  Status Decode(const Slice& body, const CodecDictionary& /*dictionary*/,
                char* out, size_t raw_size) override {
    if (raw_size != 0) std::memcpy(out, body.data(), raw_size);
    return Status::OK();
  }
};

}  // namespace

CompressionLevelRange NoneLevels() { return {.min = 0, .max = 0}; }

Status ReadNoneSize(int /*compress_format*/, const Slice& payload,
                    SizedPayload* sized) {
  *sized = {.raw_size = payload.size(), .body = payload};
  return Status::OK();
}

std::unique_ptr<BlockDecoder> NewNoneDecoder() {
  return std::unique_ptr<BlockDecoder>(new (std::nothrow) NoneDecoder);
}

}  // namespace ashlar::internal
