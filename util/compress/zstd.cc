// zstd: the uncompressed size as varint32, then one zstd frame, which holds
// the size once more. The same in every format version.
#if ASHLAR_HAVE_ZSTD

#include <algorithm>
#include <memory>
#include <new>
#include <string>

#include "third-party/zstd_lib.h"
#include "util/compress/codecs.h"
#include "util/compress/dictionary.h"

namespace ashlar::internal {

namespace {

constexpr int kDefaultZstdLevel = 3;

int LevelOf(const CompressionOptions& options) {
  return options.level == CompressionOptions::kDefaultLevel ? kDefaultZstdLevel
                                                            : options.level;
}

// Returns whether the result of a call of zstd means that memory is out.
bool LacksMemory(size_t result) {
  return ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation;
}

// Throws if there is no memory for that many bytes, and allocates none. zstd
// before 1.5.6 follows a null pointer if it has no memory to make a dictionary
// (facebook/zstd#3847). So then the dictionary is not begun.
void RequireMemory(size_t bytes) { ::operator delete(::operator new(bytes)); }

// More memory than zstd needs for a dictionary to compress with, which depends
// on the dictionary's size.
constexpr size_t kTimesDictionary = 32;
constexpr size_t kDictionaryStateBytes = size_t{1} << 20;

struct FreeCompressionContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};
using CompressionContext = std::unique_ptr<ZSTD_CCtx, FreeCompressionContext>;

struct FreeDecompressionContext {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};
using DecompressionContext =
    std::unique_ptr<ZSTD_DCtx, FreeDecompressionContext>;

struct FreeCompressionDictionary {
  void operator()(ZSTD_CDict* dictionary) const { ZSTD_freeCDict(dictionary); }
};
using CompressionDictionary =
    std::unique_ptr<ZSTD_CDict, FreeCompressionDictionary>;

struct FreeDecompressionDictionary {
  void operator()(ZSTD_DDict* dictionary) const { ZSTD_freeDDict(dictionary); }
};

struct DigestedZstdDictionary : DigestedDictionary {
  size_t memory_usage() const override {
    return sizeof *this + ZSTD_sizeof_DDict(dictionary.get());
  }

  std::unique_ptr<ZSTD_DDict, FreeDecompressionDictionary> dictionary;
};

class ZstdCompressor : public Compressor {
 public:
  ZstdCompressor(CompressionContext context, CompressionDictionary dictionary)
      : dictionary_(std::move(dictionary)), context_(std::move(context)) {}

  size_t Compress(const Slice& raw, char* out, size_t capacity) override {
    if (raw.size() > kMaxCompressibleBytes) return 0;
    const size_t prefix = WriteSizePrefix(raw.size(), out, capacity);
    if (prefix == 0) return 0;
    const size_t length =
        ZSTD_compress2(context_.get(), out + prefix, capacity - prefix,
                       raw.data(), raw.size());
    if (LacksMemory(length)) throw std::bad_alloc();
    // The destination is too small: the block is stored uncompressed.
    return ZSTD_isError(length) != 0 ? 0 : prefix + length;
  }

 private:
  CompressionDictionary dictionary_;
  CompressionContext context_;  // refers to the dictionary
};

class ZstdDecoder : public BlockDecoder {
 public:
  explicit ZstdDecoder(DecompressionContext context)
      : context_(std::move(context)) {}

  Status Decode(const Slice& body, const CodecDictionary& dictionary, char* out,
                size_t raw_size) override {
    if (!dictionary.bytes.empty() && dictionary.digested == nullptr) {
      return Status::Corruption("zstd dictionary of " +
                                std::to_string(dictionary.bytes.size()) +
                                " bytes: cannot be loaded");
    }
    const auto* const digested =
        static_cast<const DigestedZstdDictionary*>(dictionary.digested);
    const size_t length = ZSTD_decompress_usingDDict(
        context_.get(), out, raw_size, body.data(), body.size(),
        digested == nullptr ? nullptr : digested->dictionary.get());
    if (length == raw_size) return Status::OK();
    if (LacksMemory(length)) {
      return Status::MemoryLimit("out of memory for the state of zstd");
    }
    std::string message = "zstd block of " + std::to_string(body.size()) +
                          " bytes: declared " + std::to_string(raw_size) +
                          " uncompressed bytes, ";
    if (ZSTD_isError(length) != 0) {
      message += "cannot be decompressed to that: ";
      message += ZSTD_getErrorName(length);
    } else {
      message += "produced " + std::to_string(length);
    }
    return Status::Corruption(message);
  }

 private:
  DecompressionContext context_;
};

}  // namespace

CompressionLevelRange ZstdLevels() {
  return {.min = ZSTD_minCLevel(), .max = ZSTD_maxCLevel()};
}

