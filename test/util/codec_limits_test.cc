// Blocks beyond what the libraries of the codecs can count, and payloads in
// forms that only other programs write.

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "port/reserved_memory.h"
#include "util/coding/coding.h"
#include "util/compress/codec.h"
#include "util/compress/registry.h"

namespace ashlar::internal {
namespace {

using std::string_literals::operator""s;

std::unique_ptr<BlockDecoder> DecoderOf(CompressionType type) {
  const Codec* const codec = FindCodec(type);
  return codec == nullptr ? nullptr : codec->new_decoder();
}

// The memory is never read, so it needs only addresses.
TEST(CodecLimits, BlocksOfMoreThanTwoGibibytesAreDamage) {
  constexpr size_t kBytes = size_t{1} << 31;
  port::ReservedMemory memory;
  if (!memory.Reserve(kBytes)) GTEST_SKIP() << "no addresses for a large block";
  const Slice body(memory.data(), kBytes);
  for (const CompressionType type :
       {CompressionType::kZlibCompression, CompressionType::kBZip2Compression,
        CompressionType::kLZ4Compression, CompressionType::kLZ4HCCompression}) {
    const auto decoder = DecoderOf(type);
    if (decoder == nullptr) continue;
    char out[16];
    const Status s = decoder->Decode(body, {}, out, sizeof out);
    EXPECT_TRUE(s.IsCorruption()) << s.ToString();
    EXPECT_NE(s.message().find("2147483648"), std::string::npos) << s.message();
    EXPECT_NE(s.message().find("expected at most"), std::string::npos);
  }
}

TEST(CodecLimits, DeclaredSizeThatLz4CannotCount) {
  const auto decoder = DecoderOf(CompressionType::kLZ4Compression);
  if (decoder == nullptr) GTEST_SKIP() << "lz4 is left out of this build";
  char out[16];
  const Status s = decoder->Decode("x", {}, out, size_t{1} << 31);
  EXPECT_TRUE(s.IsCorruption()) << s.ToString();
  EXPECT_EQ(s.message().find("lz4 block: 2147483648 bytes declared"), 0u);
}

// So few bytes usually stand for less than is declared, so memory is taken as
// the bytes come. They stop coming only after what is declared.
TEST(CodecLimits, PayloadsThatMakeMoreThanADeclaredSizeAboveTheUsual) {
  constexpr size_t kMade = 10'000'000;
  constexpr uint32_t kDeclared = 9'000'000;
  constexpr auto kBzip2 = CompressionType::kBZip2Compression;
  const auto compressor = NewCompressor(kBzip2, {});
  if (!compressor.ok()) GTEST_SKIP() << "bzip2 is left out of this build";
  std::string payload(100'000, '\0');
  payload.resize(
      (*compressor)
          ->Compress(std::string(kMade, 'x'), payload.data(), payload.size()));
  uint32_t made = 0;
  const char* const body =
      DecodeVarint32(payload.data(), payload.data() + payload.size(), &made);
  ASSERT_EQ(made, kMade);
  ASSERT_LT(payload.size(), kDeclared / 1032);
  std::string other;
  AppendVarint64(&other, kDeclared);
  other.append(body, static_cast<const char*>(payload.data()) + payload.size());
  Decompressor decompressor;
  Buffer out;
  const Status s =
      decompressor.Decompress(kBzip2, 2, other, {size_t{1} << 30}, &out);
  EXPECT_TRUE(s.IsCorruption()) << s.ToString();
  EXPECT_EQ(s.subcode(), Status::SubCode::kNone) << s.ToString();
  // It stopped there, and does not know how many would have come.
  EXPECT_EQ(s.message().find("produced"), std::string::npos) << s.ToString();
}

// The codecs whose payloads always say their size cannot do without it.
TEST(CodecLimits, DecodersThatNeedTheSizeSaySo) {
  for (const Codec& codec : BuiltInCodecs()) {
    if (codec.decodes_unsized) continue;
    Buffer out;
    const Status s = codec.new_decoder()->DecodeUnsized("x", {}, 100, &out);
    EXPECT_TRUE(s.IsNotSupported()) << s.ToString();
    EXPECT_EQ(out.size(), 0u);
  }
}

// A frame of the zstd program that reads from a pipe says no size.
TEST(CodecLimits, ZstdFrameWithoutItsSize) {
  if (FindCodec(CompressionType::kZSTD) == nullptr) {
    GTEST_SKIP() << "zstd is left out of this build";
  }
  // 4 stored bytes, in what LevelDB writes, with the byte of zlib.
  const std::string payload = "\x28\xb5\x2f\xfd\x00\x58\x21\x00\x00xxxx"s;
  Decompressor decompressor;
  Buffer out;
  const Status s = decompressor.Decompress(CompressionType::kZlibCompression, 1,
                                           payload, {}, &out);
  EXPECT_TRUE(s.IsCorruption()) << s.ToString();
  EXPECT_NE(s.message().find("expected its uncompressed size"),
            std::string::npos)
      << s.message();
}

// A decompressor takes its contexts along when it is moved.
TEST(CodecLimits, MovedDecompressorsDecode) {
  for (const Codec& codec : BuiltInCodecs()) {
    if (codec.new_compressor == nullptr) continue;
    const std::string raw(1000, 'x');
    std::string payload(2000, '\0');
    auto compressor = NewCompressor(codec.type, {});
    ASSERT_TRUE(compressor.ok());
    payload.resize(
        (*compressor)->Compress(raw, payload.data(), payload.size()));
    Decompressor first;
    const auto expect_raw = [&](Decompressor* decompressor) {
      Buffer out;
      const Status s =
          decompressor->Decompress(codec.type, 2, payload, {}, &out);
      ASSERT_TRUE(s.ok()) << s.ToString();
      EXPECT_EQ(Slice(out.data(), out.size()), Slice(raw));
    };
    expect_raw(&first);
    Decompressor second(std::move(first));
    expect_raw(&second);
    Decompressor third;
    third = std::move(second);
    expect_raw(&third);
  }
}

}  // namespace
}  // namespace ashlar::internal
