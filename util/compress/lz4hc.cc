// LZ4HC: what lz4 stores, found by a more thorough search. Read like lz4.
#if ASHLAR_HAVE_LZ4

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "third-party/lz4_lib.h"
#include "util/compress/codecs.h"

namespace ashlar::internal {

namespace {

struct FreeStream {
  void operator()(LZ4_streamHC_t* stream) const { LZ4_freeStreamHC(stream); }
};
using Stream = std::unique_ptr<LZ4_streamHC_t, FreeStream>;

class Lz4HcCompressor : public Compressor {
 public:
  Lz4HcCompressor(Stream stream, int level)
      : stream_(std::move(stream)), level_(level) {}

  // Returns false if there is no memory.
  bool LoadDictionary(const Slice& dictionary) {
    if (dictionary.empty()) return true;
    loaded_.reset(LZ4_createStreamHC());
    if (loaded_ == nullptr) return false;
    dictionary_ = dictionary.ToString();
    LZ4_resetStreamHC_fast(loaded_.get(), level_);
    LZ4_loadDictHC(loaded_.get(), dictionary_.data(),
                   static_cast<int>(dictionary_.size()));
    return true;
  }

  size_t Compress(const Slice& raw, char* out, size_t capacity) override {
    if (raw.size() > kMaxCompressibleBytes) return 0;
    const size_t prefix = WriteSizePrefix(raw.size(), out, capacity);
    if (prefix == 0) return 0;
    const auto size = static_cast<int>(raw.size());
    const auto room =
        static_cast<int>(std::min(capacity - prefix, kMaxCompressibleBytes));
    int length = 0;
    if (loaded_ != nullptr) {
      // Copying costs less than digesting the dictionary once more.
      std::memcpy(stream_.get(), loaded_.get(), sizeof *stream_);
      length = LZ4_compress_HC_continue(stream_.get(), raw.data(), out + prefix,
                                        size, room);
    } else {
      length = LZ4_compress_HC_extStateHC(stream_.get(), raw.data(),
                                          out + prefix, size, room, level_);
    }
    return length <= 0 ? 0 : prefix + static_cast<size_t>(length);
  }

 private:
  Stream stream_;
  Stream loaded_;
  std::string dictionary_;  // loaded_ points into it
  int level_;
};

}  // namespace

CompressionLevelRange Lz4HcLevels() {
  return {.min = 1, .max = LZ4HC_CLEVEL_MAX};
}

std::unique_ptr<Compressor> NewLz4HcCompressor(
    const CompressionOptions& options, const Slice& dictionary) {
  const int level = options.level == CompressionOptions::kDefaultLevel
                        ? LZ4HC_CLEVEL_DEFAULT
                        : options.level;
  Stream stream(LZ4_createStreamHC());
  if (stream == nullptr) return nullptr;
  std::unique_ptr<Lz4HcCompressor> compressor(
      new (std::nothrow) Lz4HcCompressor(std::move(stream), level));
  if (compressor == nullptr || !compressor->LoadDictionary(dictionary)) {
    return nullptr;
  }
  return compressor;
}

}  // namespace ashlar::internal

#endif  // ASHLAR_HAVE_LZ4
