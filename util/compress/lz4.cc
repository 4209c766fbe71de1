// LZ4: the uncompressed size, then one raw LZ4 block without a frame. The
// size is a varint32, but a fixed64 in format versions 0 and 1.
#if ASHLAR_HAVE_LZ4

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <string>

#include "third-party/lz4_lib.h"
#include "util/compress/codecs.h"

namespace ashlar::internal {

namespace {

// The library limits it to this.
constexpr int kMaxAcceleration = 65537;

constexpr size_t kReach = size_t{64} << 10;

static_assert(kMaxCompressibleBytes <= LZ4_MAX_INPUT_SIZE);

class Lz4Compressor : public Compressor {
 public:
  explicit Lz4Compressor(int acceleration) : acceleration_(acceleration) {}

  // Returns false if there is no memory.
  bool LoadDictionary(const Slice& dictionary) {
    if (dictionary.empty()) return true;
    loaded_.reset(LZ4_createStream());
    if (loaded_ == nullptr) return false;
    dictionary_ = dictionary.ToString();
    LZ4_loadDict(loaded_.get(), dictionary_.data(),
                 static_cast<int>(dictionary_.size()));
    return true;
  }

  size_t Compress(const Slice& raw, char* out, size_t capacity) override {
    if (raw.size() > kMaxCompressibleBytes) return 0;
    const size_t prefix = WriteSizePrefix(raw.size(), out, capacity);
    if (prefix == 0) return 0;
    const size_t room = std::min(capacity - prefix, kMaxCompressibleBytes);
    if (loaded_ != nullptr) {
      return WithDictionary(raw, prefix, out, static_cast<int>(room));
    }
    // Clears the whole state each time. The library's "fast reset" variant
    // keeps old positions instead, which is slower for small blocks and would
    // let the payload depend on earlier blocks.
    const int length = LZ4_compress_fast_extState(
        &state_, raw.data(), out + prefix, static_cast<int>(raw.size()),
        static_cast<int>(room), acceleration_);
    return length <= 0 ? 0 : prefix + static_cast<size_t>(length);
  }

 private:
  size_t WithDictionary(const Slice& raw, size_t prefix, char* out, int room) {
    // Copying costs less than digesting the dictionary once more.
    std::memcpy(&state_, loaded_.get(), sizeof state_);
    const int length = LZ4_compress_fast_continue(
        &state_, raw.data(), out + prefix, static_cast<int>(raw.size()), room,
        acceleration_);
    return length <= 0 ? 0 : prefix + static_cast<size_t>(length);
  }

  struct FreeStream {
    void operator()(LZ4_stream_t* stream) const { LZ4_freeStream(stream); }
  };

  LZ4_stream_t state_;
  std::unique_ptr<LZ4_stream_t, FreeStream> loaded_;
  std::string dictionary_;  // loaded_ points into it
  int acceleration_;
};

class Lz4Decoder : public BlockDecoder {
 public:
  Status Decode(const Slice& body, const CodecDictionary& dictionary, char* out,
                size_t raw_size) override {
    if (std::max(body.size(), raw_size) > LZ4_MAX_INPUT_SIZE) {
      return Status::Corruption(
          "lz4 block: " + std::to_string(raw_size) + " bytes declared for " +
          std::to_string(body.size()) + " stored; expected at most " +
          std::to_string(LZ4_MAX_INPUT_SIZE) + " of either");
    }
    // No match reaches farther back.
    const size_t used = std::min(dictionary.bytes.size(), kReach);
    const int length = LZ4_decompress_safe_usingDict(
        body.data(), out, static_cast<int>(body.size()),
        static_cast<int>(raw_size), dictionary.bytes.end() - used,
        static_cast<int>(used));
    if (length >= 0 && static_cast<size_t>(length) == raw_size) {
      return Status::OK();
    }
    return Status::Corruption(
        "lz4 block of " + std::to_string(body.size()) + " bytes: declared " +
        std::to_string(raw_size) + " uncompressed bytes, " +
        (length < 0 ? "cannot be decompressed to that"
                    : "produced " + std::to_string(length)));
  }
};

}  // namespace

CompressionLevelRange Lz4Levels() {
  return {.min = -kMaxAcceleration, .max = 0};
}

Status ReadLz4Size(int compress_format, const Slice& payload,
                   SizedPayload* sized) {
  const bool found = compress_format == 1 ? ReadFixed64Prefix(payload, sized)
                                          : ReadVarintPrefix(payload, sized);
  if (found) return Status::OK();
  return Status::Corruption("lz4 block of " + std::to_string(payload.size()) +
                            " bytes: expected its uncompressed size first");
}

std::unique_ptr<Compressor> NewLz4Compressor(const CompressionOptions& options,
                                             const Slice& dictionary) {
  const int acceleration = options.level == CompressionOptions::kDefaultLevel
                               ? 1
                               : std::max(1, -options.level);
  std::unique_ptr<Lz4Compressor> compressor(new (std::nothrow)
                                                Lz4Compressor(acceleration));
  if (compressor == nullptr || !compressor->LoadDictionary(dictionary)) {
    return nullptr;
  }
  return compressor;
}

std::unique_ptr<BlockDecoder> NewLz4Decoder() {
  return std::unique_ptr<BlockDecoder>(new (std::nothrow) Lz4Decoder);
}

std::string Lz4Version() { return ::LZ4_versionString(); }

}  // namespace ashlar::internal

#endif  // ASHLAR_HAVE_LZ4