Status ReadZstdSize(int /*compress_format*/, const Slice& payload,
                    SizedPayload* sized) {
  if (!ReadVarintPrefix(payload, sized)) {
    return Status::Corruption("zstd block of " +
                              std::to_string(payload.size()) +
                              " bytes: expected its uncompressed size first");
  }
  // A frame that announces more than was declared cannot be decompressed to
  // that size. Frames of other writers need not announce anything.
  const uint64_t announced =
      ZSTD_getFrameContentSize(sized->body.data(), sized->body.size());
  if (announced != ZSTD_CONTENTSIZE_UNKNOWN &&
      announced != ZSTD_CONTENTSIZE_ERROR && announced > sized->raw_size) {
    return Status::Corruption(
        "zstd block: declared " + std::to_string(sized->raw_size) +
        " uncompressed bytes, its frame says " + std::to_string(announced));
  }
  return Status::OK();
}

Status ReadZstdFrameSize(int /*compress_format*/, const Slice& payload,
                         SizedPayload* sized) {
  const uint64_t announced =
      ZSTD_getFrameContentSize(payload.data(), payload.size());
  if (announced == ZSTD_CONTENTSIZE_UNKNOWN ||
      announced == ZSTD_CONTENTSIZE_ERROR) {
    return Status::Corruption("zstd frame of " +
                              std::to_string(payload.size()) +
                              " bytes: expected its uncompressed size in it");
  }
  *sized = {.raw_size = announced, .body = payload};
  return Status::OK();
}

std::unique_ptr<Compressor> NewZstdCompressor(const CompressionOptions& options,
                                              const Slice& dictionary) {
  CompressionContext context(ZSTD_createCCtx());
  if (context == nullptr) return nullptr;
  const int level = LevelOf(options);
  // These stay set for all blocks. Their values were checked, so the calls
  // cannot fail.
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, level);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_contentSizeFlag, 1);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag,
                         options.checksum ? 1 : 0);
  CompressionDictionary digested;
  if (!dictionary.empty()) {
    RequireMemory(kTimesDictionary * dictionary.size() + kDictionaryStateBytes);
    digested.reset(
        ZSTD_createCDict(dictionary.data(), dictionary.size(), level));
    if (digested == nullptr) return nullptr;
    ZSTD_CCtx_refCDict(context.get(), digested.get());
  }
  return std::unique_ptr<Compressor>(new (std::nothrow) ZstdCompressor(
      std::move(context), std::move(digested)));
}

std::unique_ptr<BlockDecoder> NewZstdDecoder() {
  DecompressionContext context(ZSTD_createDCtx());
  if (context == nullptr) return nullptr;
  return std::unique_ptr<BlockDecoder>(new (std::nothrow)
                                           ZstdDecoder(std::move(context)));
}

std::unique_ptr<DigestedDictionary> DigestZstdDictionary(
    const Slice& dictionary) {
  auto digested = std::make_unique<DigestedZstdDictionary>();
  const auto digest = [&] {
    digested->dictionary.reset(
        ZSTD_createDDict(dictionary.data(), dictionary.size()));
    return digested->dictionary != nullptr;
  };
  if (digest()) return digested;
  // zstd does not say whether the dictionary is bad or memory is out. If there
  // is memory for everything that it needs, and more, the dictionary is bad.
  constexpr size_t kStateBytes = size_t{64} << 10;
  RequireMemory(2 * dictionary.size() + kStateBytes);
  return digest() ? std::move(digested) : nullptr;
}

std::string TrainZstdDictionary(const CompressionOptions& options,
                                const DictionarySamples& samples) {
  // For the trainer's own tables, and for what it makes of the result.
  constexpr size_t kTrainerBytes = size_t{16} << 20;
  RequireMemory(kTrainerBytes + 4 * samples.bytes.size() +
                kTimesDictionary * options.max_dict_bytes);
  std::string dictionary(options.max_dict_bytes, '\0');
  const auto count = static_cast<unsigned>(samples.lengths.size());
  size_t length = 0;
  if (options.use_zstd_dict_trainer) {
    length = ZDICT_trainFromBuffer(dictionary.data(), dictionary.size(),
                                   samples.bytes.data(), samples.lengths.data(),
                                   count);
  } else {
    ZDICT_params_t params{};
    params.compressionLevel = LevelOf(options);
    const size_t content =
        std::min<size_t>(samples.bytes.size(), dictionary.size());
    length = ZDICT_finalizeDictionary(
        dictionary.data(), dictionary.size(), samples.bytes.data(), content,
        samples.bytes.data(), samples.lengths.data(), count, params);
  }
  if (ZDICT_isError(length) != 0 && LacksMemory(length)) throw std::bad_alloc();
  // If there are too few samples or too little room, there is no dictionary.
  dictionary.resize(ZDICT_isError(length) != 0 ? 0 : length);
  return dictionary;
}

std::string ZstdVersion() { return ::ZSTD_versionString(); }

}  // namespace ashlar::internal

#endif  // ASHLAR_HAVE_ZSTD
