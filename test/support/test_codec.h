// A codec of an application for tests: blocks are LZ4, under a byte and a name
// of the test's choice. A test can make it do wrong, and see what is alive.
#ifndef ASHLAR_TEST_SUPPORT_TEST_CODEC_H_
#define ASHLAR_TEST_SUPPORT_TEST_CODEC_H_

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "ashlar/util/custom_codec.h"
#include "util/compress/codec.h"
#include "util/compress/dictionary.h"
#include "util/mem/buffer.h"

namespace ashlar::testing {

// What a codec does instead of what it should. Empty: it does what it should.
struct CodecFaults {
  std::function<Status(const Slice& raw, char* out, size_t capacity,
                       size_t* size)>
      compress;
  std::function<Status(const Slice& payload, uint64_t* size, Slice* body)>
      read_size;
  std::function<Status(char* out, size_t size, size_t* made)> decompress;
  bool null_compressor = false;
  bool null_decompressor = false;
};

struct CodecCounts {
  std::atomic<int> compressors{0};
  std::atomic<int> decompressors{0};  // that were made
  std::atomic<int> alive{0};          // objects of either kind
};

class TestCodec final : public CustomCodec {
 public:
  explicit TestCodec(std::string name = "TestCodec", uint8_t byte = 0x8A,
                     CodecFaults faults = {})
      : name_(std::move(name)), byte_(byte), faults_(std::move(faults)) {}

  std::string_view CompatibilityName() const override { return name_; }
  bool Supports(CompressionType type) const override {
    return type == CustomCompressionType(byte_);
  }
  Result<std::unique_ptr<CustomCompressor>> NewCompressor(
      CompressionType /*type*/, const CompressionOptions& /*options*/,
      const CustomDictionary* dictionary) const override {
    if (faults_.null_compressor) return std::unique_ptr<CustomCompressor>();
    auto made = internal::NewCompressor(
        CompressionType::kLZ4Compression, {},
        dictionary == nullptr
            ? Slice()
            : static_cast<const Dictionary*>(dictionary)->prepared.bytes());
    if (!made.ok()) return made.status();
    ++counts->compressors;
    return std::unique_ptr<CustomCompressor>(
        new Lz4(*this, std::move(made).value()));
  }
  Result<std::unique_ptr<CustomDecompressor>> NewDecompressor() const override {
    if (faults_.null_decompressor) return std::unique_ptr<CustomDecompressor>();
    ++counts->decompressors;
    return std::unique_ptr<CustomDecompressor>(new UnLz4(*this));
  }
  Result<std::unique_ptr<const CustomDictionary>> PrepareDictionary(
      const Slice& bytes) const override {
    return std::unique_ptr<const CustomDictionary>(new Dictionary(bytes));
  }

  const std::unique_ptr<CodecCounts> counts = std::make_unique<CodecCounts>();

 private:
  struct Dictionary final : CustomDictionary {
    explicit Dictionary(const Slice& bytes) : prepared(bytes, {}) {}
    const internal::DecompressionDictionary prepared;
  };

  class Lz4 final : public CustomCompressor {
   public:
    Lz4(const TestCodec& codec, std::unique_ptr<internal::Compressor> lz4)
        : codec_(codec), lz4_(std::move(lz4)) {
      ++codec_.counts->alive;
    }
    ~Lz4() override { --codec_.counts->alive; }
    Status Compress(const Slice& raw, char* out, size_t capacity,
                    size_t* size) override {
      if (codec_.faults_.compress) {
        return codec_.faults_.compress(raw, out, capacity, size);
      }
      *size = lz4_->Compress(raw, out, capacity);
      return {};
    }

   private:
    const TestCodec& codec_;
    const std::unique_ptr<internal::Compressor> lz4_;
  };

  class UnLz4 final : public CustomDecompressor {
   public:
    explicit UnLz4(const TestCodec& codec) : codec_(codec) {
      ++codec_.counts->alive;
    }
    ~UnLz4() override { --codec_.counts->alive; }
    Status ReadSize(CompressionType type, const Slice& payload, uint64_t* size,
                    Slice* body) const override {
      if (codec_.faults_.read_size) {
        return codec_.faults_.read_size(payload, size, body);
      }
      Status status = CustomDecompressor::ReadSize(type, payload, size, body);
      *body = payload;  // our decoder of LZ4 reads the size once more
      return status;
    }
    Status Decompress(CompressionType /*type*/, const Slice& body,
                      const CustomDictionary* dictionary, char* out,
                      size_t size, size_t* made) override {
      if (codec_.faults_.decompress) {
        return codec_.faults_.decompress(out, size, made);
      }
      internal::Buffer buffer;
      Status status = decompressor_.Decompress(
          CompressionType::kLZ4Compression, 2, body,
          {.max_uncompressed_bytes = size}, &buffer,
          dictionary == nullptr
              ? nullptr
              : &static_cast<const Dictionary*>(dictionary)->prepared);
      *made = std::min(size, buffer.size());
      if (*made != 0) std::memcpy(out, buffer.data(), *made);
      return status;
    }

   private:
    const TestCodec& codec_;
    internal::Decompressor decompressor_;
  };

  const std::string name_;
  const uint8_t byte_;
  const CodecFaults faults_;
};

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SUPPORT_TEST_CODEC_H_
