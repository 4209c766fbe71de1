// Where compressed payloads end, if nobody says so: sound ones, ones that are
// cut off or damaged, and bytes that are none.

#include "util/compress/payload_end.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "util/coding/coding.h"
#include "util/compress/codec.h"
#include "util/compress/registry.h"

namespace ashlar::internal {
namespace {

constexpr int64_t kManySteps = int64_t{1} << 40;
constexpr size_t kRawBytes = 100'000;

std::vector<CompressionType> TypesThatCompress() {
  std::vector<CompressionType> types;
  for (const Codec& codec : BuiltInCodecs()) {
    if (codec.new_compressor != nullptr) types.push_back(codec.type);
  }
  return types;
}

// Returns a payload of kRawBytes bytes, in the form of format 2.
std::string PayloadOf(CompressionType type) {
  std::string raw;
  for (int i = 0; raw.size() < kRawBytes; ++i) {
    raw += "word" + std::to_string(i * 7919 % 1000) + " ";
  }
  raw.resize(kRawBytes);
  const auto compressor = NewCompressor(type, {});
  EXPECT_TRUE(compressor.ok()) << compressor.status().ToString();
  std::string payload(2 * kRawBytes, '\0');
  payload.resize((*compressor)->Compress(raw, payload.data(), payload.size()));
  EXPECT_LT(payload.size(), kRawBytes);
  return payload;
}

PayloadEnd EndOf(CompressionType type, const std::string& bytes,
                 const PayloadSearch& search, int64_t steps = kManySteps) {
  PayloadEnds ends;
  return ends.Find(type, search, bytes, &steps);
}

PayloadSearch Search(int compress_format = 2) {
  return {.compress_format = compress_format, .most_raw_bytes = kRawBytes};
}

bool AreBzip2OrZlib(CompressionType type) {
  return type == CompressionType::kBZip2Compression ||
         type == CompressionType::kZlibCompression;
}

// Returns the payload in the form of format 1, where LZ4 announces the size in
// eight bytes, and bzip2 and zlib do not.
std::string InFormat1(CompressionType type, const std::string& payload) {
  uint32_t raw_size = 0;
  const char* const body = DecodeVarint32(
      payload.data(), payload.data() + payload.size(), &raw_size);
  std::string rest(body, payload.data() + payload.size());
  if (AreBzip2OrZlib(type)) return rest;
  if (type != CompressionType::kLZ4Compression &&
      type != CompressionType::kLZ4HCCompression) {
    return payload;
  }
  std::string size;
  AppendFixed64(&size, raw_size);
  return size + rest;
}

TEST(PayloadEnds, AreFoundWhateverFollows) {
  for (const CompressionType type : TypesThatCompress()) {
    const std::string sized = PayloadOf(type);
    for (const int format : {1, 2}) {
      SCOPED_TRACE(static_cast<int>(type) * 10 + format);
      const std::string payload = format == 2 ? sized : InFormat1(type, sized);
      for (const std::string& more : {std::string(), std::string("\0abcd", 5),
                                      std::string(500, '\xff'), payload}) {
        const PayloadEnd end = EndOf(type, payload + more, Search(format));
        EXPECT_EQ(end.result, EndSearch::kFound);
        EXPECT_EQ(end.size, payload.size());
      }
    }
  }
}

TEST(PayloadEnds, CutPayloadsWantMore) {
  for (const CompressionType type : TypesThatCompress()) {
    const std::string sized = PayloadOf(type);
    for (const int format : {1, 2}) {
      SCOPED_TRACE(static_cast<int>(type) * 10 + format);
      const std::string payload = format == 2 ? sized : InFormat1(type, sized);
      for (const size_t cut :
           {size_t{1}, size_t{100}, payload.size() / 2, payload.size() - 7}) {
        const PayloadEnd end = EndOf(
            type, payload.substr(0, payload.size() - cut), Search(format));
        EXPECT_EQ(end.result, EndSearch::kMore) << cut;
      }
    }
  }
}

// A payload announces, or makes, more bytes than a block may have.
TEST(PayloadEnds, LargerOnesThanABlockAreNone) {
  for (const CompressionType type : TypesThatCompress()) {
    const std::string sized = PayloadOf(type);
    for (const int format : {1, 2}) {
      SCOPED_TRACE(static_cast<int>(type) * 10 + format);
      const bool says_size = type == CompressionType::kZSTD ||
                             type == CompressionType::kSnappyCompression ||
                             format == 2;
      PayloadSearch search = Search(format);
      search.most_raw_bytes = says_size ? kRawBytes - 1 : kRawBytes / 2;
      const std::string payload = format == 2 ? sized : InFormat1(type, sized);
      EXPECT_EQ(EndOf(type, payload, search).result, EndSearch::kNone);
    }
  }
}

// The announced size is one byte off, so that what is decoded does not fit it.
TEST(PayloadEnds, OfOtherSizesThanAnnouncedAreNone) {
  for (const CompressionType type : TypesThatCompress()) {
    // The size that a frame of ZSTD announces is not compared.
    if (type == CompressionType::kZSTD) continue;
    SCOPED_TRACE(static_cast<int>(type));
    const std::string payload = PayloadOf(type);
    for (const int change : {-1, 1}) {
      std::string other = payload;
      other[0] = static_cast<char>(other[0] + change);
      PayloadSearch search = Search();
      search.most_raw_bytes = 2 * kRawBytes;
      const PayloadEnd end = EndOf(type, other, search);
      EXPECT_TRUE(end.result != EndSearch::kFound || end.size != payload.size())
          << change;
    }
  }
}

TEST(PayloadEnds, DamagedOnesEndNowhereOrSomewhereWithin) {
  for (const CompressionType type : TypesThatCompress()) {
    SCOPED_TRACE(static_cast<int>(type));
    const std::string payload = PayloadOf(type);
    for (size_t i = 0; i < payload.size(); i += 1 + payload.size() / 200) {
      std::string damaged = payload;
      damaged[i] = static_cast<char>(damaged[i] ^ 0x55);
      const PayloadEnd end = EndOf(type, damaged, Search());
      EXPECT_LE(end.size, damaged.size());
      EXPECT_EQ(end.result == EndSearch::kFound, end.size != 0);
    }
  }
}

TEST(PayloadEnds, FindNothingWithoutSteps) {
  for (const CompressionType type : TypesThatCompress()) {
    // The end of a frame of ZSTD is found in one step.
    if (type == CompressionType::kZSTD) continue;
    SCOPED_TRACE(static_cast<int>(type));
    EXPECT_EQ(EndOf(type, PayloadOf(type), Search(), 1).result,
              EndSearch::kNone);
  }
}

TEST(PayloadEnds, OfTypesThatFrameNothingAreNone) {
  const std::string bytes = PayloadOf(TypesThatCompress()[0]);
  for (const CompressionType type :
       {CompressionType::kNoCompression, CompressionType::kXpressCompression}) {
    EXPECT_EQ(EndOf(type, bytes, Search()).result, EndSearch::kNone);
  }
}

// What announces no bytes, or is no varint, is no payload of any type.
TEST(PayloadEnds, WithoutASizeAreNone) {
  for (const CompressionType type : TypesThatCompress()) {
    SCOPED_TRACE(static_cast<int>(type));
    for (const std::string& bytes :
         {std::string(20, '\0'), std::string(20, '\xff')}) {
      EXPECT_EQ(EndOf(type, bytes, Search()).result, EndSearch::kNone);
      if (AreBzip2OrZlib(type)) continue;
      EXPECT_NE(EndOf(type, bytes, Search(1)).result, EndSearch::kFound);
    }
  }
}

// A dictionary may be what a match refers to; nobody knows what is in it.
TEST(PayloadEnds, MatchesBeforeTheBeginNeedADictionary) {
  // A token of one literal and a match of four bytes, at distance 20; then a
  // token of five literals.
  const std::string lz4 = std::string("\x0a", 1) + "\x10x" +
                          std::string("\x14\x00", 2) + "\x50" + "abcde";
  PayloadSearch search = Search();
  EXPECT_EQ(EndOf(CompressionType::kLZ4Compression, lz4, search).result,
            EndSearch::kNone);
  search.with_dictionary = true;
  const PayloadEnd end = EndOf(CompressionType::kLZ4Compression, lz4, search);
  EXPECT_EQ(end.result, EndSearch::kFound);
  EXPECT_EQ(end.size, lz4.size());
}

}  // namespace
}  // namespace ashlar::internal
